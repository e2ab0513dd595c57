"""The disk, as far as the store needs it: which paths may be written, and files that are whole or not there.

Paths are strings here, not `Path`: a sync touches thousands of files, and this is the one place that sees them all.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from llmwiki.errors import WikiError

TEMP = ".llmwiki-tmp-"
STATE = ".llmwiki/state"
# What the store keeps for itself, and what would run as code: no Change may name it.
RESERVED = (f"{STATE}/journal", f"{STATE}/lock", f"{STATE}/holder.json")
UNREADABLE = "unreadable"  # in place of a SHA-256: equals none
OPEN_FILES = 64
LONGEST = 1 << 30


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that may be written: `path` relative to the root, `full` absolute, `mode` None when nothing is there."""

    path: str
    full: str
    mode: int | None

    @property
    def folder(self) -> str:
        return os.path.dirname(self.full)


class Gate:
    """Says which paths may be written below a root. Make a new one for each batch: it remembers what it saw."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self._folders: dict[str, str] = {}
        self._names: dict[str, dict[str, str]] = {}

    def spot(self, path: str) -> Spot:
        """Where `path` really lies, after links. WikiError for what leaves the root, is a folder, or is reserved."""
        if not path or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
            raise WikiError(f"{path!r} is no path inside a wiki; use a relative path without '..'")
        folder, _, name = path.rpartition("/")
        try:
            full = os.path.join(self._real(folder), name)
            mode = _mode(full)
            if mode is not None and stat.S_ISLNK(mode):
                full = os.path.realpath(full)
                mode = _mode(full)
        except (OSError, ValueError) as cause:
            raise WikiError(f"{path!r} cannot be reached ({_words(cause)}); move away what is in its way") from cause
        return Spot(self._inside(path, full), full, _regular(path, mode))

    def clashes(self, spot: Spot) -> str:
        """The name beside `spot` that some disks cannot tell from it (case, Unicode form); "" when there is none."""
        if spot.folder not in self._names:
            with suppress(OSError):
                self._names[spot.folder] = {folded(name): name for name in os.listdir(spot.folder)}
        name = os.path.basename(spot.full)
        other = self._names.get(spot.folder, {}).get(folded(name), name)
        return "" if other == name else other

    def _real(self, folder: str) -> str:
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(os.path.join(self.root, folder))
        return self._folders[folder]

    def _inside(self, path: str, full: str) -> str:
        if not full.startswith(self.root.rstrip("/") + "/"):
            raise WikiError(f"{path!r} leads out of the wiki through a link; remove the link")
        inside = os.path.relpath(full, self.root)
        if ".git" in inside.lower().split("/"):
            raise WikiError(f"{path!r} lies in git's own folder, where nothing is written; choose another path")
        if any(inside == own or inside.startswith(own + "/") for own in RESERVED):
            raise WikiError(f"{path!r} belongs to the store; choose another path")
        return inside


def _mode(full: str) -> int | None:
    try:
        return os.lstat(full).st_mode
    except FileNotFoundError:
        return None


def _regular(path: str, mode: int | None) -> int | None:
    if mode is None:
        return None
    if stat.S_ISDIR(mode):
        raise WikiError(f"{path!r} is a folder where a file should be; move the folder away")
    if not stat.S_ISREG(mode):
        raise WikiError(f"{path!r} is no regular file; move it away")
    return stat.S_IMODE(mode)


def _words(cause: Exception) -> str:
    return (cause.strerror if isinstance(cause, OSError) else "") or str(cause) or type(cause).__name__


def refused(root: str, cause: OSError) -> WikiError:
    """What to say when the disk does not take a write: where, why, and the cure."""
    where, said = cause.filename or root, cause.strerror or cause
    return WikiError(f"{where} cannot be written ({said}); free space or make {root} writable, then run it again")


def folded(name: str) -> str:
    """The form in which two names are one name on a disk that ignores case and Unicode forms."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFC", name).casefold()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def digest_of(full: str) -> str | None:
    """The SHA-256 of a file, None when nothing is there, UNREADABLE for a folder, a link or what may not be read."""
    try:
        opened = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return UNREADABLE
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            return UNREADABLE
        with open(opened, "rb", closefd=False) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return UNREADABLE
    finally:
        os.close(opened)


def contents(full: str) -> bytes | None:
    """The bytes of a file, None when it is not there. OSError for a pipe, which would be waited for, a device, and a
    file of more than LONGEST bytes."""
    try:
        opened = os.open(full, os.O_RDONLY | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode):
            kind = errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.EINVAL
            raise OSError(kind, "it is no regular file", full)
        if found.st_size > LONGEST:
            raise OSError(errno.EFBIG, "it is too long for what it is", full)
        with open(opened, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(opened)


def write_new(files: Iterable[tuple[str, Callable[[], bytes], int | None]]) -> None:
    """Writes files that must not exist yet, each (full path, what gives its bytes, mode), and makes them durable.

    Some are kept open and synced together: the disk then writes many at once, in half the time.
    """
    opened: list[int] = []
    try:
        for full, content, mode in files:
            opened.append(os.open(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666))
            left = memoryview(content())
            while left:
                left = left[os.write(opened[-1], left) :]
            if mode is not None:
                os.fchmod(opened[-1], mode)
            if len(opened) >= OPEN_FILES:
                _sync(opened)
        _sync(opened)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _sync(opened: list[int]) -> None:
    for descriptor in opened:
        os.fsync(descriptor)
    while opened:
        os.close(opened.pop())


def sync_folder(full: str) -> None:
    """Makes the names in a folder durable."""
    descriptor = os.open(full, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def keep_copy(full: str, copy: str) -> None:
    """A second name for the file's present bytes: we replace files and never write into them, so it stays as it is.

    A disk without hard links gets a real copy, made durable.
    """
    try:
        os.link(full, copy, follow_symlinks=False)
    except OSError:
        shutil.copy2(full, copy, follow_symlinks=False)
        with open(copy, "rb") as file:
            os.fsync(file.fileno())


def make_folders(folders: Iterable[str], mode: int = 0o777) -> set[str]:
    """Makes each folder, parents before children, and returns the folders in which a new name stands."""
    touched = set()
    for folder in folders:
        with suppress(FileExistsError):
            os.mkdir(folder, mode)
            touched.add(os.path.dirname(folder))
    return touched


def missing(folder: str, root: str) -> list[str]:
    """The folders that have to be made for `folder` to exist, outermost first."""
    found: list[str] = []
    while folder.startswith(root) and folder != root and not os.path.isdir(folder):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found[::-1]


def remove_empty(folders: Iterable[str], keep: Sequence[str]) -> set[str]:
    """Removes each folder that is empty, and its parents that become so, up to those in `keep`.

    Returns the folders in which a name went away.
    """
    touched = set()
    for folder in folders:
        while any(folder.startswith(top + "/") for top in keep):
            try:
                os.rmdir(folder)
            except FileNotFoundError:
                pass
            except OSError:
                break
            folder = os.path.dirname(folder)
            touched.add(folder)
    return touched


def scan(root: str, top: str) -> Iterator[os.DirEntry[str]]:
    """Everything named `*.md` below `top`, links and odd things too, folders excepted unless named like a page.

    Dotfiles and dotfolders are not seen; links to folders are not followed, so no loop can form.
    """
    waiting = [os.path.join(root, top)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.name.endswith(".md"):
                        yield entry
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
