"""Age, applied: what the dates already say becomes what the pages say.

`decay` writes only state changes, so running it twice equals running it once, and one late run equals many early ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from llmwiki import lifecycle, names
from llmwiki.lifecycle import Numbers
from llmwiki.model import Record, RecordType, State, Wiki
from llmwiki.schema import LIFECYCLE


@dataclass(frozen=True, slots=True)
class Aged:
    """One record whose state follows from its dates: the record as it shall be, and where its page shall lie."""

    record: Record
    before: State
    path: str

    @property
    def kind(self) -> str:
        """What happened, in the words of the `decay` document: released, staled, archived or expired."""
        if self.record.state is State.ARCHIVED:
            return "expired" if self.record.reason == "not reviewed" else "archived"
        return "staled" if self.record.state is State.STALE else "released"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a decay would do. `held` are the archivals that the guard stops, by id; `blocked` are those whose place in
    the archive another page has. `superseded`: what gave way to a record that is released."""

    aged: tuple[Aged, ...] = ()
    held: tuple[str, ...] = ()
    blocked: tuple[Aged, ...] = ()
    unchanged: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    superseded: tuple[Record, ...] = ()


def plan(
    wiki: Wiki,
    now: datetime,
    verified: Callable[[Record], bool],
    yes: bool = False,
    numbers: Numbers = LIFECYCLE,
    taken: Callable[[str], bool] = lambda path: False,
) -> Plan:
    """What the dates say at `now`. `verified(record)` is asked only of what would be released, `taken(path)` of where a
    page would go: what lies there is never written over, and the page stays as it is (silent by its dates).

    The guard: when more than a fifth of the living records (and at least three) would be archived at once, those
    stay where they are until a person says yes. A wrong clock must not empty a wiki.
    """
    living = [r for r in wiki.records.values() if r.state is not State.ARCHIVED]
    aged = [a for a in (_age(r, now, verified, numbers) for r in sorted(living, key=lambda r: r.path)) if a]
    blocked = tuple(a for a in aged if a.path != a.record.path and taken(a.record.path))
    aged = [a for a in aged if a not in blocked]
    # Traces are made to be forgotten: a month after an import they all go at once, and that is no accident.
    leaving = [a for a in aged if a.record.state is State.ARCHIVED and a.record.type is not RecordType.TRACE]
    held: tuple[str, ...] = ()
    if not yes and lifecycle.guarded(len(leaving), sum(r.type is not RecordType.TRACE for r in living), numbers):
        held = tuple(a.record.id for a in leaving)
        aged = [a for a in aged if a not in leaving]
    counts = {kind: sum(a.kind == kind for a in aged) for kind in ("released", "staled", "archived", "expired")}
    return Plan(tuple(aged), held, blocked, len(wiki.records) - len(aged) - len(held), counts)


def _age(record: Record, now: datetime, verified: Callable[[Record], bool], numbers: Numbers) -> Aged | None:
    state, reason = lifecycle.state_at(record, now, verified=True, numbers=numbers)
    if record.state is State.QUARANTINED and state is not State.QUARANTINED and reason != "not reviewed":
        state, reason = lifecycle.state_at(record, now, verified(record), numbers)
    if state is record.state:
        return None
    path = names.archived_path(record.path) if state is State.ARCHIVED else record.path
    return Aged(replace(record, state=state, reason=reason, path=path), record.state, record.path)


def next_due(wiki: Wiki, now: datetime, numbers: Numbers = LIFECYCLE) -> str:
    """The next moment at which `plan` could find something, "" when never: until then `sync` need not look."""
    moments = []
    for record in wiki.records.values():
        if record.state is State.ARCHIVED:
            continue
        ends = [lifecycle.goes_stale(record, numbers), lifecycle.expires(record)]
        if end := lifecycle.goes_stale(record, numbers):
            ends.append(end + numbers["stale_days"] * lifecycle.DAY)
        if record.state is State.QUARANTINED:
            ends.append(lifecycle.moment(record.quarantine_until) if record.quarantine_until else None)
        moments += [end for end in ends if end and end > now]
    return lifecycle.stamp(min(moments)) if moments else ""
