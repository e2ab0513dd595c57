"""What a program hands to the Python door, before anything is done with it: one sentence instead of an error from deep
inside. TypeError for what is of another type, WikiError for what cannot be asked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from llmwiki.errors import WikiError
from llmwiki.model import RecordType, State
from llmwiki.schema import SCOPES

CONTEXT = tuple("budget error exact explain files folder limit plan project scope tool vectors".split())
TYPES, STATES = tuple(RecordType), tuple(State)


def text(name: str, value: object) -> str:
    """A text that has to be there."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is a text (str), not {shown(value)}")
    return value


def optional(name: str, value: object) -> str:
    """A text, "" for None."""
    return "" if value is None else text(name, value)


def number(name: str, value: object) -> int | None:
    """A whole number from 0 up; None stays."""
    if value is None:
        return None
    if not isinstance(value, int):
        raise TypeError(f"{name} is a whole number (int), not {shown(value)}")
    if value < 0:
        raise WikiError(f"{name} wants a whole number from 0 up, not {value}")
    return value


def one_of(name: str, value: object, known: Iterable[str]) -> str:
    """One of the known words, "" for none."""
    found = optional(name, value)
    if found and found not in known:
        raise WikiError(f"{found!r} is no {name}; take one of {', '.join(known)}")
    return found


def path(name: str, value: object) -> str:
    """A path as a text."""
    found = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(found, str):
        raise TypeError(f"{name} is a path (str or Path), not {shown(value)}")
    return found


def paths(name: str, value: object) -> tuple[str, ...]:
    """Paths as texts: one alone is a list of one, None is none."""
    if value is None:
        return ()
    if isinstance(value, str | os.PathLike) or not isinstance(value, Iterable) or isinstance(value, bytes):
        return (path(f"each of {name}", value),)
    return tuple(path(f"each of {name}", one) for one in value)


def context(flags: Mapping[str, Any]) -> dict[str, Any]:
    """The flags of `context` as `recall.Asked` takes them."""
    unknown = sorted(flags.keys() - set(CONTEXT))
    if unknown:
        raise TypeError(f"context knows no {', '.join(unknown)}; it takes {', '.join(CONTEXT)}")
    found = {name: number(name, flags[name]) for name in ("budget", "limit") if name in flags}
    texts = {name: optional(name, flags[name]) for name in ("error", "project", "tool") if name in flags}
    folder = {"folder": path("folder", flags["folder"])} if flags.get("folder") is not None else {}
    left = {name: flags[name] for name in ("exact", "explain", "plan", "vectors") if name in flags}
    return {
        **{**found, **texts, **folder, **left},
        "files": paths("files", flags.get("files")),
        "scope": one_of("scope", flags.get("scope"), SCOPES),
    }


def shown(value: object) -> str:
    """A value as an error names it."""
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:60]}…"
