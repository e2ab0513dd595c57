"""llmwiki hooks: an agent asks and syncs by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.screen import Screen

EXAMPLES = """
llmwiki hooks install claude-code                 in every project
llmwiki hooks install claude-code --local         in this project alone, for you alone
llmwiki hooks install claude-code --wiki ~/wiki   always this wiki, wherever the agent works
llmwiki hooks status                              of every agent
llmwiki hooks uninstall claude-code
"""


def command(
    action: Annotated[str, typer.Argument(metavar="ACTION", show_default=False, help="install, status or uninstall.")],
    agent: Annotated[
        str, typer.Argument(metavar="AGENT", show_default=False, help="claude-code; status tells of all without one.")
    ] = "",
    local: Annotated[
        bool,
        typer.Option("--local", help="The project's .claude/settings.local.json instead of your own settings."),
    ] = False,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Let an agent ask before each prompt (context), and take in each session when it ends (sync --session).

    install adds two hooks to the agent's settings, uninstall takes them out wherever they stand; every other byte stays
    as it is. Without --wiki the wiki is found from where the agent works. A hook that has nothing to say, finds no
    wiki or fails says nothing and never stops the agent: a prompt waits for it two seconds at most.
    """
    from llmwiki import wiring

    screen = Screen(json, quiet)
    if action == "status" and not agent:
        every = [wiring.act(action, name) for name in wiring.AGENTS]
        screen.result(every, (line for done in every for line in lines(done)))
        return 0
    done = wiring.act(action, agent, wiki=wiki, local=local, dry_run=dry_run)
    if action == "status":
        screen.result(done, lines(done))
        return 0
    screen.summary(done, lines(done, action, dry_run), dry_run=dry_run)
    return 0


def lines(done: dict[str, Any], action: str = "", dry_run: bool = False) -> Iterator[str]:
    """What was done, what is there, and what is wrong with it."""
    verb = {"install": "added to", "uninstall": "taken out of"}.get(action, "")
    if verb:
        for path in done["changed"]:
            yield f"{'would be ' if dry_run else ''}{verb} {path}"
        if not done["changed"]:
            yield "nothing to do"
    planned = dry_run and done["changed"]
    if action != "uninstall" or done["files"]:
        told = ("would not be installed", "would be installed") if planned else ("not installed", "installed")
        yield f"{done['agent']}: {told[done['installed']]}"
    for path in done["files"] if not verb else ():
        yield f"file: {path}"
    yield from done.get("diff", ())
    for hook in done["hooks"] if not planned else ():
        yield f"{hook['event']}: {hook['command']}"
    for problem in done["problems"]:
        yield f"problem: {problem}"
