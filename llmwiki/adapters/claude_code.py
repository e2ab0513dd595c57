"""Claude Code: transcripts in `<config>/projects/<slug>/`, one file a session, subagents in files of their own.

The folder's name is never decoded (it does not say what it stood for); the working folder is in the records. The native
id of a subagent is `<session>/<agent>`: agent ids alone are short, and their records carry the parent's session id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from llmwiki.adapters import claude_family, jsonl, repository
from llmwiki.adapters.base import Claims, Draft, Find, Head, Known, Parsed, title_line, turns
from llmwiki.adapters.claude_records import Line, decode_line, refit
from llmwiki.adapters.claude_turns import Fold
from llmwiki.adapters.discovery import Walk, is_folder, named_roots
from llmwiki.model import Session, Source

NAME = "claude-code"

_NOT_OURS = ("rollout-", "history.jsonl", "journal.jsonl", "session_index.jsonl", "events.jsonl")
_COPIES = ("agent-acompact-", "agent-aside_question-")


# -- where


def roots(environ: Mapping[str, str], home: Path) -> list[Path]:
    """The configuration folders: those that CLAUDE_CONFIG_DIR names, and only those, else the two usual ones."""
    if named := environ.get("CLAUDE_CONFIG_DIR", "").strip():
        return named_roots(named, home)
    xdg = environ.get("XDG_CONFIG_HOME", "").strip()
    return [home / ".claude", (Path(xdg) if xdg else home / ".config") / "claude"]


def discover(root: Path) -> Iterator[Source]:
    """Every transcript below `root`, sorted: a home, a configuration folder, `projects`, a project, a tree, a file."""
    walk = Walk(NAME)
    if not is_folder(root):
        yield from _single(walk, root)
        return
    projects = _projects(walk, root)
    if projects:
        for folder in projects:
            for project in walk.list(folder):
                yield from _project(walk, project)
    else:
        walk = Walk(NAME)
        loose = (p for p in walk.files(root) if p.suffix == ".jsonl" and not p.name.startswith(_NOT_OURS))
        yield from (s for p in loose if _sniff(p) and (s := _source(walk, p)))
    yield from walk.unlisted


def _projects(walk: Walk, root: Path) -> list[Path]:
    """The `projects` folders that a root means; [] when it holds transcripts some other way."""
    if root.name == "projects":
        return [root]
    near = [root / ".claude" / "projects", root / ".config" / "claude" / "projects"]
    if found := [p for p in near if is_folder(p)]:
        return found
    if is_folder(root / "projects"):
        return [root / "projects"]
    return list(walk.named(root, frozenset({"projects"})))


def _project(walk: Walk, folder: Path) -> Iterator[Source]:
    """The transcripts of one project: its own, and those of subagents below the folders of their sessions."""
    for path in walk.list(folder):
        if path.suffix == ".jsonl":
            if found := _source(walk, path):
                yield found
        elif is_folder(path / "subagents"):
            for inner in walk.files(path / "subagents", follow=False):
                if inner.suffix == ".jsonl" and inner.name.startswith("agent-") and (found := _source(walk, inner)):
                    yield found


def _single(walk: Walk, path: Path) -> Iterator[Source]:
    if path.suffix in (".jsonl", ".json") and not path.name.startswith(_NOT_OURS) and (found := _source(walk, path)):
        yield found


def _source(walk: Walk, path: Path) -> Source | None:
    """A transcript's source. The parent of a subagent is named by the folder, in old releases by the records only."""
    if not path.name.startswith("agent-"):
        return walk.source(path, path.stem)
    above = [p.parent.name for p in path.parents if p.name == "subagents"]
    parent = above[0] if above else ""
    agent = path.stem.removeprefix("agent-")
    return walk.source(path, f"{parent}/{agent}" if parent else path.stem, parent)


def _sniff(path: Path) -> bool:
    """Whether a file of an unknown place is a transcript: one of its first records says so by its shape."""
    try:
        for _, line in jsonl.beginning(str(path), decode_line, refit, 40):
            spoken = line.message is not None and line.message.content is not None
            if line.sessionId and (line.isSidechain is not None or (line.type in ("user", "assistant") and spoken)):
                return True
    except OSError:
        return True  # reading it will say why
    return False


# -- what


def read(source: Source, known: Known, find: Find | None = None) -> Parsed:
    """The session of one transcript. Raises OSError when the file cannot be read.

    Records of a session that has a file of its own are left out as foreign; those of a session without one stay here,
    under this file's id. What `known` claims for an earlier session is left out too.
    """
    tally = jsonl.Tally()
    stem = Path(source.path).stem
    agent = stem.startswith("agent-")
    own = "" if agent else stem
    mine = stem.startswith(_COPIES)
    claims = known.claims(source)
    fold = Fold(claims, tally.unknown, lambda s: not agent and s != own and known.has(s), mine, find)
    with jsonl.opened(source.path) as stream:
        lines = _web(stream.read(), tally) if source.path.endswith(".json") else None
        for number, line in lines or jsonl.records(stream, decode_line, tally, refit):
            fold.feed(number, line)
    parsed = Parsed(
        bad_lines=tally.bad,
        unknown=dict(sorted(tally.unknown.items())),
        bytes=source.size,
        cwds=tuple(fold.cwds),
        own=fold.own,
        copied=fold.copied,
        foreign=fold.foreign,
        waiting=tally.waiting,
    )
    if not any(fold.sessions):
        note = "output of `claude -p --output-format stream-json`, not a transcript" if fold.stream else ""
        return replace(parsed, skipped="no-session-id" if fold.count else "empty", note=note)
    return _finished(parsed, fold, stem, claims)


def _web(whole: bytes, tally: jsonl.Tally) -> Iterator[tuple[int, Line]]:
    """The records of a session that claude.ai gave away as one document; their number is their place in it."""
    values, clean = jsonl.salvage(whole)
    tally.bad += not clean
    for value in values:
        for number, record in enumerate(value.get("loglines") or () if isinstance(value, dict) else (), 1):
            if isinstance(record, dict):
                record.setdefault("sessionId", value.get("sessionId"))
                yield number, refit(record)


def _finished(parsed: Parsed, fold: Fold, stem: str, claims: Claims) -> Parsed:
    """The parsed source with its session, or with the reason why it holds none."""
    sessions = [s for s, elsewhere in fold.sessions.items() if not elsewhere]
    if not sessions:
        return replace(parsed, skipped="copy", note="every record belongs to a session with a file of its own")
    id = stem if stem in sessions else sessions[0]
    kind = "subagent" if stem.startswith("agent-") or (fold.agent and not fold.main) else "main"
    parent = claims.original
    if kind == "subagent":
        parent, id = id, f"{id}/{fold.agent or stem.removeprefix('agent-')}"
    drafts = fold.finish()
    if "agent-acompact-" in stem:
        _own_summary(drafts)
    cwd = next(iter(fold.cwds), "")
    session = Session(
        agent=NAME,
        id=id,
        parent=parent,
        kind=kind,
        cwd=cwd,
        git_branch=fold.branch,
        models=tuple(fold.models),
        started=fold.started or min((d.at for d in drafts if d.at), default=""),
        ended=fold.ended or max((d.at for d in drafts if d.at), default=""),
        bad_lines=parsed.bad_lines,
        offered=tuple(fold.offered),
        turns=turns(drafts),
    )
    session = replace(session, title=title_line(fold.title()) or _first_words(session))
    reason = _nothing(session, drafts, bool(fold.copied))
    base = parent if kind == "subagent" else id
    children = tuple(f"{base}/{child}" for child in fold.children)
    where = repository.root(cwd)
    return replace(parsed, session=None if reason else session, skipped=reason, children=children, repository=where)


def _own_summary(drafts: list[Draft]) -> None:
    """In a compaction's own file the last request is the program's, and what follows it is a summary."""
    asked = [i for i, d in enumerate(drafts) if d.role == "user" and d.origin == "typed"]
    for draft in drafts[asked[-1] :] if asked else drafts:
        if draft.role == "assistant":
            draft.role, draft.thinking = "summary", []
        elif draft.role == "user":
            draft.role, draft.origin = "system", ""


def _first_words(session: Session) -> str:
    """A title from what was said first: by the person, else to the agent, else by it."""
    for origins in (("typed", "queued", "plan"), ("",)):
        for turn in session.turns:
            if turn.role != "tool" and turn.origin in origins and (line := title_line(turn.text)):
                return line
    return ""


def _nothing(session: Session, drafts: Sequence[Draft], copied: bool) -> str:
    """Why a session is not worth a page, "" when it is."""
    spoken = [d for d in drafts if d.role == "user" and d.origin not in ("command", "interrupt") and d.texts]
    acted = [d for d in drafts if d.role in ("assistant", "tool")]
    if spoken:
        return ""
    if copied:
        return "" if acted else "copy"
    if session.kind == "main":
        return "no-prompt"
    told = "".join(d.texts[0] for d in drafts if d.role == "system" and d.texts)
    warming = told.strip() in ("", "Warmup") and all(d.role != "tool" for d in drafts)
    if not acted and any(d.role == "summary" for d in drafts):
        return "copy"
    return "no-prompt" if warming or not acted else ""


# -- relatives

_FIRST = re.compile(r"agent-a[a-z]+_?[a-z]*-")


def head(source: Source) -> Head:
    """The first records' ids. Reads the beginning of the file only."""
    return claude_family.head(source, whole_history=bool(_FIRST.match(Path(source.path).name)))


def split(family: Sequence[Source]) -> dict[str, Claims]:
    """Path -> what belongs to others, for files that share records. Reads all of them once."""
    return claude_family.split(family)


def holds(source: Source, key: str) -> bool:
    """Whether a file holds the record of that uuid."""
    return claude_family.holds(source, key)
