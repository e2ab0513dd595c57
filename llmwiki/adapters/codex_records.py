"""The lines of a Codex rollout, new and old, in one shape.

New lines are `{timestamp, type, payload}`; the old format wrote a header line and then the bare items. An old line is
read as if it were the payload of a new one.
"""

from __future__ import annotations

from typing import Any

import msgspec

from llmwiki.adapters import jsonl

_EMPTY = msgspec.Raw(b"null")
TYPES = frozenset(
    "session_meta turn_context response_item event_msg compacted inter_agent_communication world_state".split()
)
ITEMS = frozenset(
    "message reasoning function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call "
    "local_shell_call_output web_search_call ghost_snapshot tool_search_call tool_search_output image_generation_call "
    "compaction compaction_summary context_compaction agent_message other".split()
)
EVENTS = frozenset(
    "user_message agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break token_count "
    "turn_aborted task_started task_complete turn_started turn_complete context_compacted thread_rolled_back "
    "patch_apply_begin patch_apply_end mcp_tool_call_begin mcp_tool_call_end web_search_begin web_search_end "
    "entered_review_mode exited_review_mode item_started item_completed exec_command_begin exec_command_end error "
    "stream_error warning background_event turn_diff plan_update undo_started undo_completed thread_name_updated "
    "view_image_tool_call image_generation_begin image_generation_end dynamic_tool_call_request "
    "dynamic_tool_call_response request_user_input collab_agent_spawn_begin collab_agent_spawn_end "
    "thread_settings_applied thread_goal_updated sub_agent_activity guardian_assessment model_reroute".split()
)


class Part(msgspec.Struct):
    type: str = ""
    text: str | None = None


class Git(msgspec.Struct):
    branch: str | None = None
    repository_url: str | None = None


class Action(msgspec.Struct):
    type: str | None = None
    query: str | None = None
    url: str | None = None
    command: list[str] | None = None


class Payload(msgspec.Struct):
    """A payload of any type. Names are those of the file."""

    type: str = ""
    id: str | None = None
    role: str | None = None
    content: str | list[Part] | None = None
    summary: str | list[Part] | None = None
    name: str | None = None
    namespace: str | None = None
    call_id: str | None = None
    arguments: msgspec.Raw = _EMPTY
    input: msgspec.Raw = _EMPTY
    output: msgspec.Raw = _EMPTY
    action: Action | None = None
    status: str | None = None
    message: str | None = None
    text: str | None = None
    kind: str | None = None
    images: list[msgspec.Raw] | None = None
    local_images: list[msgspec.Raw] | None = None
    exit_code: int | None = None
    num_turns: int | None = None
    reason: str | None = None
    turn_id: str | None = None
    user_facing_hint: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    model: str | None = None
    source: msgspec.Raw = _EMPTY
    git: Git | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    thread_name: str | None = None
    record_type: str | None = None


class Line(msgspec.Struct):
    type: str = ""
    timestamp: str | None = None
    payload: Payload | None = None
    record_type: str | None = None
    id: str | None = None
    session_id: str | None = None


_new = msgspec.json.Decoder(Line).decode
_bare = msgspec.json.Decoder(Payload).decode


def decode(line: bytes) -> Line:
    """A line as a Line; an item of the old format gets the envelope that it lacks."""
    read = _new(line)
    return read if read.payload is not None else _wrapped(read, line)


def _wrapped(read: Line, line: bytes) -> Line:
    if read.type in ITEMS:
        return Line("response_item", read.timestamp, _bare(line))
    if not read.type and read.id and read.timestamp and read.record_type is None:
        return Line("session_meta", read.timestamp, _bare(line))
    return read


def refit(value: dict[str, Any]) -> Line:
    """A Line from a dict of odd shape: fields that do not fit are left out, one by one."""
    value = dict(value)
    if isinstance(part := value.get("payload"), dict):
        part = {k: _parts(v) if k in ("content", "summary") else v for k, v in part.items()}
        value["payload"] = jsonl.fields_that_fit(part, _bare)
    else:
        value = {k: _parts(v) if k in ("content", "summary") else v for k, v in value.items()}
        value = jsonl.fields_that_fit(value, _bare)
    return decode(msgspec.json.encode({k: v for k, v in value.items() if k != "timestamp" or isinstance(v, str)}))


def _parts(content: Any) -> Any:
    if not isinstance(content, list):
        return content if isinstance(content, str) else None
    out = []
    for part in content:
        part = {"type": "text", "text": part} if isinstance(part, str) else part
        if isinstance(part, dict):
            out.append({k: v for k, v in part.items() if k in ("type", "text") and isinstance(v, str)})
    return out
