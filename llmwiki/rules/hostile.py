"""What must not stand in a wiki that agents read: secrets, orders to an agent, text that a person does not see."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from llmwiki.model import Evidence, Record, RecordType, Wiki
from llmwiki.prose import without_code
from llmwiki.rules.base import Findings, Found, Seen, living, some
from llmwiki.rules.orders import INVISIBLE, TURNING, orders

_NAVIGATION = ("wiki/index.md", "wiki/log.md")
_JOINER = re.compile("[\u200c\u200d]")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")  # of Scotland, for example
_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.S)
_OURS = re.compile(r"\s*/?llmwiki:[\w-]+\s*")
_UNSEEN = re.compile(
    r"<\w+\b[^>\n]{0,300}(?:\bhidden\b(?!\w|-)|style\s*=\s*[\"'][^\"'>]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden"
    r"|opacity\s*:\s*0(?![.\d])|font-size\s*:\s*0|color\s*:\s*(?:white|transparent|#fff(?:fff)?)\b))[^>\n]{0,300}>",
    re.I,
)


def secrets(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A page of `wiki/` or `raw/` holds what looks like a secret: a key, a token, a password.

    Pages are cleaned before they are written; this finds what was typed by hand, came with a merge, or was written when
    fewer forms were known. The secret is not printed. Take it out of the page and of git's history, and change it where
    it is used: it has been read.
    """
    for path in (*sorted({*seen.pages, *_NAVIGATION}), *seen.raw):
        text = seen.read(path)
        if text is None:
            continue
        found = dict.fromkeys((text.count("\n", 0, f.start) + 1, f.rule) for f in seen.redactor.find(text))
        yield tuple(
            Found(path, f"holds a secret (rule {rule}); take it out and change it", line) for line, rule in found
        )


def instructions(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """Text of a record reads like instructions to an agent: to drop its own, to hide something from the user, to send
    secrets away, or marks with which a chat begins somebody's turn.

    Records are quoted to agents. What a person told an agent to do (rules, "never push") is what a wiki is for and no
    finding; a text that speaks past the person to the program is. Look where it comes from: `llmwiki why` names the
    session.
    """
    for record in living(wiki):
        yield tuple(_orders(record, seen))


def _orders(record: Record, seen: Seen) -> Iterator[Found]:
    by_person = record.type is RecordType.TRACE or (
        record.type is RecordType.PREFERENCE and record.evidence is Evidence.USER_SAID
    )
    whole = f"{record.title}\n{record.description}\n{record.body}"
    told = orders(whole, by_person)
    head = seen.key_line(record, "title") if told else 0
    for name in told:
        lines = [(n, line) for n, line in enumerate(whole.split("\n"), -1) if name in orders(line, by_person)]
        places = {seen.body_line(record, n) if n > 0 else head: line for n, line in reversed(lines)}
        # What was broken over two lines to hide it stands in none of them.
        for at, line in sorted((places or {seen.body_line(record, 1): "over several lines"}).items()):
            yield Found(record.path, f"{name}: {_shown(line)!r}", at)


def _shown(line: str) -> str:
    said = " ".join(line.split())
    return said if len(said) <= 80 else said[:80].rstrip() + "…"


def hidden(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A record holds text that a person who reads the page does not see: invisible characters, characters that turn the
    direction of reading, HTML comments, or HTML that is styled away.

    An agent reads all of it. Joiners where a script or an emoji needs them are ordinary; so are comments in a page, and
    those are only told unless they read like instructions.
    """
    for record in living(wiki):
        yield tuple(_hidden(record, seen))


def _hidden(record: Record, seen: Seen) -> Iterator[Found]:
    text = seen.page(record.path).text
    for number, line in enumerate(_FLAG.sub("", text.removeprefix("\ufeff")).split("\n"), 1):
        if not line.isascii() and (unseen := _unseen(line)):
            yield Found(record.path, f"has invisible characters: {unseen}", number)
    shown = without_code(text)
    for comment in _COMMENT.finditer(shown):
        if not _OURS.fullmatch(comment[1]) and comment[1].strip():
            bad = orders(comment[1])
            said = "a comment that only agents read" + (f" {bad[0]}" if bad else "")
            yield Found(record.path, said, _line(text, comment.start()), "" if bad else "info")
    for tag in _UNSEEN.finditer(shown):
        yield Found(record.path, "has HTML that is styled so that nobody sees it", _line(text, tag.start()))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _unseen(line: str) -> str:
    """The invisible characters of a line: `U+200B ×3`; "" when there are none, or only joiners in their place."""
    found = [*INVISIBLE.findall(line), *TURNING.findall(line)]
    found += [m[0] for m in _JOINER.finditer(line) if not _joins(line, m.start())]
    counted = sorted(Counter(found).items())
    return some((f"U+{ord(char):04X}" + (f" ×{n}" if n > 1 else "") for char, n in counted), 4)


def _joins(line: str, at: int) -> bool:
    """Whether a joiner stands between characters that it can join: letters of a script with joined forms, or emoji."""
    sides = line[:at][-1:], line[at + 1 : at + 2]
    return all(side and not side.isascii() for side in sides) or (bool(sides[0]) and not sides[0].isascii())
