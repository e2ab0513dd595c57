"""Postings -> which pages are looked at: BM25 over what an index and the pages laid over it hold together.

One place for every backend: they only say how often a term stands where. So the same pages give the same scores to the
last bit, whichever backend keeps them, and whether the index was made at once, brought up or is behind its pages.
"""

from __future__ import annotations

from llmwiki.indexes.entries import K1, B, idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeVar

    T = TypeVar("T", float, tuple[float, int])
    Postings = Sequence[Mapping[int, float]]

SHIFT = 12  # key of a passage: that of its page, and the number of its line in so many bits


def of_pages(postings: Postings, pages: int, chars: Mapping[int, int], average: float) -> dict[int, float]:
    """Key -> score of the pages that hold any of the terms, of which each gives its postings, and are in `chars`: their
    lengths in characters of terms. `average` is that of all `pages`."""
    norms = {key: K1 * (1 - B + B * length / (average or 1.0)) for key, length in chars.items()}
    scores: dict[int, float] = {}
    for counts in postings:
        weight = idf(len(counts), pages) * (K1 + 1)
        for key, n in counts.items():
            if key in norms:
                scores[key] = scores.get(key, 0.0) + weight * n / (n + norms[key])
    return scores


def of_passages(postings: Postings, lines: int, chars: Mapping[int, int]) -> dict[int, tuple[float, int]]:
    """Key of a page -> (the score of its best line, the length of the page), of those in `chars`. Lines, of which there
    are `lines` in all, are taken to be of one length; among equals a longer page hides its line more."""
    scores: dict[int, float] = {}
    for counts in postings:
        weight = idf(len(counts), lines) * (K1 + 1)
        for key, n in counts.items():
            scores[key] = scores.get(key, 0.0) + weight * n / (n + K1)
    best: dict[int, tuple[float, int]] = {}
    for key, score in scores.items():
        page = key >> SHIFT
        if page in chars and (page not in best or score > best[page][0]):
            best[page] = score, chars[page]
    return best


def first(scores: Mapping[int, T], limit: int) -> list[int]:
    """The keys of the `limit` best, and of all that are as good as the last of them: keys tell when a page was written,
    so no key may decide between equals."""
    if len(scores) <= limit:
        return list(scores)
    if limit < 1:
        return []
    least = sorted(scores.values(), reverse=True)[limit - 1]
    return [key for key, score in scores.items() if score >= least]
