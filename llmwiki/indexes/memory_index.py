"""The reference: a few plain dictionaries, kept in memory. It also answers when no index can be read."""

from __future__ import annotations

from llmwiki.indexes.ranking import SHIFT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llmwiki.indexes.entries import Entry

Space = dict[str, dict[int, float]]  # term -> key -> how often it stands there


class MemoryIndex:
    """The contract of `base.Index`, without a file."""

    def __init__(self) -> None:
        self.generation = 0
        self._spaces: dict[str, Space] = {"records": {}, "passages": {}}

    def update(self, added: Iterable[Entry], removed: Iterable[int], generation: int) -> None:
        records, passages = self._spaces["records"], self._spaces["passages"]
        if gone := set(removed):
            _drop(records, gone, 0)
            _drop(passages, gone, SHIFT)
        for entry in added:
            _add(records, entry.key, entry.document())
            for n, line in enumerate(entry.separate_passages()):
                _add(passages, entry.key << SHIFT | n, line)
        self.generation = generation

    def postings(self, terms: Sequence[str], space: str = "records") -> list[dict[int, float]]:
        return [self._spaces[space].get(term, {}) for term in terms]

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        return [*map(len, self.postings(terms))]

    def damage(self) -> str:
        return ""

    def close(self) -> None:
        """Nothing is held open."""


def _add(space: Space, key: int, text: str) -> None:
    for term in text.split():
        counts = space.setdefault(term, {})
        counts[key] = counts.get(key, 0.0) + 1


def _drop(space: Space, gone: set[int], shift: int) -> None:
    for counts in space.values():
        for key in [key for key in counts if key >> shift in gone]:
            del counts[key]


def open_index(folder: str, write: bool = False) -> MemoryIndex:
    """An empty index: it holds nothing between two runs."""
    return MemoryIndex()
