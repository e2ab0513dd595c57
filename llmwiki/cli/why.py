"""llmwiki why: the events behind a record's confidence and state."""

from __future__ import annotations

from typing import Annotated

import typer

from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.screen import Screen

EXAMPLES = """
llmwiki why use-pnpm-never-npm-1a2b
"""


def command(
    record: Annotated[str, typer.Argument(metavar="ID", show_default=False, help="The record's id, page or alias.")],
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Tell what made a record's confidence and state what they are: every event, with its date."""
    screen = Screen(json, quiet)
    with screen.wiki(wiki) as found:
        told = found.why(record)
    cells = [
        (event["at"], event["kind"], event["change"], turn(event), event.get("note") or "") for event in told["events"]
    ]
    screen.table(told, ("when", "what", "change", "from", "note"), cells)
    return 0


def turn(event: dict[str, object]) -> str:
    """Where an event came from: a session, and the turn when one is known."""
    session = str(event.get("session") or "")
    return f"{session}#{event['turn']}" if session and event.get("turn") else session
