"""Where a secret stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Where a secret stands: `text[start:end]`, and the rule that saw it."""

    rule: str
    start: int
    end: int
