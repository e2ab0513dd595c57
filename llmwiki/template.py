"""Templates filled in: prompts, navigation, `AGENTS.md`. Records, raw pages and the block are never templates."""

from __future__ import annotations

from typing import Any

from llmwiki.errors import WikiError


def fill(text: str, name: str = "template", **values: Any) -> str:
    """The text that a Jinja2 template makes of its values. Raises WikiError that names the template when it fails.

    It runs in Jinja2's sandbox, because a wiki that was cloned may bring templates of its own, and nobody vouches
    for those. A name that has no value is an error, and nothing is escaped: what comes out is Markdown.
    """
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    room = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True
    )
    try:
        return room.from_string(text).render(values)
    except Exception as cause:  # a template is a program: it may fail in any way that a program can
        line = getattr(cause, "lineno", None)
        where = f"{name}, line {line}" if line else name
        raise WikiError(f"the template {where} cannot be filled in: {cause}; mend it or remove your copy") from cause
