"""A question against one wiki: its terms and what else speaks of them, what each weighs, which ones the index is asked
for, and how much of it a record must speak of. Pure; loaded by the hook."""

from __future__ import annotations

from llmwiki import kin, vocabulary, words
from llmwiki.indexes.entries import idf
from llmwiki.retrieve_floor import Relevance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from llmwiki.indexes.snapshot import Snapshot

SEARCHED = 32  # terms at most; the index is asked for the most telling ones, the ranking uses all
READ_AT_LEAST, READ_SHARE = 1600, 16  # postings that it may read for them, this many or this part of all pages


class Query:
    """A question as terms with their weights, against one wiki. Its texts (the task, an error) are covered one by one:
    a long error beside a short task makes neither less of a match. `names` are files, each asked for as a whole.

    `says`: what pages may say -> the terms of the question that it speaks of, and how much of a match that is. `held`:
    how many pages have a term or a form of it; `searched` and `alike`: what the index is asked for, the question's own
    words and those that are only like them. `phrases`: pairs of its terms that stand beside each other.
    """

    def __init__(self, texts: Sequence[str], snapshot: Snapshot, names: Sequence[str] = ()) -> None:
        analysed = [words.terms(text) for text in texts]
        asked = [counts for counts in (*map(words.asked, analysed), *({name: 1} for name in names)) if counts]
        terms = list(dict.fromkeys(term for counts in asked for term in counts))
        same = {term: both for term in terms if any(both := vocabulary.same(term))}
        self.says = _says(terms, same)
        pages = dict(zip(self.says, snapshot.frequencies(list(self.says)), strict=True))
        total = max(snapshot.pages, 1)
        self.held = dict.fromkeys(terms, 0)
        for said, meant in self.says.items():
            for term, worth in meant.items():
                self.held[term] += pages[said] if worth == 1 else 0
        self.weights = {term: idf(n, total) for term, n in self.held.items()}
        self.words, self.lines = frozenset(self.says), snapshot.lines
        known = self.weights.keys()
        self.phrases = {p for found in analysed for p in words.phrases(found) if p[0] in known and p[1] in known}
        most = max(READ_AT_LEAST, total // READ_SHARE)
        exact = {said for said, of in self.says.items() if max(of.values()) == 1}
        self.searched = _telling(((pages[t], t) for t in self.says if t in exact and pages[t]), most)
        most -= sum(pages[t] for t in self.searched)
        left = ((pages[t], t) for t in self.says if t not in exact and pages[t])
        self.alike = _telling(left, most) if most > 0 else []
        self.relevance = Relevance(asked, pages, _answering(terms, same, pages), total, snapshot.average[1])


def _says(terms: Sequence[str], same: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> dict[str, dict[str, float]]:
    """Each term itself, then its kin and what developers call the same, where the question does not name them."""
    says = {term: {term: 1.0} for term in terms}
    for term in terms:
        others = dict.fromkeys((o for some in same.get(term, ()) for o in some), kin.NEAR) | kin.of(term)
        for other, worth in others.items():
            if other not in terms:
                says.setdefault(other, {})[term] = worth
    return says


def _answering(
    terms: Sequence[str], same: Mapping[str, tuple[Sequence[str], Sequence[str]]], pages: Mapping[str, int]
) -> dict[str, tuple[list[str], list[str]]]:
    """Term -> (other words for it, its forms among them, and what does it), of those that the wiki has and that were
    not asked themselves: one word answers for one."""
    found, known = {}, {term for term, n in pages.items() if n}.difference(terms)
    for term in terms:
        means, does = same.get(term, ((), ()))
        both = [o for o in (*kin.forms(term), *means) if o in known], [o for o in does if o in known]
        if any(both):
            found[term] = both
    return found


def _telling(known: Iterable[tuple[int, str]], most: int) -> list[str]:
    """The rarest of the (pages that hold it, term): at least two, then as long as few pages are read for them. A word
    that every other page has finds nothing that a rare one does not, and costs the most."""
    found: list[str] = []
    for held, term in sorted(known)[:SEARCHED]:
        most -= held
        if most < 0 and len(found) > 1:
            break
        found.append(term)
    return found
