"""An agent says that a session is over: `sync --hook`. The agent's exit waits for it, so it is short, says nothing and
never fails. What it does not get done, the next sync does.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from llmwiki import fast

SECONDS = 12.0  # below the time after which the agent would end it (`hooks.EVENTS`)
LONGEST = 1_000_000  # bytes of the hook's JSON
AGENTS = ("claude-code",)


def answer(agent: str, wiki: str, dry_run: bool = False) -> int:
    """Takes in the session that standard input names; 0, whatever happens: no agent is stopped by its memory."""
    try:
        fast.bound(SECONDS)
        said = json.loads(sys.stdin.buffer.read(LONGEST))
        if agent in AGENTS and isinstance(said, dict):
            _take_in(agent, said, wiki, dry_run)
        fast.bound(0)
    except (Exception, KeyboardInterrupt, fast.OutOfTime):
        pass
    return 0


def _take_in(agent: str, said: dict[str, Any], wiki: str, dry_run: bool) -> None:
    """One sync of one session. Another writer is not waited for: it leaves the session to the next sync."""
    session, folder = said.get("session_id"), said.get("cwd")
    if not (isinstance(session, str) and session.strip()):
        return
    from llmwiki import root, sources
    from llmwiki.workspace import Workspace

    here = Path(folder) if isinstance(folder, str) and folder else Path.cwd()
    found = Workspace(root.find_root(wiki or None, os.environ, here), wait=0)
    if agent in sources.agent_names(found):
        found.sync(agents=(agent,), session=session, dry_run=dry_run)
