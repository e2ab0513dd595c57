"""llmwiki decay: age."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import given_way, size_of
from llmwiki.cli.screen import Screen

EXAMPLES = """
llmwiki decay --dry-run     what is due
llmwiki decay --yes         also when it is a large part of the wiki
"""
COUNTS = ("released", "staled", "archived", "expired", "unchanged")


def command(
    yes: Annotated[
        bool, typer.Option("--yes", help="Go on when more than a fifth of the records would leave.")
    ] = False,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Apply age: release what has waited long enough, put aside what is old, archive what is past that.

    Records that are due to speak or to be silent do so anyway; this writes it down. `sync` does it at its end.
    Exit code 1 when records were held back.
    """
    screen = Screen(json, quiet)
    with screen.wiki(wiki, writes=True) as found:
        aged = found.decay(yes=yes, dry_run=dry_run)
    screen.summary(aged, summary(aged), dry_run=dry_run)
    return 1 if aged["held"] else 0


def summary(aged: dict[str, Any]) -> Iterator[str]:
    yield f"records: {', '.join(f'{size_of(aged[name]):,} {name}' for name in COUNTS)}"
    yield from given_way(aged.get("superseded") or [])
    if aged["held"]:
        yield f"held: {', '.join(aged['held'])}"
        yield "so many at once is unusual: look at them with llmwiki why, then run llmwiki decay --yes"
