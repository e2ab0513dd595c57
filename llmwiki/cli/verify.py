"""llmwiki verify: claims against the turns that they cite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import plural, size_of
from llmwiki.cli.screen import Screen

EXAMPLES = """
llmwiki verify                           every record
llmwiki verify use-pnpm-never-npm-1a2b   one record
"""


def command(
    records: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", show_default=False, help="Records; all when left out.")
    ] = None,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Check each claim against the turns that it cites. Exit code 1 when one fails.

    A claim holds when all that is distinctive in it occurs in its turns: identifiers, paths, numbers of four digits or
    more, dotted versions, commands and quotations. A line of your own needs no turn.
    """
    screen = Screen(json, quiet)
    with screen.wiki(wiki) as found:
        checked = found.verify(tuple(records or ()))
    screen.result(checked, summary(checked))
    return 1 if checked["failed"] else 0


def summary(checked: dict[str, Any]) -> Iterator[str]:
    for one in checked["failed"]:
        missing = one["missing"] if isinstance(one["missing"], str) else ", ".join(map(str, one["missing"]))
        why = f"not in its turns: {missing}" if missing else "it cites no turn"
        yield f"failed: {one['id']}: {one['claim']} ({why})"
    for name in checked.get("unverifiable_ids", ()):
        yield f"unverifiable: {name}: nothing distinctive in it can be looked for"
    if checked["failed"]:
        yield "correct the line; or, where it is your word now, take the links to turns out of it"
    if own := checked.get("own"):
        yield f"yours: {plural(len(own), 'line')} without a turn on pages that you edited; nothing has to prove them"
    failed = len({one["id"] for one in checked["failed"]})
    counts = ", ".join(f"{size_of(checked[name]):,} {name}" for name in ("unverifiable", "unreachable"))
    yield f"checked: {size_of(checked['checked']):,}: {checked['passed']:,} passed, {failed:,} failed, {counts}"
