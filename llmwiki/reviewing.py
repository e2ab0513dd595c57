"""The `review` command: what waits, and what a person decides about it, each decision one operation of the journal."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from llmwiki import asking, authorship, founding, merging, prose, rawpage, reports, review, similar, verify
from llmwiki.errors import WikiError
from llmwiki.lifecycle import stamp
from llmwiki.markdown import BadPage
from llmwiki.model import Cite, Record, Turn, Wiki
from llmwiki.navigation import log_line
from llmwiki.review import Waiting

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace

ACTIONS = ("promote", "discard", "merge", "archive", "restore")
DONE = {"promote": "promoted", "discard": "discarded", "archive": "archived", "restore": "restored", "merge": "merged"}
NAMED = 5  # ids in the line of the log; the journal has them all
EXCERPT, LINES = 320, 6  # of a quoted turn
TOLD = "a person wrote it: there is nothing to check"
CHECKED = {verify.PASSED: "every claim stands in its turns", **review.UNPROVEN}


def status(wiki: Workspace, record: Record) -> str:
    """Whether a record's claims hold: passed, failed, unverifiable or unreachable."""
    return str(verify.verify(record, wiki.turn, authorship.Authors(wiki).person).status)


def queue(wiki: Workspace, loaded: Wiki, project: str = "") -> list[Waiting]:
    """What waits in a wiki that is loaded, what needs a person first on top."""
    return review.queue(loaded, wiki.now, lambda r: status(wiki, r), project, wiki.numbers)


def waiting(wiki: Workspace, project: str = "") -> list[dict[str, Any]]:
    """`[{id, type, title, state, reason, age_days, sources, path}]`."""
    return [w.document() for w in queue(wiki, wiki.load(), project)]


# -- decisions


def act(
    wiki: Workspace,
    action: str,
    ids: Sequence[str] = (),
    into: str = "",
    reason: str = "",
    verified: bool = False,
    project: str = "",
    dry_run: bool = False,
) -> dict[str, Any]:
    """Carries out one decision on all these records or on none: `{action, changed: [{id, title, state, path}],
    unchanged: [id], rewritten: [path]}`, with --verified also `waiting`, as in `waiting`.

    `rewritten` are pages that only name other records now.
    """
    _refuse(action, ids, into, reason, verified, project)
    said = wiki.redactor.text(prose.folded(reason))[0]
    with wiki.operation(
        "review", " ".join([action, *ids, *(["--verified"] if verified else [])]), dry_run
    ) as operation:
        loaded = wiki.load()
        left: list[dict[str, Any]] = []
        if verified:
            asked, left = _verified(wiki, loaded, project)
        else:
            asked = list({r.id: r for r in (reports.chosen(loaded, name) for name in ids)}.values())
        if into:
            winner = reports.chosen(loaded, into)
            asked = [r for r in asked if r.id != winner.id]
            plan = merging.merge(asked, winner, loaded, wiki.now, wiki.numbers)
            asked.append(winner)
        else:
            plan = review.plan(action, asked, loaded, wiki.now, said, wiki.numbers)
        after = {new.id: new for _, new in plan.steps}
        named = [after[r.id] for r in asked if r.id in after]
        if changes := review.changes(plan, wiki.read, DONE[action]):
            operation.apply([*changes, log_line(wiki.read("wiki/log.md"), _line(wiki, action, named, bool(into)))])
            now = replace(loaded, records={**loaded.records, **after})
            operation.apply(founding.navigation(wiki, [c.path for c in changes], now))
            if not dry_run:
                asking.refresh(wiki)  # at once: what was withdrawn is silent from now on
    for sentence in plan.said:
        wiki.notice(sentence)
    return {
        "action": action,
        "changed": [{"id": r.id, "title": r.title, "state": str(r.state), "path": r.path} for r in named],
        "unchanged": list(plan.same),
        "rewritten": sorted(new.path for id, new in after.items() if id not in {r.id for r in named}),
        **({"waiting": left} if verified else {}),
    }


def _refuse(action: str, ids: Sequence[str], into: str, reason: str, verified: bool, project: str) -> None:
    """WikiError for what does not go together."""
    if action not in ACTIONS:
        near = difflib.get_close_matches(action, ("list", *ACTIONS), 1, 0.5)
        hint = f"the nearest is '{near[0]}'" if near else "llmwiki review lists what waits"
        raise WikiError(f"{action!r} is nothing that review does (list, {', '.join(ACTIONS)}); {hint}")
    if verified and (action != "promote" or ids):
        raise WikiError("--verified chooses the records itself: llmwiki review promote --verified [--project P]")
    if project and not verified:
        raise WikiError("--project goes with list and with promote --verified; leave it out, or the ids")
    if not ids and not verified:
        more = ", or take --verified" if action == "promote" else ""
        raise WikiError(f"name the records to {action}{more}; llmwiki review list shows their ids")
    if (action == "merge") != bool(into):
        raise WikiError("a merge needs the page that stays, and only a merge: llmwiki review merge A B --into C")
    if reason and action not in review.WITHDRAWN:
        raise WikiError(f"--reason goes with discard and archive; leave it out to {action}")


def _verified(wiki: Workspace, loaded: Wiki, project: str) -> tuple[list[Record], list[dict[str, Any]]]:
    """What may be promoted in bulk, and what waits all the same, with why."""
    waits = queue(wiki, loaded, project)
    near = sorted(waits, key=lambda w: (w.record.sources, w.record.id))  # each raw page is read once
    why = {w.record.id: review.unfit(w, lambda r: status(wiki, r)) for w in near}
    left = [w.document() | {"reason": why[w.record.id]} for w in waits if why[w.record.id]]
    return [w.record for w in waits if not why[w.record.id]], left


def _line(wiki: Workspace, action: str, records: list[Record], merged: bool) -> str:
    """The line of the log. Of a merge the page that stays is the last."""
    ids = [r.id for r in records]
    into = f" into {ids.pop()}" if merged else ""
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return f"{stamp(wiki.now)} review: {DONE[action]} {', '.join(ids[:NAMED])}{more}{into}"


# -- one page, for a person who decides


def page(wiki: Workspace, path: str) -> dict[str, Any] | None:
    """A waiting record as it is read: its document and `project, scope, evidence, checked`, `sections`
    [(name, [(text, [number])])] and `quotes` [{number, who, at, raw, turn, text}]. None when it waits no longer.
    """
    record: Record | None = None
    with suppress(BadPage):
        record = wiki.store.page(path)
    found = record and review.waits(record, wiki.now, lambda r: status(wiki, r), wiki.numbers)
    if record is None or not found:
        return None
    numbers: dict[Cite, int] = {}
    tokens: dict[Cite, list[str]] = {}
    sections: dict[str, list[tuple[str, list[int]]]] = {}
    for claim in prose.claims(record.body):
        cites = [c for c in claim.cites if c.anchor]
        for c in cites:
            numbers.setdefault(c, len(numbers) + 1)
            tokens.setdefault(c, []).extend(verify.tokens(claim.text))
        sections.setdefault(claim.section, []).append((prose.plain(claim.text), [numbers[c] for c in cites]))
    return found.document() | {
        "project": record.project,
        "scope": record.scope,
        "evidence": str(record.evidence),
        "checked": TOLD if verify.told(record) else CHECKED[status(wiki, record)],
        "sections": list(sections.items()),
        "quotes": [_quote(wiki, c, number, tokens[c]) for c, number in numbers.items()],
    }


def _quote(wiki: Workspace, cite: Cite, number: int, wanted: Sequence[str]) -> dict[str, Any]:
    turn = wiki.turn(cite.stem, cite.anchor)
    return {
        "number": number,
        "who": _who(turn) if turn else "",
        "at": turn.at if turn else "",
        "raw": cite.stem,
        "turn": cite.anchor,
        "text": excerpt(rawpage.turn_text(turn), wanted) if turn else "",
    }


def _who(turn: Turn) -> str:
    if turn.role == "user":
        return f"you ({turn.origin or 'typed'})"
    if turn.role == "tool":
        return f"{turn.tool or 'a tool'} ({turn.outcome})" if turn.outcome else turn.tool or "a tool"
    return "the agent" if turn.role == "assistant" else turn.role


def excerpt(text: str, wanted: Sequence[str]) -> str:
    """A few lines of a turn: around the first of the words that a claim rests on, else its beginning."""
    text = text.strip()
    folded = text.casefold()
    at = min((i for token in wanted if (i := folded.find(token.casefold())) >= 0), default=0)
    start = 0 if at < EXCERPT // 2 else max(text.rfind("\n", 0, at) + 1, at - EXCERPT // 2)
    lines = [line.rstrip() for line in text[start : start + EXCERPT].split("\n") if line.strip()]
    cut = start + EXCERPT < len(text) or len(lines) > LINES
    return ("… " if start else "") + "\n".join(lines[:LINES]) + (" …" if cut else "")


def alike(wiki: Workspace, id: str) -> list[dict[str, str]]:
    """Pages that a record may be merged into, the likeliest first: `[{id, title}]`."""
    records = wiki.load().records
    if id not in records:
        return []
    found = similar.Neighbours(records.values()).nearest(records[id], records)
    return [{"id": r.id, "title": r.title} for r in found]
