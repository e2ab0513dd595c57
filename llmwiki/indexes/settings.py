"""The few settings that a reader needs, kept in the catalogue so that a hook parses no TOML."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "llmwiki.toml"


class Settings:
    """`budget` in tokens, `limit` in records, `floor` 0–1 (0: the built-in one), `backend`, project aliases, what a
    week takes from confidence, the `scope` of a page that names none, which `vectors`. `broken`: the file could not be
    understood."""

    __slots__ = ("aliases", "backend", "broken", "budget", "floor", "limit", "scope", "vectors", "weekly")

    def __init__(self) -> None:
        self.budget, self.limit, self.floor, self.backend, self.weekly = 1200, 8, 0.0, "whoosh", 0.98
        self.scope, self.vectors, self.broken = "user", "auto", False
        self.aliases: dict[str, str] = {}


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
    found.aliases = dict(said.aliases)
    return found


def packed(found: Settings) -> str:
    """One value for the catalogue."""
    pairs = "\x1e".join(f"{old}\x1f{new}" for old, new in sorted(found.aliases.items()))
    return "\x1d".join(
        (str(found.budget), str(found.limit), str(found.floor), found.backend, str(found.weekly), found.scope, pairs)
    )


def known(root: str, about: Mapping[str, object]) -> Settings:
    """The settings now: from the catalogue when the file is as it was, else from the file."""
    kept = about.get("settings")
    if not isinstance(kept, str) or about.get("settings_stamp") != stamp(root):
        return read(root)
    found = Settings()
    budget, limit, floor, found.backend, weekly, found.scope, pairs = kept.split("\x1d")
    found.budget, found.limit, found.floor, found.weekly = int(budget), int(limit), float(floor), float(weekly)
    found.vectors = str(about.get("vectors") or found.vectors)
    found.aliases = dict(pair.split("\x1f", 1) for pair in pairs.split("\x1e") if pair)
    return found
