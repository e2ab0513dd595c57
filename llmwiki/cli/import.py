"""llmwiki import: files that a person already has become records."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import counted, given_way, legend, plural
from llmwiki.cli.screen import Screen
from llmwiki.cli.typed import phrase
from llmwiki.schema import REFUSALS

EXAMPLES = """
llmwiki import CLAUDE.md AGENTS.md        what you tell your agents
llmwiki import docs --dry-run             what a folder of documents would give
llmwiki import ~/.claude/CLAUDE.md        what holds in every project
llmwiki import notes.md --project shop
"""
LEGEND = legend(REFUSALS)


def command(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="FILE|DIR...", show_default=False, help="Markdown files, or folders that hold some."),
    ],
    project: Annotated[
        str,
        typer.Option(
            "--project", metavar="P", show_default=False, help="Where it holds; the file's repository when left out."
        ),
    ] = "",
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Take in CLAUDE.md, AGENTS.md, MEMORY.md and documents: one record a statement, citing its line.

    What you tell agents in such a file is active at once; of other documents facts wait a day, and advice waits for
    you. What an agent loads by itself anyway is found by search and stays out of blocks. Import a file again when it
    changed: what it no longer says is archived. Exit code 1 when a file could not be read.
    """
    screen = Screen(json, quiet)
    with screen.wiki(wiki, writes=True) as found, screen.progress() as progress:
        done = found.import_([phrase([p]) for p in paths], phrase([project]), dry_run=dry_run, progress=progress)
    screen.summary(done, lines(done, dry_run), dry_run=dry_run)
    return 1 if done.get("failed") else 0


def lines(done: dict[str, Any], dry_run: bool) -> list[str]:
    """What happened, in a few lines; files that failed are named."""
    made, waiting = done["created"], done.get("waiting", {})
    verb = "would import" if dry_run else "imported"
    out = [f"{verb} {plural(len(made), 'record')} from {plural(done.get('files', 0), 'file')}"]
    out += [f"  {title}" for title in done.get("titles", ()) if dry_run]
    if any(waiting.values()):
        out.append(
            f"waits: {waiting['you']} for you, {waiting['release']} for a day; `llmwiki search --state quarantined`"
        )
    if done.get("silent"):
        out.append(f"stays out of blocks: {done['silent']}, which the agent loads by itself")
    out += [f"{what}: {len(done[what])}" for what in ("archived", "restored") if done.get(what)]
    out += given_way(done.get("superseded") or [])
    if done["refused"]:
        out.append(f"refused: {counted(done['refused'])}")
    return out + [f"failed: {f['source']} {f['error']}" for f in done.get("failed", [])]
