"""What vectors add to similarity: what the passages mean, beside what they say. Loaded only where a wiki has vectors.

They order what may be let in. `context` keeps its floor on the words, because the nearest page to a task about
something else is still about something else; one kind of record comes in by what it means: of the project at hand, and
very near (`embedders.base.Embedder.opens`, `retrieve_floor.reason`).
"""

from __future__ import annotations

from llmwiki import retrieve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llmwiki.indexes.entries import Scored
    from llmwiki.indexes.vectors import Near

# The best passage, and the mean over the records that rest on turns around its own: beside 1 for all words together.
# Chosen on the development half of LoCoMo; see docs/vectors.md.
MEANING, AROUND = 0.25, 0.25


def fuse(scored: Sequence[Scored], near: Near) -> None:
    """Adds meaning to similarity, each ÷ its maximum. A page without a vector of what it says now is taken at its word:
    it gets the share of meaning that it has of the words, so that the newest page is not the last."""
    for s in scored:
        found = near.of(s.entry)
        s.meaning = max(0.0, found[0]) if found else None
        if found and not s.best and found[1] >= 0:
            s.best.append((0.0, found[1]))
    around = _around(scored)
    most = max((s.meaning or 0.0 for s in scored), default=0.0) or 1.0
    widest = max(around.values(), default=0.0) or 1.0
    for s in scored:
        if s.meaning is None:
            s.similarity *= 1 + MEANING + AROUND
        else:
            s.similarity += MEANING * s.meaning / most + AROUND * around[s.entry.key] / widest


def _around(scored: Iterable[Scored]) -> dict[int, float]:
    """Key -> the mean of meaning over the records close by; those without a vector say nothing."""
    sessions: dict[str, list[tuple[int, int, float]]] = {}
    for s in scored:
        if s.meaning is not None:
            stem, number = retrieve.where(s.entry)
            sessions.setdefault(stem or s.entry.path, []).append((number, s.entry.key, s.meaning))
    return {
        key: _mean(meaning for n, _, meaning in members if abs(n - number) <= retrieve.NEAR)
        for members in sessions.values()
        for number, key, _ in members
    }


def _mean(numbers: Iterable[float]) -> float:
    found = list(numbers)
    return sum(found) / len(found)
