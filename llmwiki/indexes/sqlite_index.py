"""SQLite's FTS5, from the standard library: the index that is made quickest, suggested for wikis of many pages.

Terms come analysed. FTS5 sees them through its plain ASCII tokenizer, with the joiners of identifiers put as private
characters: so that `snake_case` is one token.
"""

from __future__ import annotations

import os

from llmwiki.indexes.catalogue import connect, damage
from llmwiki.indexes.ranking import SHIFT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llmwiki.indexes.entries import Entry

FILE = "fts.sqlite"
VERSION = 2
_TABLES = f"""
CREATE TABLE about (version INTEGER, generation INTEGER);
CREATE VIRTUAL TABLE records USING fts5(terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE passages USING fts5(terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE held USING fts5vocab(records, 'row');
CREATE VIRTUAL TABLE records_terms USING fts5vocab(records, 'instance');
CREATE VIRTUAL TABLE passages_terms USING fts5vocab(passages, 'instance');
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
                self._db.execute(
                    "DELETE FROM passages WHERE rowid BETWEEN ? AND ?", (key << SHIFT, (key + 1 << SHIFT) - 1)
                )
            for entry in added:
                self._db.execute(
                    "INSERT INTO records(rowid, terms) VALUES (?, ?)", (entry.key, cover(entry.document()))
                )
                rows = [(entry.key << SHIFT | n, cover(line)) for n, line in enumerate(entry.separate_passages())]
                self._db.executemany("INSERT INTO passages(rowid, terms) VALUES (?, ?)", rows)
            self._db.execute("UPDATE about SET generation = ?", (generation,))
        self.generation = generation

    def postings(self, terms: Sequence[str], space: str = "records") -> list[dict[int, float]]:
        found = []
        for term in terms:
            counts: dict[int, float] = {}
            for (key,) in self._db.execute(f"SELECT doc FROM {space}_terms WHERE term = ?", (cover(term),)):
                counts[key] = counts.get(key, 0.0) + 1
            found.append(counts)
        return found

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        counts = []
        for term in terms:
            row = self._db.execute("SELECT doc FROM held WHERE term = ?", (cover(term),)).fetchone()
            counts.append(row[0] if row else 0)
        return counts

    def damage(self) -> str:
        found = damage(self._db, FILE)
        for space in () if found else ("records", "passages"):  # the end of a text may be lost where SQLite misses none
            lost = f"SELECT 1 FROM {space}_content WHERE instr(CAST(c0 AS BLOB), x'00') LIMIT 1"
            found = f"{FILE} is damaged" if self._db.execute(lost).fetchone() else found
        return found

    def close(self) -> None:
        self._db.close()


def cover(text: str) -> str:
    """Terms in a form that FTS5 takes apart at spaces only."""
    return text.translate(_COVER)


def open_index(folder: str, write: bool = False) -> SqliteIndex:
    """The index in `folder`; made when `write` and absent."""
    return SqliteIndex(folder, write)
