"""What a sync is asked for, and what it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from llmwiki.workspace import Progress


@dataclass(frozen=True, slots=True)
class Options:
    """The flags of `sync`."""

    agents: Sequence[str] = ()
    sources: Sequence[str] = ()
    since: str = ""
    project: str = ""
    session: str = ""
    synthesize: bool = True
    jobs: int = 1
    force: bool = False
    commit: bool = False
    dry_run: bool = False
    progress: Progress | None = None


@dataclass(slots=True)
class Report:
    """The counts of a sync. `discovered == new + updated + unchanged + sum(skipped) + len(failed)`, always.

    `others`: how many of the new ones are not of the wiki's own repository.
    """

    discovered: int = 0
    new: int = 0
    others: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    failed: list[dict[str, str]] = field(default_factory=list)
    bad_lines: int = 0
    turns: int = 0
    prompts: int = 0
    bytes: int = 0
    projects: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)

    def document(self) -> dict[str, Any]:
        names = ("discovered", "new", "updated", "unchanged", "failed", "bad_lines", "turns", "prompts", "bytes")
        out = {name: getattr(self, name) for name in names}
        return out | {"skipped": dict(sorted(self.skipped.items())), "projects": dict(sorted(self.projects.items()))}
