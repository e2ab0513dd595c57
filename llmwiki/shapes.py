"""What each state file holds, so that one that another program or a broken disk made is known before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Whole(dict[str, Any]):
    """The shape of a value that has all these keys and no others."""


_NUMBER = (int, float)
_COUNTERS: tuple[Any, ...] = (_NUMBER, str, int, int)  # confidence, reinforced, uses, successes
_TEXTS = ("ended", "session", "kind", "at", "turn", "sign")
_EVENT = Whole({**dict.fromkeys(_TEXTS, str), "start": _NUMBER})
PENDING: Mapping[str, Any] = {"raw": str, "ended": str}

# Name of a state file -> its shape: a type or several, a list of one shape, or keys and theirs (`*` for any other key).
# What is not named may be anything. What waits is looked at one by one: a bad entry takes no good one with it.
SHAPES: dict[str, Mapping[str, Any]] = {
    "evolve": {"at": str},
    "forgetting": {"asked": str, "gone": {"*": [str]}},
    "imported": {"files": {"*": str}, "written": {"*": str}},
    "learned": {"sessions": {"*": {"records": [str]}}, "written": {"*": str}},
    "projects": {"*": str},
    "sync": {"at": str, "failed": [Whole({"source": str, "error": str})]},
    "uses": {"records": {"*": Whole({"base": [], "page": [], "events": [_EVENT], "settled": [str]})}},
}


def fits(value: Any, shape: Any) -> bool:
    """Whether a value read from JSON has a shape."""
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(one, kind) for kind in shape for one in value)
    if not isinstance(shape, Mapping):
        return isinstance(value, shape)
    if not isinstance(value, dict) or (isinstance(shape, Whole) and value.keys() != shape.keys()):
        return False
    return all(fits(one, shape.get(key, shape.get("*", object))) for key, one in value.items())


def sound(name: str, value: Any) -> bool:
    """Whether a state file of this name may hold a value."""
    if not fits(value, SHAPES.get(name, {})):
        return False
    ledgers = value.get("records", {}).values() if name == "uses" else ()
    return all(_counters(ledger[key]) for ledger in ledgers for key in ("base", "page"))


def _counters(values: list[Any]) -> bool:
    return len(values) == len(_COUNTERS) and all(isinstance(v, kind) for v, kind in zip(values, _COUNTERS, strict=True))
