"""The default backend: Whoosh, a full-text index in plain Python.

Three packages install it under one import name. `Whoosh` 2.7.4 is of April 2016 and warns on new Pythons.
`Whoosh-Reloaded` 2.7.5 is of February 2024, declares up to Python 3.12 and needs `cached-property`; nothing came after.
`whoosh3` 3.54 is of September 2026, is released every few weeks, declares Python 3.10 to 3.14, has no dependency, and
is the quickest of the three (10,000 pages: written in 6.4 s beside 30, opened in 58 ms beside 82 and 105). So whoosh3;
and because it is young and changes often, `pyproject.toml` holds it below 4 and `tests/test_indexes.py` runs the whole
contract over it.

Whoosh writes the index (`whoosh_writing`) and this module reads Whoosh's own files (`whoosh_files`): to import Whoosh
costs three times what Python does to start, to open an index copies all of it into memory, and a search by its query
classes takes four times what the postings themselves take.

Whoosh's files have no checksums, and where the disk lost a block some words are found no more. So the sizes and sums of
them stand beside the generation. Whoever writes looks at the sizes; `damage` alone reads all of them, which a hook has
no time for.
"""

from __future__ import annotations

import os
from zlib import crc32

from llmwiki.indexes import ranking
from llmwiki.indexes.entries import regular
from llmwiki.indexes.scan import MARK
from llmwiki.indexes.whoosh_files import READ, Segment, segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llmwiki.indexes.entries import Entry

FOLDER = "whoosh"
FILE = "generation"
UNFINISHED = "unfinished"
VERSION = 3
NOTED = 1 << 16  # bytes of the note which catalogue it belongs to
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
        with open(regular(os.path.join(self._folder, FILE), NOTED), encoding="ascii") as file:
            first, *others = file.read().splitlines()
        version, self.generation = map(int, first.split())
        if version != VERSION:
            raise ValueError(f"the Whoosh index has version {version}, not {VERSION}")
        self._sums = {name: (int(size), int(sum_)) for name, size, sum_ in map(str.split, others)}
        if write and (lost := [name for name, (size, _) in self._sums.items() if _size(self._path(name)) != size]):
            raise ValueError(f"{lost[0]} of the Whoosh index is not as it was written")
        self._segments: list[Segment] | None = None

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _make(self) -> None:
        if not os.path.exists(os.path.join(self._folder, FILE)):
            from llmwiki.indexes import whoosh_writing

            os.makedirs(self._folder, exist_ok=True)
            whoosh_writing.make(self._folder)
            self._note(0)

    def _begin(self) -> None:
        """The mark that an update leaves behind when it is killed. The catalogue then goes back to the number that is
        still noted here, and without the mark the two would seem to belong together."""
        path = os.path.join(self._folder, UNFINISHED)
        with open(path, "wb") as file:
            os.fsync(file.fileno())

    def _note(self, generation: int) -> None:
        """Which catalogue belongs to this index, written last: a half-written one has the number of the one before.
        Beside it sizes and sums of its files; a segment is never written again, and keeps its own."""
        known = getattr(self, "_sums", {})
        names = sorted(name for name in os.listdir(self._folder) if name.endswith((".seg", ".toc")))
        self._sums = {
            name: known[name] if name in known and name.endswith(".seg") else _sum(self._path(name)) for name in names
        }
        path = self._path(FILE)
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(f"{VERSION} {generation}\n")
            file.writelines(f"{name} {size} {sum_}\n" for name, (size, sum_) in self._sums.items())
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

    def _asked(self) -> list[Segment]:
        """The segments, at the beginning of a question."""
        for segment in self._read():
            segment.ask()
        return self._read()

    def _forget_segments(self) -> None:
        for segment in self._segments or ():
            segment.close()
        self._segments = None

    def postings(self, terms: Sequence[str], space: str = "records") -> list[dict[int, float]]:
        opened, found = self._asked(), []
        shift = ranking.SHIFT if space == "records" else 0
        self._bounded(_FIELD[space], terms)
        for term in terms:
            counts: dict[int, float] = {}
            for segment in opened:
                counts |= segment.keyed(_FIELD[space], term, shift)
            found.append(counts)
        return found

    def _bounded(self, field: str, terms: Sequence[str]) -> None:
        """ValueError when there is more to read than an answer is worth: terms of a planted file may share a list."""
        if sum(segment.many(field, term) for segment in self._read() for term in terms) > READ:
            raise ValueError("more postings than a question has")

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        opened = self._asked()
        return [sum(segment.held("record", term) for segment in opened) for term in terms]

    def damage(self) -> str:
        for name, known in self._sums.items():
            try:
                if _sum(self._path(name)) != known:
                    return f"{name} is damaged"
            except OSError:
                return f"{name} is missing"
        return ""

    def close(self) -> None:
        self._forget_segments()


def _size(path: str) -> int:
    return os.stat(path).st_size if os.path.exists(path) else -1


def _sum(path: str) -> tuple[int, int]:
    """(size, checksum) of a file."""
    found = size = 0
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            found, size = crc32(part, found), size + len(part)
    return size, found


def open_index(folder: str, write: bool = False) -> WhooshIndex:
    """The index in `folder`; made when `write` and absent."""
    return WhooshIndex(folder, write)
