"""Pages that are one, made one: sources and lines united, links led there, the others superseded and archived.

The page that stays is the person's choice. Its own text stays as it is; it gets what the others say besides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from llmwiki import graph, lifecycle, markdown, markdown_links, names, prose, similar, verify
from llmwiki.errors import WikiError
from llmwiki.lifecycle import Numbers
from llmwiki.model import Record, RecordType, State, Wiki
from llmwiki.review import CONTRADICTIONS, Plan
from llmwiki.schema import CONFIDENCE, LIFECYCLE, SCOPES
from llmwiki.synthesizers import folding


def merge(losers: Sequence[Record], winner: Record, wiki: Wiki, now: datetime, numbers: Numbers = LIFECYCLE) -> Plan:
    """What merging `losers` into `winner` makes; what went into it before is the `same`, and is not counted again.

    WikiError when they cannot be one page.
    """
    losers = list({r.id: r for r in losers if r.id != winner.id}.values())
    _refuse(losers, winner)
    known = graph.resolver(wiki)
    inside = {r.id for r in losers if _went_into(r, winner, known)}
    rest = [r for r in losers if r.id not in inside]
    plan = merge_all([(winner, rest)], wiki, now, numbers) if rest else Plan()
    return replace(plan, same=tuple(r.id for r in losers if r.id in inside))


def _went_into(record: Record, winner: Record, known: Mapping[str, str]) -> bool:
    """Whether an earlier merge made the record part of the page that stays."""
    into = known.get(graph.key(record.superseded_by)) if record.superseded_by else None
    return record.state is State.ARCHIVED and into == winner.id


def merge_all(
    groups: Sequence[tuple[Record, Sequence[Record]]], wiki: Wiki, now: datetime, numbers: Numbers = LIFECYCLE
) -> Plan:
    """What merging each group into its winner makes, in one pass over the wiki. No record is in two groups."""
    into = {loser.id: winner for winner, losers in groups for loser in losers}
    known = graph.resolver(wiki)

    def target(link: str) -> str:
        winner = into.get(known.get(graph.key(link), ""))
        return winner.stem if winner else ""

    after = dict(wiki.records)
    after.update({winner.id: _united(winner, losers, known, now, numbers) for winner, losers in groups})
    after = {id: _renamed(record, into, known) for id, record in after.items()}
    after.update({id: _superseded(wiki.records[id], winner) for id, winner in into.items()})
    linking = {r.id for r in wiki.records.values() if any(target(t) for t, _ in prose.links(r.body))}
    steps = [(old, new) for id, new in after.items() if (old := wiki.records[id]) != new or id in linking]
    said = [sentence for winner, losers in groups for sentence in _said(losers, winner)]
    return Plan(tuple(steps), (), tuple(said), target)


def _refuse(losers: Sequence[Record], winner: Record) -> None:
    if not losers:
        raise WikiError(f"{winner.id} cannot be merged into itself; name the records that shall go into it")
    if winner.state is State.ARCHIVED:
        raise WikiError(f"{winner.id} is archived; `llmwiki review restore {winner.id}` first, or merge the other way")
    if winner.type is RecordType.TRACE:
        raise WikiError(f"{winner.id} is a trace; a trace tells of one session and is not merged")
    for loser in losers:
        if loser.type is not winner.type:
            raise WikiError(f"{loser.id} is a {loser.type}, {winner.id} a {winner.type}; merge records of one type")
        if SCOPES.index(loser.scope) < SCOPES.index(winner.scope):
            cure = "change the scope of one of them in its page"
            raise WikiError(f"{loser.id} is for {loser.scope} only, {winner.id} for {winner.scope}; {cure}")


def _superseded(record: Record, winner: Record) -> Record:
    return replace(
        lifecycle.withdrawn(record),
        reason=f"merged into {winner.id}",  # `synthesize` follows it
        superseded_by=winner.id,
        path=names.archived_path(record.path),
    )


def _united(
    winner: Record, losers: Sequence[Record], known: Mapping[str, str], now: datetime, numbers: Numbers
) -> Record:
    """The page that stays, with sources, lines and uses of the others; each of them is the lesson learned again.

    What a person's word alone stands for and what turns prove stay apart: `verify` asks every line for its turns, or
    none.
    """
    out = winner
    gone = {r.id for r in losers}
    for loser in losers:
        if not _apart(loser, winner):
            out = _with(out, loser, gone, known)
        if not winner.handwritten:
            out = lifecycle.reinforced(out, now, CONFIDENCE[out.evidence], numbers)
        out = replace(
            out,
            supersedes=_distinct(*out.supersedes, *loser.supersedes, loser.id, but=winner.id),
            aliases=_distinct(*out.aliases, loser.id, *loser.aliases, but=winner.id),
        )
    by = known.get(graph.key(out.superseded_by)) if out.superseded_by else ""
    return replace(out, superseded_by="" if by in gone else out.superseded_by)


def _apart(loser: Record, winner: Record) -> bool:
    """Whether the page that stays keeps its text and its sources as they are."""
    return winner.handwritten or verify.told(loser) != verify.told(winner)


def _with(known: Record, loser: Record, gone: set[str], called: Mapping[str, str]) -> Record:
    more = folding.combined(known, loser, folding.LONGEST)
    return replace(
        more,
        body=_body(known, loser, more.body, gone | {known.id}, called),
        uses=known.uses + loser.uses,
        successes=known.successes + loser.successes,
    )


def _body(known: Record, loser: Record, united: str, inside: set[str], called: Mapping[str, str]) -> str:
    """The text of both. A body that is as we write it ourselves is written again; another one, which a person edited,
    keeps every line and gets the new ones at its end."""
    rest, block = markdown_links.split_links(known.body)
    block = _led_elsewhere(block, inside, called)
    ours = prose.body(folding.by_section(known)) == markdown.normal(replace(known, body=rest)).body
    fresh = {s: lines for s, lines in folding.lacking(known, loser).items() if lines and s != CONTRADICTIONS}
    if not ours:
        text = rest.rstrip("\n") + "\n\n" + prose.body(fresh) if fresh else rest
        return markdown_links.rejoined(text, block)
    sections = folding.by_section(replace(known, body=united))
    opposed = [
        c
        for c in sections.get(CONTRADICTIONS, ())
        if not any(called.get(graph.key(target)) in inside for target, _ in prose.links(c.text))
    ]
    text = prose.body(sections | {CONTRADICTIONS: opposed} if CONTRADICTIONS in sections else sections)
    return markdown_links.rejoined(text, block)


def _led_elsewhere(block: str, inside: set[str], called: Mapping[str, str]) -> str:
    """The program's own links without those that now lead to the page itself; "" when none is left."""
    lines = [
        line
        for line in block.split("\n")
        if not any(called.get(graph.key(target)) in inside for target, _ in prose.links(line))
    ]
    return "\n".join(lines) if any(prose.links(line) for line in lines) else ""


def _renamed(record: Record, into: Mapping[str, Record], known: Mapping[str, str]) -> Record:
    """A record whose frontmatter names the page that stays where it named another. The page that stays goes on to name
    what went into it."""

    def new(name: str) -> str:
        winner = into.get(known.get(graph.key(name), "")) if name else None
        return winner.id if winner and winner.id != record.id else name

    if not any(new(n) != n for n in (record.superseded_by, *record.supersedes, *record.parents)):
        return record
    return replace(
        record,
        superseded_by=new(record.superseded_by),
        supersedes=_distinct(*map(new, record.supersedes), but=record.id),
        parents=_distinct(*map(new, record.parents), but=record.id),
    )


def _distinct(*ids: str, but: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id for id in ids if id != but))


def _said(losers: Sequence[Record], winner: Record) -> list[str]:
    """What a person should know of a merge besides."""
    said = []
    for loser in losers:
        if similar.opposite(loser, winner):
            said.append(f"{loser.id} and {winner.id} seem to say the opposite; `llmwiki undo` parts them again")
        if winner.state is State.ACTIVE and loser.state is State.QUARANTINED and loser.reason:
            said.append(f"{winner.id} now also says what waited in {loser.id} ({loser.reason})")
        if _apart(loser, winner):
            said.append(f"{winner.id} keeps its text; what {loser.id} says besides is in the archive")
        if loser.project != winner.project and winner.project:
            was = loser.project or "every project"
            cure = f"take `project` out of {winner.path} when it holds everywhere"
            said.append(f"{winner.id} stays for {winner.project}, though {loser.id} was for {was}; {cure}")
    if winner.state is State.QUARANTINED:
        said.append(f"{winner.id} waits still; `llmwiki review promote {winner.id}` lets it speak")
    return said
