"""One module an agent. A module has the members that `base.Adapter` names."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from llmwiki import registry

if TYPE_CHECKING:
    from llmwiki.adapters.base import Adapter

ADAPTERS = {
    "claude-code": "llmwiki.adapters.claude_code",
    "codex": "llmwiki.adapters.codex",
}


def load(name: str) -> Adapter:
    """The adapter of that name. Raises WikiError when there is none, or when it cannot be imported."""
    return cast("Adapter", registry.load("adapters", ADAPTERS, name))
