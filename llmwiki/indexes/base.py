"""The contract of a backend: it says where terms stand, and knows nothing of pages nor of ranking (`ranking`). One
suite of tests runs over every backend."""

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

    def postings(self, terms: Sequence[str], space: str = "records") -> list[dict[int, float]]:
        """Of each term, where it stands and how often: key -> times. A word of the title stands there twice. In the
        space `passages` the key is that of the page, shifted by `ranking.SHIFT`, and the number of the line."""
        ...

    def damage(self) -> str:
        """What is wrong with its files, "" for nothing. Reads all of them."""
        ...

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """How many pages hold each term."""
        ...

    def close(self) -> None: ...
