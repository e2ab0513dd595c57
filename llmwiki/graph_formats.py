"""A graph document as text for other programs: Mermaid, DOT, one HTML page. Titles are session text, and do nothing
in any of them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from llmwiki.prose import folded
from llmwiki.template import fill

Document = Mapping[str, Sequence[Mapping[str, Any]]]
DOTTED = ("source", "same-session")  # what ties by where it comes from
_PLAIN = re.compile(r"[^\w .,:/()'+-]")  # all else is written as its number, which Mermaid shows as the character


def mermaid(document: Document) -> str:
    """A flowchart from left to right, one line a node and an edge."""
    names = {node["id"]: f"n{number}" for number, node in enumerate(document["nodes"])}
    lines = [f'  {names[node["id"]]}["{_numbered(_label(node))}"]' for node in document["nodes"]]
    for edge in document["edges"]:
        arrow = "-.->" if edge["kind"] in DOTTED else "-->"
        lines.append(f"  {names[edge['source']]} {arrow}|{edge['kind']}| {names[edge['target']]}")
    return "\n".join(["flowchart LR", *lines])


def _numbered(text: str) -> str:
    return _PLAIN.sub(lambda found: f"#{ord(found[0])};", text)


def dot(document: Document) -> str:
    """A digraph for Graphviz."""
    lines = [f"  {_quoted(node['id'])} [label={_quoted(_label(node))}];" for node in document["nodes"]]
    for edge in document["edges"]:
        style = ", style=dotted" if edge["kind"] in DOTTED else ""
        ends = f"{_quoted(edge['source'])} -> {_quoted(edge['target'])}"
        lines.append(f"  {ends} [label={_quoted(edge['kind'])}{style}];")
    return "\n".join(["digraph llmwiki {", "  rankdir=LR;", "  node [shape=box];", *lines, "}"])


def _quoted(text: str) -> str:
    return '"' + folded(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _label(node: Mapping[str, Any]) -> str:
    return folded(str(node["title"] or node["id"]))


def html(document: Document, page: str, script: str) -> str:
    """One page that needs no network: `page` is its template, `script` draws the graph.

    Its policy lets this script run and nothing else, and loads nothing; the graph is JSON in which no tag can end.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    graph = json.dumps(document, separators=(",", ":"))
    for char in "<>&":
        graph = graph.replace(char, f"\\u{ord(char):04x}")
    return fill(page, "graph.html.j2", script=script, digest=digest, graph=graph)
