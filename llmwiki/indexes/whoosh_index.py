"""The default backend: Whoosh, a full-text index in plain Python.

Three packages install it under one import name. `Whoosh` 2.7.4 is of April 2016 and warns on new Pythons.
`Whoosh-Reloaded` 2.7.5 is of February 2024, declares up to Python 3.12 and needs `cached-property`; nothing came after.
`whoosh3` 3.54 is of September 2026, is released every few weeks, declares Python 3.10 to 3.14, has no dependency, and
is the quickest of the three (10,000 pages: written in 6.4 s beside 30, opened in 58 ms beside 82 and 105). So whoosh3;
and because it is young and changes often, `pyproject.toml` holds it below 4 and `tests/test_indexes.py` runs the whole
contract over it.

What was cut, and why. Terms come analysed, so fields have no analyzer, no positions (nobody asks for phrases) and store
nothing but a number. Searching reads the postings itself (see `_scores`). Pickles are read by a loader that lets
nothing run (see `_Plain`).
"""

from __future__ import annotations

import os
import pickle
from io import BytesIO

import whoosh.codec.whoosh3
import whoosh.filedb.structfile
from whoosh import fields, formats, index
from whoosh.columns import NumericColumn
from whoosh.filedb.filestore import FileStorage

from llmwiki.indexes.entries import K1, B, best_of_page, idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from llmwiki.indexes.entries import Entry

FOLDER = "whoosh"
FILE = "generation"
UNFINISHED = "unfinished"
VERSION = 1
MANY = 400  # pages; above, two processes write the index
_WHOOSH = "whoosh.codec.whoosh3"
_LET_IN = {
    *((_WHOOSH, name) for name in ("W3Segment", "W3Codec")),
    *(("array", name) for name in ("array", "_array_reconstructor")),
    *(("builtins", name) for name in ("set", "frozenset", "int")),
    ("collections", "defaultdict"),
    ("_codecs", "encode"),
}


class _Plain(pickle.Unpickler):
    """Whoosh keeps its postings as pickles, and a folder that came with a cloned wiki could hold any: only values and
    Whoosh's own segment description are let in."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _LET_IN:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} has no place in an index")


def _loads(content: bytes) -> Any:
    return _Plain(BytesIO(content)).load()


def _load(file: Any) -> Any:
    return _Plain(file).load()


vars(whoosh.codec.whoosh3)["loads"] = _loads
vars(whoosh.filedb.structfile)["load"] = _load


class Terms(fields.FieldType):  # type: ignore[misc]
    """A field of terms that come analysed, with how often each stands there: no positions, nothing stored."""

    def __init__(self) -> None:
        self.format = formats.Existence()  # the weight of a posting is stored beside it anyway
        self.analyzer = None
        self.scorable = True
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
_FIELD = {"records": "record", "passages": "passage"}


class WhooshIndex:
    """The contract of `base.Index` in a folder of Whoosh."""

    def __init__(self, folder: str, write: bool) -> None:
        self._folder = os.path.join(folder, FOLDER)
        if write:
            if os.path.exists(os.path.join(self._folder, UNFINISHED)):
                raise ValueError("an update of the Whoosh index was cut off: nobody knows what it holds")
            self._make()
        with open(os.path.join(self._folder, FILE), encoding="ascii") as file:
            version, generation = map(int, file.read().split())
        if version != VERSION:
            raise ValueError(f"the Whoosh index has version {version}, not {VERSION}")
        self.generation = generation
        self._index = index.FileIndex(FileStorage(self._folder, readonly=not write), _SCHEMA)
        self._reader: Any = None

    def _make(self) -> None:
        os.makedirs(self._folder, exist_ok=True)
        if not os.path.exists(os.path.join(self._folder, FILE)):
            index.FileIndex.create(FileStorage(self._folder), _SCHEMA)
            self._note(0)

    def _begin(self) -> None:
        """The mark that an update leaves behind when it is killed. The catalogue then goes back to the number that is
        still noted here, and without the mark the two would seem to belong together."""
        path = os.path.join(self._folder, UNFINISHED)
        with open(path, "wb") as file:
            os.fsync(file.fileno())

    def _note(self, generation: int) -> None:
        """Which catalogue belongs to this index, written last: a half-written one has the number of the one before."""
        path = os.path.join(self._folder, FILE)
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(f"{VERSION} {generation}\n")
        os.replace(path + ".new", path)

    def update(self, added: Iterable[Entry], removed: Iterable[int], generation: int) -> None:
        gone, entries = list(removed), iter(added)
        first = [entry for _, entry in zip(range(MANY), entries, strict=False)]
        many = len(first) == MANY and (os.cpu_count() or 1) > 1
        writer = self._index.writer(
            **({"procs": 2, "multisegment": True, "limitmb": 48, "batchsize": 100} if many else {})
        )
        try:
            for key in gone:
                writer.delete_by_term("page", str(key))
            for some in (first, entries):
                for entry in some:
                    _add(writer, entry)
            self._begin()
            writer.commit()
        except BaseException:
            writer.cancel()
            raise
        self._note(generation)
        os.unlink(os.path.join(self._folder, UNFINISHED))
        self.generation = generation
        self._forget_reader()

    def _forget_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _read(self) -> Any:
        if self._reader is None:
            self._reader = self._index.reader()
        return self._reader

    def search(self, terms: Sequence[str], limit: int, space: str = "records") -> list[tuple[int, float]]:
        reader, field = self._read(), _FIELD[space]
        scores = _scores(reader, field, terms)
        best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[
            : limit if space == "records" else limit * 3
        ]
        keys = reader.column_reader("key", translate=False) if best else ()
        found = best_of_page((keys[number] >> 12, score) for number, score in best)
        return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        reader = self._read()
        return [_held(reader, "record", term) for term in terms]

    def close(self) -> None:
        self._forget_reader()
        self._index.close()


def _scores(reader: Any, field: str, terms: Sequence[str]) -> dict[int, float]:
    """Document number -> BM25, straight from the postings. Whoosh's own searcher gives the same ranking, but importing
    it and its query classes costs twice what Python does to start, and a search by it four times this loop."""
    average = reader.field_length(field) / (reader.doc_count_all() or 1) or 1.0
    weights = {term: idf(held, reader.doc_count()) for term in terms if (held := _held(reader, field, term))}
    scores: dict[int, float] = {}
    for leaf, offset in reader.leaf_readers():
        for term, weight in weights.items():
            if (field, term) not in leaf:
                continue
            postings = leaf.postings(field, term)
            while postings.is_active():
                number, often = postings.id(), postings.weight()
                norm = K1 * (1 - B + B * leaf.doc_field_length(number, field) / average)
                scores[offset + number] = scores.get(offset + number, 0.0) + weight * often * (K1 + 1) / (often + norm)
                postings.next()
    return scores


def _held(reader: Any, field: str, term: str) -> int:
    """How many documents hold a term. Whoosh itself counts those that were deleted until their segment is merged, and
    then an answer would depend on what the wiki once held."""
    if not reader.has_deletions():
        return int(reader.doc_frequency(field, term))
    return sum(_alive(leaf, field, term) for leaf, _ in reader.leaf_readers() if (field, term) in leaf)


def _alive(leaf: Any, field: str, term: str) -> int:
    if not leaf.has_deletions():
        return int(leaf.doc_frequency(field, term))
    postings, count = leaf.postings(field, term), 0
    while postings.is_active():
        count += 1
        postings.next()
    return count


def _add(writer: Any, entry: Entry) -> None:
    page = str(entry.key)
    writer.add_document(page=page, key=entry.key << 12, record=entry.document())
    for n, line in enumerate(entry.separate_passages()):
        writer.add_document(page=page, key=entry.key << 12 | n, passage=line)


def open_index(folder: str, write: bool = False) -> WhooshIndex:
    """The index in `folder`; made when `write` and absent."""
    return WhooshIndex(folder, write)
