"""The links that the program keeps on a page: a part of its body between markers, which says nothing itself.

`prose.claims` leaves it out, so that no reader takes a link for a lesson; `markdown.links` finds what is in it. Who
takes the markers away has edited the page, and then it stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from llmwiki.prose import LINKS_BEGIN, LINKS_END, links_span


def split_links(body: str) -> tuple[str, str]:
    """A body without the links that the program keeps in it, and that part with its markers, "" when it has none."""
    first, behind = links_span(body)
    if not behind:
        return body, ""
    lines = body.split("\n")
    parts = ("\n".join(part).strip("\n") for part in (lines[:first], lines[behind:]))
    rest = "\n\n".join(filter(None, parts))
    return f"{rest}\n" if rest else "", "\n".join(lines[first:behind])


def with_links(body: str, stems: Iterable[str], heading: str = "Related") -> str:
    """A body that ends in links to these pages, between markers, in place of those that it had."""
    lines = "".join(f"- [[{stem}]]\n" for stem in stems)
    return rejoined(split_links(body)[0], f"{LINKS_BEGIN}\n## {heading}\n\n{lines}{LINKS_END}" if lines else "")


def rejoined(rest: str, block: str) -> str:
    """What `split_links` parted, the links at the end."""
    gap = "\n\n" if rest else ""
    return f"{rest.rstrip(chr(10))}{gap}{block}\n" if block else rest
