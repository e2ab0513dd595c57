"""Backends that rank terms, and the catalogue of what is known about each page.

To add a backend: one module with `open_index(folder, write)`, one line here. `tests/test_indexes.py` runs over all.
"""

from __future__ import annotations

INDEXES: dict[str, str] = {
    "whoosh": "llmwiki.indexes.whoosh_index",
    "sqlite": "llmwiki.indexes.sqlite_index",
    "memory": "llmwiki.indexes.memory_index",
}
