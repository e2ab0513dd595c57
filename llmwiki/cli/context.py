"""llmwiki context: the memory block for a task.

`llmwiki.fast` answers before this module is imported; here are its options with their help, and whoever comes through
the shell all the same gets the same answer from the same place.
"""

from __future__ import annotations

from typing import Annotated

import typer

from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.typed import answer

EXAMPLES = """
llmwiki context "fix the flaky login test"
llmwiki context "speed up the import" --files src/load.py --explain
git diff | llmwiki context -
llmwiki context --error "$(tail -50 build.log)"      what is known of an error; --files and --tool alone do too
"""


def command(
    task: Annotated[
        list[str] | None, typer.Argument(metavar="TASK", show_default=False, help="The task; - reads standard input.")
    ] = None,
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
        bool, typer.Option("--explain", help="Also list what was looked at, kept or refused, with the numbers.")
    ] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Also say which types were looked for, and how many.")] = False,
    session: Annotated[
        str,
        typer.Option("--session", metavar="ID", show_default=False, help="Note for this session what was offered."),
    ] = "",
    hook: Annotated[
        str,
        typer.Option(
            "--hook",
            metavar="AGENT",
            show_default=False,
            help="Answer this agent's hook, whose JSON is standard input.",
        ),
    ] = "",
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Print what the wiki knows that helps with a task, each line with the record that says it.

    Nothing relevant: nothing is printed, and the exit code is 0. Made for agents at every prompt: it only reads, never
    waits, and works on a disk that cannot be written.
    """
    return answer(
        "context",
        task or [],
        budget=budget,
        limit=limit,
        project=project,
        scope=scope,
        files=files,
        tool=tool,
        error=error,
        explain=explain,
        plan=plan,
        session=session,
        hook=hook,
        wiki=wiki,
        json=json,
        quiet=quiet,
    )
