"""Whether two records teach the same, or the opposite. Polarity comes first: "use npm" is not "never use npm"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

from llmwiki import alternatives, contrary, polarity
from llmwiki.alternatives import Values
from llmwiki.contrary import Verdict
from llmwiki.model import Evidence, Record, RecordType, State
from llmwiki.prose import claims, plain

SAME = 0.6  # share of all terms that two records must have in common
INSIDE = 0.8  # or share of the shorter one's terms, when it has at least three
OPPOSED = 0.5  # share of the shorter one's terms that the other one turns round
KEYS = 8  # terms of a record that find its neighbours
LOOSE = 40  # records that share one key only and are compared all the same
CANDIDATES = 400  # records that are compared with a new one at most
POLAR = (RecordType.PREFERENCE, RecordType.HEURISTIC)  # they want and forbid
LEADING = {
    RecordType.PREFERENCE: ("Rule",),
    RecordType.FACT: ("Statement",),
    RecordType.FAILURE: ("Symptom",),
    RecordType.SKILL: ("When", "Steps"),
    RecordType.STRATEGY: ("Goal",),
    RecordType.HEURISTIC: ("Rule",),
    RecordType.TRACE: ("Goal",),
}
# Which of two things comes first in such a sentence is what it says.
_WAY = re.compile(r"\b(?:before|after|to|from|into|over|than|vor|nach|als|avant|après|antes|después)\b|之前|之后", re.I)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a record is for and what it is against, as terms. `sets` and `bars`: the values that it orders and those
    that it forbids; `frame`: its terms without those."""

    wanted: frozenset[str]
    unwanted: frozenset[str]
    sets: Values = frozenset()
    bars: Values = frozenset()
    frame: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()  # its terms as they follow each other, where that is a part of what it says

    @property
    def all(self) -> frozenset[str]:
        return self.wanted | self.unwanted


def _said(text: str, polar: bool) -> Meaning:
    """What one text means; of what is no rule nothing is unwanted."""
    order = tuple(dict.fromkeys(polarity.distinctive_in_order(text))) if _WAY.search(text) else ()
    text = polarity.plainly(text) if polar else text
    wanted, unwanted = set[str](), set[str]()
    sets, bars = set[tuple[str, str]](), set[tuple[str, str]]()
    for part, against in polarity.clauses(text) if polar else [(text, False)]:
        (unwanted if against else wanted).update(polarity.distinctive(part))
        values, _, _ = alternatives.parted(part)
        numbers = {v for v in values if v[0] == "number" and alternatives.limits(part)}
        sets |= numbers if against else values
        bars |= values - numbers if against else set()
    _, rest, names = alternatives.parted(text)
    frame = polarity.distinctive(rest) - names - alternatives.LIGHT
    return Meaning(
        frozenset(wanted - unwanted),
        frozenset(unwanted),
        frozenset(sets - bars),
        frozenset(bars),
        frozenset(frame),
        order,
    )


@lru_cache(maxsize=20_000)
def _meaning(kind: RecordType, title: str, body: str) -> Meaning:
    return reduce(_joined, (_said(text, kind in POLAR) for text in _texts(kind, title, body)))


def _texts(kind: RecordType, title: str, body: str) -> list[str]:
    """What a record says: of a rule each sentence by itself."""
    lines = [plain(c.text) for c in claims(body) if c.section in LEADING[kind]][:3]
    return [text[:600] for text in (title, *lines)] if kind in POLAR else [" ".join([title, *lines])[:1_500]]


def _joined(a: Meaning, b: Meaning) -> Meaning:
    """What two texts of one record mean together: what one of them forbids is not wanted."""
    unwanted, bars = a.unwanted | b.unwanted, a.bars | b.bars
    sets = (a.sets | b.sets) - bars
    return Meaning((a.wanted | b.wanted) - unwanted, unwanted, sets, bars, a.frame | b.frame, a.order or b.order)


def meaning(record: Record) -> Meaning:
    """The terms that tell what a record says."""
    return _meaning(record.type, record.title, record.body)


def errors(record: Record) -> set[str]:
    """The error lines that a record is about, as its conditions name them."""
    found = record.when.get("errors", ())
    return {found} if isinstance(found, str) else {str(e) for e in found}


def comparable(a: Record, b: Record) -> bool:
    """Whether two records speak of one kind of thing in one place."""
    return a.type is b.type and a.project == b.project and a.type is not RecordType.TRACE


def same(a: Record, b: Record) -> bool:
    """Whether `b` teaches what `a` teaches: one type, one project, one meaning, and no term turned round."""
    if not comparable(a, b):
        return False
    if a.type is RecordType.FAILURE:
        return bool(errors(a) & errors(b)) or (not (errors(a) and errors(b)) and _alike(meaning(a), meaning(b)))
    if "checks" in a.tags and "checks" in b.tags:
        return True
    return not _otherwise(a, b) and _alike(meaning(a), meaning(b))


def _otherwise(a: Record, b: Record) -> bool:
    """Whether each of two statements names a value where the other one has another: they are not the same, whatever
    else they have in common. What an output shows is no statement: a version in it goes on, and the fact with it."""
    one, two = meaning(a), meaning(b)
    apart = alternatives.apart(one.sets, two.sets) or alternatives.apart(one.bars, two.bars)
    return states(a) and states(b) and (apart or turned_round(one, two))


def turned_round(one: Meaning, two: Meaning) -> bool:
    """Whether two sentences have the very same terms in another order, and the order says which of them comes first:
    "run lint before tests" and "run tests before lint"."""
    return one.order != two.order and len(one.order) > 1 and sorted(one.order) == sorted(two.order)


def states(record: Record) -> bool:
    """Whether a record is a statement: a rule, or a fact in the user's words."""
    said = record.type is RecordType.FACT and record.evidence is Evidence.USER_SAID
    return said or record.type in (RecordType.PREFERENCE, RecordType.HEURISTIC)


def adds(known: Record, record: Record) -> bool:
    """Whether a record says a word, or names a value, that another one does not have in any of its lines."""
    text = f"{known.title} {plain(known.body)}"
    there = polarity.distinctive(text) | alternatives.parted(text)[0]
    lines = " ".join(plain(c.text) for c in claims(record.body) if c.section in LEADING[record.type])
    return not (polarity.distinctive(lines) | alternatives.parted(lines)[0]) <= there


def _alike(a: Meaning, b: Meaning) -> bool:
    shared = len(a.wanted & b.wanted) + len(a.unwanted & b.unwanted)
    if not shared or a.wanted & b.unwanted or a.unwanted & b.wanted:
        return False
    small, whole = min(len(a.all), len(b.all)), len(a.all | b.all)
    return shared >= SAME * whole or (small >= 3 and shared >= INSIDE * small)


def opposite(a: Record, b: Record) -> bool:
    """Whether `b` wants the very thing that `a` forbids, or the reverse, or another value in the very same place. Only
    rules can be opposites, and facts that the user stated."""
    return _against(a, b) is Verdict.OPPOSITE


def doubtful(a: Record, b: Record) -> bool:
    """Whether two rules sound contrary, and one of them has a condition more: both speak, and a person is told."""
    return _against(a, b) is Verdict.DOUBT


def turned(a: Record, b: Record) -> bool:
    """Whether of two rules a good part of the shorter one is wanted by one and forbidden by the other, whatever else
    they say: for what is told of the very same words, where every turn is one too many."""
    one, two = meaning(a), meaning(b)
    turned = len(one.wanted & two.unwanted) + len(one.unwanted & two.wanted)
    beside = alternatives.beside(one.bars, two.sets) or alternatives.beside(two.bars, one.sets)
    over = turned > 0 and not beside and turned >= OPPOSED * min(len(one.all), len(two.all))
    return opposite(a, b) or (comparable(a, b) and states(a) and states(b) and over)


def _against(a: Record, b: Record) -> Verdict:
    if not comparable(a, b) or not (states(a) and states(b)):
        return Verdict.APART
    one, two = meaning(a), meaning(b)
    if (one.frame == two.frame and alternatives.apart(one.sets, two.sets)) or turned_round(one, two):
        return Verdict.OPPOSITE
    if not one.all & two.all:
        return Verdict.APART
    return contrary.judged(*(_clauses(r.type, r.title, r.body) for r in (a, b)))


@lru_cache(maxsize=20_000)
def _clauses(kind: RecordType, title: str, body: str) -> tuple[contrary.Clause, ...]:
    """The clauses of a rule, each once; of a fact nothing is forbidden."""
    if kind not in POLAR:
        return ()
    return tuple(dict.fromkeys(c for text in _texts(kind, title, body) for c in contrary.read(text)))


def keys(record: Record) -> set[str]:
    """Keys under which a record finds those that it may repeat or contradict: two that are alike share one."""
    place = f"{record.type.value}\0{record.project or ''}\0"
    if record.type is RecordType.TRACE:
        return set()
    found = {f"{place}error\0{e}" for e in errors(record)}
    if "checks" in record.tags:
        found.add(f"{place}checks")
    found |= _values_of(record)
    telling = sorted(meaning(record).all, key=lambda t: (-len(t), t))[:KEYS]
    return found | {place + t for t in telling}


def _values_of(record: Record) -> set[str]:
    """Keys by which records are found that set another value in the very same place: nothing else need be shared."""
    said, place = meaning(record), f"{record.type.value}\0{record.project or ''}"
    return {"\0".join((place, "", kind, *sorted(said.frame))) for kind, _ in said.sets} if states(record) else set()


def proposed(record: Record) -> bool:
    """Whether a page was made of others by `evolve` and waits: it says what they say until a person decides."""
    return bool(record.parents) and record.state is State.QUARANTINED


class Neighbours:
    """Records by key, so that what a new one repeats is found without reading the whole wiki."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._ids: dict[str, dict[str, None]] = {}
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        for key in keys(record):
            self._ids.setdefault(key, {})[record.id] = None

    def remove(self, record: Record) -> None:
        for key in keys(record):
            self._ids.get(key, {}).pop(record.id, None)

    def _near(self, record: Record) -> list[str]:
        """Ids that share a key, the rarest keys first; a key that everybody has says nothing."""
        found: dict[str, None] = {}
        buckets = sorted((self._ids.get(key, {}) for key in keys(record)), key=len)
        for bucket in buckets:
            if len(found) > CANDIDATES:
                break
            found.update(bucket)
        return sorted(found)

    def same(
        self, record: Record, records: Mapping[str, Record], fits: Callable[[Record], bool] = lambda known: True
    ) -> Record | None:
        """The record that teaches what `record` teaches, of those that fit: a living one before an archived one, then
        by id. What evolved from others and waits for a person comes behind those others: a lesson is theirs until
        somebody says yes."""
        found = [r for i in self._near(record) if (r := records.get(i)) and r.id != record.id and same(r, record)]
        own = records.get(record.id)
        if own is not None and same(own, record):
            found.append(own)
        return min(filter(fits, found), key=lambda r: (r.state is State.ARCHIVED, proposed(r), r.id), default=None)

    def nearest(self, record: Record, records: Mapping[str, Record], most: int = 3) -> list[Record]:
        """Living records that may be one page with `record`: those that teach the same, then by shared terms."""
        mine, found = meaning(record), []
        for other in (records[i] for i in self._near(record) if i in records and i != record.id):
            shared = len(mine.wanted & meaning(other).wanted) + len(mine.unwanted & meaning(other).unwanted)
            share = shared / max(1, min(len(mine.all), len(meaning(other).all)))
            alike = comparable(record, other) and not opposite(record, other) and share >= OPPOSED
            if other.state is not State.ARCHIVED and (alike or same(record, other)):
                found.append((not same(record, other), -share, other.id))
        return [records[id] for _, _, id in sorted(found)[:most]]

    def opposites(self, record: Record, records: Mapping[str, Record]) -> list[Record]:
        """The records that say the opposite, by id."""
        return [r for i in self._near(record) if (r := records.get(i)) and r.id != record.id and opposite(r, record)]

    def doubts(self, record: Record, records: Mapping[str, Record]) -> list[Record]:
        """The records of which it is in doubt whether they say the opposite, by id."""
        return [r for i in self._near(record) if (r := records.get(i)) and r.id != record.id and doubtful(r, record)]

    def likely(self, record: Record) -> list[str]:
        """Ids that may teach the same, by id: what shares two keys, and some that share one. Of the rarest key all are
        looked at, of others as many as can be compared."""
        found: Counter[str] = Counter()
        same = keys(record) - _values_of(record)
        for bucket in sorted((self._ids.get(key, {}) for key in same), key=len):
            if found and len(found) + len(bucket) > CANDIDATES:
                break
            found.update(bucket.keys())
        found.pop(record.id, None)
        loose = sorted(id for id, shared in found.items() if shared == 1)[:LOOSE]
        return sorted([*loose, *(id for id, shared in found.items() if shared > 1)])


def groups(records: Iterable[Record], rank: Callable[[Record], Any]) -> list[list[Record]]:
    """Records that teach the same, two or more each, in the order of `rank`: what stands first in a group teaches the
    same as every other one of it. No record is in two groups.

    Those with the very same words are one before anything is compared, so that the work grows with the number of
    records and not with its square, however often one thing was said.
    """
    twins: dict[tuple[Any, ...], list[Record]] = {}
    for record in sorted(records, key=rank):
        twins.setdefault(_words(record), []).append(record)
    firsts = {found[0].id: found for found in twins.values()}
    near = Neighbours(found[0] for found in twins.values())
    out: list[list[Record]] = []
    for found in twins.values():
        if found[0].id not in firsts:
            continue
        likely = [firsts[id] for id in near.likely(found[0]) if id in firsts]
        alike = [found, *(other for other in likely if same(found[0], other[0]))]
        for other in alike:
            near.remove(other[0])
            del firsts[other[0].id]
        out.append(sorted((r for other in alike for r in other), key=rank))
    return [group for group in out if len(group) > 1]


def _words(record: Record) -> tuple[Any, ...]:
    """What two records with the very same words have in common; nobody else's when there are no words."""
    said = meaning(record)
    place = (record.type, record.project, "checks" in record.tags, frozenset(errors(record)))
    return (*place, said if said.all else record.id)
