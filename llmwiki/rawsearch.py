"""Finding turns in raw pages. They have no index: one pass over the bytes finds pages, and the best ones are read."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from llmwiki import rawpage, words
from llmwiki.model import Turn

PAGES = 40
SNIPPET = 200
TELLING, MENTIONS = 16, 50  # words, and places of each, that a snippet chooses among
# What of the score is the words that a turn has, those that stand beside each other as in the question, and how often
# they come. A turn that has all words gets 1 more, one with the very phrase 2, so no share and no role outdoes them.
HAS, BESIDE, OFTEN = 0.7, 0.2, 0.1
ALL, PHRASE = 1.0, 2.0
ROLES = {"user": 1.0, "assistant": 0.95}  # what a person said is worth more than what a tool printed
TOOL = 0.88
STOPPED = 0.3  # what a stop word counts in a pair, beside any other word


@dataclass(frozen=True, slots=True)
class Found:
    """A turn that was found: where it stands, and a line of it around the words that were asked for."""

    path: str
    turn: Turn
    score: float
    snippet: str


class _Question:
    """What is asked: `marks`, term -> what each of its forms begins with; `phrase`, the words as they were typed, ""
    for a single one. `weight` is what each term tells, of those that any page has: `told` sets it."""

    def __init__(self, query: str) -> None:
        said = _terms(query)
        self.marks = {term: _mark(term) for term in words.asked(said)}
        self.phrase = _flat(query).strip("\"'`?!.,;: ") if len(said) > 1 else ""
        self.folds = not query.isascii()
        self.weight: dict[str, float] = {}
        self._pairs = _pairs(said)
        self._all = self._beside = 0.0

    def told(self, held: Counter[str], pages: int) -> None:
        """Takes in how many of the pages hold each term."""
        self.weight = {term: 1 + math.log(1 + pages / held[term]) for term in self.marks if held[term]}
        self._all = sum(self.weight.values())
        self._beside = sum(map(self._worth, self._pairs))

    def held(self, low: str) -> frozenset[str]:
        """The terms that a text in lower case has, and some that it may not have: a mark stands in other words too."""
        low = words.folded(low) if self.folds else low
        return frozenset(term for term, mark in self.marks.items() if mark in low)

    def score(self, turn: Turn, said: str) -> float:
        """How well a turn answers; 0 when it has no word of the question."""
        if not self.held(said.lower()):
            return 0.0
        # A tool prints lines that have nothing to do with each other; what somebody writes goes on in the next line.
        lines = [_terms(line) for line in (said.splitlines() if turn.role == "tool" else [said])]
        counts = Counter(term for line in lines for term in line if term in self.weight)
        if not counts:
            return 0.0
        has = sum(self.weight[term] for term in counts) / self._all
        pairs = self._pairs.intersection(pair for line in lines for pair in _pairs(line)) if self._pairs else ()
        beside = sum(map(self._worth, sorted(pairs))) / self._beside if pairs else 0.0
        length = 1 + len(said) / 2000
        often = sum(self.weight[term] * n / (n + 1.2 * length) for term, n in counts.items()) / self._all
        share = (HAS * has + BESIDE * beside + OFTEN * often) * ROLES.get(turn.role, TOOL)
        return share + (PHRASE if self._says(said, turn.role) else ALL if len(counts) == len(self.weight) else 0.0)

    def _worth(self, pair: tuple[str, str]) -> float:
        return sum(self.weight.get(term, STOPPED) for term in pair)

    def _says(self, said: str, role: str) -> bool:
        """Whether the phrase stands in a turn, by whole words; of what a tool printed, in one line."""
        low = said.lower()
        if not self.phrase or self.phrase[0] not in low:
            return False
        return any(_place(_flat(line), self.phrase) >= 0 for line in (low.splitlines() if role == "tool" else [low]))


def search(query: str, paths: Iterable[str], read: Callable[[str], str | None], limit: int = 10) -> list[Found]:
    """The turns that say most of the query, best first: those with the very phrase, those with all of its words (of the
    words that any page has), then by how much of it they have. One page is held at a time."""
    asked = _Question(query)
    held: Counter[str] = Counter()
    pages: list[tuple[str, frozenset[str], bool]] = []
    for path in paths:
        low = (read(path) or "").lower()
        if terms := asked.held(low):
            held.update(terms)
            pages.append((path, terms, bool(asked.phrase) and asked.phrase in low))
    asked.told(held, len(pages))
    best = heapq.nlargest(PAGES, pages, key=lambda p: (p[2], sum(asked.weight[t] for t in sorted(p[1])), p[0]))
    found = (hit for path, *_ in best for hit in _turns(path, read(path) or "", asked))
    first = heapq.nlargest(limit, found, key=lambda f: (f[0], f[1], -f[2].number))
    return [Found(path, turn, score, _snippet(rawpage.turn_text(turn), asked)) for score, path, turn in first]


def _terms(text: str) -> list[str]:
    """The terms of a text in order, without the wholes of paths and names: their parts stand beside each other in any
    longer path, too."""
    found = words.terms(text)
    return [_root(term) for term in found if term.isalnum() or not any(joiner in term for joiner in words.JOINERS)]


def _root(term: str) -> str:
    """The stem of a term, which `createNote` and `createnote` have in common only then; of an adverb, without its end:
    `slowly` says `slow`."""
    stem = words.stem(term)
    return stem[:-2] if stem.endswith("li") and len(stem) > 5 else stem


def _pairs(said: list[str]) -> set[tuple[str, str]]:
    """The terms that stand beside each other, with and without the stop words between them."""
    return {*pairwise(said), *words.phrases(said)}


def _mark(term: str) -> str:
    """What every form of a term begins with: a stem may end in a letter that the word has not (`happi`, `bodi`)."""
    cut = term.isascii() and term.isalpha() and (len(term) > 4 or (len(term) > 2 and term[-1] in "ei"))
    return term[:-1] if cut else term


def _flat(text: str) -> str:
    return " ".join(text.lower().split())


def _place(line: str, phrase: str) -> int:
    """Where a phrase stands and no word goes on beyond it; -1 for nowhere."""
    at = line.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        if not (_goes_on(line[at - 1 : at], phrase[0]) or _goes_on(phrase[-1], line[end : end + 1])):
            return at
        at = line.find(phrase, end)
    return -1


def _goes_on(before: str, after: str) -> bool:
    """Whether two neighbours are of one word. Scripts without spaces have no such edges."""
    return before.isalnum() and after.isalnum() and (before + after).isascii()


def _turns(path: str, text: str, asked: _Question) -> Iterable[tuple[float, str, Turn]]:
    try:
        session = rawpage.parse(text)
    except ValueError:
        return
    for turn in session.turns:
        if score := asked.score(turn, rawpage.turn_text(turn)):
            yield round(score, 4), path, turn


def _snippet(said: str, asked: _Question) -> str:
    """One line around the phrase, else around the words that tell most together."""
    at = _place(said.lower(), asked.phrase) if asked.phrase else -1
    if at < 0:
        at = _densest(words.folded(said) if asked.folds else said.lower(), asked)
    start = max(0, at - SNIPPET // 3)
    line = " ".join(said[start : start + SNIPPET].split())
    return ("… " if start else "") + line


def _densest(low: str, asked: _Question) -> int:
    """Where the words begin that tell most within half a snippet, the first such place."""
    telling = heapq.nlargest(TELLING, asked.weight, key=lambda term: (asked.weight[term], term))
    places = sorted((at, term) for term in telling for at in _places(low, asked.marks[term]))
    best, start, first, inside = 0.0, 0, 0, Counter[str]()
    for at, term in places:
        inside[term] += 1
        while at - places[first][0] > SNIPPET // 2:
            inside[places[first][1]] -= 1
            first += 1
        told = sum(asked.weight[t] for t in telling if inside[t])
        if told > best:
            best, start = told, places[first][0]
    return start


def _places(low: str, mark: str) -> Iterable[int]:
    at = low.find(mark)
    for _ in range(MENTIONS):
        if at < 0:
            return
        yield at
        at = low.find(mark, at + len(mark))
