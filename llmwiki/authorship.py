"""Which pages a person wrote or changed. Told by the journal: what stands on the disk, and no write of ours put there.

Unlike the hashes that learning keeps of its own pages, this sees through states that age wrote and through undo.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from llmwiki.model import Record

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace


class Authors:
    """Tells which pages of a wiki a person wrote or changed. The journal is read when the first page is asked about."""

    def __init__(self, wiki: Workspace) -> None:
        self._wiki = wiki

    @cached_property
    def _writes(self) -> dict[str, list[tuple[str | None, str | None]]]:
        found: dict[str, list[tuple[str | None, str | None]]] = {}
        for path, before, after in self._wiki.store.writes():
            found.setdefault(path, []).append((before, after))
        return found

    @cached_property
    def _learned(self) -> Mapping[str, str]:
        written: Mapping[str, str] = self._wiki.state("learned").get("written", {})
        return written

    def person(self, record: Record) -> bool:
        """Whether a person wrote or changed this record's page; nobody knows is taken for a yes."""
        path = record.path
        return record.handwritten or _changed(self._wiki, path, self._writes.get(path, []), self._learned.get(path))


def by_people(wiki: Workspace, records: Collection[Record]) -> set[str]:
    """The ids of those of `records` that a person wrote or changed."""
    authors = Authors(wiki)
    return {r.id for r in records if authors.person(r)}


def _changed(wiki: Workspace, path: str, writes: list[tuple[str | None, str | None]], learned: str | None) -> bool:
    """Whether the chain of writes that leads to what stands there is broken, or begins with nobody knows what.

    Where the journal no longer reaches back to the beginning, the hash that learning kept must be one of the chain.
    """
    now: str | None = digest(wiki.read(path) or "")
    chain = [now]
    for before, after in reversed(writes):
        if after != now:
            return True
        now = before
        chain.append(now)
    return now is not None and (learned is None or learned not in {d[: len(learned)] for d in chain if d})


def digest(text: str) -> str:
    """A page's SHA-256, as the journal writes it."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
