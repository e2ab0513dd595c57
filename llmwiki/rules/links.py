"""Links between pages: dead ones, dead anchors, and pages that nothing ties to the others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial

from llmwiki import graph, lifecycle, markdown, names
from llmwiki.model import Record, Wiki, stem_of
from llmwiki.rules.base import Findings, Found, Seen, folded, is_raw, lessons, living, target_of

# Pages that are no records, and files beside a wiki that people link to.
BESIDE = frozenset("index log _context agents claude readme contributing changelog license".split())
_FILE = re.compile(r"\.(?!md$)[A-Za-z0-9]{1,8}$")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$", re.M)
_BLOCK = re.compile(r"(?:^|\s)\^([\w-]+)[ \t]*$", re.M)


def dead(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A link, or a name in `supersedes`, `superseded_by` or `parents`, leads to no page.

    A link may use the stem of the page's file, its id or an alias. Links to session pages are looked at by LW202 and
    LW306, links to files of other kinds by nobody. Where the words of a dead link are the title of exactly one record,
    `--fix` makes it a link to that one. A link by id or alias works here and not in Obsidian: that is only told, and
    `--fix` puts the stem before the words.
    """
    known = _Names(wiki, seen)
    for record in living(wiki):
        for at, target, anchor in markdown.placed_links(record.body):
            if target and not is_raw(target, anchor) and not known.session(target) and not _FILE.search(target):
                line = seen.body_line(record, record.body.count("\n", 0, at) + 1)
                yield tuple(known.link(record, target, line))
        yield from _named(record, seen, known)


def _named(record: Record, seen: Seen, known: _Names) -> Iterator[Findings]:
    """The names of records in the frontmatter."""
    for key in ("supersedes", "superseded_by", "parents"):
        value = getattr(record, key)
        for name in (value,) if isinstance(value, str) else value:
            if not name:
                continue
            target = name.strip("[]").partition("#")[0].partition("|")[0]
            lost = known.page(target) is None and target_of(target) not in known.others
            said = f"{key} names {name!r}, and there is no such record"
            yield (Found(record.path, said, seen.key_line(record, key)),) if lost else ()


class _Names:
    """What the pages of a wiki are called."""

    def __init__(self, wiki: Wiki, seen: Seen) -> None:
        self._records = wiki.records
        self._names = graph.resolver(wiki)
        self._raw = seen.raw_stems
        self.others = BESIDE | {folded(stem_of(path)) for path in seen.pages}
        self._titles: dict[str, set[str]] = defaultdict(set)
        for record in living(wiki):
            self._titles[names.slug(record.title)].add(record.id)

    def session(self, target: str) -> bool:
        return target_of(target) in self._raw

    def page(self, target: str) -> Record | None:
        return self._records.get(self._names.get(target_of(target), ""))

    def link(self, record: Record, target: str, line: int) -> Iterator[Found]:
        """What is wrong with a link to `target`."""
        found = self.page(target)
        if found is not None and target_of(target) != folded(found.stem):
            said = f"[[{target}]] is an id or an alias; Obsidian only follows [[{found.stem}]]"
            yield Found(record.path, said, line, "info", edit=partial(_relinked, target=target, stem=found.stem))
        elif found is None and target_of(target) not in self.others:
            meant = self._titles.get(names.slug(target), set())
            only = self._records[next(iter(meant))].stem if len(meant) == 1 else ""
            said = f"[[{target}]] leads to no page" + (f"; [[{only}]] has that title" if only else "")
            yield Found(record.path, said, line, edit=partial(_relinked, target=target, stem=only) if only else None)


def _relinked(text: str, target: str, stem: str) -> str:
    """A page with the links to `target` leading to `stem`, its frontmatter as it was; the words that are seen stay."""
    start = markdown_start(text)
    body = text[start:]
    for at, found, _ in reversed(list(markdown.placed_links(body))):
        if found == target:
            end = body.index("]]", at)
            inner = body[at + 2 : end]
            rest = inner[inner.index(target) + len(target) :]
            shown = "" if "|" in rest else f"|{target}"
            body = f"{body[:at]}[[{stem}{rest}{shown}{body[end:]}"
    return text[:start] + body


def markdown_start(text: str) -> int:
    """Where the body of a page begins."""
    from llmwiki.frontmatter_text import split

    return len(text) - len(split(text).body)


def anchors(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A link names a turn that its session page does not have, or a heading or block that its page does not have.

    A claim that cites such a turn rests on nothing, and `verify` cannot tell that from a page that is not on this
    machine. A session page that is not here is no finding.
    """
    names_of = graph.resolver(wiki)
    places: dict[str, frozenset[str]] = {}
    for record in living(wiki):
        for at, target, anchor in markdown.placed_links(record.body):
            turns = seen.anchors(target_of(target)) if target else None
            line = seen.body_line(record, record.body.count("\n", 0, at) + 1) if anchor else 0
            if anchor and turns is not None:
                yield (_lost(record, target, f"^{anchor}", line),) if anchor not in turns else ()
            elif anchor and not is_raw(target, anchor):
                page = wiki.records.get(names_of.get(target_of(target), "")) if target else record
                if page is not None:
                    yield (_lost(record, target, anchor, line),) if _nowhere(page, anchor, places) else ()


def _lost(record: Record, target: str, anchor: str, line: int) -> Found:
    return Found(record.path, f"[[{target}#{anchor}]] leads to no place in its page", line)


def _nowhere(page: Record, anchor: str, places: dict[str, frozenset[str]]) -> bool:
    if page.id not in places:
        found = {_plain(m[1]) for m in _HEADING.finditer(page.body)} | {
            m[1].casefold() for m in _BLOCK.finditer(page.body)
        }
        places[page.id] = frozenset(found)
    wanted = anchor.rpartition("#")[2]
    return _plain(wanted) not in places[page.id] and wanted.removeprefix("^").casefold() not in places[page.id]


def _plain(heading: str) -> str:
    """A heading as links compare it: its letters and digits, in lower case."""
    return " ".join(re.findall(r"\w+", heading.casefold()))


def orphans(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """Nothing ties a record to the others: no record links to it, it links to none, and no other record comes from its
    sessions.

    `search` still finds it. Link it from where it belongs, if it belongs somewhere. Traces and archived records are no
    orphans, nor is a rule that a person said: that stands by itself.
    """
    tied = _tied(wiki)
    for record in lessons(wiki):
        if lifecycle.lasting(record):
            continue
        said = "no record links here, it links to none, and none shares a session with it"
        yield (Found(record.path, said, 1),) if record.id not in tied else ()


def _tied(wiki: Wiki) -> set[str]:
    """Ids of the records that an edge ties to another one, or a session that both rest on."""
    tied: set[str] = set()
    by_source: Mapping[str, set[str]] = defaultdict(set)
    for source, target, kind in graph.edges(wiki):
        if kind == "source":
            by_source[target].add(source)
        else:
            tied |= {source, target}
    for sharing in by_source.values():
        if len(sharing) > 1:
            tied |= sharing
    return tied
