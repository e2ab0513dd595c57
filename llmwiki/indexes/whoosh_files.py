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
from io import BytesIO
from itertools import accumulate, repeat
from sys import byteorder

from llmwiki.indexes.entries import regular

try:  # the C parts alone: `pickle` loads `re`, `struct` and more
    from _pickle import Unpickler, UnpicklingError
except ImportError:
    from pickle import Unpickler, UnpicklingError
try:
    from _md5 import md5  # type: ignore[import-not-found]  # `hashlib` loads OpenSSL
except ImportError:
    from hashlib import md5

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

LET_IN = {
    *(("array", name) for name in ("array", "_array_reconstructor")),
    *(("builtins", name) for name in ("set", "frozenset", "int")),
    ("collections", "defaultdict"),
    ("_codecs", "encode"),
}
_OURS = {("whoosh.codec.whoosh3", name) for name in ("W3Segment", "W3Codec")}
BLOCK = 1 << 20  # bytes
_TABLES = 256  # of a hash file
_ENTRY, _SLOT, _LENGTHS, _INFO = 12, 12, 8, 23  # bytes


class _Described:
    """Stands for Whoosh's own description of a segment or a codec, which is only asked for its attributes."""


class Plain(Unpickler):
    """Whoosh keeps its postings as pickles, and a folder that came with a cloned wiki could hold any: only values and
    Whoosh's own segment description are let in."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _OURS:
            return self.described(module, name)
        if (module, name) in LET_IN:
            return super().find_class(module, name)
        raise UnpicklingError(f"{module}.{name} has no place in an index")

    def described(self, module: str, name: str) -> Any:
        """The class of a segment or a codec."""
        return _Described


def _loads(content: bytes) -> Any:
    return Plain(BytesIO(content)).load()


def _unpacked(body: bytes) -> bytes:
    """The block of postings. A few kilobytes are; of one that swells without end the beginning, which is no pickle."""
    return zlib.decompressobj().decompress(body, BLOCK)


def _number(content: bytes | mmap.mmap, at: int, size: int = 4) -> int:
    if at < 0 or at + size > len(content):
        raise ValueError("a number beyond the end of an index file")
    return int.from_bytes(content[at : at + size], "big", signed=True)


def segments(folder: str) -> list[Segment]:
    """The segments of the newest table of contents in a folder of Whoosh, in its order. A writer may put a newer one in
    its place meanwhile, and take away what the old one names: then that is read."""
    try:
        return _segments(folder)
    except FileNotFoundError:
        return _segments(folder)


def _segments(folder: str) -> list[Segment]:
    with open(regular(os.path.join(folder, _newest(folder))), "rb") as file:
        content = file.read()
    if content[:7] != b"\4\x08\4" + (-12345).to_bytes(4, "big", signed=True) or _number(content, 7) != -111:
        raise ValueError("a table of contents in another format")
    at = 11
    for _ in range(3):  # the release that wrote it
        _, at = _varint(content, at)
    length, at = _varint(content, at)  # of the schema, which we know
    return [Segment(folder, described) for described in _loads(content[at + length + 8 :])]


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
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


class Segment:
    """One segment: documents by number from 0. `documents` counts them all, `deleted` ones too."""

    def __init__(self, folder: str, described: Any) -> None:
        self.documents: int = described._doccount
        self.deleted: frozenset[int] = frozenset(described._deleted or ())
        self._name = f"{described.indexname}_{described.segid}"
        with open(regular(os.path.join(folder, f"{self._name}.seg")), "rb") as file:
            self._all = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._files: dict[str, dict[str, int]] = _loads(self._all[_number(self._all, 0, 8) :])
        self._terms()
        self._keys: array[int] | None = None
        self._gone = sorted(self.deleted)
        self._found: dict[tuple[str, str], bytes] = {}
        self._held: dict[tuple[str, str], int] = {}

    def close(self) -> None:
        self._all.close()

    def _place(self, ending: str) -> tuple[int, int]:
        """(offset, length) of a file in the segment; (0, 0) when there is none."""
        file = self._files.get(self._name + ending)
        return (file["offset"], file["length"]) if file else (0, 0)

    def _terms(self) -> None:
        """Where the hash tables of the terms lie, and the numbers of the fields."""
        self._start, length = self._place(".trm")
        if self._all[self._start : self._start + 5] != b"HSH3\0":  # the last byte: hashed by MD5
            raise ValueError("terms in another format")
        end = self._start + length - 4
        extras = end - _number(self._all, end)
        self._fields: dict[str, int] = _loads(self._all[extras:end])["fieldmap"]
        self._tables = extras - _TABLES * _ENTRY
        self._posts, _ = self._place(".pst")

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

    def held(self, field: str, term: str) -> int:
        """How many documents hold the term. Those that were deleted do not count: else an answer would depend on what
        the wiki once held."""
        if (field, term) not in self._held:
            info = self._info(field, term)
            gone = sum(len(self.deleted.intersection(numbers)) for numbers, _ in self._stored(info, self._gone))
            self._held[field, term] = _number(info, 5) - gone if info else 0
        return self._held[field, term]

    def postings(self, field: str, term: str) -> list[tuple[int, float]]:
        """(document, how often the term stands in it), of those that are not deleted."""
        found: list[tuple[int, float]] = []
        for numbers, weights in self._stored(self._info(field, term)):
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
        for i in range(slots):
            at = table + ((value >> 8) + i) % slots * _SLOT
            place = _number(self._all, at + 4, 8)
            if not place:
                break
            if self._all[at : at + 4] == hashed:
                begin = self._start + place + _LENGTHS
                middle = begin + _number(self._all, begin - 8)
                if self._all[begin:middle] == key:
                    return self._all[middle : middle + _number(self._all, begin - 4)]
        return b""

    def _stored(
        self, info: bytes, wanted: Sequence[int] | None = None
    ) -> Iterator[tuple[Iterable[int], Iterable[float]]]:
        """(documents, how often each), block by block, of what is stored of a term. Blocks that can hold none of the
        `wanted` documents, which are sorted, are left out and not even unpacked."""
        if not info or (wanted is not None and not wanted):
            return
        if info[0]:
            numbers, weights, _ = _loads(info[_INFO:])
            yield numbers, weights
            return
        begin = self._posts + _number(info, _INFO, 8)
        content = self._all[begin : begin + _number(info, _INFO + 8)]
        if content[:4] != b"W3Bl":
            raise ValueError("postings in another format")
        file, end, length, low = BytesIO(content), 4, 1, 0
        while length > 0:  # the last block's is negative
            length = _number(content, end)
            file.seek(end + 4)
            _, last, _, packed, _, _ = Plain(file).load()
            body, end = content[file.tell() : end + 4 + abs(length)], end + 4 + abs(length)
            if wanted is None or bisect_left(wanted, low) < bisect_right(wanted, last):
                deltas, weights, _ = _loads(_unpacked(body) if packed else body)
                if not isinstance(weights, (tuple, list)):  # all are 1, or all the same
                    weights = repeat(1.0 if weights is None else weights, len(deltas))
                yield accumulate(deltas), weights
            low = last + 1
