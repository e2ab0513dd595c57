"""What recurs, proposed as a heuristic: a rule that three sessions or two projects agree on, with where it held.

A proposal waits for a person. It says nothing of its own: its lines are lines of the records that it comes from, and
cite the same turns. What was proposed once, and what a person has written or discarded, is not proposed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from llmwiki import lifecycle, names, similar
from llmwiki.model import Claim, Evidence, Record, RecordType, State
from llmwiki.prose import body, claims, inert, plain
from llmwiki.schema import CONFIDENCE, SCOPES, TYPES
from llmwiki.synthesizers import gate

SESSIONS, PROJECTS = 3, 2  # that agree; either is enough
MOST = 8  # lines of a section
CONFIRM = "evolved: confirm it"
RULE, EXCEPTIONS, HELD_IN = TYPES[RecordType.HEURISTIC].sections
# The sections that a rule is made of, and those that show best where it held. A fact tells how one project is: only
# what is so in two of them can be a rule, and how each of them is checked is none.
SPEAKING = {
    RecordType.PREFERENCE: ("Rule", ("Said", "Rule")),
    RecordType.FACT: ("Statement", ("Statement", "Evidence")),
    RecordType.FAILURE: ("Cure", ("Cure", "Symptom")),
}
PROOF = ("Then ", "The user's next words", "More time: ")  # lines under Cure that tell that it helped, not what did
Rank = Callable[[Record], Any]


def proposals(records: Iterable[Record], rank: Rank, now: datetime, ttl: Mapping[str, int] = {}) -> list[Record]:
    """The heuristics that records give, without id clashes or paths yet; `rank` puts the best record first."""
    records = list(records)
    living = [r for r in records if lifecycle.lives(r) and r.type in SPEAKING and not r.parents and _ruled(r)]
    known = similar.Neighbours(blind := [_anywhere(r) for r in records if r.type is RecordType.HEURISTIC])
    taken = {parent for r in records if r.type is RecordType.HEURISTIC for parent in r.parents}
    by_id = {r.id: r for r in blind}
    rules = [r for r in living if r.type in (RecordType.PREFERENCE, RecordType.HEURISTIC)]
    against = similar.Neighbours(map(_anywhere, rules))
    places = {r.id: _anywhere(r) for r in rules}
    out = []
    for group in _agreeing(living, rank):
        opposed = against.opposites(_anywhere(group[0]), places)
        proposal = _heuristic(group, [r for r in living if r.id in {o.id for o in opposed}], now, ttl)
        if taken.isdisjoint(r.id for r in group) and known.same(_anywhere(proposal), by_id) is None:
            out.append(proposal)
    return out


def _anywhere(record: Record) -> Record:
    """The record as if it held everywhere: so that what two projects say can be compared."""
    return record if record.project is None else replace(record, project=None)


def _ruled(record: Record) -> bool:
    """Whether a record holds a line that a rule could be made of, and cites where it comes from."""
    return any(c.cites for c in _speaking(record)) and "checks" not in record.tags


def _speaking(record: Record) -> list[Claim]:
    """The lines that say what to do, or what is so."""
    section = SPEAKING[record.type][0]
    return [c for c in claims(record.body) if c.section == section and c.text and not c.text.startswith(PROOF)]


# -- what agrees


def _agreeing(records: Sequence[Record], rank: Rank) -> Iterator[list[Record]]:
    """Records that teach the same wherever they stand, when enough sessions or projects do."""
    places = {r.id: r for r in records}
    blind = [_anywhere(r) for r in records]
    grouped = similar.groups(blind, lambda r: rank(places[r.id]))
    alone = {r.id for r in records} - {r.id for group in grouped for r in group}
    found = [[places[r.id] for r in group] for group in grouped]
    found += [[places[id]] for id in sorted(alone)]
    for group in sorted(found, key=lambda g: rank(g[0])):
        agreeing = [r for r in group if _cures_alike(group[0], r)]
        if _recurs(agreeing):
            yield agreeing


def _recurs(group: Sequence[Record]) -> bool:
    sessions = {source for r in group for source in r.sources}
    projects = {r.project for r in group if r.project}
    enough = group[0].type is not RecordType.FACT and len(sessions) >= SESSIONS
    return enough or len(projects) >= PROJECTS


def _cures_alike(first: Record, other: Record) -> bool:
    """Whether two failures were cured alike: the same symptom with another cure is another lesson."""
    if first.type is not RecordType.FAILURE or first is other:
        return True
    mine, theirs = (gate.distinctive(" ".join(plain(c.text) for c in _speaking(r))) for r in (first, other))
    small = min(len(mine), len(theirs))
    return small > 0 and 2 * len(mine & theirs) >= small


# -- the page


def _heuristic(group: Sequence[Record], opposed: Sequence[Record], now: datetime, ttl: Mapping[str, int]) -> Record:
    best = group[0]
    projects = {r.project for r in group}
    parents = sorted(r.id for r in group)
    lines = {
        RULE: list(_rule(group)),
        EXCEPTIONS: [_exception(r) for r in sorted(opposed, key=lambda r: r.id)][:MOST],
        HELD_IN: _held_in(group),
    }
    text = "\n".join(plain(c.text) for c in lines[RULE])
    held = gate.held(text)
    return Record(
        id=names.record_id(best.title, "evolve", "\n".join(parents), ""),
        type=RecordType.HEURISTIC,
        title=best.title,
        description=_description(group),
        state=State.QUARANTINED,
        confidence=CONFIDENCE[Evidence.REPEATED],
        scope=min((r.scope for r in group), key=SCOPES.index),
        project=best.project if len(projects) == 1 else None,
        tags=tuple(dict.fromkeys(tag for r in group for tag in r.tags))[:MOST],
        created=max(r.created for r in group),
        reinforced=lifecycle.stamp(now),
        quarantine_until=None,
        ttl_days=ttl.get(RecordType.HEURISTIC.value, TYPES[RecordType.HEURISTIC].ttl_days),
        evidence=Evidence.REPEATED,
        sources=tuple(dict.fromkeys(source for r in group for source in r.sources)),
        reason=f"{held}; {CONFIRM}" if held else CONFIRM,
        parents=tuple(parents),
        when=_when(group),
        body=body({name: found for name, found in lines.items() if found}),
    )


def _description(group: Sequence[Record]) -> str:
    sessions = len({source for r in group for source in r.sources})
    projects = len({r.project for r in group if r.project})
    places = f" of {projects} projects" if projects > 1 else ""
    return f"A {group[0].type} that held in {sessions} session{'' if sessions == 1 else 's'}{places}."


def _when(group: Sequence[Record]) -> Mapping[str, Any]:
    """One record's conditions; of several only the errors that they share, for paths and tools are a project's own."""
    if len(group) == 1:
        return group[0].when
    shared = set.intersection(*(similar.errors(r) for r in group))
    return {"errors": sorted(shared)} if shared else {}


def _rule(group: Sequence[Record]) -> Iterator[Claim]:
    """The best record's own words. Each further record adds the turn in which it was said there."""
    best, *others = group
    said = _speaking(best)
    more = [cite for r in others for cite in next((c.cites for c in _speaking(r) if c.cites), ())[:1]]
    if best.type is RecordType.FAILURE:
        symptom = next((c for c in claims(best.body) if c.section == "Symptom"), Claim("", ""))
        cure = "; ".join(c.text.rstrip(".") for c in said[:2])
        text = f"{symptom.text.rstrip('.')}: {cure}" if symptom.text else cure
        cites = (*symptom.cites, *(c for claim in said[:2] for c in claim.cites))
        yield Claim(RULE, text, tuple(dict.fromkeys((*cites, *more)))[:MOST])
        return
    for number, claim in enumerate(said[:3]):
        yield Claim(RULE, claim.text, tuple(dict.fromkeys((*claim.cites, *(() if number else more))))[:MOST])


def _exception(record: Record) -> Claim:
    where = f" in {inert(record.project)}" if record.project else ""
    return Claim(EXCEPTIONS, f"[[{record.stem}]] says the opposite{where}.")


def _held_in(group: Sequence[Record]) -> list[Claim]:
    """Where the rule held, a line a session as far as the records cite it: every record first once, then the rest."""
    columns = [list(_places(r)) for r in group]
    rows = [column[n] for n in range(max(map(len, columns))) for column in columns if n < len(column)]
    return rows[:MOST]


def _places(record: Record) -> Iterator[Claim]:
    """The record's lines, those first that show best where it held, until every session that they cite is named."""
    order = SPEAKING[record.type][1]
    shown = sorted((c for c in claims(record.body) if c.section in order), key=lambda c: order.index(c.section))
    named: set[str] = set()
    place = inert(record.project.replace(":", " ")) if record.project else "every project"
    for claim in shown:
        if not {c.stem for c in claim.cites} <= named:
            named |= {c.stem for c in claim.cites}
            yield Claim(HELD_IN, f"{place}: {claim.text}", claim.cites)
