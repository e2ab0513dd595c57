"""Reinforcement inside `sync`: what a session was offered, what it used of that, and what the pages then say.

`state/uses.json` keeps, for each record that was ever used, what its page said before and the events since (see
`reinforce`). It is local: another clone of the wiki goes on from what the pages say.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from llmwiki import markdown, reinforce
from llmwiki.model import Change, Record, RecordType, Session, State, Wiki
from llmwiki.synthesizers.base import Verdict

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace

OFFERS = ".llmwiki/state/offers.jsonl"
STATE = "uses"


def offers(wiki: Workspace) -> dict[str, tuple[str, ...]]:
    """Session id -> ids of the records that `context --session` gave it, as noted on this machine."""
    found: dict[str, dict[str, None]] = {}
    for line in (wiki.raw(OFFERS) or "").splitlines():
        try:
            told = json.loads(line)
            found.setdefault(str(told["session"]), {}).update(dict.fromkeys(map(str, told["records"])))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # a line that was cut off or spoiled says nothing
    return {session: tuple(ids) for session, ids in found.items()}


class Reinforcer:
    """Counts uses, session after session. `memory` is the state to keep; `touched` whether it changed."""

    def __init__(self, wiki: Workspace) -> None:
        self._wiki = wiki
        self._offers = offers(wiki)
        self.memory: dict[str, Any] = {"records": {}, **wiki.state(STATE)}
        self.touched = False

    def offered(self, session: Session) -> Session:
        """The session with what was noted for it beside what its own transcript shows."""
        noted = self._offers.get(session.id, ())
        return replace(session, offered=tuple(dict.fromkeys((*session.offered, *noted)))) if noted else session

    def count(
        self, before: Mapping[str, Record], loaded: Wiki, session: Session, verdict: Verdict
    ) -> tuple[list[Change], Wiki]:
        """The changes that a session's uses make to pages and to its trace, and the wiki with them made. `before` are
        the records before the session's lessons came in."""
        records = dict(loaded.records)
        given = [r for r in reinforce.resolved(session.offered, before) if not r.handwritten]
        found = {use.id: use for use in reinforce.uses(session, given)}
        changed = dict(self._learned(before, records, session))
        for id in sorted({*found, *self._known(session)}):
            record = changed.get(id) or records.get(id)
            if record is not None and (now := self._used(record, session, verdict, found.get(id))) is not None:
                changed[id] = now
        trace = self._trace(records, session, found)
        if trace is not None:
            changed[trace.id] = trace
        return self._changes(records, changed.values())

    def _known(self, session: Session) -> Iterator[str]:
        """Records that hold an event of this session already: it may have become another one, or none."""
        for id, told in self.memory["records"].items():
            if any(e["session"] == session.stem and e["kind"] != "learned" for e in told["events"]):
                yield id

    def _learned(
        self, before: Mapping[str, Record], records: Mapping[str, Record], session: Session
    ) -> Iterator[tuple[str, Record]]:
        """Records with a ledger that this session has just strengthened: the lesson is one event more."""
        source = f"[[{session.stem}]]"
        for id in sorted(self.memory["records"]):
            old, new = before.get(id), records.get(id)
            if old is None or new is None or source not in new.sources or source in old.sources:
                continue
            ledger = reinforce.Ledger.of(old, self.memory["records"][id])
            ledger.events.append(reinforce.learned_again(session, new, self._wiki.now))
            yield id, self._settle(new, ledger, False)

    def _used(self, record: Record, session: Session, verdict: Verdict, use: reinforce.Use | None) -> Record | None:
        """The record with this session's use counted; None when nothing changed."""
        ledger = reinforce.Ledger.of(record, self.memory["records"].get(record.id))
        event = reinforce.judged(session, verdict, use, self._wiki.now, self._wiki.numbers)
        if not ledger.count(session.stem, event):
            return None
        return self._settle(record, ledger, event is not None)

    def _settle(self, record: Record, ledger: reinforce.Ledger, fresh: bool) -> Record:
        now = reinforce.counted(record, ledger, self._wiki.numbers, fresh)
        ledger.page = [getattr(now, key) for key in reinforce.BASE]
        self.memory["records"][record.id] = ledger.told()
        self.touched = True
        return now

    def _trace(
        self, records: Mapping[str, Record], session: Session, found: Mapping[str, reinforce.Use]
    ) -> Record | None:
        """The session's trace with what was used, and what did harm; None when it says so already."""
        source = f"[[{session.stem}]]"
        trace = next((r for r in records.values() if r.type is RecordType.TRACE and source in r.sources), None)
        if trace is None:
            return None
        harmful = sorted(id for id, use in found.items() if use.harmful)
        extra = {k: v for k, v in trace.extra.items() if k != "harmful"} | ({"harmful": harmful} if harmful else {})
        now = replace(trace, used=tuple(sorted(found)), extra=extra)
        return None if now == trace else now

    def _changes(self, records: dict[str, Record], changed: Iterable[Record]) -> tuple[list[Change], Wiki]:
        changes = []
        for record in changed:
            text = self._wiki.read(record.path)
            page = markdown.update(text, record) if text is not None else markdown.render(record)
            if page != text:
                why = "harmful" if record.state is State.QUARANTINED else "used"
                changes.append(Change(record.path, page, f"{why}: {record.title}"))
            records[record.id] = record
        return changes, Wiki(dict(sorted(records.items())), ())


def story(wiki: Workspace, record: Record) -> list[dict[str, Any]]:
    """The events of a record for `why`, oldest first, each with what it made of the confidence."""
    told = wiki.state(STATE).get("records", {}).get(record.id)
    if not told:
        return []
    ledger = reinforce.Ledger.of(record, told)
    out: list[dict[str, Any]] = []
    past = sorted(ledger.events, key=lambda e: (e.ended, e.session, e.kind))
    before = ledger.base[0]
    for n, event in enumerate(past, 1):
        ledger.events = past[:n]
        after = reinforce.fold(ledger, wiki.numbers)[0]
        shown = f"confidence {before:.2f} → {after:.2f}" if after != before else f"confidence stays {after:.2f}"
        line = {"at": event.ended or event.at, "kind": event.kind, "change": shown, "session": event.session}
        out.append({**line, "turn": event.turn, **({"note": event.sign} if event.sign else {})})
        before = after
    return out


def without(memory: Mapping[str, Any], records: Container[str], sessions: Container[str]) -> dict[str, Any]:
    """The ledgers without those records, and without what those sessions moved: it is in what the pages say now."""
    kept = {}
    for id, told in memory.get("records", {}).items():
        if id in records:
            continue
        if any(e["session"] in sessions for e in told["events"]) or any(s in sessions for s in told["settled"]):
            settled = {e["session"] for e in told["events"]} | set(told["settled"])
            told = {
                "base": told["page"], "page": told["page"], "events": [],
                "settled": sorted(s for s in settled if s not in sessions),
            }  # fmt: skip
        kept[id] = told
    return {**memory, "records": kept}
