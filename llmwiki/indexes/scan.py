"""Which pages lie in `wiki/`, and what the disk says of each: the question that every reader asks first.

Ten thousand stats cost more than a search, nearly all of it in the kernel. So a second process asks them while this one
loads what it needs; where there is no fork, they are asked when the answer is needed.
"""

from __future__ import annotations

import os
from _operator import attrgetter  # what the `operator` package adds is not needed, and costs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable

    Stats = dict[str, tuple[int, int]]
    Numbers = tuple[array[int], array[int]]
    Listing = tuple[list[str], memoryview, memoryview]

BESIDE, ALONE, SPLIT = range(3)

MOST = 20_000  # pages; above, the index is trusted and only what is printed is looked at again
SLOW = 2_000  # pages; to read more of them may take longer than a prompt waits
MARK = "many"  # a file in the index's folder: there are so many pages that no look at them all is wanted
TOP = "wiki"
_FEW = 4_000  # names; below, a second process costs more than it saves
_OWN_SHARE = 0.42  # of them for this process, which reads the names of the next folder too
_AT_ONCE = 200
NOTHING = bytes(8)  # the scan of no folder
KIND, FILE, LINK, FOLDER = 0o170000, 0o100000, 0o120000, 0o040000  # of `st_mode`
HIDDEN = (".",)
NAVIGATION = ("index.md", "_context.md")
HOLDERS = (".llmwiki", os.path.join(".llmwiki", "cache"))  # the folders in which the index's own lies


def astray(root: str, names: Iterable[str] = HOLDERS) -> str:
    """The first of these folders under the root that is a link, a file or the like, "" for none: with a cloned wiki it
    may have come to lead anywhere, and what is done to an index would be done there."""
    for name in names:
        try:
            if os.lstat(os.path.join(root, name)).st_mode & KIND != FOLDER:
                return name
        except OSError:
            return ""
    return ""


def _listed(root: str, folder: str, handle: int, ways: int) -> tuple[list[str], Numbers, list[str]]:
    """(names of the record pages, their times and sizes, names of the folders) in an open folder: no navigation,
    nothing hidden (a page that is being written is), nothing that is no file, no link that leads out of the wiki, as
    `store` has it."""
    names, others = _sorted_out(os.listdir(handle), ("log", *HIDDEN) if folder == TOP else HIDDEN)
    if not "".join(names).isascii():
        names = [name for name in names if sayable(name)]
    numbers = _numbers(names, handle, ways)
    if numbers is None:
        found = [(name, stat) for name in names if (stat := _page(root, folder, name))]
        names = [name for name, _ in found]
        numbers = _measured([stat for _, stat in found])
    folders = [name for name in others if name[0] != "." and sayable(name) and _is_folder(name, handle)]
    return names, numbers, folders


def _sorted_out(names: list[str], no_page: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """(names that may be a page's, names of other things) of a folder. Most folders hold pages and nothing else; then
    a hundred thousand names are looked at as one text."""
    text = "\0".join(("", *names, ""))
    others = [] if text.count(".md\0") == len(names) else [name for name in names if not name.endswith(".md")]
    if others:
        names = [name for name in names if name.endswith(".md")]
    if any("\0" + start in text for start in no_page):
        names = [name for name in names if not name.startswith(no_page)]
    for name in NAVIGATION:
        if f"\0{name}\0" in text:
            names.remove(name)
    return names, others


def _numbers(names: list[str], handle: int, ways: int) -> Numbers | None:
    """Times and sizes of the files of these names in an open folder; None when one of them is gone by now, or is no
    plain file. Names relative to the folder, or better to the working folder, cost a third less than whole paths; and
    some at a time cost a quarter less than all, of which the memory is the dearest."""
    if ways == SPLIT and len(names) > _FEW:
        return _shared(names, handle)
    mtimes, sizes = _measured([])
    try:
        if ways == ALONE:
            os.fchdir(handle)
        for i in range(0, len(names), _AT_ONCE):
            some = names[i : i + _AT_ONCE]
            stats = [*map(os.lstat, some)] if ways == ALONE else [os.lstat(name, dir_fd=handle) for name in some]
            if {mode & KIND for mode in set(map(attrgetter("st_mode"), stats))} != {FILE}:
                return None
            some_mtimes, some_sizes = _measured(stats)
            mtimes += some_mtimes
            sizes += some_sizes
    except OSError:
        return None
    return mtimes, sizes


def _measured(stats: list[os.stat_result]) -> Numbers:
    from array import array  # a reader whose pages did not change needs none

    return array("q", map(attrgetter("st_mtime_ns"), stats)), array("q", map(attrgetter("st_size"), stats))


def _shared(names: list[str], handle: int) -> Numbers | None:
    """The same, half of it asked by another process meanwhile."""
    half = int(len(names) * _OWN_SHARE)
    other = Elsewhere(lambda: b"".join(part.tobytes() for part in _numbers(names[half:], handle, ALONE) or ()))
    near, far = _numbers(names[:half], handle, BESIDE), other.result()
    if near is None or far is None or len(far) != 16 * (len(names) - half):
        return _numbers(names, handle, BESIDE)
    near[0].frombytes(far[: len(far) // 2])
    near[1].frombytes(far[len(far) // 2 :])
    return near


def _page(root: str, folder: str, name: str) -> os.stat_result | None:
    """The stat of one name that may be a page, with all care."""
    path = os.path.join(root, folder, name)
    try:
        stat = os.lstat(path)
        if stat.st_mode & KIND == LINK and _stays_inside(root, path):
            stat = os.stat(path)
    except OSError:
        return None
    return stat if stat.st_mode & KIND == FILE else None


def page_at(root: str, path: str) -> os.stat_result | None:
    """The stat of what an index calls a page; None when it is gone, or when `packed` would find no page there: an index
    that came with a cloned wiki may name any file of this machine, or a pipe that is never written to."""
    parts = path.split("/")
    if parts[0] != TOP or not path.endswith(".md") or any(part in ("", ".", "..") for part in parts) or "\0" in path:
        return None
    folder, _, name = path.rpartition("/")
    if os.path.realpath(os.path.join(root, folder)) != os.path.join(os.path.realpath(root), folder):
        return None
    return _page(root, folder, name)


def _is_folder(name: str, handle: int) -> bool:
    try:
        return os.lstat(name, dir_fd=handle).st_mode & KIND == FOLDER
    except OSError:
        return False


def _stays_inside(root: str, path: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(root) + os.sep)


def sayable(path: str) -> bool:
    """Whether a path can be written in a page: bytes that are no UTF-8 are surrogates in it."""
    return path.isascii() or path == path.encode("utf-8", "replace").decode("utf-8")


def packed(root: str, ways: int = BESIDE) -> bytes:
    """All record pages in one value that is compared in one step: the length of the text that follows, in eight bytes;
    each folder, with a slash and how many pages are in it, joined by NUL; two NULs; the names in the same order, joined
    by NUL; then the mtimes in ns and the sizes, eight bytes each. Links to folders are not followed:
    they may lead in a circle.

    `ways`: BESIDE other work; ALONE in this process, which may change its working folder; SPLIT between two processes.
    """
    heads: list[str] = []
    said: list[str] = []
    mtimes, sizes = _measured([])
    folders = [TOP]
    for folder in folders:
        try:
            handle = os.open(os.path.join(root, folder), os.O_RDONLY)
        except OSError:
            continue
        try:
            names, numbers, below = _listed(root, folder, handle, ways)
        except OSError:
            continue
        finally:
            os.close(handle)
        folders += [f"{folder}/{name}" for name in below]
        heads.append(f"{folder}/{len(names)}")
        said += names
        mtimes += numbers[0]
        sizes += numbers[1]
    text = ("\0".join(heads) + "\0\0" + "\0".join(said)).encode("utf-8", "surrogateescape")
    return len(text).to_bytes(8, "big") + text + mtimes.tobytes() + sizes.tobytes()


def _numbers_of(found: bytes) -> memoryview:
    """The mtimes, then the sizes, of what `packed` gives."""
    numbers = memoryview(found)[8 + int.from_bytes(found[:8], "big") :]
    return numbers.cast("q") if numbers else numbers


def _text_of(found: bytes) -> bytes:
    return found[8 : 8 + int.from_bytes(found[:8], "big")]


def _folders(found: bytes) -> dict[str, Listing]:
    """Folder with a slash -> (names, mtimes, sizes); ValueError or TypeError when it is not what `packed` gives."""
    numbers = _numbers_of(found)
    heads, _, said = _text_of(found).decode("utf-8", "surrogateescape").partition("\0\0")
    names, half = (said.split("\0") if said else []), len(numbers) // 2
    if len(names) != half or len(numbers) % 2:
        raise ValueError("as many times as pages, and as many sizes")
    listed, at = {}, 0
    for head in heads.split("\0") if heads else ():
        folder, _, many = head.rpartition("/")
        if (end := at + int(many)) < at:
            raise ValueError("fewer pages than none")
        listed[folder + "/"] = names[at:end], numbers[at:end], numbers[half + at : half + end]
        at = end
    return listed


def _renumbered(listed: dict[str, Listing], found: bytes) -> dict[str, Listing]:
    """What `_folders` gives of another look that found the same names."""
    numbers, other, at = _numbers_of(found), {}, 0
    half = len(numbers) // 2
    for folder, (names, _, _) in listed.items():
        end = at + len(names)
        other[folder] = names, numbers[at:end], numbers[half + at : half + end]
        at = end
    return other


def unpacked(found: bytes) -> Stats:
    """Path under the root -> (mtime in ns, size)."""
    stats: Stats = {}
    for folder, listing in _folders(found).items():
        stats.update(_stats(folder, listing))
    return stats


def _stats(folder: str, listing: Listing) -> Stats:
    names, mtimes, sizes = listing
    return {folder + name: (mtime, size) for name, mtime, size in zip(names, mtimes, sizes, strict=True)}


def changed(before: bytes, now: bytes) -> tuple[Stats, list[str]]:
    """(pages that are new or have another time or size, paths of those that are gone), from two values of `packed`.

    In a folder where no page came or went, only numbers are compared; so that a hundred thousand pages take hardly
    longer than the disk does. ValueError when `before` names far more than there can have been: it may have come with a
    cloned wiki.
    """
    new: Stats = {}
    gone: list[str] = []
    if _text_of(before).count(b"\0") > 4 * max(MOST, count(now)):
        raise ValueError("it was made from more folders and pages than there can have been")
    are = _folders(now)
    were = _renumbered(are, before) if _text_of(before) == _text_of(now) else _folders(before)
    empty: Listing = ([], memoryview(b""), memoryview(b""))
    for folder in were.keys() | are.keys():
        was, listing = were.get(folder, empty), are.get(folder, empty)
        if was[0] == listing[0]:
            new.update(_other_numbers(folder, was, listing))
        else:
            old, there = _stats(folder, was), _stats(folder, listing)
            new.update(there.items() - old.items())
            gone += old.keys() - there.keys()
    return new, sorted(gone)


def _other_numbers(folder: str, was: Listing, listing: Listing) -> Stats:
    """What `_stats` has of the pages whose numbers differ, where the names are the same."""
    names, mtimes, sizes = listing
    found: Stats = {}
    for i in range(0, len(names), _AT_ONCE):
        end = i + _AT_ONCE
        if mtimes[i:end] != was[1][i:end] or sizes[i:end] != was[2][i:end]:
            some, old = (_stats(folder, (names[i:end], one[i:end], two[i:end])) for _, one, two in (listing, was))
            found.update(some.items() - old.items())
    return found


def count(found: bytes) -> int:
    """How many pages there are."""
    return len(_numbers_of(found)) // 2


def newest(found: bytes) -> int:
    """The latest mtime in ns, 0 when there is no page."""
    return max(_numbers_of(found)[: count(found)], default=0)


class Elsewhere:
    """A question that another process answers meanwhile, with bytes. `lasting`: this process lives on, and waits for
    the end of the other, which nobody else would see off."""

    def __init__(self, ask: Callable[[], bytes], lasting: bool = True) -> None:
        self._pid, self._pipe, self._how = 0, -1, 0 if lasting else os.WNOHANG
        if hasattr(os, "fork"):
            self._begin(ask)

    def _begin(self, ask: Callable[[], bytes]) -> None:
        try:
            self._pipe, far = os.pipe()
            self._pid = os.fork()
        except OSError:
            self._pid = 0
            return
        if self._pid:
            os.close(far)
            return
        try:  # the other process: it writes its answer and is gone, whatever happens
            import gc

            gc.disable()
            os.close(self._pipe)  # else nobody's leaving would be noticed, and it would wait to be read for ever
            with open(far, "wb") as answer:
                answer.write(ask() + b"\0end")
        finally:
            os._exit(0)

    def result(self) -> bytes | None:
        """The answer; None when there is none."""
        if not self._pid:
            return None
        with open(self._pipe, "rb") as answer:
            found = answer.read()
        self._gone()
        return found[:-4] if found.endswith(b"\0end") else None

    def stop(self) -> None:
        """Leaves the question: nobody waits for the answer."""
        if self._pid:
            os.close(self._pipe)
            os.kill(self._pid, 9)
            self._gone()

    def _gone(self) -> None:
        """The other process is on its way out; what is left of it goes with a process that does not last."""
        os.waitpid(self._pid, self._how)
        self._pid = 0


class Scan:
    """The scan of a wiki, asked for later; when `ahead`, begun now in another process. `split`: this process does other
    work for long and lives on, so the other one takes a third beside it."""

    def __init__(self, root: str, ahead: bool = False, split: bool = False) -> None:
        self._root, here = root, os.path.abspath(root)
        self._other = Elsewhere(lambda: packed(here, SPLIT if split else ALONE), lasting=split) if ahead else None

    def result(self) -> bytes:
        """What `packed` gives."""
        found = self._other.result() if self._other else None
        return packed(self._root) if found is None else found

    def stop(self) -> None:
        """Leaves the question: nobody waits for the answer."""
        if self._other:
            self._other.stop()
