"""What a Codex thread replays from the one that it was forked or spawned from.

A child begins with its own header, then often repeats the parent's records, some releases with new times. A replay is
the parent's record after record from the start, so it is followed step by step, and ends where the two part.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from llmwiki.adapters import arguments, codex_text, jsonl
from llmwiki.adapters.base import Claims, Head
from llmwiki.adapters.codex_records import Line, decode, refit
from llmwiki.model import Source

_LINES = 12


def head(source: Source) -> Head:
    """Ids of the thread and of its parents, as the first lines name them."""
    keys: dict[str, None] = {f"thread:{source.key}": None}
    read = 0
    for _, line in jsonl.beginning(source.path, decode, refit, _LINES):
        read += 1
        keys.update({f"thread:{id}": None for id in _named(line)})
    return Head(tuple(keys), complete=read >= _LINES)


def _named(line: Line) -> list[str]:
    meta = line.payload
    if line.type != "session_meta" or meta is None:
        return []
    named = [meta.id, meta.forked_from_id, meta.parent_thread_id]
    source = arguments.decoded(meta.source)
    sub = source.get("subagent") if isinstance(source, dict) else None
    spawn = sub.get("thread_spawn") if isinstance(sub, dict) else None
    named.append(spawn.get("parent_thread_id") if isinstance(spawn, dict) else None)
    return [id for id in named if isinstance(id, str) and id]


def _key(line: Line) -> tuple[str, ...] | None:
    """What a record says, whenever it was written; None for what a replay may leave out or add."""
    p = line.payload
    if p is None:
        return None
    if line.type == "turn_context":
        return ("turn", p.turn_id) if p.turn_id else None
    if line.type == "event_msg" and p.type == "user_message":
        return ("user", p.message or "")
    if line.type != "response_item":
        return None
    if p.type == "message":
        text = codex_text.flat(p.content)
        outside = p.role == "developer" or (p.role == "user" and codex_text.instructed(text))
        return None if outside else ("message", p.role or "", text)
    if p.call_id:
        return (p.type, p.call_id)
    return None


class _Trail:
    """The records of a thread in order: their keys, and where each stands."""

    def __init__(self, source: Source) -> None:
        self.steps: list[tuple[int, int, bool]] = []  # (line, key, whether a person's words)
        self.places: dict[int, list[int]] = {}
        self.parents: list[str] = []
        self.lines = 0
        try:
            with jsonl.opened(source.path) as stream:
                for number, line in jsonl.records(stream, decode, jsonl.Tally(), refit):
                    self._take(number, line)
        except OSError:
            self.steps = []

    def _take(self, number: int, line: Line) -> None:
        self.lines = number
        self.parents += [id for id in _named(line) if id not in self.parents]
        if key := _key(line):
            self.places.setdefault(hash(key), []).append(len(self.steps))
            self.steps.append((number, hash(key), key[0] == "user" or key[:2] == ("message", "user")))

    def after(self, key: int, at: int) -> int:
        """The first place of a key at or after `at`, -1 when there is none."""
        places = self.places.get(key, [])
        found = bisect_left(places, at)
        return places[found] if found < len(places) else -1


def split(family: Sequence[Source]) -> dict[str, Claims]:
    """Path -> numbers of the lines that a thread replays from a parent in the same family, and that parent's id.

    Of two files of one thread the shorter is a copy when it says nothing that the fuller does not.
    """
    trails = {s.path: _Trail(s) for s in family}
    fullest: dict[str, Source] = {}
    for source in sorted(family, key=lambda s: (-len(trails[s.path].steps), s.path)):
        fullest.setdefault(source.key, source)
    out: dict[str, Claims] = {}
    for source in family:
        mine, best, original = trails[source.path], 0, ""
        twin = fullest[source.key]
        if twin.path != source.path and mine.places.keys() <= trails[twin.path].places.keys():
            out[source.path] = Claims(frozenset(range(1, mine.lines + 1)))
            continue
        for parent in mine.parents:
            held = fullest.get(parent) if parent != source.key else None
            if held and (last := _replayed(mine, trails[held.path])) > best:
                best, original = last, parent
        out[source.path] = Claims(frozenset(range(1, best + 1)), original)
    return out


def _replayed(mine: _Trail, parent: _Trail) -> int:
    """The last line of what `mine` replays, 0 when it replays nothing.

    A prompt counts only when something that the agent did comes after it in both: the person may well begin the new
    thread with the very words that once went on in the old one.
    """
    at = last = 0
    for number, key, spoken in mine.steps:
        place = parent.after(key, at)
        if place < 0:
            break
        at = place + 1
        if not spoken:
            last = number
    return last
