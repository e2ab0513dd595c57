"""What an adapter read becomes a raw page: our own block cut out, secrets gone, a project, a fixed path.

Pure: everything that depends on the disk (where a page already lies, which projects have a name) comes in as a value.
"""

from __future__ import annotations

import hashlib
import ntpath
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from llmwiki import block, rawpage
from llmwiki.model import Change, Session, Turn
from llmwiki.redact import Redactor

_WORKTREE = re.compile(r"[/\\]\.(?:claude|codex)[/\\]worktrees[/\\].*$", re.S)
_DRIVE = re.compile(r"^([A-Za-z]):[\\/]")
_HOME = re.compile(r"^(?:/home|/Users|[a-z]:[\\/]Users)[\\/][^/\\]+[\\/]?$", re.I)


# -- projects


def project_root(cwd: str, repository: str = "") -> str:
    """The folder that a project is known by: the git common root when it is known, else the working folder.

    A worktree inside `.claude/worktrees` belongs to the repository around it; drive letters differ in case between
    releases of one agent, so they are lowered.
    """
    root = _WORKTREE.sub("", repository or cwd)
    if found := _DRIVE.match(root):
        root = found[1].lower() + ntpath.normpath(root)[1:]
    return root.rstrip("/\\") or root


def base_name(root: str) -> str:
    """The last part of a root, as a project's name. A home folder would give away a user's name: it is `home`.

    >>> base_name("c:\\\\work\\\\notes-api"), base_name("/home/dev"), base_name("/")
    ('notes-api', 'home', 'root')
    """
    if not root:
        return "unknown"
    if _HOME.match(root + "/"):
        return "home"
    split = ntpath if _DRIVE.match(root) else posixpath
    return rawpage.folder(split.basename(root)) if split.basename(root) else "root"


def name_project(root: str, named: Mapping[str, str], aliases: Mapping[str, str]) -> str:
    """The project's name: its alias, else its base name, with four hex digits when another root has that name.

    `named` is project -> root for every project that has a name already.
    """
    base = base_name(root)
    alias = aliases.get(root) or aliases.get(base)
    if alias:
        return rawpage.folder(alias)
    if named.get(base, root) == root:
        return base
    return f"{base}-{hashlib.sha256(root.encode('utf-8', 'replace')).hexdigest()[:4]}"


# -- pages


def prepare(session: Session, redactor: Redactor) -> Session:
    """The session as it may be written: without our own block, without secrets, home folders as `~`, tidy."""
    offered: list[str] = list(session.offered)
    turns: list[Turn] = []
    for turn in session.turns:
        text, ids = block.cut(turn.text)
        result, more = block.cut(turn.result)
        offered += [*ids, *more]
        if ids and not text.strip() and turn.role != "tool":
            continue  # nothing but our own words
        turns.append(_redacted(replace(turn, text=text, result=result), redactor))
    cleaned = replace(
        session,
        title=redactor.text(rawpage.clean(block.cut(session.title)[0]))[0],
        cwd=redactor.text(rawpage.clean(session.cwd))[0],
        git_branch=redactor.text(rawpage.clean(session.git_branch))[0],
        models=tuple(redactor.text(m)[0] for m in session.models),
        offered=tuple(dict.fromkeys(offered)),
        turns=tuple(turns),
    )
    tidied = rawpage.tidy(cleaned)
    return replace(tidied, redactions=sum(_redactions(t) for t in tidied.turns))


def _redacted(turn: Turn, redactor: Redactor) -> Turn:
    """The turn with every text of it redacted. Terminal sequences go first: they could cut a secret in two."""
    return replace(
        turn,
        text=redactor.text(rawpage.clean(turn.text))[0],
        thinking=redactor.text(rawpage.clean(turn.thinking))[0] if turn.thinking else "",
        result=redactor.text(rawpage.clean(turn.result))[0] if turn.result else "",
        tool=redactor.text(turn.tool)[0] if turn.tool else "",
    )


def _redactions(turn: Turn) -> int:
    return sum(part.count("[redacted:") for part in (turn.text, turn.thinking, turn.result))


@dataclass(frozen=True, slots=True)
class Page:
    """A raw page to be: where it lies, and the session that it holds."""

    path: str
    session: Session

    def change(self, why: str) -> Change:
        return Change(self.path, rawpage.render(self.session), why)


def page(session: Session, present: str = "", taken: Mapping[str, str] | None = None) -> Page:
    """The page of a prepared session that has its project.

    `present` is the path of the page it has already: once written, a path never changes. `taken` is path -> native
    id of the pages that exist, so that a page never lands on another session's.
    """
    path = present or rawpage.path_for(session)
    if not present and (taken or {}).get(path, session.id) != session.id:
        digest = hashlib.sha256(f"{session.agent}/{session.id}".encode()).hexdigest()[:8]
        path = f"{path.removesuffix('.md')}-{digest}.md"
    return Page(path, replace(session, stem=path.rsplit("/", 1)[-1].removesuffix(".md")))


def grown(now: Session, before: Session | None, source_shrank: bool) -> bool:
    """Whether what was read now may replace the page of before: not when a cut-off source would lose turns."""
    if before is None or not source_shrank:
        return True
    return {t.anchor for t in before.turns} <= {t.anchor for t in now.turns}
