"""Pages without what is forgotten: what is left of a record, of a log, of a text that links to it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from llmwiki import markdown, prose, verify
from llmwiki.gone import Gone
from llmwiki.markdown_links import rejoined, split_links
from llmwiki.model import Claim, Record, RecordType, State, stem_of
from llmwiki.schema import TYPES
from llmwiki.words import terms

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
    return replace(record, sources=sources, body=body) if _whole(record, body) else None


def _whole(record: Record, body: str) -> bool:
    """Whether a record still says what its type is there for when this is left of its body."""
    before, after = ({claim.section for claim in markdown.claims(text)} for text in (record.body, body))
    needed = {TYPES[record.type].sections[0], *(["Said"] if record.type is RecordType.PREFERENCE else [])}
    bare = record.type is RecordType.FAILURE and len(after) < 2 <= len(before)
    return not ((needed & before) - after or bare)


def took_over(record: Record, other: Record) -> bool:
    """Whether `other` was merged into a record."""
    return other.id in record.aliases or other.id in record.supersedes


def parted(record: Record, merged: Record, among: Iterable[Record]) -> Record | None:
    """A record without what it took over from `merged`: the lines that stand there too and cite no turn but its own,
    and the conditions, tags and sources that neither another line nor a page `among` the others that were merged into
    it speaks for. None when that was its main claim. A page whose text a merge left alone stays as it is.
    """
    if record.handwritten or verify.told(record) != verify.told(merged):
        return record
    theirs = markdown.claims(merged.body)
    lines, cites = {_line(claim) for claim in theirs}, {cite for claim in theirs for cite in claim.cites}
    body = without(record.body, lambda claim: _line(claim) in lines and cites.issuperset(claim.cites))
    if not _whole(record, body):
        return None
    others = list(among)
    said = f"{record.title}\n{split_links(body)[0]}".lower()
    tags = {tag for other in others for tag in other.tags}
    sources = {source for other in others for source in other.sources}
    sources |= {f"[[{cite.stem}]]" for claim in markdown.claims(body) for cite in claim.cites}
    left_over = tuple(s for s in record.sources if s not in merged.sources or s in sources)
    return replace(
        record,
        body=body,
        tags=tuple(t for t in record.tags if t not in merged.tags or t in tags or _stands(t, said)),
        when=_conditions(record, merged, others, said),
        sources=left_over or record.sources,
    )


def _line(claim: Claim) -> tuple[str, str]:
    return claim.section, " ".join(terms(prose.plain(claim.text)))


def _stands(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", text) is not None


def _conditions(record: Record, merged: Record, others: Iterable[Record], said: str) -> dict[str, Any]:
    """The conditions of a record without those of `merged` that nothing else speaks for."""
    out: dict[str, Any] = dict(record.when)
    for key, theirs in merged.when.items():
        mine = out.get(key)
        if isinstance(mine, (list, tuple)) and isinstance(theirs, (list, tuple)):
            known = [one for other in others if isinstance(has := other.when.get(key), (list, tuple)) for one in has]
            out[key] = [v for v in mine if v not in theirs or v in known or _stands(str(v), said)]
            if not out[key]:
                del out[key]
    return out


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
    """A body without the claims that `drop` names, and without a section that has lost all it had by that.
    The links that the program keeps stay at its end."""
    if not any(map(drop, markdown.claims(body))):
        return body
    body, links = split_links(body)
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
    return rejoined("\n".join(line for line in kept if line is not None), links)


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
