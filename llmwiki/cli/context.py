"""llmwiki context: the memory block for a task. `llmwiki.fast` answers it before this module is imported."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import clean, rows
from llmwiki.cli.screen import Screen
from llmwiki.cli.typed import phrase

if TYPE_CHECKING:
    from llmwiki.model import Block

EXAMPLES = """
llmwiki context "fix the flaky login test"
llmwiki context "speed up the import" --files src/load.py --explain
git diff | llmwiki context -
"""
KEYS = ("mode", "tokens", "budget", "abstained", "records", "limits", "text")


def command(
    task: Annotated[
        list[str], typer.Argument(metavar="TASK", show_default=False, help="The task; - reads standard input.")
    ],
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="N", min=1, show_default="1200", help="At most so many tokens."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, show_default="8", help="At most so many records.")
    ] = None,
    project: Annotated[
        str | None,
        typer.Option("--project", metavar="P", show_default=False, help="The project; else that of this folder."),
    ] = None,
    scope: Annotated[
        str, typer.Option("--scope", metavar="S", show_default=False, help="Who reads: user, team or public.")
    ] = "",
    files: Annotated[
        list[str] | None, typer.Option("--files", metavar="PATH...", help="Files that the task is about.")
    ] = None,
    tool: Annotated[
        str, typer.Option("--tool", metavar="NAME", show_default=False, help="The tool about to be used.")
    ] = "",
    error: Annotated[
        str, typer.Option("--error", metavar="TEXT", show_default=False, help="An error message to find the cure of.")
    ] = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Also list what was not taken, and why, on standard error.")
    ] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Also say which types were looked for, and how many.")] = False,
    session: Annotated[
        str,
        typer.Option("--session", metavar="ID", show_default=False, help="Note for this session what was offered."),
    ] = "",
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Print what the wiki knows that helps with a task, each line with the record that says it.

    Nothing relevant: nothing is printed, and the exit code is 0. Made for agents at every prompt: it only reads, never
    waits, and works on a disk that cannot be written.
    """
    screen = Screen(json, quiet)
    with screen.wiki(wiki) as found:
        block = found.context(
            phrase(task),
            budget=budget,
            limit=limit,
            project=project,
            scope=scope,
            files=tuple(files or ()),
            tool=tool,
            error=phrase([error]),
            explain=explain,
            plan=plan,
        )
    document = as_document(block, explain)
    screen.write_block(document, block.text)
    if explain and not json:
        for line in rows([(one["reason"], f"{one['score']:.2f}", one["id"]) for one in block.rejected]):
            screen.note(f"not taken: {clean(line)}")
    return 0


def as_document(block: Block, explain: bool) -> dict[str, Any]:
    """The promised keys in their order; `rejected` only when asked for."""
    whole = asdict(block)
    return {key: whole[key] for key in (*KEYS, "rejected") if key != "rejected" or explain}
