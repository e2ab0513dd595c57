"""What use proves: which offered records a session used, which of them did harm, and what that makes of their counters.

Printed is not used. A record is used when the trace shows it: a command of its own was run, a path of its own was
touched, or the agent named it. It did harm when its own step failed (skills, strategies), or when a correction of the
user's names it. The counters of a page are the fold over such events, in the order in which the sessions ended, from
what the page said before any of them: a score that a person gives later changes one event, and the fold is made again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from llmwiki import markdown, names, verify
from llmwiki.lifecycle import Numbers, later, stamp
from llmwiki.model import Record, RecordType, Session, State, Turn
from llmwiki.schema import CONFIDENCE
from llmwiki.similar import meaning
from llmwiki.synthesizers import gate, phrases
from llmwiki.synthesizers.base import Verdict
from llmwiki.synthesizers.events import Run, events
from llmwiki.words import terms

# Sections that say what to do: what stands there and then in a call was followed.
TELLING = {
    RecordType.PREFERENCE: ("Rule",),
    RecordType.FACT: ("Statement",),
    RecordType.FAILURE: ("Cure",),
    RecordType.SKILL: ("Steps",),
    RecordType.STRATEGY: ("Phases",),
    RecordType.HEURISTIC: ("Rule",),
}
PROVING = ("Not ", "Then ")  # lines that warn, or that tell how it was seen to hold
STEPPED = (RecordType.SKILL, RecordType.STRATEGY)
LEAST = 4  # letters of a word that alone shows a use; names with a mark in them may be shorter
HARMFUL = 3  # in a row: then a person looks
BASE = ("confidence", "reinforced", "uses", "successes")


@dataclass(frozen=True, slots=True)
class Use:
    """That a session used a record or was harmed by it: where it shows, and by which word."""

    id: str
    harmful: bool
    turn: str
    sign: str


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that moves a record's counters. `kind` is rewarded, used, harmful or learned; `at` is when it was
    first counted, which is when `reinforced` moves to; `start` is what the evidence of a lesson begins with."""

    ended: str
    session: str
    kind: str
    at: str
    turn: str = ""
    sign: str = ""
    start: float = 0.0


# -- what a session shows


def uses(session: Session, offered: Iterable[Record]) -> list[Use]:
    """The offered records that the session used or that did harm, in their order."""
    calls = [(t, verify.searchable(replace(t, result=""))) for t in session.turns if _called(t)]
    said = [t for t in session.turns if t.role == "assistant" and t.text]
    runs = [e for e in events(session) if isinstance(e, Run)]
    found = (_use(record, calls, said, runs, session) for record in offered if record.type is not RecordType.TRACE)
    return [use for use in found if use is not None]


def _called(turn: Turn) -> bool:
    return turn.role == "tool" and turn.outcome not in ("refused", "lost")


def _use(
    record: Record, calls: Sequence[tuple[Turn, str]], said: Sequence[Turn], runs: Sequence[Run], session: Session
) -> Use | None:
    signs = list(_signs(record))
    blamed = _blamed(record, signs, session)
    if blamed is not None:
        return blamed
    shown = next(((t, s) for s in signs for t, text in calls if _stands(s, text)), None)
    if shown is None:
        spoken = next((t for t in said if record.id in t.text or f"[[{record.stem}" in t.text), None)
        return Use(record.id, False, spoken.anchor, record.id) if spoken is not None else None
    if record.type in STEPPED and (failed := _failed(signs, runs)) is not None:
        return Use(record.id, True, failed.turn.anchor, failed.command[:80])
    return Use(record.id, False, shown[0].anchor, shown[1])


def _signs(record: Record) -> Iterator[str]:
    """The words of a record that show its use in a call: what it tells to do, and not what it warns of."""
    unwanted = meaning(record).unwanted
    for claim in markdown.claims(record.body):
        if claim.section in TELLING.get(record.type, ()) and not claim.text.startswith(PROVING):
            for token in verify.tokens(claim.text):
                if _distinctive(token) and not set(terms(token)) & unwanted:
                    yield token


def _distinctive(token: str) -> bool:
    return len(token) >= LEAST or (len(token) > 2 and re.search(r"[^\w]", token) is not None)


def _stands(sign: str, text: str) -> bool:
    """Whether a sign stands in a call as a whole word."""
    sign = verify.even(sign)
    return sign in text and re.search(rf"(?<![\w-]){re.escape(sign)}(?![\w-])", text) is not None


def _failed(signs: Sequence[str], runs: Sequence[Run]) -> Run | None:
    """The run of a step that failed and did not pass later."""
    own = [r for r in runs if any(_stands(s, verify.even(r.command)) for s in signs)]
    passed = {p.key for r in own if r.ok for p in r.parts}
    return next((r for r in own if r.ok is False and not any(p.key in passed for p in r.parts)), None)


def _blamed(record: Record, signs: Sequence[str], session: Session) -> Use | None:
    """A correction of the user's that names the record, by its id or by what it tells to do."""
    for turn in session.turns:
        if turn.role != "user" or turn.origin in ("command", "plan") or not turn.text:
            continue
        words = gate.own_words(turn.text)
        if record.id in words and (phrases.COMPLAINT.search(words) or phrases.marks(words).keys() & {"prohibition"}):
            return Use(record.id, True, turn.anchor, record.id)
        ours = record.type not in (RecordType.PREFERENCE, RecordType.HEURISTIC)
        if ours and phrases.COMPLAINT.search(words):
            named = next((s for s in signs if _stands(s, verify.even(words))), "")
            if named:
                return Use(record.id, True, turn.anchor, named)
    return None


# -- what that makes of the counters


@dataclass(slots=True)
class Ledger:
    """What one record's counters are folded from. `page` is what was last written, to see that somebody else wrote."""

    base: list[Any]
    page: list[Any]
    events: list[Event]
    settled: list[str]  # sessions whose events are in the base

    @classmethod
    def of(cls, record: Record, told: Mapping[str, Any] | None) -> Ledger:
        """The ledger of a record from what is remembered; made anew where the page says other than was written."""
        now = [getattr(record, key) for key in BASE]
        if told is None:
            return cls(now, now, [], [])
        past = [Event(**e) for e in told["events"]]
        if [told["page"][0], *told["page"][2:]] == [now[0], *now[2:]]:
            return cls(list(told["base"]), now, past, list(told["settled"]))
        return cls(now, now, [], sorted({*told["settled"], *(e.session for e in past)}))

    def told(self) -> dict[str, Any]:
        return {**asdict(self), "events": [asdict(e) for e in self.events]}

    def count(self, session: str, event: Event | None) -> bool:
        """Takes the event of a session in, in place of the one that it had; whether anything changed."""
        if session in self.settled:
            return False
        old = next((e for e in self.events if e.session == session and e.kind != "learned"), None)
        if event is not None and old is not None and old.kind == event.kind:
            event = replace(event, at=old.at)
        if old == event:
            return False
        self.events = [e for e in self.events if e is not old] + ([event] if event else [])
        return True


def fold(ledger: Ledger, numbers: Numbers) -> tuple[float, str, int, int, int]:
    """(confidence, reinforced, uses, successes, how many of the last uses did harm) after all events."""
    c, moved, used, good = ledger.base
    row = 0
    for event in sorted(ledger.events, key=lambda e: (e.ended, e.session, e.kind)):
        if event.kind in ("rewarded", "learned"):
            c = max(c, event.start)
            c += numbers["step"] * max(0.0, numbers["ceiling"] - c)
            moved = later(moved, event.at)
        elif event.kind == "harmful":
            c -= numbers["step"] * c
        used += event.kind != "learned"
        good += event.kind == "rewarded"
        row = row + 1 if event.kind == "harmful" else row if event.kind == "learned" else 0
    return round(c, 4), moved, used, good, row


def judged(session: Session, verdict: Verdict, use: Use | None, now: datetime, numbers: Numbers) -> Event | None:
    """The event that a use makes, by how the session ended."""
    if use is None:
        return None
    good = verdict.score is not None and verdict.score >= numbers["good_score"]
    kind = "harmful" if use.harmful else "rewarded" if good else "used"
    return Event(session.ended, session.stem, kind, stamp(now), use.turn, use.sign)


def learned_again(session: Session, record: Record, now: datetime) -> Event:
    """The event of a lesson that a session taught once more."""
    return Event(session.ended, session.stem, "learned", stamp(now), start=CONFIDENCE[record.evidence])


def counted(record: Record, ledger: Ledger, numbers: Numbers, fresh: bool) -> Record:
    """The record with its counters. `fresh`: its last event is new, so that three harmful ones in a row take effect."""
    confidence, moved, used, good, row = fold(ledger, numbers)
    out = replace(record, confidence=confidence, reinforced=moved, uses=used, successes=good)
    if record.state is State.STALE and later(record.reinforced, moved) != record.reinforced:
        out = replace(out, state=State.ACTIVE)
    if fresh and row and row % HARMFUL == 0 and record.state is State.ACTIVE:
        where = ", ".join(e.session for e in ledger.events[-HARMFUL:])
        reason = f"harmful {row} times in a row: {where}"
        out = replace(out, state=State.QUARANTINED, quarantine_until=None, reason=reason)
    return out


def resolved(ids: Iterable[str], records: Mapping[str, Record]) -> list[Record]:
    """The records that ids mean, once each. A page that was merged away is the one that it became an alias of."""
    by_alias = {alias: r for r in records.values() for alias in r.aliases}
    found = (records.get(i) or by_alias.get(i) for i in ids if names.is_id(i))
    return list({r.id: r for r in found if r is not None}.values())
