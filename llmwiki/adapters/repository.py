"""Which git repository a working folder belongs to, read from the disk: worktrees and submodules are understood."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

_WORKTREE = re.compile(r"^(.*?)[/\\]\.(?:claude|codex)[/\\]worktrees[/\\]", re.S)


@lru_cache(maxsize=4096)
def root(cwd: str) -> str:
    """The common root of the repository around `cwd`, the same for all its worktrees; "" when it is not to be known.

    A worktree inside `.claude/worktrees` names its repository by its path alone. Any other folder must exist on this
    disk: a path from another machine may not be taken for a folder of this one.
    """
    if found := _WORKTREE.match(cwd):
        return found[1]
    if not Path(cwd).is_absolute() or not Path(cwd).is_dir():
        return ""
    for folder in (Path(cwd), *Path(cwd).parents):
        try:
            if (folder / ".git").is_dir():
                return str(folder)
            if (folder / ".git").is_file():
                return _linked(folder)
        except OSError:
            return ""
    return ""


def _linked(folder: Path) -> str:
    """The common root behind a `.git` file: a worktree's is elsewhere, a submodule's is the folder itself."""
    gitdir = (folder / ".git").read_text(encoding="utf-8", errors="replace").removeprefix("gitdir:").strip()
    private = folder / gitdir
    shared = private / "commondir"
    if not shared.is_file():
        return str(folder)
    common = (private / shared.read_text(encoding="utf-8", errors="replace").strip()).resolve()
    return str(common.parent if common.name == ".git" else common)
