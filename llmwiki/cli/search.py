"""llmwiki search: ranked records, or turns. `llmwiki.fast` answers it before this module is imported."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.screen import Screen
from llmwiki.cli.typed import phrase
from llmwiki.model import RecordType, State

EXAMPLES = """
llmwiki search how do we run the tests
llmwiki search "connection refused" --type failure
llmwiki search deploy --all              also what is quarantined, stale or archived
llmwiki search "pnpm install" --raw      the turns themselves
"""
KEYS = ("id", "type", "title", "path", "score", "state", "snippet")


def command(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", show_default=False, help="Words or a question.")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 10,
    kind: Annotated[RecordType | None, typer.Option("--type", help="Only records of this type.")] = None,
    state: Annotated[State | None, typer.Option("--state", help="Only records in this state.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also records that may not speak.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Search the turns of raw pages instead.")] = False,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Find records by words, the best first. Any of the words may match; endings do not matter."""
    screen = Screen(json, quiet)
    with screen.wiki(wiki) as found:
        if raw:
            turns = found.search_raw(phrase(query), limit)
            screen.table(turns, tuple(turns[0]) if turns else (), [tuple(turn.values()) for turn in turns])
            return 0
        hits = found.search(phrase(query), limit=limit, type=str(kind or ""), state=str(state or ""), all=everything)
    document: list[dict[str, Any]] = [{key: asdict(hit)[key] for key in KEYS} for hit in hits]
    cells = [(f"{h.score:.2f}", h.type, h.id, h.title, h.path, h.snippet) for h in hits]
    if not hits:
        screen.note("no record matches" + ("" if everything or state else "; --all also searches what may not speak"))
    screen.table(document, ("score", "type", "id", "title", "path", "snippet"), cells)
    return 0
