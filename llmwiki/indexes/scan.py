"""Which pages lie in `wiki/`, and what the disk says of each: the question that every reader asks first.

Ten thousand stats cost more than a search, nearly all of it in the kernel. So a second process asks them while this one
loads what it needs; where there is no fork, they are asked when the answer is needed.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    Stats = dict[str, tuple[int, int]]

MOST = 20_000  # pages; above, the index is trusted and only what is printed is looked at again
TOP = "wiki"
KIND, FILE, LINK, FOLDER = 0o170000, 0o100000, 0o120000, 0o040000  # of `st_mode`
NAVIGATION = ("index.md", "_context.md")


def _listed(root: str, folder: str, handle: int, alone: bool) -> tuple[dict[str, os.stat_result], list[str]]:
    """(name -> stat of the record pages, names of the folders) in an open folder: no navigation, nothing hidden (a page
    that is being written is), nothing that is no file, no link that leads out of the wiki, as `store` has it."""
    no_page = (".", "log") if folder == TOP else "."
    names: list[str] = []
    others: list[str] = []
    for name in os.listdir(handle):
        (names if name.endswith(".md") else others).append(name)
    names = [name for name in names if not name.startswith(no_page) and name not in NAVIGATION]
    if not "".join(names).isascii():
        names = [name for name in names if sayable(name)]
    stats = _stats(names, handle, alone)
    if len(stats) != len(names) or {stat.st_mode & KIND for stat in stats} != {FILE}:
        found = {name: _page(root, folder, name) for name in names}
        stats = [stat for stat in found.values() if stat]
        names = [name for name, stat in found.items() if stat]
    folders = [name for name in others if name[0] != "." and sayable(name) and _is_folder(name, handle)]
    return dict(zip(names, stats, strict=True)), folders


def _stats(names: list[str], handle: int, alone: bool) -> list[os.stat_result]:
    """The stat of each name in an open folder; none at all when one of them is gone by now. Names relative to the
    folder, or better to the working folder, cost a third less than whole paths."""
    try:
        if alone:
            os.fchdir(handle)
            return list(map(os.lstat, names))
        return [os.lstat(name, dir_fd=handle) for name in names]
    except OSError:
        return []


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


def packed(root: str, alone: bool = False) -> bytes:
    """All record pages in one value that is compared in one step: each folder with a slash at its end, then the names
    in it, joined by NUL; two NULs; the mtimes in ns; NUL; the sizes. Links to folders are not followed: they may lead
    in a circle.

    `alone`: this process does nothing else, and may change its working folder.
    """
    said: list[str] = []
    mtimes: list[int] = []
    sizes: list[int] = []
    folders = [TOP]
    for folder in folders:
        try:
            handle = os.open(os.path.join(root, folder), os.O_RDONLY)
        except OSError:
            continue
        try:
            found, below = _listed(root, folder, handle, alone)
        except OSError:
            continue
        finally:
            os.close(handle)
        folders += [f"{folder}/{name}" for name in below]
        said.append(folder + "/")
        said += found
        mtimes += [stat.st_mtime_ns for stat in found.values()]
        sizes += [stat.st_size for stat in found.values()]
    numbers = " ".join(map(str, mtimes)), " ".join(map(str, sizes))
    return "\0".join((*said, "", *numbers)).encode("utf-8", "surrogateescape")


def unpacked(found: bytes) -> Stats:
    """Path under the root -> (mtime in ns, size)."""
    said, _, numbers = found.decode("utf-8", "surrogateescape").partition("\0\0")
    mtimes, _, sizes = numbers.partition("\0")
    folder, paths = "", []
    for name in said.split("\0"):
        if name.endswith("/"):
            folder = name
        elif name:
            paths.append(folder + name)
    stats = zip(map(int, mtimes.split()), map(int, sizes.split()), strict=True)
    return dict(zip(paths, stats, strict=True))


class Scan:
    """The scan of a wiki, begun now in another process, and asked for later."""

    def __init__(self, root: str, ahead: bool = False) -> None:
        self._root, self._pid, self._pipe = root, 0, -1
        if ahead and hasattr(os, "fork"):
            self._begin()

    def _begin(self) -> None:
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
                answer.write(packed(os.path.abspath(self._root), alone=True) + b"\0end")
        finally:
            os._exit(0)

    def result(self) -> bytes:
        """What `packed` gives."""
        if self._pid:
            with open(self._pipe, "rb") as answer:
                found = answer.read()
            self._gone()
            if found.endswith(b"\0end"):
                return found[:-4]
        return packed(self._root)

    def stop(self) -> None:
        """Leaves the question: nobody waits for the answer."""
        if self._pid:
            os.close(self._pipe)
            os.kill(self._pid, 9)
            self._gone()

    def _gone(self) -> None:
        """The other process is on its way out; what is left of it goes with this one."""
        os.waitpid(self._pid, os.WNOHANG)
        self._pid = 0
