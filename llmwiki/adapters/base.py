"""What every adapter shares: the members it has, what it hands back, and how its texts are cut and stamped.

Rules that hold for all of them. A turn's number is a line of the source. What a person typed is never cut. Output of
tools is clipped as it is read, so that a session of any size fits into memory. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from llmwiki import block
from llmwiki.model import Session, Source, Turn
from llmwiki.redact import Finding

# Stands in every prompt that llmwiki itself gives to an agent, so that its own sessions are never taken for a person's.
OWN_MARKER = "llmwiki:own-session"

RESULT_LIMIT = 4_000
ARGUMENT_LIMIT = 8_000
# What tools said in one session, in characters: beyond it every text is cut to a tenth. Only monsters get there.
TOOL_TOTAL = 6_000_000

_ERROR_MARKS = ("rror", "ERROR", "ailed", "FAIL", "xception", "raceback", "anic:", "atal", "denied", "ot found")
_ERROR_LINES = 12
# How far around a cut secrets are looked for: the name that gives a value away, the rest of a key.
_AROUND = 600

Find = Callable[[str], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one source holds.

    `session` is None exactly when `skipped` says why: `empty`, `no-session-id`, `no-prompt` or `copy`; `note` may say
    more in words. `session.cwd` is absolute as in the source, `session.project` is "". `children` are native ids of
    sessions that this one started. `repository` is the folder of the git repository around the working folder ("" when
    that is not on this disk), `remote` its address when the source names it. `own`: llmwiki itself caused the session.
    `copied` is the last line that belongs to another session (0: none), `foreign` the number of records of other
    sessions that were left out. `waiting`: the last line was not complete yet.
    """

    session: Session | None = None
    skipped: str = ""
    note: str = ""
    bad_lines: int = 0
    unknown: Mapping[str, int] = field(default_factory=dict)
    bytes: int = 0
    children: tuple[str, ...] = ()
    cwds: tuple[str, ...] = ()
    repository: str = ""
    remote: str = ""
    own: bool = False
    copied: int = 0
    foreign: int = 0
    waiting: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """What the beginning of a source tells about its relatives; worth keeping in a cache, it changes only by growing.

    Sources that have one of `keys` in common may hold the same records. `wanted` is the id of a record that this
    source continues from without holding it ("" none). `complete`: there was enough to read, more lines add nothing.
    """

    keys: tuple[str, ...] = ()
    wanted: str = ""
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Claims:
    """What of a source belongs to others: `keys` of records that an earlier source owns, and that session's id."""

    keys: frozenset[int] = frozenset()
    original: str = ""


class Known(Protocol):
    """What reading one source needs to know of the others."""

    def claims(self, source: Source) -> Claims:
        """The records of `source` that an earlier session owns."""

    def has(self, native: str) -> bool:
        """Whether the session of that id has a source of its own."""


class Alone:
    """A Known that knows nobody: every record of a source is its own."""

    def claims(self, source: Source) -> Claims:
        return Claims()

    def has(self, native: str) -> bool:
        return False


class Adapter(Protocol):
    """The members of an adapter's module."""

    NAME: str

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Path]:
        """Where this agent keeps sessions on this machine; a variable that names a place replaces the defaults."""

    def discover(self, root: Path) -> Iterator[Source]:
        """The sessions below `root`, sorted, each file once. `root` may be a home, a folder of it, a tree that holds
        several, or one file. A folder that cannot be listed comes as a source whose reading fails."""

    def read(self, source: Source, known: Known, find: Find | None = None) -> Parsed:
        """The session of a source. `find` tells where secrets stand: a text that is clipped is redacted where it is
        cut, since half a secret is not recognised later. Raises OSError when it cannot be read."""

    def head(self, source: Source) -> Head:
        """What the first records tell about relatives. Reads a little. Raises OSError."""

    def split(self, family: Sequence[Source]) -> dict[str, Claims]:
        """Path -> what belongs to others, for sources that hold copies of each other's records."""

    def holds(self, source: Source, key: str) -> bool:
        """Whether a source holds the record that a relative wants."""


class Draft:
    """A turn that is still being read: its texts come in pieces, its result later."""

    __slots__ = ("at", "key", "number", "origin", "outcome", "result", "role", "texts", "thinking", "tool")

    def __init__(self, number: int, role: str, at: str = "", text: str = "", origin: str = "", tool: str = "") -> None:
        self.number, self.role, self.at, self.origin, self.tool = number, role, at, origin, tool
        self.texts = [text] if text else []
        self.thinking: list[str] = []
        self.outcome = "lost" if role == "tool" else ""
        self.result = ""
        self.key = ""

    def turn(self, part: int) -> Turn:
        return Turn(
            number=self.number,
            role=self.role,
            text="\n\n".join(self.texts),
            at=self.at,
            part=part,
            origin=self.origin,
            thinking="\n\n".join(self.thinking),
            tool=self.tool,
            outcome=self.outcome,
            result=self.result,
        )


def turns(drafts: Sequence[Draft]) -> tuple[Turn, ...]:
    """The finished turns in the order of their lines; those that one line opens are parts 1, 2, 3, …"""
    out: list[Turn] = []
    number = part = 0
    for draft in sorted(drafts, key=lambda d: d.number):
        part = part + 1 if draft.number == number else 1
        number = draft.number
        out.append(draft.turn(part))
    return tuple(out)


# -- texts


class Clipper:
    """Clips what tools are given and say, and clips harder once a session has filled its share of memory.

    What is cut depends on what came before in the same source only, so that a prefix and the whole agree.
    """

    def __init__(self, find: Find | None = None, total: int = TOOL_TOTAL) -> None:
        self.find, self.left = find, total

    def __call__(self, text: str, limit: int = RESULT_LIMIT) -> str:
        out = clip(text, limit if self.left > 0 else limit // 10, self.find)
        self.left -= len(out)
        return out


def clip(text: str, limit: int = RESULT_LIMIT, find: Find | None = None) -> str:
    """At most about `limit` characters: the head, error-looking lines of the middle, the tail, and what was left out.

    Secrets that `find` sees around a cut are replaced first.

    >>> clip("a" * 50 + "b" * 50, 40)
    'aaaaaaaaaaaaaaaaaaaaaa\\n[… 64 characters left out …]\\nbbbbbbbbbbbbbb'
    """
    if len(text) <= limit:
        return text
    head, tail = limit * 11 // 20, limit * 7 // 20
    start = text.rfind("\n", head // 2, head) + 1 or head
    end = text.find("\n", len(text) - tail, len(text) - tail // 2) + 1 or len(text) - tail
    errors = _error_lines(text, start, end, limit // 5)
    parts, at = [_piece(text, 0, start, find).rstrip("\n")], start
    for begin, stop in errors:
        parts += _gap(text, at, begin)
        parts.append(_piece(text, begin, stop, find))
        at = min(stop + 1, end)
    return "\n".join([*parts, *_gap(text, at, end), _piece(text, end, len(text), find)])


def _piece(text: str, start: int, end: int, find: Find | None) -> str:
    """A part of a text as it may be kept: secrets are looked for with what stands around the part."""
    if find is None:
        return text[start:end]
    low = max(0, start - _AROUND)
    out, at = [], start
    for found in find(text[low : end + _AROUND]):
        if found.end + low > start and found.start + low < end:
            out += [text[at : max(found.start + low, at)], f"[redacted:{found.rule}]"]
            at = found.end + low
    return "".join([*out, text[at:end]])


def _gap(text: str, start: int, end: int) -> list[str]:
    """A line that says what is missing between two places, if anything is."""
    if end <= start or (not text[start : min(end, start + 80)].strip() and end - start < 80):
        return []
    lines = text.count("\n", start, end)
    counted = f"{lines:,} lines, " if lines else ""
    return [f"[… {counted}{end - start:,} characters left out …]"]


def _error_lines(text: str, start: int, end: int, room: int) -> list[tuple[int, int]]:
    """Where the first error-looking lines stand between two places, within `room` characters, long ones shortened."""
    found: dict[int, int] = {}
    for mark in _ERROR_MARKS:
        at = text.find(mark, start, end)
        for _ in range(_ERROR_LINES):
            if at < 0:
                break
            begin = max(text.rfind("\n", start, at) + 1, start, at - 120)
            stop = text.find("\n", at, end)
            found.setdefault(begin, min(stop if stop >= 0 else end, begin + 240))
            at = text.find(mark, max(stop if stop >= 0 else end, at + 1), end)
    kept: list[tuple[int, int]] = []
    for begin, stop in sorted(found.items()):
        if len(kept) == _ERROR_LINES or stop - begin > room:
            break
        if kept and begin < kept[-1][1]:
            continue
        kept.append((begin, stop))
        room -= stop - begin
    return kept


def title_line(text: str, limit: int = 80) -> str:
    """The first line of a text that says something (a rule or a picture does not), cut at a word; "" when none does.
    Our own block says nothing: it goes before anything is cut, for a torn mark is found by nobody.

    >>> title_line("---\\n# Tidy the parser\\nplease")
    'Tidy the parser'
    """
    lines = (x.strip() for x in block.untorn(text).split("\n"))
    line = next((x for x in lines if any(map(str.isalnum, x)) and not x.startswith(("[image", "[document"))), "")
    line = " ".join(line[: limit * 4].split())
    if line.startswith("#"):
        line = line.lstrip("#").lstrip()
    if len(line) <= limit:
        return line
    cut = line[: limit - 1].rsplit(" ", 1)[0] if " " in line[limit // 2 : limit - 1] else line[: limit - 1]
    return cut + "…"


# -- times


def stamp(text: object) -> str:
    """A time as the model keeps it, "" when it is none. A zone is converted; without a zone it counts as UTC.

    >>> stamp("2026-03-01T14:03:22.123Z"), stamp("2026-03-01T16:03:22+02:00"), stamp("soon")
    ('2026-03-01T14:03:22Z', '2026-03-01T14:03:22Z', '')
    """
    if not isinstance(text, str) or len(text) < 19:
        return ""
    if text[-1] == "Z" and text[10] == "T" and (len(text) == 20 or text[19] == "."):
        return text[:19] + "Z" if text[:4].isdigit() else ""
    for attempt in (text, text[:19]):  # torn fractions happen: the second is still good
        try:
            when = datetime.fromisoformat(attempt)
        except ValueError:
            continue
        when = when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
        return when.strftime("%Y-%m-%dT%H:%M:%SZ")
    return ""
