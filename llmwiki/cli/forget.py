"""llmwiki forget: the one deletion there is."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import clean, plural
from llmwiki.cli.screen import Screen
from llmwiki.cli.typed import phrase

EXAMPLES = """
llmwiki forget 3f2a90c1 --dry-run        what would go
llmwiki forget 3f2a90c1                  a session, with what it alone taught
llmwiki forget use-pnpm-here-7e7f        one record
llmwiki forget --project client-x        everything of a project
"""


def command(
    name: Annotated[
        str,
        typer.Argument(metavar="[SESSION|ID]", show_default=False, help="A session's id or page, or a record's id."),
    ] = "",
    project: Annotated[
        str, typer.Option("--project", metavar="P", show_default=False, help="Every session and record of a project.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask on a terminal.")] = False,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Remove a session, a record or a project for good, and keep it out. Nothing brings it back.

    Takes away its raw pages, those of the sessions that came out of it, the records that rest on it alone, what other
    records say on its word, every copy in the journal, and the search index, which is made again. Hashes in
    wiki/.forgotten keep `sync` from taking it in again, in every clone. The agent's own files are not touched, nor is
    what git remembers: the commands for that are printed.
    """
    screen = Screen(json, quiet)
    wanted = {"name": phrase([name]), "project": phrase([project])}
    with screen.wiki(wiki, writes=True) as found:
        if not (yes or dry_run) and sys.stdin.isatty() and sys.stderr.isatty():
            plan = found.forget(**wanted, dry_run=True)
            if plan["removed"] and not agreed(plan):
                screen.note("nothing was forgotten")
                return 0
        done = found.forget(**wanted, dry_run=dry_run)
    screen.summary(done, summary(done, dry_run), dry_run=dry_run)
    return 0


def agreed(plan: dict[str, Any]) -> bool:
    """Whether the person at the terminal wants that. The question comes with what it is about."""
    for path in plan["removed"]:
        print(f"  {clean(path)}", file=sys.stderr)
    what = f"{plural(len(plan['sessions']), 'session')} and {plural(len(plan['records']), 'record')}"
    return typer.confirm(f"Forget {what}? It cannot be taken back.", default=False, err=True)


def summary(done: dict[str, Any], dry_run: bool = False) -> Iterator[str]:
    """What went or would go, what stays elsewhere, and how to mend that."""
    forgotten, would = ("would forget", "would be ") if dry_run else ("forgotten", "")
    yield f"{forgotten}: {plural(len(done['sessions']), 'session')}, {plural(len(done['records']), 'record')}"
    yield from (f"  {would}removed {path}" for path in done["removed"])
    yield from (f"  {would}changed {path}" for path in done["changed"])
    for path in done["stays"]:
        yield f"its session stays, with the turns that taught it: {path}"
    for path in done["sources"]:
        yield f"not touched, the agent's own file: {path}"
    if done["sessions"] and not done["sources"]:
        yield "the agents' own files are not touched; `llmwiki agents` shows where they lie"
    yield from cleaning(done)


def cleaning(done: dict[str, Any]) -> Iterator[str]:
    """How to take it out of git too; nothing where git never had it.

    The pages that stay are never dropped with their history: only the lines that speak of the forgotten go.
    """
    history, lines = (list(done[name]) for name in ("history", "lines"))
    if done["staged"]:
        yield f"git has it staged: git rm --cached {shlex.join(f':/{path}' for path in done['staged'])}"
    if not history and not lines:
        return
    yield "git still has it. Commit what was removed; then, on a fresh clone and with everybody who has one:"
    if history:
        yield f"  git filter-repo --invert-paths {' '.join(f'--path {shlex.quote(path)}' for path in history)}"
    if lines:
        yield "  git filter-repo --replace-text forgotten.txt"
        yield f"forgotten.txt, outside of the clone, holds the lines on it in {', '.join(done['rewritten'])}:"
        yield from (f"  literal:{line}==>" for line in lines)
