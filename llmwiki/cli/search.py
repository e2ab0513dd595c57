"""llmwiki search: ranked records, or turns.

`llmwiki.fast` answers before this module is imported, but for help, turns, and a person at a terminal: a table.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from llmwiki.block import quote
from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.screen import Screen
from llmwiki.cli.typed import answer, phrase
from llmwiki.errors import WikiError
from llmwiki.model import RecordType, State

EXAMPLES = """
llmwiki search how do we run the tests
llmwiki search "connection refused" --type failure
llmwiki search deploy --project shop     of this project, and what holds everywhere
llmwiki search --state quarantined       what waits, all of it
llmwiki search deploy --all              also what is quarantined, stale or archived
llmwiki search "pnpm install" --raw      the turns themselves
"""


def command(
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY", show_default=False, help="Words or a question; without any, a list."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 10,
    kind: Annotated[RecordType | None, typer.Option("--type", help="Only records of this type.")] = None,
    state: Annotated[State | None, typer.Option("--state", help="Only records in this state.")] = None,
    project: Annotated[
        str,
        typer.Option(
            "--project", metavar="P", show_default=False, help="Only this project's, and what holds everywhere."
        ),
    ] = "",
    scope: Annotated[
        str, typer.Option("--scope", metavar="S", show_default=False, help="Only what this audience may see.")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Also records that may not speak.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Search the turns of raw pages instead.")] = False,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Find records by words, the best first. Any of the words may match; endings do not matter.

    Without words, --state, --type, --project or --all list what there is, the newest first.
    """
    screen = Screen(json, quiet)
    if not query and not (kind or state or project or everything):
        raise WikiError("search needs a question: llmwiki search QUERY (or --state, --type, --project, --all: a list)")
    named = {"--type": kind, "--state": state, "--scope": scope, "--all": everything}
    if raw and (besides := [flag for flag, value in named.items() if value]):
        raise WikiError(f"--raw searches turns, which have no {', '.join(besides)}; leave that out, or --raw")
    if query and not (raw or screen.terminal):
        flags = {"limit": limit, "type": kind, "state": state, "project": project, "scope": scope, "all": everything}
        return answer("search", query, **flags, wiki=wiki, json=json, quiet=quiet)
    with screen.wiki(wiki) as found:
        if raw:
            turns = found.search_raw(phrase(query or []), limit, phrase([project]))
            screen.table(turns, ("score", "who", "turn", "text"), [turn_row(turn) for turn in turns])
            if not turns:
                screen.note("nothing found in the turns; try other words, or search without --raw")
            return 0
        asked = {"limit": limit, "type": kind or "", "state": state or "", "scope": scope, "all": everything}
        hits = found.search(phrase(query or []), project=phrase([project]), **asked)
    if not hits:
        screen.note("nothing found; try other words, or --all to see what does not speak")
    if not query and not screen.terminal:
        told = (f"{h.type:<12}{h.state:<13}{quote(h.title)}  {quote(h.path)}" for h in hits)
        screen.result([asdict(h) for h in hits], told)
        return 0
    cells = [(f"{h.score:.2f}", h.type, h.title, h.path, h.snippet) for h in hits]
    screen.table(hits, ("score", "type", "title", "path", "snippet"), cells)
    return 0


def turn_row(turn: dict[str, Any]) -> tuple[str, ...]:
    return f"{turn['score']:.2f}", turn["role"], f"{turn['raw']} ^{turn['turn']}", turn["snippet"]
