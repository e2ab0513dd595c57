"""What writes an index of Whoosh. Loads Whoosh, which a reader never does (see `whoosh_index`).

What was cut, and why. Terms come analysed, so fields have no analyzer, no positions (nobody asks for phrases) and store
nothing but a number. Postings are collected by `_Pool`. Pickles are read by a loader that lets nothing run.
"""

from __future__ import annotations

from array import array
from contextlib import closing
from io import BytesIO
from itertools import chain, islice
from pickle import Unpickler, UnpicklingError

import whoosh.codec.whoosh3
import whoosh.filedb.structfile
from whoosh import fields, formats, index
from whoosh.columns import NumericColumn
from whoosh.filedb.filestore import FileStorage
from whoosh.reading import SegmentReader

from llmwiki.indexes import whoosh_pickles
from llmwiki.indexes.whoosh_files import HEAD, NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from llmwiki.indexes.entries import Entry

MANY, MERGED = 24, 20  # segments: more than these are too many, and so many become one
PAGES = 20_000  # of one segment at most: what its postings take in memory, some 60 MB, is then enough for any wiki


class _Whole(whoosh_pickles.Plain):
    """The loader that Whoosh itself reads with."""

    def described(self, module: str, name: str) -> Any:
        return Unpickler.find_class(self, module, name)


def _load(file: Any) -> Any:
    """The pickle that stands next in a file, which is left behind it."""
    at = file.tell()
    for most in (HEAD, NAMES, -1):  # most are of a block, and all the others end their file
        content = file.read(most) if most > 0 else file.read()
        try:
            length = whoosh_pickles.end(content)
        except UnpicklingError:
            if len(content) < most or most < 0:
                raise
            file.seek(at)
        else:
            file.seek(at + length)
            return _Whole(BytesIO(content[:length])).load()


vars(whoosh.codec.whoosh3)["loads"] = lambda content: whoosh_pickles.loads(content, _Whole)
vars(whoosh.filedb.structfile)["load"] = _load


class _Pool:
    """The postings of a segment that is being written, by term, in memory.

    Whoosh's own pool keeps each posting as a tuple, and from some hundred thousand of them on it pickles each by itself
    into files and merges these: three quarters of what an index took to make. Documents come in the order of their
    numbers, so here nothing is left to sort but the terms, and a posting takes eight bytes.
    """

    def __init__(self) -> None:
        self.fieldnames: set[str] = set()
        self._terms: dict[tuple[str, bytes], tuple[array[int], array[float]]] = {}

    def add(self, item: tuple[str, bytes, int, float, bytes]) -> None:
        field, term, number, weight, _ = item
        found = self._terms.get((field, term))
        if found is None:
            self.fieldnames.add(field)
            found = self._terms[field, term] = array("I"), array("f")
        found[0].append(number)
        found[1].append(weight)

    def iter_postings(self) -> Iterator[tuple[str, bytes, int, float, bytes]]:
        for field, term in sorted(self._terms):
            for number, weight in zip(*self._terms.pop((field, term)), strict=True):
                yield field, term, number, weight, b""

    def cleanup(self) -> None:
        self._terms.clear()


class Terms(fields.FieldType):  # type: ignore[misc]
    """A field of terms that come analysed, with how often each stands there: no positions, nothing stored."""

    def __init__(self) -> None:
        self.format = formats.Existence()  # the weight of a posting is stored beside it anyway
        self.analyzer = None
        self.scorable = False  # lengths are the catalogue's
        self.stored = self.unique = False
        self.vector = None
        self.column_type = None

    def index(self, value: str, **kwargs: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        counted: dict[str, int] = {}
        for term in value.split():
            counted[term] = counted.get(term, 0) + 1
        for term, n in counted.items():
            yield term.encode("utf-8"), n, float(n), b""


_SCHEMA = fields.Schema(page=fields.ID(), key=fields.COLUMN(NumericColumn("q")), record=Terms(), passage=Terms())


def make(folder: str) -> None:
    """An empty index in a folder that is there."""
    index.FileIndex.create(FileStorage(folder), _SCHEMA)


def update(folder: str, added: Iterable[Entry], gone: Sequence[tuple[int, int]]) -> None:
    """Puts in `added` and takes out the documents `gone`: (segment, number in it), in the order of the contents."""
    opened, entries = index.FileIndex(FileStorage(folder), _SCHEMA), iter(added)
    _commit(opened, islice(entries, PAGES), gone)
    for first in entries:
        _commit(opened, chain((first,), islice(entries, PAGES - 1)), ())


def _commit(opened: Any, entries: Iterable[Entry], gone: Sequence[tuple[int, int]]) -> None:
    codec = whoosh.codec.whoosh3.W3Codec(blocklimit=1024)  # postings that are unpacked at once
    codec.length_stats = False  # the shortest and longest document of each block: nobody asks
    writer = opened.writer(codec=codec)
    writer.pool = _Pool()
    try:
        for segment, number in gone:
            writer.segments[segment].delete_document(number)
        for entry in entries:
            _add(writer, entry)
        writer.commit(mergetype=_merged)
    except BaseException:
        writer.cancel()
        raise


def _merged(writer: Any, segments: list[Any]) -> list[Any]:
    """Brings the smallest segments together when there are many, and gives the others. Each update leaves one; a search
    spends a third of a millisecond on each, and to merge one costs a hundred times that. Whoosh's own policy merges
    twice as often, and every tenth update of ten pages then took three times the time of the others."""
    if len(segments) <= MANY:
        return segments
    by_size = sorted(segments, key=lambda segment: (segment.doc_count_all(), segment.segment_id()))
    for segment in by_size[:MERGED]:
        with closing(SegmentReader(writer.storage, writer.schema, segment)) as reader:
            writer.add_reader(reader)
    return by_size[MERGED:]


def _add(writer: Any, entry: Entry) -> None:
    page = str(entry.key)
    writer.add_document(page=page, key=entry.key << 12, record=entry.document())
    for n, line in enumerate(entry.separate_passages()):
        writer.add_document(page=page, key=entry.key << 12 | n, passage=line)
