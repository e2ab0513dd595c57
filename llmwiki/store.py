"""The one place where a wiki's files are read and written: load, apply, lock, journal, state."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from llmwiki import disk, lock, purge, shapes
from llmwiki.errors import WikiError
from llmwiki.indexes.scan import sayable
from llmwiki.journal import Entry, Head, Journal, Write, is_log
from llmwiki.model import Change, Diagnostic, Record, Wiki
from llmwiki.operation import Operation, text_write
from llmwiki.undo import Past, Reversal, append, history, stacks

LOG = "wiki/log.md"
NAVIGATION = ("index.md", "_context.md")
Line = Callable[[str | None, str], str]
Undone = dict[str, Any]


class Store:
    """The files of one wiki. Reading needs no lock and never waits; writing is one operation at a time."""

    def __init__(self, root: str | Path, wait: float = lock.WAIT) -> None:
        self.root = Path(os.path.realpath(root))
        self.wait = wait
        self.journal = Journal(str(self.root), f"{self.root}/{disk.STATE}/journal")
        self.notices: list[str] = []
        self._held = False

    # Reading

    def read(self, path: str, errors: str = "strict") -> str | None:
        """The exact text of a file (line ends and a byte order mark stay), None when there is none.

        WikiError for a path outside, a folder, and what is not UTF-8 (unless `errors` says what to do then).
        """
        try:
            content = disk.contents(disk.Gate(str(self.root)).spot(path).full)
            return None if content is None else content.decode("utf-8", errors)
        except OSError as cause:
            raise WikiError(f"{path} cannot be read ({cause.strerror}); check its permissions") from cause
        except UnicodeDecodeError as cause:
            raise WikiError(f"{path} is not UTF-8 (byte {cause.start}); save it as UTF-8") from cause

    def page(self, path: str, scope: str = "user") -> Record | None:
        """The record on one page, None when there is none. A page that does not parse raises `markdown.BadPage`.

        `scope` is what a page has that names none.
        """
        from llmwiki import markdown

        text = self.read(path)
        return None if text is None else markdown.read(text, path, scope)

    def pages(self) -> Iterator[tuple[str, int, int]]:
        """(path, mtime in ns, size) of every record page, archive included, in no order."""
        for path, entry in self._candidates():
            if self._trouble(entry) is None:
                found = entry.stat()
                yield path, found.st_mtime_ns, found.st_size

    def raw_pages(self) -> Iterator[str]:
        """The path of every raw page, sorted."""
        yield from sorted(self._relative(e) for e in disk.scan(str(self.root), "raw") if self._trouble(e) is None)

    def page_paths(self, paths: Iterable[str]) -> list[str]:
        """Those of these paths where a record may lie: no navigation, no log, nothing hidden; sorted."""
        parts = ((path, path.split("/")) for path in paths if path.endswith(".md"))
        found = [path for path, names in parts if names[0] == "wiki" and not any(n.startswith(".") for n in names)]
        return sorted(p for p in found if p.rsplit("/", 1)[-1] not in NAVIGATION and not is_log(p))

    def logs(self) -> list[str]:
        """The path of the log and of each year that it has rolled over to."""
        found = (e for e in disk.scan(str(self.root), "wiki") if is_log(self._relative(e)) and not self._trouble(e))
        return sorted(map(self._relative, found))

    def load(self, scope: str = "user") -> Wiki:
        """Every record, and a Diagnostic for each page that could not be read.

        Of two pages with one id the live one wins over the archived, then the first by path.
        """
        records: dict[str, Record] = {}
        diagnostics: list[Diagnostic] = []
        for path, entry in sorted(self._candidates(), key=lambda c: (c[0].startswith("wiki/archive/"), c[0])):
            found = self._trouble(entry) or self._record(path, scope)
            if isinstance(found, Record) and found.id in records:
                said = f"{taken(found.id)}{records[found.id].path}; give one of them another id"
                found = Diagnostic("id", "id", path, said, "error")
            if isinstance(found, Record):
                records[found.id] = found
            else:
                diagnostics.append(found)
        return Wiki(records, tuple(sorted(diagnostics, key=lambda d: d.path)))

    def _candidates(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        for entry in disk.scan(str(self.root), "wiki"):
            path = self._relative(entry)
            if entry.name not in NAVIGATION and not is_log(path):
                yield path, entry

    def _relative(self, entry: os.DirEntry[str]) -> str:
        return entry.path[len(str(self.root)) :].lstrip("/")

    def _trouble(self, entry: os.DirEntry[str]) -> Diagnostic | None:
        """What keeps an entry from being a page, None when nothing does."""
        path = self._relative(entry)
        try:
            if not sayable(path):
                return _bad(path, "has a name that is not UTF-8; rename it")
            if entry.is_symlink() and not os.path.realpath(entry.path).startswith(f"{self.root}/"):
                return _bad(path, "is a link that leads out of the wiki; replace it by the page itself")
            if entry.is_file():
                return None
            return _bad(path, "is a folder where a page should be" if entry.is_dir() else "is no regular file")
        except OSError as cause:
            return _bad(path, f"cannot be read: {cause.strerror}")

    def _record(self, path: str, scope: str) -> Record | Diagnostic:
        from llmwiki import markdown

        try:
            record = self.page(path, scope)
        except markdown.BadPage as bad:
            return _bad(path, bad.message, bad.line)
        except WikiError as cause:
            return _bad(path, str(cause).removeprefix(f"{path} "))
        return record or _bad(path, "went away while it was read")

    # State

    def state_get(self, name: str) -> dict[str, Any]:
        """What `.llmwiki/state/<name>.json` holds, {} when there is none. A broken file, or one that holds what it
        cannot, is put aside as `.corrupt`, and `notices` says so."""
        path = f"{self.root}/{_state_path(name)}"
        try:
            found = json.loads(disk.contents(path) or b"{}")
        except OSError as cause:
            raise WikiError(f"{path} cannot be read ({cause.strerror}); check its permissions") from cause
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and shapes.sound(name, found):
            return found
        said = f"{_state_path(name)} is broken and not read"
        with suppress(OSError):  # a reader on a read-only disk: the next writer puts it aside
            os.replace(path, f"{path}.corrupt")
            said = f"{_state_path(name)} was broken; it is put aside as {name}.json.corrupt, and begun anew"
        if said not in self.notices:
            self.notices.append(said)
        return {}

    def state_change(self, name: str, value: dict[str, Any]) -> Change:
        """The Change that makes `state_get(name)` give `value`: it goes into the batch that it describes."""
        text = json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n" if value else None
        return Change(_state_path(name), text, f"state: {name}")

    # Writing

    @contextmanager
    def lock(self, command: str) -> Iterator[list[str]]:
        """Makes this the one writer, and gives a line for stderr about each batch that had to be ended first.

        WikiError when another writer holds the wiki for longer than `wait` seconds, or nothing can be written here.
        A lock inside a lock of the same store is the same lock.
        """
        if self._held:
            yield []
            return
        with ExitStack() as stack:
            try:
                stack.enter_context(lock.writer(self._state_folder(), command, self.wait))
            except OSError as cause:
                raise disk.refused(str(self.root), cause) from cause
            self._held = True
            stack.callback(setattr, self, "_held", False)
            yield self.recover()

    @contextmanager
    def operation(self, name: str, why: str = "") -> Iterator[Operation]:
        """An Operation whose batches belong together in the journal. Takes the lock when it is not held."""
        with self._operation(Head(name, why, _now())) as operation:
            yield operation

    @contextmanager
    def _operation(self, head: Head) -> Iterator[Operation]:
        with self.lock(head.name):
            self.recover()  # an operation before this one, under the same lock, may have failed half way
            operation = Operation(self.journal, head)
            yield operation
            if operation.began:
                self.journal.prune()

    def recover(self) -> list[str]:
        """Finishes or takes back what a writer left behind, a line about each. `lock` calls it."""
        try:
            lines = self.journal.recover()
            self.state_get(purge.STATE)  # one that is broken is put aside here: nobody can say what it named
            return [*lines, "finished a forget: what it named is nowhere in the journal"] if self.purge() else lines
        except OSError as cause:
            raise disk.refused(str(self.root), cause) from cause

    def purge(self) -> bool:
        """Ends the forget whose Changes were applied: takes what it names out of the journal and all that is derived.
        False when there is none. The caller holds the lock."""
        return purge.finish(self.journal)

    def _state_folder(self) -> Path:
        folder = Path(self.journal.folder)
        try:
            if os.path.realpath(folder) != str(folder):
                raise WikiError(f"{self.root}/.llmwiki leads elsewhere through a link; remove the link")
            new = disk.missing(str(folder), str(self.root))
            for touched in sorted(disk.make_folders(new, 0o700)):
                disk.sync_folder(touched)
        except OSError as cause:
            raise disk.refused(str(self.root), cause) from cause
        return folder.parent

    # Taking back

    def history(self) -> list[Past]:
        """Every operation that the journal still has, oldest first."""
        return history(self.journal.entries())

    def writes(self) -> Iterator[tuple[str, str | None, str | None]]:
        """Path, SHA-256 before and SHA-256 after (None: no file) of each file that was written, oldest first."""
        for entry in self.journal.entries():
            for batch in entry.batches:
                yield from ((step.path, step.before, step.after) for step in batch.steps)

    def undo(self, n: int = 1, line: Line | None = None) -> Undone:
        """Takes back the last `n` operations that are not undone: `{reverted: [{op, seq, paths}], kept: [path]}`.

        Every file is byte for byte as it was; one that somebody has changed since is kept and named. The log gets a
        line (`line(its text, the sentence)` gives the new text) and loses none. Nothing to undo: both lists empty.
        """
        with self.lock("undo"):
            taken = stacks(self.journal.entries())[0][::-1][: max(0, n)]
            names = ", ".join(entry.head.name for entry in taken)
            head = Head("undo", f"took back {names}", _now(), undoes=tuple(entry.seq for entry in taken))
            return self._reverse(taken, head, line)

    def would_reverse(self, n: int = 1, redo: bool = False) -> Undone:
        """What `undo(n)` or `redo()` would do, in the same form; nothing is touched, nobody is waited for."""
        done, undos = stacks(self.journal.entries())
        return self._reversed(undos[-1:] if redo else done[::-1][: max(0, n)])[1]

    def redo(self, line: Line | None = None) -> Undone:
        """Takes the last undo back, in the same form as `undo`. An operation since then leaves nothing to redo."""
        with self.lock("redo"):
            taken = stacks(self.journal.entries())[1][-1:]
            if not taken:
                return {"reverted": [], "kept": []}
            head = Head("redo", f"did again what an undo {taken[0].head.why}", _now(), redoes=taken[0].seq)
            return self._reverse(taken, head, line)

    def _reverse(self, taken: list[Entry], head: Head, line: Line | None) -> Undone:
        if not taken:
            return {"reverted": [], "kept": []}
        reversal, done = self._reversed(taken)
        with self._operation(head) as operation:
            said = self._log_line(head, done["reverted"], done["kept"], line or append)
            operation.carry_out([*reversal.writes(), *said])
        return done

    def _reversed(self, taken: list[Entry]) -> tuple[Reversal, Undone]:
        reversal = Reversal(str(self.root))
        reverted = [{"op": e.head.name, "seq": e.seq, "paths": reversal.take_back(e)} for e in taken]
        found: Undone = {"reverted": reverted, "kept": sorted(reversal.kept)}
        return reversal, found | ({"forgotten": reversal.forgotten} if reversal.forgotten else {})

    def _log_line(self, head: Head, reverted: list[dict[str, Any]], kept: list[str], line: Line) -> list[Write]:
        spot = disk.Gate(str(self.root)).spot(LOG)
        old = disk.contents(spot.full)
        files = len({path for entry in reverted for path in entry["paths"]})
        told = f"{head.at} {head.name}: {head.why} ({files} files{f', {len(kept)} kept' if kept else ''})"
        try:
            text = line(None if old is None else old.decode("utf-8"), told)
        except UnicodeDecodeError:
            return []  # not ours to mend, and no reason to refuse
        return [text_write(spot, Change(LOG, text), old)]


def _state_path(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise ValueError(f"{name!r} is no name for a state file")
    return f"{disk.STATE}/{name}.json"


def taken(id: str) -> str:
    """How `load` begins to say that a page has the id of another one."""
    return f"has the id {id!r} of "


def _bad(path: str, message: str, line: int = 0) -> Diagnostic:
    return Diagnostic("page", "page", path, message, "error", line)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
