"""Finding session files on a disk that nobody tidied: links, loops, copies, folders that may not be read.

What cannot be listed is not passed over: it comes back as a source, and reading it fails with the system's own words.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from llmwiki.model import Source

# How deep a tree given by hand is searched for stores.
DEPTH = 8
_NEVER = frozenset({"node_modules", ".git", "__pycache__", ".venv", "venv", ".tox", "site-packages"})


class Walk:
    """One walk through a store. Remembers every folder and file that it met, by device and inode: the same file
    reached twice is one source, and a loop of links ends."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.seen: set[tuple[int, int]] = set()
        self.unlisted: list[Source] = []

    def list(self, folder: Path) -> list[Path]:
        """The entries of a folder by name, or [] when it was met before, is none, or may not be listed."""
        try:
            if not self._first(folder):
                return []
            return sorted(folder.iterdir(), key=lambda path: path.name)  # Paths themselves compare slowly
        except NotADirectoryError:
            return []
        except FileNotFoundError:
            return []
        except OSError:
            self.unlisted.append(Source(self.agent, str(folder), "", 0, 0))
            return []

    def source(self, path: Path, key: str, parent: str = "") -> Source | None:
        """A file as a source, None for a dead link and what was met before. A folder where a file should be is a source
        too: reading it fails, and that is told."""
        try:
            found = path.stat()
        except PermissionError:
            return Source(self.agent, str(path), key, 0, 0, parent)
        except OSError:
            return None
        if (found.st_dev, found.st_ino) in self.seen:
            return None
        if stat.S_ISDIR(found.st_mode):
            return Source(self.agent, str(path), key, 0, 0, parent)
        self.seen.add((found.st_dev, found.st_ino))
        return Source(self.agent, str(path), key, found.st_size, found.st_mtime_ns, parent)

    def _first(self, folder: Path) -> bool:
        found = folder.stat()
        mark = (found.st_dev, found.st_ino)
        if mark in self.seen:
            return False
        self.seen.add(mark)
        return True

    def files(self, folder: Path, depth: int = DEPTH, follow: bool = True) -> Iterator[Path]:
        """Every file below a folder, sorted. Links to folders are followed at the first level only."""
        for path in self.list(folder):
            if not is_folder(path):
                yield path
            elif depth > 0 and path.name not in _NEVER and (follow or not path.is_symlink()):
                yield from self.files(path, depth - 1, follow=False)

    def named(self, folder: Path, names: frozenset[str], depth: int = DEPTH) -> Iterator[Path]:
        """The nearest folders of one of those names below a folder. Does not look inside what it finds."""
        for path in self.list(folder):
            if not is_folder(path) or path.is_symlink():
                continue
            if path.name in names:
                yield path
            elif depth > 0 and path.name not in _NEVER:
                yield from self.named(path, names, depth - 1)


def is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def named_roots(value: str, home: Path) -> list[Path]:
    """The folders that a variable names: separated by commas or by the system's path separator, `~` understood."""
    parts = [p.strip() for chunk in value.split(",") for p in chunk.split(os.pathsep)]
    return list(dict.fromkeys(home / p[1:].lstrip("/\\") if p[:1] == "~" else Path(p) for p in parts if p))
