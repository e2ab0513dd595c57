"""The reference: every ranking in a few plain lines, kept in memory. It also answers when no index can be read."""

from __future__ import annotations

from llmwiki.indexes.entries import K1, B, best_of_page, idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llmwiki.indexes.entries import Entry


class Space:
    """Documents of one kind: postings by term, and how long each document is."""

    def __init__(self) -> None:
        self.postings: dict[str, dict[int, int]] = {}
        self.lengths: dict[int, int] = {}

    def add(self, key: int, text: str) -> None:
        terms = text.split()
        self.lengths[key] = len(terms)
        for term in terms:
            counts = self.postings.setdefault(term, {})
            counts[key] = counts.get(key, 0) + 1

    def drop(self, keys: set[int]) -> None:
        if keys:
            for counts in self.postings.values():
                for key in keys & counts.keys():
                    del counts[key]
            for key in keys & self.lengths.keys():
                del self.lengths[key]

    def scores(self, terms: Iterable[str]) -> dict[int, float]:
        """Key -> BM25 of the documents that hold any of the terms."""
        found: dict[int, float] = {}
        total = len(self.lengths)
        average = sum(self.lengths.values()) / total if total else 1.0
        for term in terms:
            counts = self.postings.get(term, {})
            weight = idf(len(counts), total)
            for key, n in counts.items():
                norm = K1 * (1 - B + B * self.lengths[key] / (average or 1.0))
                found[key] = found.get(key, 0.0) + weight * n * (K1 + 1) / (n + norm)
        return found


class MemoryIndex:
    """The contract of `base.Index`, without a file."""

    def __init__(self) -> None:
        self.generation = 0
        self._records, self._passages = Space(), Space()
        self._lines: dict[int, list[int]] = {}

    def update(self, added: Iterable[Entry], removed: Iterable[int], generation: int) -> None:
        gone = set(removed)
        self._records.drop(gone)
        self._passages.drop({line for key in gone for line in self._lines.pop(key, [])})
        for entry in added:
            self._records.add(entry.key, entry.document())
            lines = entry.separate_passages()
            keys = [entry.key << 12 | n for n in range(len(lines))]
            for key, text in zip(keys, lines, strict=True):
                self._passages.add(key, text)
            self._lines[entry.key] = keys
        self.generation = generation

    def search(self, terms: Sequence[str], limit: int, space: str = "records") -> list[tuple[int, float]]:
        found = (self._records if space == "records" else self._passages).scores(terms)
        if space != "records":
            found = best_of_page((key >> 12, score) for key, score in found.items())
        return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        return [len(self._records.postings.get(term, ())) for term in terms]

    def close(self) -> None:
        """Nothing is held open."""


def open_index(folder: str, write: bool = False) -> MemoryIndex:
    """An empty index: it holds nothing between two runs."""
    return MemoryIndex()
