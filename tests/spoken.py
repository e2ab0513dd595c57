"""What the tests of adapters share: sources, reading them all, and records as Claude Code writes them."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from llmwiki import adapters
from llmwiki.adapters import ownership
from llmwiki.adapters.base import Alone, Parsed
from llmwiki.model import Session, Source, Turn

SESSIONS = Path(__file__).parent / "sessions"
GOLDEN = Path(__file__).parent / "golden" / "adapters"
MAIN = "3f0c2a10-5d1e-4c7b-9a44-0b6d1e2f3a01"
FORK = "7a9b1c22-6e2f-4d8c-8b55-1c7e2f3a4b02"
THREAD = "0195a000-1111-7000-8000-00000000a001"
CHILD = "0195a000-2222-7000-8000-00000000a002"


def found(agent: str, root: Path) -> list[Source]:
    """Every source below a root, with one time for all: the golden files know no clock."""
    return [dataclasses.replace(s, mtime_ns=1_772_000_000_000_000_000) for s in adapters.load(agent).discover(root)]


def read_all(agent: str, sources: Iterable[Source]) -> dict[str, Parsed]:
    adapter, sources = adapters.load(agent), list(sources)
    known = ownership.Ownership(adapter, sources, ownership.heads(adapter, sources))
    return {s.key: adapter.read(s, known) for s in sources}


def shown(parsed: Parsed) -> dict[str, Any]:
    """What a golden file holds: every field that says something."""
    values = dataclasses.asdict(parsed)
    session = values.pop("session") or {}
    turns = [{k: v for k, v in t.items() if v not in ("", 1) or k == "number"} for t in session.pop("turns", ())]
    parts: list[Mapping[str, Any]] = [values, session]
    return {k: v for part in parts for k, v in part.items() if v not in ("", 0, (), {}, False)} | {"turns": turns}


def turns(parsed: Parsed, role: str = "user") -> list[Turn]:
    assert parsed.session is not None, parsed.skipped
    return [t for t in parsed.session.turns if t.role == role]


def session(parsed: Parsed) -> Session:
    assert parsed.session is not None, parsed.skipped
    return parsed.session


def lines(*records: Mapping[str, Any]) -> bytes:
    return b"".join(json.dumps(r).encode() + b"\n" for r in records)


def claude(path: Path, data: bytes) -> Parsed:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return adapters.load("claude-code").read(Source("claude-code", str(path), path.stem, len(data), 0), Alone())


_ids = itertools.count(1)


def said(text: Any, session_id: str = "s1", **more: Any) -> dict[str, Any]:
    uuid = f"{next(_ids):08x}-1111-4111-8111-111111111111"
    record = {"type": "user", "uuid": uuid, "sessionId": session_id, "timestamp": "2026-03-01T10:00:00.000Z"}
    return {**record, "cwd": "/code/x", "message": {"role": "user", "content": text}, **more}


def replied(*blocks: Mapping[str, Any], session_id: str = "s1", id: str = "", **more: Any) -> dict[str, Any]:
    record = said("", session_id, **more)
    message = {"id": id or record["uuid"], "role": "assistant", "model": "m-1", "content": list(blocks)}
    return {**record, "type": "assistant", "message": message}


def ran(id: str, name: str = "Bash", **given: Any) -> dict[str, Any]:
    return replied({"type": "tool_use", "id": id, "name": name, "input": given})


def came_back(id: str, content: Any, error: bool | None = None, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": id, "content": content}
    return said([block if error is None else {**block, "is_error": error}], **more)


def texts(parsed: Parsed) -> list[str]:
    return [t.text for t in session(parsed).turns]
