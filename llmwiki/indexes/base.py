"""The contract of a backend: it ranks terms, and knows nothing of pages. One suite of tests runs over every backend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from llmwiki.indexes.entries import Entry


class Index(Protocol):
    """Terms -> keys of entries, in two spaces: `records` (a whole page) and `passages` (one line of one).

    Opening one for reading raises OSError or ValueError when it is absent, broken or of another version; it never
    writes and never waits. `generation` is the number that the last update carried: a catalogue of another generation
    and this index do not belong together.
    """

    generation: int

    def update(self, added: Iterable[Entry], removed: Iterable[int], generation: int) -> None:
        """Takes out the keys `removed`, puts in `added`, and is durable when it returns. An entry whose key was there
        before is given in both."""
        ...

    def search(self, terms: Sequence[str], limit: int, space: str = "records") -> list[tuple[int, float]]:
        """At most `limit` (key of a page, score), best first: any of the terms will do, by BM25, in which a word of the
        title counts twice. In the space `passages` a page stands at its best passage's place."""
        ...

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """How many pages hold each term."""
        ...

    def close(self) -> None: ...
