"""A question meets the vectors: a model says how near each page is. Imported only where there are any."""

from __future__ import annotations

from llmwiki.embedders import base
from llmwiki.errors import WikiError
from llmwiki.indexes import vectors


def near(folder: str, text: str) -> tuple[vectors.Near, str]:
    """(how near each page is to a text, the model's name), from the vectors in an index's folder.

    Raises OSError or ValueError when the file is broken, WikiError when its model is not installed or another one.
    """
    table = vectors.read(folder)
    embedder = base.load(table.head.part)
    if embedder.model != table.head.model:
        raise WikiError(f"they are of {table.head.model}, and {embedder.model} is installed; run `llmwiki index`")
    return vectors.Near(table, embedder.question(vectors.sayable(text)), embedder.least), embedder.model
