"""Whether two records teach the same, or the opposite. Polarity comes first: "use npm" is not "never use npm"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from typing import Any

from llmwiki import alternatives
from llmwiki.alternatives import Values
from llmwiki.model import Evidence, Record, RecordType, State
from llmwiki.prose import claims, plain
from llmwiki.words import STOP, stem, terms

SAME = 0.6  # share of all terms that two records must have in common
INSIDE = 0.8  # or share of the shorter one's terms, when it has at least three
OPPOSED = 0.5  # share of the shorter one's terms that the other one turns round
KEYS = 8  # terms of a record that find its neighbours
LOOSE = 40  # records that share one key only and are compared all the same
CANDIDATES = 400  # records that are compared with a new one at most
LEADING = {
    RecordType.PREFERENCE: ("Rule",),
    RecordType.FACT: ("Statement",),
    RecordType.FAILURE: ("Symptom",),
    RecordType.SKILL: ("When", "Steps"),
    RecordType.STRATEGY: ("Goal",),
    RecordType.HEURISTIC: ("Rule",),
    RecordType.TRACE: ("Goal",),
}
_NEGATION = re.compile(
    r"(?<![-\w])(?:never|not|don'?t|dont|do not|no|avoid|stop|quit|without|instead of|rather than|isn'?t|aren'?t|"
    r"mustn'?t|shouldn'?t|can'?t|cannot|nicht|niemals|nie|kein\w*|ohne|statt|anstatt|vermeide|ne|jamais|"
    r"pas|sans|éviter?|au lieu d[eu]|nunca|evita|sin|en vez de|en lugar de|jamás|mai|senza|não|без|не|"
    r"никогда|вместо)\b"
    r"|(?:ないで|しない|하지 ?마|말고|ではなく|じゃなく)|不要|不能|不用|不许|禁止|别|勿|没有?必要|不需要|而不是",
    re.I,
)
_TURN_BACK = re.compile(
    r"[.;:!?](?![\w/\\])|[。；！？\n]|,(?!\s*(?:nor|or)\b)|，|\b(?:but|use|prefer|sondern|aber|mais|sino|pero|instead)\b|改用|而用|使用|用",
    re.I,
)
_BEHIND = re.compile(r"ないで|しない|하지 ?마|말고|ではなく|じゃなく")  # they negate what stands before them
_LATE = re.compile(r"nicht|niemals|nie", re.I)  # these do, too, when nothing is behind them
_FROM = re.compile(r"\b((?:switch|migrat|chang|upgrad)\w{0,5}(?: [\w-]{1,20}){0,3}) from (\S{1,60}) to\b", re.I)
_OVER = re.compile(
    r"\b(prefer\w{0,4}|choose|pick|favou?r|lieber|eher|plutôt|mejor)\b([^.;,!?。\n]{1,60}?)\b(?:over|to|als|que)\b",
    re.I,
)
# Which of two things comes first in such a sentence is what it says.
_WAY = re.compile(r"\b(?:before|after|to|from|into|over|than|vor|nach|als|avant|après|antes|después)\b|之前|之后", re.I)
_REASON = re.compile(r"\b(?:because|weil|parce que|porque)\b[^.,;!?。\n]*", re.I)  # why it is said, and no part of it
_WEAK = frozenset(
    "use make want need run call keep go get set put let pleas do done work thing way command user passed "
    "error same again exit code".split()
)


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


@cache
def dull() -> frozenset[str]:
    """Terms that every sentence has, as they are stemmed."""
    return frozenset({*STOP, *map(stem, STOP), *_WEAK, *map(stem, _WEAK)})


@cache
def _little() -> frozenset[str]:
    return dull().union(*(terms(word) for word in alternatives.LITTLE))


def _distinctive(text: str) -> set[str]:
    weak = _little()
    found = terms(alternatives.without_particles(text))
    return {t for t in found if t not in weak and (len(t) > 1 or not t.isascii())}


def _distinctive_in_order(text: str) -> list[str]:
    known = _distinctive(text)
    return [term for term in terms(alternatives.without_particles(text)) if term in known]


def _clauses(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text, and whether each is negated: by what stands before it in its clause, or behind it."""
    at, against, held = 0, False, ""
    marks = sorted(
        [(m.start(), m.end(), True) for m in _NEGATION.finditer(text)]
        + [(m.start(), m.end(), False) for m in _TURN_BACK.finditer(text)]
    )
    for start, end, negates in [*marks, (len(text), len(text), False)]:
        part, mark = text[at:start], text[start:end]
        if held:
            yield held, not _distinctive(part)
            held = ""
        if negates and _LATE.fullmatch(mark) and not against:
            held = part
        else:
            yield part, against or bool(negates and _BEHIND.fullmatch(mark))
        if negates:
            against = not _BEHIND.fullmatch(mark)
        elif not (against and mark.lower() in ("use", "用", "使用") and not part.strip()):
            against = False  # but "never use" goes on: the verb belongs to the negation
        at = max(at, end)


def _said(text: str, polar: bool) -> Meaning:
    """What one text means; of what is no rule nothing is unwanted."""
    order = tuple(dict.fromkeys(_distinctive_in_order(text))) if _WAY.search(text) else ()
    text = _plainly(text) if polar else text
    wanted, unwanted = set[str](), set[str]()
    sets, bars = set[tuple[str, str]](), set[tuple[str, str]]()
    for part, against in _clauses(text) if polar else [(text, False)]:
        (unwanted if against else wanted).update(_distinctive(part))
        values, _, _ = alternatives.parted(part)
        numbers = {v for v in values if v[0] == "number" and alternatives.limits(part)}
        sets |= numbers if against else values
        bars |= values - numbers if against else set()
    _, rest, names = alternatives.parted(text)
    frame = _distinctive(rest) - names - alternatives.LIGHT
    return Meaning(
        frozenset(wanted - unwanted),
        frozenset(unwanted),
        frozenset(sets - bars),
        frozenset(bars),
        frozenset(frame),
        order,
    )


def _plainly(text: str) -> str:
    """A rule without its reason, and with one word for "rather than": "prefer a over b", "switch from b to a"."""
    return _OVER.sub(r"\1\2 instead of ", _FROM.sub(r"\1 instead of \2, ", _REASON.sub("", text)))


@lru_cache(maxsize=20_000)
def _meaning(kind: RecordType, title: str, body: str) -> Meaning:
    lines = [plain(c.text) for c in claims(body) if c.section in LEADING[kind]][:3]
    polar = kind in (RecordType.PREFERENCE, RecordType.HEURISTIC)
    texts = [text[:600] for text in (title, *lines)] if polar else [" ".join([title, *lines])[:1_500]]
    return reduce(_joined, (_said(text, polar) for text in texts))


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
    there = _distinctive(text) | alternatives.parted(text)[0]
    lines = " ".join(plain(c.text) for c in claims(record.body) if c.section in LEADING[record.type])
    return not (_distinctive(lines) | alternatives.parted(lines)[0]) <= there


def _alike(a: Meaning, b: Meaning) -> bool:
    shared = len(a.wanted & b.wanted) + len(a.unwanted & b.unwanted)
    if not shared or a.wanted & b.unwanted or a.unwanted & b.wanted:
        return False
    small, whole = min(len(a.all), len(b.all)), len(a.all | b.all)
    return shared >= SAME * whole or (small >= 3 and shared >= INSIDE * small)


def opposite(a: Record, b: Record) -> bool:
    """Whether `b` wants what `a` forbids, or the reverse, or another value in the very same place. Only rules can be
    opposites, and facts that the user stated."""
    if not comparable(a, b) or not (states(a) and states(b)):
        return False
    one, two = meaning(a), meaning(b)
    turned = len(one.wanted & two.unwanted) + len(one.unwanted & two.wanted)
    if alternatives.beside(one.bars, two.sets) or alternatives.beside(two.bars, one.sets):
        turned = 0  # "never push to main" forbids no "push to develop"
    replaced = (one.frame == two.frame and alternatives.apart(one.sets, two.sets)) or turned_round(one, two)
    return replaced or (turned > 0 and turned >= OPPOSED * min(len(one.all), len(two.all)))


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
