"""Drafts become pages of a wiki: what is new is written, what is known is strengthened, what contradicts is shown.

Deterministic, and idempotent for a session that did not grow: whoever runs it twice changes nothing. Records that only
this session gave and that nobody edited or used (`provisional`) are derived again or taken back, so that a prefix of a
session and then the whole give what the whole gives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from llmwiki import lifecycle, markdown, names, related, similar, verify
from llmwiki.model import Change, Claim, Config, Record, RecordType, Session, State, Wiki, stem_of
from llmwiki.schema import CONFIDENCE, TYPES
from llmwiki.similar import Neighbours
from llmwiki.synthesize_opposites import Merging, contradict
from llmwiki.synthesizers.base import Drafts, Verdict
from llmwiki.synthesizers.folding import LONGEST, combined, room

# What is so on a branch need not be so elsewhere: such a record names its branch (in a key `branch`) until a session on
# one of the branches that others are merged into teaches it too.
BRANCHED = (RecordType.FACT, RecordType.FAILURE, RecordType.SKILL)
MERGED = ("", "main", "master", "trunk", "develop", "dev")
Read = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What merging gives: the changes, the wiki with them made, counts as `sync` prints them, the ids that rest on this
    session alone (provisional as long as it may go on), the indexes for the next merge, and what is superseded now and
    was not before."""

    changes: tuple[Change, ...]
    wiki: Wiki
    counts: Mapping[str, Any]
    records: tuple[str, ...]
    near: Neighbours
    related: related.Related
    superseded: tuple[Record, ...] = ()


def merge(
    drafts: Drafts,
    wiki: Wiki,
    session: Session,
    verdict: Verdict,
    now: datetime,
    config: Config,
    scope: str,
    provisional: Collection[str] = (),
    edited: Container[str] = (),
    read: Read = lambda path: None,
    near: Neighbours | None = None,
    ties: related.Related | None = None,
    forgotten: Callable[[Record], bool] = lambda record: False,
) -> Outcome:
    """Merges the drafts of one session into a wiki. `read(path)` gives a page's text, so that a person's page is edited
    key by key; `near` and `ties` come from the Outcome of the merge before, which saves indexing the wiki again;
    `forgotten` says what a person never wants to see again."""
    m = Merging(
        session=session,
        now=now,
        config=config,
        scope=scope,
        edited=edited,
        before=dict(wiki.records),
        records=dict(wiki.records),
        near=near or Neighbours(wiki.records.values()),
        related=ties or related.Related(wiki.records.values()),
        turns={t.anchor: t for t in session.turns},
        refused=Counter(drafts.refused),
        unreadable=frozenset(stem_of(d.path) for d in wiki.diagnostics),
        forgotten=forgotten,
    )
    for known in [r for i in provisional if (r := m.records.get(i)) and _only_ours(m, r)]:
        m.old[known.id] = m.records.pop(known.id)
        m.near.remove(known)
        m.related.remove(known.id)
    for record in drafts.records:
        _trace(m, record, verdict) if record.type is RecordType.TRACE else _lesson(m, record)
    _link(m)
    changes = _changes(m, read)
    counts = {k: m.counts[k] for k in ("created", "reinforced", "quarantined")} | {
        "refused": dict(sorted(m.refused.items()))
    }
    ours = tuple(sorted(r.id for r in m.records.values() if r.sources == (m.source,) and not r.handwritten))
    after = replace(wiki, records=dict(sorted(m.records.items())))
    return Outcome(changes, after, counts, ours, m.near, m.related, _superseded(m))


def _superseded(m: Merging) -> tuple[Record, ...]:
    """What has given way to another record, by id: new, or in the wiki and superseded by none or by another before."""
    found = (m.records[id] for id in sorted(m.touched & m.records.keys()))
    before = {id: record.superseded_by for id, record in m.before.items()}
    return tuple(r for r in found if r.superseded_by and r.superseded_by != before.get(r.id))


def _only_ours(m: Merging, record: Record) -> bool:
    """Whether a record rests on this session alone and nobody has touched it: it may be derived again."""
    return (
        not record.handwritten and record.id not in m.edited and not record.uses and set(record.sources) <= {m.source}
    )


# -- lessons


def _lesson(m: Merging, record: Record) -> None:
    checked = _checked(m, record)
    if checked is None:
        return
    record = checked
    if m.forgotten(record):
        m.refused["discarded"] += 1
        return
    # Statements of a file are compared by `importing`, which asks for the names in them too.
    twin = None if m.session.kind == "file" else _stays(m, _twin(m, record))
    if twin is not None:
        _again(m, twin, record)
        return
    fresh = _new(m, record)
    if _hidden(m, fresh):
        return
    m.put(fresh)
    if fresh.id not in m.old:
        m.counts["created"] += 1
        m.counts["quarantined"] += fresh.state is State.QUARANTINED
    contradict(m, fresh)


def _twin(m: Merging, record: Record) -> Record | None:
    """The page that says the same, and that has or can take every word of it: nothing that was said is lost."""

    def fits(known: Record) -> bool:
        if not similar.states(record) or known.state is State.ARCHIVED or m.source in known.sources:
            return True
        closed = known.handwritten or known.id in m.edited or not room(known, record)
        return not (closed and similar.adds(known, record))

    return m.near.same(record, m.records, fits)


def _stays(m: Merging, twin: Record | None) -> Record | None:
    """The page that a lesson strengthens: of one that a person merged into another, that other."""
    merged = twin is not None and twin.state is State.ARCHIVED and twin.reason == f"merged into {twin.superseded_by}"
    return m.records.get(twin.superseded_by, twin) if twin is not None and merged else twin


def _checked(m: Merging, record: Record) -> Record | None:
    """The record with the claims that its turns hold; None, counted, when nothing is left of what it says."""
    found = verify.verify(record, lambda stem, anchor: m.turns.get(anchor) if stem == m.session.stem else None)
    if found.status == verify.UNVERIFIABLE:
        return replace(
            record,
            state=State.QUARANTINED,
            quarantine_until=None,
            reason=record.reason or "nothing in it can be verified",
        )
    if found.status != verify.FAILED:
        return record
    bad = {(c.section, c.text) for c, _ in found.failed}
    kept: dict[str, list[Claim]] = {}
    for claim in markdown.claims(record.body):
        if (claim.section, claim.text) not in bad:
            kept.setdefault(claim.section, []).append(claim)
    needed = TYPES[record.type].sections[0]
    if (
        needed not in kept
        or (record.type is RecordType.PREFERENCE and "Said" not in kept)
        or (record.type is RecordType.FAILURE and len(kept) < 2)
    ):
        m.refused["unverified"] += 1
        return None
    return replace(record, body=markdown.body(kept))


def _new(m: Merging, record: Record) -> Record:
    """A draft with what the wiki adds: scope, dates, TTL, a path. What was there before keeps its dates."""
    # A number where another has the id: a rule may have the words of its session's title.
    record = replace(record, id=names.free_id(record.id, m.records))
    held = lifecycle.held(record)
    hours = timedelta(hours=m.numbers["quarantine_hours"])
    until: str | None = (
        "" if record.state is not State.QUARANTINED else None if held else lifecycle.stamp(m.now + hours)
    )
    ttl = m.config.ttl.get(record.type.value, record.ttl_days)
    fresh = replace(record, scope=m.scope, reinforced=lifecycle.stamp(m.now), quarantine_until=until, ttl_days=ttl)
    if record.type in BRANCHED and m.session.git_branch not in MERGED:
        fresh = replace(fresh, extra={**record.extra, "branch": m.session.git_branch})
    old = m.old.get(record.id)
    old = old if old and old.type is record.type else None
    if old is not None:
        fresh = _dated(old, fresh)
    path = old.path if old and old.title == fresh.title else markdown.page_path(fresh, _taken(m))
    return replace(fresh, path=path)


def _hidden(m: Merging, fresh: Record) -> bool:
    """Whether this record's page may be one that cannot be read now: a person mends that, and nobody replaces it."""
    if fresh.stem not in m.unreadable:
        return False
    m.refused["unreadable"] += 1
    return True


def _dated(old: Record, fresh: Record) -> Record:
    """The dates of the page that is derived again: its clock started when it was first written."""
    if old.state is fresh.state or (old.state is State.ACTIVE and fresh.quarantine_until is not None):
        return replace(
            fresh,
            reinforced=old.reinforced,
            quarantine_until=old.quarantine_until,
            state=old.state,
            confidence=max(old.confidence, fresh.confidence),
        )
    return replace(fresh, reinforced=old.reinforced)


def _taken(m: Merging) -> list[str]:
    return [r.path for r in m.records.values()]


def _again(m: Merging, known: Record, record: Record) -> None:
    """The same lesson: the page that has it grows surer, once a session."""
    if known.state is State.ARCHIVED and known.reason not in lifecycle.AGED:
        m.refused["discarded"] += 1
        return
    if known.handwritten or m.source in known.sources:
        return
    if lifecycle.held(record) and not lifecycle.held(known):
        m.refused["held"] += 1  # what nobody has confirmed may not speak through a page that does
        return
    stronger = combined(known, record, LONGEST if similar.states(record) else 1)
    if known.id in m.edited:
        stronger = replace(stronger, body=known.body, when=known.when)
    if m.session.git_branch in MERGED:
        stronger = replace(stronger, extra={k: v for k, v in stronger.extra.items() if k != "branch"})
    better = CONFIDENCE[stronger.evidence]
    stronger = lifecycle.reinforced(stronger, m.now, better, m.numbers)
    if known.state is State.ARCHIVED:
        hours = timedelta(hours=m.numbers["quarantine_hours"])
        stronger = replace(
            stronger,
            state=State.QUARANTINED,
            quarantine_until=lifecycle.stamp(m.now + hours),
            reason="",
            path=names.living_path(known.path),
        )
    m.near.remove(known)
    m.put(stronger)
    m.counts["reinforced"] += 1
    contradict(m, stronger)


# -- the trace


def _trace(m: Merging, record: Record, verdict: Verdict) -> None:
    """One trace a session: written new, or brought up to date; what it was offered and used stays."""
    if m.forgotten(record):
        m.refused["discarded"] += 1
        return
    known = next(
        (r for r in (*m.old.values(), *m.records.values()) if r.type is RecordType.TRACE and m.source in r.sources),
        None,
    )
    if known is None:
        fresh = _new(m, replace(record, offered=m.session.offered))
        if not _hidden(m, fresh):
            m.put(fresh)
            m.counts["created"] += 1
        return
    offered = tuple(dict.fromkeys((*known.offered, *m.session.offered)))
    feedback = known.score_by == "feedback" and verdict.score_by != "feedback"
    same = ["scope", "state", "reason", "reinforced", "ttl_days", "used", "extra", "confidence"]
    if known.id not in m.old:
        same += ["id", "path"]  # else nobody knows it yet, and what went on may be called otherwise than its beginning
    kept = replace(record, offered=offered, **{key: getattr(known, key) for key in same})
    if known.id in m.old:
        kept = replace(kept, id=names.free_id(kept.id, m.records))
        kept = replace(kept, path=known.path if known.title == kept.title else markdown.page_path(kept, _taken(m)))
    if feedback:
        kept = replace(kept, score=known.score, score_by=known.score_by)
    if known.id in m.edited:
        kept = replace(known, score=kept.score, score_by=kept.score_by, offered=offered)
    m.put(kept)


# -- links


def _link(m: Merging) -> None:
    """New pages link to what mentions the same, the trace to what its session taught; others follow what moved."""
    touched = [m.records[i] for i in sorted(m.touched)]
    lessons = [r for r in touched if r.type is not RecordType.TRACE]
    fresh = [r for r in lessons if r.id in m.old or r.id not in m.before]
    for record in lessons:
        m.related.add(record)
    m.records.update(related.linked(fresh, m.old, m.records, m.related))
    traces = [
        related.traced(r, m.before.get(r.id), m.records, m.related) for r in touched if r.type is RecordType.TRACE
    ]
    for record in [*traces, *related.followed(m.old, m.records, m.touched)]:
        if record.id not in m.before or not (record.handwritten or record.id in m.edited):
            m.records[record.id] = record


# -- what changes


def _changes(m: Merging, read: Read) -> tuple[Change, ...]:
    """A change for each page that is not what it was; pages whose record is gone or moved are removed."""
    out: dict[str, Change] = {}
    for known in m.before.values():
        now = m.records.get(known.id)
        if now is None or now.path != known.path:
            out[known.path] = Change(
                known.path, None, "derived again from a session that went on" if now is None else "moved"
            )
    for record in m.records.values():
        old = m.before.get(record.id)
        if old is record:
            continue
        if old is not None and old.path == record.path and markdown.normal(old) == markdown.normal(record):
            continue
        text = read(old.path) if old is not None else None
        careful = text is not None and (record.handwritten or record.id in m.edited or record.id not in m.old)
        page = markdown.update(text, record) if careful and text is not None else markdown.render(record)
        out[record.path] = Change(record.path, page, _why(old, record))
    return tuple(out[path] for path in sorted(out))


def _why(old: Record | None, record: Record) -> str:
    if old is None:
        return f"learned: {record.title}"
    if record.superseded_by and not old.superseded_by:
        return f"superseded: {record.title}"
    return f"learned again: {record.title}" if record.sources != old.sources else f"brought up to date: {record.title}"
