"""What a rule is given, and what it gives.

A rule is a function `(wiki, seen) -> Iterator[Findings]`: it yields once for each thing that it examined, with what is
wrong with it, and an empty tuple where nothing is. So "0 findings" and "0 checks" cannot be mixed up, and no rule can
forget to count. Its docstring is its documentation: the first sentence says what is found, the rest why, and the cure.
Rules read no file: everything that they may look at besides the records is in `Seen`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from llmwiki import frontmatter_text, markdown, rawpage
from llmwiki.lifecycle import Numbers
from llmwiki.model import Claim, Record, RecordType, State, Turn, Wiki, stem_of
from llmwiki.redact import Redactor
from llmwiki.schema import LIFECYCLE

RAW_STEM = re.compile(r"(?:\d{4}-\d\d-\d\d|undated)-.+-[0-9a-f]{8}")
TURN = re.compile(r"t\d+(?:-\d+)?")


@dataclass(frozen=True, slots=True)
class Rule:
    """A line of the table: what the rule is called, how bad a finding is (error, warning or info), where its function
    stands (`module:function`), whether `--fix` can mend any of it, whether only `--deep` asks for it. `also` is how bad
    some of its findings are instead."""

    name: str
    severity: str
    part: str
    fixable: bool = False
    deep: bool = False
    also: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that is wrong. `severity` is given where it differs from the rule's.

    What `--fix` may do about it: `edit` makes the page's new text of the old one, `move` is where the page belongs,
    `refresh` is "changed" or "rebuild" where something derived has to be made again.
    """

    path: str
    message: str
    line: int = 0
    severity: str = ""
    edit: Callable[[str], str] | None = field(default=None, compare=False)
    move: str = ""
    refresh: str = ""

    @property
    def fixable(self) -> bool:
        return bool(self.edit or self.move or self.refresh)


Findings = tuple[Found, ...]
Check = Callable[[Wiki, "Seen"], Iterator[Findings]]


@dataclass(frozen=True, slots=True)
class Indexed:
    """One page as the search index has it. `trusted`: its time and size are those of the disk, so that no search reads
    it again. `speaks`: whether it may answer now. `ranked`: whether its own words find it; None when nobody asked."""

    id: str
    digest: bytes
    trusted: bool = True
    speaks: bool = True
    ranked: bool | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """The text of a page ("" when it cannot be read), the line on which its body begins, and the lines of its keys."""

    text: str
    body_line: int = 1
    keys: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Seen:
    """What rules may look at besides the records.

    `pages`: paths of everything below `wiki/` that shall be a record, readable or not. `raw`: paths of the raw pages
    on this machine. `read` gives a file's text, None where it has none; `turn` a turn of a raw page; `by_person` tells
    whether a person changed a record's page. `indexed`: path -> what the index has, None where there is no index;
    `digest` what it would note of a page. `navigation`: path -> text of the pages that lead through the wiki as they
    shall be, None when nobody asked.
    """

    now: datetime
    pages: Sequence[str] = ()
    raw: Sequence[str] = ()
    read: Callable[[str], str | None] = lambda path: None
    turn: Callable[[str, str], Turn | None] = lambda stem, anchor: None
    by_person: Callable[[Record], bool] = lambda record: False
    redactor: Redactor = field(default_factory=Redactor)
    numbers: Numbers = field(default_factory=lambda: LIFECYCLE)
    indexed: Mapping[str, Indexed] | None = None
    digest: Callable[[str], bytes] = lambda path: b""
    navigation: Mapping[str, str | None] | None = None
    memo: dict[str, Any] = field(default_factory=dict)
    _pages: dict[str, Page] = field(default_factory=dict)
    _claims: dict[str, tuple[Claim, ...]] = field(default_factory=dict)
    _anchors: dict[str, frozenset[str]] = field(default_factory=dict)
    _stems: dict[str, str] = field(default_factory=dict)

    def page(self, path: str) -> Page:
        """A page by its path; an empty one when it cannot be read."""
        if path not in self._pages:
            self._pages[path] = _page(self.read(path) or "")
        return self._pages[path]

    def key_line(self, record: Record, key: str) -> int:
        """The line of the page on which a key stands, 1 when it does not."""
        return self.page(record.path).keys.get(key, 1)

    def body_line(self, record: Record, line: int) -> int:
        """The line of the page for the 1-based line of a record's body."""
        return self.page(record.path).body_line + max(line, 1) - 1

    def claims(self, record: Record) -> tuple[Claim, ...]:
        if record.id not in self._claims:
            self._claims[record.id] = markdown.claims(record.body)
        return self._claims[record.id]

    @property
    def raw_stems(self) -> Mapping[str, str]:
        """Stem, folded -> path of each raw page."""
        if not self._stems:
            self._stems.update({stem_of(path).casefold(): path for path in self.raw})
        return self._stems

    def anchors(self, stem: str) -> frozenset[str] | None:
        """The turns of a raw page; None when it is not on this machine."""
        path = self.raw_stems.get(stem.casefold())
        if path is None:
            return None
        if path not in self._anchors:
            self._anchors[path] = frozenset(m[1] for m in rawpage.HEADER.finditer(self.read(path) or ""))
        return self._anchors[path]


def _page(text: str) -> Page:
    try:
        parts = frontmatter_text.split(text)
        keys = frontmatter_text.load(parts.head).lines if parts.head is not None else {}
        return Page(text, markdown.body_line(text), keys)
    except frontmatter_text.BadPage:
        return Page(text)


def living(wiki: Wiki) -> list[Record]:
    """The records that are not archived, by path."""
    return sorted((r for r in wiki.records.values() if r.state is not State.ARCHIVED), key=lambda r: r.path)


def lessons(wiki: Wiki) -> list[Record]:
    """The living records that teach something: all but traces."""
    return [r for r in living(wiki) if r.type is not RecordType.TRACE]


def folded(name: str) -> str:
    """The form in which two names are one on a disk or for a link that ignores case and Unicode forms."""
    return unicodedata.normalize("NFC", name).casefold()


def target_of(link: str) -> str:
    """The stem that a link's target means, folded: `folder/Some Page.md` -> `some page`."""
    return folded(link.strip().removesuffix(".md").rsplit("/", 1)[-1].strip())


def is_raw(target: str, anchor: str = "") -> bool:
    """Whether a link means a raw page, here or on another machine: by its name's form, or because it names a turn."""
    return bool(RAW_STEM.fullmatch(target) or TURN.fullmatch(anchor))


def some(names: Iterable[str], most: int = 3) -> str:
    """The first names of many: `a, b, c and 4 more`."""
    said = list(names)
    more = f" and {len(said) - most:,} more" if len(said) > most else ""
    return ", ".join(said[:most]) + more
