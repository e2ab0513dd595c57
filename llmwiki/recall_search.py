"""Where `search` meets the disk: the one answer behind the command and Python."""

from __future__ import annotations

from llmwiki import recall, retrieve
from llmwiki.indexes import settings
from llmwiki.indexes.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from llmwiki.indexes.entries import Scored
    from llmwiki.indexes.scan import Scan

SPARE = 10  # hits more where the index is trusted: some of their pages may have fallen silent


def search(
    root: str,
    text: str,
    limit: int,
    kind: str,
    state: str,
    everything: bool,
    scopes: Sequence[str],
    now: int,
    ahead: Scan | None = None,
    notes: list[str] | None = None,
    project: str = "",
) -> list[dict[str, Any]]:
    """The records that answer a question best: the document that `search --json` promises. `notes` gets what the answer
    could not rely on. Of a `project`: its records and those that hold everywhere."""
    snapshot, text = Snapshot(root, ahead), text[: recall.TASK_CHARS]
    snapshot.project = project
    try:
        near, _ = recall.nearness(snapshot, settings.known(root, snapshot.about), [text], True)
        allowed = retrieve.Allowed(now, scopes, kind, state, everything, project=project)

        def ask() -> tuple[list[dict[str, Any]], bool]:
            spare = SPARE if snapshot.trusted else 0
            found = retrieve.search(snapshot, text, allowed, limit + spare if limit > 0 else 0, near)
            found = [s for s in found if _speaks(snapshot, s, allowed, text)][: max(limit, 0)]
            known = any(s.entry.project == project for s in found) or snapshot.lessons(project, now, 1) > 0
            return [_hit(s) for s in found], known

        hits, known = snapshot.answer(ask)
        if notes is not None:
            notes += [*snapshot.notes, *([recall.UNKNOWN] if project and not known else [])]
        return hits
    finally:
        snapshot.close()


def _speaks(snapshot: Snapshot, s: Scored, allowed: retrieve.Allowed, text: str) -> bool:
    """Whether a hit's page still may answer, and has any of the text's words; it answers with what it says now, also
    where the index was trusted."""
    indexed, s.entry = s.entry, snapshot.checked(s.entry)
    if s.entry is not indexed and retrieve.Query([text], snapshot).words.isdisjoint(s.entry.document().split()):
        return False
    return allowed(s.entry)


def _hit(s: Scored) -> dict[str, Any]:
    entry, parts = s.entry, s.entry.parts()
    best = next((parts[i] for _, i in s.best if i < len(parts) and parts[i]), "") or next(
        filter(None, parts), entry.title
    )
    return {
        "id": entry.id,
        "type": entry.type,
        "title": entry.title,
        "path": entry.path,
        "score": round(s.score, 4),
        "state": entry.state,
        "snippet": best,
    }
