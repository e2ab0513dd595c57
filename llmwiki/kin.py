"""What other words say a word of a question: its irregular forms, words that mean nearly the same, and what is one.

A page seldom repeats a question's words: asked is `which sport` and `bought`, and the page says `basketball` and `buy`.
The lists (`lexicon/`) are of everyday and of developers' English, written by hand for no wiki in particular. Loaded by
the hook: nothing is looked up before it is asked for.
"""

from __future__ import annotations

from llmwiki.lexicon import Headed, Lexicon, stems

# A word of the question and what is only like it: how much of a match that is. `near`: a word of nearly one meaning;
# `sure`: what anybody would name as one of that kind; `other`: what few would. A quarter more of each finds more where
# a question is in other words, and costs plain ones their evidence in a block.
NEAR, SURE, OTHER = 0.22, 0.26, 0.18
FORMS, ALIKE, KINDS = Lexicon("forms.txt"), Lexicon("near.txt"), Headed("kinds.txt")
_known: dict[str, dict[str, float]] = {}


def of(term: str) -> dict[str, float]:
    """Other terms that speak of this one -> how much of a match they are: 1 for another form of the same word, less
    for one that means nearly the same, or one of its kind."""
    if term not in _known:
        _known[term] = _learned(term)
    return _known[term]


def forms(term: str) -> list[str]:
    """Other forms of the same word, which no stemmer brings together."""
    return [other for row in FORMS.rows(term) for other in stems(row.split()) if other != term]


def _learned(term: str) -> dict[str, float]:
    found: dict[str, float] = {}
    kinds = [row.partition(" = ")[2].partition(";") for row in KINDS.rows(term)]
    for said, worth in (
        (" ".join(other for _, _, other in kinds), OTHER),
        (" ".join(ALIKE.rows(term)), NEAR),
        (" ".join(sure for sure, _, _ in kinds), SURE),
    ):
        found.update(dict.fromkeys(stems(said.split()), worth))  # the closest relation counts
    found.update(dict.fromkeys(forms(term), 1.0))
    found.pop(term, None)
    return found
