"""Who owns a record that several Claude Code files hold: forks, resumed copies and compaction copies repeat history.

A copy has the same uuids (some releases re-mint them, but keep time and message id) under a new session id, and no
pointer back. The owner is told from the files alone, so it is the same whichever of them was synced first.
"""

from __future__ import annotations

import mmap
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import cmp_to_key
from pathlib import Path

from llmwiki.adapters import jsonl
from llmwiki.adapters.base import Claims, Head, stamp
from llmwiki.adapters.claude_records import Top, decode_top, refit_top
from llmwiki.adapters.claude_turns import record_keys
from llmwiki.model import Source

_ENOUGH = 8
_LINES = 400
# Keys in common (a message has two) from which on a file comes from another; a lone shared record says nothing.
_RELATED = 4

# Record key -> time of the record ("" unknown), in file order.
Trail = dict[int, str]


def head(source: Source, whole_history: bool) -> Head:
    """The ids of the first messages, and of the session: a subagent that copies its parent's history names it."""
    keys: dict[str, None] = {}
    wanted = ""
    first = True
    read = 0
    for _, line in jsonl.beginning(source.path, decode_top, refit_top, _LINES):
        read += 1
        if line.uuid and first:
            first = False
            continues = line.parentUuid or (line.uuid if line.subtype == "compact_boundary" else None)
            wanted = "" if line.isSidechain else continues or ""
        if line.uuid and line.type in ("user", "assistant"):
            keys[line.uuid if len(line.uuid) == 36 else f"{line.uuid} {line.timestamp}"] = None
            if line.message and line.message.id:
                keys[f"msg:{line.message.id}"] = None
        if len(keys) >= _ENOUGH:
            break
    if whole_history and source.parent:
        keys[f"session:{source.parent}"] = None
    elif not source.parent:
        keys[f"session:{source.key}"] = None
    return Head(tuple(keys), wanted, len(keys) >= _ENOUGH or read >= _LINES)


def holds(source: Source, key: str) -> bool:
    """Whether a file holds the record of that uuid."""
    try:
        with (
            Path(source.path).open("rb") as plain,
            closing(mmap.mmap(plain.fileno(), 0, access=mmap.ACCESS_READ)) as all_,
        ):
            return all_.find(f'"uuid":"{key}"'.encode()) >= 0
    except (OSError, ValueError):
        return False


def trail(source: Source) -> Trail:
    """Every record of a file that another file could hold too."""
    out: Trail = {}
    try:
        with jsonl.opened(source.path) as stream:
            for _, line in jsonl.records(stream, decode_top, jsonl.Tally(), refit_top):
                for key in _keys(line):
                    out.setdefault(key, stamp(line.timestamp))
    except OSError:
        return {}
    return out


def _keys(line: Top) -> tuple[int, ...]:
    if line.uuid:
        return record_keys(line.type, line.uuid, line.timestamp, line.message.id if line.message else None)
    if line.timestamp:
        return record_keys(f"{line.type} {line.operation}", None, line.timestamp, None)
    return ()


def split(family: Sequence[Source]) -> dict[str, Claims]:
    """Path -> the keys that an earlier member owns, and the session that most of them come from.

    Earlier is, of two files: the fuller one, when they are the same session; a main session before a subagent's copy;
    one that the other holds whole; one whose own records begin earlier; else the smaller native id.
    """
    trails = {s.path: trail(s) for s in family}

    def compare(a: Source, b: Source) -> int:
        if a.key == b.key:
            return len(trails[b.path]) - len(trails[a.path])
        return -1 if _rank(a, trails[a.path], trails[b.path]) < _rank(b, trails[b.path], trails[a.path]) else 1

    ordered = sorted(sorted(family, key=lambda s: (s.key, s.path)), key=cmp_to_key(compare))
    owners: dict[int, Source] = {}
    out: dict[str, Claims] = {}
    for source in ordered:
        mine = trails[source.path]
        for key in mine:
            owners.setdefault(key, source)
        # A second file of one session is a copy when it says nothing new; else whoever writes pages has to choose.
        twins = [t for t in ordered[: ordered.index(source)] if t.key == source.key]
        if mine and any(mine.keys() <= trails[t.path].keys() for t in twins):
            out[source.path] = Claims(frozenset(mine))
            continue
        taken = frozenset(k for k in mine if owners[k].key != source.key)
        counts = Counter(owners[k].key for k in taken)
        original = max(sorted(counts), key=counts.__getitem__) if counts else ""
        out[source.path] = Claims(taken, original if counts[original] >= _RELATED else "")
    return out


def _rank(source: Source, mine: Trail, other: Trail) -> tuple[bool, str, str, str]:
    own = min((at for key, at in mine.items() if at and key not in other), default="")
    return (bool(source.parent) or Path(source.path).name.startswith("agent-"), own, source.key, source.path)
