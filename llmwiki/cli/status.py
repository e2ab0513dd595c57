"""llmwiki status: counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import counted, plural, rows, size_of
from llmwiki.cli.screen import Screen

EXAMPLES = """
llmwiki status
llmwiki status --json
"""
STATES = ("active", "quarantined", "stale", "archived")


def command(wiki: WikiOption = "", json: JsonOption = False, quiet: QuietOption = False) -> int:
    """Count records by type and state, and tell what waits, which sources failed and what was offered and used."""
    screen = Screen(json, quiet)
    with screen.wiki(wiki) as found:
        counts = found.status()
    if screen.terminal:
        cells = [
            (kind, *(states.get(state, 0) or "" for state in STATES)) for kind, states in counts["records"].items()
        ]
        screen.table(counts, ("type", *STATES), cells)
        screen.result(counts, rest(counts))
    else:
        screen.result(counts, [*rows(by_type(counts)), *rest(counts)])
    return 0


def by_type(counts: dict[str, Any]) -> list[tuple[str, str]]:
    """(type, `3 active, 1 stale`) a type."""
    return [
        (kind, ", ".join(f"{states[state]:,} {state}" for state in STATES if states.get(state)))
        for kind, states in counts["records"].items()
    ]


def rest(counts: dict[str, Any]) -> Iterator[str]:
    """What waits, what failed, what memory earned, one line each."""
    waits = counted({f"for {what}": size_of(n) for what, n in counts.get("waiting_for", {}).items()})
    yield f"waiting: {size_of(counts['waiting'])}{f' ({waits})' if waits else ''}"
    failed = counts["failed_sources"]
    yield f"failed sources: {size_of(failed)}"
    for one in failed if isinstance(failed, list) else ():
        yield f"  {one['source']}: {one['error']}"
    if unread := size_of(counts.get("unreadable", ())):
        yield f"unreadable: {plural(unread, 'page')} that no count holds; `llmwiki doctor` says what to mend"
    yield f"last sync: {counts['last_sync'] or 'never'}"
    yield f"offered: {size_of(counts['offered'])}, used: {size_of(counts['used'])}"
    if vectors := counts.get("vectors"):
        waits = f", {vectors['unembedded']:,} wait for `llmwiki index`" if vectors["unembedded"] else ""
        yield f"vectors: {vectors['passages']:,} passages by {vectors['model']}{waits}"
    well = counts.get("ended_well", {})
    if well.get("with", [0, 0])[1]:
        (good, known), (others, rest_) = well["with"], well["without"]
        yield f"ended well: {good} of {known} sessions that used a record, {others} of {rest_} others"
