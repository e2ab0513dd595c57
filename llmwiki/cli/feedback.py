"""llmwiki feedback: a person's word on a session."""

from __future__ import annotations

from typing import Annotated

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.screen import Screen
from llmwiki.cli.typed import phrase

EXAMPLES = """
llmwiki feedback 3f2a90c1 --score 5
llmwiki feedback 3f2a90c1 --score 1 --note "it broke the build and did not see it"
"""


def command(
    session: Annotated[str, typer.Argument(metavar="SESSION", show_default=False, help="The session's id or page.")],
    score: Annotated[float, typer.Option("--score", metavar="0..5", min=0, max=5, help="0 useless, 5 all I wanted.")],
    note: Annotated[str, typer.Option("--note", metavar="TEXT", show_default=False, help="Why.")] = "",
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Say how a session went. Your word outranks every other sign, and what it used is counted again."""
    screen = Screen(json, quiet)
    with screen.wiki(wiki, writes=True) as found:
        noted = found.feedback(session, score, note=phrase([note]), dry_run=dry_run)
    verb = "would score" if dry_run else "scored"
    screen.summary(noted, [f"{verb} {noted['session']}: {noted['score']:g} of 5"], dry_run=dry_run)
    return 0
