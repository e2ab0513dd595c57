"""What a session was given, noted for `sync`: a line of `.llmwiki/state/offers.jsonl` each time."""

from __future__ import annotations

import os
import time

from llmwiki.indexes.scan import FILE, KIND, astray

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STATE = os.path.join(".llmwiki", "state")
OFFERS = os.path.join(STATE, "offers.jsonl")
_HOW = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def note(root: str, session: str, ids: Sequence[str], now: int) -> None:
    """Appends what a session was given. A disk that refuses stops nothing; a pipe, a link or the like, which may have
    come with a cloned wiki, is neither waited for nor followed."""
    import json

    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    line = json.dumps({"at": at, "session": session, "records": list(ids)}) + "\n"
    if astray(root, (".llmwiki", STATE)):
        return
    try:
        os.makedirs(os.path.join(root, STATE), exist_ok=True)
        opened = os.open(os.path.join(root, OFFERS), _HOW, 0o666)
    except OSError:
        return
    try:
        if os.fstat(opened).st_mode & KIND == FILE:
            os.write(opened, line.encode("utf-8"))
    except OSError:
        pass
    finally:
        os.close(opened)
