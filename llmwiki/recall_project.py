"""Which project a working folder belongs to. Loaded by the hook."""

from __future__ import annotations

import os


def project_of(folder: str, aliases: dict[str, str] | None = None) -> str:
    """The project that a working folder belongs to: its repository, else its own base name."""
    name = repository_of(folder) or os.path.basename(os.path.abspath(folder))
    return (aliases or {}).get(name, name)


def repository_of(folder: str) -> str:
    """The base name of a folder's git common root; "" where there is none."""
    at, below = os.path.abspath(folder), ""
    while at != below:
        git = os.path.join(at, ".git")
        if os.path.isdir(git):
            return os.path.basename(at)
        if os.path.isfile(git):
            return os.path.basename(_common_root(git) or at)
        at, below = os.path.dirname(at), at
    return ""


def _common_root(git_file: str) -> str:
    """The main checkout of a linked worktree, from its `.git` file; "" for anything else (a submodule)."""
    try:
        with open(git_file, encoding="utf-8", errors="surrogateescape") as file:
            target = file.read(4096).partition("gitdir:")[2].strip()
    except OSError:
        return ""
    target = os.path.normpath(os.path.join(os.path.dirname(git_file), target))
    root, found, _ = target.partition(f"{os.sep}.git{os.sep}worktrees{os.sep}")
    return root if found else ""
