"""A question against one wiki: its terms and what else speaks of them, what each weighs, which ones the index is asked
for, and how much of it a record must speak of. Pure; loaded by the hook."""

from __future__ import annotations

from llmwiki import compounds, kin, vocabulary, words
from llmwiki.indexes.entries import idf
from llmwiki.retrieve_floor import Relevance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from llmwiki.indexes.snapshot import Snapshot

SEARCHED = 32  # terms at most; the index is asked for the most telling ones, the ranking uses all
HALF = 0.5  # how much of a match one half of a compound is
TAKEN_APART = 8  # compounds that are taken apart at most: each costs looking up all that it may be made of
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
        self.says, one = _says(terms, same), _joined(texts, terms)
        for said, of in one.items():
            self.says[said] = dict.fromkeys(of, 1.0)
        pages = dict(zip(self.says, snapshot.frequencies(list(self.says)), strict=True))
        made = _apart(texts, [term for term in terms if not pages[term] and term not in same], snapshot, pages)
        for term, parts in made.items():
            for part in parts:
                self.says.setdefault(part, {}).setdefault(term, HALF)
        total = max(snapshot.pages, 1)
        self.held = dict.fromkeys(terms, 0)
        for said, meant in self.says.items():
            for term, worth in meant.items():
                self.held[term] += pages[said] if worth == 1 else 0
        self.held |= {term: max(map(pages.__getitem__, parts)) for term, parts in made.items()}  # as common as a half
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
        self.relevance = Relevance(asked, pages, _answering(terms, same, pages, one, made), total, snapshot.average[1])

    def own(self, said: Iterable[str]) -> Iterator[str]:
        """The terms of the question that some words are themselves, or another form of."""
        return (term for word in said for term, worth in self.says.get(word, {}).items() if worth == 1)


def _says(terms: Sequence[str], same: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> dict[str, dict[str, float]]:
    """Each term itself, then its kin and what developers call the same, where the question does not name them."""
    says = {term: {term: 1.0} for term in terms}
    for term in terms:
        others = dict.fromkeys((o for some in same.get(term, ()) for o in some), kin.NEAR) | kin.of(term)
        for other, worth in others.items():
            if other not in terms:
                says.setdefault(other, {})[term] = worth
    return says


def _joined(texts: Sequence[str], terms: Sequence[str]) -> dict[str, list[str]]:
    """What two words of a question are as one -> those of its terms that are said so; what it names itself is none."""
    found: dict[str, list[str]] = {}
    for text in texts:
        for whole, said in compounds.joined(text).items():
            if whole not in terms and (of := [term for term in said if term in terms]):
                found.setdefault(whole, of)
    return found


def _apart(
    texts: Sequence[str], unknown: Sequence[str], snapshot: Snapshot, pages: dict[str, int]
) -> dict[str, list[str]]:
    """Term that neither the wiki nor a list knows -> the words that it is made of and what means the same, of those
    that the wiki has; adds to `pages` how many have them. Each half has to be a word that one of the two knows."""
    pairs = {term: of for text in texts for term, of in compounds.apart(text).items() if term in unknown}
    pairs = dict(list(pairs.items())[:TAKEN_APART])
    _count(snapshot, pages, (part for of in pairs.values() for pair in of for part in pair))
    found: dict[str, list[str]] = {}
    for term, of in pairs.items():
        for pair in of:
            meant = [[part, *(o for some in vocabulary.same(part) for o in some)] for part in pair]
            if all(len(some) > 1 or pages[some[0]] for some in meant):
                _count(snapshot, pages, (part for some in meant for part in some))
                found[term] = [part for some in meant for part in some if pages[part]]
                break
    return {term: parts for term, parts in found.items() if parts}


def _count(snapshot: Snapshot, pages: dict[str, int], terms: Iterable[str]) -> None:
    new = list(dict.fromkeys(term for term in terms if term not in pages))
    pages.update(zip(new, snapshot.frequencies(new), strict=True))


def _answering(
    terms: Sequence[str],
    same: Mapping[str, tuple[Sequence[str], Sequence[str]]],
    pages: Mapping[str, int],
    one: Mapping[str, Sequence[str]],
    made: Mapping[str, Sequence[str]],
) -> dict[str, tuple[list[str], list[str]]]:
    """Term -> (other words for it, its forms among them, and what does it), of those that the wiki has and that were
    not asked themselves: one word answers for one."""
    found, known = {}, {term for term, n in pages.items() if n}.difference(terms)
    wholes = [
        (min(said, key=lambda term: (pages[term], term)), whole, of)
        for whole, of in one.items()
        if (said := _parts(of))
    ]
    for term in terms:
        means, does = same.get(term, ((), made.get(term, ())))
        also = [(whole, len(of) > 1) for rarest, whole, of in wholes if rarest == term]
        means = [*kin.forms(term), *means, *(whole for whole, sure in also if sure)]
        does = [*does, *(whole for whole, sure in also if not sure)]  # `log in` may be a log in a fire; `log-in` not
        both = [o for o in means if o in known], [o for o in does if o in known]
        if any(both):
            found[term] = both
    return found


def _parts(of: Iterable[str]) -> list[str]:
    """Those of a compound's terms that are words, not both with what joins them."""
    return [term for term in of if term.isalnum()]


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
