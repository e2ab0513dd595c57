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
    """The settings as `config` understands the file, so that a hook takes no value of which every other command warns;
    all defaults when the file does not parse."""
    from llmwiki import config
    from llmwiki.errors import WikiError

    found = Settings()
    try:
        with open(os.path.join(root, FILE), encoding="utf-8") as file:
            said, _ = config.parse(file.read())
    except (OSError, ValueError, WikiError):
        found.broken = True
        return found
    for name in ("budget", "limit", "floor", "scope", "backend", "vectors"):
        setattr(found, name, getattr(said, name))
    found.weekly = float(said.lifecycle.get("weekly_decay", found.weekly))
    found.least = float(said.lifecycle.get("minimum_confidence", found.least))
    found.aliases = dict(said.aliases)
    return found


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
