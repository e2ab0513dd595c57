"""What stands beside a skill: failures of its steps, sessions that it failed in, skills like it, and the runs of all.

A failure stands beside a skill of its project when it is about a command or a file of the skill's steps. What a variant
of the skill was made of before stands beside it no longer, whatever became of the variant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from llmwiki import lifecycle, similar
from llmwiki.lifecycle import AGED, Numbers
from llmwiki.model import Cite, Claim, Record, RecordType, Session, State
from llmwiki.prose import claims
from llmwiki.schema import LIFECYCLE
from llmwiki.synthesizers.events import Run, events
from llmwiki.synthesizers.shell import INTERPRETERS, simples
from llmwiki.synthesizers.skills import TOOLS

ALIKE = 0.3  # share of the shorter skill's terms that two skills must have in common to be joined
NEAREST, FEW = 2, 50  # skills that a merge is tried with, and that are looked at for a step
# Programs that do so many things that only their subcommand tells what a line is about.
EVERYDAY = (
    INTERPRETERS
    | TOOLS
    | frozenset("git npm pnpm yarn pip uv cargo go make docker kubectl gh brew apt apt-get".split())
)
_SPAN = re.compile(r"(?<!`)(?P<tick>`+)(?!`) ?(?P<code>.+?) ?(?<!`)(?P=tick)(?!`)")
_FILE = re.compile(r"(?:[~.\w@-]{0,80}/){1,40}[\w.@+-]+|[\w-]{1,80}\.[A-Za-z]\w{0,4}")
Marks = frozenset[tuple[str, ...]]
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that a session ran: where, what it called, and whether it ended well."""

    anchor: str
    marks: Marks
    ok: bool


Ledger = Mapping[str, Sequence[Ran]]  # by the stem of the session


@dataclass(frozen=True, slots=True)
class Beside:
    """A skill with the failures beside it, the traces that it failed in, and skills like it. `where`: failure id -> the
    step that it belongs to. `declined`: a person discarded a variant of it."""

    skill: Record
    failures: tuple[Record, ...]
    traces: tuple[Record, ...]
    like: tuple[Record, ...]
    where: Mapping[str, str]
    declined: bool = False

    @property
    def stems(self) -> tuple[str, ...]:
        """The sessions whose runs tell about the skill's steps."""
        sources = (s for r in (self.skill, *self.failures, *self.traces, *self.like) for s in r.sources)
        return tuple(dict.fromkeys(source.strip("[]") for source in sources))


# -- commands


def marks(text: str) -> Marks:
    """What a line calls: program and operands of each command in its first code span, without what varies."""
    span = _SPAN.search(text)
    return _marks(span["code"]) if span else frozenset()


@lru_cache(maxsize=20_000)
def _marks(command: str) -> Marks:
    parts = simples(command)
    telling = [p for p in parts if not p.reads] or parts
    return frozenset(tuple(w for w in p.key if " " not in w and "…" not in w) for p in telling)


def commands(record: Record, section: str) -> list[Claim]:
    """The lines of a section that are a command and begin with it."""
    return [c for c in claims(record.body) if c.section == section and c.text.startswith("`") and marks(c.text)]


def ran(session: Session) -> tuple[Ran, ...]:
    """The commands of a session whose end is known."""
    found = (e for e in events(session) if isinstance(e, Run) and e.ok is not None)
    return tuple(Ran(r.turn.anchor, _marks(r.command), bool(r.ok)) for r in found)


def outcome(claim: Claim, ledger: Ledger, stems: Iterable[str]) -> str:
    """`ok` when a step was seen to exit 0, `failed` when it was only seen to fail, `unseen` when nobody saw it run."""
    wanted, seen = marks(claim.text), set()
    for stem in stems:
        for run in ledger.get(stem, ()):
            if Cite(stem, run.anchor) in claim.cites or (wanted and wanted <= run.marks):
                seen.add(run.ok)
    return "ok" if True in seen else "failed" if seen else "unseen"


# -- what stands beside


def families(records: Iterable[Record], numbers: Numbers = LIFECYCLE) -> Iterator[Beside]:
    """Each living skill that has something beside it which no variant of it was made of yet, by id."""
    known = _Known(sorted(records, key=lambda r: r.id), numbers)
    for skill in known.skills:
        children = known.children.get(skill.id, ())
        if any(r.state is State.QUARANTINED for r in children):
            continue  # one waits for a person already
        looked = {skill.id, *skill.parents, *(p for r in children for p in r.parents)}
        traces = tuple(t for t in known.bad.get(skill.id, ()) if t.id not in looked)
        where = known.where(skill, traces)
        found = tuple(known.failures[id] for id in sorted(where) if id not in looked)
        if found or traces:
            declined = any(r.state is State.ARCHIVED and r.reason not in AGED for r in children)
            yield Beside(skill, found, traces, tuple(known.like(skill, looked)), where, declined)


class _Known:
    """The records that families are made of, each where it is looked for."""

    def __init__(self, records: Sequence[Record], numbers: Numbers) -> None:
        everything = [r for r in records if r.type is RecordType.SKILL]
        self.skills = [r for r in everything if lifecycle.lives(r) and not (r.parents and r.state is State.QUARANTINED)]
        living = (r for r in records if r.type is RecordType.FAILURE and lifecycle.lives(r) and not lifecycle.held(r))
        self.failures = {r.id: r for r in living}
        self.children = _table((parent, r) for r in everything for parent in r.parents)
        bad = [r for r in records if r.type is RecordType.TRACE and _went_wrong(r, numbers)]
        self.bad = _table((id, r) for r in bad for id in r.used)
        self._of = _table((source, r) for r in self.failures.values() for source in r.sources)
        self._about = _table((key, r) for r in self.failures.values() for key in sorted(_about(r)))
        self._steps = _table(((r.project, step), r) for r in self.skills for step in _steps(r))

    def where(self, skill: Record, traces: Sequence[Record]) -> dict[str, str]:
        """Failure id -> the step that it shares most with, "" when only a session that the skill failed in gave it."""
        shared: dict[str, dict[str, int]] = {}
        for step in (c for c in claims(skill.body) if c.section == "Steps"):
            for key in _keys(skill, step.text):
                for failure in self._about.get(key, ()):
                    steps = shared.setdefault(failure.id, {})
                    steps[step.text] = steps.get(step.text, 0) + 1
        near = (f for t in traces for source in t.sources for f in self._of.get(source, ()))
        found = {f.id: "" for f in near if f.project == skill.project}
        return found | {id: min(steps, key=lambda s: (-steps[s], s)) for id, steps in shared.items()}

    def like(self, skill: Record, looked: set[str]) -> list[Record]:
        """Skills of the same place that share a step and enough words with this one, the nearest first."""
        mine, found = similar.meaning(skill).all, []
        near = {r.id: r for step in _steps(skill) for r in self._steps.get((skill.project, step), ())[:FEW]}
        for other in (near[id] for id in sorted(near)):
            theirs = similar.meaning(other).all
            share = len(mine & theirs) / max(1, min(len(mine), len(theirs)))
            kin = other.id in looked or skill.id in other.parents
            if not kin and other.scope == skill.scope and not lifecycle.held(other) and share >= ALIKE:
                found.append((-share, other.id))
        return [near[id] for _, id in sorted(found)[:NEAREST]]


def _table(pairs: Iterable[tuple[Key, Record]]) -> dict[Key, list[Record]]:
    out: dict[Key, list[Record]] = {}
    for key, record in pairs:
        out.setdefault(key, []).append(record)
    return out


def _keys(record: Record, text: str) -> set[tuple[str, ...]]:
    """What a line is about, in its project: programs, programs with their subcommand, files."""
    place = record.project or ""
    out: set[tuple[str, ...]] = set()
    for span in _SPAN.finditer(text):
        for mark in _marks(span["code"]):
            out |= {(place, *mark[:2])} if len(mark) > 1 else set()
            out |= {(place, mark[0])} if mark and mark[0] not in EVERYDAY else set()
        out |= {(place, "file", name) for name in _FILE.findall(span["code"])}
    return out


def _about(failure: Record) -> set[tuple[str, ...]]:
    lines = (c.text for c in claims(failure.body) if c.section in ("Symptom", "Cure"))
    return {key for line in lines for key in _keys(failure, line)}


def _steps(skill: Record) -> set[Marks]:
    return {marks(c.text) for c in commands(skill, "Steps")}


def _went_wrong(trace: Record, numbers: Numbers) -> bool:
    return trace.score is not None and trace.score < numbers["good_score"]
