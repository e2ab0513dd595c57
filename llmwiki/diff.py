"""Present and desired files -> Changes: idempotence is this function returning nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from llmwiki.model import Change


def changes(desired: Iterable[Change], present: Callable[[str], str | None]) -> list[Change]:
    """The changes that would really change a file, sorted by path. `present(path)` is the text now, None when absent.

    >>> changes([Change("a.md", "1"), Change("b.md", None)], {"a.md": "1"}.get)
    []
    """
    return sorted((c for c in desired if present(c.path) != c.text), key=lambda c: c.path)
