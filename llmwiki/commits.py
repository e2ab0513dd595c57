"""Git, the one place that runs it: `sync --commit` makes a commit of what was learned, `diff` and `forget` read."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Mapping
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


def remembered(
    root: Path,
    former: Iterable[str],
    changed: Iterable[str],
    names: Callable[[str, str], bool],
    ids: Iterable[str] = (),
) -> dict[str, list[str]]:
    """What git still has of what is forgotten, by git's own names, relative to the top of the repository.

    `history`: files of `former` that a commit has or ever had, and those that had a page of one of the `ids` before it
    was renamed; `staged`: those that the index alone has; `rewritten`: files of `changed` of which a committed version
    has lines that speak of it (`names(path, line)`), and `lines`, those lines. All empty where there is no git.
    """
    try:
        prefix = _git(root, "rev-parse", "--show-prefix").rstrip("\n")
        index = set(_git(root, "ls-files", "-z", "--", "wiki", "raw").split("\0"))
        past = _versions(root, prefix)
    except WikiError:
        return {"history": [], "staged": [], "rewritten": [], "lines": []}
    former = sorted({*former, *(_former_names(root, prefix, ids) if past else ())})
    lines: dict[str, set[str]] = {}
    for path in changed:
        texts = _contents(root, {blob: blob for blob in past.get(path, ())}).values()
        found = {line for text in texts for line in text.split("\n") if names(path, line)}
        lines |= {path: found} if found else {}
    return {
        "history": [prefix + path for path in former if path in past],
        "staged": [prefix + path for path in former if path in index and path not in past],
        "rewritten": [prefix + path for path in lines],
        "lines": sorted(set().union(*lines.values())),
    }


def _former_names(root: Path, prefix: str, ids: Iterable[str]) -> set[str]:
    """The paths under which any commit had the page of one of these records: a person may have renamed it."""
    how = ("--all", "--full-history", "-m", "--root", "--format=", "--name-only", "--no-renames", "-z")
    found = set[str]()
    for id in sorted(ids)[:MOST_IDS]:
        said = _git(root, "log", *how, f'-Sid: "{id}"', "--", "wiki")
        found |= {path.strip().removeprefix(prefix) for path in said.split("\0") if path.strip()}
    return found


MOST_IDS = 50  # records whose former names are looked for: git reads all its history for each


def _versions(root: Path, prefix: str) -> dict[str, dict[str, None]]:
    """Path relative to the wiki -> the hashes of all that any commit has had there, on every branch and in merges."""
    if not _git(root, "rev-list", "--all", "--max-count=1").strip():
        return {}
    how = ("--all", "--full-history", "-m", "--root", "--format=", "--raw", "--no-abbrev", "--no-renames", "-z")
    said = iter(_git(root, "log", *how, "--", "wiki", "raw").split("\0"))
    found: dict[str, dict[str, None]] = {}
    for meta in said:
        fields = meta.split()  # `:modes, hashes before and after, status`, and then the path
        if len(fields) == 5:
            blobs = found.setdefault(next(said).removeprefix(prefix), {})
            blobs.update((blob, None) for blob in fields[2:4] if blob.strip("0"))
    return found


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
