"""How the door writes: an operation, a dry run of one, and Changes collected into batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from llmwiki import diff
from llmwiki.model import Change, Wiki
from llmwiki.store import NAVIGATION

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace


class Writing(Protocol):
    """What applies Changes: an operation of the store, or a dry run of one."""

    def apply(self, changes: Iterable[Change]) -> list[Change]: ...


class Dry:
    """An operation that touches nothing: what it would write is laid over the disk for the steps that follow."""

    def __init__(self, wiki: Workspace) -> None:
        self._wiki = wiki

    def apply(self, changes: Iterable[Change]) -> list[Change]:
        made = diff.changes(changes, self._wiki.read)
        self._wiki.overlay.update({c.path: c.text for c in made})
        return made


def laid_over(wiki: Wiki, laid: dict[str, str | None]) -> Wiki:
    """The wiki as it is once these texts lie on the disk."""
    from llmwiki import markdown

    pages = {p: text for p, text in laid.items() if p.count("/") > 1 and p.rpartition("/")[2] not in NAVIGATION}
    old = {r.id: r for r in wiki.records.values() if r.path not in laid}
    new = (markdown.read(text, path) for path, text in pages.items() if text)
    return Wiki(old | {r.id: r for r in new}, wiki.diagnostics)


class Buffer:
    """Collects Changes and writes them in batches, so that a long run is neither one write nor a thousand.

    What is held is laid over the disk meanwhile. `also()` gives Changes that describe a batch (what was done so far)
    and go into it; it is asked once a batch.
    """

    CHARACTERS = 6_000_000
    PAGES = 400

    def __init__(self, wiki: Workspace, operation: Writing, also: Callable[[], Iterable[Change]] = tuple) -> None:
        self._wiki, self._operation, self._also = wiki, operation, also
        self._held: dict[str, Change] = {}
        self._size = 0

    def apply(self, changes: Iterable[Change]) -> list[Change]:
        made = diff.changes(changes, self._wiki.read)
        for change in made:
            self._held[change.path] = change
            self._wiki.overlay[change.path] = change.text
            self._size += len(change.text or "")
        return made

    @property
    def holding(self) -> bool:
        """Whether there is something to write."""
        return bool(self._held)

    def settle(self) -> None:
        """Writes what is held when it is much. Called where nothing big is held besides."""
        if self._size >= self.CHARACTERS or len(self._held) >= self.PAGES:
            self.flush()

    def flush(self) -> None:
        """Writes what is held, in one batch."""
        held, self._held, self._size = self._held, {}, 0
        for path in held:
            self._wiki.overlay.pop(path, None)
        self._operation.apply([*held.values(), *self._also()])
