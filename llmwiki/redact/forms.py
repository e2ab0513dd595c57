"""Secrets told by the form they stand in: URLs, headers, command lines, PEM blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llmwiki.redact import pem, rules
from llmwiki.redact.finding import Finding
from llmwiki.redact.values import looks_random, placeholder

_Q = r"\\{0,8}[\"'`]"  # a quote, escaped to any depth that a transcript nests it
_HINTED = [(rule, re.compile(pattern)) for rule, pattern in rules.HINTED]
_WEBHOOKS = [re.compile(pattern) for pattern in rules.WEBHOOKS]
_PASS_OPTION, _LOGS_IN = map(re.compile, rules.PASSWORD_OPTION)
_BEARER = re.compile(rf"(?i)bearer(?:{_Q})?[ \t:=,]{{1,4}}(?:{_Q})?(?P<value>[\w.~+/=:-]{{8,4096}})")
_COOKIE = re.compile(rf"(?i)cookies?(?:{_Q})?[ \t]{{0,4}}[:=,]?[ \t]{{0,4}}(?:{_Q})?(?=[\w.$%-]{{1,80}}=)")
_PAIR = re.compile(
    r"[\w.$%-]{1,80}=(?P<value>[^\s;\"'\\,]{0,4096})(?:;[ ]?)?(?:(?:Secure|HttpOnly|Partitioned)(?:;[ ]?)?)*"
)
_URL = re.compile(
    r"://(?:(?P<user>[^\s/:@\"'<>\\`]{0,100}):(?P<value>[^\s/\"'<>\\`@]{1,200}(?:@[^\s/\"'<>\\`@.]{1,40})?)"
    r"|(?P<token>[\w.~-]{20,300}):?)@(?=[\w\[{$-])"
)


def found(text: str, low: bytes) -> Iterator[Finding]:
    for literal, look in _ANCHORED:
        at = low.find(literal)
        while at >= 0:
            yield from look(text, at)
            at = low.find(literal, at + len(literal))
    if b"private key" in low:
        yield from (Finding("private-key", *span) for span in pem.spans(text))


def _bearer(text: str, at: int) -> Iterator[Finding]:
    m = _BEARER.match(text, at)
    if m and not placeholder(m["value"]) and looks_random(m["value"]):
        yield Finding("bearer", *m.span("value"))


def _hinted(text: str, at: int) -> Iterator[Finding]:
    for rule, pattern in _HINTED:
        m = pattern.match(text, at)
        if m and not placeholder(m["secret"]):
            yield Finding(rule, *m.span("secret"))


def _option(text: str, at: int) -> Iterator[Finding]:
    m = _PASS_OPTION.match(text, at)
    if m and _LOGS_IN.search(text, max(0, at - 200), at) and not placeholder(m["secret"]):
        yield Finding("cli-password", *m.span("secret"))


def _url(text: str, at: int) -> Iterator[Finding]:
    for hook in _WEBHOOKS:
        m = hook.match(text, at)
        if m:
            yield Finding("webhook", *m.span("secret"))
    m = _URL.match(text, at)
    if not m:
        return
    if m["token"]:
        if looks_random(m["token"]) and not placeholder(m["token"]):
            yield Finding("url-password", *m.span("token"))
    elif m["value"] != m["user"] and m["value"][0] not in "${%<[" and not placeholder(m["value"]):
        yield Finding("url-password", *m.span("value"))


def _cookies(text: str, at: int) -> Iterator[Finding]:
    m = _COOKIE.match(text, at)
    pair = _PAIR.match(text, m.end()) if m else None
    while pair:
        value = pair["value"]
        if len(value) >= 10 and not placeholder(value) and looks_random(value):
            yield Finding("cookie", *pair.span("value"))
        pair = _PAIR.match(text, pair.end())


_ANCHORED = (
    *((b"://", _url), (b"bearer", _bearer), (b"cookie", _cookies), (b" -p", _option)),
    *((hint, _hinted) for hint in (b"curl", b"identified by", b":5432:", b"sig=")),
)
