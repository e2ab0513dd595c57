"""`.llmwiki/cache/index/vectors`: what the passages mean, as vectors, and which pages are near to a question.

One line that says what follows, then plain arrays: of each page its key, the digest of its bytes and its first row; of
each row the line of the page (or TITLE), the mark of its text, the square of its length and its numbers, one byte each.
A page is believed only while the digest is that of the index: so the file fits any index, an older one too.

Products of bytes are whole numbers, which no order of adding changes: with numpy or without, on any machine, the same
vectors give the same cosine.
"""

from __future__ import annotations

import os
import sys
from array import array
from bisect import bisect_left
from math import isfinite, sqrt
from operator import mul
from zlib import crc32

from llmwiki.indexes.entries import regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from llmwiki.indexes.entries import Entry

FILE = "vectors"
KIND, VERSION = "llmwiki-vectors", 1
NEVER = 2.0  # no cosine is that much
TITLE = 0xFFFF  # in the place of a line's number
DIGEST, MARK = 12, 8  # bytes
CHARS = 2_000  # of a text: more than any of the models reads
_AT_ONCE = 4096  # rows that are made floats at a time


class Head:
    """What the file holds: `part` and `model` that made it, numbers a vector (`size`), pages, rows, and how many
    passages have no vector yet (`missing`)."""

    __slots__ = ("missing", "model", "pages", "part", "rows", "size")

    def __init__(self, part: str, model: str, size: int, pages: int = 0, rows: int = 0, missing: int = 0) -> None:
        self.part, self.model, self.size = part, model, size
        self.pages, self.rows, self.missing = pages, rows, missing

    def said(self) -> str:
        return f"{self.size} {self.pages} {self.rows} {self.missing} {self.part} {self.model}"


class Table:
    """All vectors of a wiki, pages in the order of their keys."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.keys, self.digests = array("q"), bytearray()
        self.starts, self.lines = array("I", [0]), array("H")
        self.marks, self.norms, self.numbers = bytearray(), array("I"), bytearray()

    def page(self, i: int) -> bytes:
        """The digest of the i-th page."""
        return bytes(self.digests[i * DIGEST : (i + 1) * DIGEST])

    def rows(self, i: int) -> range:
        return range(self.starts[i], self.starts[i + 1])

    def row(self, n: int) -> tuple[bytes, int, bytes]:
        """(mark, norm, numbers) of a row."""
        size = self.head.size
        return (
            bytes(self.marks[n * MARK : (n + 1) * MARK]),
            self.norms[n],
            bytes(self.numbers[n * size : (n + 1) * size]),
        )

    def add(self, key: int, digest: bytes, rows: Sequence[tuple[int, bytes, int, bytes]]) -> None:
        """A page after those that are there; its rows are (line, mark, norm, numbers)."""
        self.keys.append(key)
        self.digests += digest
        for line, mark, norm, numbers in rows:
            self.lines.append(line)
            self.marks += mark
            self.norms.append(norm)
            self.numbers += numbers
        self.starts.append(len(self.lines))

    def packed(self) -> bytes:
        """The file. The same vectors, the same bytes."""
        head, parts = self.head, (self.keys, self.starts, self.lines, self.norms)
        body = b"".join((*(part.tobytes() for part in parts), self.digests, self.marks, self.numbers))
        head.pages, head.rows = len(self.keys), len(self.lines)
        return f"{KIND} {VERSION} {sys.byteorder} {_check(head, body)} {head.said()}\n".encode() + body


def path_in(folder: str) -> str:
    return os.path.join(folder, FILE)


def _head(line: bytes) -> tuple[Head, int]:
    words = line.decode("utf-8").rstrip("\n").split(" ", 9)
    if len(words) != 10 or words[:3] != [KIND, str(VERSION), sys.byteorder] or not line.endswith(b"\n"):
        raise ValueError(f"{FILE} is of another version, or broken")
    if not line[:-1].decode("utf-8").isprintable():
        raise ValueError(f"{FILE} names its model in characters that nobody can see")
    check, size, pages, rows, missing = map(int, words[3:8])
    return Head(words[8], words[9], size, pages, rows, missing), check


def _check(said: Head, body: bytes) -> int:
    return crc32(body, crc32(said.said().encode()))


def read(folder: str) -> Table:
    """The vectors in an index's folder. OSError when there are none, ValueError when the file is not as it was
    written."""
    with open(regular(path_in(folder)), "rb") as file:
        said, check = _head(file.readline(1000))
        body = file.read()
    table, at = Table(said), 0
    lengths = (
        ("keys", 8 * said.pages),
        ("starts", 4 * (said.pages + 1)),
        ("lines", 2 * said.rows),
        ("norms", 4 * said.rows),
    )
    table.starts = array("I")
    for name, length in lengths:
        getattr(table, name).frombytes(body[at : at + length])
        at += length
    ends = at + DIGEST * said.pages, at + (DIGEST * said.pages) + MARK * said.rows
    table.digests, table.marks = bytearray(body[at : ends[0]]), bytearray(body[ends[0] : ends[1]])
    table.numbers = body[ends[1] :]  # type: ignore[assignment]  # only read from here on
    if _check(said, body) != check or len(table.numbers) != said.rows * said.size:
        raise ValueError(f"{FILE} is damaged")
    return table


def sayable(text: str) -> str:
    """What of a text an embedder is given: its beginning, without what no file can hold."""
    return text[:CHARS].encode("utf-8", "replace").decode("utf-8")


def quantised(vector: Sequence[float]) -> tuple[int, bytes]:
    """(the square of its length, its numbers) of a vector in whole steps from -127 to 127: what it points at is kept,
    its length is not. A cosine changes by some thousandths, and a vector takes a quarter of the room."""
    numbers = [float(n) for n in vector]
    most = max(map(abs, numbers), default=0.0) if all(map(isfinite, numbers)) else 0.0
    if not most:
        numbers, most = [0.0] * len(numbers), 1.0
    steps = [round(n * 127 / most) for n in numbers]
    return sum(map(mul, steps, steps)), array("b", steps).tobytes()


class Near:
    """How near each page is to one question: the cosine of its best passage."""

    def __init__(self, table: Table, question: Sequence[float], least: float = 0.0, opens: float = NEVER) -> None:
        """`least`: the cosine from which a page that shares no word with the question may be an answer; `opens`: from
        which one of the project at hand is."""
        self._table, self._least, self.opens = table, least, opens
        norm, numbers = quantised(question)
        if len(numbers) != table.head.size:
            raise ValueError(f"a question of {len(numbers)} numbers, and vectors of {table.head.size}")
        self._rows, self._pages = _cosines(table, numbers, norm)

    def of(self, entry: Entry) -> tuple[float, int] | None:
        """(cosine, number of the passage or -1 for the title) of a page; None when it has no vectors, or those of what
        it said before."""
        keys = self._table.keys
        i = bisect_left(keys, entry.key)
        if i == len(keys) or keys[i] != entry.key or self._table.page(i) != entry.digest:
            return None
        best = next(n for n in self._table.rows(i) if self._rows[n] == self._pages[i])
        line = self._table.lines[best]
        return self._pages[i], -1 if line == TITLE else line

    def nearest(self, limit: int) -> list[int]:
        """The keys of the nearest pages, at most `limit`; among equals what they say decides, and not their age."""
        from heapq import nsmallest

        keys, cosines = self._table.keys, self._pages
        near = (i for i, cosine in enumerate(cosines) if cosine >= self._least)
        return [keys[i] for i in nsmallest(limit, near, key=lambda i: (-cosines[i], self._table.page(i)))]


def _cosines(table: Table, numbers: bytes, norm: int) -> tuple[Sequence[float], Sequence[float]]:
    """The cosine of the question with each row, and the best of each page. numpy is used where an embedder has loaded
    it, as ours do: it is fifty times as quick, and gives the same."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and len(table.keys):
        return _quick_cosines(numpy, table, numbers, norm)
    size, asked = table.head.size, memoryview(numbers).cast("b")
    held = memoryview(bytes(table.numbers)).cast("b")
    products = (sum(map(mul, held[n * size : (n + 1) * size], asked)) for n in range(len(table.lines)))
    rows = [p / sqrt(n * norm) if n * norm else 0.0 for p, n in zip(products, table.norms, strict=True)]
    return rows, [max(rows[n] for n in table.rows(i)) for i in range(len(table.keys))]


def _quick_cosines(numpy: Any, table: Table, numbers: bytes, norm: int) -> tuple[Sequence[float], Sequence[float]]:
    held = numpy.frombuffer(table.numbers, "i1").reshape(len(table.lines), -1)
    asked = numpy.frombuffer(numbers, "i1").astype("f4")  # floats hold these products exactly, and are far quicker
    parts = [held[n : n + _AT_ONCE].astype("f4") @ asked for n in range(0, len(held), _AT_ONCE)]
    lengths = numpy.sqrt(numpy.array(table.norms, "f8") * norm)
    rows = numpy.concatenate(parts).astype("f8") / numpy.where(lengths > 0, lengths, 1.0)
    return rows.tolist(), numpy.maximum.reduceat(rows, numpy.array(table.starts[:-1], "i8")).tolist()
