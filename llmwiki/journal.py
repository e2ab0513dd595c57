"""What was done, so that it can be finished, taken back, or undone.

One folder an operation, `<seq>-<name>/`, and in it for each batch `plan-<k>.json` (written first), `before-<k>-<i>`
(the bytes that file i of the batch had) and `done-<k>` (written last). A plan without its mark is a batch that was cut
off. Folders are only added at the end and dropped at the start: what is undone is a fold over them, never rewritten.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from llmwiki import disk
from llmwiki.errors import WikiError

KEPT_OPERATIONS = 100
KEPT_BYTES = 256 * 1024 * 1024
FORGOTTEN = "forgotten"  # in place of a SHA-256: nothing has it
TIDY = ("wiki", "raw")  # below these, a folder that a batch has emptied goes away

_FOLDER = re.compile(r"(\d{8})-[a-z0-9-]*")
_PLAN = re.compile(r"plan-(\d{1,6})\.json")
_TOKEN = re.compile(r"[0-9a-f]{8,32}")
_LOG = re.compile(r"wiki/log[^/]*\.md")


def is_log(path: str) -> bool:
    """Whether this is the wiki's diary, which only grows: an undo adds a line to it and takes none away."""
    return bool(_LOG.fullmatch(path))


@dataclass(frozen=True, slots=True)
class Step:
    """One file of a batch: the SHA-256 of what it held and shall hold (None: no file), and the mode it had.

    Of a file that was forgotten since nothing is known, its path is ""; `before` is FORGOTTEN where its text was.
    """

    path: str
    before: str | None
    after: str | None
    mode: int | None


@dataclass(frozen=True, slots=True)
class Write:
    """A file as it shall be, in bytes: `content` gives them when they are written, None removes the file.

    `before` and `after` are SHA-256 as in Step, `mode` what the file gets (None: what a new file gets here).
    """

    spot: disk.Spot
    before: str | None
    after: str | None
    content: Callable[[], bytes] | None
    mode: int | None


@dataclass(frozen=True, slots=True)
class Head:
    """What an operation is. `undoes` are operations that it took back, `redoes` the undo that it took back."""

    name: str
    why: str = ""
    at: str = ""
    undoes: tuple[int, ...] = ()
    redoes: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """Some files that change together. `folder` is the operation's own, `made` the folders that had to be made."""

    folder: str
    number: int
    head: Head
    token: str
    made: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def plan(self) -> str:
        return f"{self.folder}/plan-{self.number}.json"

    @property
    def mark(self) -> str:
        return f"{self.folder}/done-{self.number}"

    def before(self, index: int) -> str:
        return f"{self.folder}/before-{self.number}-{index}"

    def temp(self, spot: disk.Spot, index: int) -> str:
        """A name beside the file that readers ignore, short enough for any disk."""
        return f"{spot.folder}/.{os.path.basename(spot.full)[:40]}{disk.TEMP}{self.token}-{index}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One operation of the journal, as far as it was really done."""

    seq: int
    head: Head
    batches: tuple[Batch, ...] = field(repr=False)

    @property
    def paths(self) -> list[str]:
        return sorted({step.path for batch in self.batches for step in batch.steps if step.path})


class Journal:
    """The journal in one folder, for the wiki at `root`."""

    def __init__(self, root: str, folder: str) -> None:
        self.root = root
        self.folder = folder

    def numbers(self) -> dict[int, str]:
        """Sequence number -> folder of each operation, oldest first."""
        try:
            with os.scandir(self.folder) as entries:
                names = sorted(e.name for e in entries if _FOLDER.fullmatch(e.name) and e.is_dir(follow_symlinks=False))
        except OSError:
            return {}
        return {int(name[:8]): f"{self.folder}/{name}" for name in names}

    def entries(self) -> list[Entry]:
        """Every operation that changed something, oldest first."""
        found = []
        for seq, folder in self.numbers().items():
            batches = tuple(read_batches(folder, cut_off=False))
            if batches:
                found.append(Entry(seq, batches[0].head, batches))
        return found

    def begin(self, head: Head) -> str:
        """Makes the folder of a new operation."""
        seq = max(self.numbers(), default=0) + 1
        name = re.sub(r"[^a-z0-9]+", "-", head.name.lower()).strip("-")[:40]
        folder = f"{self.folder}/{seq:08d}-{name}"
        os.mkdir(folder, 0o700)
        disk.sync_folder(self.folder)
        return folder

    def perform(self, folder: str, number: int, head: Head, writes: Sequence[Write]) -> None:
        """Carries batch `number` of an operation out: plan, copies, new files beside the old, renames, mark.

        Whatever stops it, it is taken back at once; when that is not possible, by the next writer.
        """
        spots = [write.spot for write in writes]
        steps = tuple(Step(write.spot.path, write.before, write.after, write.mode) for write in writes)
        made = _new_folders(self.root, {write.spot.folder for write in writes if write.content})
        batch = Batch(folder, number, head, secrets.token_hex(4), made, steps)
        try:
            disk.write_new([(batch.plan, lambda: plan_text(batch), 0o600)])
            for index, step in enumerate(batch.steps):
                if step.before is not None:
                    disk.keep_copy(spots[index].full, batch.before(index))
            disk.sync_folder(batch.folder)
            touched = disk.make_folders([os.path.join(self.root, path) for path in batch.made])
            disk.write_new(_new_files(batch, writes))
            _swap(batch, spots)
            _close(batch, spots, touched, self.root)
        except BaseException:
            with suppress(OSError, WikiError):
                self.settle(batch, finish=False)
            raise

    def recover(self) -> list[str]:
        """Finishes or takes back what was cut off, a line about each. Only the newest operation can be unfinished."""
        for folder in list(self.numbers().values())[-1:]:
            lines = [self.settle(batch) for batch in read_batches(folder, cut_off=True)]
            _sweep(folder)
            return lines
        return []

    def settle(self, batch: Batch, finish: bool = True) -> str:
        """Ends a batch that was cut off: done when every file is as planned already, else taken back. Says which."""
        _unmark(batch)
        spots = [self._reach(step.path) for step in batch.steps]
        for index, spot in enumerate(spots):
            if spot:
                with suppress(FileNotFoundError, NotADirectoryError):
                    os.unlink(batch.temp(spot, index))
        now = [disk.digest_of(spot.full) if spot else disk.UNREADABLE for spot in spots]
        if finish and batch.steps and all(is_ == step.after for is_, step in zip(now, batch.steps, strict=True)):
            _close(batch, [spot for spot in spots if spot], set(), self.root)
            return f"finished an interrupted {batch.head.name} ({len(batch.steps)} files)"
        kept = []
        for index, step in enumerate(batch.steps):
            spot = spots[index]
            if now[index] == step.before or (spot and now[index] == step.after and _restore(batch, index, spot)):
                continue
            kept.append(step.path)
        self._forget(batch, spots)
        said = f"took back an interrupted {batch.head.name} ({len(batch.steps) - len(kept)} files)"
        return f"{said}; kept as it is now: {', '.join(kept)}" if kept else said

    def _reach(self, path: str) -> disk.Spot | None:
        """Where a path of a plan lies, None when it may not be written: a plan may come from a stranger's clone."""
        try:
            return disk.Gate(self.root).spot(path)
        except WikiError:
            return None

    def _forget(self, batch: Batch, spots: Iterable[disk.Spot | None]) -> None:
        """The batch never was: its own folders and its records go, the plan last of what says that it began."""
        made = [spot.folder for path in batch.made[::-1] if (spot := self._reach(f"{path}/-"))]
        for folder in made:
            with suppress(OSError):
                os.rmdir(folder)
        folders = {spot.folder for spot in spots if spot} | set(made)
        _sync_all(folders | {os.path.dirname(folder) for folder in folders})
        for record in (batch.plan, *(batch.before(index) for index in range(len(batch.steps)))):
            with suppress(FileNotFoundError):
                os.unlink(record)
        _sweep(batch.folder)

    def sweep(self) -> None:
        """Removes what a `prune` that was cut off has left of the operations that it dropped."""
        for name in os.listdir(self.folder):
            if name.startswith("dropped-"):
                shutil.rmtree(f"{self.folder}/{name}", ignore_errors=True)

    def prune(self) -> None:
        """Drops the oldest operations beyond the bounds; the newest always stays."""
        total, kept = 0, 0
        self.sweep()
        for folder in list(self.numbers().values())[::-1]:
            total, kept = total + _weight(folder), kept + 1
            if kept > 1 and (kept > KEPT_OPERATIONS or total > KEPT_BYTES):
                dropped = f"{self.folder}/dropped-{os.path.basename(folder)}"
                os.rename(folder, dropped)  # at once: a half-deleted operation would look like one that was cut off
                shutil.rmtree(dropped, ignore_errors=True)


def plan_text(batch: Batch) -> bytes:
    """The plan of a batch as it stands in the journal."""
    head = batch.head
    document = {
        "op": {"name": head.name, "why": head.why, "at": head.at, "undoes": head.undoes, "redoes": head.redoes},
        "token": batch.token,
        "made": batch.made,
        "files": [[step.path, step.before, step.after, step.mode] for step in batch.steps],
    }
    return json.dumps(document).encode("ascii")


def read_batches(folder: str, cut_off: bool) -> list[Batch]:
    """The batches of one operation in order, those that are done or those that were cut off.

    A plan that does not read is left out: it was cut off while it was written, and nothing followed it.
    """
    try:
        names = set(os.listdir(folder))
    except OSError:
        return []
    numbers = sorted(int(found[1]) for name in names if (found := _PLAN.fullmatch(name)))
    wanted = [number for number in numbers if (f"done-{number}" in names) is not cut_off]
    return [batch for number in wanted if (batch := _read_batch(folder, number))]


def _read_batch(folder: str, number: int) -> Batch | None:
    try:
        found = json.loads((disk.contents(f"{folder}/plan-{number}.json") or b"").decode("ascii"))
        head, steps = _head(found["op"]), tuple(_step(*row) for row in found["files"])
        token, made = found["token"], tuple(str(path) for path in found["made"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Batch(folder, number, head, token, made, steps) if _TOKEN.fullmatch(token) else None


def _head(op: Mapping[str, Any]) -> Head:
    undoes = tuple(int(seq) for seq in op["undoes"])
    return Head(str(op["name"]), str(op["why"]), str(op["at"]), undoes, int(op["redoes"]))


def _step(path: Any, before: Any, after: Any, mode: Any) -> Step:
    if not isinstance(path, str) or not isinstance(before, str | None) or not isinstance(after, str | None):
        raise TypeError(path)
    return Step(path, before, after, None if mode is None else int(mode))


def _new_folders(root: str, folders: Iterable[str]) -> tuple[str, ...]:
    new = {made for folder in folders for made in disk.missing(folder, root)}
    return tuple(sorted(os.path.relpath(folder, root) for folder in new))


def _new_files(batch: Batch, writes: Sequence[Write]) -> Iterable[tuple[str, Callable[[], bytes], int | None]]:
    for index, write in enumerate(writes):
        if write.content is not None:
            private = 0o600 if write.spot.path.startswith(".llmwiki/") else None
            yield batch.temp(write.spot, index), write.content, private if write.mode is None else write.mode


def _swap(batch: Batch, spots: Sequence[disk.Spot]) -> None:
    for index, (step, spot) in enumerate(zip(batch.steps, spots, strict=True)):
        if step.after is not None:
            os.replace(batch.temp(spot, index), spot.full)
        else:
            os.unlink(spot.full)


def _close(batch: Batch, spots: Sequence[disk.Spot], touched: set[str], root: str) -> None:
    """Removes folders that became empty, makes every name durable, and marks the batch done."""
    gone = {spot.folder for step, spot in zip(batch.steps, spots, strict=True) if step.after is None}
    touched |= {spot.folder for spot in spots} | disk.remove_empty(sorted(gone), [f"{root}/{top}" for top in TIDY])
    _sync_all(touched)
    size = sum(_size(batch.before(index)) for index, step in enumerate(batch.steps) if step.before)
    with open(batch.mark, "w", encoding="ascii") as mark:
        mark.write(str(size))
    disk.sync_folder(batch.folder)


def _unmark(batch: Batch) -> None:
    """A mark whose folder could not be synced goes first: half taken back, the batch must not look done."""
    with suppress(FileNotFoundError):
        os.unlink(batch.mark)
        disk.sync_folder(batch.folder)


def _restore(batch: Batch, index: int, spot: disk.Spot) -> bool:
    """Puts one file back as it was; False when its copy is not what it should be, and then nothing is touched."""
    step = batch.steps[index]
    if step.before is None:
        os.unlink(spot.full)
        return True
    if disk.digest_of(batch.before(index)) != step.before:
        return False
    os.makedirs(spot.folder, exist_ok=True)
    os.replace(batch.before(index), spot.full)
    return True


def _sync_all(folders: Iterable[str]) -> None:
    for folder in sorted(folders):
        with suppress(FileNotFoundError, NotADirectoryError):
            disk.sync_folder(folder)


def _sweep(folder: str) -> None:
    """Removes an operation of a journal that holds no batch: none was done, none is planned in a form that reads. Any
    other folder has none either, and stays."""
    if not _FOLDER.fullmatch(os.path.basename(folder)):
        raise ValueError(f"{folder} is no operation of a journal")
    with suppress(FileNotFoundError):
        marked = any(name.startswith("done-") for name in os.listdir(folder))
        if not marked and not read_batches(folder, cut_off=True):
            shutil.rmtree(folder, ignore_errors=True)


def _size(full: str) -> int:
    try:
        return os.lstat(full).st_size
    except OSError:
        return 0


def _weight(folder: str) -> int:
    """Bytes of the copies in one operation, as its marks say."""
    total, number = 0, 0
    with suppress(OSError, ValueError):
        while True:
            mark = disk.contents(f"{folder}/done-{number}")
            if mark is None:
                break
            total, number = total + int(mark or 0), number + 1
    return total
