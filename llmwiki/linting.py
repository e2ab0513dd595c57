"""The `lint` command: what rules may look at is read here, and what they want mended is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from llmwiki import authorship, navigation, registry, store_templates
from llmwiki import lint as step
from llmwiki.errors import WikiError
from llmwiki.indexes import INDEXES, reading, scan
from llmwiki.indexes.catalogue import CACHE, Catalogue
from llmwiki.indexes.entries import Entry
from llmwiki.lifecycle import stamp
from llmwiki.model import Change, Wiki
from llmwiki.navigation import INDEX, log_line
from llmwiki.rules.base import Indexed, Rule, Seen

if TYPE_CHECKING:
    from llmwiki.batches import Writing
    from llmwiki.indexes.base import Index
    from llmwiki.workspace import Workspace


def lint(
    wiki: Workspace, fix: bool = False, rules: Sequence[str] = (), deep: bool = False, dry_run: bool = False
) -> dict[str, Any]:
    """`{diagnostics, checked}`; with `fix` also `fixed: [{path, why}]`, and the diagnostics are those that are left.

    A dry run of `fix` tells what would be changed beside everything that is wrong now.
    """
    chosen = step.chosen(rules, deep)
    report = _run(wiki, chosen)
    if not fix:
        return report.document()
    fixed = _fix(wiki, report, chosen, dry_run)
    left = report if dry_run or not fixed else _run(wiki, chosen)
    return left.document() | {"fixed": fixed}


def _run(wiki: Workspace, rules: dict[str, Rule]) -> step.Report:
    records = wiki.store.load(wiki.config.scope)
    return step.run(records, seen(wiki, records, any(rule.deep for rule in rules.values())), rules)


# -- what rules may look at


def seen(wiki: Workspace, records: Wiki, deep: bool = False) -> Seen:
    """Texts, turns and the state of the index. `deep`: each record is also looked for in the index by its own words."""
    pages = sorted({*(path for path, _, _ in wiki.store.pages()), *(d.path for d in records.diagnostics)})

    def read(path: str) -> str | None:
        try:
            return wiki.raw(path) if path.startswith("raw/") else wiki.read(path)
        except WikiError:
            return None

    found = Seen(
        now=wiki.now,
        pages=pages,
        raw=sorted(wiki.raw_stems.values()),
        read=read,
        turn=wiki.turn,
        by_person=authorship.Authors(wiki).person,
        redactor=wiki.redactor,
        numbers=wiki.numbers,
        indexed=_indexed(wiki, deep),
        navigation={c.path: c.text for c in _navigation(wiki, records, read)},
    )
    found.digest = lambda path: reading.digest(text.encode("utf-8")) if (text := found.page(path).text) else b""
    return found


def _navigation(wiki: Workspace, records: Wiki, read: Callable[[str], str | None]) -> list[Change]:
    """The pages that lead through the wiki, as they should be."""
    return navigation.pages(records, lambda name: store_templates.find(name, wiki.root), read, wiki.now, wiki.numbers)


def _leads(path: str) -> bool:
    return path == INDEX or path.endswith(f"/{navigation.CONTEXT}")


def _indexed(wiki: Workspace, deep: bool) -> dict[str, Indexed] | None:
    """What the index has of each page; None when there is none that can be read."""
    folder, now = str(wiki.root / CACHE), int(wiki.now.timestamp())
    disk = scan.unpacked(scan.packed(str(wiki.root)))
    if scan.astray(str(wiki.root), (*scan.HOLDERS, CACHE)):
        return None
    try:
        with closing(Catalogue(folder)) as catalogue:
            entries = list(catalogue.every())
            speaking = [entry.speaks(now) for entry in entries]
            finder = _Finder(wiki, folder, catalogue.number("generation")) if deep else None
    except Exception:  # absent, broken, locked, of another version: searching does without it, and so do rules
        return None
    found = {}
    for entry, speaks in zip(entries, speaking, strict=True):
        trusted = disk.get(entry.path) == (entry.mtime, entry.size)
        ranked = finder.finds(entry) if finder else None
        found[entry.path] = Indexed(entry.id, entry.digest, trusted, speaks, ranked)
    if finder:
        finder.close()
    return found


class _Finder:
    """Looks for pages in the backend that ranks words."""

    def __init__(self, wiki: Workspace, folder: str, generation: int) -> None:
        self._index: Index | None = None
        if wiki.config.backend != "memory":  # which holds nothing between two runs
            with suppress(Exception):
                self._index = registry.load("indexes", INDEXES, wiki.config.backend).open_index(folder, False)
        self._sound = self._index is not None and self._index.generation == generation
        self._memory = wiki.config.backend == "memory"
        self._held = cache(lambda term: self._index.frequencies([term])[0] if self._index else 0)

    def finds(self, entry: Entry) -> bool | None:
        """Whether the rarest of a page's own words finds it; None when it has none, or nothing is kept to look in."""
        terms = list(dict.fromkeys(entry.document().split()))
        if self._memory or not terms or not entry.id:
            return None
        if not self._sound or self._index is None:
            return False
        try:
            rarest = min(terms, key=lambda term: (self._held(term), term))
            return entry.key in self._index.postings([rarest])[0]
        except Exception:  # whatever a damaged file does
            return False

    def close(self) -> None:
        if self._index is not None:
            self._index.close()


# -- repairs


def _fix(wiki: Workspace, report: step.Report, rules: dict[str, Rule], dry_run: bool) -> list[dict[str, str]]:
    """Mends what can be mended, in one operation: `[{path, why}]`, what is derived included."""
    from llmwiki import asking

    fixed: list[dict[str, str]] = []
    with wiki.operation("lint", "repairs", dry_run) as operation:
        for _ in range(step.ROUNDS):
            made = operation.apply(step.repairs(report.found, wiki.read))
            if not made:
                break
            fixed += _told(made)
            if dry_run:
                break
            report = _run(wiki, rules)
        pages = [one["path"] for one in fixed]
        refresh = {f.refresh for f in report.found} - {""}
        fixed += _told(_derived(wiki, operation, report, pages))
        if any(f.refresh and not _leads(f.path) for f in report.found):
            fixed.append({"path": CACHE, "why": "the search index is made again from the pages"})
        if fixed and not dry_run:
            asking.refresh(wiki, rebuild="rebuild" in refresh)
    return fixed


def _told(changes: Sequence[Change]) -> list[dict[str, str]]:
    return [{"path": c.path, "why": c.why} for c in changes]


def _derived(wiki: Workspace, operation: Writing, report: step.Report, pages: list[str]) -> list[Change]:
    """The navigation, when pages were mended or it is behind; and a line in the log about pages."""
    if pages:
        told = f"{stamp(wiki.now)} lint: {len(set(pages))} files mended"
        operation.apply([log_line(wiki.read("wiki/log.md"), told)])
    behind = any(_leads(f.path) and f.refresh for f in report.found)
    return operation.apply(wiki.navigation(["wiki/"])) if pages or behind else []
