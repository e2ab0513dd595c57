"""llmwiki doctor: the set-up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.screen import Screen

EXAMPLES = """
llmwiki doctor
"""


def command(wiki: WikiOption = "", json: JsonOption = False, quiet: QuietOption = False) -> int:
    """Find what is wrong with the set-up, and how to mend it. Exit code 1 when something is.

    Also tells what will be lost: some agents delete their transcripts after some weeks.
    """
    screen = Screen(json, quiet)
    with screen.wiki(wiki) as found:
        seen = found.doctor()
    screen.result(seen, lines(seen["checks"]))
    return 0 if all(check["ok"] for check in seen["checks"]) else 1


def lines(checks: list[dict[str, Any]]) -> Iterator[str]:
    width = max((len(check["name"]) for check in checks), default=0)
    for check in checks:
        yield f"{'ok ' if check['ok'] else 'BAD'}  {check['name']:<{width}}  {check['message']}"
        if check["cure"] and not check["ok"]:
            yield f"{'':<{width + 5}}  cure: {check['cure']}"
