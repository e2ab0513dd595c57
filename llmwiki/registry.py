"""Tables of parts: what is built in, and what other packages add through entry points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from llmwiki.errors import WikiError


def names(group: str, builtin: Mapping[str, str]) -> dict[str, str]:
    """Part name -> `module` or `module:attribute`, the built-in ones and those of `llmwiki.<group>` entry points.

    Raises WikiError when two parts have one name: which of them ran would depend on what is installed.
    """
    table = dict(builtin)
    for name, value in _added(group):
        if name in table:
            raise WikiError(f"two parts of {group} are called {name!r}; uninstall one ({value})")
        table[name] = value
    return table


@cache
def _added(group: str) -> tuple[tuple[str, str], ...]:
    """What installed packages add. Asked once: it reads the metadata of every one of them."""
    from importlib.metadata import entry_points

    return tuple((point.name, point.value) for point in entry_points(group=f"llmwiki.{group}"))


def load(group: str, builtin: Mapping[str, str], name: str) -> Any:
    """The part itself, imported now and not before. A part that fails to import is named."""
    spec = builtin.get(name) or names(group, builtin).get(name)
    if spec is None:
        known = ", ".join(sorted(names(group, builtin)))
        raise WikiError(f"unknown {group.rstrip('s')} {name!r}; known: {known}")
    module, _, attribute = spec.partition(":")
    try:
        part = import_module(module)
        return getattr(part, attribute) if attribute else part
    except Exception as cause:
        raise WikiError(f"the {group} part {name!r} cannot be loaded ({spec}): {cause}") from cause
