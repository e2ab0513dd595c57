"""llmwiki diff: what memory gained and lost since a commit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any

import typer

from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import one_line
from llmwiki.cli.screen import Screen
from llmwiki.cli.typed import phrase

EXAMPLES = """
llmwiki diff                     since the last commit
llmwiki diff HEAD~10
llmwiki diff v1.0 --json
"""
WHAT = ("learned", "withdrawn", "changed")


def command(
    revision: Annotated[
        str, typer.Argument(metavar="[REV]", show_default=False, help="A commit, branch or tag; HEAD when left out.")
    ] = "HEAD",
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Tell what was learned, what was withdrawn and why, and what changed, since a commit.

    Compares the record pages of a commit with those on the disk, new ones that git does not know yet included. What
    git ignores is left out: traces, as a rule.
    """
    screen = Screen(json, quiet)
    with screen.wiki(wiki) as found:
        document = found.diff(phrase([revision]))
    screen.result(document, lines(document))
    return 0


def lines(document: dict[str, Any]) -> Iterator[str]:
    """One line a record, grouped by what became of it and by type; below one that was withdrawn the reason, below
    one that changed each change."""
    for what in WHAT:
        if document[what]:
            yield f"{what}: {len(document[what])}"
        for kind, entries in groupby(document[what], key=lambda entry: entry["type"]):
            yield f"  {kind}"
            for entry in entries:
                yield f"    {one_line(entry['title'])}{_rests_on(entry)} [{entry['id']}]"
                yield from (
                    f"      {one_line(said)}" for said in (entry.get("reason"), *entry.get("changes", ())) if said
                )
    if not any(document[what] for what in WHAT):
        yield "memory is as it was"


def _rests_on(entry: dict[str, Any]) -> str:
    """What a new record rests on, and its state when it does not speak yet."""
    said = [entry[key] for key in ("evidence", "state") if entry.get(key) not in (None, "active")]
    return f" ({', '.join(said)})" if said else ""
