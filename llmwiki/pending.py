"""What waits to be learned from, and what a run of learning counts. Loaded by every sync, so it imports little.

`state/pending.json` names the sessions whose page is newer than what was learned from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from llmwiki import lifecycle, rawpage, shapes
from llmwiki.lifecycle import stamp
from llmwiki.model import Change, Record, Wiki

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace


@dataclass(slots=True)
class Learned:
    """What a run learned: the counts of CLI.md, the pages that were touched, and the wiki as it then is."""

    sessions: int = 0
    created: int = 0
    reinforced: int = 0
    quarantined: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    superseded: dict[str, dict[str, str]] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    wiki: Wiki | None = None

    @property
    def changed(self) -> bool:
        return bool(self.paths)

    def add(self, counts: Mapping[str, Any], changes: Iterable[Change]) -> None:
        self.created += counts.get("created", 0)
        self.reinforced += counts.get("reinforced", 0)
        self.quarantined += counts.get("quarantined", 0)
        self.refused.update(counts.get("refused", {}))
        self.paths += [c.path for c in changes if c.path.startswith("wiki/")]

    def supersede(self, records: Iterable[Record], now: Mapping[str, Record] = {}) -> None:
        """Takes in what is superseded now. What was, and speaks again in the wiki as it is `now`, is none of it."""
        for record in records:
            self.superseded[record.id] = given_way(record)
        for id in [id for id in self.superseded if id in now and not now[id].superseded_by]:
            del self.superseded[id]

    def document(self) -> dict[str, Any]:
        counts = {"created": self.created, "reinforced": self.reinforced, "quarantined": self.quarantined}
        found = [self.superseded[id] for id in sorted(self.superseded)]
        return counts | {"refused": dict(sorted(self.refused.items())), "superseded": found}

    def sentence(self, new: int, updated: int) -> str:
        """What happened, in words for the log and for git; "" when nothing did."""
        parts = [(new, "new session"), (updated, "grown session"), (self.created, "new record")]
        parts += [(self.reinforced, "strengthened record"), (len(self.superseded), "superseded record")]
        said = [f"{n} {what}{'' if n == 1 else 's'}" for n, what in parts if n]
        return ", ".join(said)


def given_way(record: Record) -> dict[str, str]:
    """What is told of a superseded record: `{id, title, by, path}`."""
    return {"id": record.id, "title": record.title, "by": record.superseded_by, "path": record.path}


def pending(wiki: Workspace) -> dict[str, dict[str, str]]:
    """`agent/native id` -> {raw, ended} of what waits. Without local state, everything that has no trace waits."""
    known = wiki.state("pending")
    if known or wiki.state("learned"):
        present = set(wiki.raw_stems.values())
        return {k: v for k, v in known.items() if shapes.fits(v, shapes.PENDING) and v.get("raw") in present}
    heads = keyed(wiki, wiki.raw_stems.values())
    sessions = ((key, path, head) for key, path, head in heads if head.get("kind") != "file")
    return {key: {"raw": path, "ended": str(head.get("ended", ""))} for key, path, head in sessions}


def keyed(wiki: Workspace, paths: Iterable[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """`agent/native id`, path and frontmatter of these raw pages; one that is none of ours is left out."""
    for path in paths:
        if head := rawpage.head(wiki.raw(path) or ""):
            yield f"{head['agent']}/{head['session']}", path, head


def _until(wiki: Workspace, ended: str) -> str:
    """When a session counts as finished: idle for as long as the settings say."""
    at = lifecycle.moment(ended)
    return stamp(at + timedelta(minutes=wiki.config.idle_minutes)) if at else ""


def waiting(wiki: Workspace) -> list[dict[str, Any]]:
    """`[{session, raw, ended, until, ready}]`, the one that is ready first on top."""
    out = []
    for key, what in pending(wiki).items():
        until = _until(wiki, what.get("ended", ""))
        ready = until <= stamp(wiki.now)
        out.append({"session": key, "raw": what["raw"], "ended": what.get("ended", ""), "until": until, "ready": ready})
    return sorted(out, key=lambda w: (w["until"], w["session"]))


def ready(wiki: Workspace, named: Mapping[str, str] = {}) -> dict[str, str]:
    """Key -> raw page of what can be learned from now, in the order in which the sessions ended.

    `named` sessions are ready when they wait, finished or not.
    """
    return {w["session"]: w["raw"] for w in waiting(wiki) if w["ready"] or w["session"] in named}
