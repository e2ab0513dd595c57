"""What turns a session into records. A table: to add one, add a module and a line here."""

from __future__ import annotations

SYNTHESIZERS: dict[str, str] = {
    "extractive": "llmwiki.synthesizers.extractive",
    "ollama": "llmwiki.synthesizers.ollama",
    "delegated": "llmwiki.synthesizers.delegated",
}
