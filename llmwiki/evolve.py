"""What a wiki could become: near-duplicates as one page, what recurs as a heuristic, skills with their failures healed.

A plan is all that comes out; whoever asked shows it before anything is written. It is a function of the records, of
what their sessions ran, and of the clock: made again after it was carried out, it is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from llmwiki import beside, lifecycle, markdown, merging, promotion, similar, variants, verify
from llmwiki.lifecycle import Numbers
from llmwiki.model import Record, RecordType, Session, Wiki
from llmwiki.review import Plan as Merges
from llmwiki.schema import LIFECYCLE

WEEK = 7 * lifecycle.DAY
Group = tuple[Record, tuple[Record, ...]]  # the page that stays, and those that go into it


@dataclass(frozen=True, slots=True)
class Sources:
    """Readers of raw pages: a session by its stem, a turn by stem and anchor; None where there is none here."""

    session: Callable[[str], Session | None]
    turn: verify.Reader


@dataclass(frozen=True, slots=True)
class Plan:
    """What an evolution would do. `held` are the records that the guard keeps; then nothing else is in the plan."""

    groups: tuple[Group, ...] = ()
    merges: Merges = field(default_factory=Merges)
    held: tuple[str, ...] = ()
    heuristics: tuple[Record, ...] = ()
    families: tuple[variants.Family, ...] = ()

    @property
    def fresh(self) -> tuple[Record, ...]:
        """The pages to propose."""
        return (*self.heuristics, *(f.joined for f in self.families if f.joined))

    def document(self) -> dict[str, Any]:
        """`{clusters, merged, promoted, variants, held, merges, heuristics, tables}`: counts, then what they count."""
        gone = 0 if self.held else sum(len(losers) for _, losers in self.groups)
        return {
            "clusters": len(self.groups),
            "merged": gone,
            "promoted": len(self.heuristics),
            "variants": [line for f in self.families for line in _variants(f)],
            "held": list(self.held),
            "merges": [{"into": winner.id, "ids": [r.id for r in losers]} for winner, losers in self.groups],
            "heuristics": [
                {"id": r.id, "title": r.title, "project": r.project, "parents": list(r.parents)}
                for r in self.heuristics
            ],
            "tables": [_table(f) for f in self.families],
        }


def _variants(family: variants.Family) -> list[dict[str, Any]]:
    """Every variant that was made: those that were only compared are trials, the joined one waits in quarantine."""
    made = [
        {
            "id": t.id,
            "parents": [family.skill.id, *([t.uses] if t.uses else [])],
            "generation": family.skill.evolution_gen + 1,
            "state": "trial",
        }
        for t in family.trials
    ]
    if family.joined:
        r = family.joined
        made.append({"id": r.id, "parents": list(r.parents), "generation": r.evolution_gen, "state": str(r.state)})
    return made


def _table(family: variants.Family) -> dict[str, Any]:
    """`{skill, rows: [{variant, seen, failed, cured, lines, score}], joined, parts}`."""
    rows = [("as it is", family.before), *((t.name, t.score) for t in family.trials), ("joined", family.after)]
    return {
        "skill": family.skill.id,
        "rows": [
            {"variant": name, "seen": s.seen, "failed": s.failed, "cured": s.cured, "lines": s.lines, "score": s.total}
            for name, s in rows
        ],
        "joined": family.joined.id if family.joined else "",
        "parts": list(family.parts),
    }


def plan(
    wiki: Wiki,
    now: datetime,
    sources: Sources,
    kept: Callable[[Collection[Record]], Collection[str]],
    *,
    trials: int = variants.LEAST,
    yes: bool = False,
    merge: bool = True,
    numbers: Numbers = LIFECYCLE,
    ttl: Mapping[str, int] = {},
    propose: variants.Propose | None = None,
) -> Plan:
    """What an evolution makes of a wiki at `now`.

    `kept(records)` gives the ids of those that a person wrote or changed: they may stay and never go. Without `merge`
    near-duplicates are only named. The guard: so many records leaving at once wait for a person's yes, and with them
    everything else.
    """
    groups = near_duplicates(wiki.records.values(), now, kept, numbers)
    losers = [r.id for _, losers in groups for r in losers]
    living = sum(lifecycle.lives(r) and r.type is not RecordType.TRACE for r in wiki.records.values())
    if merge and not yes and lifecycle.guarded(len(losers), living, numbers):
        return Plan(groups, held=tuple(sorted(losers)))
    merges = merging.merge_all(groups, wiki, now, numbers) if merge and groups else Merges()
    after = Wiki({**wiki.records, **{new.id: new for _, new in merges.steps}}, wiki.diagnostics)
    ranked = _rank(now, numbers)
    heuristics = promotion.proposals(after.records.values(), ranked, now, ttl)
    families = list(_families(after, now, sources, trials, numbers, ttl, propose))
    return _placed(Plan(groups, merges, (), tuple(heuristics), tuple(families)), after)


# -- near-duplicates


def near_duplicates(
    records: Iterable[Record],
    now: datetime,
    kept: Callable[[Collection[Record]], Collection[str]],
    numbers: Numbers = LIFECYCLE,
) -> tuple[Group, ...]:
    """Living records of one type, place, scope and branch that teach the same, the best first.

    What was imported follows the file that it stands in: `import` withdraws it, and nothing goes into it.

    What waits for a person is never one with what does not: it would speak through the other's page. What evolved is
    nobody's duplicate.
    """
    free = (r for r in records if r.type is not RecordType.TRACE and not r.parents and "imported" not in r.extra)
    living = [r for r in free if lifecycle.lives(r)]
    ranked = _rank(now, numbers)
    apart: dict[tuple[Any, ...], list[Record]] = {}
    for record in living:
        apart.setdefault((record.scope, str(record.extra.get("branch", "")), lifecycle.held(record)), []).append(record)
    found = [group for key in sorted(apart) for group in similar.groups(apart[key], ranked)]
    theirs = kept([r for group in found for r in group])
    out = []
    for group in found:
        best = min(group, key=lambda r: (r.id not in theirs, ranked(r)))
        losers = tuple(r for r in group if r is not best and r.id not in theirs and similar.same(best, r))
        if losers:
            out.append((best, losers))
    return tuple(sorted(out, key=lambda g: g[0].id))


def _rank(now: datetime, numbers: Numbers) -> Callable[[Record], tuple[Any, ...]]:
    """The better record first: what speaks, what is surer, what rests on more, what is older."""

    def rank(record: Record) -> tuple[Any, ...]:
        speaks = lifecycle.retrievable(record, now, None, numbers)
        sure = lifecycle.effective(record, now, numbers)
        return (not speaks, -sure, -len(record.sources), record.created, record.id)

    return rank


# -- variants


def _families(
    wiki: Wiki,
    now: datetime,
    sources: Sources,
    trials: int,
    numbers: Numbers,
    ttl: Mapping[str, int],
    propose: variants.Propose | None,
) -> Iterable[variants.Family]:
    found = list(beside.families(wiki.records.values(), numbers))
    ledger: dict[str, tuple[beside.Ran, ...]] = {}
    for stem in sorted({stem for one in found for stem in one.stems}):  # each raw page is read once
        session = sources.session(stem)
        ledger[stem] = beside.ran(session) if session else ()
    for one in found:
        made = variants.family(one, ledger, sources.turn, now, trials, ttl, propose)
        if made:
            yield made


def _placed(plan: Plan, wiki: Wiki) -> Plan:
    """The plan with an id and a path of its own for each new page."""
    ids, paths = set(wiki.records), [r.path for r in wiki.records.values()] + [d.path for d in wiki.diagnostics]

    def place(record: Record) -> Record:
        id, number = record.id, 2
        while id in ids:
            id, number = f"{record.id[:76]}-{number}", number + 1
        placed = replace(record, id=id)
        placed = replace(placed, path=markdown.page_path(placed, paths))
        ids.add(id)
        paths.append(placed.path)
        return placed

    heuristics = tuple(place(r) for r in plan.heuristics)
    families = tuple(replace(f, joined=place(f.joined)) if f.joined else f for f in plan.families)
    return replace(plan, heuristics=heuristics, families=families)
