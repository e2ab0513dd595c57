"""What is asked of the wiki from Python: the block, the search, the index. The hook has a shorter way of its own."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from llmwiki import embedding, given, lifecycle, rawpage, rawsearch, recall, recall_search, sources
from llmwiki.errors import WikiError
from llmwiki.indexes import refresh as indexing
from llmwiki.indexes import scan
from llmwiki.indexes.catalogue import CACHE, Catalogue, sealed, signs
from llmwiki.model import Block, Hit
from llmwiki.schema import SCOPES

LIMIT = 10
NO_SESSION = "no session is of the project that was named"

if TYPE_CHECKING:
    from llmwiki.workspace import Progress, Workspace


def refresh(wiki: Workspace, rebuild: bool = False) -> bool:
    """What a command ends with that changed pages: brings the index up to them, and says so where it cannot. Its work
    is done all the same, and readers read the pages. The caller holds the lock."""
    try:
        _refreshed(wiki, rebuild)
    except (WikiError, OSError) as cause:
        wiki.notice(f"the index could not be brought up to date: {cause}")
        return False
    return True


def indexed(wiki: Workspace) -> bool | None:
    """Whether this program wrote the index that is there, None where there is none. A copy, or one that another
    program touched, answers and is trusted less; by its pages alone it would stay so."""
    folder = str(wiki.root / CACHE)
    said = signs(folder)
    return sealed(folder) == said if said else None


def _refreshed(
    wiki: Workspace, rebuild: bool = False, progress: Progress | None = None, whole: bool = False
) -> dict[str, Any]:
    """Brings the derived index up to the pages, and the vectors up to the index: `whole`, or as many as take no long.
    The caller holds the lock."""
    tell = (lambda done, total: progress("indexing", done, total)) if progress else None
    about = {"no_adapter": " ".join(sources.without_adapter())}
    done = indexing.refresh(wiki.root, wiki.config.backend, rebuild, wiki.numbers, about, tell, check=whole)
    made = embedding.refresh(wiki, progress, whole)
    return {key: done[key] for key in ("pages", "added", "updated", "removed", "seconds")} | made


def index(wiki: Workspace, rebuild: bool, progress: Progress | None) -> dict[str, Any]:
    """`{pages, added, updated, removed, seconds}`, and `embedded`, `unembedded` passages where there are vectors."""
    with wiki.store.lock("index"):
        return _refreshed(wiki, rebuild, progress, whole=True)


def planned(wiki: Workspace, rebuild: bool) -> dict[str, Any]:
    """What `index` would do, by the names, sizes and times of the pages; nothing is written."""
    if wrong := indexing.misplaced(wiki.root):
        raise WikiError(wrong)
    started = time.monotonic()
    now, before = scan.packed(str(wiki.root)), scan.NOTHING
    changed, gone = scan.changed(before, now)
    if not rebuild:
        with suppress(Exception), closing(Catalogue(str(wiki.root / CACHE), write=False)) as catalogue:
            changed, gone = scan.changed(kept := catalogue.disk(), now)
            before = kept
    added = len(changed.keys() - scan.unpacked(before).keys())
    return {
        "pages": scan.count(now),
        "added": added,
        "updated": len(changed) - added,
        "removed": len(gone),
        "seconds": round(time.monotonic() - started, 3),
    }


def context(wiki: Workspace, task: str, **flags: Any) -> Block:
    """The block for a task. Flags are those of `llmwiki context`: budget, limit, project, scope, files (one or many),
    tool, error, explain; `folder` is where the work is done, when that tells the project. `plan` also tells the domains
    by tag. WikiError and TypeError for what cannot be asked (`given`).
    """
    asked = recall.Asked(given.text("task", task), now=int(wiki.now.timestamp()), **given.context(flags))
    found = recall.block(str(wiki.root), asked)
    return Block(
        text=found["text"],
        tokens=found["tokens"],
        budget=found["budget"],
        mode=found["mode"],
        abstained=found["abstained"],
        records=tuple(found["records"]),
        limits=found["limits"] | {"plan": found["plan"]},
        rejected=tuple(found.get("rejected", ())),
    )


def search(
    wiki: Workspace,
    query: str,
    limit: int | None = 10,
    type: str = "",
    state: str = "",
    all: bool = False,
    scope: str = "",
    project: str = "",
) -> list[Hit]:
    """The records that answer a question best; those that may speak, unless `all` or a `state` is asked for. Of a
    `project`: its records and those that hold everywhere; `notices` say when it has none."""
    query, project = given.text("query", query), given.optional("project", project)
    most = given.number("limit", limit)
    limit = LIMIT if most is None else most
    type, state = given.one_of("type", type, given.TYPES), given.one_of("state", state, given.STATES)
    scope = given.one_of("scope", scope, SCOPES)
    if not query.strip() and (type or state or all or project):
        return _listed(wiki, limit, type, state, all, scope, project)
    now, scopes = int(wiki.now.timestamp()), (scope,) if scope else ()
    notes: list[str] = []
    asked: dict[str, Any] = {"notes": notes, "project": project}
    found = recall_search.search(str(wiki.root), query, limit, type, state, all, scopes, now, **asked)
    for note in notes:
        wiki.notice(note)
    return [Hit(**hit) for hit in found]


def _listed(
    wiki: Workspace, limit: int, kind: str, state: str, everything: bool, scope: str, project: str
) -> list[Hit]:
    """What there is of a type or in a state, the newest first; no question, no score."""
    reader = wiki.reader(scope=scope)
    records = [r for r in wiki.load().records.values() if not project or not r.project or r.project == project]
    speaking = {r.path for r in records if lifecycle.retrievable(r, wiki.now, reader, wiki.numbers)}
    found = [
        r
        for r in records
        if kind in ("", r.type)
        and (r.state == state if state else everything or r.path in speaking)
        and r.scope in reader.scopes
    ]
    if project and not any(r.project == project for r in [*found, *(r for r in records if r.path in speaking)]):
        wiki.notice(recall.UNKNOWN)
    found.sort(key=lambda r: (r.reinforced or r.created, r.id), reverse=True)
    return [Hit(r.id, 0.0, r.path, r.title, str(r.type), str(r.state), r.reason) for r in found[:limit]]


def search_raw(wiki: Workspace, query: str, limit: int | None, project: str = "") -> list[dict[str, Any]]:
    """`[{raw, turn, role, at, score, snippet}]`, of the sessions of a `project` or of all; `notices` say when it has
    none."""
    query, project, most = given.text("query", query), given.optional("project", project), given.number("limit", limit)
    pages = list(wiki.store.raw_pages())
    if project:
        pages = [path for path in pages if rawpage.head(wiki.raw(path) or "").get("project") == project]
        if not pages:
            wiki.notice(NO_SESSION)
    found = rawsearch.search(query, pages, wiki.raw, LIMIT if most is None else most)
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
