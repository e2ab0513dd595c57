"""Whether the catalogue has of each page what the page says. Reads all: for `doctor` and `index`, never a hook."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from llmwiki.indexes import reading, scan
from llmwiki.indexes.catalogue import FILE, SUMS, Catalogue
from llmwiki.indexes.entries import Entry


def amiss(root: str, catalogue: Catalogue, numbers: Mapping[str, float], scope: str) -> str:
    """What the catalogue has otherwise than its pages have it, "" for nothing. A page that changed since, which the
    next update reads anyway, is no damage; a row that says what its page does not is, and above all one that lets a
    page speak that was withdrawn. `numbers` and `scope` are those that it was made with."""
    now = scan.packed(root)
    behind, gone = scan.changed(catalogue.disk(), now)
    pages, rows = scan.unpacked(now), list(catalogue.every())
    for entry in rows:
        stat = pages.get(entry.path)
        if entry.path in behind or (stat is None and entry.path in gone):
            continue
        if stat != (entry.mtime, entry.size) or not _same(root, entry, numbers, scope):
            return f"{FILE} does not hold what {entry.path!a} says"
    if Counter(entry.path for entry in rows) != Counter({*pages} - {*_new(behind, rows)} | {*gone}):
        return f"{FILE} holds other pages than the wiki"
    return "" if _summed(catalogue, rows) else f"{FILE} counts its pages wrong"


def _new(behind: Iterable[str], rows: Iterable[Entry]) -> Iterator[str]:
    """The pages that were written since."""
    known = {entry.path for entry in rows}
    return (path for path in behind if path not in known)


def _same(root: str, entry: Entry, numbers: Mapping[str, float], scope: str) -> bool:
    try:
        with open(os.path.join(root, entry.path), "rb") as page:
            content = page.read()
        now = reading.entry(content.decode("utf-8"), entry.path, scope, numbers)
    except (reading.BadPage, UnicodeDecodeError):
        now = reading.broken(entry.path)
    except OSError:
        return False
    return entry.digest == reading.digest(content) and now.says(entry)


def _summed(catalogue: Catalogue, rows: Iterable[Entry]) -> bool:
    """Whether the sums over the pages, and how often each record was offered, are those of the rows."""
    sums, offers = Counter[str](), Counter[str]()
    for entry in rows:
        sums.update(dict(zip(SUMS, entry.lengths(), strict=True)))
        offers.update(entry.offers.split() if entry.type == "trace" else ())
    counted = dict(catalogue.db.execute("SELECT id, n FROM offers"))
    return counted == offers and all(catalogue.number(name) == sums[name] for name in SUMS)
