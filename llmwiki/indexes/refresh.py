"""Pages -> index, for writers: what changed on the disk since the last time, or everything."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any, NamedTuple

from llmwiki import registry, tokens
from llmwiki.errors import WikiError
from llmwiki.indexes import INDEXES, reading, scan, settings, vectors
from llmwiki.indexes.base import Index
from llmwiki.indexes.catalogue import CACHE, FILE, VERSION, Catalogue
from llmwiki.indexes.entries import Entry
from llmwiki.schema import LIFECYCLE

RACY_NS = 20_000_000  # a file written within a tick of its clock may be written again without a new time
_BATCH = 200
Progress = Callable[[int, int], None]


class Refreshed(dict[str, Any]):
    """`{pages, added, updated, removed, seconds}`, and `broken`: path -> why a page could not be read."""


def refresh(
    root: str | os.PathLike[str],
    backend: str = "whoosh",
    rebuild: bool = False,
    numbers: Mapping[str, float] = LIFECYCLE,
    about: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Refreshed:
    """Brings the index of the wiki at `root` up to its pages, and says what that took.

    `about`: what the limits line shall tell (`no_adapter`: names). The caller holds the writers' lock. An index that is
    broken, of another version, or of another generation than its catalogue is made again beside the old one, which
    answers until the new one takes its place.
    """
    started, base = time.monotonic(), os.fspath(root)
    said = settings.read(base)
    facts = {**(about or {}), "version": VERSION, "stamp": _stamp(backend, numbers, said.scope), "backend": backend}
    facts |= {"settings": settings.packed(said), "settings_stamp": settings.stamp(base), "vectors": said.vectors}
    work = _Work(base, os.path.join(base, CACHE), backend, numbers, said.scope, facts, progress)
    result = None if rebuild else _incremental(work)
    result = result or _from_nothing(work)
    result["seconds"] = round(time.monotonic() - started, 3)
    return result


class _Work(NamedTuple):
    """What one refresh is given."""

    root: str
    folder: str
    backend: str
    numbers: Mapping[str, float]
    scope: str
    facts: Mapping[str, Any]
    progress: Progress | None


def _stamp(backend: str, numbers: Mapping[str, float], scope: str) -> str:
    """What an index was made with: another value makes it again."""
    return repr((backend, scope, sorted(numbers.items())))


def _incremental(work: _Work) -> Refreshed | None:
    """What changed, put into the index that is there; None when that one is not sound."""
    if not os.path.exists(os.path.join(work.folder, FILE)):
        return None
    try:
        with closing(Catalogue(work.folder, write=True)) as catalogue:
            if catalogue.about.get("stamp") != work.facts["stamp"]:
                return None
            with closing(_backend(work, work.folder)) as index:
                if index.generation != catalogue.number("generation"):
                    return None
                return _bring_up(work, catalogue, index)
    except (WikiError, KeyboardInterrupt, SystemExit):
        raise
    except Exception:  # whatever a broken index does, the cure is the same
        return None


def _from_nothing(work: _Work) -> Refreshed:
    new, old = work.folder + ".new", work.folder + ".old"
    for left_over in (new, old):
        shutil.rmtree(left_over, ignore_errors=True)
    os.makedirs(new)
    with closing(Catalogue(new, write=True)) as catalogue, closing(_backend(work, new)) as index:
        result = _bring_up(work, catalogue, index)
    if os.path.lexists(work.folder):
        with suppress(OSError):  # vectors say for themselves what they are of, and cost more to make than the index
            os.rename(vectors.path_in(work.folder), vectors.path_in(new))
        os.rename(work.folder, old)
    os.rename(new, work.folder)
    shutil.rmtree(old, ignore_errors=True)
    return result


def _backend(work: _Work, folder: str) -> Index:
    index: Index = registry.load("indexes", INDEXES, work.backend).open_index(folder, True)
    return index


def _bring_up(work: _Work, catalogue: Catalogue, index: Index) -> Refreshed:
    found = _settled(work.root)
    now, known = scan.unpacked(found), catalogue.keys()
    removed = [known[path][0] for path in sorted(known.keys() - now.keys())]
    changed = [path for path in sorted(now) if path not in known or known[path][1:3] != now[path]]
    result = Refreshed(pages=len(now), added=0, updated=0, removed=len(removed), seconds=0.0, broken={})
    told = all(catalogue.about.get(name) == value for name, value in work.facts.items())
    if told and not changed and not removed and catalogue.about.get("disk") == found:
        return result
    with catalogue.db:
        reader = _Reader(work, now, known, catalogue, result)
        dirty = reader.really_changed(changed)
        gone = [*removed, *(known[path][0] for path in dirty if path in known)]
        generation = catalogue.number("generation")
        if dirty or gone:
            generation += 1
            catalogue.drop(gone)
            index.update(reader.entries(dirty), gone, generation)
            _count_offers(catalogue)
        newest = catalogue.db.execute("SELECT max(created) FROM pages").fetchone()[0] or ""
        catalogue.tell(generation=generation, disk=found, newest=newest[:10], **_sizes(catalogue), **work.facts)
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
        work: _Work,
        now: Mapping[str, tuple[int, int]],
        known: Mapping[str, tuple[int, int, int, bytes]],
        catalogue: Catalogue,
        result: Refreshed,
    ) -> None:
        self._work, self._now, self._known = work, now, known
        self._catalogue, self._result = catalogue, result
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
            with open(os.path.join(self._work.root, path), "rb") as page:
                return page.read()
        except OSError:
            return b""

    def entries(self, paths: Sequence[str]) -> Iterator[Entry]:
        """The Entries of those that can be read; what cannot be is noted with its reason, and found by no search."""
        batch: list[Entry] = []
        for done, path in enumerate(paths, 1):
            entry = self._entry(path)
            batch.append(entry)
            self._result["updated" if path in self._known else "added"] += 1
            if len(batch) >= _BATCH:
                self._catalogue.add(batch)
                batch.clear()
            if self._work.progress:
                self._work.progress(done, len(paths))
            if entry.id:
                yield entry
        self._catalogue.add(batch)
        self._catalogue.tell(last_key=self._next)

    def _entry(self, path: str) -> Entry:
        content = self._content(path)
        try:
            made = reading.entry(content.decode("utf-8"), path, self._work.scope, self._work.numbers, tokens.count)
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
