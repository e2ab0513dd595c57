"""An agent's settings with our hooks in them, and without: JSON text to JSON text, every other byte as it was.

The file belongs to a person and to the agent. So it is not parsed and printed again, which would lay out their lists
anew: what is ours is put between their bytes, and cut out from between them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from llmwiki.errors import WikiError

MARK = "--hook claude-code"
# Event of Claude Code -> (our command, seconds after which Claude Code ends it). Ours give up a little earlier.
# SessionEnd has 1.5 seconds for all hooks together unless a hook's own timeout says more.
EVENTS = {"UserPromptSubmit": ("context", 5), "SessionEnd": ("sync", 15)}
EMPTY = "{}"
_OURS = re.compile(rf"""(?:^|[/\s'"])llmwiki['"]?\s+(?:context|sync)\s(?:.*\s)?{MARK}(?=\s|$)""")
_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder()


class Part(NamedTuple):
    """A member of an object, or an element of an array (then without a key), and where it stands in the text."""

    key: str
    start: int
    value: int
    end: int


class Entry(NamedTuple):
    """One hook of ours: where it is called, and what."""

    event: str
    command: str


def is_ours(command: object) -> bool:
    """Whether a hook's command is one that `install` wrote, by this program or an older one of another place."""
    return isinstance(command, str) and bool(_OURS.search(command))


def entries(text: str) -> list[Entry]:
    """Our hooks in a settings file, in its order. ValueError when it is no JSON."""
    settings = json.loads(text)
    return [Entry(event, str(command)) for event, command, _ in _walk(settings) if is_ours(command)]


def are_off(text: str) -> bool:
    """Whether the person has switched off every hook of this file. ValueError when it is no JSON."""
    settings = json.loads(text)
    return isinstance(settings, dict) and settings.get("disableAllHooks") is True


def installed(text: str, commands: Mapping[str, str], name: str) -> str:
    """The settings `text` with each event's command; the same bytes when they are there already.

    WikiError, naming the file by `name`, when it is not what the agent itself could read.
    """
    _check(text, name)
    if sorted(entries(text)) == sorted(Entry(*one) for one in commands.items()):
        return text
    text = removed(text, name)
    for event, command in commands.items():
        text = _with_hook(text, event, command)
    return text


def removed(text: str, name: str) -> str:
    """The settings without our hooks, and without the lists and objects that held nothing else. WikiError as above."""
    _check(text, name)
    while place := _first_of_ours(text):
        text = _without(text, *place)
    return text


def _check(text: str, name: str) -> None:
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise WikiError(f"{name} is not valid JSON ({cause}); mend it, it was not touched") from None
    hooks = settings.get("hooks", {}) if isinstance(settings, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(hooks.get(event, []), list) for event in EVENTS):
        raise WikiError(f"the hooks in {name} do not have the form that Claude Code reads; mend it, it was not touched")


def _walk(settings: Any) -> Iterator[tuple[str, object, tuple[int, int]]]:
    """(event, command, (number of its group, number in the group)) of every hook that has the usual form."""
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for g, group in enumerate(groups if isinstance(groups, list) else ()):
            inside = group.get("hooks") if isinstance(group, dict) else None
            for n, hook in enumerate(inside if isinstance(inside, list) else ()):
                if isinstance(hook, dict):
                    yield event, hook.get("command"), (g, n)


def _first_of_ours(text: str) -> tuple[int, int] | None:
    """What to cut so that one hook of ours is gone: (where its container stands, number of the part in it).

    It is the hook, or the outermost thing around it that holds nothing else.
    """
    found = next(((e, at) for e, command, at in _walk(json.loads(text)) if is_ours(command)), None)
    if not found:
        return None
    event, (g, n) = found
    top = _skipped(text, 0)
    hooks = _number(text, top, "hooks")
    events = _parts(text, top)[hooks].value
    groups_at = _number(text, events, event)
    groups = _parts(text, events)[groups_at].value
    group = _parts(text, groups)[g].value
    inside = _parts(text, group)[_number(text, group, "hooks")].value
    for container, number in ((inside, n), (groups, g), (events, groups_at)):
        if len(_parts(text, container)) > 1:
            return container, number
    return top, hooks


def _with_hook(text: str, event: str, command: str) -> str:
    group = {"hooks": [{"type": "command", "command": command, "timeout": EVENTS[event][1]}]}
    top = _skipped(text, 0)
    number = _number(text, top, "hooks")
    if number < 0:
        return _with(text, top, "hooks", {event: [group]})
    events = _parts(text, top)[number].value
    number = _number(text, events, event)
    if number < 0:
        return _with(text, events, event, [group])
    return _with(text, _parts(text, events)[number].value, "", group)


# -- JSON as text


def _skipped(text: str, at: int) -> int:
    """Where the next character stands that is no white space."""
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _parts(text: str, at: int) -> list[Part]:
    """The parts of the object or array that opens at `at`, in a text that is known to be JSON."""
    found: list[Part] = []
    keyed, at = text[at] == "{", _skipped(text, at + 1)
    while text[at] not in "}]":
        start, key = at, ""
        if keyed:
            key, at = _DECODER.raw_decode(text, at)
            at = _skipped(text, _skipped(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        found.append(Part(key, start, at, end))
        at = _skipped(text, end)
        if text[at] == ",":
            at = _skipped(text, at + 1)
    return found


def _number(text: str, at: int, key: str) -> int:
    """Which part of an object has this key, -1 when none has. Of two the last one counts, as in every JSON reader."""
    return max((n for n, part in enumerate(_parts(text, at)) if part.key == key), default=-1)


def _close(text: str, at: int) -> int:
    """Where the container that opens at `at` closes."""
    return _DECODER.raw_decode(text, at)[1] - 1


def _without(text: str, at: int, number: int) -> str:
    """The text without one part of the container at `at`, nor the comma and the white space that set it apart."""
    parts = _parts(text, at)
    if len(parts) == 1:
        return text[: at + 1] + text[_close(text, at) :]
    if number:
        return text[: parts[number - 1].end] + text[parts[number].end :]
    return text[: parts[0].start] + text[parts[1].start :]


def _with(text: str, at: int, key: str, value: object) -> str:
    """The text with one part more at the end of the container at `at`, laid out as the file is."""
    parts, close = _parts(text, at), _close(text, at)
    named = f"{json.dumps(key)}: " if key else ""
    if parts and "\n" not in text[at:close]:
        end = parts[-1].end
        return f"{text[:end]}, {named}{json.dumps(value, ensure_ascii=False)}{text[end:]}"
    unit = _unit(text)
    outer = _indent(text, at)
    inner = _indent(text, parts[0].start) if parts else outer + unit
    line = "\r\n" if "\r\n" in text else "\n"
    written = named + json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", line + inner)
    if parts:
        end = parts[-1].end
        return f"{text[:end]},{line}{inner}{written}{text[end:]}"
    return f"{text[: at + 1]}{line}{inner}{written}{line}{outer}{text[close:]}"


def _indent(text: str, at: int) -> str:
    """The white space at the beginning of the line in which `at` stands."""
    start = text.rfind("\n", 0, at) + 1
    end = start
    while end < at and text[end] in " \t":
        end += 1
    return text[start:end]


def _unit(text: str) -> str:
    """By how much this file indents; two spaces where it does not say."""
    top = _skipped(text, 0)
    parts = _parts(text, top)
    return _indent(text, parts[0].start) if parts and "\n" in text[top : parts[0].start] else "  "
