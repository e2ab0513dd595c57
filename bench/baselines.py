"""What a person has without us: `grep`, and the full-text search that comes with SQLite."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from locomo import Page

COMMON = frozenset(
    "a about an and are as at be been by can could did do does for from had has have he her him his how i in is it "
    "its me my of on or she so that the their them they this to was we were what when where which who whom why will "
    "with would you your".split()
)


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if word not in COMMON]


def _text(page: Page) -> str:
    return "\n".join((page.title, *page.lines))


class Grep:
    """Pages by the square of the share of the question's words that they hold, then by how often, a line at a time."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = [(page.id, _text(page).lower()) for page in pages]

    def search(self, question: str) -> list[str]:
        wanted = list(dict.fromkeys(_words(question)))
        scored = []
        for id, text in self._pages:
            counts = [text.count(word) for word in wanted]
            covered = sum(map(bool, counts)) / (len(wanted) or 1)
            scored.append((-(covered**2) * sum(counts), id))
        return [id for score, id in sorted(scored)[:10] if score]


class Fts:
    """SQLite's FTS5 with Porter stems, any word of the question, BM25 as it comes."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE pages USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')")
        self._db.executemany("INSERT INTO pages VALUES (?, ?)", ((page.id, _text(page)) for page in pages))

    def search(self, question: str) -> list[str]:
        wanted = " OR ".join(f'"{word}"' for word in _words(question))
        if not wanted:
            return []
        rows = self._db.execute("SELECT id FROM pages WHERE pages MATCH ? ORDER BY rank, id LIMIT 10", (wanted,))
        return [id for (id,) in rows]
