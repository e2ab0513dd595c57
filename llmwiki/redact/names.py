"""Secrets told by the name that they are given: `API_KEY=…`, `"password": "…"`, `--token …`, headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from llmwiki.redact import rules
from llmwiki.redact.finding import Finding
from llmwiki.redact.values import is_basic, is_code, is_digest, looks_random, mixed, placeholder, strength

# Between a name and its value. Quotes may be escaped to any depth a transcript nests them.
_Q = r"\\{0,8}[\"'`]"
_SEPARATOR = rf"""
    (?:{_Q})?[\])]{{0,2}}[ \t]{{0,40}}
    (?: (?::[ \t]*&?[A-Za-z][\w.\[\]| ]{{0,30}}?[ \t]+)?=(?![=~])>?[ \t]*   # name = , name: str =
      | (?::=|\?\?=?|\|\|=?|===?|!==?|\+=|=>|->|→|%3[Dd]|\\u003[dD])[ \t]*
      | :(?![:/])[ \t]*
      | {_Q}[ \t]*,[ \t]*{_Q}?(?:value|Value|val){_Q}?[ \t]*[:=][ \t]*      # "name": "KEY", "value": "…"
    )
"""
_SCHEME = rf"(?:(?i:{rules.SCHEMES})(?:[ \t]+|%20|\+))?"
_NAMED = re.compile(
    rf"""(?P<rest>[\w.-]{{0,40}}+){_SEPARATOR}(?:[brfu]{{1,2}}(?=["']))?
    (?P<open>{_Q})?{_SCHEME}(?P<value>[^\s"'`<>\\]{{4,400}})""",
    re.VERBOSE,
)
_LOOSE = re.compile(
    rf"""(?P<rest>[\w.-]{{0,40}}+)
    (?: [ \t]{{1,4}}(?P<is>is|was|as|to|are)[ \t:]{{1,3}}
      | {_Q}?[ \t]{{0,4}},[ \t\n]{{0,40}}(?={_Q})                           # set("name", "value")
      | \([ \t]*(?={_Q})
      | >[ \t\n]*
      | {_Q}[ \t\n]{{1,40}}value[ \t]*=[ \t]*
      | {_Q}?[ \t]*(?:\\n|\n)[ \t-]{{0,40}}value:[ \t]*
      | [ \t|]{{1,8}}
    )
    (?P<open>{_Q})?{_SCHEME}(?P<value>(?=[^\s"'`<>\\]{{0,80}}[0-9])[^\s"'`<>\\]{{6,400}})""",
    re.VERBOSE,
)
_MORE = re.compile(r"[^\s\"'`<>\\]*")
_ENV_LINE = re.compile(r"[A-Z][A-Z0-9_]*")


_WORDS = [(word.encode(), goes_on) for word, goes_on in rules.NAME_HINTS.items()]


def found(text: str, low: bytes) -> Iterator[Finding]:
    for word, goes_on in _WORDS:
        at = low.find(word)
        while at >= 0:
            at += len(word)
            after = text[at : at + 1]
            if not after.islower() or after in goes_on:  # `tokenizer`, `keyboard`, `passed` end here
                found = _after_name(text, at, len(word))
                if found:
                    yield found
                    at = max(at, found.end)
            at = low.find(word, at)


def _after_name(text: str, at: int, size: int) -> Finding | None:
    m = _NAMED.match(text, at)
    if m:
        name = _name_before(text, at - size) + text[at - size : at] + m["rest"]
        found = _value(text, m, name)
        if found:
            return found
    m = _LOOSE.match(text, at)
    return _loose_value(text, m, at - size) if m else None


def _name_before(text: str, at: int) -> str:
    """The part of an identifier that stands before `at`, at most 40 characters."""
    start = at
    while start > 0 and at - start < 40 and (text[start - 1].isalnum() or text[start - 1] in "_-."):
        start -= 1
    return text[start:at]


def _span(text: str, m: re.Match[str], name: str) -> tuple[int, int]:
    """Where the value ends: at the quote, or, without one, where a list, a call or a query goes on."""
    start, end = m.span("value")
    if not m["open"] and not _ENV_LINE.fullmatch(name):
        end = start + len(re.split(r"[,;|(){}\[\]&]", m["value"], maxsplit=1)[0])
    return start, end if m["open"] else start + len(text[start:end].rstrip(".,;:)}]&|"))


def _value(text: str, m: re.Match[str], name: str) -> Finding | None:
    power = strength(name)
    if not power:
        return None
    start, end = _span(text, m, name)
    value = text[start:end]
    shell = bool(_ENV_LINE.fullmatch(name)) and text[start - 1] == "="
    if text[end : end + 1] == "(" or (not m["open"] and is_code(value) and not (shell and "." not in value)):
        return None
    return _finding(text, power, start, end) if _is_secret(value, power, shell) else None


def _finding(text: str, power: int, start: int, end: int) -> Finding:
    """A value is judged by its first 400 characters; the rest of a longer one belongs to it."""
    more = _MORE.match(text, end) if end - start >= 400 else None
    return Finding("password" if power == 3 else "secret", start, more.end() if more else end)


@lru_cache(maxsize=1024)
def _is_secret(value: str, power: int, env: bool) -> bool:
    if is_basic(value):
        return True
    if placeholder(value):
        return False
    if power == 3 and len(value) >= 6:
        return (env and len(value) >= 8) or mixed(value) or value.isdigit() or looks_random(value)
    if power == 2:
        return looks_random(value)
    return len(value) >= 20 and looks_random(value) and mixed(value) and not is_digest(value)


def _loose_value(text: str, m: re.Match[str], at: int) -> Finding | None:
    """`--token X`, `the key is X`, `set("token", "X")`: no sign says that a value follows, so it must look it."""
    name = _name_before(text, at) + text[at : m.end("rest")]
    power = strength(name)
    if power == 0 or (power == 1 and not m["is"] and not name.startswith("--")):
        return None
    start, end = _span(text, m, name)
    value = text[start:end]
    if len(value) < 6 or placeholder(value) or text[end : end + 1] == "(" or is_code(value):
        return None
    told = m["is"] or name.startswith("-") or m["open"] or "login " in text[max(0, at - 80) : at]
    if (looks_random(value, 12) and value.isascii()) or (
        power == 3 and told and mixed(value) and any(map(str.isdigit, value))
    ):
        return _finding(text, power, start, end)
    return None
