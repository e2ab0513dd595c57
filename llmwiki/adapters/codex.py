"""OpenAI Codex: rollouts in `<home>/sessions/YYYY/MM/DD/` and `<home>/archived_sessions/`, packed or not, new and old.

A rollout of the old format has no times but that of its header: its session ends when the file was last written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from llmwiki.adapters import arguments, codex_family, jsonl, repository
from llmwiki.adapters.base import Claims, Draft, Find, Head, Known, Parsed, title_line, turns
from llmwiki.adapters.codex_records import Payload, decode, refit
from llmwiki.adapters.codex_turns import Fold
from llmwiki.adapters.discovery import Walk, is_folder, named_roots
from llmwiki.model import Session, Source

NAME = "codex"

_ROLLOUT = re.compile(r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-([0-9a-fA-F-]{36})\.jsonl(\.zst)?")
_FOLDERS = ("sessions", "archived_sessions")


# -- where


def roots(environ: Mapping[str, str], home: Path) -> list[Path]:
    """Codex's home folders: those that CODEX_HOME names, and only those, else `~/.codex`."""
    named = environ.get("CODEX_HOME", "").strip()
    return named_roots(named, home) if named else [home / ".codex"]


def discover(root: Path) -> Iterator[Source]:
    """Every rollout below `root`, sorted, each session once: plain before packed, live before archived."""
    walk = Walk(NAME)
    if not is_folder(root):
        found = walk.source(root, key(root)) if _is_rollout(root) else None
        yield from [found] if found else []
        return
    best: dict[str, Path] = {}
    for folder in _stores(root):
        for path in walk.files(folder):
            if path.name.startswith("rollout-") and path.name.endswith((".jsonl", ".jsonl.zst")) and path.is_file():
                known = best.get(key(path))
                if known is None or _preference(path) < _preference(known):
                    best[key(path)] = path
    found_all = (walk.source(path, native) for native, path in best.items())
    yield from sorted((s for s in found_all if s), key=lambda s: s.path)
    yield from walk.unlisted


def _stores(root: Path) -> list[Path]:
    """The folders that a root means: its stores, those of the `.codex` in it, or itself."""
    for base in (root / ".codex", root):
        if found := [base / name for name in _FOLDERS if is_folder(base / name)]:
            return found
    return [root]


def key(path: Path) -> str:
    """The session id in a rollout's name, else the whole name."""
    found = _ROLLOUT.fullmatch(path.name)
    return found[1].lower() if found else path.name.removesuffix(".zst").removesuffix(".jsonl")


def _preference(path: Path) -> tuple[bool, bool, str]:
    return path.name.endswith(".zst"), "archived_sessions" in path.parts, str(path)


def _is_rollout(path: Path) -> bool:
    """Whether one file that was named is a rollout: by its name, else by the shape of its first record."""
    if path.name.startswith("rollout-"):
        return path.name.endswith((".jsonl", ".jsonl.zst"))
    if path.suffix not in (".jsonl", ".zst"):
        return False
    try:
        return any(line.type == "session_meta" for _, line in jsonl.beginning(str(path), decode, refit, 5))
    except OSError:
        return False


# -- what


def read(source: Source, known: Known, find: Find | None = None) -> Parsed:
    """The session of one rollout. Raises OSError when the file cannot be read or unpacked."""
    tally = jsonl.Tally()
    thread = source.key if len(source.key) == 36 else ""
    fold = Fold(thread, tally.unknown, find)
    claims = known.claims(source)
    copied = 0
    with jsonl.opened(source.path) as stream:
        for number, line in jsonl.records(stream, decode, tally, refit):
            if number in claims.keys and line.type != "session_meta":
                copied = number
                continue
            fold.feed(number, line)
    parsed = Parsed(
        bad_lines=tally.bad,
        unknown=dict(sorted(tally.unknown.items())),
        bytes=source.size,
        own=fold.own,
        copied=copied,
        waiting=tally.waiting,
    )
    if fold.count == 0:
        return replace(parsed, skipped="empty")
    if fold.meta is None or not fold.meta.id:
        return replace(parsed, skipped="no-session-id")
    return _finished(parsed, fold, fold.meta, source)


def _finished(parsed: Parsed, fold: Fold, meta: Payload, source: Source) -> Parsed:
    """The parsed source with its session, or with the reason why it holds none."""
    spawner = _spawner(meta)
    drafts = fold.finish()
    if spawner:
        _not_a_person(drafts)
    cwd = next(iter(fold.cwds), "")
    branch = (meta.git.branch or "") if meta.git else ""
    session = Session(
        agent=NAME,
        id=meta.id or "",
        parent=spawner or meta.forked_from_id or meta.parent_thread_id or "",
        kind="subagent" if spawner else "main",
        cwd=cwd,
        git_branch=branch if branch != "HEAD" else "",
        models=tuple(fold.models),
        started=fold.started or fold.opened,
        # Old rollouts have no times but the header's. The file's own time says when it was copied, not when it was
        # written: a page is a function of the session alone.
        ended=fold.ended or fold.started or fold.opened,
        bad_lines=parsed.bad_lines,
        offered=tuple(fold.offered),
        turns=turns(drafts),
    )
    spoken = (title_line(t.text) for t in session.turns if t.role in ("user", "system") and t.origin != "command")
    session = replace(session, title=title_line(fold.title) or next(filter(None, spoken), ""))
    reason = _nothing(session, parsed.copied > 0)
    return replace(
        parsed,
        session=None if reason else session,
        skipped=reason,
        cwds=tuple(fold.cwds),
        children=tuple(fold.children),
        repository=repository.root(cwd),
        remote=(meta.git.repository_url or "") if meta.git else "",
    )


def _spawner(meta: Payload) -> str:
    """The thread that started this one as its subagent, "" when a person did."""
    source = arguments.decoded(meta.source)
    sub = source.get("subagent") if isinstance(source, dict) else None
    if sub is None:
        return ""
    spawn = sub.get("thread_spawn") if isinstance(sub, dict) else None
    told = spawn.get("parent_thread_id") if isinstance(spawn, dict) else None
    return str(told or meta.parent_thread_id or meta.forked_from_id or "unknown")


def _not_a_person(drafts: Sequence[Draft]) -> None:
    """What a subagent is told, its parent agent says."""
    for draft in drafts:
        if draft.role == "user" and draft.origin == "typed":
            draft.role, draft.origin = "system", ""


def _nothing(session: Session, copied: bool) -> str:
    """Why a session is not worth a page, "" when it is."""
    if any(t.role == "user" and t.text and t.origin not in ("command", "interrupt") for t in session.turns):
        return ""
    acted = any(t.role in ("assistant", "tool") for t in session.turns)
    if copied and not acted:
        return "copy"
    return "" if acted and (copied or session.kind == "subagent") else "no-prompt"


# -- relatives


def head(source: Source) -> Head:
    """The thread's own id and those that it was forked or spawned from. Reads the first lines only."""
    return codex_family.head(source)


def split(family: Sequence[Source]) -> dict[str, Claims]:
    """Path -> numbers of the lines that a thread replays from its parent."""
    return codex_family.split(family)


def holds(source: Source, key: str) -> bool:
    """Never: a rollout names its parent."""
    return False
