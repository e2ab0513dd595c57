"""Git, the one place that runs it: `sync --commit` makes a commit of what was learned, `diff` and `forget` read."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
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


def revision(root: Path, name: str) -> str:
    """The hash of a commit by any name that git knows; "" for HEAD where nothing has been committed yet."""
    try:
        return _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()
    except WikiError as cause:
        try:
            _git(root, "rev-parse", "--git-dir")
        except WikiError:
            if isinstance(cause.__cause__, FileNotFoundError):
                raise cause from None
            raise WikiError(
                f"{root} is in no git repository, and without one nothing is remembered to compare with; "
                "run `git init` there and commit, or look at `wiki/log.md`"
            ) from None
        if name == "HEAD":
            return ""
        raise WikiError(f"git knows no commit {name!r}; `git log --oneline` lists them") from None


def pages_of(root: Path, commit: str) -> dict[str, str]:
    """Path relative to the wiki -> text of every Markdown file that `wiki/` had in a commit."""
    rows = _git(root, "ls-tree", "-r", "-z", commit, "--", "wiki/").split("\0") if commit else []
    blobs = {path: meta.split()[2] for meta, _, path in (row.partition("\t") for row in rows) if path.endswith(".md")}
    return _contents(root, blobs)


def _contents(root: Path, blobs: Mapping[str, str]) -> dict[str, str]:
    """Path -> text, from path -> hash, in one run of git."""
    asked = "".join(f"{blob}\n" for blob in blobs.values()).encode("ascii")
    said = _run(root, "cat-file", "--batch", given=asked) if blobs else b""
    found, at = {}, 0
    for path in blobs:
        end = said.index(b"\n", at)
        size_text = said[at:end].rsplit(b" ", 1)[1]
        if not size_text.isdigit():  # `missing`: a clone that fetches contents when they are needed, and cannot now
            at = end + 1
            continue
        size = int(size_text)
        found[path] = said[end + 1 : end + 1 + size].decode("utf-8", "replace")
        at = end + 1 + size + 1
    return found


def present(root: Path) -> list[str]:
    """The Markdown files of `wiki/` that git tracks or would: those that it ignores are of no interest to it."""
    said = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "wiki/")
    return sorted({path for path in said.split("\0") if path.endswith(".md")})
