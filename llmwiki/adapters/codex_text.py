"""What of a Codex user item a person typed, and what the program put there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection

import msgspec

from llmwiki.adapters import arguments
from llmwiki.adapters.codex_records import Part, Payload

REQUEST = "## My request for Codex:"
_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<INSTRUCTIONS>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<skill>",
    "<collaboration_mode>",
    "<apps_instructions>",
    "<skills_instructions>",
    "<plugins_instructions>",
    "<model_switch>",
    "<context>",
    "# AGENTS.md instructions",
    "# CLAUDE.md instructions",
)
_CWD = re.compile(r"<cwd>([^<\n]+)</cwd>|Current working directory: ([^\n]+)")
_REJECTED = ("exec command rejected by user", "patch rejected by user", "rejected by user", "user rejected")


def prompt(text: str) -> str:
    """What the person typed, without what their editor put before it; "" when nothing of the text is theirs."""
    start = text.lstrip()[:60]
    if start.startswith(_INJECTED):
        return ""
    if start.startswith("# Context from my IDE setup:") and REQUEST in text:
        return text[text.index(REQUEST) + len(REQUEST) :].strip("\r\n")
    return text if start else ""


def instructed(text: str) -> bool:
    """Whether a text of the user's role is the program's own."""
    return text.lstrip()[:60].startswith(_INJECTED)


def working_folder(text: str) -> str:
    """The working folder that an `<environment_context>` names, "" when it names none."""
    found = _CWD.search(text[:4000]) if "environment_context" in text[:200] else None
    return (found[1] or found[2]).strip() if found else ""


def flat(content: str | list[Part] | None) -> str:
    """The text of a content, its pictures as marks."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = ("[image]" if "image" in p.type else p.text or "" for p in content)
    return "\n".join(p for p in parts if p)


def called(payload: Payload, cwds: Collection[str] = ()) -> tuple[str, str]:
    """(name of the tool, its arguments as text) of a call of any kind.

    A command that was to run in a folder below one of `cwds` gets the `cd` that this stands for: where a check runs is
    half of how it is run.
    """
    if payload.type == "local_shell_call":
        return "shell", arguments.command(payload.action.command) if payload.action else ""
    if payload.type == "web_search_call":
        return "web_search", (payload.action.query or payload.action.url or "") if payload.action else ""
    if payload.type == "image_generation_call":
        return "image_generation", ""
    name = payload.name or "unknown"
    name = f"{payload.namespace}{name}" if payload.namespace else name
    given = _value(payload.input if payload.type == "custom_tool_call" else payload.arguments)
    if name == "apply_patch" and isinstance(given, dict) and isinstance(given.get("input"), str):
        given = given["input"]
    text = arguments.arguments(name, given)
    folder = given.get("workdir") if isinstance(given, dict) and ("command" in given or "cmd" in given) else None
    return name, f"cd {shlex.quote(below)} && {text}" if (below := _below(folder, cwds)) and text else text


def _below(folder: object, cwds: Collection[str]) -> str:
    """The way from a session's folder down to another one; "" when it is none of its own."""
    if not isinstance(folder, str) or folder in cwds:
        return ""
    return next((folder[len(c) + 1 :] for c in cwds if c and folder.startswith(f"{c.rstrip('/')}/")), "").strip("/")


def _value(raw: msgspec.Raw) -> object:
    """Arguments come as JSON inside a string; what is no JSON is taken as it stands."""
    value = arguments.decoded(raw)
    if isinstance(value, str) and value[:1] in "{[":
        inner = arguments.decoded(value.encode("utf-8", "replace"))
        return value if inner is None else inner
    return value


def returned(raw: msgspec.Raw) -> tuple[str, int | None]:
    """(output as text, exit code or None) of any of the shapes that outputs had."""
    value = arguments.decoded(raw)
    code: int | None = None
    if isinstance(value, str) and value.startswith("{"):
        inner = arguments.decoded(value.encode("utf-8", "replace"))
        value = inner if isinstance(inner, dict) and ("output" in inner or "metadata" in inner) else value
    if isinstance(value, dict):
        meta = value.get("metadata")
        found = meta.get("exit_code") if isinstance(meta, dict) else None
        code = found if isinstance(found, int) else None
        value = value.get("output", value.get("content", value))
    if isinstance(value, list):
        parts = [p for p in value if isinstance(p, dict)]
        value = "\n".join("[image]" if "image" in str(p.get("type")) else str(p.get("text") or "") for p in parts)
    text = value if isinstance(value, str) else "" if value is None else arguments.compact(value)
    return text, code if code is not None else arguments.exit_code_within(text)


def rejected(text: str) -> bool:
    """Whether an output says that the person refused the call."""
    return text[:80].lower().startswith(_REJECTED)


def answered(asked: object, raw: msgspec.Raw) -> str:
    """The questions of `request_user_input` with the person's answers, "" when there are none."""
    given = arguments.decoded(raw)
    if isinstance(given, str):
        given = arguments.decoded(given.encode("utf-8", "replace"))
    answers = given.get("answers") if isinstance(given, dict) else None
    if not isinstance(answers, dict):
        return ""
    listed = asked.get("questions") if isinstance(asked, dict) else None
    questions = {q.get("id"): q.get("question") for q in listed or () if isinstance(q, dict)}
    out = []
    for key, answer in answers.items():
        said = answer.get("answers") if isinstance(answer, dict) else answer
        spoken = ", ".join(map(str, said)) if isinstance(said, list) else str(said)
        out.append(f"Q: {questions.get(key) or key}\nA: {spoken}")
    return "\n\n".join(out)
