"""A tool's arguments and results as text that a person can read, the same every time."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import msgspec

_EXIT = re.compile(r"\A(?:Error:\s*)?Exit code:? (-?\d{1,10})\b")
_EXIT_ANYWHERE = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,10})\b", re.M)
_EXIT_TAG = re.compile(r"<exit_code>(-?\d{1,10})</exit_code>")


def arguments(tool: str, value: Any) -> str:
    """A command as it was typed; anything else as `key: value` lines in the order of the source.

    >>> arguments("Bash", {"command": "make test", "description": "Run the tests"})
    'make test'
    >>> arguments("Edit", {"file_path": "a.py", "old_string": "x = 1\\ny = 2", "new_string": "x = 2"})
    'file_path: a.py\\nold_string:\\nx = 1\\ny = 2\\nnew_string: x = 2'
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return "" if value is None else compact(value)
    for key in ("command", "cmd"):
        if key in value and (spoken := command(value[key])) and not tool.startswith("mcp__"):
            return spoken
    return "\n".join(_pair(key, part) for key, part in value.items())


def _pair(key: str, part: Any) -> str:
    text = part if isinstance(part, str) else compact(part)
    return f"{key}:\n{text}" if "\n" in text else f"{key}: {text}"


def command(value: Any) -> str:
    """A command line from a string or a list of words; `bash -lc` around it is left out."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        return ""
    if len(value) in (3, 4) and value[-2] in ("-lc", "-c", "-Command"):
        return str(value[-1])
    return shlex.join(value)


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def decoded(raw: bytes | msgspec.Raw) -> Any:
    """The value of a piece of JSON, None when it is broken."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def exit_code(text: str) -> int | None:
    """The exit code that a shell's output begins with, None when it names none."""
    found = _EXIT.match(text[:80]) or (_EXIT_TAG.search(text[:2000]) if "<exit_code>" in text[:2000] else None)
    return int(found[1]) if found else None


def exit_code_within(text: str) -> int | None:
    """The exit code on a line of its own near the start of an output."""
    found = _EXIT_ANYWHERE.search(text[:600])
    return int(found[1]) if found else None


def outcome(failed: bool, code: int | None) -> str:
    """ok, `error N`, or error without a number."""
    if code:
        return f"error {code}"
    return "error" if failed else "ok"
