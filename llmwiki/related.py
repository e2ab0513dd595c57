"""Which records mention the same things: the links that a page gets when it is written.

A new page links to the older ones and no older page is touched, so that one more lesson is one more file; the way back
is what a backlink is. What ties two records is rare: an identifier, a path, a command, an error, an alias, a title.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from math import log, sqrt

from llmwiki.markdown_links import split_links, with_links
from llmwiki.model import Record, RecordType, State
from llmwiki.prose import LINKS_BEGIN, claims, links, plain
from llmwiki.schema import SCOPES
from llmwiki.words import JOINERS, STOP, terms

MOST = 5  # links of a page
TAUGHT = 20  # links of a trace
COMMON = 60  # a thing that more records mention ties nothing together
NEAR = 0.45  # of the best score: what is further away is no link
# How much a thing ties: a word alone nothing, two words of one project something; across projects it takes code.
TIED, TIED_ABROAD = 2, 4
WORD, CODE, IDENTIFIER, ERROR, NAMED = 1.0, 2.0, 2.5, 6.0, 12.0
MOST_CHARS = 4_000  # of a page that are looked at
LONGEST = 8  # terms of a title or an alias that may be mentioned
_CODE = re.compile(r"`([^`\n]+)`")
_UNLINKABLE = frozenset("[]|#^\n\\")
_DULL = STOP | frozenset(  # what the sections of our own pages say again and again
    "use run ran pass fail exit code error command output user said next word longer show mend seen gone chang cure "
    "alway never make file work want need line add new onli line first set get let tri one two bash bin bin/bash "
    "sh bin/sh http https com www".split()
)


class Related:
    """Records by what they mention, so that those that a page should link to are found without reading the wiki."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._ids: defaultdict[str, set[str]] = defaultdict(set)
        self._things: dict[str, dict[str, float]] = {}
        self._named: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        self._names: dict[str, set[tuple[str, ...]]] = {}
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """Takes a record in, or again when it says something else by now. Nothing links to a trace: it is no lesson."""
        self.remove(record.id)
        if record.type is RecordType.TRACE or not _linkable(record):
            return
        self._things[record.id] = _things(record)
        self._names[record.id] = _names(record)
        for thing in self._things[record.id]:
            self._ids[thing].add(record.id)
        for name in self._names[record.id]:
            self._named[name].add(record.id)

    def remove(self, id: str) -> None:
        for thing in self._things.pop(id, ()):
            self._ids[thing].discard(id)
        for name in self._names.pop(id, ()):
            self._named[name].discard(id)

    def stems(self, record: Record, records: Mapping[str, Record]) -> list[str]:
        """The stems of at most MOST pages that a record should link to, the best first, the same in every run."""
        scores = self._scores(record, records)
        linked = {target for target, _ in links(split_links(record.body)[0])}
        ranked = sorted(((-score, id) for id, score in scores.items() if records[id].stem not in linked))
        best = -ranked[0][0] if ranked else 0.0
        return [records[id].stem for score, id in ranked[:MOST] if -score >= NEAR * best]

    def _scores(self, record: Record, records: Mapping[str, Record]) -> dict[str, float]:
        """Id -> how much ties it to a record: the weight of what both mention, by how rare it is."""
        total = len(self._things)
        most = min(COMMON, max(2, total // 3))
        scores: defaultdict[str, float] = defaultdict(float)
        tied: defaultdict[str, float] = defaultdict(float)
        for thing, mine in _things(record).items():
            ids = self._ids.get(thing, ())
            for id in ids if len(ids) <= most else ():
                theirs = self._things[id][thing]
                at_home = id in records and _at_home(record, records[id])
                scores[id] += max(mine, theirs) * log(1 + (total + 1) / len(ids)) * (1.25 if at_home else 1)
                tied[id] += _tie(min(mine, theirs), at_home)
        for id in self._mentioned(record, most):
            scores[id] += NAMED
            tied[id] += TIED_ABROAD
        return {
            id: score / sqrt(8 + len(self._things[id]))
            for id, score in scores.items()
            if id != record.id
            and _may_link(record, records.get(id))
            and tied[id] >= (TIED if _at_home(record, records[id]) else TIED_ABROAD)
        }

    def _mentioned(self, record: Record, most: int) -> set[str]:
        """The records whose alias or title stands in this one."""
        said = terms(_text(record))
        lengths = range(1, LONGEST + 1)
        grams = {tuple(said[at : at + n]) for at in range(len(said)) for n in lengths}
        found = [self._named[gram] for gram in grams if gram in self._named]
        return {id for ids in found if len(ids) <= most for id in ids}


def _tie(weight: float, at_home: bool) -> float:
    """How much a thing ties that both mention at least so strongly."""
    if weight == WORD:
        return 1 if at_home else 0
    return TIED_ABROAD if weight == ERROR else TIED


def _at_home(record: Record, other: Record) -> bool:
    return record.project == other.project or None in (record.project, other.project)


def _linkable(record: Record) -> bool:
    """Whether a wikilink can say the name of its page."""
    return bool(record.stem) and not _UNLINKABLE & set(record.stem)


def _may_link(record: Record, other: Record | None) -> bool:
    """Whether a page may lead to another: to one that is not withdrawn, and that everybody who sees it may see."""
    if other is None or other.state is State.ARCHIVED or other.superseded_by:
        return False
    return SCOPES.index(other.scope) >= SCOPES.index(record.scope)


def _text(record: Record) -> str:
    said = (plain(c.text) if "\\" in c.text else c.text for c in claims(record.body))
    return "\n".join([record.title, *said])[:MOST_CHARS]


def _things(record: Record) -> dict[str, float]:
    """What a record mentions -> how much that ties: words, identifiers, paths, commands, the errors it answers."""
    text = _text(record)
    code = {*terms(" ".join(_CODE.findall(text))), *record.tags}
    found: dict[str, float] = {}
    for term in terms("\n".join([text, " ".join(record.tags), *record.aliases])):
        if len(term) > 1 and term not in _DULL and not term[0].isdigit():
            found[term] = IDENTIFIER if set(term) & set(JOINERS) else CODE if term in code else WORD
    errors = record.when.get("errors", ())
    for error in [errors] if isinstance(errors, str) else errors:
        found[f"error\0{error}"] = ERROR
    return found


def _names(record: Record) -> set[tuple[str, ...]]:
    """What may be said for a record: its aliases, and a title that is no single word."""
    aliases = {tuple(terms(alias)) for alias in record.aliases}
    title = tuple(terms(record.title))
    return {name for name in aliases | ({title} if len(title) > 1 else set()) if 0 < len(name) <= LONGEST}


# -- pages with their links


def linked(
    fresh: Collection[Record], old: Mapping[str, Record], records: Mapping[str, Record], index: Related
) -> dict[str, Record]:
    """The fresh records of one session with their links, by id; each links to records of `index` and to those of the
    fresh ones that come before it. All of them are in `index` afterwards.

    `old` are those of them that were there before: when all of them say what they said, they link as they linked,
    whatever the wiki has learned since.
    """
    for record in fresh:
        index.remove(record.id)
    before = {r.id: split_links(r.body)[0] for r in old.values() if r.type is not RecordType.TRACE}
    same = before == {r.id: split_links(r.body)[0] for r in fresh}
    out: dict[str, Record] = {}
    sibling: list[str] = []  # what mentions nothing that others mention is at least of one piece of work
    for record in sorted(fresh, key=lambda r: (r.created, r.id)):
        body = old[record.id].body if same else with_links(record.body, index.stems(record, records) or sibling)
        out[record.id] = replace(record, body=body)
        index.add(record)
        if _linkable(record) and not record.superseded_by:
            sibling = [record.stem]
    return out


def traced(trace: Record, before: Record | None, records: Mapping[str, Record], index: Related) -> Record:
    """A trace with links to what its session taught; where that is nothing, to lessons that mention what it touched, or
    to the session before it. `before` is the trace as it was: one that tells the same links as it linked."""
    source = trace.sources[0] if trace.sources else ""
    ours = [r for r in records.values() if source in r.sources and r.type is not RecordType.TRACE]
    # By name: dates move when a lesson is learned again.
    if stems := sorted(r.stem for r in ours if _linkable(r))[:TAUGHT]:
        return replace(trace, body=with_links(trace.body, stems, "Taught"))
    if before and split_links(before.body)[0] == split_links(trace.body)[0]:
        return replace(trace, body=before.body)
    stems = index.stems(trace, records) or _session_before(trace, records)
    return replace(trace, body=with_links(trace.body, stems))


def _session_before(trace: Record, records: Mapping[str, Record]) -> list[str]:
    """The trace of the last session in the same project that ended earlier."""
    earlier = (
        (r.created, r.id, r.stem)
        for r in records.values()
        if r.type is RecordType.TRACE and r.project == trace.project and r.created < trace.created and _linkable(r)
    )
    found = max(earlier, default=None)
    return [found[2]] if found and trace.project else []


def followed(old: Mapping[str, Record], records: Mapping[str, Record], present: Iterable[str]) -> Iterator[Record]:
    """The records with links to pages of `old` that are gone or called otherwise by now, as they shall be. `present`
    are the ids that were written meanwhile: a page may have got the name of another."""
    taken = {records[id].stem for id in present}
    stems = {r.stem: records[id].stem if id in records else "" for id, r in old.items()}
    stems = {before: now for before, now in stems.items() if before != now and before not in taken}
    for record in list(records.values()) if stems else ():
        if (found := _moved(record, stems)) is not record:
            yield found


def _moved(record: Record, stems: Mapping[str, str]) -> Record:
    """The record with its links led after pages that moved: old stem -> new stem, "" for a page that is gone."""
    rest, block = split_links(record.body) if LINKS_BEGIN in record.body else ("", "")
    targets = [target for target, _ in links(block)]
    if not any(target in stems for target in targets):
        return record
    kept = dict.fromkeys(stem for target in targets if (stem := stems.get(target, target)))
    heading = next((line[3:] for line in block.split("\n") if line.startswith("## ")), "Related")
    return replace(record, body=with_links(rest, kept, heading))
