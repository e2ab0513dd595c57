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
NAVIGATION = ("index.md", "_context.md")


def _names(root: str, folder: str, handle: int) -> tuple[list[str], list[str]]:
    """(names of the record pages, names of the folders) in an open folder: no navigation, nothing hidden (a page that
    is being written is), nothing that is no file, no link that leads out of the wiki, as `store` has it."""
    pages, folders = [], []
    with os.scandir(handle) as entries:
        for entry in entries:
            name = entry.name
            if name[0] == ".":
                continue
            if name.endswith(".md") and entry.is_file():
                inside = not entry.is_symlink() or _stays_inside(root, os.path.join(root, folder, name))
                if inside and sayable(name):
                    pages.append(name)
            elif entry.is_dir(follow_symlinks=False) and sayable(name):
                folders.append(name)
    led = [n for n in pages if n in NAVIGATION or (folder == TOP and n.startswith("log"))]
    return [n for n in pages if n not in led] if led else pages, folders


def _stays_inside(root: str, path: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(root) + os.sep)


def sayable(path: str) -> bool:
    """Whether a path can be written in a page: bytes that are no UTF-8 are surrogates in it."""
    return path.isascii() or path == path.encode("utf-8", "replace").decode("utf-8")


def packed(root: str) -> bytes:
    """All record pages in one value that is compared in one step: NUL-joined paths under `root`, two NULs, then the
    mtimes in ns, then the sizes. Links to folders are not followed: they may lead in a circle."""
    from array import array

    paths: list[str] = []
    mtimes, sizes = array("q"), array("q")
    folders = [TOP]
    for folder in folders:
        try:
            handle = os.open(os.path.join(root, folder), os.O_RDONLY)
        except OSError:
            continue
        try:
            names, below = _names(root, folder, handle)
            folders += [f"{folder}/{name}" for name in below]
            names, stats = _stats(names, handle)
        finally:
            os.close(handle)
        paths += [f"{folder}/{name}" for name in names]
        mtimes.extend([stat.st_mtime_ns for stat in stats])
        sizes.extend([stat.st_size for stat in stats])
    return "\0".join(paths).encode("utf-8", "surrogateescape") + b"\0\0" + mtimes.tobytes() + sizes.tobytes()


def _stats(names: list[str], handle: int) -> tuple[list[str], list[os.stat_result]]:
    """The stat of each name in an open folder; a name that is gone by now is left out. Relative to the folder: a third
    quicker than by the whole path."""
    try:
        return names, [os.stat(name, dir_fd=handle) for name in names]
    except OSError:
        there = [name for name in names if _there(name, handle)]
        return there, [os.stat(name, dir_fd=handle) for name in there]


def _there(name: str, handle: int) -> bool:
    try:
        os.stat(name, dir_fd=handle)
    except OSError:
        return False
    return True


def unpacked(found: bytes) -> Stats:
    """Path -> (mtime in ns, size)."""
    from array import array

    names, _, rest = found.partition(b"\0\0")
    numbers = array("q")
    numbers.frombytes(rest[: len(rest) // 16 * 16])
    half = len(numbers) // 2
    paths = names.decode("utf-8", "surrogateescape").split("\0") if names else []
    return dict(zip(paths, zip(numbers[:half], numbers[half:], strict=True), strict=True))


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
            with open(far, "wb") as answer:
                answer.write(packed(self._root) + b"\0end")
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
            import signal

            os.close(self._pipe)
            os.kill(self._pid, signal.SIGKILL)
            self._gone()

    def _gone(self) -> None:
        os.waitpid(self._pid, 0)
        self._pid = 0
