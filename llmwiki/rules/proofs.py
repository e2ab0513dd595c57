"""What `--deep` proves: that index, graph and files agree, record by record."""

from __future__ import annotations

from collections.abc import Iterator

from llmwiki import graph, lifecycle
from llmwiki.model import Record, Wiki
from llmwiki.rules.base import Findings, Found, Indexed, Seen


def index(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """The index and the files do not agree: a record is not in the index under its id with the hash of its page, its
    own words do not find it, the index lets it speak when its dates do not (or the reverse), or the index holds a page
    that is no file.

    Examined are every record and every entry of the index. `--fix` makes the index again. Where there is none, nothing
    is examined.
    """
    if seen.indexed is None:
        return
    by_path = {r.path: r for r in wiki.records.values()}
    for path in sorted({*by_path, *seen.indexed}):
        wrong = _disagrees(wiki, by_path.get(path), path, seen.indexed.get(path), seen)
        yield (Found(path, wrong, refresh="rebuild"),) if wrong else ()


def _disagrees(wiki: Wiki, record: Record | None, path: str, known: Indexed | None, seen: Seen) -> str:
    """How an entry of the index differs from its file; "" when it does not."""
    if known is None:
        return "is not in the index"
    if record is None:
        # A page that cannot be read has an entry without an id, and one with another's id (LW105) an entry with it.
        lost = path not in seen.pages or (known.id and known.id not in wiki.records)
        return "is in the index and is no record" if lost else ""
    if known.id != record.id:
        return f"has the id {known.id!r} in the index, and {record.id!r} on its page"
    if known.digest != seen.digest(path):
        return "has another text than the index"
    if known.speaks != lifecycle.retrievable(record, seen.now, None, seen.numbers):
        return f"{'may' if known.speaks else 'may not'} speak by the index, and the reverse by its page"
    return "is not found by its own words" if known.ranked is False else ""


def graph_agrees(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """The link graph and the records do not agree: a record is no node, a node is no record and no session page, or an
    edge has an end that is not there.

    Examined are every node and every edge. Nothing of this is kept on the disk: a finding is a fault of the program.
    """
    built = graph.build(wiki)
    for id in sorted({*wiki.records, *built.nodes}):
        record = wiki.records.get(id)
        known = record is not None or id.startswith("raw:")
        wrong = "is no node of the graph" if id not in built else "" if known else "is a node and no record"
        yield (Found(record.path if record else id, wrong),) if wrong else ()
    for source, target, kind in graph.edges(wiki):
        lost = next((end for end in (source, target) if end not in built), "")
        missing = "" if built.has_edge(source, target, key=kind) else f"has no edge to {target} ({kind})"
        wrong = f"is tied to {lost}, which is not there" if lost else missing
        yield (Found(wiki.records[source].path, wrong),) if wrong else ()
