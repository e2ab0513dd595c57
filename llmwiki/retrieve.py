"""Which records answer a question, and in which order. Pure: everything comes from the index's values.

Two ways to ask. `search` ranks by similarity alone. `context` lets in only what clears a floor on similarity, and
orders that by similarity, confidence, age and use (MEMORY.md, "Speaking"). Loaded by the hook: no imports that cost.
"""

from __future__ import annotations

from itertools import chain
from math import sqrt

from llmwiki import vocabulary, words
from llmwiki.indexes.entries import DAY, K1, B, Scored, idf
from llmwiki.retrieve_floor import Relevance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from llmwiki.indexes.entries import Entry
    from llmwiki.indexes.snapshot import Snapshot

TITLE, TAGS = 2.0, 1.0  # what a word of the title, and of tags and description, counts beside one of the body
# What similarity is made of: the whole page, its best line, its best three lines in a row, the records that rest on
# turns around its own, and those of its session (each score ÷ its maximum). Chosen on the development half of LoCoMo.
PARTS = {"record": 1.0, "passage": 0.25, "window": 0.25, "near": 0.8, "session": 0.5}
NEAR = 2  # turns
SEARCHED = 32  # terms at most; the index is asked for the most telling ones, the ranking uses all
READ_AT_LEAST, READ_SHARE = 800, 16  # postings that it may read for them, this many or this part of all pages
CANDIDATES = 100
# What a word of the same meaning weighs in ranking beside the word itself; none where one page in eight has that.
SAME, OFTEN = 0.2, 8
# Where a record clears the floor, those that rest on turns so close to its own join with this part of it: the answer
# often stands beside the best match. Another project's record never joins in this way.
JOINING, JOIN_TURNS = 0.4, 3
ALIKE = 0.75  # beside an answer, what speaks of so much of what the best one speaks of is one, too
# A record of the project at hand may speak of less: that it belongs here is the half of an answer.
AT_HOME = 0.75
# What speaks of less than this part of what the best one speaks of is no answer beside it; and where the own project
# has an answer, another one's has to be about most of the task.
BEHIND, FOREIGN, KNOWN = 0.45, 0.7, 2.5


class Query:
    """A question as terms with their weights, against one wiki. Its texts (the task, an error) are covered one by one:
    a long error beside a short task makes neither less of a match. `names` are files, each asked for as a whole."""

    def __init__(self, texts: Sequence[str], snapshot: Snapshot, names: Sequence[str] = ()) -> None:
        asked = [counts for counts in (*map(words.query_terms, texts), *({name: 1} for name in names)) if counts]
        terms = list(dict.fromkeys(term for counts in asked for term in counts))
        same = {t: both for t in terms if any(both := vocabulary.same(t))}
        more = [o for o in dict.fromkeys(o for both in same.values() for o in chain(*both)) if o not in terms]
        held = dict(zip([*terms, *more], snapshot.frequencies([*terms, *more]), strict=True))
        total = max(snapshot.pages, 1)
        self.weights = {t: idf(held[t], total) for t in terms}
        for t, both in same.items():
            for o in chain(*both):
                if held[o] and o not in terms and held[t] * OFTEN <= total:
                    self.weights[o] = max(self.weights.get(o, 0.0), SAME * min(idf(held[o], total), self.weights[t]))
        known = [(held[t], t) for t in self.weights if held[t]]
        self.searched = _telling(known, max(READ_AT_LEAST, total // READ_SHARE))
        meant = {t: ([o for o in m if held[o]], [o for o in d if held[o]]) for t, (m, d) in same.items()}
        self.relevance = Relevance(asked, held, meant, total, snapshot.average[1])

    def coverage(self, found: Iterable[str]) -> float:
        """The share of the question that these terms speak of, 0–1, whatever the size of the wiki."""
        return self.relevance.coverage(found)


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


def ranked(query: Query, entries: Sequence[Entry], average: tuple[float, float, float]) -> list[Scored]:
    """The candidates by similarity: the whole page by BM25F, its best passage and best window, the candidates that cite
    turns around its own, and its session; each ÷ its maximum, then weighted."""
    scored = [_measured(query, entry, average) for entry in entries]
    _beside(query, scored, average[1])
    for part, weight in PARTS.items():
        top = max((getattr(s, part) for s in scored), default=0.0) or 1.0
        for s in scored:
            s.similarity += weight * getattr(s, part) / top
    most = max((s.similarity for s in scored), default=0.0) or 1.0
    for s in scored:
        s.similarity /= most
        s.score = s.similarity
    return sorted(scored, key=lambda s: (-s.similarity, s.entry.id, s.entry.path))


def _beside(query: Query, scored: Sequence[Scored], average: float) -> None:
    """Sets `near` and `session`: what the records say together that rest on turns close by, or on the same session. A
    turn seldom repeats what the one before it asked."""
    sessions: dict[str, list[tuple[int, Scored]]] = {}
    for s in scored:
        stem, number = _where(s.entry)
        sessions.setdefault(stem or s.entry.path, []).append((number, s))
    for members in sessions.values():
        members.sort(key=lambda member: member[0])
        together = _sum(s for _, s in members)
        session = _bm25(query, together, 1, 1.0)
        for i, (number, s) in enumerate(members):
            s.session = session
            low, high = i, i + 1
            while low and number - members[low - 1][0] <= NEAR:
                low -= 1
            while high < len(members) and members[high][0] - number <= NEAR:
                high += 1
            close = [other for _, other in members[low:high]]
            length = sum(len(other.entry.said) + len(other.entry.passages) for other in close)
            s.near = _bm25(query, _sum(close), length, len(close) * average)


def _where(entry: Entry) -> tuple[str, int]:
    """(raw page, number of the turn) that the page cites first; ("", 0) for none."""
    first, _, _ = entry.cites.partition(" ")
    stem, _, anchor = first.partition("#")
    number = anchor[1:].partition("-")[0]
    return stem, int(number) if number.isdigit() else 0


def beside(entry: Entry, others: Iterable[Entry]) -> bool:
    """Whether a record rests on turns close to those of another one."""
    stem, number = _where(entry)
    return number > 0 and any(s == stem and n > 0 and abs(n - number) <= JOIN_TURNS for s, n in map(_where, others))


def _sum(members: Iterable[Scored]) -> dict[str, float]:
    together: dict[str, float] = {}
    for s in members:
        _weighted(s.counts, 1.0, together)
    return together


def _measured(query: Query, entry: Entry, average: tuple[float, float, float]) -> Scored:
    s = Scored(entry)
    title, _, tags = entry.said.partition("\x1f")
    lines = entry.said_lines()
    counts = [_counts(query, line) for line in lines]
    titled = _counts(query, title)
    whole = _weighted(titled, TITLE, _weighted(_counts(query, tags), TAGS, {}))
    for found in counts:
        _weighted(found, 1.0, whole)
    s.counts = whole
    s.record = _bm25(query, whole, len(entry.said) + len(entry.passages), average[1])
    s.coverage = query.coverage(whole)
    for i, found in enumerate(counts):
        if not found:
            continue
        s.best.append((_bm25(query, found, len(lines[i]), average[2]), i))
        low, high = max(0, i - 1), i + 2
        together = _weighted(found, 1.0, {})
        for other in (*counts[low:i], *counts[i + 1 : high]):
            _weighted(other, 1.0, together)
        length = sum(map(len, lines[low:high]))
        s.window = max(s.window, _bm25(query, together, length, 3 * average[2]))
    s.best.sort(key=lambda pair: (-pair[0], pair[1]))
    heading = _bm25(query, titled, len(title), average[2])  # a title is a line too
    s.passage = max(s.best[0][0] if s.best else 0.0, heading)
    s.window = max(s.window, heading)
    return s


def _counts(query: Query, text: str) -> dict[str, int]:
    said = text.split()
    return {term: said.count(term) for term in query.weights.keys() & said}


def _weighted(found: Mapping[str, float], weight: float, onto: dict[str, float]) -> dict[str, float]:
    for term, n in found.items():
        onto[term] = onto.get(term, 0.0) + weight * n
    return onto


def _bm25(query: Query, counts: Mapping[str, float], length: int, average: float) -> float:
    norm = K1 * (1 - B + B * length / (average or 1.0))
    weights = query.weights
    return sum(weights[t] * n * (K1 + 1) / (n + norm) for t, n in counts.items())


def candidates(snapshot: Snapshot, query: Query, allowed: Allowed, wanted: int) -> list[Entry]:
    """Enough entries that may speak, best first: the index is asked for more while what it gives may not."""
    limit = CANDIDATES
    while True:
        found, more = snapshot.candidates(query.searched, limit, allowed.right)
        if len(found) >= wanted or not more:
            return found
        limit *= 10


class Allowed:
    """Which entries may be an answer: those that speak to this reader at `now`, or what a person's flags ask for.
    `loaded`: False leaves out what an agent loads by itself, True gives nothing else, None does not ask."""

    def __init__(
        self,
        now: int,
        scopes: Iterable[str] = (),
        kind: str = "",
        state: str = "",
        everything: bool = False,
        silent: Iterable[str] = (),
        loaded: bool | None = None,
    ) -> None:
        self.now, self.kind, self.state, self.everything = now, kind, state, everything
        self.scopes, self.silent, self.loaded = frozenset(scopes), frozenset(silent), loaded

    def right(self, kind: str, state: str, scope: str, speaks_from: int, speaks_until: int, loaded: int) -> bool:
        if kind in self.silent or (self.kind and kind != self.kind) or (self.scopes and scope not in self.scopes):
            return False
        if self.loaded is not None and bool(loaded) is not self.loaded:
            return False
        if self.state:
            return state == self.state
        return (self.everything and bool(state)) or speaks_from <= self.now < speaks_until

    def __call__(self, entry: Entry) -> bool:
        e = entry
        return self.right(e.type, e.state, e.scope, e.speaks_from, e.speaks_until, e.loaded)


def search(snapshot: Snapshot, text: str, allowed: Allowed, limit: int = 10) -> list[Scored]:
    """The records that answer best, by similarity alone, at most `limit`."""
    query = Query([text], snapshot)
    if limit < 1:
        return []
    found = candidates(snapshot, query, allowed, max(50, limit))
    return ranked(query, found, snapshot.average)[:limit]


def weighed(scored: Iterable[Scored], now: int, weekly: float, offers: dict[str, int]) -> None:
    """Sets `score`: similarity × (.5 + .5 × effective confidence) × (.9 + .1 × 2^(−days/90)) × reuse (.8–1.2)."""
    for s in scored:
        entry = s.entry
        s.effective = entry.effective(now, weekly)
        days = max(0, now - entry.since) / DAY if entry.since else 0.0
        s.score = s.similarity * (0.5 + 0.5 * s.effective) * (0.9 + 0.1 * 2 ** (-days / 90))
        s.score *= reuse(entry.uses, offers.get(entry.id, 0), entry.id, now // DAY)


def reuse(uses: int, offers: int, id: str, day: int) -> float:
    """.8 for what is offered and never used, 1 for what is new, 1.2 for what is used each time. One day in ten what
    sinks gets its turn again; which one depends on the id, so that an answer is the same all day."""
    ignored = max(0, offers - uses)
    factor = 1 + 0.2 * (uses - ignored) / (uses + ignored + 3)
    return 1.0 if factor < 1 and (sum(id.encode()) + day) % 10 == 0 else factor


def diverse(scored: Iterable[Scored], limit: int, balance: float = 0.9) -> list[Scored]:
    """All of them, the first `limit` each judged by its score and by how little it repeats what stands before it (MMR),
    the rest by score."""
    left, taken = sorted(scored, key=lambda s: (-s.score, s.entry.id)), list[Scored]()
    top = (left[0].score if left else 0.0) or 1.0
    bags: dict[int, frozenset[str]] = {}
    nearest: dict[int, tuple[float, int]] = {}  # how near to those taken, and how many of these were looked at
    while left and len(taken) < limit:
        best, worth = left[0], -2.0
        for s in left:
            if balance * s.score / top <= worth:
                break  # even unlike all that was taken it would not be better, nor would those behind it
            near, seen = nearest.get(s.entry.key, (0.0, 0))
            near = max((near, *(_alike(_bag(bags, s), _bag(bags, t)) for t in taken[seen:])))
            nearest[s.entry.key] = near, len(taken)
            if balance * s.score / top - (1 - balance) * near > worth:
                best, worth = s, balance * s.score / top - (1 - balance) * near
        left.remove(best)
        taken.append(best)
    return taken + left


def liken(ordered: Sequence[Scored]) -> None:
    """Sets `like`: how near each is to the nearest one that stands before it, 0–1."""
    bags: dict[int, frozenset[str]] = {}
    for i, s in enumerate(ordered):
        s.like = max((_alike(_bag(bags, s), _bag(bags, other)) for other in ordered[:i]), default=0.0)


def _bag(bags: dict[int, frozenset[str]], s: Scored) -> frozenset[str]:
    if s.entry.key not in bags:
        bags[s.entry.key] = frozenset(s.entry.passages.replace("\x1f", " ").split())
    return bags[s.entry.key]


def _alike(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / sqrt(len(a) * len(b)) if a and b else 0.0
