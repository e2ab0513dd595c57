"""Pages -> index, for writers: what changed on the disk since the last time, or everything."""

# ruff: noqa: PTH
from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from llmwiki import registry, tokens
from llmwiki.indexes import INDEXES, reading, scan, settings
from llmwiki.indexes.base import Index
from llmwiki.indexes.catalogue import CACHE, VERSION, Catalogue
from llmwiki.indexes.entries import Entry
from llmwiki.schema import LIFECYCLE

RACY_NS = 20_000_000  # a file written within a tick of its clock may be written again without a new time
_BATCH = 2000


class Refreshed(dict[str, Any]):
    """`{pages, added, updated, removed, seconds}`, and `broken`: path -> why a page could not be read."""


def refresh(
    root: str | os.PathLike[str],
    backend: str = "whoosh",
    rebuild: bool = False,
    numbers: Mapping[str, float] = LIFECYCLE,
    about: Mapping[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Refreshed:
    """Brings the index of the wiki at `root` up to its pages, and says what that took.

    `about`: what the limits line shall tell (`no_adapter`: names, `newest`: a date). The caller holds the writers' lock. An index that is broken, of another version or of
    another generation than the catalogue is made again from nothing.
    """
    started, base = time.monotonic(), os.fspath(root)
    folder = os.path.join(base, CACHE)
    stamp = _stamp(backend, numbers)
    opened = None if rebuild else _opened(folder, backend, stamp)
    catalogue, index = opened or _fresh(folder, backend)
    try:
        result = _bring_up(base, catalogue, index, numbers, progress)
        facts = {**(about or {}), "version": VERSION, "stamp": stamp, "backend": backend}
        facts |= {"settings": settings.packed(settings.read(base)), "settings_stamp": settings.stamp(base)}
        if any(catalogue.about.get(name) != value for name, value in facts.items()):
            with catalogue.db:
                catalogue.tell(**facts)
    finally:
        catalogue.close()
        index.close()
    result["seconds"] = round(time.monotonic() - started, 3)
    return result


def _stamp(backend: str, numbers: Mapping[str, float]) -> str:
    """What an index was made with: another value makes it again."""
    return repr((backend, sorted(numbers.items())))


def _opened(folder: str, backend: str, stamp: str) -> tuple[Catalogue, Index] | None:
    """Catalogue and index for writing, when both are sound and belong together."""
    if not os.path.exists(os.path.join(folder, "catalogue.sqlite")):
        return None
    catalogue = None
    try:
        catalogue = Catalogue(folder, write=True)
        if catalogue.about.get("stamp") == stamp and catalogue.db.execute("PRAGMA quick_check").fetchone()[0] == "ok":
            index: Index = registry.load("indexes", INDEXES, backend).open_index(folder, True)
            if index.generation == catalogue.number("generation"):
                return catalogue, index
            index.close()
    except Exception:  # noqa: BLE001 - whatever a broken file raises, the cure is the same
        pass
    if catalogue:
        catalogue.close()
    return None


def _fresh(folder: str, backend: str) -> tuple[Catalogue, Index]:
    """Both, empty. What else lies in the cache (what `sync` remembers of sources) is not the index's to remove."""
    os.makedirs(folder, exist_ok=True)
    for entry in list(os.scandir(folder)):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        elif not entry.name.endswith(".json"):
            os.unlink(entry.path)
    return Catalogue(folder, write=True), registry.load("indexes", INDEXES, backend).open_index(folder, True)


def _bring_up(
    root: str,
    catalogue: Catalogue,
    index: Index,
    numbers: Mapping[str, float],
    progress: Callable[[int, int], None] | None,
) -> Refreshed:
    found = _settled(root)
    now, known = scan.unpacked(found), catalogue.keys()
    removed = [known[path][0] for path in sorted(known.keys() - now.keys())]
    changed = [path for path in sorted(now) if path not in known or known[path][1:3] != now[path]]
    result = Refreshed(pages=len(now), added=0, updated=0, removed=len(removed), seconds=0.0, broken={})
    if not changed and not removed and catalogue.about.get("disk") == found:
        return result
    generation = catalogue.number("generation") + 1
    with catalogue.db:
        reader = _Reader(root, now, known, catalogue, numbers, result)
        dirty = reader.really_changed(changed)
        gone = [*removed, *(known[path][0] for path in dirty if path in known)]
        catalogue.drop(gone)
        index.update(reader.entries(dirty, progress), gone, generation)
        newest = catalogue.db.execute("SELECT max(created) FROM pages").fetchone()[0] or ""
        _count_offers(catalogue)
        catalogue.tell(generation=generation, disk=found, newest=newest[:10], **_sizes(catalogue))
    return result


def _settled(root: str) -> bytes:
    """The scan of a disk whose clock has ticked since the newest page: what is written later has another time."""
    found = scan.packed(root)
    newest = max((mtime for mtime, _ in scan.unpacked(found).values()), default=0)
    if 0 <= time.time_ns() - newest < RACY_NS:
        time.sleep(RACY_NS / 1e9)
        found = scan.packed(root)
    return found


class _Reader:
    """Reads the pages that changed, one after another, and notes them in the catalogue on the way to the index."""

    def __init__(
        self,
        root: str,
        now: Mapping[str, tuple[int, int]],
        known: Mapping[str, tuple[int, int, int, bytes]],
        catalogue: Catalogue,
        numbers: Mapping[str, float],
        result: Refreshed,
    ) -> None:
        self._root, self._now, self._known = root, now, known
        self._catalogue, self._numbers, self._result = catalogue, numbers, result
        self._next = catalogue.number("last_key")

    def really_changed(self, paths: Iterable[str]) -> list[str]:
        """Those whose content is new. A fresh checkout gives every page a new time, and none a new word."""
        dirty, same = [], []
        for path in paths:
            known = self._known.get(path)
            if known and known[2] == self._now[path][1] and known[3] == reading.digest(self._content(path)):
                same.append((*self._now[path], known[0]))
            else:
                dirty.append(path)
        self._catalogue.restamp(same)
        return dirty

    def _content(self, path: str) -> bytes:
        try:
            with open(os.path.join(self._root, path), "rb") as page:
                return page.read()
        except OSError:
            return b""

    def entries(self, paths: Sequence[str], progress: Callable[[int, int], None] | None) -> Iterator[Entry]:
        """The Entries of those that can be read; what cannot be is noted with its reason, and found by no search."""
        batch: list[Entry] = []
        for done, path in enumerate(paths, 1):
            entry = self._entry(path)
            batch.append(entry)
            self._result["updated" if path in self._known else "added"] += 1
            if len(batch) >= _BATCH:
                self._catalogue.add(batch)
                batch.clear()
            if progress:
                progress(done, len(paths))
            if entry.id:
                yield entry
        self._catalogue.add(batch)
        self._catalogue.tell(last_key=self._next)

    def _entry(self, path: str) -> Entry:
        content = self._content(path)
        try:
            made = reading.entry(content.decode("utf-8"), path, self._numbers, tokens.count)
        except (reading.BadPage, UnicodeDecodeError) as cause:
            self._result["broken"][path] = str(cause)
            made = reading.broken(path)
        if path in self._known:
            made.key = self._known[path][0]
        else:
            self._next += 1
            made.key = self._next
        made.mtime, made.size = self._now[path]
        made.digest = reading.digest(content)
        return made


def _sizes(catalogue: Catalogue) -> dict[str, int]:
    """Number of pages, and the sums of their lengths in terms: what the ranking's averages come from."""
    count, said, passages, lines = catalogue.db.execute(
        "SELECT count(*), total(length(said)), total(length(passages)), total(lines) FROM pages"
    ).fetchone()
    return {"pages": count, "said_chars": int(said), "passage_chars": int(passages), "passages": int(lines)}


def _count_offers(catalogue: Catalogue) -> None:
    """How often each record was offered: the fold over the traces, which name what their session was given."""
    counted: dict[str, int] = {}
    for (offered,) in catalogue.db.execute("SELECT offers FROM pages WHERE type = 'trace' AND offers <> ''"):
        for id in str(offered).split():
            counted[id] = counted.get(id, 0) + 1
    catalogue.db.execute("DELETE FROM offers")
    catalogue.db.executemany("INSERT INTO offers VALUES (?, ?)", sorted(counted.items()))
