"""Which records answer a question, and in which order. Pure: everything comes from the index's values.

Two ways to ask. `search` ranks by similarity alone. `context` lets in only what clears a floor on similarity, and
orders that by similarity, confidence, age and use (MEMORY.md, "Speaking"). Loaded by the hook: no imports that cost.
"""

from __future__ import annotations

from math import log, sqrt

from llmwiki import words
from llmwiki.indexes.entries import DAY, K1, B, Scored, idf
from llmwiki.retrieve_query import Query as Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from llmwiki.indexes.entries import Entry
    from llmwiki.indexes.snapshot import Snapshot
    from llmwiki.indexes.vectors import Near as Near

TITLE, TAGS = 2.0, 1.0  # what a word of the title, and of tags and description, counts beside one of the body
# What similarity is made of, each score ÷ its maximum: the record with those that rest on turns close by; its best line
# with the one before it; its best three lines, each for itself; its session. Chosen on the development half of LoCoMo.
# All is flat there: weights chosen on four conversations lose .001 of recall and .006 of MRR on the fifth.
PARTS = {"near": 1.0, "window": 0.5, "lines": 0.2, "session": 0.3}
SPOKEN = 3  # lines of "lines"
# What all of the question's words side by side in one line would add to that. On the same half it lifts the MRR of
# sessions by .006 and of turns by .003, and costs .003 of the sessions' R@5; .1 to .25 is flat.
PHRASE = 0.15
# What a word that is only like one of the question counts where no other one of the question's own stands beside it or
# in the title. Chosen on seven long chats and 880 questions, none of LoCoMo: it lifts the R@10 of sessions by .010 to
# .021, the R@5 of several sessions by .010 to .033, and costs plain questions .004 of R@5; .4 to .6 is flat.
ALONE = 0.45
# What one turn further away counts: an answer follows its question more often than it comes before it.
EARLIER, LATER, NEAR = 0.6, 0.4, 3  # turns
# A question is about one project. A record loses up to this part of its similarity where the best record of its project
# is worse than the best of all; one that holds everywhere loses nothing.
ELSEWHERE = 0.75
# Of short records more are looked at, as they cost less: as many as have so many characters of terms, in these bounds.
CANDIDATES, MOST, READ_CHARS = 100, 800, 80_000
KIN = 4  # words that are only like one of the question find this part of that number
# Where a record clears the floor, those that rest on turns close to its own join with this part of it: the answer often
# stands beside the best match. Another project's record never joins in this way.
JOINING = 0.1
ALIKE = 0.75  # beside an answer, what speaks of so much of what the best one speaks of is one, too
# A record of the project at hand may speak of less: that it belongs here is half of an answer. Of few records hardly
# any is like a task by chance, so the first holds up to so many of them, the second from so many on; and for a record
# that has one word of the task alone, always the second.
AT_HOME, FEW, MANY = (0.5, 0.75), 10, 100
# And this part, where the task has a word of everyday life that no page has, until three of its words match.
DAILY = 0.85
# What speaks of less than this part of what the best one speaks of is no answer beside it; and where the wiki knows the
# project at hand, another one's record has to be about most of the task, by evidence and by so many words. In a
# repository of which the wiki has nothing yet, evidence and some words do.
BEHIND, FOREIGN, KNOWN, WORDS, SOME = 0.45, 0.7, 2.5, 3, 2


def ranked(
    query: Query, entries: Sequence[Entry], average: tuple[float, float, float], near: Near | None = None
) -> list[Scored]:
    """The candidates by similarity: their `PARTS`, each ÷ its maximum, then weighted; then their project's. `near` adds
    what the passages mean."""
    ordered = sorted(entries, key=lambda e: (e.id, e.path))  # sums of floats depend on their order
    scored = [_measured(query, entry) for entry in ordered]
    _lines(query, scored, average[2])
    _beside(query, scored, average[1])
    _phrases(query, scored)
    for part, weight in PARTS.items():
        top = max((getattr(s, part) for s in scored), default=0.0) or 1.0
        for s in scored:
            s.similarity += weight * getattr(s, part) / top
    for s in scored:
        s.similarity += PHRASE * s.phrase
    _at_home(scored)
    if near:
        from llmwiki import retrieve_vectors

        retrieve_vectors.fuse(scored, near)
        _to_one(scored)
    return sorted(scored, key=lambda s: (-s.similarity, s.entry.id, s.entry.path))


def _to_one(scored: Sequence[Scored]) -> None:
    most = max((s.similarity for s in scored), default=0.0) or 1.0
    for s in scored:
        s.similarity /= most
        s.score = s.similarity


def _at_home(scored: Sequence[Scored]) -> None:
    """Brings similarity to 0–1, less what a record loses for its project's sake."""
    best: dict[str, float] = {}
    for s in scored:
        best[s.entry.project] = max(best.get(s.entry.project, 0.0), s.similarity)
    most = max(best.values(), default=0.0) or 1.0
    best[""] = most
    for s in scored:
        s.similarity *= (1 - ELSEWHERE + ELSEWHERE * best[s.entry.project] / most) / most
        s.score = s.similarity


def _beside(query: Query, scored: Sequence[Scored], average: float) -> None:
    """Sets `near` and `session`: what the records say together that rest on turns close by, or on the same session. A
    turn seldom repeats what the one before it asked."""
    sessions: dict[str, list[tuple[int, Scored]]] = {}
    for s in scored:
        stem, number = where(s.entry)
        sessions.setdefault(stem or s.entry.path, []).append((number, s))
    for members in sessions.values():
        members.sort(key=lambda member: member[0])
        together: dict[str, float] = {}
        for _, s in members:
            _weighted(s.counts, 1.0, together)
        session = _bm25(query.weights, together, 1, 1.0)
        first = 0
        for number, s in members:
            s.session = session
            close, length, share = dict[str, float](), 0.0, 0.0
            while number - members[first][0] > NEAR:
                first += 1
            for place, other in members[first:]:
                if place - number > NEAR:
                    break
                worth = EARLIER ** (number - place) if place < number else LATER ** (place - number)
                _weighted(other.counts, worth, close)
                length += worth * other.entry.chars
                share += worth
            s.near = _bm25(query.weights, close, length, share * average)


def where(entry: Entry) -> tuple[str, int]:
    """(raw page, number of the turn) that the page cites first; ("", 0) for none."""
    first, _, _ = entry.cites.partition(" ")
    stem, _, anchor = first.partition("#")
    number = anchor[1:].partition("-")[0]
    return stem, int(number) if number.isdigit() else 0


class Beside:
    """Where the records stand that clear the floor by themselves, for others to join them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._turns: dict[str, list[int]] = {}
        for entry in entries:
            stem, number = where(entry)
            if number:
                self._turns.setdefault(stem, []).append(number)

    def __contains__(self, entry: Entry) -> bool:
        """Whether a record rests on turns close to those of another one."""
        stem, number = where(entry)
        return number > 0 and any(0 < abs(number - turn) <= NEAR for turn in self._turns.get(stem, ()))


def _measured(query: Query, entry: Entry) -> Scored:
    s = Scored(entry)
    title, _, tags = entry.said.partition("\x1f")
    named = frozenset(query.own(title.split()))
    s.heading = _counts(query, title), len(title)
    whole = _weighted(s.heading[0], TITLE, _weighted(_counts(query, tags), TAGS, {}))
    for line in entry.said_lines():
        found = _counts(query, line, named)
        s.found.append((found, len(line)))
        _weighted(found, 1.0, whole)
    s.counts = whole
    return s


def _lines(query: Query, scored: Sequence[Scored], average: float) -> None:
    """Sets `window`, by the title or the line that says most with the line before it, `best`, the lines by what each
    says for itself, and of these and the title `lines`."""
    weights = _among_lines(query, scored)
    for s in scored:
        s.window = title = _bm25(weights, *s.heading, average)
        before, length = dict[str, float](), 0
        for i, (found, chars) in enumerate(s.found):
            if found:
                s.best.append((_bm25(weights, found, chars, average), i))
                both = _weighted(before, 1.0, dict(found)) if before else found
                s.window = max(s.window, _bm25(weights, both, length + chars, average * min(i + 1, 2)))
            before, length = found, chars
        s.best.sort(key=lambda pair: (-pair[0], pair[1]))
        s.lines = sum(sorted((title, *(score for score, _ in s.best[:SPOKEN])))[-SPOKEN:])


def _phrases(query: Query, scored: Sequence[Scored]) -> None:
    """Sets `phrase`: how much of the question, 0–1, a title or one line says in words that stand beside each other in
    both."""
    asked = sum(query.weights.values()) or 1.0
    for s in scored if query.phrases else ():
        texts = [(s.heading[0], s.entry.said.partition("\x1f")[0])]
        texts += [(found, line) for (found, _), line in zip(s.found, s.entry.said_lines(), strict=True)]
        for found, text in texts:
            if len(found) > 1:
                shared = sorted(query.phrases & words.phrases(text.split()))
                s.phrase = max(s.phrase, min(1.0, sum(query.weights[a] + query.weights[b] for a, b in shared) / asked))


def _among_lines(query: Query, scored: Iterable[Scored]) -> dict[str, float]:
    """What a term tells among all lines of the wiki. A long page may hold it in one line or in most, and the index does
    not know; so as often to a page as the candidates do."""
    lines, pages = dict[str, int](), dict[str, int]()
    for s in scored:
        holding = [term for found, _ in s.found for term, n in found.items() if n >= 1]
        for term in holding:
            lines[term] = lines.get(term, 0) + 1
        for term in set(holding):
            pages[term] = pages.get(term, 0) + 1
    held = {t: n * lines.get(t, 1) / pages.get(t, 1) for t, n in query.held.items()}
    return {t: idf(n, max(query.lines, 1)) for t, n in held.items()}


def _counts(query: Query, text: str, named: frozenset[str] = frozenset()) -> dict[str, float]:
    """Term of the question -> how often a text speaks of it, its kin by what they are worth. `named`: terms that stand
    over the text."""
    said = text.split()
    counts: dict[str, float] = {}
    found = sorted(query.words.intersection(said))  # sums of floats depend on their order
    own = named.union(query.own(found)) if found else named
    for word in found:
        n = said.count(word)
        for term, worth in query.says[word].items():
            if worth < 1 and own <= {term}:
                worth *= ALONE
            counts[term] = counts.get(term, 0.0) + worth * n
    return counts


def _weighted(found: Mapping[str, float], weight: float, onto: dict[str, float]) -> dict[str, float]:
    for term, n in found.items():
        onto[term] = onto.get(term, 0.0) + weight * n
    return onto


def _bm25(weights: Mapping[str, float], counts: Mapping[str, float], length: float, average: float) -> float:
    norm = K1 * (1 - B + B * length / (average or 1.0))
    return sum(weights[t] * n * (K1 + 1) / (n + norm) for t, n in counts.items())


def candidates(snapshot: Snapshot, query: Query, allowed: Allowed, wanted: int) -> list[Entry]:
    """The entries that may speak and hold words of the question, the best ones where there are many."""
    limit = max(wanted, CANDIDATES, min(MOST, int(READ_CHARS / (snapshot.average[1] or 1))))
    found = snapshot.candidates(query.searched, limit, allowed.right)
    known = {entry.key for entry in found}
    alike = snapshot.candidates(query.alike, limit // KIN, allowed.right)
    return found + [entry for entry in alike if entry.key not in known]


def joined(snapshot: Snapshot, entries: list[Entry], near: Near | None, allowed: Allowed) -> list[Entry]:
    """The entries, and those near in meaning that may speak: they need share no word with the question."""
    if near is None:
        return entries
    known = {entry.key for entry in entries}
    added = snapshot.allowed(near.nearest(CANDIDATES), allowed.right)
    return [*entries, *(entry for entry in added if entry.key not in known)]


def at_home(lessons: int, matched: int, daily: int) -> float:
    """The part of the floor that holds for a record of the project at hand: that project has so many `lessons`, the
    record so many words of the task, of which so many are of everyday life and on no page."""
    if daily and matched < WORDS:
        return DAILY  # `which branch of the bank` is about no project
    step = log(max(lessons, FEW) / FEW) / log(MANY / FEW)
    return AT_HOME[0] + (AT_HOME[1] - AT_HOME[0]) * min(1.0, step) if matched > 1 else AT_HOME[1]


class Allowed:
    """Which entries may be an answer: those that speak to this reader at `now`, or what a person's flags ask for.
    `loaded`: False leaves out what an agent loads by itself, True gives nothing else, None does not ask. Of a `project`
    are its records and those that hold everywhere; the snapshot leaves out the others, by its own `project`."""

    def __init__(
        self,
        now: int,
        scopes: Iterable[str] = (),
        kind: str = "",
        state: str = "",
        everything: bool = False,
        silent: Iterable[str] = (),
        loaded: bool | None = None,
        project: str = "",
    ) -> None:
        self.project = project
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
        return (not self.project or entry.project in ("", self.project)) and self.right(*entry.rights())


def search(snapshot: Snapshot, text: str, allowed: Allowed, limit: int = 10, near: Near | None = None) -> list[Scored]:
    """The records that answer best, by similarity alone, at most `limit`."""
    query = Query([text], snapshot)
    if limit < 1:
        return []
    found = joined(snapshot, candidates(snapshot, query, allowed, max(50, limit)), near, allowed)
    return ranked(query, found, snapshot.average, near)[:limit]


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
    the rest by score. Records of one session do not repeat each other: one asks and the next one answers, in the same
    words."""
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
            near = max((near, *(_alike(bags, s, t) for t in taken[seen:])))
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
        s.like = max((_alike(bags, s, other) for other in ordered[:i]), default=0.0)


def _bag(bags: dict[int, frozenset[str]], s: Scored) -> frozenset[str]:
    if s.entry.key not in bags:
        bags[s.entry.key] = frozenset(s.entry.passages.replace("\x1f", " ").split())
    return bags[s.entry.key]


def _alike(bags: dict[int, frozenset[str]], s: Scored, t: Scored) -> float:
    if (session := where(s.entry)[0]) and session == where(t.entry)[0]:
        return 0.0
    a, b = _bag(bags, s), _bag(bags, t)
    return len(a & b) / sqrt(len(a) * len(b)) if a and b else 0.0
