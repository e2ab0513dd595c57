"""llmwiki show: a record with what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.screen import Screen
from llmwiki.prose import LINKS_BEGIN, LINKS_END

EXAMPLES = """
llmwiki show use-pnpm-never-npm-1a2b
llmwiki show use-pnpm-never-npm-1a2b --json
"""


def command(
    record: Annotated[str, typer.Argument(metavar="ID", show_default=False, help="The record's id, page or alias.")],
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Print a record with the turns that it rests on, quoted."""
    screen = Screen(json, quiet)
    with screen.wiki(wiki) as found:
        shown = found.show(record)
    screen.result(shown, page(shown))
    return 0


def page(shown: dict[str, Any]) -> Iterator[str]:
    """Title, standing, body, then each source with its words."""
    record = shown["record"]
    yield f"# {record['title']}"
    yield ""
    yield from standing(record)
    yield ""
    yield from (line for line in str(record["body"]).strip().split("\n") if line not in (LINKS_BEGIN, LINKS_END))
    for source in shown["sources"]:
        yield ""
        yield f"{source['raw']} ^{source['turn']}" if source.get("turn") else str(source["raw"])
        yield from (f"> {line}" for line in str(source.get("quote") or "not on this machine").splitlines())


def standing(record: dict[str, Any]) -> Iterator[str]:
    """What the record is and whether it speaks, in three lines."""
    speaks = "speaks" if record["retrievable"] else "does not speak"
    why = record.get("silent") or record.get("reason")
    why = f" ({why})" if why else ""
    yield f"{record['id']}: {record['type']}, {record['state']}, {speaks}{why}"
    place = record["project"] or "every project"
    yield f"confidence {record['effective']:.2f} now, {record['confidence']:.2f} stored; {record['evidence']}"
    yield f"for {place}, scope {record['scope']}; reinforced {record['reinforced'] or 'never'}"
