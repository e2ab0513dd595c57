"""What is asked of the wiki from Python: the block, the search, the index. The shell's hook has its own, shorter way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llmwiki import rawsearch
from llmwiki.indexes import refresh as indexing

if TYPE_CHECKING:
    from llmwiki.workspace import Progress, Workspace


def refresh(wiki: Workspace, rebuild: bool = False, progress: Progress | None = None) -> dict[str, Any]:
    """Brings the derived index up to the pages. The caller holds the lock."""
    tell = (lambda done, total: progress("indexing", done, total)) if progress else None
    done = indexing.refresh(wiki.root, wiki.config.backend, rebuild, wiki.numbers, progress=tell)
    return {key: done[key] for key in ("pages", "added", "updated", "removed", "seconds")}


def index(wiki: Workspace, rebuild: bool, progress: Progress | None) -> dict[str, Any]:
    """`{pages, added, updated, removed, seconds}`."""
    with wiki.store.lock("index"):
        return refresh(wiki, rebuild, progress)


def search_raw(wiki: Workspace, query: str, limit: int) -> list[dict[str, Any]]:
    """`[{raw, turn, role, at, score, snippet}]`."""
    found = rawsearch.search(query, wiki.store.raw_pages(), wiki.read, limit)
    return [
        {
            "raw": f.path,
            "turn": f.turn.anchor,
            "role": f.turn.role,
            "at": f.turn.at,
            "score": f.score,
            "snippet": f.snippet,
        }
        for f in found
    ]
