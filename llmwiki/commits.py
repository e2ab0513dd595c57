"""Git, for `sync --commit`: what was learned becomes one commit with a message in words."""

from __future__ import annotations

import subprocess
from pathlib import Path

from llmwiki.errors import WikiError

OURS = ("wiki", "raw", "llmwiki.toml", "AGENTS.md", "CLAUDE.md", ".gitignore", ".gitattributes")


def check(root: Path) -> None:
    """WikiError when `commit` could not work in `root`: asked before a sync, whose result would be lost behind it."""
    try:
        inside = _git(root, "rev-parse", "--is-inside-work-tree").strip() == "true"
    except WikiError as cause:
        if not isinstance(cause.__cause__, subprocess.CalledProcessError):
            raise
        inside = False
    if not inside:
        raise WikiError(f"{root} is in no git work tree; run `git init` there, or leave --commit out")


def commit(root: Path, sentence: str) -> str:
    """Commits what changed in the wiki's own files, and nothing else; the commit's hash, "" when nothing changed.

    What a person has staged stays staged. WikiError when there is no repository, or git refuses.
    """
    check(root)
    paths = [p for p in OURS if (root / p).exists() and _git(root, "status", "--porcelain", "--", p).strip()]
    if not paths:
        return ""
    _git(root, "add", "--", *paths)
    message = f"llmwiki: {sentence or 'the wiki brought up to date'}"
    _git(root, "commit", "--quiet", "--only", "-m", message, "--", *paths)
    return _git(root, "rev-parse", "HEAD").strip()


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    except FileNotFoundError as cause:
        raise WikiError("git is not installed; install it, or leave --commit out") from cause
    except subprocess.CalledProcessError as cause:
        said = (cause.stderr or cause.stdout).strip().splitlines()
        raise WikiError(f"git {arguments[0]} refused: {said[-1] if said else cause.returncode}") from cause
    return done.stdout
