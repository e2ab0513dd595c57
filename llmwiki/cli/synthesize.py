"""llmwiki synthesize: raw pages to records."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import legend, plural, size_of
from llmwiki.cli.screen import Screen
from llmwiki.errors import WikiError
from llmwiki.schema import REFUSALS

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace

EXAMPLES = """
llmwiki synthesize                        every finished session that has no records yet
llmwiki synthesize 3f2a90c1               one session again
llmwiki synthesize --list                 what waits for a model or for an answer
llmwiki synthesize --complete ID --file answer.json
"""
LEGEND = legend(REFUSALS)


class Backend(StrEnum):
    EXTRACTIVE = "extractive"
    OLLAMA = "ollama"
    DELEGATED = "delegated"


def command(
    sessions: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SESSION]...", show_default=False, help="Sessions by id or page; all when left out."),
    ] = None,
    backend: Annotated[
        Backend | None, typer.Option("--backend", help="Who reads; without it, what llmwiki.toml says (no model).")
    ] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Only say how much there is to read.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="Only list what is pending.")] = False,
    complete: Annotated[
        str, typer.Option("--complete", metavar="ID", show_default=False, help="Give the answer to a pending task.")
    ] = "",
    file: Annotated[
        str,
        typer.Option("--file", metavar="F", show_default=False, help="Where that answer is; else standard input."),
    ] = "",
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Make records from raw pages. The sources are not read again, so it works when they are gone."""
    screen = Screen(json, quiet)
    asked = str(backend or "")
    with screen.wiki(wiki, writes=not (estimate or show_list)) as found:
        if show_list:
            pending = found.pending()
            cells = [
                ("ready" if one["ready"] else f"until {one['until']}", one["session"], one["raw"]) for one in pending
            ]
            screen.table(pending, ("state", "session", "page"), cells)
            return 0
        if estimate:
            guess = found.estimate(tuple(sessions or ()), asked)
            screen.result(guess, (f"{name}: {value}" for name, value in guess.items()))
            return 0
        done = run(found, screen, tuple(sessions or ()), asked, complete, file, dry_run)
    screen.summary(done, summary(done), dry_run=dry_run)
    return 0


def run(
    found: Workspace, screen: Screen, sessions: tuple[str, ...], backend: str, complete: str, file: str, dry_run: bool
) -> dict[str, Any]:
    if complete:
        return found.complete(complete, answer(file), dry_run=dry_run)
    if file:
        raise WikiError("--file holds the answer to a pending task; name the task with --complete ID")
    with screen.progress() as progress:
        return found.synthesize(sessions, backend=backend, dry_run=dry_run, progress=progress)


def answer(file: str) -> str:
    """The answer that `--complete` hands in."""
    if not file:
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        return Path(file).read_bytes().decode("utf-8", "replace")
    except OSError as cause:
        raise WikiError(f"the answer {file} cannot be read ({cause.strerror}); give another --file") from cause


def summary(done: dict[str, Any]) -> Iterator[str]:
    from llmwiki.cli.sync import records_summary

    if "requests" in done:
        yield from done["requests"].values()
        return
    yield f"sessions: {plural(size_of(done.get('sessions')), 'session')} read"
    yield from records_summary(done["records"])
    yield f"pending: {size_of(done.get('pending')) or 'nothing'}"
