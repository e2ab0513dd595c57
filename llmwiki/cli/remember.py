"""llmwiki remember: a person tells the wiki something."""

from __future__ import annotations

from typing import Annotated

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.screen import Screen
from llmwiki.cli.typed import phrase
from llmwiki.model import RecordType

EXAMPLES = """
llmwiki remember "Use pnpm here, never npm"
llmwiki remember "The staging database is read-only" --type fact --project shop
"""


def command(
    text: Annotated[
        list[str], typer.Argument(metavar="TEXT", show_default=False, help="What to remember, in your words.")
    ],
    kind: Annotated[RecordType, typer.Option("--type", help="What it is.")] = RecordType.PREFERENCE,
    project: Annotated[
        str,
        typer.Option("--project", metavar="P", show_default=False, help="Where it holds; everywhere when left out."),
    ] = "",
    scope: Annotated[
        str,
        typer.Option("--scope", metavar="S", show_default=False, help="Who may see it: user, team or public."),
    ] = "",
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Tell the wiki something yourself. It speaks at once, and nothing has to prove it."""
    screen = Screen(json, quiet)
    with screen.wiki(wiki, writes=True) as found:
        kept = found.remember(
            phrase(text), type=str(kind), project=phrase([project]) or None, scope=scope, dry_run=dry_run
        )
    verb = "would remember" if dry_run else "remembered"
    lines = [f"{verb} {kept['id']} ({kept['path']})", f"it holds {where(kept['project'])}"]
    screen.summary(kept, lines, dry_run=dry_run)
    return 0


def where(project: str | None) -> str:
    """Where a page holds, and how a person says otherwise."""
    return f"for the project {project} alone" if project else "for every project; --project NAME for one"
