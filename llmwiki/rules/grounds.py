"""What records rest on: whether their claims hold, and whether their sessions are still here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from llmwiki import markdown
from llmwiki import verify as verifying
from llmwiki.model import Claim, Evidence, Record, Wiki, stem_of
from llmwiki.rules.base import Findings, Found, Seen, living, some, target_of


def unverified(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A claim does not stand in the turns that it cites: a name, path, number, command or quotation of its line occurs
    in none of them, or it cites no turn.

    The same as `llmwiki verify`. Correct the line, or archive the record; where the line is your word now, take the
    links to turns out of it. A line without any on a page that you have edited is your word, and is only told. What a
    person said outright is not examined, nor is what rests on sessions that are not on this machine.
    """
    by_source: dict[str, list[Record]] = defaultdict(list)
    for record in living(wiki):
        if not record.handwritten and (record.sources or record.evidence is not Evidence.USER_SAID):
            by_source[record.sources[0] if record.sources else ""].append(record)
    for source in sorted(by_source):  # one session at a time: each is read once
        for record in by_source[source]:
            found = verifying.verify(record, seen.turn, seen.by_person)
            if found.status != verifying.UNREACHABLE:
                failed = (_failed(record, seen, claim, missing) for claim, missing in found.failed)
                yield (*failed, *(_own(record, seen, claim) for claim in found.own))


def _failed(record: Record, seen: Seen, claim: Claim, missing: tuple[str, ...]) -> Found:
    if not any(c.anchor for c in claim.cites):
        said = f"cites no turn: {claim.text[:60]}"
    else:
        said = f"not in the turns that the line cites: {some((m[:60] for m in missing), 3)}"
    return Found(record.path, said, seen.body_line(record, claim.line))


def _own(record: Record, seen: Seen, claim: Claim) -> Found:
    said = f"your own line on an edited page: it needs no turn (link one if it has any): {claim.text[:60]}"
    return Found(record.path, said, seen.body_line(record, claim.line), "info")


def gone(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A session that records rest on is not on this machine.

    Nothing is wrong with the records: their claims can only not be checked here. Session pages are private and git
    ignores them, so this is usual where several people share a wiki. One finding a session; none at all where no
    session page is here.
    """
    resting: dict[str, dict[str, Record]] = defaultdict(dict)
    records = {target_of(name) for r in wiki.records.values() for name in (r.id, r.stem)}
    for record in living(wiki) if seen.raw else ():
        for stem in _sessions(record, seen):
            if target_of(stem) not in records:
                resting[stem].setdefault(record.path, record)
    for stem in sorted(resting):
        paths = sorted(resting[stem])
        more = f", and so do {len(paths) - 1:,} more records" if len(paths) > 1 else ""
        said = f"rests on {stem}, which is not on this machine{more}"
        line = seen.key_line(resting[stem][paths[0]], "sources")
        yield () if target_of(stem) in seen.raw_stems else (Found(paths[0], said, line),)


def _sessions(record: Record, seen: Seen) -> set[str]:
    """The stems of the session pages that a record names: in its frontmatter, and turn by turn in its body."""
    named = {stem_of(target) for source in record.sources for target, _ in markdown.links(source)}
    return {*named, *(cite.stem for claim in seen.claims(record) for cite in claim.cites)} - {""}
