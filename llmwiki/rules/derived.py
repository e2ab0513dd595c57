"""What is derived from pages, and whether it is up to them."""

from __future__ import annotations

from collections.abc import Iterator

from llmwiki.model import Wiki
from llmwiki.rules.base import Findings, Found, Indexed, Seen


def index(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """The search index is not up to the pages: it knows a page that is gone, lacks one, or has another text of one.

    Searching reads what changed beside the index, so answers are right and only slower; that is told. Where time and
    size of a page are the indexed ones and its text is not, nobody would notice: that is a warning. `--fix` and
    `llmwiki index` bring it up. Where there is no index, as in a fresh clone, nothing is examined.
    """
    if seen.indexed is None:
        return
    for path in sorted({*seen.pages, *seen.indexed}):
        yield tuple(_behind(path, path in seen.pages, seen.indexed.get(path), seen))


def _behind(path: str, there: bool, known: Indexed | None, seen: Seen) -> Iterator[Found]:
    if not there:
        yield Found(path, "is in the index and no more in the wiki", refresh="changed")
    elif known is None:
        yield Found(path, "is not in the index yet", refresh="changed")
    elif (digest := seen.digest(path)) and known.digest != digest and known.trusted:
        said = "has another text than the index, and the same time and size: no search would notice"
        yield Found(path, said, severity="warning", refresh="rebuild")
    elif digest and known.digest != digest:
        yield Found(path, "has changed since it was indexed", refresh="changed")


def navigation(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """`wiki/index.md` or a folder's `_context.md` does not list what speaks: a page was added, renamed or withdrawn
    since it was written.

    `--fix` writes what stands between its markers; what a person wrote around them stays.
    """
    for path, text in sorted((seen.navigation or {}).items()):
        old = seen.read(path) != text
        yield (Found(path, "does not list the pages as they are", refresh="changed"),) if old else ()
