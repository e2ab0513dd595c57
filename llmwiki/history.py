"""What a wiki's memory gained and lost between two moments, in words. Pure: two sets of pages in, a document out."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from llmwiki import markdown
from llmwiki.model import Record, State
from llmwiki.schema import TYPES

ORDER = list(TYPES)
# Frontmatter that a reader of the diff wants to hear of, in this order, and how its two values are written.
TOLD = ("type", "title", "description", "scope", "project", "evidence", "ttl_days", "when", "tags", "domains")


def read(pages: Mapping[str, str], scope: str) -> tuple[dict[str, Record], list[str]]:
    """The records of some pages by id, and the paths of those that do not parse.

    Of two with one id the live one wins."""
    records: dict[str, Record] = {}
    bad = []
    for path in sorted(pages, key=lambda p: (p.startswith("wiki/archive/"), p)):
        try:
            record = markdown.read(pages[path], path, scope)
        except markdown.BadPage:
            bad.append(path)
        else:
            records.setdefault(record.id, record)
    return records, bad


def compare(old: Mapping[str, Record], new: Mapping[str, Record]) -> dict[str, list[dict[str, Any]]]:
    """`{learned, withdrawn, changed}`, each entry with `id, type, title, path`, by type, then by title.

    `withdrawn` has a `reason` beside that, `learned` a `state` and its `evidence`, `changed` its `changes`.
    """
    found: dict[str, list[dict[str, Any]]] = {"learned": [], "withdrawn": [], "changed": []}
    for id in sorted({*old, *new}, key=lambda id: _place(new.get(id) or old[id])):
        was, now = old.get(id), new.get(id)
        reason = _withdrawn(was, now)
        if reason:
            found["withdrawn"].append(_entry(now or was) | {"reason": reason})
        elif now and not was:
            if now.state is not State.ARCHIVED:
                found["learned"].append(_entry(now) | {"state": str(now.state), "evidence": str(now.evidence)})
        elif was and now and (changes := list(_changes(was, now))):
            found["changed"].append(_entry(now) | {"changes": changes})
    return found


def _place(record: Record) -> tuple[int, str, str]:
    return ORDER.index(record.type), record.title.casefold(), record.id


def _entry(record: Record | None) -> dict[str, Any]:
    assert record is not None
    return {"id": record.id, "type": str(record.type), "title": record.title, "path": record.path}


def _withdrawn(was: Record | None, now: Record | None) -> str:
    """Why a record that spoke, or was going to, does not any more; "" when that is not so."""
    if was is None or was.state is State.ARCHIVED:
        return ""
    if now is None:
        return "its page was removed"
    if now.superseded_by and not was.superseded_by:
        return f"superseded by {now.superseded_by}"
    if now.state is State.ARCHIVED:
        return f"archived: {now.reason or 'no reason is given'}"
    if now.state is State.QUARANTINED and was.state is not State.QUARANTINED:
        return f"quarantined: {now.reason or 'no reason is given'}"
    return ""


def _changes(was: Record, now: Record) -> Iterator[str]:
    if was.state is not now.state:
        yield f"{was.state} → {now.state}" + (f": {now.reason}" if now.reason else "")
    elif was.reason != now.reason:
        yield f"reason: {now.reason or 'none any more'}"
    if was.superseded_by != now.superseded_by:
        yield f"superseded by {now.superseded_by}" if now.superseded_by else "no longer superseded"
    if was.confidence != now.confidence:
        word = "surer" if now.confidence > was.confidence else "less sure"
        yield f"{word}: confidence {was.confidence:.2f} → {now.confidence:.2f}"
    if (was.uses, was.successes) != (now.uses, now.successes):
        yield f"used {now.uses - was.uses:+d}, with success {now.successes - was.successes:+d}"
    if more := len(set(now.sources) - set(was.sources)):
        yield f"{more} more {'session teaches' if more == 1 else 'sessions teach'} it"
    if fewer := len(set(was.sources) - set(now.sources)):
        yield f"{fewer} {'session is' if fewer == 1 else 'sessions are'} no source any more"
    for key in TOLD:
        if getattr(was, key) != getattr(now, key):
            yield f"{key}: {_said(getattr(was, key))} → {_said(getattr(now, key))}"
    if was.body != now.body:
        yield _lines(was.body, now.body)
    if was.path != now.path:
        yield f"moved from {was.path}"


def _said(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "none"
    return str(value) if value not in ("", None, {}) else "none"


def _lines(was: str, now: str) -> str:
    lines = list(difflib.unified_diff(was.split("\n"), now.split("\n"), n=0, lineterm=""))[2:]
    added, removed = (sum(line.startswith(mark) for line in lines) for mark in "+-")
    return f"text: {added} {'line' if added == 1 else 'lines'} added, {removed} removed"
