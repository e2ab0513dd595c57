"""The clock, and the one way to replace it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from os import environ as process_environ

from llmwiki.errors import WikiError

VARIABLE = "LLMWIKI_NOW"


def is_replaced(environ: Mapping[str, str] = process_environ) -> bool:
    """Whether `LLMWIKI_NOW` stands in for the clock; writers say so."""
    return bool(environ.get(VARIABLE, "").strip())


def now(environ: Mapping[str, str] = process_environ) -> datetime:
    """The time for dates, states and scores: aware, UTC, whole seconds. Raises WikiError for a bad `LLMWIKI_NOW`.

    A time without a zone is UTC. Locks and the journal do not ask here.
    """
    if not is_replaced(environ):
        return datetime.now(UTC).replace(microsecond=0)
    text = environ[VARIABLE].strip()
    try:
        found = datetime.fromisoformat(text)
        found = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise WikiError(f"{VARIABLE} is no time: {text!r}; write it like 2026-03-01T12:00:00Z, or unset it") from None
    return found.replace(microsecond=0)
