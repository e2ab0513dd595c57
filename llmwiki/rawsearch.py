"""Finding turns in raw pages. They have no index: one pass over the bytes finds pages, and the best ones are read."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from llmwiki import rawpage, words
from llmwiki.model import Turn

PAGES = 40
SNIPPET = 200


@dataclass(frozen=True, slots=True)
class Found:
    """A turn that was found: where it stands, and a line of it around the first term."""

    path: str
    turn: Turn
    score: float
    snippet: str


def search(query: str, paths: Iterable[str], read: Callable[[str], str | None], limit: int = 10) -> list[Found]:
    """The turns that say most of the query, best first. One page is held at a time."""
    wanted = list(dict.fromkeys(words.query_terms(query)))
    marks = {term: _mark(term) for term in wanted}
    held: Counter[str] = Counter()
    pages: list[tuple[str, frozenset[str]]] = []
    for path in paths:
        low = (read(path) or "").lower()
        terms = frozenset(term for term, mark in marks.items() if mark in low)
        held.update(terms)
        if terms:
            pages.append((path, terms))
    weight = {term: math.log(1 + len(pages) / held[term]) + 0.1 for term in wanted if held[term]}
    best = heapq.nlargest(PAGES, pages, key=lambda p: (sum(weight[t] for t in p[1]), p[0]))
    found = (hit for path, _ in best for hit in _turns(path, read(path) or "", weight))
    return heapq.nlargest(limit, found, key=lambda f: (f.score, f.path, -f.turn.number))


def _mark(term: str) -> str:
    """What every form of a term begins with: a stem may end in a letter that the word has not (`happi`)."""
    return term[:-1] if term.isascii() and term.isalpha() and len(term) > 4 else term


def _turns(path: str, text: str, weight: dict[str, float]) -> Iterable[Found]:
    try:
        session = rawpage.parse(text)
    except ValueError:
        return
    for turn in session.turns:
        said = rawpage.turn_text(turn)
        counts = Counter(t for t in words.terms(said) if t in weight)
        if counts:
            length = 1 + len(said) / 2000
            score = sum(weight[t] * n * 2.2 / (n + 1.2 * length) for t, n in counts.items())
            # What a person said is worth more than what a tool printed.
            score *= {"user": 2.0, "assistant": 1.0}.get(turn.role, 0.6)
            yield Found(path, turn, round(score, 4), _snippet(said, counts))


def _snippet(said: str, counts: Counter[str]) -> str:
    """One line around the rarest mention."""
    low = said.lower()
    places = [p for term in counts if (p := low.find(_mark(term))) >= 0]
    start = max(0, min(places, default=0) - SNIPPET // 3)
    line = " ".join(said[start : start + SNIPPET].split())
    return ("… " if start else "") + line
