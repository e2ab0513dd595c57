"""Frontmatter and sections: whether a page can be read, and whether it says what a page of its type says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from llmwiki import lifecycle, markdown
from llmwiki.model import Diagnostic, Record, Wiki
from llmwiki.rules.base import Findings, Found, Seen, living, some
from llmwiki.schema import TYPES

_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_DATES = ("created", "reinforced", "quarantine_until")
_ANYWHERE = ("Contradictions",)


def unreadable(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A page cannot be read as a record: frontmatter that is no YAML or not closed, an unknown type, state or scope, a
    number, date or id that is none.

    No reader gets such a page, and nothing rewrites it. Mend the line that is named.
    """
    broken = {d.path: d for d in wiki.diagnostics if d.code != "id"}
    for path in sorted({*seen.pages, *broken}):
        yield (_said(broken[path]),) if path in broken else ()


def identities(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """Two pages have one `id`; only one of them is read.

    The living page wins over the archived one, then the first by path. Give one of them another id, or merge them.
    """
    twice = {d.path: d for d in wiki.diagnostics if d.code == "id"}
    for path in sorted({*twice, *(r.path for r in wiki.records.values())}):
        yield (_said(twice[path]),) if path in twice else ()


def _said(d: Diagnostic) -> Found:
    return Found(d.path, d.message, d.line)


def missing(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A page of ours lacks keys that are always written.

    Readers fill them in by default, so the page says less than it means, and changes its meaning with the defaults.
    `--fix` writes the values as they are read today. A page that a person wrote by hand (without `id` or without
    `sources`) needs none of them.
    """
    for record in living(wiki):
        if record.handwritten:
            continue
        lacking = [key for key in markdown.ORDER if key in markdown.ALWAYS and key not in seen.page(record.path).keys]
        yield (_lacks(record, lacking),) if lacking else ()


def _lacks(record: Record, keys: list[str]) -> Found:
    values = {key: getattr(record, key) for key in keys}
    found = f"has no {some(keys, 6)}"
    return Found(record.path, found, 1, edit=lambda text: markdown.edit(text, values))


def dates(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A date that a page of ours gives is not in the form that all others have (`2026-03-01T14:03:22Z`), or `created`
    or `reinforced` lies in the future, so that the record does not age until then.

    Times are compared as text. A date that is no date at all makes the page unreadable (LW101).
    """
    tomorrow = seen.now + timedelta(days=1)
    for record in living(wiki):
        given = {key: str(getattr(record, key)) for key in _DATES if getattr(record, key)}
        for key, value in given.items():
            at = lifecycle.moment(value)
            wrong = ""
            if not record.handwritten and not _STAMP.fullmatch(value):
                wrong = f"{key} is {value!r}; write it as 2026-03-01T14:03:22Z"
            elif key != "quarantine_until" and at and at > tomorrow:
                wrong = f"{key} lies in the future ({value})"
            yield (Found(record.path, wrong, seen.key_line(record, key)),) if wrong else ()


def sections(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A page of ours has none of the sections that its type speaks with, or has them in another order.

    A context block prints what stands below those headings; a record without them says nothing but its title. Sections
    of a person's own may stand anywhere, and a page that a person wrote by hand needs none.
    """
    for record in living(wiki):
        if record.handwritten:
            continue
        wanted = [*TYPES[record.type].sections, *_ANYWHERE]
        lines = {c.section: c.line for c in reversed(seen.claims(record))}
        known = [name for name in sorted(lines, key=lambda s: lines[s]) if name in wanted]
        yield tuple(_disorder(record, seen, wanted, known, lines))


def _disorder(
    record: Record, seen: Seen, wanted: list[str], known: list[str], lines: dict[str, int]
) -> Iterator[Found]:
    if not set(known) - set(_ANYWHERE):
        headings = some((f"## {name}" for name in wanted[:-1]), 4)
        said = f"a {record.type} speaks under {headings}; this page has none of them"
        yield Found(record.path, said, seen.body_line(record, 1))
    elif known != (right := sorted(known, key=wanted.index)):
        first = next(a for a, b in zip(known, right, strict=True) if a != b)
        said = f"the sections of a {record.type} stand in the order {', '.join(right)}"
        yield Found(record.path, said, seen.body_line(record, lines[first]), "info")
