"""Where sessions come from: the adapters' roots, and what lies there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki import adapters, registry
from llmwiki.errors import WikiError
from llmwiki.lifecycle import stamp
from llmwiki.model import Source
from llmwiki.root import at_home

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace


@dataclass(slots=True)
class Found:
    """Everything that discovery saw: sources in order, and the stores that hold files but no session."""

    sources: list[Source] = field(default_factory=list)
    barren: list[tuple[str, str]] = field(default_factory=list)


def agent_names(wiki: Workspace, wanted: Sequence[str] = ()) -> list[str]:
    """The agents to read, in a fixed order: those asked for, else those of the settings that are not switched off."""
    known = registry.names("adapters", adapters.ADAPTERS)
    for name in wanted:
        if name not in known:
            raise WikiError(f"{name!r} is no agent with an adapter; known: {', '.join(sorted(known))}")
    chosen = wanted or [n for n in (wiki.config.agents or known) if n in known and n not in wiki.config.disabled]
    return sorted(set(chosen))


def roots(wiki: Workspace, name: str) -> list[Path]:
    """Where one agent is looked for. Roots of the settings replace what the environment and the defaults say."""
    configured = wiki.config.roots.get(name)
    if configured:
        return [wiki.root / at_home(r) for r in configured]
    return list(adapters.load(name).roots(os.environ, Path.home()))


def find(wiki: Workspace, wanted: Sequence[str], given: Sequence[str]) -> Found:
    """Every source, each file once. Paths given by hand replace all roots; one that holds nothing is named."""
    found = Found()
    for path in given:
        if not _exists(at_home(path)):
            raise WikiError(f"there is nothing at {path}; give --source a file or folder that exists")
    seen: set[str] = set()
    for path in dict.fromkeys(given):
        names = agent_names(wiki, wanted)
        place = at_home(path).absolute()  # what is remembered of a source holds from every folder
        if not sum(_take(found, adapters.load(name).discover(place), seen) for name in names):
            found.barren.append((path, "no session of an agent with an adapter in it"))
    for name in agent_names(wiki, wanted) if not given else ():
        for root in roots(wiki, name):
            if not _take(found, adapters.load(name).discover(root), seen) and _holds_something(root):
                found.barren.append((str(root), f"the store of {name} exists and holds no session"))
    return found


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no disk can hold
        return False


def _take(found: Found, sources: Iterable[Source], seen: set[str]) -> int:
    """How many sources there are, those included that another root has given already."""
    count = 0
    for source in sources:
        count += 1
        if source.path not in seen:
            seen.add(source.path)
            found.sources.append(source)
    return count


def _holds_something(root: Path) -> bool:
    try:
        return any(root.glob("projects/*/*")) or any(root.glob("sessions/*"))
    except OSError:
        return False


def agents(wiki: Workspace) -> list[dict[str, Any]]:
    """`[{name, roots, sessions, oldest, newest, enabled}]`; times are those of the files."""
    out = []
    for name in sorted(registry.names("adapters", adapters.ADAPTERS)):
        places = roots(wiki, name)
        times = sorted(s.mtime_ns for root in places for s in adapters.load(name).discover(root) if s.mtime_ns)
        out.append(
            {
                "name": name,
                "roots": [str(p) for p in places],
                "sessions": len(times),
                "oldest": _day(times[0]) if times else "",
                "newest": _day(times[-1]) if times else "",
                "enabled": name in agent_names(wiki),
            }
        )
    return out


# Where agents that we cannot read yet keep their sessions, seen from the home folder.
UNREAD = {
    "gemini": (".gemini/tmp",),
    "copilot-cli": (".copilot/session-state",),
    "copilot-chat": (".config/Code/User/workspaceStorage", "Library/Application Support/Code/User/workspaceStorage"),
    "cursor": (".config/Cursor/User/globalStorage", "Library/Application Support/Cursor/User/globalStorage"),
    "opencode": (".local/share/opencode",),
    "goose": (".local/share/goose/sessions",),
    "qwen": (".qwen/projects",),
    "kimi": (".kimi/sessions",),
    "continue": (".continue/sessions",),
    "amp": (".local/share/amp/threads",),
    "pi": (".pi/agent/sessions",),
}


def without_adapter() -> list[str]:
    """Agents that keep sessions on this machine and have no adapter: what they know is not in the wiki."""
    known = registry.names("adapters", adapters.ADAPTERS)
    home = Path.home()
    return [name for name, places in UNREAD.items() if name not in known and any((home / p).is_dir() for p in places)]


def _day(mtime_ns: int) -> str:
    from datetime import UTC, datetime

    return stamp(datetime.fromtimestamp(mtime_ns // 1_000_000_000, UTC))
