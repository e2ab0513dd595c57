"""What a name promises and what a value looks like: the questions that tell a secret from an ordinary string."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from llmwiki.redact.rules import (
    BIGRAMS,
    FILLING,
    KEYS,
    NO_VALUE,
    OPEN_IDS,
    OTHER_KEYS,
    OTHER_TOKENS,
    PASSWORDS,
    SECRET_KEYS,
    SECRETS,
    STAND_INS,
    TRAILING,
)

_NO_VALUE = re.compile(NO_VALUE)
_JUDGED = 80  # characters of a value that are looked at: whoever fills more has made it random before
_VARIABLE = re.compile(r"\$[A-Z_]{3}|\$\d(?!\w)")
_FILLING = re.compile(r"(?i)x{6,}|\*{3}|\.{3}|0{10}|1{10}|your[_-]|[_-]here\b")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]")
_TURN = re.compile(r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_JUMP = re.compile("(?<=[a-z])[A-Z]")
_DATE = re.compile(r"(?:19|20)\d\d-?[01]\d-?[0-3]\d(?:\D|$)")
_UUID_OR_HEX = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?:sha\d+[:-])?[0-9a-fA-F]+")
_IDENTIFIER = re.compile(r"[A-Za-z_]+[;,.]?")
_CODE = re.compile(r"[A-Za-z_$@&*!][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+[;,.]?")


def either(words: Iterable[str]) -> str:
    """A pattern that matches each of the words, shared beginnings once: many words cost little more than one."""
    heads: dict[str, list[str]] = {}
    for word in sorted(words):
        heads.setdefault(word[:1], []).append(word[1:])
    if "" in heads:
        return ""
    rows = [re.escape(head) + either(rest) for head, rest in heads.items()]
    return rows[0] if len(rows) == 1 else f"(?:{'|'.join(rows)})"


@lru_cache(maxsize=8192)
def strength(name: str) -> int:
    """What a name promises of its value: 0 nothing, 1 a key of some kind, 2 a secret, 3 a password."""
    words = [w.lower() for w in _WORD.findall(name)]
    while len(words) > 1 and words[-1] in TRAILING:
        words.pop()
    if not words:
        return 0
    last, rest = words[-1], words[:-1]
    if last.endswith(PASSWORDS[:6]) or last in PASSWORDS:
        return 3
    if last.endswith(SECRETS[:11]) or last in SECRETS:
        return 0 if OTHER_TOKENS.intersection(rest) or last in OTHER_TOKENS else 2
    if last in KEYS:
        return _key_strength(rest)
    return 1 if last in ("sig", "signature") or (last.endswith("key") and len(last) > 6) else 0


def _key_strength(rest: list[str]) -> int:
    """A key is a secret by the word before it: `cache_api_key` is one, `api_cache_key` is not."""
    for word in reversed(rest):
        if word in OTHER_KEYS:
            return 0
        if word in SECRET_KEYS:
            return 2
    return 1


def placeholder(value: str) -> bool:
    """Whether a value only stands for one: `xxxx`, `<your-key>`, `$TOKEN`, `process.env.X`, `changeme`."""
    low = value[:_JUDGED].lower()
    said = any(mark in low for mark in FILLING) or any(word in low for word in STAND_INS)
    path = value.startswith(("/", "./", "../", "~/")) and wordiness(value) > 0.4
    return said or path or bool(_NO_VALUE.match(low)) or bool(_VARIABLE.search(value[:_JUDGED])) or not varied(value)


def filling(value: str) -> bool:
    """Whether what follows a vendor's prefix is filling: words such as `your` can occur in a real one by chance."""
    return bool(_FILLING.search(value[:_JUDGED])) or (len(value) < 60 and wordiness(value) > 0.6)


def varied(value: str) -> bool:
    """Whether a value uses enough different characters, and not in alphabetical order, to be more than filling."""
    few = len(value) < 12
    if len(set(value[:1000])) < (3 if few else 6):
        return False
    head = value[:_JUDGED]
    steps = sum(1 for a, b in pairwise(head) if ord(b) - ord(a) == 1)
    return steps * 2 < len(head)


def wordiness(value: str) -> float:
    """The share of adjacent letters that are a common pair: words have 0.5 and more, random letters 0.3 and less."""
    low = value[:_JUDGED].lower()
    pairs = [a + b for a, b in pairwise(low) if a.isalpha() and b.isalpha()]
    return sum(1 for p in pairs if p in BIGRAMS) / len(pairs) if len(pairs) > 3 else 0.0


def looks_random(value: str, least: int = 8) -> bool:
    """Whether nobody made this up from words: digits among letters, or letters that follow no language.

    A number alone needs 15 digits. Dates are no secrets.
    """
    head = value[:_JUDGED]
    digits = sum(c.isdigit() for c in head)
    letters = sum(c.isalpha() for c in head)
    if len(head) < least or _DATE.match(head):
        return False
    if not letters:
        return digits >= 15
    words = wordiness(head)
    if not digits:
        jumpy = len(_JUMP.findall(head)) >= len(head) * 0.2 and words < 0.55
        return (len(head) >= 12 and jumpy) or (len(head) >= 16 and words < (0.45 if len(head) < 24 else 0.48))
    turns = len(_TURN.findall(head))
    return turns >= max(3, len(head) * 0.1) or (len(head) >= 12 and words < 0.52)


def mixed(value: str) -> bool:
    """Whether a value has letters and something beside letters: what separates `hunter2` from a word or a number."""
    return value.isascii() and any(c.isalpha() for c in value) and any(not c.isalpha() for c in value)


def is_code(value: str) -> bool:
    """Whether an unquoted value names something in a program: `self.password`, `auth_info`, `X25519.KeyPair`."""
    if len(value) >= _JUDGED or not (_CODE.fullmatch(value) or _IDENTIFIER.fullmatch(value)):
        return False
    return wordiness(value) > 0.38 or len(value) < 12


def is_digest(value: str) -> bool:
    """Whether a value is a UUID or hexadecimal alone: under a weak name that is a hash or an id."""
    return bool(_UUID_OR_HEX.fullmatch(value))


def unnamed_token(prefix: str, body: str) -> bool:
    """Whether `prefix_body` is a vendor's token nobody listed: a long random body behind a prefix that no id uses.

    Hexadecimal bodies are digests; bodies without a digit or with words are names.
    """
    if prefix.lower().rstrip("0123456789") in OPEN_IDS or prefix.lower() in OPEN_IDS or is_digest(body):
        return False
    turns = len(_TURN.findall(body))
    return turns >= max(4, len(body) * 0.12) and varied(body) and wordiness(body) < 0.5 and not _DATE.search(body)


def is_basic(value: str) -> bool:
    """Whether a value is `user:password` in base64, as `Authorization: Basic` sends it."""
    if not 8 <= len(value) <= 400 or not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", value) or len(value) % 4:
        return False
    plain = b64decode(value)
    return b":" in plain[1:] and plain.isascii() and plain.decode("ascii").isprintable()
