"""llmwiki review: what waits for a person, and what a person decides."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import plural, rows
from llmwiki.cli.screen import Screen
from llmwiki.cli.typed import phrase
from llmwiki.errors import WikiError

EXAMPLES = """
llmwiki review                                        page by page, one key each (a list where nobody sits)
llmwiki review list --project shop --json
llmwiki review promote use-pnpm-never-npm-1a2b        let it speak
llmwiki review promote --verified --dry-run           what needs nobody: only time, and its claims hold
llmwiki review discard use-x-3c4d --reason "we moved" keep it out for good
llmwiki review merge use-a-1111 use-b-2222 --into use-c-3333
"""
HINTS = (
    "decide: llmwiki review promote|discard|archive ID…, llmwiki review merge ID… --into ID (llmwiki show ID to read)",
    "in bulk, what waits for time alone: llmwiki review promote --verified",
)
ACTION = "list, promote, discard, merge, archive or restore; without it you are shown page by page."


def command(
    action: Annotated[str, typer.Argument(metavar="[ACTION]", show_default=False, help=ACTION)] = "",
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", show_default=False, help="Records: ids, or the starts of ids."),
    ] = None,
    into: Annotated[
        str, typer.Option("--into", metavar="ID", show_default=False, help="merge: the page that stays.")
    ] = "",
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", show_default=False, help="discard, archive: why.")
    ] = "",
    verified: Annotated[
        bool, typer.Option("--verified", help="promote: all that wait for time alone and whose claims hold.")
    ] = False,
    project: Annotated[
        str, typer.Option("--project", metavar="P", show_default=False, help="list, --verified: this project only.")
    ] = "",
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Decide what becomes memory: what waits for you, what needs you first on top.

    promote lets a record speak; its age counts from now. discard and archive withdraw it: it lies under wiki/archive/
    with your reason, and sync does not learn it again. restore brings back what is archived or superseded; what waited
    before waits again. merge makes several pages one: sources, lines and links go to the page that stays. Each decision
    is one operation that llmwiki undo takes back, on all records that you name or on none.
    """
    screen = Screen(json, quiet)
    listing = action in ("", "list")
    with screen.wiki(wiki, writes=not listing) as found:
        if not listing:
            options = {"into": into, "reason": phrase([reason]), "verified": verified, "project": phrase([project])}
            done = found.review(action, tuple(ids or ()), **options, dry_run=dry_run)
            screen.summary(done, summary(done, dry_run), dry_run=dry_run)
            return 0
        if ids or into or reason or verified:
            raise WikiError("a list takes no records; say what to do with them: llmwiki review promote ID")
        queue = found.waiting(phrase([project]))
        if not action and queue and sys.stdin.isatty() and screen.terminal and not dry_run:
            from llmwiki.cli import sitting

            sitting.sit(found, screen, queue)
            return 0
    show(screen, queue)
    return 0


def show(screen: Screen, queue: list[dict[str, Any]]) -> None:
    """The list, and below it how to go on."""
    if not queue:
        return screen.result(queue, ["nothing waits"])
    cells = [(f"{one['age_days']} d", one["type"], one["id"], one["title"], one["reason"]) for one in queue]
    screen.table(queue, ("age", "type", "id", "title", "why it waits"), cells)
    if not (screen.json or screen.quiet):
        screen.write("\n".join(HINTS))


def summary(done: dict[str, Any], dry_run: bool) -> Iterator[str]:
    """What was decided, a line a record; what was not, and why."""
    past = f"would {done['action']}" if dry_run else f"{done['action'].rstrip('e')}ed"
    changed = list(done["changed"])
    into = f" into {changed.pop()['id']}" if done["action"] == "merge" and changed else ""
    for one in changed:
        yield f"{past} {one['id']}{into} ({one['path']})"
    for id in done["unchanged"]:
        yield f"unchanged, it is so already: {id}"
    if done["rewritten"]:
        yield f"links: {'would be ' if dry_run else ''}rewritten in {plural(len(done['rewritten']), 'page')}"
    left = done.get("waiting")
    if left is not None:
        yield f"{past} {plural(len(changed), 'record')}; {plural(len(left), 'record')} waiting"
        yield from rows([("waits", one["id"], one["reason"]) for one in left])
