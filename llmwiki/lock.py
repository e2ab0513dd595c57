"""One writer at a time. The operating system holds the lock, so a crash frees it; a file beside it says who has it."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from llmwiki import disk
from llmwiki.errors import WikiError

WAIT = 10.0


@contextmanager
def writer(folder: Path, command: str, wait: float = WAIT) -> Iterator[None]:
    """Holds the lock in `folder`. WikiError after `wait` seconds, naming pid, command and start of who holds it."""
    from filelock import FileLock, Timeout

    lock = FileLock(str(folder / "lock"), timeout=wait, poll_interval=0.05, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise WikiError(f"{_holder(folder)}; wait until it is done, or end that process") from None
    try:
        _name_holder(folder, command)
        yield
    finally:
        with suppress(OSError):
            (folder / "holder.json").unlink()
        lock.release()


def _name_holder(folder: Path, command: str) -> None:
    """Never fails: the lock is held, and the name is only for the message that somebody else may print."""
    since = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    who = {"pid": os.getpid(), "command": command, "since": since, "host": socket.gethostname()}
    new = folder / "holder.json.new"
    with suppress(OSError):
        new.unlink(missing_ok=True)
        with new.open("x", encoding="utf-8") as file:  # never through a link that somebody put there
            json.dump(who, file)
        new.replace(folder / "holder.json")


def _holder(folder: Path) -> str:
    try:
        who = json.loads(disk.contents(str(folder / "holder.json")) or b"{}")
        where = f"pid {who['pid']} on {who['host']}"
        return f"another writer holds this wiki: `{who['command']}`, {where}, since {who['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another writer holds this wiki"
