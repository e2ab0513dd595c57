"""Which project a working folder belongs to. Loaded by the hook."""

from __future__ import annotations

import os


def project_of(folder: str, aliases: dict[str, str] | None = None) -> str:
    """The project that a working folder belongs to: the base name of its git common root, else its own."""
    here, name = os.path.abspath(folder), ""
    at = here
    while not name:
        git = os.path.join(at, ".git")
        if os.path.isdir(git):
            name = os.path.basename(at)
        elif os.path.isfile(git):
            name = os.path.basename(_common_root(git) or at)
        elif os.path.dirname(at) == at:
            name = os.path.basename(here)
            break
        at = os.path.dirname(at)
    return (aliases or {}).get(name, name)


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
