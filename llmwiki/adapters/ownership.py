"""Which sources may hold copies of each other's records, found with little reading; the adapter tells who owns what.

Only the heads of files are compared. A family is read whole, once, when one of its members is; what stays in memory is
only which records are copies.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.adapters.base import Claims, Head
from llmwiki.model import Source

if TYPE_CHECKING:
    from llmwiki.adapters.base import Adapter


class Ownership:
    """The Known of one adapter's sources. `heads` is path -> Head for all of them; a missing one has no relatives."""

    def __init__(self, adapter: Adapter, sources: Sequence[Source], heads: Mapping[str, Head]) -> None:
        self.adapter = adapter
        self.ids = frozenset(s.key for s in sources)
        self.families = _families(adapter, sources, heads)
        self._split: dict[str, dict[str, Claims]] = {}

    def has(self, native: str) -> bool:
        return native in self.ids

    def family(self, source: Source) -> tuple[Source, ...]:
        """The sources that may share records with this one, itself among them; () when it stands alone."""
        return self.families.get(source.path, ())

    def signature(self, source: Source) -> str:
        """What a page of this source depends on beyond the source: changes when a relative comes, grows or goes.

        "" when it stands alone. Keep it with the source; when it differs, read the source again.
        """
        family = self.family(source)
        if not family:
            return ""
        marks = "\n".join(f"{s.key} {s.path} {s.size} {s.mtime_ns}" for s in family if s.path != source.path)
        return hashlib.sha256(marks.encode("utf-8", "surrogateescape")).hexdigest()[:16]

    def claims(self, source: Source) -> Claims:
        """The records of a source that an earlier session owns."""
        family = self.family(source)
        if not family:
            return Claims()
        first = family[0].path
        if first not in self._split:
            self._split[first] = self.adapter.split(family)
        return self._split[first].get(source.path, Claims())


def heads(adapter: Adapter, sources: Sequence[Source], cached: Mapping[str, Head] | None = None) -> dict[str, Head]:
    """Path -> Head, read where the cache has none or only an incomplete one. What cannot be read has no relatives."""
    out: dict[str, Head] = {}
    for source in sources:
        head = (cached or {}).get(source.path)
        if head is None or not head.complete:
            try:
                head = adapter.head(source)
            except Exception:  # whatever it is, reading the source meets it again, and there it is told
                continue
        out[source.path] = head
    return out


def _families(adapter: Adapter, sources: Sequence[Source], heads: Mapping[str, Head]) -> dict[str, tuple[Source, ...]]:
    """Path -> its family, for every source that has relatives."""
    leader = {s.path: s.path for s in sources}

    def lead(path: str) -> str:
        while leader[path] != path:
            leader[path] = leader[leader[path]]
            path = leader[path]
        return path

    first: dict[str, str] = {}
    for source in sources:
        for key in heads.get(source.path, Head()).keys:
            leader[lead(source.path)] = lead(first.setdefault(key, source.path))
    for source in sources:
        wanted = heads.get(source.path, Head()).wanted
        for other in sources if wanted else ():
            near = Path(other.path).parent == Path(source.path).parent
            if near and other.path != source.path and adapter.holds(other, wanted):
                leader[lead(source.path)] = lead(other.path)
    grouped: dict[str, list[Source]] = {}
    for source in sources:
        grouped.setdefault(lead(source.path), []).append(source)
    return {s.path: tuple(group) for group in grouped.values() if len(group) > 1 for s in group}
