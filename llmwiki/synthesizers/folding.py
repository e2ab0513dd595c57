"""Two records that teach the same, as one: the first one's page with what the second one adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from llmwiki import similar
from llmwiki.markdown_links import rejoined, split_links
from llmwiki.model import Claim, Record
from llmwiki.prose import body, claims, plain
from llmwiki.schema import CONFIDENCE, TYPES
from llmwiki.words import terms

LONGEST = 8  # claim lines of a section; a page is read by people


def folded(records: Sequence[Record]) -> list[Record]:
    """The records of one session with repeats folded into the first that said it, in order."""
    out: list[Record] = []
    index: dict[str, list[int]] = {}
    for record in records:
        keys = similar.keys(record)
        near = sorted({i for key in keys for i in index.get(key, ())})
        at = next((i for i in near if similar.same(out[i], record)), None)
        if at is None:
            out.append(record)
            at = len(out) - 1
        else:
            out[at] = combined(out[at], record, LONGEST)
        for key in keys:
            if at not in index.setdefault(key, []):
                index[key].append(at)
    return out


def combined(known: Record, learned: Record, most: int) -> Record:
    """`known` with sources, conditions, better evidence and at most `most` new lines a section of `learned`."""
    sections = by_section(known)
    for name, fresh in lacking(known, learned, most).items():
        sections.setdefault(name, []).extend(fresh)
    order = TYPES[known.type].sections
    arranged = {k: sections[k] for k in sorted(sections, key=lambda s: order.index(s) if s in order else len(order))}
    better = learned.evidence if CONFIDENCE[learned.evidence] > CONFIDENCE[known.evidence] else known.evidence
    return replace(
        known,
        evidence=better,
        created=max(known.created, learned.created),
        sources=tuple(dict.fromkeys((*known.sources, *learned.sources))),
        tags=tuple(dict.fromkeys((*known.tags, *learned.tags)))[:8],
        when=_conditions(known, learned),
        body=rejoined(body(arranged), split_links(known.body)[1]),
    )


def lacking(known: Record, learned: Record, most: int = LONGEST) -> dict[str, list[Claim]]:
    """The lines of `learned`, by section, that `known` does not say and has room for: at most `most` a section."""
    present, out = by_section(known), {}
    for name, lines in by_section(learned).items():
        said = {_words(c) for c in present.get(name, ())}
        room = max(0, LONGEST - len(present.get(name, ())))
        out[name] = [c for c in lines if _words(c) not in said][: min(most, room)]
    return out


def room(known: Record, learned: Record) -> bool:
    """Whether `known` can take every line of `learned`."""
    present = by_section(known)
    return all(len(present.get(name, ())) + len(lines) <= LONGEST for name, lines in by_section(learned).items())


def anchors(record: Record, section: str) -> set[str]:
    """The turns that a section of a record cites."""
    return {c.anchor for claim in claims(record.body) if claim.section == section for c in claim.cites}


def by_section(record: Record) -> dict[str, list[Claim]]:
    out: dict[str, list[Claim]] = {}
    for claim in claims(record.body):
        out.setdefault(claim.section, []).append(claim)
    return out


def _words(claim: Claim) -> str:
    return " ".join(terms(plain(claim.text)))


def _conditions(known: Record, learned: Record) -> dict[str, object]:
    """The conditions of both: a list grows, anything else stays as it was."""
    out = dict(known.when)
    for key, value in learned.when.items():
        mine = out.get(key)
        if isinstance(mine, (list, tuple)) and isinstance(value, (list, tuple)):
            out[key] = list(dict.fromkeys((*mine, *value)))[:8]
    return out
