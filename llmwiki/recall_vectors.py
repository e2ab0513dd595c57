"""A question meets the vectors: a model says how near each page is. Imported only where there are any."""

from __future__ import annotations

from llmwiki import block
from llmwiki.embedders import base
from llmwiki.errors import WikiError
from llmwiki.indexes import vectors


def asked(folder: str, text: str, notes: list[str]) -> tuple[vectors.Near | None, str]:
    """How near the pages are, and what `limits` says of it. Whatever is wrong is a note, and the words answer alone."""
    try:
        found, model = near(folder, text)
        return found, f"asked, by {model}"
    except Exception as cause:
        notes.append("vectors cannot be used, ranked by words alone")
        return None, f"not used: {block.quote(str(cause))}"  # it may name what the file names


def near(folder: str, text: str) -> tuple[vectors.Near, str]:
    """(how near each page is to a text, the model's name), from the vectors in an index's folder.

    Raises OSError or ValueError when the file is broken, WikiError when its model is not installed or another one.
    """
    table = vectors.read(folder)
    embedder = base.load(table.head.part)
    if embedder.model != table.head.model:
        raise WikiError(f"they are of {table.head.model}, and {embedder.model} is installed; run `llmwiki index`")
    opens = getattr(embedder, "opens", vectors.NEVER)
    return vectors.Near(table, embedder.question(vectors.sayable(text)), embedder.least, opens), embedder.model
