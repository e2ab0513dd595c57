"""Records that teach the same, records that teach the opposite, and records that speak in the place of others.

Near-linear: a record is compared with those only that share a telling term with it, the rarest terms first, and with a
limited number of them. Of a term that very many records have, those that stand beside it in the order of what they say
are taken: what is alike is near there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from llmwiki import graph, lifecycle, similar
from llmwiki.model import Record, State, Wiki
from llmwiki.rules.base import Findings, Found, Seen, lessons

MOST = 60  # records that one is compared with
WINDOW = 10  # of a crowded term: so many before a record, and so many behind it


def duplicates(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """Two records of one type and project teach the same.

    The lesson is told twice, and each of the two is trusted less than it deserves. Merge them: keep the page that is
    named, and archive the other with the reason.
    """
    near = _nearby(wiki, seen)
    for record in near.records:
        known = () if similar.proposed(record) else near.before(record)
        first = next((o for o in known if similar.same(o, record) and not similar.proposed(o)), None)
        said = f"teaches what [[{first.stem}]] teaches ({first.path})" if first else ""
        yield (Found(record.path, said, 1),) if first else ()


def contradictions(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """Two rules of one project say the opposite of each other, and both may speak.

    An agent is then told both. Say which one holds: archive the other, or set `superseded_by` there. Where one of the
    two is silent already (it waits for a person, or is stale), that is only told; and so is a doubt: the two sound
    contrary, and one of them holds for one place, time or condition ("use tabs", "never use tabs in Python").
    """
    near = _nearby(wiki, seen)
    for record in near.records:
        others = [o for o in near.before(record) if o.scope == record.scope]
        against = [_against(record, other, seen) for other in others if similar.opposite(other, record)]
        yield (*against, *(_doubt(record, o) for o in others if _both(record, o, seen) and similar.doubtful(o, record)))


def _both(record: Record, other: Record, seen: Seen) -> bool:
    """Whether both may speak."""
    return all(lifecycle.retrievable(r, seen.now, None, seen.numbers) for r in (record, other))


def _doubt(record: Record, other: Record) -> Found:
    said = f"sounds contrary to [[{other.stem}]] ({other.path}), but one of them says when or where; both speak"
    return Found(record.path, said, 1, "info")


def _against(record: Record, other: Record, seen: Seen) -> Found:
    both = _both(record, other, seen)
    silent = "" if both else "; only one of them may speak" if State.ACTIVE in (record.state, other.state) else ""
    said = f"says the opposite of [[{other.stem}]] ({other.path}){silent}"
    return Found(record.path, said, 1, "" if both else "info")


def silenced(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A record is superseded, and nothing speaks in its stead: the record that superseded it is archived or missing, or
    the two supersede each other, directly or round a circle.

    A superseded record is silent whatever becomes of the other, so the lesson is lost without a word. Take
    `superseded_by` out of the page that holds, or `llmwiki review restore` it; archive it when none does. An archived
    record that was superseded in its turn is followed to the one that has its place now.
    """
    known = graph.resolver(wiki)
    for record in lessons(wiki):
        said = _in_vain(record, wiki, known) if record.superseded_by else ""
        yield (Found(record.path, said, seen.key_line(record, "superseded_by")),) if said else ()


def _in_vain(record: Record, wiki: Wiki, known: Mapping[str, str]) -> str:
    """Why nothing speaks in a superseded record's stead, "" when something may."""
    way = [record]
    while name := way[-1].superseded_by:
        by = wiki.records.get(known.get(graph.key(name.strip("[]").partition("|")[0]), ""))
        if by is None:
            return f"is silent: superseded by {name!r}, and there is no such record"
        if by in way:
            circle = [r.stem for r in way[way.index(by) :]]
            told = " by ".join(f"[[{stem}]]" for stem in (*circle, circle[0]))
            return f"is silent, superseded in a circle: {told}"
        way.append(by)
    last = way[-1]
    return f"is silent: superseded by [[{last.stem}]], which is archived" if last.state is State.ARCHIVED else ""


def _nearby(wiki: Wiki, seen: Seen) -> _Nearby:
    if "alike" not in seen.memo:
        seen.memo["alike"] = _Nearby(r for r in lessons(wiki) if not r.superseded_by)
    found: _Nearby = seen.memo["alike"]
    return found


class _Nearby:
    """Records by the keys under which `similar` finds what is alike, each key's in the order of what they say."""

    def __init__(self, records: Iterator[Record]) -> None:
        self._by_id = {r.id: r for r in records}
        self._order = {id: (*sorted(similar.meaning(r).all), id) for id, r in self._by_id.items()}
        self._keys = {id: similar.keys(r) for id, r in self._by_id.items()}
        self._buckets: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for id in sorted(self._by_id, key=lambda i: self._order[i]):
            for key in self._keys[id]:
                self._buckets[key].append(self._order[id])
        self.records: Sequence[Record] = sorted(self._by_id.values(), key=_rank)
        self._place = {r.id: n for n, r in enumerate(self.records)}

    def before(self, record: Record) -> list[Record]:
        """Those that may be alike and come before the record: of a pair the later one is reported, once."""
        mine, place, found = self._order[record.id], self._place, set[int]()
        for bucket in sorted((self._buckets[key] for key in self._keys[record.id]), key=lambda b: (len(b), b[0])):
            if len(found) >= MOST:
                break
            at = bisect_left(bucket, mine) if len(bucket) > MOST else 0
            crowd = bucket[max(0, at - WINDOW) : at + WINDOW + 1] if len(bucket) > MOST else bucket
            found.update(place[ordered[-1]] for ordered in crowd)
        return [self.records[n] for n in sorted(n for n in found if n < place[record.id])]


def _rank(record: Record) -> tuple[bool, float, str]:
    """The record that stays comes first: an active one, the surer one."""
    return record.state is not State.ACTIVE, -record.confidence, record.id
