"""What may be deleted at any time: `.llmwiki/cache/<name>.json`. Written whole, never journalled, never missed."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from llmwiki import disk
from llmwiki.indexes.scan import astray

FOLDER = ".llmwiki/cache"


def get(root: Path, name: str) -> dict[str, Any]:
    """What was put under `name`; {} when it is gone, broken or cannot be read."""
    try:
        found = json.loads(disk.contents(f"{root}/{FOLDER}/{name}.json") or b"{}")
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def put(root: Path, name: str, value: dict[str, Any]) -> None:
    """Keeps `value`, or does nothing where the disk refuses: a cache is a convenience."""
    folder = root / FOLDER
    if astray(str(root)):
        return
    new = folder / f".{name}-{os.getpid()}.json"
    said = json.dumps(value, separators=(",", ":"), sort_keys=True)
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        with new.open("x", encoding="utf-8") as file:  # never through a link that somebody put there
            file.write(said)
        new.replace(folder / f"{name}.json")
    with suppress(OSError):
        new.unlink(missing_ok=True)
