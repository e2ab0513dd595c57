"""What waits for a person, and what a person's decision makes of a page. Merging has a step of its own, `merging`.

A decision is a person's word: it outranks every gate, is never guarded, and what a person withdrew stays withdrawn
(`synthesize` refuses a lesson whose page is archived for a reason that age does not give).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any

from llmwiki import graph, lifecycle, markdown, names, prose, verify
from llmwiki.errors import WikiError
from llmwiki.lifecycle import Numbers
from llmwiki.model import Change, Evidence, Record, State, Wiki
from llmwiki.schema import CONFIDENCE, LIFECYCLE
from llmwiki.synthesizers import base
from llmwiki.synthesizers.preferences import FOR_ONCE

OLD_RULE = "you said this long ago: does it still hold?"
CONTRADICTIONS = "Contradictions"
WAITED = "restored; it waited before it was withdrawn"
# The reason that a page gets when the person gives none. None is a reason of age: the lesson does not come back.
WITHDRAWN = {"discard": "discarded", "archive": "archived by a person"}
UNPROVEN = {
    verify.FAILED: "a claim of it does not stand in its turns",
    verify.UNVERIFIABLE: "nothing in it can be verified",
    verify.UNREACHABLE: "its raw page is not on this machine",
}
Status = Callable[[Record], str]
Read = Callable[[str], str | None]


class Group(IntEnum):
    """Who needs a person most, first."""

    PERSON = 0  # it speaks only when a person says so
    REASON = 1  # its time is set, and something is wrong with it
    TIMED = 2  # it speaks by itself when nobody objects
    OLD = 3  # a rule that was said long ago


@dataclass(frozen=True, slots=True)
class Waiting:
    """A record that waits: its state by its dates, why it waits, and for how many whole days."""

    record: Record
    state: State
    group: Group
    reason: str
    age_days: int

    def document(self) -> dict[str, Any]:
        """`{id, type, title, state, reason, age_days, sources, path}`."""
        r = self.record
        return {
            "id": r.id,
            "type": str(r.type),
            "title": r.title,
            "state": str(self.state),
            "reason": self.reason,
            "age_days": self.age_days,
            "sources": list(r.sources),
            "path": r.path,
        }


def queue(wiki: Wiki, now: datetime, status: Status, project: str = "", numbers: Numbers = LIFECYCLE) -> list[Waiting]:
    """What waits, what needs a person first on top, the oldest first within a group.

    `status(record)` verifies; it is asked only of what should have been released by now.
    """
    near = sorted(wiki.records.values(), key=lambda r: (r.sources, r.id))  # each raw page is read once
    found = [w for r in near if (not project or r.project == project) and (w := waits(r, now, status, numbers))]
    return sorted(found, key=lambda w: (w.group, lifecycle.since(w.record) or now, w.record.id))


def waits(record: Record, now: datetime, status: Status, numbers: Numbers = LIFECYCLE) -> Waiting | None:
    """Why a record waits for a person, None when it does not. By its dates, whenever `decay` last ran."""
    state, _ = lifecycle.state_at(record, now, verified=False, numbers=numbers)
    if state is State.QUARANTINED:
        group, reason = _quarantined(record, now, status)
    elif state is State.STALE and lifecycle.lasting(record) and not record.superseded_by:
        group, reason = Group.OLD, OLD_RULE
    else:
        return None
    start = lifecycle.since(record)
    return Waiting(record, state, group, reason, max(0, (now - start) // lifecycle.DAY) if start else 0)


def _quarantined(record: Record, now: datetime, status: Status) -> tuple[Group, str]:
    until = lifecycle.moment(record.quarantine_until) if record.quarantine_until else None
    if until is None:
        return Group.PERSON, record.reason or "a person decides"
    if record.reason and record.reason != WAITED:  # which is told, and asks nobody for anything
        return Group.REASON, record.reason
    if until > now:
        return Group.TIMED, f"released {lifecycle.stamp(until)} if nobody objects"
    bad = UNPROVEN.get(status(record))
    return (Group.REASON, bad) if bad else (Group.TIMED, "its time is over: the next sync releases it")


def unfit(waiting: Waiting, status: Status) -> str:
    """Why a record may not be promoted in bulk, "" when it may: it waits for nothing but time, and its claims hold.

    What a user said in more than one session was not meant for one task only: that doubt is settled too.
    """
    record = waiting.record
    twice = record.reason == FOR_ONCE and len(set(record.sources)) > 1
    if waiting.group is not Group.TIMED and not (waiting.group is Group.PERSON and twice):
        return waiting.reason
    claims = prose.claims(record.body)
    if record.superseded_by:
        return f"superseded by {record.superseded_by}"
    if any(c.section == CONTRADICTIONS for c in claims):
        return "another page says the opposite"
    return base.waits(record.type, claims, record.evidence) or UNPROVEN.get(status(record), "")


# -- decisions


@dataclass(frozen=True, slots=True)
class Plan:
    """What a decision makes: records as they were and shall be, where links lead then (a target to its new one, ""
    for the same), the ids that are so already, and what a person should know besides."""

    steps: tuple[tuple[Record, Record], ...] = ()
    same: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    target: Callable[[str], str] | None = None


@dataclass(slots=True)
class _Deciding:
    """One decision on several records; one that cannot be carried out ends it for all."""

    wiki: Wiki
    now: datetime
    reason: str
    numbers: Numbers
    after: dict[str, Record]
    said: list[str]

    def speaking(self, record: Record) -> Record:
        """The record with a person's word for it: active, its clock started again (a page without dates gets none).

        Confidence stays, for a person's yes is no evidence of use; below what may speak it starts again.
        """
        low = record.confidence < self.numbers["minimum_confidence"]
        again = lifecycle.later(record.reinforced, lifecycle.stamp(self.now))
        return replace(
            record,
            state=State.ACTIVE,
            quarantine_until="",
            reason="",
            reinforced=again if lifecycle.since(record) else record.reinforced,
            confidence=CONFIDENCE[record.evidence] if low else record.confidence,
        )

    def waiting_again(self, record: Record) -> Record:
        """The record as it waited: for a person, or for its time. What is over starts again, so that a person sees it
        before the dates decide."""
        until, over = record.quarantine_until, lifecycle.expires(record)
        release = lifecycle.moment(until) if until else None
        if until is not None and not (release and release > self.now):
            until = lifecycle.stamp(self.now + timedelta(hours=self.numbers["quarantine_hours"]))
        return replace(
            record,
            state=State.QUARANTINED,
            quarantine_until=until,
            reason=WAITED,
            reinforced=lifecycle.stamp(self.now) if over and over <= self.now else record.reinforced,
        )

    def speaks(self, record: Record) -> bool:
        return lifecycle.retrievable(record, self.now, None, self.numbers)


def plan(
    action: str, records: Sequence[Record], wiki: Wiki, now: datetime, reason: str = "", numbers: Numbers = LIFECYCLE
) -> Plan:
    """What `promote`, `discard`, `archive` or `restore` makes of records. WikiError when one of them cannot be."""
    deciding = _Deciding(wiki, now, reason, numbers, {}, [])
    for record in records:
        DECISIONS[action](deciding, record)
    steps = [(wiki.records[id], after) for id, after in deciding.after.items() if after != wiki.records[id]]
    changed = {before.id for before, _ in steps}
    same = [r.id for r in records if r.id not in changed]
    return Plan(tuple(steps), tuple(dict.fromkeys(same)), tuple(deciding.said))


def _promote(d: _Deciding, record: Record) -> None:
    """What waits or is stale speaks."""
    if record.state is State.ARCHIVED:
        raise WikiError(f"{record.id} is archived; `llmwiki review restore {record.id}` brings it back")
    if record.superseded_by:
        cure = f"`llmwiki review restore {record.id}` takes it back from there"
        d.said.append(f"{record.id} is superseded by {record.superseded_by} and stays silent; {cure}")
    if d.speaks(record) or (record.superseded_by and record.state is State.ACTIVE):
        return
    d.after[record.id] = d.speaking(record)
    for older, newer in silenced(d.after[record.id], d.wiki):
        d.after |= {older.id: older, newer.id: newer}
        cure = f"`llmwiki review restore {older.id}` lets it"
        d.said.append(f"{older.id} says the opposite, was said before, and no longer speaks; {cure}")
    for other in opposites(record, d.wiki):
        if d.speaks(d.after.get(other.id, other)) and not record.superseded_by:
            cure = f"`llmwiki review archive {other.id}` when it no longer holds"
            d.said.append(f"{record.id} and {other.id} say the opposite, and both speak now; {cure}")


def silenced(record: Record, wiki: Wiki) -> Iterator[tuple[Record, Record]]:
    """What else changes when a record begins to speak: each earlier word of the user's that says the opposite and
    speaks still, silent now, and after it the record itself, which names all of them so far."""
    if record.superseded_by or record.evidence is not Evidence.USER_SAID:
        return
    for other in opposites(record, wiki):
        earlier = other.evidence is Evidence.USER_SAID and not other.handwritten and other.created < record.created
        living = other.state in (State.ACTIVE, State.STALE) and not other.superseded_by
        if earlier and living and other.scope == record.scope:
            older, record = lifecycle.superseded(other, record)
            yield older, record


def opposites(record: Record, wiki: Wiki) -> list[Record]:
    """The records that stand under the record's `## Contradictions`."""
    links = [t for c in prose.claims(record.body) if c.section == CONTRADICTIONS for t, _ in prose.links(c.text)]
    known = graph.resolver(wiki) if links else {}
    found = dict.fromkeys(known.get(graph.key(target), record.id) for target in links)
    return [wiki.records[id] for id in found if id != record.id]


def _withdraw(default: str) -> Callable[[_Deciding, Record], None]:
    def withdraw(d: _Deciding, record: Record) -> None:
        """The page goes to the archive with the person's reason. One that age archived gets a reason of its own."""
        if record.state is State.ARCHIVED and record.reason not in ("", *lifecycle.AGED) and not d.reason:
            return
        reason = f"{default}: {d.reason}" if d.reason in lifecycle.AGED else d.reason or default
        path = names.archived_path(record.path)
        d.after[record.id] = replace(lifecycle.withdrawn(record), reason=reason, path=path)
        for other in d.wiki.records.values():
            if other.superseded_by == record.id and other.state is not State.ARCHIVED:
                cure = f"`llmwiki review restore {other.id}` lets it speak again"
                d.said.append(f"{other.id}, which {record.id} superseded, stays silent; {cure}")

    return withdraw


def _restore(d: _Deciding, record: Record) -> None:
    """What was withdrawn, stale or superseded is as it was: in its folder, replaced by nothing, and active, or waiting
    when it waited."""
    if record.state is State.QUARANTINED:
        raise WikiError(f"{record.id} waits in quarantine; `llmwiki review promote {record.id}` lets it speak")
    if d.speaks(record):
        return
    back = d.waiting_again(record) if lifecycle.waited(record, d.now) else d.speaking(record)
    back = replace(back, extra={k: v for k, v in back.extra.items() if k != lifecycle.WITHDRAWN_FROM})
    d.after[record.id] = replace(back, superseded_by="", path=names.living_path(record.path))
    if back.state is State.QUARANTINED:
        d.said.append(f"{record.id} waits again as it did; `llmwiki review promote {record.id}` lets it speak")
    by = d.after.get(record.superseded_by) or d.wiki.records.get(record.superseded_by)
    if by is not None:
        d.after[by.id] = replace(by, supersedes=_without(by.supersedes, record), aliases=_without(by.aliases, record))
        cure = f"`llmwiki review archive {by.id}` when it no longer holds"
        d.said.append(f"{record.id} is no longer superseded by {by.id}; {cure}")
        if record.reason == f"merged into {by.id}":
            d.said.append(f"{by.id} keeps what it took over from {record.id}; `llmwiki undo` would part them")


def _without(ids: tuple[str, ...], record: Record) -> tuple[str, ...]:
    return tuple(id for id in ids if id != record.id)


DECISIONS: Mapping[str, Callable[[_Deciding, Record], None]] = {
    "promote": _promote,
    "discard": _withdraw(WITHDRAWN["discard"]),
    "archive": _withdraw(WITHDRAWN["archive"]),
    "restore": _restore,
}


def changes(made: Plan, read: Read, why: str) -> list[Change]:
    """The Changes of a plan. Pages are edited key by key, so that what a person wrote in them stays.

    WikiError when a page cannot be edited, or another page lies where it shall go.
    """
    return [change for before, after in made.steps for change in _page(before, after, made, read, why)]


def _page(before: Record, after: Record, made: Plan, read: Read, why: str) -> Iterator[Change]:
    text = read(before.path)
    if text is None:
        raise WikiError(f"{before.path} went away while it was read; try again")
    try:
        text = markdown.update(text, replace(after, path=before.path))
    except markdown.BadPage as bad:
        raise WikiError(f"{before.path}: {bad.message}; mend it in an editor, then try again") from None
    if made.target is not None:
        text = markdown.relinked(text, made.target)
    if after.path != before.path:
        if read(after.path) is not None:
            raise WikiError(f"{after.path} exists already, and {before.path} would go there; rename one of them")
        yield Change(before.path, None, why)
    yield Change(after.path, text, why)


def counted(waiting: Iterable[Waiting]) -> tuple[int, int]:
    """How many wait for their time alone, and how many for a person."""
    groups = [w.group for w in waiting]
    timed = groups.count(Group.TIMED)
    return timed, len(groups) - timed
