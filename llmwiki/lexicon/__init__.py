"""Word lists in plain words, a row a line, whose rows are found by the stem of a word. Loaded by the hook.

A list is text until somebody asks: the rows of one word are looked up in it, and stems are made of those alone. Foreign
words are written without their accents, as `words.terms` sees them. `#` begins a remark.
"""

from __future__ import annotations

import os
from bisect import bisect_left

from llmwiki import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Lexicon:
    """One list, of which a row is found by any of its words."""

    def __init__(self, name: str) -> None:
        self._name, self._text = name, ""

    def rows(self, term: str) -> Iterator[str]:
        """The rows that hold a word of this stem."""
        if not self._text:
            self._text = "\n " + "\n ".join(_lines(self._name)) + "\n"  # so that a space is before each word
        begin = f" {_shared(term)}"
        at = self._text.find(begin)
        while at >= 0:
            end = self._text.index("\n", at)
            if stem(self._text[at:end].split(None, 1)[0]) == term:
                yield self._text[self._text.rindex("\n", 0, at + 1) + 2 : end]
                at = end - 1  # a row is given once
            at = self._text.find(begin, at + 1)


class Headed:
    """One list, sorted, of which a row is found by its first word alone."""

    def __init__(self, name: str) -> None:
        self._name, self._rows = name, list[str]()

    def rows(self, term: str) -> Iterator[str]:
        """The rows whose first word is of this stem."""
        self._rows = self._rows or list(_lines(self._name))
        begin = _shared(term)
        at = bisect_left(self._rows, begin)
        while at < len(self._rows) and self._rows[at].startswith(begin):
            if stem(self._rows[at].partition(" ")[0]) == term:
                yield self._rows[at]
            at += 1


def _lines(name: str) -> Iterator[str]:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        yield from (line for line in file.read().split("\n") if line and not line.startswith("#"))


def _shared(term: str) -> str:
    """How every word of this stem begins: it may end otherwise, as `happy` does (`happi`)."""
    return term[: max(1, len(term) - 1)]


def stem(word: str) -> str:
    """The term that a word of a list is found by; "" when analysis sees no such word."""
    found = words.terms(word)
    return found[0] if found else ""


def stems(said: Iterable[str]) -> list[str]:
    """The terms of some words, each once."""
    return list(dict.fromkeys(filter(None, map(stem, said))))
