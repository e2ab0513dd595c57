"""Pages -> index, for writers: what changed on the disk since the last time, or everything."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from sqlite3 import OperationalError as Refused  # SQLite's word for a disk that takes no more
from typing import Any, NamedTuple

from llmwiki import registry, tokens
from llmwiki.errors import WikiError
from llmwiki.indexes import INDEXES, compared, reading, scan, settings, vectors
from llmwiki.indexes.base import Index
from llmwiki.indexes.catalogue import CACHE, FILE, SEAL, VERSION, Catalogue, sealed, signs
from llmwiki.indexes.entries import Entry
from llmwiki.schema import LIFECYCLE

RACY_NS = 20_000_000  # a file written within a tick of its clock may be written again without a new time
COPIED = "it was not made here, or another program touched it"
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
    check: bool = False,
) -> Refreshed:
    """Brings the index of the wiki at `root` up to its pages, and says what that took.

    `about`: what the limits line shall tell (`no_adapter`: names). The caller holds the writers' lock. An index that is
    broken, of another version, or of another generation than its catalogue is made again beside the old one, which
    answers until the new one takes its place. `check`: reads all of it first, to find what the disk lost.
    """
    started, base = time.monotonic(), os.fspath(root)
    if wrong := misplaced(base):
        raise WikiError(wrong)
    many = os.path.exists(os.path.join(base, CACHE, scan.MARK))
    said = settings.read(base)
    facts = {**(about or {}), "version": VERSION, "stamp": _stamp(backend, numbers, said.scope), "backend": backend}
    facts |= {"settings": settings.packed(said), "settings_stamp": settings.stamp(base), "vectors": said.vectors}
    looking = scan.Scan(base, ahead=many and _may_split(), split=True)
    try:
        work = _Work(base, os.path.join(base, CACHE), backend, numbers, said.scope, facts, progress, looking, check)
        if many:
            tokens.exact()
        result = (None if rebuild else _incremental(work)) or _from_nothing(work)
        _mark(os.path.join(work.folder, scan.MARK), result["pages"] > scan.MOST)
        _seal(work.folder)
    except (OSError, Refused) as cause:
        why = getattr(cause, "strerror", None) or cause
        cure = f"make room there and give yourself the right to write in {os.path.dirname(CACHE)}"
        raise WikiError(f"the index cannot be written ({why}); {cure}, then run `llmwiki index`") from cause
    finally:
        looking.stop()
    result["seconds"] = round(time.monotonic() - started, 3)
    return result


def misplaced(root: str | os.PathLike[str]) -> str:
    """Why no index may be written in the wiki at `root`, in one sentence with its cure; "" when it may."""
    name = scan.astray(os.fspath(root))
    said = "is a link or a file, not a folder of this wiki's own, so nothing is written there"
    return f"{name} {said}; remove it, then run `llmwiki index`" if name else ""


def damage(root: str | os.PathLike[str], numbers: Mapping[str, float] = LIFECYCLE) -> str:
    """What is wrong with the index of the wiki at `root`, "" for nothing, or where there is none. Reads all of it, and
    all pages."""
    folder = os.path.join(root, CACHE)
    if scan.astray(os.fspath(root), (*scan.HOLDERS, CACHE)):
        return "it lies behind a link or a file, where nothing is read"
    if not os.path.exists(os.path.join(folder, FILE)):
        return ""
    try:
        with closing(Catalogue(folder)) as catalogue:
            backend = str(catalogue.about.get("backend"))
            with closing(registry.load("indexes", INDEXES, backend).open_index(folder, False)) as index:
                if backend != "memory" and index.generation != catalogue.number("generation"):
                    return "its parts are of different updates"
                found = catalogue.damage() or index.damage() or _untrue(os.fspath(root), catalogue, backend, numbers)
                return found or ("" if _of_us(folder) else COPIED)
    except (WikiError, OSError, ValueError) as cause:
        return str(cause)
    except Exception as cause:  # SQLite's own are of a class that is not worth an import
        return "" if "locked" in str(cause) else "it cannot be read"


def _untrue(root: str, catalogue: Catalogue, backend: str, numbers: Mapping[str, float]) -> str:
    """What the catalogue has otherwise than its pages; nothing where the settings changed, and it is made again."""
    scope = settings.read(root).scope
    if catalogue.about.get("stamp") != _stamp(backend, numbers, scope):
        return ""
    return compared.amiss(root, catalogue, numbers, scope)


def _mark(path: str, wanted: bool) -> None:
    """Tells a reader, before it opens anything, whether to begin with a look at the pages. Where the mark errs, time is
    lost and nothing else."""
    if wanted:
        with open(path, "wb"):
            pass
    elif os.path.exists(path):
        os.unlink(path)


def _seal(folder: str) -> None:
    """Notes what the disk says of the catalogue now that it is written. Where the note is lost or wrong, readers look
    at each page that they print, and the next update makes the index anew."""
    path, said = os.path.join(folder, SEAL), signs(folder)
    if sealed(folder) != said:
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(said)
        os.replace(path + ".new", path)


def _of_us(folder: str) -> bool:
    """Whether the catalogue is the file that was last written here. What only touches files, as some programs do that
    keep copies of them, makes it no other one."""
    return sealed(folder).split()[:3] == signs(folder).split()[:3]


class _Work(NamedTuple):
    """What one refresh is given."""

    root: str
    folder: str
    backend: str
    numbers: Mapping[str, float]
    scope: str
    facts: Mapping[str, Any]
    progress: Progress | None
    looking: scan.Scan
    check: bool


def _stamp(backend: str, numbers: Mapping[str, float], scope: str) -> str:
    """What an index was made with: another value makes it again."""
    return repr((backend, scope, sorted(numbers.items())))


def _incremental(work: _Work) -> Refreshed | None:
    """What changed, put into the index that is there; None when that one is not sound."""
    if not _of_files(work.folder) or not _of_us(work.folder):
        return None
    try:
        with closing(Catalogue(work.folder, write=True)) as catalogue:
            if catalogue.about.get("stamp") != work.facts["stamp"]:
                return None
            with closing(_backend(work, work.folder)) as index:
                before = catalogue.disk()
                sound = index.generation == catalogue.number("generation")
                if not sound or scan.count(before) != catalogue.number("pages"):
                    return None
                if work.check and (
                    catalogue.damage() or index.damage() or _untrue(work.root, catalogue, work.backend, work.numbers)
                ):
                    return None
                return _bring_up(work, catalogue, index, before)
    except (WikiError, KeyboardInterrupt, SystemExit):
        raise
    except Exception:  # whatever a broken index does, the cure is the same
        return None


def _from_nothing(work: _Work) -> Refreshed:
    new, old = work.folder + ".new", work.folder + ".old"
    for left_over in (new, old):
        _clear(left_over)
    os.makedirs(new)
    with closing(Catalogue(new, write=True)) as catalogue, closing(_backend(work, new)) as index:
        result = _bring_up(work, catalogue, index, scan.NOTHING)
    if os.path.lexists(work.folder):
        kept = vectors.path_in(work.folder)  # they say for themselves what they are of, and cost more than the index
        if os.path.isfile(kept) and not os.path.islink(kept) and not os.path.islink(work.folder):
            with suppress(OSError):
                os.rename(kept, vectors.path_in(new))
        os.rename(work.folder, old)
    os.rename(new, work.folder)
    with suppress(OSError):
        _clear(old)
    return result


def _clear(path: str) -> None:
    """Nothing lies there any more; no link is followed."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _of_files(folder: str) -> bool:
    """Whether a catalogue lies in an index's folder, and all that lies below it are files and folders: through a link,
    what is written would be written elsewhere, and a pipe would be waited for."""
    if os.path.islink(folder) or not os.path.lexists(os.path.join(folder, FILE)):
        return False
    for at, folders, files in os.walk(folder):
        names = [os.path.join(at, name) for name in (*folders, *files)]
        if not {os.lstat(name).st_mode & scan.KIND for name in names} <= {scan.FILE, scan.FOLDER}:
            return False
    return True


def _backend(work: _Work, folder: str) -> Index:
    index: Index = registry.load("indexes", INDEXES, work.backend).open_index(folder, True)
    return index


def _bring_up(work: _Work, catalogue: Catalogue, index: Index, before: bytes) -> Refreshed:
    """`before`: the scan that the index is up to."""
    found = _settled(work.looking)
    changed, removed = scan.changed(before, found) if found != before else ({}, [])
    result = Refreshed(pages=scan.count(found), added=0, updated=0, removed=len(removed), seconds=0.0, broken={})
    told = all(catalogue.about.get(name) == value for name, value in work.facts.items())
    if told and found == before:
        return result
    known = catalogue.known([*sorted(changed), *removed])
    with catalogue.db:
        reader = _Reader(work, changed, known, catalogue, result)
        dirty = reader.really_changed(sorted(changed))
        gone = [known[path][0] for path in (*removed, *dirty) if path in known]
        generation = catalogue.number("generation")
        if dirty or gone:
            generation += 1
            catalogue.drop(gone)
            index.update(reader.entries(dirty), gone, generation)
        facts = {"generation": generation, "last_key": reader.last, "newest": catalogue.newest(), **work.facts}
        catalogue.tell(found, **facts)
    return result


def _settled(looking: scan.Scan) -> bytes:
    """The scan of the pages, when the clock has ticked since the newest of them was written: they are read from now on,
    and whoever writes one after that gives it another time."""
    found = looking.result()
    ago = time.time_ns() - scan.newest(found)
    if 0 <= ago < RACY_NS:
        time.sleep((RACY_NS - ago) / 1e9)
    return found


def _may_split() -> bool:
    """Whether a second process is of use, and safe to start: not beside other threads, whose locks it would keep."""
    return (os.cpu_count() or 1) > 1 and threading.active_count() == 1


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
        self.last = catalogue.number("last_key")

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
            self.last += 1
            made.key = self.last
        made.mtime, made.size = self._now[path]
        made.digest = reading.digest(content)
        return made
