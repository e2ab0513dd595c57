"""llmwiki init: makes a wiki."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import Ours
from llmwiki.cli.screen import Screen, clock_sentence

EXAMPLES = """
llmwiki init                      the sessions of this git repository, for everybody who works on it
llmwiki init ~/wiki --default     all your sessions, for you, found from every folder
llmwiki init --dry-run            only list the files
"""


def command(
    directory: Annotated[
        str, typer.Argument(metavar="[DIR]", show_default=False, help="Where; here when left out.")
    ] = "",
    default: Annotated[bool, typer.Option("--default", help="Make it the wiki to use where no other is near.")] = False,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Put our lines into an existing CLAUDE.md, between markers.")
    ] = False,
    commit_raw: Annotated[
        bool, typer.Option("--commit-raw", help="Let git track raw pages and traces; they are big and private.")
    ] = False,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Make a wiki: settings, folders, and the files that tell agents about it.

    Inside a git repository the wiki takes this repository's sessions; with --default, or outside of any repository,
    all of them. Nothing that exists is overwritten.
    """
    from llmwiki.workspace import Workspace

    screen = Screen(json, quiet)
    if replaced := clock_sentence():
        screen.note(replaced)
    made = Workspace.init(
        Path(directory or wiki or "."), default=default, adopt=adopt, commit_raw=commit_raw, dry_run=dry_run
    )
    screen.summary(made, summary(made, dry_run), dry_run=dry_run)
    return 0


def summary(made: dict[str, Any], dry_run: bool) -> Iterator[str]:
    """What was made, and what a person may add: without indentation, which would make code of it in Markdown."""
    from llmwiki.founding import BEGIN, END

    marks = (BEGIN, END)
    yield from (f"created {path}" for path in made["created"])
    yield from (f"added to {path}" for path in made.get("updated", ()))
    if made.get("lines"):
        yield "CLAUDE.md is yours and stays as it is; add these lines, or run llmwiki init --adopt:"
        yield ""
        yield from (Ours(line) if line in marks else line for line in made["lines"])
        yield ""
    yield from made.get("notes", ())
    wiki = "the wiki would be at" if dry_run else "the wiki is at"
    yield f"{wiki} {made['root']}; next: llmwiki sync"
