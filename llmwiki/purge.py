"""The end of a `forget`: what is forgotten leaves the journal, the notes of what was offered, and everything derived.

A forget writes its Changes as one batch, like every operation, and in that batch `.llmwiki/state/forgetting.json`: what
it is that is forgotten. As long as that file lies there the work is not done, and whoever takes the lock does it first.
Each step may be done twice. The file itself, the last thing that names anything, goes last.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from llmwiki import cache, disk, shapes
from llmwiki.gone import Gone
from llmwiki.indexes.scan import astray
from llmwiki.journal import FORGOTTEN, Batch, Journal, Step, plan_text, read_batches

STATE = "forgetting"
_NOTHING = Step("", None, None, None)


def unfinished(root: str) -> dict[str, Any]:
    """What a forget that was cut off wrote down, {} when there is none."""
    try:
        found = json.loads(disk.contents(f"{root}/{disk.STATE}/{STATE}.json") or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if shapes.sound(STATE, found) else {}


def finish(journal: Journal) -> bool:
    """Ends the forget that was begun; False when there is none. The caller holds the lock."""
    root = journal.root
    found = unfinished(root)
    if not found:
        return False
    gone = Gone.load(found.get("gone") or {})
    journal.sweep()
    for folder in journal.numbers().values():
        for batch in read_batches(folder, cut_off=False):
            _purge_batch(batch, gone)
    _purge_offers(f"{root}/{disk.STATE}/offers.jsonl", gone)
    _purge_state(f"{root}/{disk.STATE}", gone)
    _purge_cache(f"{root}/{cache.FOLDER}", gone)
    disk.sync_folder(f"{root}/{disk.STATE}")
    os.unlink(f"{root}/{disk.STATE}/{STATE}.json")
    disk.sync_folder(f"{root}/{disk.STATE}")
    return True


def former(journal: Journal) -> Iterator[tuple[str, str]]:
    """(path, text) of every page as the journal still has it from before some operation."""
    for folder in journal.numbers().values():
        for batch in read_batches(folder, cut_off=False):
            for index, step in enumerate(batch.steps):
                if step.before and step.path.startswith(("raw/", "wiki/")):
                    yield step.path, _text(batch.before(index))


def _text(path: str) -> str:
    try:
        return (disk.contents(path) or b"").decode("utf-8", "replace")
    except OSError:
        return ""


def _purge_batch(batch: Batch, gone: Gone) -> None:
    """The plan without the files that are forgotten; their copies go, and every copy that names any of them."""
    steps = tuple(_purged(batch, index, step, gone) for index, step in enumerate(batch.steps))
    head = replace(batch.head, why="") if gone.told(batch.head.why) else batch.head
    made = tuple(path for path in batch.made if not gone.path(path))
    if (steps, head, made) != (batch.steps, batch.head, batch.made):
        _rewrite(batch.plan, plan_text(replace(batch, steps=steps, head=head, made=made)))
    for index, step in enumerate(steps):
        if not step.path or step.before == FORGOTTEN:
            with suppress(FileNotFoundError):
                os.unlink(batch.before(index))
    disk.sync_folder(batch.folder)


def _purged(batch: Batch, index: int, step: Step, gone: Gone) -> Step:
    if gone.path(step.path):
        return _NOTHING
    # A title in somebody's prompt is a turn of phrase; on a page of the wiki it is the record's name.
    named = gone.named if step.path.startswith("raw/") else gone.told
    return replace(step, before=FORGOTTEN) if step.before and named(_text(batch.before(index))) else step


def _rewrite(path: str, content: bytes) -> None:
    """Puts new content in the place of a file of the store's own."""
    new = f"{path}.new"
    with suppress(FileNotFoundError):
        os.unlink(new)
    disk.write_new([(new, lambda: content, 0o600)])
    os.replace(new, path)


def _purge_offers(path: str, gone: Gone) -> None:
    """The notes of `context --session` without the sessions and the records that are forgotten."""
    lines = _text(path).splitlines()
    kept = [line for line in (_offer(said, gone) for said in lines) if line]
    if kept != lines:
        _rewrite(path, "".join(f"{line}\n" for line in kept).encode("utf-8"))


def _offer(line: str, gone: Gone) -> str:
    if not gone.named(line):
        return line
    try:
        said = json.loads(line)
        said["records"] = [id for id in said["records"] if id not in gone.names]
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
    return "" if gone.named(str(said.get("session"))) or not said["records"] else json.dumps(said)


def _purge_state(folder: str, gone: Gone) -> None:
    """What lies beside the state and is none: broken files that were put aside, writes that were cut off."""
    for name in os.listdir(folder):
        path = f"{folder}/{name}"
        if not name.endswith(".json") and os.path.isfile(path) and gone.told(_text(path)):
            os.unlink(path)


def _purge_cache(folder: str, gone: Gone) -> None:
    """The index goes whole: what was deleted in a database stays in its pages. Of the rest, what names anything.
    Behind a link nothing was written, and nothing is removed."""
    if astray(str(Path(folder).parents[1])):
        return
    for name in ("index", "index.new", "index.old"):
        shutil.rmtree(f"{folder}/{name}", ignore_errors=True)
    root = Path(folder).parents[1]
    sources = cache.get(root, "sources")
    seen = {path: known for path, known in sources.get("seen", {}).items() if not _known(path, known, gone)}
    if seen != sources.get("seen", {}):
        cache.put(root, "sources", {**sources, "seen": seen})
    with suppress(FileNotFoundError):
        for name in os.listdir(folder):
            path = f"{folder}/{name}"
            if os.path.isfile(path) and gone.told(_text(path)):
                os.unlink(path)


def _known(path: str, known: Any, gone: Gone) -> bool:
    return gone.named(path) or gone.named(json.dumps(known, ensure_ascii=False))
