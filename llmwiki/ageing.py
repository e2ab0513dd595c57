"""The `decay` command: what the dates say, written into the pages. `sync` ends with it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from llmwiki import authorship, cache, markdown, pending, review, verify
from llmwiki import decay as step
from llmwiki.errors import WikiError
from llmwiki.lifecycle import stamp
from llmwiki.model import Change, Record, State, Wiki
from llmwiki.navigation import log_line

if TYPE_CHECKING:
    from llmwiki.batches import Writing
    from llmwiki.workspace import Workspace

WHY = {
    "released": "released: its time in quarantine is over and its claims hold",
    "staled": "stale: its time is over or its confidence is gone",
    "archived": "archived: stale for too long",
    "expired": "archived: nobody reviewed it",
}


def decay(wiki: Workspace, yes: bool = False, dry_run: bool = False) -> dict[str, Any]:
    """Applies age; `held` are the ids that the guard keeps until a person says `--yes`."""
    from llmwiki import asking

    with wiki.operation("decay", "age, applied", dry_run) as operation:
        plan = apply(wiki, operation, wiki.load(), yes)
        operation.apply(wiki.navigation(["wiki/"]))  # a run that was killed may have left it behind
        if not dry_run:
            asking.refresh(wiki)
    superseded = [pending.given_way(record) for record in plan.superseded]
    return {**plan.counts, "unchanged": plan.unchanged, "held": list(plan.held), "superseded": superseded}


def apply(wiki: Workspace, operation: Writing, loaded: Wiki, yes: bool = False) -> step.Plan:
    """One decay inside an operation that is already open; its caller brings the navigation up to date."""
    plan = step.plan(loaded, wiki.now, lambda record: holds(wiki, record), yes, wiki.numbers, partial(_taken, wiki))
    changes = [change for aged in plan.aged for change in _changes(wiki, aged)]
    after = _silenced(loaded, plan)
    plan = replace(plan, superseded=tuple(r for r in after if r.superseded_by))
    changes = [*{c.path: c for c in (*changes, *_pages(wiki, after, changes))}.values()]
    if changes:
        said = ", ".join(f"{n} {kind}" for kind, n in plan.counts.items() if n)
        changes.append(log_line(wiki.read("wiki/log.md"), f"{stamp(wiki.now)} decay: {said}"))
        operation.apply(changes)
    for aged in plan.blocked:
        said = f"{aged.record.path} exists already, and {aged.path} would go there by its age"
        wiki.notice(f"{said}; it stays where it is: rename one of them")
    if plan.held:
        wiki.notice(f"{len(plan.held)} records are too many to archive at once; look, then `llmwiki decay --yes`")
    return plan


def holds(wiki: Workspace, record: Record) -> bool:
    """Whether a record's claims hold against the turns that they cite."""
    return bool(verify.verify(record, wiki.turn, authorship.Authors(wiki).person).status == "passed")


def _taken(wiki: Workspace, path: str) -> bool:
    """Whether something lies at a path; what cannot be read (a folder, other bytes) lies there too."""
    try:
        return wiki.read(path) is not None
    except WikiError:
        return True


def _changes(wiki: Workspace, aged: step.Aged) -> list[Change]:
    text = wiki.read(aged.path)
    if text is None:
        return []
    new = markdown.edit(text, {"state": aged.record.state.value, "reason": aged.record.reason or markdown.REMOVE})
    moved = [Change(aged.path, None, WHY[aged.kind])] if aged.path != aged.record.path else []
    return [*moved, Change(aged.record.path, new, WHY[aged.kind])]


def _silenced(loaded: Wiki, plan: step.Plan) -> list[Record]:
    """What a record that is released replaces, and that record: earlier words of the user's, which spoke as long as it
    waited."""
    after: dict[str, Record] = {}
    for aged in plan.aged:
        if aged.kind == "released":
            for older, newer in review.silenced(aged.record, loaded):
                after |= {older.id: older, newer.id: newer}
    return [*after.values()]


def _pages(wiki: Workspace, after: list[Record], made: list[Change]) -> list[Change]:
    """The pages of records that were superseded or superseded one, over the Changes that are made already."""
    texts = {change.path: change.text for change in made}
    pages = ((record, texts.get(record.path) or wiki.read(record.path)) for record in after)
    return [Change(r.path, markdown.update(text, r), f"superseded: {r.title}") for r, text in pages if text]


# -- when there is nothing to look for


def _mark(wiki: Workspace) -> str:
    """A fingerprint of all pages by name, time and size, and of the settings that age and index depend on."""
    lines = sorted(f"{path} {mtime} {size}" for path, mtime, size in wiki.store.pages())
    lines.append(repr((wiki.config.backend, wiki.config.scope, sorted(wiki.numbers.items()))))
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def due(wiki: Workspace) -> bool:
    """Whether a decay could find something: a page changed since the last one, or a date has come."""
    known = cache.get(wiki.root, "due")
    return known.get("pages") != _mark(wiki) or (bool(known.get("at")) and known["at"] <= stamp(wiki.now))


def remember_due(wiki: Workspace) -> None:
    """Keeps when the next decay could find something, so that a sync without news need not read every page."""
    loaded = wiki.store.load()
    at = step.next_due(loaded, wiki.now, wiki.numbers)
    cache.put(wiki.root, "due", {"pages": _mark(wiki), "at": at, "quarantine": quarantine(loaded)})


def quarantine(loaded: Wiki) -> dict[str, Any]:
    """`{timed, until, person}`: records that wait for their time, the first such time, those that wait for a person."""
    waiting = [r for r in loaded.records.values() if r.state is State.QUARANTINED]
    times = sorted(r.quarantine_until for r in waiting if r.quarantine_until)
    return {"timed": len(times), "until": times[0] if times else "", "person": len(waiting) - len(times)}
