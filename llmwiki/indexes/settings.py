"""The few settings that a reader needs, kept in the catalogue so that a hook parses no TOML."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "llmwiki.toml"


class Settings:
    """`budget` in tokens, `limit` in records, `floor` 0–1 (0: the built-in one), `backend`, project aliases, what a
    week leaves of confidence and the `least` of it that speaks, the `scope` of a page that names none, which `vectors`.
    `broken`: the file could not be understood."""

    __slots__ = ("aliases", "backend", "broken", "budget", "floor", "least", "limit", "scope", "vectors", "weekly")

    def __init__(self) -> None:
        self.budget, self.limit, self.floor, self.backend, self.weekly = 1200, 8, 0.0, "whoosh", 0.98
        self.least = 0.30
        self.scope, self.vectors, self.broken = "user", "auto", False
        self.aliases: dict[str, str] = {}

    def numbers(self) -> dict[str, float]:
        """Those of the domain that decide when a page speaks, by their names in `schema.LIFECYCLE`."""
        return {"weekly_decay": self.weekly, "minimum_confidence": self.least}


def stamp(root: str) -> str:
    """What changes when the settings file does; "" when there is none."""
    try:
        stat = os.stat(os.path.join(root, FILE))
    except OSError:
        return ""
    return f"{stat.st_mtime_ns} {stat.st_size}"


def read(root: str) -> Settings:
    """The settings as the file says; a value of another type, or a file that does not parse, leaves the default."""
    import tomllib

    try:
        with open(os.path.join(root, FILE), "rb") as file:
            tables = tomllib.load(file)
        broken = False
    except (OSError, ValueError, RecursionError):
        tables, broken = {}, True
    found = Settings()
    found.broken = broken
    context, index, lifecycle = _table(tables, "context"), _table(tables, "index"), _table(tables, "lifecycle")
    found.budget = int(_number(context, "budget", found.budget))
    found.limit = int(_number(context, "limit", found.limit))
    found.floor = float(_number(context, "floor", found.floor))
    found.weekly = float(_number(lifecycle, "weekly_decay", found.weekly, 0.5, 1))
    found.least = float(_number(lifecycle, "minimum_confidence", found.least, 0, 1))
    found.scope = str(_table(tables, "wiki").get("scope", found.scope))
    found.backend = str(index.get("backend", found.backend))
    found.vectors = str(index.get("vectors", found.vectors))
    found.aliases = {str(k): v for k, v in _table(tables, "projects").items() if isinstance(v, str)}
    return found


def _table(tables: Mapping[str, object], name: str) -> Mapping[str, object]:
    table = tables.get(name)
    return table if isinstance(table, dict) else {}


def _number(
    table: Mapping[str, object], name: str, default: float, low: float = -1e15, high: float = 1e15
) -> float:  # TOML knows inf and nan, too
    value = table.get(name, default)
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high
    return value if fits else default  # type: ignore[return-value]


def packed(found: Settings) -> str:
    """One value for the catalogue; "", which nobody reads, where a name holds what parts the values."""
    if any(c < " " for c in "".join((found.backend, found.scope, *found.aliases, *found.aliases.values()))):
        return ""
    pairs = "\x1e".join(f"{old}\x1f{new}" for old, new in sorted(found.aliases.items()))
    numbers = (found.budget, found.limit, found.floor, found.weekly, found.least)
    return "\x1d".join((*map(str, numbers), found.backend, found.scope, pairs))


def known(root: str, about: Mapping[str, object]) -> Settings:
    """The settings now: from the catalogue when the file is as it was, else from the file."""
    kept = about.get("settings")
    if not isinstance(kept, str) or about.get("settings_stamp") != stamp(root):
        return read(root)
    try:
        found = _unpacked(kept)
    except ValueError:  # damaged, or names that cannot be kept in one value
        return read(root)
    found.vectors = str(about.get("vectors") or found.vectors)
    return found


def _unpacked(kept: str) -> Settings:
    found = Settings()
    budget, limit, floor, weekly, least, found.backend, found.scope, pairs = kept.split("\x1d")
    found.budget, found.limit, found.floor = int(budget), int(limit), float(floor)
    found.weekly, found.least = float(weekly), float(least)
    found.aliases = dict(pair.split("\x1f", 1) for pair in pairs.split("\x1e") if pair)
    return found
