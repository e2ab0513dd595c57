"""The records of a Claude Code transcript, as far as they are looked at, and how oddly shaped ones are made to fit.

The rest of a line is skipped without being decoded: half of a transcript's bytes are copies that the envelope keeps.
"""

from __future__ import annotations

from typing import Any

import msgspec

from llmwiki.adapters import jsonl

_EMPTY = msgspec.Raw(b"null")
# Every type that is known, looked at or not. Others are counted, so that a new release is noticed.
TYPES = frozenset(
    "user assistant system summary progress attachment file-history-snapshot file-history-delta queue-operation "
    "last-prompt permission-mode ai-title custom-title agent-name pr-link mode relocated worktree-state atis-latch "
    "cost-state agent-color agent-setting content-replacement marble-origami-commit bridge-session".split()
)


class Media(msgspec.Struct):
    type: str | None = None
    media_type: str | None = None


class Block(msgspec.Struct):
    """One block of a message: text, thinking, an image, a tool's call or its result."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = _EMPTY
    tool_use_id: str | None = None
    content: str | list[Block] | None = None
    is_error: bool | None = None
    source: Media | None = None
    tool_name: str | None = None
    title: str | None = None


class Message(msgspec.Struct):
    id: str | None = None
    model: str | None = None
    content: str | list[Block] | None = None


class Origin(msgspec.Struct):
    kind: str | None = None


class Attachment(msgspec.Struct):
    type: str = ""
    prompt: str | list[Block] | None = None
    commandMode: str | None = None
    origin: Origin | None = None
    content: msgspec.Raw = _EMPTY
    stdout: str | None = None


class Line(msgspec.Struct):
    """One line. Names are those of the file."""

    type: str = ""
    uuid: str | None = None
    parentUuid: str | None = None
    sessionId: str | None = None
    agentId: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    subtype: str | None = None
    isSidechain: bool | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isApiErrorMessage: bool | None = None
    promptSource: str | None = None
    planContent: str | None = None
    origin: Origin | None = None
    message: Message | None = None
    toolUseResult: msgspec.Raw = _EMPTY
    attachment: Attachment | None = None
    operation: str | None = None
    content: str | list[Block] | None = None
    summary: str | None = None
    leafUuid: str | None = None
    customTitle: str | None = None
    aiTitle: str | None = None
    session_id: str | None = None


class Top(msgspec.Struct):
    """A line as far as ownership looks at it."""

    type: str = ""
    uuid: str | None = None
    parentUuid: str | None = None
    timestamp: str | None = None
    operation: str | None = None
    subtype: str | None = None
    isSidechain: bool | None = None
    message: Ident | None = None


class Ident(msgspec.Struct):
    id: str | None = None


decode_line = msgspec.json.Decoder(Line).decode
decode_top = msgspec.json.Decoder(Top).decode
_decode_block = msgspec.json.Decoder(Block).decode
_decode_message = msgspec.json.Decoder(Message).decode


def refit(value: dict[str, Any]) -> Line:
    """A Line from a dict of odd shape: what does not fit is left out, block by block, field by field."""
    value = dict(value)
    for key in ("message", "attachment"):
        if isinstance(part := value.get(key), dict):
            value[key] = _message(part)
    value["content"] = _blocks(value.get("content"))
    return decode_line(msgspec.json.encode(jsonl.fields_that_fit(value, decode_line)))


def refit_top(value: dict[str, Any]) -> Top:
    return decode_top(msgspec.json.encode(jsonl.fields_that_fit(value, decode_top)))


def _message(part: dict[str, Any]) -> dict[str, Any]:
    part = dict(part)
    for key in ("content", "prompt"):
        if key in part:
            part[key] = _blocks(part[key])
    kept = jsonl.fields_that_fit({k: v for k, v in part.items() if k in ("id", "model", "content")}, _decode_message)
    return {**{k: v for k, v in part.items() if k not in ("id", "model", "content")}, **kept}


def _blocks(content: Any) -> Any:
    """Content as a list of blocks that fit: a bare string in the list is text, an odd field of a block is dropped."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else None
    out: list[dict[str, Any]] = []
    for block in content:
        if isinstance(block, str):
            out.append({"type": "text", "text": block})
        elif isinstance(block, dict):
            block = dict(block)
            if "content" in block:
                inner = block["content"]
                block["content"] = _blocks([inner] if isinstance(inner, dict) else inner)
            out.append(jsonl.fields_that_fit(block, _decode_block))
    return out
