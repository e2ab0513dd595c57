"""The part of YAML that we write ourselves, read and written without a YAML parser.

A hook at a prompt reads a few pages and has no time to import one. `quick` gives what libyaml would give, or nothing;
what `entry` writes is read as the same string by every YAML loader, 1.1 or 1.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DEEPEST = 50  # lists within lists
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
# What some YAML loader or other reads as no string, although it looks like a word.
_SURPRISES = frozenset("y yes n no on off true false null none nan inf e".split())
_SAFE_PLAIN = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_./+-]*[A-Za-z0-9_])?")
_WAS_PLAIN = re.compile(r"[A-Za-z0-9_+-](?:[A-Za-z0-9_.:/+-]*[A-Za-z0-9_])?")
_ESCAPED = re.compile(r'["\\\x00-\x1f\x7f-\xa0\xad\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class Plain(str):
    """Text that stood there unquoted, so that `5`, `1.10` or a date in somebody's own key is written back as it was."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Head:
    """Keys with their values, and the 1-based line of the page on which each key stands."""

    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


# --- reading

_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*):(?: (\S.*))?\Z")
_TOKEN = re.compile(
    r'(?P<mark>[\[\]{}]|, ?)|"(?P<quoted>(?:[^"\\]|\\["\\nt])*)"|(?P<plain>[A-Za-z0-9_][A-Za-z0-9_./+-]*)(?P<key>: )?'
)
_WORDS = re.compile(r"[A-Za-z][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+-]+)+")  # a title as a person writes it
_UNESCAPED = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\t": "\t"}


def quick(head: str) -> Head | None:
    """What `load` gives, or None when the block holds anything beyond the subset that `entry` writes."""
    if not head.replace("\n", "").isprintable():  # tabs, CR and what else libyaml has its own mind about
        return None
    found = Head()
    key = ""
    for number, line in enumerate(head.removesuffix("\n").split("\n") if head else (), 2):
        if line.startswith("  - ") and key:
            if not _quick_item(found, key, line[4:]):
                return None
            continue
        match = _LINE.match(line)
        if not match or match[1] in found.values:
            return None
        key, text = match[1], match[2]
        if text is None:
            found.values[key] = None
        elif (read := _quick_value(text)) is not None:
            found.values[key], key = read[0], ""
        else:
            return None
        found.lines[match[1]] = number
    return found


def _quick_item(found: Head, key: str, text: str) -> bool:
    read = _quick_value(text)
    if read is None:
        return False
    found.values[key] = [*(found.values[key] or ()), read[0]]
    return True


def _quick_value(text: str) -> tuple[Any] | None:
    """A one-tuple of the value of one whole line, None when it is beyond the subset."""
    if _WORDS.fullmatch(text):
        return (Plain(text),)
    tokens = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            return None
        tokens.append(match)
        at = match.end()
    try:
        value, used = _quick_node(tokens, 0, 0)
    except LookupError:
        return None
    return (value,) if used == len(tokens) else None


def _quick_node(tokens: Sequence[re.Match[str]], at: int, depth: int) -> tuple[Any, int]:
    """The value that begins at a token, and the token behind it. Raises LookupError beyond the subset."""
    token = tokens[at]
    if token["quoted"] is not None:
        return re.sub(r"\\.", lambda m: _UNESCAPED[m[0]], token["quoted"]), at + 1
    if token["plain"] is not None and not token["key"]:
        return plain_value(token["plain"]), at + 1
    if token["mark"] not in ("[", "{") or depth > DEEPEST:
        raise LookupError
    end = "]" if token["mark"] == "[" else "}"
    items: list[Any] = []
    keyed: dict[str, Any] = {}
    at += 1
    while tokens[at]["mark"] != end:
        if items or keyed:
            if tokens[at]["mark"] != ", ":
                raise LookupError
            at += 1
        if end == "}":
            key = tokens[at]["plain"] if tokens[at]["key"] else None
            if key is None or key in keyed:
                raise LookupError
            keyed[key], at = _quick_node(tokens, at + 1, depth + 1)
        else:
            value, at = _quick_node(tokens, at, depth + 1)
            items.append(value)
    return (keyed if end == "}" else items), at + 1


def plain_value(text: str) -> Any:
    """What an unquoted scalar means: None, a truth value, or its own text."""
    return None if text in NULLS else BOOLS.get(text, Plain(text))


# --- writing


def clean(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD: they cannot be written as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def quoted(text: str) -> str:
    """A double-quoted scalar on one line that every YAML loader reads as this string."""
    return f'"{_ESCAPED.sub(_escape, clean(text))}"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return _SHORT.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")


def scalar(value: Any, quote: bool = False) -> str:
    """One value in flow style: quoted when `quote` or where plain text would read as something else.

    >>> scalar("spec-kit"), scalar("no"), scalar("523e0529"), scalar(None), scalar(["a", "1"])
    ('spec-kit', '"no"', '"523e0529"', 'null', '[a, "1"]')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(str(k))}: {scalar(v, quote)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(scalar(v, quote) for v in value) + "]"
    text = str(value)
    if isinstance(value, Plain) and not quote and _WAS_PLAIN.fullmatch(text):
        return text
    safe = _SAFE_PLAIN.fullmatch(text) and text.lower() not in _SURPRISES
    return text if safe and not quote else quoted(text)


def entry(key: str, value: str | Sequence[str]) -> list[str]:
    """The lines of one key: `value` is a scalar as written, or a sequence of them for a block list."""
    name = scalar(key)
    return [f"{name}: {value}"] if isinstance(value, str) else [f"{name}:", *(f"  - {item}" for item in value)]
