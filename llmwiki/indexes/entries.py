"""What the index keeps of a page: plain values that a hook loads in no time.

An Entry answers without the page: may it speak, how sure is it, what would it say, and what does that cost in tokens.
Nothing that costs is imported (`dataclasses` and the model cost more than the whole search).
"""

from __future__ import annotations

import os
from math import log

from llmwiki import block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

NEVER = 1 << 40  # seconds after 1970: a moment that does not come
WEEK, DAY = 604_800, 86_400
UNIT, GROUP, FIELD = "\x1f", "\x1e", "\x1d"  # no page text holds them: `block.quote` takes control characters out
# The columns of the catalogue, in the order of the fields of an Entry.
COLUMNS = (
    "key path mtime size digest id type state title scope project evidence confidence created since speaks_from "
    "speaks_until loaded stale_from waits uses offers conditions spoken costs said passages lines cites chars"
).split()
TEXT = tuple(name for name in COLUMNS if name not in ("key", "mtime", "size", "digest", "costs"))
K1, B = 1.2, 0.75  # Okapi's usual two numbers, the same in every backend


class Entry:
    """One page in the index.

    `since`, `speaks_from`, `speaks_until`, `stale_from`: seconds since 1970. The page may speak while
    `speaks_from <= now < speaks_until` (what `lifecycle.retrievable` says, as an interval). `spoken`: what it would
    print of each passage. `costs`: the tokens of each, of the title, and of the ending without and with a project mark.
    `said`: the analysed terms of the title, and of tags and description. `passages`: those of each line of the body.
    `chars`: how long these and `said` are. `offers`: the ids that a trace's session was given. `loaded`: 1 for what an
    agent loads by itself, which no block repeats.
    """

    __slots__ = (*COLUMNS,)
    key: int
    path: str
    mtime: int
    size: int
    digest: bytes
    id: str
    type: str
    state: str
    title: str
    scope: str
    project: str
    evidence: str
    confidence: float
    created: str
    since: int
    speaks_from: int
    speaks_until: int
    loaded: int
    stale_from: int
    waits: int
    uses: int
    offers: str
    conditions: str
    spoken: str
    costs: str
    said: str
    passages: str
    lines: int
    cites: str
    chars: int

    def __init__(self, values: Iterable[Any]) -> None:
        (
            self.key,
            self.path,
            self.mtime,
            self.size,
            self.digest,
            self.id,
            self.type,
            self.state,
            self.title,
            self.scope,
            self.project,
            self.evidence,
            self.confidence,
            self.created,
            self.since,
            self.speaks_from,
            self.speaks_until,
            self.loaded,
            self.stale_from,
            self.waits,
            self.uses,
            self.offers,
            self.conditions,
            self.spoken,
            self.costs,
            self.said,
            self.passages,
            self.lines,
            self.cites,
            self.chars,
        ) = values

    def row(self) -> list[object]:
        """The values in the order of `COLUMNS`."""
        return [getattr(self, name) for name in COLUMNS]

    def says(self, other: Entry) -> bool:
        """Whether another entry says the same of a page, in every column that comes from its text; costs follow from
        these."""
        return all(getattr(self, name) == getattr(other, name) for name in TEXT)

    def lengths(self) -> tuple[int, int, int, int]:
        """What it adds to the sums over all pages: itself, the characters of its terms, its lines."""
        return 1, len(self.said), len(self.passages), self.lines

    def rights(self) -> tuple[str, str, str, int, int, int]:
        """What decides who is told of it: type, state, scope, the interval in which it speaks, whether it is loaded."""
        return self.type, self.state, self.scope, self.speaks_from, self.speaks_until, self.loaded

    def speaks(self, now: int) -> bool:
        return self.speaks_from <= now < self.speaks_until

    def effective(self, now: int, weekly: float = 0.98) -> float:
        """Confidence at `now`, as `lifecycle.effective` computes it."""
        weeks = max(0, (now - self.since) // WEEK) if self.since else 0
        return float(self.confidence * weekly**weeks)

    def parts(self) -> list[str]:
        return self.spoken.split(UNIT)

    def said_lines(self) -> list[str]:
        """The analysed terms of each passage, space-separated."""
        return self.passages.split(UNIT)

    def document(self) -> str:
        """All terms of the page, the title twice: what a backend indexes as its record."""
        title, _, tags = self.said.partition(UNIT)
        return " ".join((title, title, tags, self.passages.replace(UNIT, " ")))

    def separate_passages(self) -> list[str]:
        """The passages that are worth an entry of their own: none when the page is a single line anyway."""
        lines = self.said_lines()
        return lines[:PASSAGES] if len(lines) > 1 else []


PASSAGES = 1 << 12  # of one page


def ending(entry: Entry, foreign: bool) -> str:
    """How a line of a block ends: ` (2026-03-01, project shop) [use-uv-1a2b]`; a project only when it is another, and
    quoted: a page may call it anything."""
    marks = [entry.created[:10]] if entry.created and entry.type in DATED else []
    if foreign and entry.project:
        marks.append(f"project {block.quote(entry.project[:PROJECT_CHARS])}")
    return (f" ({', '.join(marks)})" if marks else "") + f" [{entry.id}]"


def day(text: str) -> str:
    """The day that a text is, "" for any other: it is told, and a catalogue may say anything."""
    return "" if len(text) != 10 or text.strip("0123456789-") else text


def regular(path: str, most: int = 1 << 62) -> str:
    """The path of a file of the index; OSError when there is none, ValueError when it is a pipe or the like, which
    would be waited for without end, or longer than `most` bytes."""
    size = os.stat(path).st_size
    if not os.path.isfile(path):
        raise ValueError(f"{os.path.basename(path)} is no file")
    if size > most:
        raise ValueError(f"{os.path.basename(path)} is too long for what it is")
    return path


def plain(entry: Entry) -> bool:
    """Whether an entry of the catalogue may be printed as it is, and costs what it says. Each that was made of a page
    may; a row that came with a cloned wiki, or that the disk damaged, may hold anything."""
    if not entry.id or set(entry.id) - _ID or entry.created[:10].strip("0123456789-"):
        return False
    told, counted = [*entry.parts(), entry.title], entry.costs.split()
    # At once, as to quote each costs more: nothing opens across a full stop. What was cut ends in the only other sign.
    text = " . ".join(filter(None, told)).replace("…", ".")
    if entry.type not in TYPES or entry.state not in STATES or block.quote(text) != text:
        return False
    fits = all(len(part) <= TOKEN_CHARS * int(n) for part, n in zip(told, counted, strict=False))
    return len(counted) == len(told) + 3 and fits and "-" not in entry.costs


_ID = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
TYPES = ("skill", "fact", "failure", "strategy", "preference", "heuristic", "trace")
STATES = ("quarantined", "active", "stale", "archived")
TOKEN_CHARS = 128  # of the longest token of o200k
DATED = ("fact", "failure", "trace")
PROJECT_CHARS = 80


class Scored:
    """A candidate with the numbers that decide: how often it, its title and each of its lines speak of the question's
    terms (these two with their lengths), `similarity` 0–1 within one answer and what it is made of, `coverage` of the
    question, by how many words `matched`, with the `least` of it that lets the record in and the `evidence` that made
    it so, whether the task is about its `subject`, `best` passages by number, `meaning` (a cosine, where vectors were
    asked) and whether it `means` what the task does, then what `context` adds; `like` is how near it is to one that
    stands before it."""

    __slots__ = (
        *("best", "counts", "coverage", "effective", "entry", "evidence", "foreign", "found", "heading", "least"),
        *("like", "lines", "matched", "meaning", "means", "near", "phrase", "reason", "score", "session", "similarity"),
        *("subject", "window"),
    )

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.near = self.window = self.lines = self.session = self.phrase = 0.0
        self.similarity = self.coverage = self.score = self.effective = 0.0
        self.evidence = self.least = self.like = 0.0
        self.meaning: float | None = None
        self.best: list[tuple[float, int]] = []
        self.counts: dict[str, float] = {}
        self.heading: tuple[dict[str, float], int] = {}, 0
        self.found: list[tuple[dict[str, float], int]] = []
        self.foreign = self.subject = self.means = False
        self.matched = 0
        self.reason = ""


def idf(holding: float, total: float) -> float:
    """What a term tells that `holding` of `total` documents have: never negative, even when all do."""
    return log(1 + (total - min(holding, total) + 0.5) / (holding + 0.5))
