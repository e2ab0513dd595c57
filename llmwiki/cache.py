"""What may be deleted at any time: `.llmwiki/cache/<name>.json`. Written whole, never journalled, never missed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

FOLDER = ".llmwiki/cache"


def get(root: Path, name: str) -> dict[str, Any]:
    """What was put under `name`; {} when it is gone, broken or cannot be read."""
    try:
        found = json.loads((root / FOLDER / f"{name}.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def put(root: Path, name: str, value: dict[str, Any]) -> None:
    """Keeps `value`, or does nothing where the disk refuses: a cache is a convenience."""
    folder = root / FOLDER
    new = folder / f".{name}-{os.getpid()}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        new.write_text(json.dumps(value, separators=(",", ":"), sort_keys=True), encoding="utf-8")
        new.replace(folder / f"{name}.json")
    except OSError:
        new.unlink(missing_ok=True)
