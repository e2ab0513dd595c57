"""Where pages lie."""

from __future__ import annotations

from collections.abc import Iterator

from llmwiki.model import Record, State, Wiki
from llmwiki.rules.base import Findings, Found, Seen, folded
from llmwiki.schema import TYPES


def folders(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A page does not lie in the folder of its type (`wiki/<folder>/`, and `wiki/archive/<folder>/` when it is
    archived).

    `--fix` moves it; its name stays, and so do links. A page whose type or id comes from where it lies is not moved:
    that would make another record of it. A page of a person's own that is outside of all folders is read as a fact,
    and that is only told.
    """
    taken = {folded(path) for path in seen.pages}
    for path in sorted(wiki.records, key=lambda i: wiki.records[i].path):
        record = wiki.records[path]
        right = _right(record)
        if record.path == right:
            yield ()
            continue
        keys = seen.page(record.path).keys
        safe = {"id", "type"} <= keys.keys() and folded(right) not in taken
        taken.add(folded(right))
        severity = "info" if record.handwritten and not safe else ""
        said = f"is a {record.type}" + (", archived," if record.state is State.ARCHIVED else "")
        yield (Found(record.path, f"{said} and belongs at {right}", 1, severity, move=right if safe else ""),)


def _right(record: Record) -> str:
    above = "wiki/archive" if record.state is State.ARCHIVED else "wiki"
    return f"{above}/{TYPES[record.type].folder}/{record.path.rsplit('/', 1)[-1]}"
