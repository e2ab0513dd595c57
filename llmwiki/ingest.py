"""What an adapter read becomes a raw page: our own block cut out, secrets gone, a project, a fixed path.

Pure: everything that depends on the disk (where a page already lies, which projects have a name) comes in as a value.
"""

from __future__ import annotations

import hashlib
import ntpath
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from llmwiki import block, names, rawpage
from llmwiki.model import Change, Session, Turn, stem_of
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
        return UNKNOWN
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


# Stands between the texts of a session while they are redacted together. `clean` takes it out of every text.
UNKNOWN = "unknown"  # the project of a session that names no folder
_BETWEEN = "\n\x00\n"
_CHUNK = 3_000_000


def prepare(session: Session, redactor: Redactor) -> Session:
    """The session as it may be written: without our own block, without secrets, home folders as `~`, tidy.

    All texts are redacted as one, so that a secret that one turn gives away is gone from the others too.
    """
    offered: list[str] = list(session.offered)
    turns: list[Turn] = []
    for turn in session.turns:
        text, ids = block.cut(turn.text)
        result, more = block.cut(turn.result)
        offered += _offered(turn, ids, more)
        if text.strip() or not ids or turn.role == "tool":  # else it was nothing but our own words
            turns.append(replace(turn, text=text, result=result) if ids or more else turn)
    offered = [id for id in offered if names.is_id(id) and not redactor.find(id)]
    title = block.untorn(session.title)
    texts = [title, session.cwd, session.git_branch, *session.models]
    texts += [part for turn in turns for part in (turn.text, turn.thinking, turn.result, turn.tool)]
    safe = iter(_redacted(texts, redactor))
    cleaned = replace(
        session,
        id=_id(session.id, redactor),
        parent=_id(session.parent, redactor),
        title=next(safe),
        cwd=next(safe),
        git_branch=next(safe),
        models=tuple(next(safe) for _ in session.models),
        offered=tuple(dict.fromkeys(offered)),
        turns=tuple(
            replace(t, text=next(safe), thinking=next(safe), result=next(safe), tool=next(safe)) for t in turns
        ),
    )
    tidied = rawpage.tidy(cleaned)
    return replace(tidied, redactions=sum(_redactions(t) for t in tidied.turns))


# What a run of our own `context` looks like in a call; any other command may print a block that somebody forged.
_ASKED = re.compile(
    r"(?:^|[;&|(\n])[ \t]*(?:\w+=\S*[ \t]+)*(?:(?:uvx|pipx run|uv run|python3? -m)[ \t]+)?(?:[\w.~/-]*/)?llmwiki[ \t]+"
    r"(?:--?\S+[ \t]+(?:[^\s-]\S*[ \t]+)?)*?context(?:\s|$)"
)


def _offered(turn: Turn, told: list[str], printed: list[str]) -> list[str]:
    """The ids that a turn's blocks count for: what was said to the agent, and what it asked for with `llmwiki context`.
    A block in a file that a tool printed, or in the agent's own words, offers nothing."""
    if turn.role == "tool":
        return printed if printed and _ASKED.search(turn.text) else []
    return told if turn.role in ("user", "system") else []


def _id(native: str, redactor: Redactor) -> str:
    """A native id; the hash of one that holds a secret (a file was named after it), so that it stays one of a kind."""
    return f"redacted-{hashlib.sha256(native.encode()).hexdigest()[:16]}" if redactor.find(native) else native


def _redacted(texts: list[str], redactor: Redactor) -> list[str]:
    """The texts, cleaned and redacted together. Terminal sequences go first: they could cut a secret in two."""
    cleaned = [rawpage.clean(text) for text in texts]
    out: list[str] = []
    values: dict[str, str] = {}
    for chunk in _chunks(cleaned):
        whole = _BETWEEN.join(chunk)
        parts = redactor.text(whole)[0].split(_BETWEEN)
        if len(parts) != len(chunk):  # a rule took a border with it: each text for itself, then
            parts = [redactor.text(text)[0] for text in chunk]
        # What did not change stays the one string that it is: a long session is held once.
        out += [old if old == new else new for old, new in zip(chunk, parts, strict=True)]
        if len(chunk) < len(cleaned):
            values |= {whole[f.start : f.end]: f.rule for f in redactor.find(whole)}
    for value, rule in values.items():  # only where a session is too long to be redacted as one
        if len(value) >= 12:
            out = [text.replace(value, f"[redacted:{rule}]") for text in out]
    return out


def _chunks(texts: list[str]) -> Iterator[list[str]]:
    """The texts in runs of a few megabytes: redacting needs several times the memory of what it is given."""
    chunk: list[str] = []
    size = 0
    for text in texts:
        if chunk and size + len(text) > _CHUNK:
            yield chunk
            chunk, size = [], 0
        chunk.append(text)
        size += len(text)
    yield chunk


def _redactions(turn: Turn) -> int:
    return sum(part.count("[redacted:") for part in (turn.text, turn.thinking, turn.result))


def settled(present: str, before: Session, now: Session) -> tuple[str, str]:
    """(path, project) of a page that exists. They stay, but for one from before its session named a folder: that page
    moves to its project under the name that links know it by."""
    if before.project != UNKNOWN or now.project == UNKNOWN:
        return present, before.project
    return f"{rawpage.path_for(now).rpartition('/')[0]}/{present.rpartition('/')[2]}", now.project


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
    return Page(path, replace(session, stem=stem_of(path)))


def grown(now: Session, before: Session | None, source_shrank: bool) -> bool:
    """Whether what was read now may replace the page of before: not when a cut-off source would lose turns."""
    if before is None or not source_shrank:
        return True
    return {t.anchor for t in before.turns} <= {t.anchor for t in now.turns}
