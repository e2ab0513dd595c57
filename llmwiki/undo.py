"""Taking back: what can be undone and redone, and which files go back to what they were."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from llmwiki import disk
from llmwiki.errors import WikiError
from llmwiki.journal import FORGOTTEN, Entry, Step, Write, is_log

FORGET = "forget"  # the one operation that nothing takes back
LEADING = ("index.md", "_context.md")  # each folder has its own: one that goes and one that comes are no move


@dataclass(frozen=True, slots=True)
class Past:
    """One operation of the journal. `at` is the real time; `undone` says that an undo has taken it back."""

    seq: int
    name: str
    at: str
    why: str
    paths: tuple[str, ...]
    undone: bool


def stacks(entries: Iterable[Entry]) -> tuple[list[Entry], list[Entry]]:
    """What can be undone and what can be redone, the next one last: the fold of the journal, as editors do it.

    What is forgotten is neither undone, nor done again by the redo of something before it.
    """
    done: list[Entry] = []
    undos: list[Entry] = []
    seen: dict[int, Entry] = {}
    for entry in entries:
        seen[entry.seq] = entry
        if entry.head.undoes:
            done = [e for e in done if e.seq not in entry.head.undoes]
            undos.append(entry)
        elif entry.head.redoes:
            again = seen[entry.head.redoes].head.undoes if entry.head.redoes in seen else ()
            done = sorted([*done, *(seen[seq] for seq in again if seq in seen)], key=lambda e: e.seq)
            undos = [e for e in undos if e.seq != entry.head.redoes]
        else:
            done += [entry] if entry.head.name != FORGET else []
            undos = []
    return done, undos


def history(entries: list[Entry]) -> list[Past]:
    """Every operation that the journal still has, oldest first; what an undo took back and no redo gave is undone."""
    standing = {e.seq for e in stacks(entries)[0]}
    return [
        Past(e.seq, e.head.name, e.head.at, e.head.why, tuple(e.paths), not _own(e) and e.seq not in standing)
        for e in entries
    ]


def _own(entry: Entry) -> bool:
    return bool(entry.head.undoes or entry.head.redoes) or entry.head.name == FORGET


class Reversal:
    """Walks back through operations, newest first, and knows for each file what it would hold by then.

    `kept` are files that somebody has changed since, `forgotten` counts those whose former text was forgotten.
    """

    def __init__(self, root: str) -> None:
        self.kept: set[str] = set()
        self.forgotten = 0
        self._gate = disk.Gate(root)
        self._now: dict[str, str | None] = {}
        self._copies: dict[str, tuple[str, int | None]] = {}

    def take_back(self, entry: Entry) -> list[str]:
        """The paths of one operation that go back to what they were; the others are added to `kept`."""
        back: set[str] = set()
        kept: set[str] = set()
        for batch in reversed(entry.batches):
            steps = [(step, batch.before(index)) for index, step in enumerate(batch.steps) if not is_log(step.path)]
            lost = [step for step, _ in steps if not step.path or step.before == FORGOTTEN]
            self.forgotten += sum(not step.path.startswith(disk.STATE) for step in lost)
            whole = [(step, copy) for step, copy in steps if step not in lost]
            stay = {step.path for step, copy in whole if not self._as_left(step, copy)}
            stay |= _other_halves(batch.steps, stay)
            for step, copy in whole:
                if step.path not in stay:
                    self._now[step.path] = step.before
                    self._copies[step.path] = (copy, step.mode)
            back |= {step.path for step, _ in whole} - stay
            kept |= stay
        self.kept |= kept
        return sorted(back - kept)

    def _as_left(self, step: Step, copy: str) -> bool:
        """Whether a file still is what the step made of it, and its copy what it was before."""
        if step.path not in self._now:
            self._now[step.path] = self._digest(step.path)
        return self._now[step.path] == step.after and (not step.before or disk.digest_of(copy) == step.before)

    def _digest(self, path: str) -> str | None:
        try:
            return disk.digest_of(self._gate.spot(path).full)
        except WikiError:
            return disk.UNREADABLE

    def writes(self) -> list[Write]:
        """What has to be written so that the disk holds what the walk ended with."""
        found = []
        for path, (copy, mode) in sorted(self._copies.items()):
            before, after = self._digest(path), self._now[path]
            if before != after:
                content = None if after is None else partial(_whole, copy)
                found.append(Write(self._gate.spot(path), before, after, content, mode))
        return found


def _other_halves(steps: Iterable[Step], kept: set[str]) -> set[str]:
    """The other halves of moves of which one is kept.

    A page that was moved keeps its name. Were its new place emptied while its old one is somebody else's by now, the
    page would be nowhere; were it put back while the new place keeps it, it would be there twice.
    """
    halves: dict[str, list[Step]] = {}
    for step in steps:
        folder, _, name = step.path.rpartition("/")
        if folder and name not in LEADING and (step.before is None or step.after is None):
            halves.setdefault(name, []).append(step)
    moves = [half for half in halves.values() if len({step.before is None for step in half}) > 1]
    return {step.path for half in moves if any(step.path in kept for step in half) for step in half} - kept


def _whole(copy: str) -> bytes:
    return disk.contents(copy) or b""


def append(text: str | None, told: str) -> str:
    """The log with one line more, in the line ends that it has."""
    end = "\r\n" if text and "\r\n" in text else "\n"
    gap = end if text and not text.endswith("\n") else ""
    return f"{text or ''}{gap}- {told}{end}"
