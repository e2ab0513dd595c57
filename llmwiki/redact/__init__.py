"""Secrets out of text, before the first byte is written.

A secret is found by one of three signs: what it starts with (vendors' tokens), the form it stands in (URLs, headers,
PEM blocks, command lines), or the name it is given together with a value that looks random. Plain text costs a few
literal searches on a byte copy that has one byte a character; a pattern runs only where a literal was found, and every
pattern is bounded or moves on, so that time grows with the length of the text and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from llmwiki.errors import WikiError
from llmwiki.redact import forms, names, tokens
from llmwiki.redact.finding import Finding
from llmwiki.redact.homes import Homes
from llmwiki.redact.values import looks_random, mixed

__all__ = ["Finding", "Redactor"]

# Rules that know a form rather than a vendor: a vendor's name wins where both see the same secret.
_GENERIC = frozenset({"password", "secret", "token", "bearer", "cookie", "basic-auth"})
_DONE = re.compile(r"\[redacted:[\w.-]{1,40}\]")
_PASSES = 4


class Redactor:
    """Takes secrets, home folders and the user's name out of texts. Deterministic; redacted text stays as it is."""

    def __init__(self, rules: Sequence[Mapping[str, str]] = (), home: str = "", user: str = "") -> None:
        """`rules` are a person's own: `name`, `pattern` (a group `secret` narrows it), `hint` (a literal to look for).

        Raises WikiError naming the rule whose pattern or name is no good. A pattern that backtracks without bound is
        run as it is: give it a hint, and bound what it repeats.
        """
        self._own = [_own_rule(rule) for rule in rules]
        self._homes = Homes(home, user)

    def text(self, text: str) -> tuple[str, int]:
        """The text with `[redacted:<rule>]` for each secret and `~` for home folders, and how many secrets went.

        Looks again at what it changed: a replacement can lay a second secret open, and the result must be final.
        """
        count = 0
        for _ in range(_PASSES):
            text = self._homes.text(text)
            found = self.find(text)
            if not found:
                break
            text, count = _replace(text, found), count + len(found)
        return text, count

    def find(self, text: str) -> list[Finding]:
        """Every secret, in order, not overlapping. What is already redacted is never found again."""
        if len(text) < 8 and not self._own:
            return []
        raw = text.encode("ascii", "replace")  # one byte a character: offsets hold, and searches are fast
        low = raw.lower()
        found = [*names.found(text, low), *tokens.found(text, raw), *forms.found(text, low), *self._own_findings(text)]
        if not found:
            return found
        merged = _merge(found)
        merged = _merge(merged + _again(text, merged))
        return _outside(text, merged) if "[redacted:" in text else merged

    def _own_findings(self, text: str) -> Iterator[Finding]:
        low = text.lower() if self._own else ""
        for name, pattern, hint in self._own:
            if hint in low:
                group = "secret" if "secret" in pattern.groupindex else 0
                for m in pattern.finditer(text):
                    if m.end(group) > m.start(group):
                        yield Finding(name, m.start(group), m.end(group))


def _own_rule(rule: Mapping[str, str]) -> tuple[str, re.Pattern[str], str]:
    name = str(rule.get("name", ""))
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,40}", name):
        raise WikiError(f"redact rule {name!r} needs a name of up to 40 letters, digits, '.', '_' or '-'")
    if not rule.get("pattern"):
        raise WikiError(f"redact rule {name!r} has no pattern; add one to llmwiki.toml")
    try:
        return name, re.compile(str(rule["pattern"])), str(rule.get("hint", "")).lower()
    except re.error as cause:
        raise WikiError(f"redact rule {name!r} has a pattern that does not compile: {cause}") from cause


def _replace(text: str, found: Sequence[Finding]) -> str:
    out, at = [], 0
    for f in found:
        out += [text[at : f.start], f"[redacted:{f.rule}]"]
        at = f.end
    return "".join([*out, text[at:]])


def _merge(found: list[Finding]) -> list[Finding]:
    """Overlapping findings as one, named by the vendor where one of them knows it."""
    out: list[Finding] = []
    for f in sorted(found, key=lambda f: (f.start, -f.end, f.rule in _GENERIC, f.rule)):
        if out and f.start < out[-1].end:
            last = out[-1]
            rule = f.rule if last.rule in _GENERIC and f.rule not in _GENERIC else last.rule
            out[-1] = Finding(rule, last.start, max(last.end, f.end))
        else:
            out.append(f)
    return out


def _again(text: str, found: Sequence[Finding]) -> list[Finding]:
    """The same secrets elsewhere in the text, where nothing gives them away: an echo, a list, a written file."""
    values: dict[str, str] = {}
    for f in found:
        value = text[f.start : f.end]
        if 12 <= len(value) <= 500 and mixed(value) and looks_random(value) and len(values) < 100:
            values.setdefault(value, f.rule)
    return [Finding(rule, p, p + len(v)) for v, rule in values.items() for p in _positions(text, v)]


def _positions(text: str, literal: str) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def _outside(text: str, found: Sequence[Finding]) -> list[Finding]:
    """The findings without what is already redacted inside of them, and without bare punctuation that is left over."""
    out = []
    done = [m.span() for m in _DONE.finditer(text)]
    for f in found:
        at = f.start
        for start, end in [d for d in done if d[0] < f.end and d[1] > f.start] + [(f.end, f.end)]:
            if start > at and any(c.isalnum() for c in text[at:start]):
                out.append(Finding(f.rule, at, start))
            at = max(at, end)
    return out
