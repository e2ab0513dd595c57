"""llmwiki graph: which pages link, replace, contradict and come from which."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import json_text
from llmwiki.cli.screen import Screen
from llmwiki.errors import WikiError

EXAMPLES = """
llmwiki graph neighbors use-pnpm-never-npm-1a2b --depth 2
llmwiki graph --format html > graph.html   in the wiki's folder, so that a click opens a page
llmwiki graph --format dot | dot -Tsvg > graph.svg
"""


class Format(StrEnum):
    JSON = "json"
    HTML = "html"
    MERMAID = "mermaid"
    DOT = "dot"


def command(
    around: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[neighbors ID]", show_default=False, help="Only what is around this record; else everything."
        ),
    ] = None,
    depth: Annotated[int, typer.Option("--depth", metavar="N", min=0, help="How many steps around a record.")] = 1,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.JSON,
    everything: Annotated[bool, typer.Option("--all", help="Also records that may not speak.")] = False,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Print the link graph: records that may speak, the raw pages that they rest on, and what ties them.

    Edges are link, source (to a raw page), supersedes, contradicts, parent and same-session. The HTML page is one file
    that needs no network.
    """
    name = wanted(around or [])
    screen = Screen(json, quiet)
    with screen.wiki(wiki) as found:
        document = found.graph(name, depth, everything)
    screen.write(text(document, Format.JSON if json else form))
    return 0


def wanted(around: list[str]) -> str:
    """The record that is asked for, "" for the whole graph."""
    if not around:
        return ""
    if len(around) != 2 or around[0] not in ("neighbors", "neighbours"):
        raise WikiError("graph takes nothing, or a record: llmwiki graph neighbors ID")
    return around[1]


def text(document: dict[str, Any], form: Format) -> str:
    from llmwiki import graph_formats, store_templates

    if form is Format.MERMAID:
        return graph_formats.mermaid(document)
    if form is Format.DOT:
        return graph_formats.dot(document)
    if form is Format.HTML:  # as shipped: a cloned wiki brings no scripts
        return graph_formats.html(document, store_templates.find("graph.html.j2"), store_templates.find("graph.js"))
    return json_text(document)
