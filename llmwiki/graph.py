"""The link graph of a wiki: what cites, mentions, replaces and descends from what.

Pure: values in, a NetworkX graph out. NetworkX takes longer to import than all of Python, so it is imported when a
graph is built.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

from llmwiki import markdown
from llmwiki.model import Record, Wiki

if TYPE_CHECKING:
    import networkx

KINDS = ("source", "link", "contradicts", "supersedes", "parent", "same-session")
CONTRADICTIONS = "Contradictions"


def resolver(wiki: Wiki) -> Mapping[str, str]:
    """What a link may call a record -> its id: the id itself, the stem of its file, its aliases.

    An id outranks a stem, a stem an alias; two records with one name: the smaller id has it, so that a link leads to
    the same page on every machine.
    """
    names: dict[str, str] = {}
    for of in (lambda r: (r.id,), lambda r: (r.stem,), lambda r: r.aliases):
        for id in sorted(wiki.records):
            for name in of(wiki.records[id]):
                if name:
                    names.setdefault(key(name), id)
    return names


def key(name: str) -> str:
    """The form in which `resolver` knows a link's target."""
    return name.strip().removesuffix(".md").rsplit("/", 1)[-1].casefold()


def resolve(wiki: Wiki, target: str) -> Record | None:
    """The record that a link's target means (`id`, `stem`, `folder/stem`, alias), or None."""
    id = resolver(wiki).get(key(target))
    return wiki.records[id] if id else None


def edges(wiki: Wiki) -> Iterator[tuple[str, str, str]]:
    """(from, to, kind), sorted within each record and without repeats. Records go by id, raw pages by `raw:<stem>`; a
    link that leads nowhere gives no edge.

    `source`: to a raw page that the record rests on; `link`: to a record that its body mentions; `contradicts`: to one
    that it mentions under Contradictions; `supersedes` and `parent`: as the frontmatter says.
    """
    names = resolver(wiki)
    for id in sorted(wiki.records):
        record = wiki.records[id]
        found = {(f"raw:{stem}", "source") for stem in _stems(record)}
        opposites = _targets(names, _opposed(record))
        found |= {(target, "contradicts") for target in opposites if target != id}
        found |= {(target, "link") for target in _targets(names, record.body) - opposites if target != id}
        found |= {(names[key(old)], "supersedes") for old in record.supersedes if key(old) in names}
        found |= {(names[key(parent)], "parent") for parent in record.parents if key(parent) in names}
        yield from ((id, target, kind) for target, kind in sorted(found))


def _targets(names: Mapping[str, str], text: str) -> set[str]:
    """The records that a text links to."""
    return {names[key(target)] for target, _ in markdown.links(text) if key(target) in names}


def _opposed(record: Record) -> str:
    if CONTRADICTIONS not in record.body:
        return ""
    return "\n".join(claim.text for claim in markdown.claims(record.body) if claim.section == CONTRADICTIONS)


def _stems(record: Record) -> set[str]:
    """The raw pages that a record names: in its frontmatter, and turn by turn in its body."""
    links = [markdown.links(source) or ((source, ""),) for source in record.sources]
    named = {target for pairs in links for target, _ in pairs}
    cited = {cite.stem for claim in markdown.claims(record.body) for cite in claim.cites}
    return {_folded_stem(stem) for stem in named | cited if stem}


def _folded_stem(target: str) -> str:
    return target.strip("[] ").partition("#")[0].removesuffix(".md").rsplit("/", 1)[-1]


def build(wiki: Wiki) -> networkx.MultiDiGraph[str]:
    """The graph: a node for each record (with `type`, `title`, `state`, `path`) and each raw page (`type` raw); the key
    of an edge is its kind."""
    import networkx

    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    for id in sorted(wiki.records):
        record = wiki.records[id]
        graph.add_node(id, type=str(record.type), title=record.title, state=str(record.state), path=record.path)
    for source, target, kind in edges(wiki):
        if target not in graph:
            graph.add_node(target, type="raw", title=target.removeprefix("raw:"), state="", path="")
        graph.add_edge(source, target, key=kind, kind=kind)
    return graph


def within(graph: networkx.MultiDiGraph[str], ids: Iterable[str]) -> networkx.MultiDiGraph[str]:
    """The part of a graph that these records and the raw pages that they rest on make, as a graph of its own."""
    kept = {id for id in ids if id in graph}
    raw = {target for id in kept for target in graph.successors(id) if graph.nodes[target]["type"] == "raw"}
    part: networkx.MultiDiGraph[str] = graph.subgraph(kept | raw).copy()
    return part


def tie_sessions(graph: networkx.MultiDiGraph[str]) -> None:
    """Adds `same-session` edges between records that rest on one raw page, each pair once. They are left out of `build`
    because they tie what nobody linked: with them nothing would be an orphan."""
    for raw in [id for id, about in graph.nodes(data=True) if about["type"] == "raw"]:
        for one, other in combinations(sorted(set(graph.predecessors(raw))), 2):
            graph.add_edge(one, other, key="same-session", kind="same-session")


def neighbours(graph: networkx.MultiDiGraph[str], id: str, depth: int = 1) -> dict[str, int]:
    """Node -> how many steps it is away from `id`, in either direction, at most `depth`; the node itself is 0. Empty
    when there is no such node."""
    import networkx

    if id not in graph:
        return {}
    lengths = networkx.single_source_shortest_path_length(graph.to_undirected(as_view=True), id, cutoff=max(0, depth))
    return dict(sorted(lengths.items(), key=lambda pair: (pair[1], pair[0])))


def orphans(graph: networkx.MultiDiGraph[str]) -> list[str]:
    """Records that no record mentions and that mention none, sorted: only their sources tie them to the wiki."""
    tied: set[str] = set()
    for source, target, kind in graph.edges(keys=True):
        if kind != "source":
            tied |= {source, target}
    return sorted(id for id, about in graph.nodes(data=True) if about["type"] != "raw" and id not in tied)


def document(graph: networkx.MultiDiGraph[str]) -> dict[str, list[dict[str, Any]]]:
    """`{nodes: [{id, type, title, state, path}], edges: [{source, target, kind}]}`, sorted."""
    nodes = [{"id": id, **about} for id, about in sorted(graph.nodes(data=True))]
    lines = sorted(graph.edges(keys=True))
    return {"nodes": nodes, "edges": [{"source": s, "target": t, "kind": kind} for s, t, kind in lines]}
