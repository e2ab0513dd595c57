"""What a sentence is for and what it is against, by its words: negations, clauses, and the terms that tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from llmwiki import alternatives
from llmwiki.words import STOP, stem, terms

BANNED = (
    r"(?:is|are) (?:strictly )?(?:forbidden|banned|prohibited)|(?:is|are) not (?:allowed|permitted)|"
    r"(?:ist|sind) (?:streng )?(?:verboten|nicht erlaubt)"
)
_NEGATION = re.compile(
    r"(?<![-\w])(?:never|not|don'?t|dont|do not|no|avoid|stop|quit|without|instead of|rather than|isn'?t|aren'?t|"
    r"mustn'?t|shouldn'?t|can'?t|cannot|nicht|niemals|nie|kein\w*|ohne|statt|anstatt|vermeide|ne|jamais|"
    r"pas|sans|éviter?|au lieu d[eu]|nunca|evita|sin|en vez de|en lugar de|jamás|mai|senza|não|без|не|"
    rf"никогда|вместо|{BANNED})\b"
    r"|(?:ないで|しない|하지 ?마|말고|ではなく|じゃなく)|不要|不能|不用|不许|禁止|别|勿|没有?必要|不需要|而不是",
    re.I,
)
_TURN_BACK = re.compile(
    r"[.;:!?](?![\w/\\])|[。；！？\n]|,(?!\s*(?:nor|or)\b)|，|\b(?:but|use|prefer|sondern|aber|mais|sino|pero|instead)\b|改用|而用|使用|用",
    re.I,
)
_BEHIND = re.compile(r"ないで|しない|하지 ?마|말고|ではなく|じゃなく")  # they negate what stands before them
_LATE = re.compile(rf"nicht|niemals|nie|{BANNED}", re.I)  # these do, too, when nothing is behind them
_FROM = re.compile(r"\b((?:switch|migrat|chang|upgrad)\w{0,5}(?: [\w-]{1,20}){0,3}) from (\S{1,60}) to\b", re.I)
_OVER = re.compile(
    r"\b(prefer\w{0,4}|choose|pick|favou?r|lieber|eher|plutôt|mejor)\b([^.;,!?。\n]{1,60}?)\b(?:over|to|als|que)\b",
    re.I,
)
_REASON = re.compile(r"\b(?:because|weil|parce que|porque)\b[^.,;!?。\n]*", re.I)  # why it is said, and no part of it
_WEAK = frozenset(
    "use make want need run call keep go get set put let pleas do done work thing way command user passed "
    "error same again exit code".split()
)


@cache
def dull() -> frozenset[str]:
    """Terms that every sentence has, as they are stemmed."""
    return frozenset({*STOP, *map(stem, STOP), *_WEAK, *map(stem, _WEAK)})


@cache
def little() -> frozenset[str]:
    return dull().union(*(terms(word) for word in alternatives.LITTLE))


def distinctive(text: str) -> set[str]:
    weak = little()
    found = terms(alternatives.without_particles(text))
    return {t for t in found if t not in weak and (len(t) > 1 or not t.isascii())}


def distinctive_in_order(text: str) -> list[str]:
    known = distinctive(text)
    return [term for term in terms(alternatives.without_particles(text)) if term in known]


def clauses(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text, and whether each is negated: by what stands before it in its clause, or behind it."""
    at, against, held = 0, False, ""
    marks = sorted(
        [(m.start(), m.end(), True) for m in _NEGATION.finditer(text)]
        + [(m.start(), m.end(), False) for m in _TURN_BACK.finditer(text)]
    )
    for start, end, negates in [*marks, (len(text), len(text), False)]:
        part, mark = text[at:start], text[start:end]
        if held:
            yield held, not distinctive(part)
            held = ""
        if negates and _LATE.fullmatch(mark) and not against:
            held = part
        else:
            yield part, against or bool(negates and _BEHIND.fullmatch(mark))
        if negates:
            against = not _BEHIND.fullmatch(mark)
        elif not (against and mark.lower() in ("use", "用", "使用") and not part.strip()):
            against = False  # but "never use" goes on: the verb belongs to the negation
        at = max(at, end)


def plainly(text: str) -> str:
    """A rule without its reason, and with one word for "rather than": "prefer a over b", "switch from b to a"."""
    return _OVER.sub(r"\1\2 instead of ", _FROM.sub(r"\1 instead of \2, ", _REASON.sub("", text)))
