"""Secrets told by what they start with: vendors' tokens, listed or not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from llmwiki.redact import rules
from llmwiki.redact.finding import Finding
from llmwiki.redact.values import either, filling, is_digest, looks_random, mixed, unnamed_token, varied

_CLASSES = bytes(97 if chr(i).isalnum() or i in b"_-" else 32 for i in range(128)) + b" " * 128
_LONG = b"a" * 20
# First two letters -> the prefixes that begin so, longest first: one look-up a place instead of a hundred patterns.
_STARTS: dict[str, list[tuple[str, str, re.Pattern[str]]]] = {}
for _p, (_name, _body) in sorted(rules.PREFIXES.items(), key=lambda row: -len(row[0])):
    _STARTS.setdefault(_p[:2], []).append((_p, _name, re.compile(_body)))
_MARKED = [
    (name, re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])){head}\Z"), re.compile(body))
    for name, head, body in rules.MARKED
]
_TAILS = tuple(rules.TAILS.split())
_DIGIT = re.compile("[0-9]")
_AFTER_MARK = re.compile("[-_](?=" + either(rules.PREFIXES) + ")")
_GLUE = ("\\", "%", "[")
_GLUED = re.compile(r"(?<=\\)(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrtbf])|(?<=%)[0-9A-Fa-f]{2}|(?<=\[)[0-9;]{1,8}m")
_UNNAMED = re.compile(r"([A-Za-z][A-Za-z0-9]{1,11})[_-](?:[a-z]{2,8}[_-]){0,2}([A-Za-z0-9]{20,400})")
_BOT = re.compile(r"[A-Za-z][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,45}(?![\w.-])")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=_-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-])")


def found(text: str, raw: bytes) -> Iterator[Finding]:
    """Vendors' tokens. Each holds a run of 20 and more letters, digits, `_`, `-`: only those are looked at."""
    classes = raw.translate(_CLASSES)
    start = classes.find(_LONG)
    while start >= 0:
        end = classes.find(b" ", start)
        end = len(raw) if end < 0 else end
        yield from _in_run(text, start, end)
        start = classes.find(_LONG, end)


def _in_run(text: str, start: int, end: int) -> Iterator[Finding]:
    if end - start == 36 and text[start + 8] == text[start + 23] == "-":
        return  # a UUID
    token = _vendor(text, start) or _inside(text, start, end)
    if token is None and (text.endswith(_TAILS, 0, start) or text.startswith("AA", start)):
        token = _marked(text, start)
    if token:
        yield token
        if token.rule == "aws":
            yield from _aws_secret(text, token.start, token.end)
    elif end - start >= 23 and _DIGIT.search(text, start, end):
        yield from _unnamed(text, start, end)


def _inside(text: str, start: int, end: int) -> Finding | None:
    """A vendor's token further on in a run: after an escape that is glued to it, or after `-` and `_`."""
    glued = _GLUED.match(text, start) if text[start - 1 : start] in _GLUE else None
    token = _vendor(text, glued.end()) if glued else None
    if token is None:
        for m in islice(_AFTER_MARK.finditer(text, start, end), 32):
            token = token or _vendor(text, m.end())
    return token


def _vendor(text: str, at: int) -> Finding | None:
    for prefix, rule, body in _STARTS.get(text[at : at + 2], ()):
        if text.startswith(prefix, at):
            rest = body.match(text, at + len(prefix))
            if rest and varied(rest.group()) and not filling(rest.group()):
                return Finding(rule, at, rest.end())
    return None


def _marked(text: str, start: int) -> Finding | None:
    head = text[max(0, start - 60) : start]
    for rule, mark, body in _MARKED:
        m, rest = mark.search(head), body.match(text, start)
        if m and rest and varied(rest.group()) and not filling(rest.group()):
            return Finding(rule, start - len(m.group()), rest.end())
    return None


def _unnamed(text: str, start: int, end: int) -> Iterator[Finding]:
    """Tokens of vendors that no table names: three parts with dots between, or a prefix and a long random body.

    What begins with `gAAAAA` is ciphertext (Fernet), and says nothing without its key.
    """
    dot, before = text[end : end + 1] == ".", text[start - 1 : start]
    m = _BOT.match(text, start) if dot else None
    if m and mixed(m.group()) and looks_random(m.group()):
        yield Finding("discord", *m.span())
        return
    if (dot and text[end + 1 : end + 2].isalnum()) or before == "/" or text.startswith("gAAAAA", start):
        return
    glued = _GLUED.match(text, start)
    m = _UNNAMED.match(text, glued.end() if glued else start)
    if m and unnamed_token(m.group(1), m.group(2)):
        yield Finding("token", m.start(1), end)


def _aws_secret(text: str, start: int, end: int) -> Iterator[Finding]:
    for m in _AWS_SECRET.finditer(text, max(0, start - 200), end + 300):
        if looks_random(m.group()) and not is_digest(m.group()):
            yield Finding("aws", *m.span())
