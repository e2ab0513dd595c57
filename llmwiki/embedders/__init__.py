"""Models that turn text into vectors, so that a question finds a passage that says the same in other words.

To add one: a module with `NEEDS` and `open_embedder()`, one line here. Other packages add theirs through entry points
`llmwiki.embedders`. None is needed: without one, everything is ranked by words.
"""

from __future__ import annotations

EMBEDDERS: dict[str, str] = {  # `auto` takes the first that is installed
    "minilm": "llmwiki.embedders.minilm",
    "wordllama": "llmwiki.embedders.wordllama",
}
