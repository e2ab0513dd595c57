"""Pages without what is forgotten: what is left of a record, of a log, of a text that links to it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from llmwiki import markdown
from llmwiki.gone import Gone
from llmwiki.model import Claim, Record, RecordType, State, stem_of
from llmwiki.schema import TYPES

FORGOTTEN = "(forgotten)"  # stands where a link without words of its own stood
_LINK = re.compile(r"(?P<gap>[ \t]?)!?\[\[(?P<to>[^\[\]|#\n]*)(?:#[^\[\]|\n]*)?(?:\|(?P<shown>[^\[\]\n]*))?\]\]")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:```|~~~)")
# Lines that we write and that say nothing but a link.
_BARE = re.compile(r"(?:(?:Raw page:|Part of|Child session:) )?\[\[[^\[\]\n]*\]\](?: says the opposite\.)?")


def rests(record: Record, gone: Gone) -> bool:
    """Whether a record rests on nothing but forgotten sessions."""
    stems = [_source(source) for source in record.sources]
    return not record.handwritten and bool(stems) and all(stem in gone.sessions for stem in stems)


def _source(link: str) -> str:
    return stem_of(link.strip("[] ").partition("#")[0].partition("|")[0])


def left(record: Record, gone: Gone) -> Record | None:
    """What other sessions say of a record: without forgotten sources, and without the lines that cite nothing else.
    None when that is nothing, or not its main claim. A page that a person wrote keeps every line.
    """
    if rests(record, gone):
        return None
    sources = tuple(source for source in record.sources if _source(source) not in gone.sessions)
    if record.handwritten or sources == record.sources:
        return record
    body = without(record.body, lambda claim: _only(claim, gone))
    before, after = ({claim.section for claim in markdown.claims(text)} for text in (record.body, body))
    needed = {TYPES[record.type].sections[0], *(["Said"] if record.type is RecordType.PREFERENCE else [])}
    bare = record.type is RecordType.FAILURE and len(after) < 2 <= len(before)
    return None if (needed & before) - after or bare else replace(record, sources=sources, body=body)


def _only(claim: Claim, gone: Gone) -> bool:
    return bool(claim.cites) and all(cite.stem in gone.sessions for cite in claim.cites)


def unnamed(record: Record, gone: Gone, ours: bool) -> Record:
    """A record that names nothing forgotten. `ours`: nobody edited the page since we wrote it.

    What a forgotten record had replaced does not speak again by itself: a person decides.
    """
    body = record.body
    if ours:
        body = without(body, lambda claim: bool(_BARE.fullmatch(claim.text)) and gone.named(claim.text))
    fields: dict[str, Any] = {"body": unlinked(body, gone, ours)}
    for key in ("supersedes", "parents", "aliases", "offered", "used"):
        fields[key] = tuple(name for name in getattr(record, key) if name not in gone.names)
    if gone.named(record.reason):
        words = re.split(r"([\w-]+)", record.reason)
        fields["reason"] = "".join("a forgotten page" if word in gone.names else word for word in words)
    if record.superseded_by in gone.names:
        fields["superseded_by"] = ""
        if record.state in (State.ACTIVE, State.STALE):
            fields |= {"state": State.QUARANTINED, "quarantine_until": None, "reason": "what replaced it is forgotten"}
    return replace(record, **fields)


def unlinked(text: str, gone: Gone, ours: bool) -> str:
    """A text whose links lead to nothing forgotten: the words that a link showed stay, all else stands as it stood.

    A citation at the end of a line of ours goes without a trace; elsewhere `(forgotten)` stands in its place.
    """

    def replaced(found: re.Match[str]) -> str:
        target = found["to"].strip()
        if target not in gone.names and stem_of(target) not in gone.names:
            return found[0]
        cited = ours and stem_of(target) in gone.sessions
        return "" if cited and not found["shown"] else found["gap"] + (found["shown"] or FORGOTTEN)

    return _LINK.sub(replaced, text)


def without(body: str, drop: Callable[[Claim], bool]) -> str:
    """A body without the claims that `drop` names, and without a section that has lost all it had by that."""
    said = markdown.claims(body)
    lines = body.split("\n")
    kept: list[str | None] = [*lines]
    for claim, after in zip(said, [*said, None][1:], strict=True):
        if drop(claim):
            same = after is not None and after.section == claim.section
            end = after.line - 1 if after and same else _end(lines, claim.line - 1)
            kept[claim.line - 1 : end] = [None] * (end - claim.line + 1)
    for claim in said:
        if kept[claim.line - 1] is None:
            _drop_heading(kept, claim.line - 1)
    return "\n".join(line for line in kept if line is not None)


def _end(lines: list[str], start: int) -> int:
    """Where the last claim of a section ends that begins at the index `start`: the blank lines below it stay."""
    fenced, end = False, start + 1
    for n, line in enumerate(lines[start:], start):
        if n > start and not fenced and _HEADING.match(line):
            break
        if _FENCE.match(line):
            fenced = not fenced
        end = n + 1 if line.strip() else end
    return end


def _drop_heading(kept: list[str | None], start: int) -> None:
    """Takes out the heading above `start`, and the blank lines below it, when nothing else is left there."""
    above = next((n for n in range(start, -1, -1) if _HEADING.match(kept[n] or "")), -1)
    below = next((n for n in range(above + 1, len(kept)) if (kept[n] or "").strip()), len(kept))
    if above >= 0 and (below == len(kept) or _HEADING.match(kept[below] or "")):
        kept[above:below] = [None] * (below - above)


def log(text: str, gone: Gone) -> str:
    """A log without the lines that name anything forgotten."""
    return "".join(line for line in text.splitlines(keepends=True) if not gone.told(line))
