"""The wiki as a reader sees it now: the index, with what changed on the disk since laid over it. Writes nothing.

An index that is missing, broken, locked or newer than this program costs time, never an answer: the pages themselves
are read, and the answer is the same; of one that is broken `notes` says so.
"""

from __future__ import annotations

import os
import sys

from llmwiki.indexes import INDEXES, ranking, scan, settings
from llmwiki.indexes.catalogue import CACHE, FACTS, Catalogue
from llmwiki.indexes.entries import day, plain
from llmwiki.indexes.memory_index import MemoryIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from llmwiki.indexes.base import Index
    from llmwiki.indexes.entries import Entry

    T = TypeVar("T")
    Score = TypeVar("Score", float, tuple[float, int])
    Right = Callable[[str, str, str, int, int, int], bool]


class Snapshot:
    """What can be asked of a wiki in one moment.

    `project`: of which project candidates are, beside those that hold everywhere; "" for any.
    `pages`, `lines`: how many there are. `average`: (of title and tags, of a whole page, of one passage) lengths in
    characters of analysed terms. `about`: numbers and facts that the index keeps. `notes`: what this answer could
    not rely on.
    """

    project = ""

    def __init__(self, root: str, ahead: scan.Scan | None = None) -> None:
        """`ahead`: a look at the pages that goes on meanwhile. Its result is waited for in `answer`, so that a question
        is asked of the index at once; without it the snapshot is up to the pages from the start."""
        self.root = root
        self._catalogue: Catalogue | None = None
        self._looking: scan.Scan | None = ahead or scan.Scan(root)
        self._forget()
        try:
            self._open()
            if self._catalogue and self._catalogue.number("pages") > scan.MOST:
                self._trust()
            elif ahead is None:
                self._settled()
        except Exception as cause:
            self._fall_back(cause)
        self._measure()

    def _forget(self) -> None:
        self.notes = list[str]()
        self.trusted = False
        self._index: Index = MemoryIndex()
        self._over: dict[int, Entry] = {}
        self._overlay = MemoryIndex()
        self._hidden: set[int] = set()
        self._gone: list[Entry] = []
        self._ours: frozenset[int] | None = None
        self._told: dict[str, int] = {}

    def answer(self, ask: Callable[[], T]) -> T:
        """What `ask` gives, asked of the wiki as its pages stand: again when it turns out that they changed since they
        were indexed, and of the pages alone when the index breaks."""
        try:
            found = ask()
            return found if self._settled() else ask()
        except Exception as cause:
            if self._catalogue is None:
                raise
            self._fall_back(cause)
            self._measure()
            return ask()

    def _open(self) -> None:
        folder = os.path.join(self.root, CACHE)
        if scan.astray(self.root, (*scan.HOLDERS, CACHE)):
            raise ValueError("the index is somewhere else")
        self._catalogue = Catalogue(folder)
        if not self._catalogue.ours:
            self._catalogue.about.pop("settings", None)  # the file itself is read
        name = str(self._catalogue.about.get("backend"))
        if name == "memory":
            raise ValueError("the memory backend keeps no index")
        self._index = _backend(name).open_index(folder, False)
        if self._index.generation < self._catalogue.number("generation"):
            raise ValueError("the index is older than its catalogue")

    def _trust(self) -> None:
        """Takes the index for the pages, which are too many to look at all."""
        if self._looking:
            self._looking.stop()
        self._looking, self.trusted = None, True
        self.notes.append(f"more than {scan.MOST} pages, index trusted")

    def _fall_back(self, cause: Exception) -> None:
        """Whatever a derived file does, the pages are there."""
        self.close()
        self._forget()
        self._catalogue = None
        if not isinstance(cause, FileNotFoundError) and "keeps no index" not in str(cause):
            self.notes.append(f"index {_amiss(cause)}, answered from the pages")  # an absent one is no fault
        looking, self._looking = self._looking or scan.Scan(self.root), None
        pages = scan.unpacked(looking.result())
        if isinstance(cause, FileNotFoundError) and len(pages) > scan.SLOW:
            self.notes.append("there is no index (`llmwiki index` makes one), answered from the pages")
        self._add_pages(pages, {})

    def _settled(self) -> bool:
        """Whether what was answered so far holds. If not: takes out what the disk no longer says, and puts in what it
        says now."""
        if self._catalogue is None or self._looking is None:
            return True
        looking, self._looking = self._looking, None
        found, before = looking.result(), self._catalogue.disk()
        if found == before:
            return True
        changed, gone = scan.changed(before, found)
        known = self._catalogue.known([*changed, *gone])
        self._hidden = {known[path][0] for path in gone}
        self._add_pages(changed, known)
        return False

    def _add_pages(self, stats: scan.Stats, known: dict[str, tuple[int, int, int, bytes]]) -> None:
        from llmwiki.indexes import reading

        found = self._settings()
        for path in sorted(stats):
            was = known.get(path)
            try:
                with open(os.path.join(self.root, path), "rb") as page:
                    content = page.read()
            except OSError:
                continue
            if was and was[3] == reading.digest(content):
                continue  # touched, not changed
            if was:
                self._hidden.add(was[0])
            entry = _read(
                content, path, found
            )  # one that cannot be read says nothing, and is counted as the index does
            entry.key = -1 - len(self._over)
            self._over[entry.key] = entry
        self._overlay.update(self._over.values(), (), 0)
        self._measure()

    def _settings(self) -> settings.Settings:
        return settings.known(self.root, self.about)

    def _measure(self) -> None:
        """Sums over the pages as they are now, whatever of them is in the index: the same pages, the same ranking."""
        known = self._catalogue.number if self._catalogue else (lambda name: 0)
        self._gone = self._entries(sorted(self._hidden))
        pages, said, body, lines = (known(name) for name in ("pages", "said_chars", "passage_chars", "passages"))
        for sign, entries in ((1, self._over.values()), (-1, self._gone)):
            for e in entries:
                pages, lines = pages + sign, lines + sign * e.lines
                said, body = said + sign * len(e.said), body + sign * len(e.passages)
        self.pages, self.lines = pages, lines
        self.average = (said / (pages or 1), (said + body) / (pages or 1), body / (lines or 1))

    @property
    def about(self) -> dict[str, object]:
        return self._catalogue.about if self._catalogue else {}

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """How many pages hold each term: those of the index and those laid over it."""
        held = self._index.frequencies(terms) if self._catalogue else [0] * len(terms)
        gone = [set(e.document().split()) for e in self._gone]
        over = self._overlay.frequencies(terms)
        return [a + b - sum(t in said for said in gone) for t, a, b in zip(terms, held, over, strict=True)]

    def candidates(self, terms: Sequence[str], limit: int, right: Right) -> list[Entry]:
        """The pages that hold any of the terms and are in their `right`: about the `limit` best of them, and a third as
        many for the sake of one line, which the other words of a long page hide.

        `right` is asked with type, state, scope, the interval in which the page speaks, and whether an agent loads it
        anyway, before anything else of it is read.
        """
        if not terms:
            return []
        postings = self._postings(terms, "records")
        chars = self._chars({key for counts in postings for key in counts})
        pages = ranking.of_pages(postings, self.pages, chars, self.average[1])
        best = self._first(pages, limit, right)
        if len(pages) > limit:
            lines = ranking.of_passages(self._postings(terms, "passages"), self.lines, chars)
            best |= self._first(lines, limit // 3, right)
        return self._entries(list(best))

    def _first(self, scores: Mapping[int, Score], limit: int, right: Right) -> dict[int, None]:
        """The keys of the best ones in their right: `limit` of them, and what is as good as the last one looked at."""
        many = limit
        while True:
            some = ranking.first(scores, many)
            found = self._allowed(some, right)
            if len(found) >= limit or len(some) == len(scores):
                return found
            many *= 4

    def _postings(self, terms: Sequence[str], space: str) -> list[dict[int, float]]:
        """Those of the index, less what the disk no longer says, with those of the pages laid over it."""
        over = self._overlay.postings(terms, space)
        if not self._catalogue:
            return over
        shift, hidden = ranking.SHIFT if space == "passages" else 0, self._hidden
        held = self._index.postings(terms, space)
        if hidden:
            held = [{key: n for key, n in counts.items() if key >> shift not in hidden} for counts in held]
        return [counts | more for counts, more in zip(held, over, strict=True)]

    def _chars(self, keys: set[int]) -> dict[int, int]:
        """Key -> length in characters of terms."""
        found = self._catalogue.chars([key for key in keys if key >= 0]) if self._catalogue else {}
        return found | {key: self._over[key].chars for key in keys if key < 0}

    def _allowed(self, keys: Iterable[int], right: Right) -> dict[int, None]:
        """Those that are of the project that is asked for, and in their right, in their order."""
        keys = [key for key in keys if self._is_ours(key)] if self.project else list(keys)
        rights = {key: self._over[key].rights() for key in keys if key < 0}
        if self._catalogue:
            rights |= {row[0]: row[1:] for row in self._catalogue.rights([key for key in keys if key >= 0])}
        return {key: None for key in keys if key in rights and right(*rights[key])}

    def _is_ours(self, key: int) -> bool:
        if key < 0:
            return self._over[key].project in ("", self.project)
        if self._ours is None:
            self._ours = self._catalogue.of_project(self.project) if self._catalogue else frozenset()
        return key in self._ours

    def allowed(self, keys: Sequence[int], right: Right) -> list[Entry]:
        """Those of the index's pages that still say what was indexed, and are in their `right`."""
        return self._entries(list(self._allowed([key for key in keys if key not in self._hidden], right)))

    def _entries(self, keys: Sequence[int]) -> list[Entry]:
        found = {key: self._over[key] for key in keys if key < 0}
        if self._catalogue:
            found |= self._catalogue.by_key([key for key in keys if key >= 0])
        return [found[key] for key in keys if key in found]

    def checked(self, entry: Entry) -> Entry:
        """The entry that may be printed: as its page stands now, where the index is trusted or came from elsewhere, and
        silent when the page is gone. Asked within `answer`: ValueError when no page can have given this entry, or two
        rows are of one page, and the pages answer."""
        if entry.key < 0 or not self._catalogue:
            return entry  # made of its page in this very answer
        if self._told.setdefault(entry.path, entry.key) != entry.key:
            raise ValueError("the catalogue has two rows for one page")
        if self.trusted or not self._catalogue.ours:
            stat = scan.page_at(self.root, entry.path)
            if (
                stat is None
                or not self._catalogue.ours
                or (stat.st_mtime_ns, stat.st_size) != (entry.mtime, entry.size)
            ):
                now = self._read_again(entry, stat is not None)
                if not now.says(entry):
                    return now
        if not plain(entry):
            raise ValueError("the catalogue holds what no page can have given")
        return entry

    def _read_again(self, entry: Entry, there: bool) -> Entry:
        from llmwiki.indexes import reading

        try:
            if not there:
                raise FileNotFoundError(entry.path)
            with open(os.path.join(self.root, entry.path), "rb") as page:
                now = _read(page.read(), entry.path, self._settings())
        except OSError:
            now = reading.broken(entry.path)  # an empty page would be one that a person has begun, and would speak
        now.key = entry.key
        return now

    def conditional(self) -> list[Entry]:
        """The pages that have a `when:`."""
        keys = self._catalogue.conditional() if self._catalogue else []
        kept = self._entries([key for key in keys if key not in self._hidden])
        return kept + [entry for entry in self._over.values() if entry.conditions]

    def lessons(self, project: str, now: int, most: int) -> int:
        """How many pages of a project other than traces speak at `now`, counted up to `most`."""

        def speaking(entries: Iterable[Entry]) -> int:
            ours = (e for e in entries if e.project == project and e.type != "trace")
            return sum(e.speaks_from <= now < e.speaks_until for e in ours)

        gone = speaking(self._gone)
        held = self._catalogue.lessons(project, now, most + gone) if self._catalogue else 0
        return min(most, held - gone + speaking(self._over.values()))

    def offers(self, ids: Iterable[str]) -> dict[str, int]:
        """Record id -> how many sessions were offered it, by the traces."""
        wanted = set(ids)
        counted = self._catalogue.offers(wanted) if self._catalogue else {}
        for sign, entries in ((1, self._over.values()), (-1, self._gone)):
            for id in (id for e in entries if e.type == "trace" for id in e.offers.split() if id in wanted):
                counted[id] = counted.get(id, 0) + sign
        return counted

    def silent(self, now: int) -> tuple[int, int]:
        """(stale, waiting) pages."""
        stale, waiting = self._catalogue.silent(now) if self._catalogue else (0, 0)
        for sign, entries in ((1, self._over.values()), (-1, self._gone)):
            for e in entries:
                waiting += sign * e.waits
                stale += sign * (not e.waits and e.state in ("active", "stale") and e.stale_from <= now)
        return stale, waiting

    def newest(self) -> str:
        """The day of the newest thing that was learned; "" in an empty wiki."""
        laid_over = max((entry.created[:10] for entry in self._over.values()), default="")
        held = str(self.about.get("newest") or "")
        if self._catalogue and any(e.created[:10] == held for e in self._gone):
            held = self._catalogue.newest(sorted(self._hidden))
        return max(day(held), laid_over)

    def absent(self) -> list[str]:
        """Names of the agents that have no adapter."""
        names = str(self.about.get("no_adapter") or "").split()
        return [name for name in names if name.isascii() and name.replace("-", "").isalnum()][:FACTS]

    def close(self) -> None:
        self._index.close()
        if self._catalogue:
            self._catalogue.close()


def _amiss(cause: Exception) -> str:
    """What a reader is told of an index that gives no answer; the cure where there is one."""
    said = str(cause)
    if "is locked" in said:  # SQLite's word; its error classes would have to be imported
        return "locked by a writer"
    return "of another version (`llmwiki index` makes it anew)" if "has version" in said else "unreadable"


def _read(content: bytes, path: str, found: settings.Settings) -> Entry:
    """The Entry of a page as it stands; one that never speaks when it cannot be read."""
    from llmwiki.indexes import reading

    try:
        return reading.entry(content.decode("utf-8"), path, found.scope, found.numbers())
    except (reading.BadPage, UnicodeDecodeError):
        return reading.broken(path)


def _backend(name: str) -> Any:
    module = INDEXES.get(name)
    if module is None:
        from llmwiki import registry

        return registry.load("indexes", INDEXES, name)
    __import__(module)
    return sys.modules[module]
