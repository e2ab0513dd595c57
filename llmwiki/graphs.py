"""The `graph` command: the link graph of a wiki, whole or around one record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llmwiki import graph, lifecycle, reports
from llmwiki.errors import WikiError

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace


def shown(wiki: Workspace, name: str = "", depth: int = 1, everything: bool = False) -> dict[str, Any]:
    """`{nodes: [{id, type, title, state, path}], edges: [{source, target, kind}]}`: what may speak (all of it with
    `everything`) and the raw pages that it rests on; with a `name` what is at most `depth` steps from that record,
    itself included, each with its `distance`.

    WikiError when there is no such record, or it may not speak.
    """
    loaded, reader = wiki.load(), wiki.reader()
    visible = [
        id
        for id, record in loaded.records.items()
        if everything or lifecycle.retrievable(record, wiki.now, reader, wiki.numbers)
    ]
    built = graph.within(graph.build(loaded), visible)
    graph.tie_sessions(built)
    if not name:
        return _placed(wiki, graph.document(built))
    id = reports.find(wiki, name).id
    if id not in built:
        raise WikiError(f"{id} may not speak now, as `llmwiki why {id}` tells; --all shows it all the same")
    steps = graph.neighbours(built, id, depth)
    document = graph.document(built.subgraph(steps))
    document["nodes"] = [{**node, "distance": steps[node["id"]]} for node in document["nodes"]]
    return _placed(wiki, document)


def _placed(wiki: Workspace, document: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The document with the paths of raw pages; one that is not on this machine has none."""
    for node in document["nodes"]:
        if node["type"] == "raw":
            node["path"] = wiki.raw_stems.get(node["title"], "")
    return document
