"""Variants of skills that have failures beside them: made side by side, scored by what was seen, the best joined.

A variant holds lines of pages that exist, each with the turns that it cites; nothing is invented. The score of a body:
`steps seen to exit 0 − steps seen only to fail + known failures cured − 0.05 × lines`. A cure counts as a cure; it is
a step besides when more than one session needed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import combinations

from llmwiki import lifecycle, names, verify
from llmwiki.beside import Beside, Ledger, commands, marks, outcome
from llmwiki.model import Claim, Evidence, Record, RecordType, State
from llmwiki.prose import body, claims, plain
from llmwiki.schema import CONFIDENCE, SCOPES, TYPES
from llmwiki.synthesizers import gate
from llmwiki.synthesizers.base import shorten
from llmwiki.synthesizers.folding import LONGEST, by_section

LENGTH = 0.05  # what a line costs
LEAST, MOST = 3, 12  # variants of one skill
CONFIRM = "evolved: confirm it"
VARIANTS: dict[str, str] = {}  # name -> `module:attribute` of a Propose; packages add theirs as `llmwiki.variants`
Sections = Mapping[str, Sequence[Claim]]
# The seam for a model: a skill, the failures beside it and the traces that it failed in give bodies of variants. It is
# called only when one is passed in. A body counts when each of its lines stands in the turns that it cites.
Propose = Callable[[Record, Sequence[Record], Sequence[Record]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Score:
    """What the sources of a skill saw of a body, and its length in lines."""

    seen: int
    failed: int
    cured: int
    lines: int

    @property
    def total(self) -> float:
        return round(self.seen - self.failed + self.cured - LENGTH * self.lines, 2)


@dataclass(frozen=True, slots=True)
class Edit:
    """One way to change a body; it gives the sections as they were where it does not apply. `uses` names a skill that
    it takes lines of."""

    name: str
    apply: Callable[[Sections], Sections]
    uses: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """One variant: what was changed, its lines, its score."""

    id: str
    name: str
    sections: Sections
    score: Score
    uses: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """A skill with its variants. `joined` is the record to propose, None when nothing is better than what there is."""

    skill: Record
    before: Score
    trials: tuple[Trial, ...]
    joined: Record | None
    after: Score
    parts: tuple[str, ...] = field(default=())


# -- what was seen


def score(sections: Sections, beside: Beside, ledger: Ledger) -> Score:
    """The score of a body by the runs of its sources."""
    once = {c.text for f in beside.failures if len(f.sources) < 2 for c in commands(f, "Cure")}
    stems = beside.stems
    ends = [outcome(c, ledger, stems) for c in sections.get("Steps", ()) if c.text not in once]
    said = "\n".join(c.text for lines in sections.values() for c in lines)
    cured = sum(any(c.text.rstrip(".") in said for c in _cure(f)) for f in beside.failures)
    return Score(ends.count("ok"), ends.count("failed"), cured, sum(map(len, sections.values())))


def _cure(failure: Record) -> list[Claim]:
    """The lines that say what cured it, commands first, without those that tell that it did."""
    found = [c for c in claims(failure.body) if c.section == "Cure" and not c.text.startswith(PROOF)]
    return sorted(found, key=lambda c: not c.text.startswith("`"))


PROOF = ("Then ", "The user's next words")


# -- edits


def edits(beside: Beside, ledger: Ledger) -> list[Edit]:
    """Every single change that the evidence suggests, the most promising kinds first."""
    out = []
    if not beside.declined:  # nobody knows which part of a discarded variant was not wanted
        out.append(
            Edit("drop steps that only failed", _dropped(lambda c: outcome(c, ledger, beside.stems) == "failed"))
        )
    out += [Edit(f"name the cure of {f.id}", _named(f)) for f in beside.failures if _cure(f)]
    out += [Edit(f"merge {other.id}", _merged(other), other.id) for other in beside.like]
    for f in beside.failures:
        at, steps = beside.where.get(f.id, ""), commands(f, "Cure")[:2]
        if steps:
            out.append(Edit(f"cure {f.id} first", _first(at, steps)))
        if steps and at:
            out.append(Edit(f"cure of {f.id} instead", _instead(at, steps)))
        if lines := [c for c in claims(f.body) if c.section == "Avoid"][:2]:
            out.append(Edit(f"what did not help with {f.id}", _added("Pitfalls", lines)))
        if at:
            out.append(Edit(f"drop the step of {f.id}", _dropped(partial(_is, at))))
    return out


def _is(text: str, claim: Claim) -> bool:
    return claim.text == text


def _added(section: str, lines: Sequence[Claim]) -> Callable[[Sections], Sections]:
    def add(sections: Sections) -> Sections:
        present = list(sections.get(section, ()))
        said = {c.text for c in present}
        fresh = [replace(c, section=section) for c in lines if c.text not in said]
        if not fresh or len(present) + len(fresh) > LONGEST:
            return sections
        return {**sections, section: [*present, *fresh]}

    return add


def _named(failure: Record) -> Callable[[Sections], Sections]:
    """A pitfall: the symptom, and what cured it."""
    symptom = next((c for c in claims(failure.body) if c.section == "Symptom"), Claim("", failure.title))
    cure = _cure(failure)[:2]
    text = f"{symptom.text.rstrip('.')}: {'; '.join(c.text.rstrip('.') for c in cure)}"
    cites = dict.fromkeys((*symptom.cites, *(cite for c in cure for cite in c.cites)))
    return _added("Pitfalls", [Claim("Pitfalls", text, tuple(cites))])


def _dropped(bad: Callable[[Claim], bool]) -> Callable[[Sections], Sections]:
    def drop(sections: Sections) -> Sections:
        kept = [c for c in sections.get("Steps", ()) if not bad(c)]
        return {**sections, "Steps": kept} if kept else sections

    return drop


def _first(at: str, steps: Sequence[Claim]) -> Callable[[Sections], Sections]:
    """The cure's commands before the step that the failure belongs to, before all when it belongs to none."""

    def insert(sections: Sections) -> Sections:
        present = list(sections.get("Steps", ()))
        fresh = _fresh(steps, present)
        place = next((n for n, c in enumerate(present) if c.text == at), 0)
        if not fresh or len(present) + len(fresh) > LONGEST:
            return sections
        return {**sections, "Steps": [*present[:place], *fresh, *present[place:]]}

    return insert


def _instead(at: str, steps: Sequence[Claim]) -> Callable[[Sections], Sections]:
    def swap(sections: Sections) -> Sections:
        present = list(sections.get("Steps", ()))
        place = next((n for n, c in enumerate(present) if c.text == at), -1)
        fresh = _fresh(steps, present)
        if place < 0 or not fresh or len(present) + len(fresh) > LONGEST:
            return sections
        return {**sections, "Steps": [*present[:place], *fresh, *present[place + 1 :]]}

    return swap


def _fresh(steps: Sequence[Claim], present: Sequence[Claim]) -> list[Claim]:
    said = {marks(c.text) for c in present}
    return [replace(c, section="Steps") for c in steps if marks(c.text) not in said]


def _merged(other: Record) -> Callable[[Sections], Sections]:
    """The other skill's steps behind the own ones, with its checks and pitfalls."""
    theirs = by_section(other)

    def join(sections: Sections) -> Sections:
        present = list(sections.get("Steps", ()))
        fresh = _fresh(theirs.get("Steps", ()), present)
        if not fresh or len(present) + len(fresh) > LONGEST:
            return sections
        out: Sections = {**sections, "Steps": [*present, *fresh]}
        for name in ("Checks", "Pitfalls"):
            out = _added(name, theirs.get(name, ()))(out)
        return out

    return join


# -- side by side


def family(
    beside: Beside,
    ledger: Ledger,
    turn: verify.Reader,
    now: datetime,
    trials: int = LEAST,
    ttl: Mapping[str, int] = {},
    propose: Propose | None = None,
) -> Family | None:
    """A skill's variants and the best of them joined; None when the evidence gives nothing to try."""
    skill, start = beside.skill, _ordered(by_section(beside.skill))
    before = score(start, beside, ledger)

    def trial(name: str, sections: Sections, uses: str = "") -> Trial:
        id = names.record_id(skill.title, "evolve", skill.id, name)
        return Trial(id, name, sections, score(sections, beside, ledger), uses)

    singles = [e for e in edits(beside, ledger) if e.apply(start) != start]
    made = [trial(e.name, _ordered(e.apply(start)), e.uses) for e in singles[:MOST]]
    least = max(LEAST, trials)
    for one, two in combinations(singles, 2):
        if len(made) < least and (both := _ordered(two.apply(one.apply(start)))) not in [start, *_bodies(made)]:
            made.append(trial(f"{one.name}, {two.name}", both, one.uses or two.uses))
    proposed = propose(skill, beside.failures, beside.traces) if propose else ()
    made += [trial(f"proposed {n}", s) for n, s in enumerate(_sound(skill, proposed, turn), 1)]
    if not made:
        return None
    best, parts = _joined(start, singles, lambda s: score(s, beside, ledger).total)
    top = max((t for t in made if t.name.startswith("proposed ")), key=lambda t: t.score.total, default=None)
    if top and top.score.total > score(best, beside, ledger).total:
        best, parts = top.sections, [Edit(top.name, lambda s: s)]
    after = score(best, beside, ledger)
    record = _record(beside, best, parts, before, after, now, ttl) if after.total > before.total else None
    return Family(skill, before, tuple(made), record, after, tuple(e.name for e in parts))


def _bodies(made: Iterable[Trial]) -> list[Sections]:
    return [t.sections for t in made]


def _ordered(sections: Sections) -> dict[str, list[Claim]]:
    """The sections of a skill in their order, a person's own behind them, without line numbers."""
    order = TYPES[RecordType.SKILL].sections
    found = [*(n for n in order if n in sections), *(n for n in sections if n not in order)]
    return {name: [replace(c, line=0) for c in sections[name]] for name in found if sections[name]}


def _joined(
    start: Sections, singles: Sequence[Edit], total: Callable[[Sections], float]
) -> tuple[Sections, list[Edit]]:
    """The edits that gain, the one that gains most first, each kept only when it still adds something."""
    base = total(start)
    gains = sorted(
        ((total(_ordered(e.apply(start))) - base, n) for n, e in enumerate(singles)), key=lambda g: (-g[0], g[1])
    )
    best, parts = start, []
    for gain, n in gains:
        wider = _ordered(singles[n].apply(best))
        if gain > 0 and total(wider) > total(best):
            best = wider
            parts.append(singles[n])
    return best, parts


def _sound(skill: Record, proposed: Sequence[str], turn: verify.Reader) -> list[Sections]:
    """Proposed bodies that have steps, and whose every line stands in the turns that it cites."""
    out: list[Sections] = []
    for text in proposed:
        found = replace(skill, body=text)
        sections = _ordered(by_section(found))
        known = set(sections) <= set(TYPES[RecordType.SKILL].sections)
        if known and sections.get("Steps") and verify.verify(found, turn).status == verify.PASSED:
            out.append(sections)
    return out


def _record(
    beside: Beside,
    sections: Sections,
    parts: Sequence[Edit],
    before: Score,
    after: Score,
    now: datetime,
    ttl: Mapping[str, int],
) -> Record:
    """The page to propose. Its sources are the sessions that its lines cite."""
    skill = beside.skill
    used = [r for r in beside.like if r.id in {e.uses for e in parts}]
    parents = (skill.id, *sorted(r.id for r in (*beside.failures, *beside.traces, *used)))
    cited = dict.fromkeys(f"[[{cite.stem}]]" for lines in sections.values() for c in lines for cite in c.cites)
    changed = "; ".join(e.name for e in parts)
    held = gate.held("\n".join(plain(c.text) for lines in sections.values() for c in lines))
    return replace(
        skill,
        id=names.record_id(skill.title, "evolve", "\n".join(parents), ""),
        description=shorten(f"A variant that scores {after.total:g} against {before.total:g}: {changed}.", 200),
        state=State.QUARANTINED,
        confidence=CONFIDENCE[Evidence.INFERRED],
        evidence=Evidence.INFERRED,
        scope=min((r.scope for r in (skill, *beside.failures, *used)), key=SCOPES.index),
        created=max(r.created for r in (skill, *beside.failures, *used)),
        reinforced=lifecycle.stamp(now),
        quarantine_until=None,
        ttl_days=ttl.get(RecordType.SKILL.value, TYPES[RecordType.SKILL].ttl_days),
        uses=0,
        successes=0,
        sources=tuple(cited) or skill.sources,
        supersedes=(),
        superseded_by="",
        reason=f"{held}; {CONFIRM}" if held else CONFIRM,
        evolution_gen=skill.evolution_gen + 1,
        parents=parents,
        aliases=(),
        body=body(sections),
        path="",
        handwritten=False,
    )
