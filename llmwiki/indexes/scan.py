"""Which pages lie in `wiki/`, and what the disk says of each: the question that every reader asks first.

Ten thousand stats cost more than a search, nearly all of it in the kernel. So a second process asks them while this one
loads what it needs; where there is no fork, they are asked when the answer is needed.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Stats = dict[str, tuple[int, int]]

MOST = 20_000  # pages; above, the index is trusted and only what is printed is looked at again
NAVIGATION = ("index.md", "_context.md")


def is_page(name: str) -> bool:
    """Whether a file of this name is a record page: no navigation, and nothing hidden (a page being written is)."""
    return name.endswith(".md") and name[0] != "." and name not in NAVIGATION and not name.startswith("log")


def pages(root: str) -> Iterator[tuple[str, int, int]]:
    """(path under `root`, mtime in ns, size) of every record page, in the order of the disk. Links to folders are not
    followed: they may lead in a circle."""
    folders = ["wiki"]
    for folder in folders:
        try:
            handle = os.open(os.path.join(root, folder), os.O_RDONLY)
        except OSError:
            continue
        try:
            names = []
            with os.scandir(handle) as entries:
                for entry in entries:
                    name = entry.name
                    if name.endswith(".md"):
                        if not entry.is_symlink() or _inside(root, folder, name):
                            names.append(name)
                    elif entry.is_dir(follow_symlinks=False) and name[0] != ".":
                        folders.append(f"{folder}/{name}")
            for name in names:
                if is_page(name):
                    try:
                        stat = os.stat(name, dir_fd=handle)  # a name relative to its folder: a third quicker
                    except OSError:
                        continue
                    if stat.st_mode & 0o170000 == 0o100000 and sayable(f"{folder}/{name}"):  # no pipe, no folder
                        yield f"{folder}/{name}", stat.st_mtime_ns, stat.st_size
        finally:
            os.close(handle)


def _inside(root: str, folder: str, name: str) -> bool:
    """Whether a link leads to a file of this wiki; one that leads out of it is no page, as `store` has it."""
    base = os.path.realpath(root)
    return os.path.realpath(os.path.join(base, folder, name)).startswith(f"{base}/")


def sayable(path: str) -> bool:
    """Whether a path can be written in a page: bytes that are no UTF-8 are surrogates in it."""
    return path.isascii() or path == path.encode("utf-8", "replace").decode("utf-8")


def packed(root: str) -> bytes:
    """All pages in one value that is compared in one step: NUL-joined paths, two NULs, then mtimes and sizes."""
    from array import array

    paths, numbers = [], array("q")
    for path, mtime, size in pages(root):
        paths.append(path)
        numbers.append(mtime)
        numbers.append(size)
    return "\0".join(paths).encode("utf-8", "surrogateescape") + b"\0\0" + numbers.tobytes()


def unpacked(found: bytes) -> Stats:
    """Path -> (mtime in ns, size)."""
    from array import array

    names, _, rest = found.partition(b"\0\0")
    numbers = array("q")
    numbers.frombytes(rest[: len(rest) // 16 * 16])
    paths = names.decode("utf-8", "surrogateescape").split("\0") if names else []
    return dict(zip(paths, zip(numbers[::2], numbers[1::2], strict=True), strict=True))


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
