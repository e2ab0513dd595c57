"""Pages -> vectors, for writers: only what has no vector yet is embedded, and the file is replaced whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import blake2b
from typing import NamedTuple, Protocol

from llmwiki import markdown
from llmwiki.indexes import reading, scan
from llmwiki.indexes.catalogue import CACHE, Catalogue
from llmwiki.indexes.entries import NEVER
from llmwiki.indexes.vectors import FILE, MARK, TITLE, Head, Table, path_in, quantised, read, sayable

LINES = 256  # of a page
_BATCH = 64
Progress = Callable[[int, int], None]


class Embedder(Protocol):
    """What of `embedders.base.Embedder` is needed here."""

    model: str

    def passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


class _Page(NamedTuple):
    """A page that may speak some day: `old` is its place in the vectors that are there, else -1 and `texts`, what it
    says, as (line, text, mark)."""

    key: int
    digest: bytes
    created: str
    old: int
    texts: list[tuple[int, str, bytes]]


def remove(root: str | os.PathLike[str]) -> None:
    """No vectors."""
    for name in (FILE, f"{FILE}.new"):
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(root, CACHE, name))


def prune(root: str | os.PathLike[str]) -> None:
    """Takes out the vectors of pages that are no longer there, or say something else, or no longer speak. This needs no
    model: so nothing forgotten stays behind where the extra was uninstalled."""
    folder = os.path.join(root, CACHE)
    old = _old(folder)
    if old is None:
        remove(root)
        return
    pages = [page for page in _pages(folder, os.fspath(root), old, ()) if page.old >= 0]
    if len(pages) < len(old.keys):
        _write(folder, _table(old.head, pages, old, {}))


def update(
    root: str | os.PathLike[str], part: str, embedder: Embedder, most: int, progress: Progress | None = None
) -> tuple[int, int]:
    """(passages embedded now, passages that still have no vector). The caller holds the writers' lock, and the index is
    up to the pages.

    At most about `most` passages are embedded, those of the newest pages first; another call goes on. Only pages that
    may speak have vectors. Those of another model, or a file that is broken, are made again.
    """
    folder = os.path.join(root, CACHE)
    old = _old(folder)
    if old and (old.head.model, old.head.part) != (embedder.model, part):
        old = None
    marks = _marks(old)
    pages = _pages(folder, os.fspath(root), old, marks)
    wanted, missing = _wanted(pages, marks, most)
    made = _embedded(embedder, wanted, progress)
    size = _size(made, old)
    known = made | {mark: old.row(n)[1:] for mark, n in marks.items()} if old else made
    done = [page for page in pages if page.old >= 0 or all(mark in known for _, _, mark in page.texts)]
    if old is None or missing != old.head.missing or not _same(done, old):
        _write(folder, _table(Head(part, embedder.model, size, missing=missing), done, old, known))
    return len(made), missing


def _size(made: Mapping[bytes, tuple[int, bytes]], old: Table | None) -> int:
    sizes = {len(numbers) for _, numbers in made.values()} | ({old.head.size} if old and old.lines else set())
    if len(sizes) > 1 or 0 in sizes:
        raise ValueError(f"the embedder gave vectors of {' and '.join(map(str, sorted(sizes)))} numbers")
    return sizes.pop() if sizes else 0


def _same(pages: Sequence[_Page], old: Table) -> bool:
    return [page.key for page in pages] == list(old.keys) and b"".join(p.digest for p in pages) == old.digests


def _old(folder: str) -> Table | None:
    try:
        return read(folder)
    except (OSError, ValueError):
        return None


def _marks(old: Table | None) -> dict[bytes, int]:
    """Mark of a text -> a row that holds its vector."""
    return {old.row(n)[0]: n for n in range(len(old.lines))} if old else {}


def _pages(folder: str, root: str, old: Table | None, marks: Iterable[bytes]) -> list[_Page]:
    """The pages that may speak some day, by key."""
    places = {old.page(i): i for i in range(len(old.keys))} if old else {}
    with closing(Catalogue(folder)) as catalogue:
        rows = catalogue.db.execute(
            "SELECT key, path, digest, created FROM pages WHERE speaks_from < ? AND id <> '' ORDER BY key", (NEVER,)
        ).fetchall()
    found = []
    for key, path, digest, created in rows:
        place = places.get(digest, -1)
        texts = [] if place >= 0 else _texts(root, path, digest)
        if place >= 0 or texts:
            found.append(_Page(key, digest, created, place, texts))
    return found


def _texts(root: str, path: str, digest: bytes) -> list[tuple[int, str, bytes]]:
    """What a page says: its title, and each of its lines. Nothing when it is no longer what was indexed."""
    try:
        if scan.page_at(root, path) is None:
            return []
        with open(os.path.join(root, path), "rb") as page:
            content = page.read()
        if reading.digest(content) != digest:
            return []
        record = markdown.read(content.decode("utf-8"), path, "")
    except (OSError, UnicodeDecodeError, reading.BadPage):
        return []
    said = [(TITLE, record.title or record.id)]
    said += [(n, text) for n, (_, text, _) in enumerate(reading.body_lines(record.body)[:LINES])]
    return [(n, text, mark(text)) for n, text in ((n, sayable(text)) for n, text in said)]


def mark(text: str) -> bytes:
    """What stands for a text beside its vector: the same text is embedded once."""
    return blake2b(text.encode("utf-8"), digest_size=MARK).digest()


def _wanted(pages: Iterable[_Page], marks: Iterable[bytes], most: int) -> tuple[dict[bytes, str], int]:
    """(mark -> text to be embedded now, how many texts have to wait). A page is done whole or not at all."""
    wanted: dict[bytes, str] = {}
    waiting: set[bytes] = set()
    known = set(marks)
    for page in sorted(pages, key=lambda page: (page.created, page.key), reverse=True):
        new = {mark: text for _, text, mark in page.texts if mark not in known and mark not in wanted}
        if wanted and len(wanted) + len(new) > most:
            waiting |= new.keys()
        else:
            wanted |= new
    return wanted, len(waiting - wanted.keys())


def _embedded(
    embedder: Embedder, wanted: dict[bytes, str], progress: Progress | None
) -> dict[bytes, tuple[int, bytes]]:
    """Mark -> (norm, numbers)."""
    marks = sorted(wanted)
    made: dict[bytes, tuple[int, bytes]] = {}
    for i in range(0, len(marks), _BATCH):
        some = marks[i : i + _BATCH]
        vectors = embedder.passages([wanted[mark] for mark in some])
        made |= {mark: quantised(vector) for mark, vector in zip(some, vectors, strict=True)}
        if progress:
            progress(min(i + _BATCH, len(marks)), len(marks))
    return made


def _table(head: Head, pages: Iterable[_Page], old: Table | None, known: Mapping[bytes, tuple[int, bytes]]) -> Table:
    table = Table(head)
    for page in pages:
        rows = [(line, mark, *known[mark]) for line, _, mark in page.texts]
        if page.old >= 0 and old:
            rows = [(old.lines[n], *old.row(n)) for n in old.rows(page.old)]
        table.add(page.key, page.digest, rows)
    return table


def _write(folder: str, table: Table) -> None:
    """Readers see the file of before until the new one takes its place; a run that is killed leaves the old one."""
    new = path_in(folder) + ".new"
    with open(new, "wb") as file:
        file.write(table.packed())
    os.replace(new, path_in(folder))
