"""The default backend: Whoosh, a full-text index in plain Python.

Three packages install it under one import name. `Whoosh` 2.7.4 is of April 2016 and warns on new Pythons.
`Whoosh-Reloaded` 2.7.5 is of February 2024, declares up to Python 3.12 and needs `cached-property`; nothing came after.
`whoosh3` 3.54 is of September 2026, is released every few weeks, declares Python 3.10 to 3.14, has no dependency, and
is the quickest of the three (10,000 pages: written in 6.4 s beside 30, opened in 58 ms beside 82 and 105). So whoosh3;
and because it is young and changes often, `pyproject.toml` holds it below 4 and `tests/test_indexes.py` runs the whole
contract over it.

Whoosh writes the index (`whoosh_writing`) and this module ranks, from Whoosh's own files (`whoosh_files`): to import
Whoosh costs three times what Python does to start, to open an index copies all of it into memory, and a search by its
query classes takes four times the loop below. The ranking is the same.
"""

from __future__ import annotations

import os

from llmwiki.indexes.entries import K1, B, best_of_page, idf
from llmwiki.indexes.scan import MARK
from llmwiki.indexes.whoosh_files import Segment, segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llmwiki.indexes.entries import Entry

FOLDER = "whoosh"
FILE = "generation"
UNFINISHED = "unfinished"
VERSION = 2
_FIELD = {"records": "record", "passages": "passage"}


class WhooshIndex:
    """The contract of `base.Index` in a folder of Whoosh."""

    def __init__(self, folder: str, write: bool) -> None:
        self._folder = os.path.join(folder, FOLDER)
        if write:
            if os.path.exists(os.path.join(self._folder, UNFINISHED)):
                raise ValueError("an update of the Whoosh index was cut off: nobody knows what it holds")
            self._make()
            if os.path.exists(
                os.path.join(folder, MARK)
            ):  # many pages are looked at meanwhile: now Whoosh costs no time
                from llmwiki.indexes import whoosh_writing  # noqa: F401
        with open(os.path.join(self._folder, FILE), encoding="ascii") as file:
            version, generation, *lengths = map(int, file.read().split())
        if version != VERSION or len(lengths) != 256:
            raise ValueError(f"the Whoosh index has version {version}, not {VERSION}")
        self.generation, self._lengths = generation, lengths
        self._segments: list[Segment] | None = None

    def _make(self) -> None:
        if not os.path.exists(os.path.join(self._folder, FILE)):
            from llmwiki.indexes import whoosh_writing

            os.makedirs(self._folder, exist_ok=True)
            whoosh_writing.make(self._folder)
            self._lengths = whoosh_writing.lengths()
            self._note(0)

    def _begin(self) -> None:
        """The mark that an update leaves behind when it is killed. The catalogue then goes back to the number that is
        still noted here, and without the mark the two would seem to belong together."""
        path = os.path.join(self._folder, UNFINISHED)
        with open(path, "wb") as file:
            os.fsync(file.fileno())

    def _note(self, generation: int) -> None:
        """Which catalogue belongs to this index, written last: a half-written one has the number of the one before.
        Beside it the lengths that Whoosh's one-byte lengths of documents stand for."""
        path = os.path.join(self._folder, FILE)
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(f"{VERSION} {generation}\n{' '.join(map(str, self._lengths))}\n")
        os.replace(path + ".new", path)

    def update(self, added: Iterable[Entry], removed: Iterable[int], generation: int) -> None:
        from llmwiki.indexes import whoosh_writing

        keys = list(removed)
        gone = [
            (n, number)
            for n, segment in enumerate(self._read())
            for key in keys
            for number, _ in segment.postings("page", str(key))
        ]
        self._forget_segments()
        self._begin()
        whoosh_writing.update(self._folder, added, gone)
        self._note(generation)
        os.unlink(os.path.join(self._folder, UNFINISHED))
        self.generation = generation

    def _read(self) -> list[Segment]:
        if self._segments is None:
            self._segments = segments(self._folder)
        return self._segments

    def _forget_segments(self) -> None:
        for segment in self._segments or ():
            segment.close()
        self._segments = None

    def search(self, terms: Sequence[str], limit: int, space: str = "records") -> list[tuple[int, float]]:
        opened, field = self._read(), _FIELD[space]
        scores = _scores(opened, field, terms, self._lengths)
        most = limit if space == "records" else limit * 3
        best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
        found = best_of_page((opened[n].key(number) >> 12, score) for (n, number), score in best)
        return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        opened = self._read()
        return [sum(segment.held("record", term) for segment in opened) for term in terms]

    def close(self) -> None:
        self._forget_segments()


def _scores(
    opened: Sequence[Segment], field: str, terms: Sequence[str], lengths: Sequence[int]
) -> dict[tuple[int, int], float]:
    """(segment, number of the document in it) -> BM25 in its space, of the documents that are not deleted."""
    columns = [segment.lengths(field) for segment in opened]
    documents, total = _measured(opened, columns, field, lengths)
    average = total / (documents or 1) or 1.0
    norms = [K1 * (1 - B + B * length / average) for length in lengths]
    held = {term: sum(segment.held(field, term) for segment in opened) for term in terms}
    weights = {term: idf(n, documents) for term, n in held.items() if n}
    scores: dict[tuple[int, int], float] = {}
    for n, segment in enumerate(opened):
        found: dict[int, float] = {}
        length_of = columns[n]
        for term, weight in weights.items():
            most = weight * (K1 + 1)
            for number, often in segment.postings(field, term):
                found[number] = found.get(number, 0.0) + most * often / (often + norms[length_of[number]])
        scores.update(((n, number), score) for number, score in found.items())
    return scores


def _measured(
    opened: Sequence[Segment], columns: Sequence[bytes], field: str, lengths: Sequence[int]
) -> tuple[int, int]:
    """(documents of the space, terms in them all). Whoosh counts those of both spaces as one, and deleted ones too:
    then an answer would depend on how many lines a page has, and on what the wiki once held."""
    documents = total = 0
    for segment, column in zip(opened, columns, strict=True):
        gone = [column[number] for number in segment.deleted if number < len(column) and column[number]]
        documents += len(column) - column.count(0) - len(gone)
        total += segment.total_length(field) - sum(lengths[byte] for byte in gone)
    return documents, total


def open_index(folder: str, write: bool = False) -> WhooshIndex:
    """The index in `folder`; made when `write` and absent."""
    return WhooshIndex(folder, write)
