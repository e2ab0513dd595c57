"""Git, the one place that runs it: `sync --commit` makes a commit of what was learned, `forget` reads."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
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
    return _run(root, *arguments).decode("utf-8", "surrogateescape")


def _run(root: Path, *arguments: str, given: bytes = b"") -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], input=given, capture_output=True, check=True)
    except FileNotFoundError as cause:
        raise WikiError("git is not installed; install it, or do without what asks for it") from cause
    except subprocess.CalledProcessError as cause:
        said = (cause.stderr or cause.stdout).decode("utf-8", "replace").strip().splitlines()
        raise WikiError(f"git {arguments[0]} refused: {said[-1] if said else cause.returncode}") from cause
    return done.stdout


# -- reading


def ever_tracked(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """Those of these files that git has or ever had -> what it calls them, relative to the top of the repository. {}
    where there is no git."""
    try:
        prefix = _git(root, "rev-parse", "--show-prefix").rstrip("\n")
        said = _git(root, "ls-files", "-z", "--full-name", "--", "wiki", "raw")
        if _git(root, "rev-list", "--all", "--max-count=1").strip():
            said += _git(root, "log", "--all", "--format=", "--name-only", "--no-renames", "-z", "--", "wiki", "raw")
    except WikiError:
        return {}
    known = set(said.split("\0"))
    return {path: prefix + path for path in paths if prefix + path in known}
