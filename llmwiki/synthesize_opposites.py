"""What becomes of opposites: both stay in sight, and only one speaks. And the state of one merge, which meets them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from llmwiki import lifecycle, markdown, markdown_links, prose, related, similar
from llmwiki.model import Cite, Claim, Config, Evidence, Record, RecordType, Session, State, Turn
from llmwiki.schema import LIFECYCLE
from llmwiki.similar import Neighbours

CONTRADICTIONS = "Contradictions"


@dataclass(slots=True, kw_only=True)
class Pages:
    """Records by id while new ones come in. `edited`: ids of those whose text is a person's."""

    records: dict[str, Record]
    near: Neighbours
    edited: Container[str]
    touched: set[str] = field(default_factory=set)

    def put(self, record: Record) -> None:
        self.records[record.id] = record
        self.touched.add(record.id)
        self.near.add(record)


@dataclass(slots=True, kw_only=True)
class Merging(Pages):
    """The state of one merge."""

    session: Session
    now: datetime
    config: Config
    scope: str
    before: dict[str, Record]
    related: related.Related
    turns: dict[str, Turn]
    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    old: dict[str, Record] = field(default_factory=dict)
    unreadable: frozenset[str] = frozenset()
    forgotten: Callable[[Record], bool] = lambda record: False

    @property
    def numbers(self) -> Mapping[str, float]:
        return {**LIFECYCLE, **self.config.lifecycle}

    @property
    def source(self) -> str:
        return str(Cite(self.session.stem))


def contradict(m: Pages, record: Record) -> None:
    """Shows opposites on both pages; of two that the user said only the later one speaks, of two of one second the one
    that comes in now. What waits silences nothing: else neither would speak."""
    for other in [*m.near.opposites(record, m.records), *_given_up(m, record)]:
        one_file = record.extra.get("imported") and record.extra.get("imported") == other.extra.get("imported")
        if other.state is State.ARCHIVED or other.scope != record.scope or one_file:
            continue
        record = m.records[record.id]
        one, two = _shown(m, record, other), _shown(m, other, record)
        older, newer = (two, one) if one.created >= two.created else (one, two)
        if older.handwritten or not (older.evidence is newer.evidence is Evidence.USER_SAID):
            weaker = one if older.handwritten or two.evidence is Evidence.USER_SAID else two
            before, against = (record, other) if weaker is one else (other, record)
            if against.state is State.ACTIVE and not (weaker.handwritten or _decided(before, against)):
                weaker = replace(
                    weaker,
                    state=State.QUARANTINED,
                    quarantine_until=None,
                    reason=f"contradicts {against.stem}",
                )
            one, two = (weaker, two) if weaker.id == one.id else (one, weaker)
        elif newer.state is State.ACTIVE:
            older, newer = lifecycle.superseded(older, newer)
            one, two = (older, newer) if older.id == one.id else (newer, older)
        for changed in (one, two):
            m.near.remove(m.records[changed.id])
            m.put(changed)


_OTHERWISE = re.compile(
    r"\b(?:changed my mind|on second thought|meinung geändert|changé d'avis|cambié de (?:idea|opinión)|cambiato idea|"
    r"mudei de ideia|передумал\w*)\b|改(?:了)?主意|考えが変わ|생각이 바뀌",
    re.I,
)
SHARED = 2  # terms that two rules have in common, when the later one says that its author thinks otherwise now


def _given_up(m: Pages, record: Record) -> list[Record]:
    """The earlier rule of the user's that speaks most of the same, when this one begins with "I changed my mind"."""
    said = " ".join(c.text for c in prose.claims(record.body) if c.section == "Said")
    if record.type is not RecordType.PREFERENCE or not _OTHERWISE.search(said):
        return []
    mine, found = similar.meaning(record).all, []
    for other in (m.records[id] for id in m.near.likely(record) if id in m.records and id != record.id):
        shared = len(mine & similar.meaning(other).all)
        speaks = other.state is State.ACTIVE and other.evidence is Evidence.USER_SAID and not other.superseded_by
        if similar.comparable(record, other) and speaks and shared >= SHARED and other.created < record.created:
            found.append((shared, other.created, other.id))
    return [m.records[max(found)[2]]] if found else []


def _decided(record: Record, other: Record) -> bool:
    """Whether a person let a record speak although it contradicts another: it was held for that, and is not now."""
    return record.state is State.ACTIVE and f"[[{other.stem}]]" in record.body


def _shown(m: Pages, record: Record, other: Record) -> Record:
    """The record with a line that leads to its opposite. A page that a person wrote or edited keeps its text."""
    if record.handwritten or record.id in m.edited or f"[[{other.stem}]]" in record.body:
        return record
    line = markdown.item(Claim(CONTRADICTIONS, f"[[{other.stem}]] says the opposite."))
    rest, block = markdown_links.split_links(record.body)
    heading = f"## {CONTRADICTIONS}\n"
    gap = "\n" if heading in rest else f"\n\n{heading}\n"
    return replace(record, body=markdown_links.rejoined(rest.rstrip("\n") + gap + line, block))
