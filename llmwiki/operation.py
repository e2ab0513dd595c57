"""One named thing that is done to a wiki: Changes become writes, and writes a batch of the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from llmwiki import diff, disk
from llmwiki.errors import WikiError
from llmwiki.journal import Head, Journal, Write
from llmwiki.model import Change


class Operation:
    """Several batches, each whole or not at all. It enters the journal with its first change, not without one."""

    def __init__(self, journal: Journal, head: Head) -> None:
        self._journal = journal
        self._head = head
        self._folder = ""
        self._batches = 0

    @property
    def began(self) -> bool:
        return bool(self._folder)

    def apply(self, changes: Iterable[Change]) -> list[Change]:
        """Writes what differs from the disk, all of it or nothing; the changes really made, sorted by path.

        Of two changes to one file the last counts. WikiError for a path that may not be written, a text that is no
        Unicode, a disk that refuses.
        """
        gate = disk.Gate(self._journal.root)
        spots: dict[str, disk.Spot] = {}
        wanted: dict[str, Change] = {}
        for change in changes:
            spot = gate.spot(change.path)
            spots[spot.path] = spot
            wanted[spot.path] = Change(spot.path, change.text, change.why)
        present = {path: _present(spot) for path, spot in spots.items()}
        made = diff.changes(wanted.values(), _texts(present))
        writes = [text_write(spots[change.path], change, present[change.path]) for change in made]
        _refuse_clashes(gate, [write.spot for write in writes if write.content])
        if writes:
            self.carry_out(writes)
        return made

    def carry_out(self, writes: list[Write]) -> None:
        """One batch, an empty one too: an undo that found every file changed is still an undo."""
        try:
            if not self._folder:
                self._folder = self._journal.begin(self._head)
            number, self._batches = self._batches, self._batches + 1
            self._journal.perform(self._folder, number, self._head, writes)
        except OSError as cause:
            raise disk.refused(self._journal.root, cause) from cause


def text_write(spot: disk.Spot, change: Change, present: bytes | None) -> Write:
    """A Change in bytes. WikiError when its text cannot be written as UTF-8."""
    before = None if present is None else disk.digest(present)
    if change.text is None:
        return Write(spot, before, None, None, spot.mode)
    try:
        after = disk.digest(change.text.encode("utf-8"))
    except UnicodeEncodeError as cause:
        said = f"the text for {change.path} holds half a character (a lone surrogate at {cause.start})"
        raise WikiError(f"{said}; clean it before it is written") from cause
    return Write(spot, before, after, partial(change.text.encode, "utf-8"), spot.mode)


def _present(spot: disk.Spot) -> bytes | None:
    if spot.mode is None:
        return None
    try:
        return disk.contents(spot.full)
    except OSError as cause:
        raise WikiError(f"{spot.path} cannot be read ({cause.strerror}); check its permissions") from cause


def _texts(present: Mapping[str, bytes | None]) -> Callable[[str], str | None]:
    """Bytes that are no UTF-8 become a text that no Change can hold, and so differ from every one."""

    def text(path: str) -> str | None:
        content = present[path]
        return None if content is None else content.decode("utf-8", "surrogateescape")

    return text


def _refuse_clashes(gate: disk.Gate, spots: Iterable[disk.Spot]) -> None:
    """WikiError when a new file is one with another on some disk, or stands where another needs a folder."""
    new = [spot for spot in spots if spot.mode is None]
    seen: dict[str, str] = {}
    for spot in new:
        other = gate.clashes(spot) or seen.setdefault(disk.folded(spot.path), spot.path)
        if other != spot.path:
            raise WikiError(f"{spot.path!r} differs from {other!r} only in case or Unicode form; rename one of them")
    for spot in new:
        above = spot.path
        while above := above.rpartition("/")[0]:
            if disk.folded(above) in seen:
                raise WikiError(f"{above!r} shall be a file and a folder at once; rename one of them")
