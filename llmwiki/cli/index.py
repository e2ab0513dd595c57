"""llmwiki index: the derived search index."""

from __future__ import annotations

from typing import Annotated

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.screen import Screen

EXAMPLES = """
llmwiki index               what changed
llmwiki index --rebuild     everything again, after a change of [index] backend for example
"""


def command(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Throw the index away and make it again.")] = False,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Bring the search index up to date. It is derived from the pages, and deleting it loses nothing."""
    screen = Screen(json, quiet)
    with screen.wiki(wiki) as found, screen.progress() as progress:
        made = found.index(rebuild=rebuild, progress=progress, dry_run=dry_run)
    counts = ", ".join(f"{made[name]:,} {name}" for name in ("added", "updated", "removed"))
    said = [f"pages: {made['pages']:,}: {counts}"]
    if made.get("embedded") or made.get("unembedded"):
        said.append(f"vectors: {made['embedded']:,} passages embedded, {made['unembedded']:,} wait")
    screen.summary(made, said, dry_run=dry_run)
    return 0
