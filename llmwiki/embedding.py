"""The vectors of a wiki, for its door: brought up to the index, and what is told of them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from llmwiki.embedders import base
from llmwiki.errors import WikiError
from llmwiki.indexes import vectors, vectors_update
from llmwiki.indexes.catalogue import CACHE

if TYPE_CHECKING:
    from llmwiki.workspace import Progress, Workspace

AT_ONCE = 1_000  # passages that a sync embeds: some ten seconds with the slowest model


def refresh(wiki: Workspace, progress: Progress | None, whole: bool) -> dict[str, int]:
    """`{embedded, unembedded}`: passages that got a vector, and those that wait; {} where the wiki has no vectors.

    Without `whole` at most AT_ONCE are embedded. Kept are they after each as many, so that a long run may be killed.
    What the model does wrong costs the vectors, never the index.
    """
    part = _meant(wiki)
    try:
        if part:
            return _updated(wiki, part, progress, whole)
        (vectors_update.remove if wiki.config.vectors == base.OFF else vectors_update.prune)(wiki.root)
    except Exception as cause:
        wiki.notice(f"no vectors were made: {cause}")
        with suppress(Exception):  # what is gone goes all the same
            vectors_update.prune(wiki.root)
    return {}


def _meant(wiki: Workspace) -> str:
    """The embedder that the settings mean, "" for none; one that cannot be had is said."""
    try:
        return base.part_of(wiki.config.vectors)
    except WikiError as cause:
        wiki.notice(f"no vectors were made: {cause}")
        return ""


def told(wiki: Workspace) -> dict[str, Any]:
    """`{model, pages, passages, unembedded}` of the vectors that the wiki has; {} where it has none. WikiError when
    they cannot be read."""
    try:
        head = vectors.read(str(wiki.root / CACHE)).head
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as cause:
        raise WikiError(f"the vectors cannot be read: {cause}; run `llmwiki index`") from cause
    return {"model": head.model, "pages": head.pages, "passages": head.rows, "unembedded": head.missing}


def counted(wiki: Workspace) -> dict[str, Any]:
    """`{vectors: …}` for `status`; {} where there are none, or none that can be read: `doctor` says why."""
    try:
        found = told(wiki)
    except WikiError:
        return {}
    return {"vectors": found} if found else {}


def state(wiki: Workspace) -> tuple[bool, str, str]:
    """(whether all is well, what there is, the cure) for `doctor`."""
    if wiki.config.vectors == base.OFF:
        return True, "off, by [index] vectors", ""
    try:
        part, found = base.part_of(wiki.config.vectors), told(wiki)
    except WikiError as cause:
        said, _, cure = str(cause).rpartition("; ")
        return False, said, cure
    if not part:
        ok, said = not found, "vectors of a model that is no longer installed" if found else "none, ranked by words"
        return ok, said, base.CURE
    if not found:
        return False, f"{part} is installed, and nothing is embedded", "run `llmwiki index`"
    of = f"{found['passages']:,} passages of {found['pages']:,} pages, by {found['model']}"
    left = found["unembedded"]
    return not left, f"{of}; {left:,} more wait" if left else of, "run `llmwiki index`"


def _updated(wiki: Workspace, part: str, progress: Progress | None, whole: bool) -> dict[str, int]:
    embedder, total = base.load(part), 0
    tell = (lambda done, of: progress("embedding", done, of)) if progress else None
    while True:
        made, missing = vectors_update.update(wiki.root, part, embedder, AT_ONCE, tell)
        total += made
        if not (whole and missing and made):
            return {"embedded": total, "unembedded": missing}
