"""llmwiki undo: the journal backwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import plural
from llmwiki.cli.screen import Screen

EXAMPLES = """
llmwiki undo --dry-run     what the last operation wrote
llmwiki undo 2             the last two
llmwiki undo --redo        that undo was a mistake
"""


def command(
    number: Annotated[int, typer.Argument(metavar="[N]", min=1, help="How many operations.")] = 1,
    redo: Annotated[bool, typer.Option("--redo", help="Take the last undo back.")] = False,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Take back the last operations: every file as it was, but for a line in log.md.

    A page that you have changed since is kept and named, and nothing that was forgotten comes back. The next sync reads
    the same sessions again and imports them again: `llmwiki review discard ID` keeps a lesson out, and `llmwiki forget`
    a session or a record for good.
    """
    screen = Screen(json, quiet)
    with screen.wiki(wiki, writes=True) as found:
        done = found.undo(number, redo=redo, dry_run=dry_run)
    screen.summary(done, summary(done, "redo" if redo else "undo"), dry_run=dry_run)
    return 0


def summary(done: dict[str, Any], verb: str) -> Iterator[str]:
    for operation in done["reverted"]:
        yield f"{verb}: {operation['op']}"
        yield from (f"  {path}" for path in operation["paths"])
    yield from (f"kept, it was changed since: {path}" for path in done["kept"] if not path.startswith(".llmwiki/"))
    if forgotten := done.get("forgotten"):
        yield f"not brought back, for it is forgotten: {plural(forgotten, 'file')}"
    if not done["reverted"]:
        yield f"nothing to {verb}"
