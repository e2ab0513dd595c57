"""Whoosh's files, read without Whoosh: the table of contents, and of each segment its terms, postings and columns.

Loaded by the hook: nothing is imported that costs, and nothing is read that is not asked for. What is not as expected
raises ValueError, KeyError, IndexError or an UnpicklingError, and whoever asked does without the index. Written after
the readers of whoosh3 3.54 (`whoosh.index.TOC`, `whoosh.filedb.compound`, `whoosh.filedb.filetables` and
`whoosh.codec.whoosh3`), whose format is that of Whoosh since 2012. All numbers are big-endian.
"""

from __future__ import annotations

import mmap
import os
import zlib
from bisect import bisect_left, bisect_right
from itertools import accumulate, repeat
from sys import byteorder

from llmwiki.indexes import whoosh_pickles
from llmwiki.indexes.entries import regular

try:
    from _md5 import md5  # type: ignore[import-not-found]  # `hashlib` loads OpenSSL
except ImportError:
    from hashlib import md5

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

_TABLES = 256  # of a hash file
_ENTRY, _SLOT, _LENGTHS, _INFO = 12, 12, 8, 23  # bytes
# What no file of an index goes beyond. A file that came with a cloned wiki may say any number: each is held against one
# of these, or against how long the file is.
SEGMENTS = 64  # of one index: `whoosh_writing` brings them together at a third of that
CONTENTS, NAMES = 1 << 23, 1 << 16  # bytes of a table of contents, of the list of what is in a segment
POSTINGS, BLOCK = 1 << 10, 1 << 15  # of one block, and its bytes when it is unpacked
HEAD = 64  # bytes of what stands before a block, and more
_ENDLESS = float("inf")
READ = 1 << 21  # postings that are read for one question: a large wiki's take a twentieth of them
# Slots that are looked at for one term: half of them are empty, so a few; where a file is hostile, all may be full.
PROBES, SPARE = 16, 1 << 10  # on average, and beyond that for all terms together


def _loads(content: bytes) -> Any:
    return whoosh_pickles.loads(content)


def _unpacked(body: bytes) -> bytes:
    """The block of postings. A few kilobytes are; of one that swells without end the beginning, which is no pickle."""
    return zlib.decompressobj().decompress(body, BLOCK)


def _number(content: bytes | mmap.mmap, at: int, size: int = 4) -> int:
    if at < 0 or at + size > len(content):
        raise ValueError("a number beyond the end of an index file")
    return int.from_bytes(content[at : at + size], "big", signed=True)


def _whole(said: Any) -> int:
    """A number that counts something."""
    if not isinstance(said, int) or said < 0:
        raise ValueError("no number that counts anything")
    return said


def segments(folder: str) -> list[Segment]:
    """The segments of the newest table of contents in a folder of Whoosh, in its order. A writer may put a newer one in
    its place meanwhile, and take away what the old one names: then that is read."""
    try:
        return _segments(folder)
    except FileNotFoundError:
        return _segments(folder)


def _segments(folder: str) -> list[Segment]:
    with open(regular(os.path.join(folder, _newest(folder)), CONTENTS), "rb") as file:
        content = file.read()
    if content[:7] != b"\4\x08\4" + (-12345).to_bytes(4, "big", signed=True) or _number(content, 7) != -111:
        raise ValueError("a table of contents in another format")
    at = 11
    for _ in range(3):  # the release that wrote it
        _, at = _varint(content, at)
    length, at = _varint(content, at)  # of the schema, which we know
    described = _loads(content[at + length + 8 :])
    if not isinstance(described, list) or len(described) > SEGMENTS:
        raise ValueError("a table of contents of more segments than an index has")
    opened = [Segment(folder, one.said) for one in described]
    if len({segment.name for segment in opened}) < len(opened):
        raise ValueError("a table of contents that names a segment twice")
    return opened


def _newest(folder: str) -> str:
    found = {}
    for name in os.listdir(folder):
        if name.startswith("_MAIN_") and name.endswith(".toc") and name[6:-4].isdecimal():
            found[int(name[6:-4])] = name
    if not found:
        raise ValueError("no table of contents")
    return found[max(found)]


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """(value, where the next thing begins): seven bits a byte, the lowest first."""
    value = 0
    for shift in range(0, 35, 7):
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("a length without end")


class Segment:
    """One segment: documents by number from 0. `documents` counts them all, `deleted` ones too."""

    def __init__(self, folder: str, said: dict[str, Any]) -> None:
        """`said`: what the table of contents says of it."""
        self.documents: int = _whole(said["_doccount"])
        self.name = f"{said['indexname']}_{said['segid']}"
        if not self.name.replace("_", "").isalnum():
            raise ValueError("a segment that lies elsewhere")
        with open(regular(os.path.join(folder, f"{self.name}.seg")), "rb") as file:
            self._all = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        listed = _number(self._all, 0, 8)
        self._files: dict[str, dict[str, int]] = _loads(self._all[listed : listed + NAMES])
        if self._place(".key.col")[1] != 8 * self.documents:
            raise ValueError("as many keys as documents")
        self.deleted: frozenset[int] = frozenset(said["_deleted"] or ())
        self._gone = sorted(self.deleted)
        if self._gone and not 0 <= self._gone[0] <= self._gone[-1] < self.documents:
            raise ValueError("documents are deleted that were never there")
        self._terms()
        self._keys: array[int] | None = None
        self._found: dict[tuple[str, str], bytes] = {}
        self._held: dict[tuple[str, str], int] = {}
        self.ask()

    def ask(self) -> None:
        """A question begins: what it may cost beyond its own share is as it was."""
        self._spare, self._left = SPARE, READ

    def close(self) -> None:
        self._all.close()

    def _place(self, ending: str) -> tuple[int, int]:
        """(offset, length) of a file in the segment; (0, 0) when there is none."""
        file = self._files.get(self.name + ending)
        if not file:
            return 0, 0
        offset, length = _whole(file["offset"]), _whole(file["length"])
        if offset + length > len(self._all):
            raise ValueError(f"{ending} goes beyond the end of its segment")
        return offset, length

    def _terms(self) -> None:
        """Where the hash tables of the terms lie, and the numbers of the fields."""
        self._start, length = self._place(".trm")
        if self._all[self._start : self._start + 5] != b"HSH3\0":  # the last byte: hashed by MD5
            raise ValueError("terms in another format")
        end = self._start + length - 4
        extras = end - _number(self._all, end)
        self._tables = extras - _TABLES * _ENTRY
        if not self._start < self._tables < extras <= end:
            raise ValueError("tables of terms that lie outside")
        self._fields: dict[str, int] = _loads(self._all[extras : min(end, extras + NAMES)])["fieldmap"]
        self._posts, length = self._place(".pst")
        self._posts_end = self._posts + length

    def keys(self) -> array[int]:
        """The column `key`, by document."""
        if self._keys is None:
            from array import array  # a reader whose question has no word of the wiki needs none

            offset, length = self._place(".key.col")
            self._keys = array("q", self._all[offset : offset + length])
            if byteorder == "little":
                self._keys.byteswap()
        return self._keys

    def keyed(self, field: str, term: str, shift: int) -> dict[int, float]:
        """Key without its last `shift` bits -> how often the term stands in it, of the documents that are not
        deleted."""
        keys = self.keys()
        return {keys[number] >> shift: n for number, n in self.postings(field, term)}

    def many(self, field: str, term: str) -> int:
        """How many documents hold the term, deleted ones too: so many postings are read for it."""
        info = self._info(field, term)
        found = _number(info, 5) if info else 0
        if not 0 <= found <= self.documents:
            raise ValueError("a term in more documents than there are")
        return found

    def held(self, field: str, term: str) -> int:
        """How many documents hold the term. Those that were deleted do not count: else an answer would depend on what
        the wiki once held."""
        if (field, term) not in self._held:
            gone = 0
            for numbers, _ in self._stored(field, term, self._gone) if self._gone else ():
                gone += len(self.deleted.intersection(numbers))
                self._left -= len(numbers)
                if self._left < 0:
                    raise ValueError("more blocks with deleted documents than a question has")
            self._held[field, term] = self.many(field, term) - gone
        return self._held[field, term]

    def postings(self, field: str, term: str) -> list[tuple[int, float]]:
        """(document, how often the term stands in it), of those that are not deleted."""
        found: list[tuple[int, float]] = []
        for numbers, weights in self._stored(field, term):
            found += zip(numbers, weights, strict=True)
        return [pair for pair in found if pair[0] not in self.deleted] if self.deleted else found

    def _info(self, field: str, term: str) -> bytes:
        """What is stored of a term; nothing when it is not there."""
        if (field, term) not in self._found:
            self._found[field, term] = self._look_up(field, term)
        return self._found[field, term]

    def _look_up(self, field: str, term: str) -> bytes:
        if field not in self._fields:
            return b""
        key = self._fields[field].to_bytes(2, "big") + term.encode("utf-8")
        hashed = md5(key, usedforsecurity=False).digest()[-4:]
        value = int.from_bytes(hashed, "big")
        entry = self._tables + (value & 255) * _ENTRY
        table, slots = self._start + _number(self._all, entry, 8), _number(self._all, entry + 8)
        if slots < 0 or table + slots * _SLOT > self._tables:
            raise ValueError("a table of terms that lies outside")
        probes = min(slots, PROBES + self._spare)
        for i in range(probes):
            at = table + ((value >> 8) + i) % slots * _SLOT
            place = _number(self._all, at + 4, 8)
            if not place:
                return b""
            if self._all[at : at + 4] == hashed:
                begin = self._start + place + _LENGTHS
                middle = begin + len(key)
                if _number(self._all, begin - 8) == len(key) and self._all[begin:middle] == key:
                    return self._all[middle : middle + _INFO + 12]
            self._spare -= i >= PROBES
        if probes < slots:
            raise ValueError("a table of terms without a gap")
        return b""

    def _stored(
        self, field: str, term: str, wanted: Sequence[int] | None = None
    ) -> Iterator[tuple[list[int], Iterable[float]]]:
        """(documents, how often each), block by block, of what is stored of a term. Blocks that can hold none of the
        `wanted` documents, which are sorted, are left out and not even unpacked."""
        left, info = self.many(field, term), self._info(field, term)
        if not left:
            return
        at = self._posts + _number(info, _INFO, 8)
        if info[0] or at < self._posts or self._all[at : at + 4] != b"W3Bl":
            raise ValueError("postings in another format")
        at, length, low = at + 4, 1, 0
        while length > 0:  # the last block's is negative
            length = _number(self._all, at)
            begin, end = at + 4, at + 4 + abs(length)
            if abs(length) > BLOCK or end > self._posts_end:
                raise ValueError("a block of postings that goes too far")
            (many, last, _, packed, _, _), body = whoosh_pickles.read(self._all[begin : min(end, begin + HEAD)])
            left -= many
            if not (0 < many <= POSTINGS and left >= 0 and low <= last < self.documents):
                raise ValueError("a block of other postings than its term has")
            if wanted is None or bisect_left(wanted, low) < bisect_right(wanted, last):
                content = self._all[begin + body : end]
                yield _block(_loads(_unpacked(content) if packed else content), many, low, last)
            low, at = last + 1, end
        if left:
            raise ValueError("fewer postings than their term has")


def _block(found: tuple[Any, Any, Any], many: int, low: int, last: int) -> tuple[list[int], Iterable[float]]:
    """(documents, how often each) of a block; ValueError when they are not so many, in order from `low` to `last`."""
    deltas, weights, _ = found
    numbers = list(accumulate(deltas))
    if len(numbers) != many or numbers[0] < low or numbers[-1] != last or min(deltas[1:], default=1) < 1:
        raise ValueError("a block whose documents are in no order")
    if isinstance(weights, tuple):
        if len(weights) != many or not 0 < sum(weights) < _ENDLESS or min(weights) <= 0:
            raise ValueError("a block whose words stand nowhere")
        return numbers, weights
    return numbers, repeat(1.0 if weights is None else float(weights), many)  # all are 1, or all the same
