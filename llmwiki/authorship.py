"""Which pages a person wrote or changed. Told by the journal: what stands on the disk, and no write of ours put there.

Unlike the hashes that learning keeps of its own pages, this sees through states that age wrote and through undo.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import TYPE_CHECKING

from llmwiki.model import Record

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace


def by_people(wiki: Workspace, records: Collection[Record]) -> set[str]:
    """The ids of those of `records` that a person wrote or changed; nobody knows is taken for a yes."""
    wanted = {r.path for r in records if not r.handwritten}
    writes: dict[str, list[tuple[str | None, str | None]]] = {path: [] for path in wanted}
    for path, before, after in wiki.store.writes() if wanted else ():
        if path in writes:
            writes[path].append((before, after))
    learned = wiki.state("learned").get("written", {})
    return {r.id for r in records if r.handwritten or _changed(wiki, r.path, writes[r.path], learned.get(r.path))}


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
