"""llmwiki: the sessions of coding agents, compiled into a Markdown wiki.

Importing the package costs nothing heavy: `open` and `agent` load what they need when they are called.
"""

from __future__ import annotations

from llmwiki.errors import WikiError

__all__ = ["WikiError", "agent", "open"]

TYPE_CHECKING = False  # `typing` costs every start more than the search it serves
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from llmwiki.workspace import Workspace

__version__ = "0.1.0"


def open(path: str | Path) -> Workspace:
    """The wiki in `path`, as a Workspace. Raises WikiError when there is none."""
    from llmwiki.workspace import Workspace

    return Workspace.open(path)


def agent(wiki: Workspace, **options: Any) -> Callable[[Callable[..., str]], Callable[..., str]]:
    """A decorator that puts memory before a callable, and its trajectory into the wiki (see llmwiki.decorator)."""
    from llmwiki.decorator import remembering

    return remembering(wiki, **options)
