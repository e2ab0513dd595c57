"""SQLite's FTS5, from the standard library: the index that is made quickest, suggested for wikis of many pages.

Terms come analysed. FTS5 sees them through its plain ASCII tokenizer, with the joiners of identifiers put as private
characters: so that `snake_case` is one token, and no character of a term means anything to the query syntax.
"""

from __future__ import annotations

import os

from llmwiki.indexes.catalogue import connect
from llmwiki.indexes.entries import best_of_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llmwiki.indexes.entries import Entry

FILE = "fts.sqlite"
VERSION = 1
_TABLES = f"""
CREATE TABLE about (version INTEGER, generation INTEGER);
CREATE VIRTUAL TABLE records USING fts5(terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE passages USING fts5(terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE held USING fts5vocab(records, 'row');
INSERT INTO about VALUES ({VERSION}, 0);
"""
_COVER = {ord(c): chr(0xE000 + ord(c)) for c in "_-./\\:@+#\0"}


class SqliteIndex:
    """The contract of `base.Index` in one file of SQLite."""

    def __init__(self, folder: str, write: bool) -> None:
        path = os.path.join(folder, FILE)
        self._db = connect(path, write, _TABLES)
        try:
            version, self.generation = self._db.execute("SELECT version, generation FROM about").fetchone()
            if version != VERSION:
                raise ValueError(f"{FILE} has version {version}, not {VERSION}")
        except BaseException:
            self._db.close()
            raise

    def update(self, added: Iterable[Entry], removed: Iterable[int], generation: int) -> None:
        with self._db:
            for key in removed:
                self._db.execute("DELETE FROM records WHERE rowid = ?", (key,))
                self._db.execute("DELETE FROM passages WHERE rowid BETWEEN ? AND ?", (key << 12, (key + 1 << 12) - 1))
            for entry in added:
                self._db.execute(
                    "INSERT INTO records(rowid, terms) VALUES (?, ?)", (entry.key, cover(entry.document()))
                )
                rows = [(entry.key << 12 | n, cover(line)) for n, line in enumerate(entry.separate_passages())]
                self._db.executemany("INSERT INTO passages(rowid, terms) VALUES (?, ?)", rows)
            self._db.execute("UPDATE about SET generation = ?", (generation,))
        self.generation = generation

    def search(self, terms: Sequence[str], limit: int, space: str = "records") -> list[tuple[int, float]]:
        if not terms:
            return []
        query = " OR ".join('"' + cover(term).replace('"', '""') + '"' for term in terms)
        many = limit if space == "records" else limit * 3
        rows = self._db.execute(
            f"SELECT rowid, -rank FROM {space} WHERE {space} MATCH ? ORDER BY rank LIMIT ?", (query, many)
        ).fetchall()
        found = rows if space == "records" else best_of_page((key >> 12, score) for key, score in rows).items()
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:limit]

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        counts = []
        for term in terms:
            row = self._db.execute("SELECT doc FROM held WHERE term = ?", (cover(term),)).fetchone()
            counts.append(row[0] if row else 0)
        return counts

    def close(self) -> None:
        self._db.close()


def cover(text: str) -> str:
    """Terms in a form that FTS5 takes apart at spaces only."""
    return text.translate(_COVER)


def open_index(folder: str, write: bool = False) -> SqliteIndex:
    """The index in `folder`; made when `write` and absent."""
    return SqliteIndex(folder, write)
