"""`.llmwiki/cache/index/catalogue.sqlite`: what is known of each page, beside the backends that rank words.

Derived from the pages and deletable at any time. Readers create no file and wait for nobody.
"""

from __future__ import annotations

import os

try:  # the C part alone: what the `sqlite3` package adds (dates as values) costs more than a search
    from _sqlite3 import Connection
    from _sqlite3 import connect as _connect
except ImportError:
    from sqlite3 import Connection
    from sqlite3 import connect as _connect

from llmwiki.indexes.entries import COLUMNS, Entry, plain, regular
from llmwiki.indexes.scan import MOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CACHE = os.path.join(".llmwiki", "cache", "index")
FILE = "catalogue.sqlite"
SEAL = "made"
VERSION = 5
BUSY_MS = 200
SUMS = ("pages", "said_chars", "passage_chars", "passages")
_AT_ONCE = 500  # variables of one statement
# What an answer from a file of ours stays far below. SQLite's tables are trees, and one that came with a cloned wiki
# may lead in a circle: each of its steps is sound, and there is no end of them.
STEPS = 1 << 25  # of SQLite's machine, for one reader
PER_BYTE = 4  # of those, for one that looks at all of a file
LENGTH, _VALUE = 1 << 26, 1 << 20  # bytes of one value of a table, of one number or fact about all pages
FACTS, ROWS = 64, 1 << 27  # numbers and facts; characters of the pages that are looked at together
NAMED = 300  # bytes of a page in the scan at most: its name, its time, its size
_LENGTH_LIMIT = 0  # SQLite's number for it
_NAMES = ", ".join(f'"{name}"' for name in COLUMNS)
_TABLES = f"""
CREATE TABLE about (name TEXT PRIMARY KEY, value);
CREATE TABLE offers (id TEXT PRIMARY KEY, n INTEGER);
CREATE TABLE pages ({_NAMES.replace('"key"', '"key" INTEGER PRIMARY KEY', 1)});
CREATE UNIQUE INDEX by_path ON pages (path);
CREATE INDEX by_right ON pages (key, type, state, scope, speaks_from, speaks_until, loaded);
CREATE INDEX by_length ON pages (key, chars);
CREATE INDEX by_state ON pages (waits, stale_from, state);
CREATE INDEX by_day ON pages (created);
CREATE INDEX by_project ON pages (project, type);
CREATE INDEX by_condition ON pages (key) WHERE conditions <> '';
"""


def connect(path: str, write: bool, tables: str) -> Connection:
    """A connection to a file that holds these tables, which never waits long. For reading: creates no file, takes no
    lasting lock, works on a disk that cannot be written; raises OSError when there is no such file. ValueError when
    there is anything else in it.

    The rollback journal is kept on purpose: with a write-ahead log, a reader would have to make files.
    """
    db = _opened(path, write)
    try:
        there = _described(db)
        if write and not there:
            db.executescript(tables)
        elif there != _expected(tables):
            raise ValueError(f"{os.path.basename(path)} holds other tables than an index")
    except BaseException:
        db.close()
        raise
    return db


def _described(db: Connection) -> list[str]:
    return sorted(sql for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))


def _expected(tables: str) -> list[str]:
    """What SQLite notes of them. A file that came with a cloned wiki may hold a view in the place of a table, or a
    trigger, and these run what they like, without end if they like."""
    if "VIRTUAL" not in tables:
        return sorted(statement.strip() for statement in tables.split(";") if statement.strip())
    db = _connect(":memory:")  # a virtual table keeps tables of its own, as this SQLite makes them
    try:
        db.executescript(tables)
        return _described(db)
    finally:
        db.close()


def _opened(path: str, write: bool) -> Connection:
    if write:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        db = _connect(path, timeout=10)
        # No reader is kept out before the commit, unless a change is so big that it would not fit into 32 MB of memory.
        db.executescript("PRAGMA synchronous = OFF; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY;")
        return db
    regular(path)
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    db = _connect(f"file:{escaped}?mode=ro", uri=True, timeout=BUSY_MS / 1000)
    db.setlimit(_LENGTH_LIMIT, LENGTH)
    db.set_progress_handler(lambda: 1, STEPS)  # which ends the statement
    return db


def signs(folder: str) -> str:
    """What the disk says of the catalogue: its number, time, size, and when that was last touched. No clone, archive or
    copy brings these along, and no file can say beforehand what they will be. "" when there is none."""
    try:
        stat = os.lstat(os.path.join(folder, FILE))
    except OSError:
        return ""
    return f"{stat.st_ino} {stat.st_mtime_ns} {stat.st_size} {stat.st_ctime_ns}"


def sealed(folder: str) -> str:
    """What `signs` gave when this program last wrote the catalogue; "" when nobody knows."""
    try:
        with open(regular(os.path.join(folder, SEAL), 200), encoding="ascii") as file:
            return file.read()
    except (OSError, ValueError):
        return ""


def damage(db: Connection, name: str) -> str:
    """What SQLite finds wrong with the pages of its file, "" for nothing."""
    try:
        length = db.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0]
        db.set_progress_handler(lambda: 1, min(STEPS + PER_BYTE * length, (1 << 31) - 1))  # it looks at each row
        said = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
        db.set_progress_handler(None, 0)  # no table leads in a circle, and whoever reads all of them needs many steps
    except Exception as cause:
        said = str(cause)
    return "" if said == "ok" else f"{name} is damaged"


class Catalogue:
    """The pages of one wiki as Entries, and a few numbers about all of them (`about`).

    For reading: raises OSError, ValueError or sqlite3.Error when it is absent, broken, locked or of another version.
    `ours`: nobody else wrote it since this program did, so that what it has of a page is what the page said.
    """

    def __init__(self, folder: str, write: bool = False) -> None:
        self.ours = (sealed(folder) or "-") == signs(folder)
        self.db = connect(os.path.join(folder, FILE), write, _TABLES)
        try:
            self.about = self._facts()
            if (self.about and self.about.get("version") != VERSION) or not (self.about or write):
                raise ValueError(f"{FILE} has version {self.about.get('version')}, not {VERSION}")
        except BaseException:
            self.db.close()
            raise

    def _facts(self) -> dict[str, object]:
        kept = self.db.setlimit(_LENGTH_LIMIT, _VALUE)
        rows = self.db.execute("SELECT name, value FROM about WHERE name <> 'disk' LIMIT ?", (FACTS,))  # see `disk`
        found: dict[str, object] = dict(rows)
        self.db.setlimit(_LENGTH_LIMIT, kept)
        return found

    def number(self, name: str) -> int:
        """A number of `about`; 0 when it is not there."""
        value = self.about.get(name)
        return value if isinstance(value, int) else 0

    def disk(self) -> bytes:
        """The scan of the pages that it was made from; ValueError when there is none, or one that is longer than their
        names can be. A reader of many pages asks for none."""
        longest = NAMED * (min(max(0, self.number("pages")), ROWS) + MOST)
        found = "SELECT value FROM about WHERE name = 'disk' AND length(value) <= ?"
        row = self.db.execute(found, (longest,)).fetchone()
        if not row or not isinstance(row[0], bytes):
            raise ValueError(f"{FILE} does not say what it was made from")
        return row[0]

    def by_key(self, keys: Sequence[int]) -> dict[int, Entry]:
        """Key -> Entry, for those that are there. ValueError when they say more than pages do: rows of a planted file
        may share what they say."""
        found: dict[int, Entry] = {}
        chars = 0
        for i in range(0, len(keys), _AT_ONCE):
            some = keys[i : i + _AT_ONCE]
            marks = ",".join("?" * len(some))
            for row in self.db.execute(f"SELECT {_NAMES} FROM pages WHERE key IN ({marks})", some):
                entry = found[row[0]] = Entry(row)
                chars += len(entry.spoken) + len(entry.passages) + len(entry.said) + len(entry.cites)
                chars += len(entry.title) + len(entry.conditions) + len(entry.costs) + len(entry.offers)
                if chars > ROWS:
                    raise ValueError("pages that say more than there is")
        return found

    def chars(self, keys: Sequence[int]) -> dict[int, int]:
        """Key -> length in characters of terms, of those that are there."""
        found: dict[int, int] = {}
        for i in range(0, len(keys), _AT_ONCE):
            some = keys[i : i + _AT_ONCE]
            marks = ",".join("?" * len(some))
            found.update(
                self.db.execute(f"SELECT key, chars FROM pages INDEXED BY by_length WHERE key IN ({marks})", some)
            )
        return found

    def rights(self, keys: Sequence[int]) -> Iterator[tuple[int, str, str, str, int, int, int]]:
        """(key, type, state, scope, speaks from, speaks until, loaded) of those that are there: enough to leave most
        alone."""
        for i in range(0, len(keys), _AT_ONCE):
            some = keys[i : i + _AT_ONCE]
            marks = ",".join("?" * len(some))
            yield from self.db.execute(
                "SELECT key, type, state, scope, speaks_from, speaks_until, loaded FROM pages "
                f"INDEXED BY by_right WHERE key IN ({marks})",
                some,
            )

    def every(self) -> Iterator[Entry]:
        for row in self.db.execute(f"SELECT {_NAMES} FROM pages ORDER BY key"):
            yield Entry(row)

    def by_path(self, path: str) -> Entry | None:
        row = self.db.execute(f"SELECT {_NAMES} FROM pages WHERE path = ?", (path,)).fetchone()
        return Entry(row) if row else None

    def conditional(self) -> list[int]:
        """Keys of the pages that have a `when:`."""
        return [key for (key,) in self.db.execute("SELECT key FROM pages WHERE conditions <> '' ORDER BY key")]

    def of_project(self, project: str) -> frozenset[int]:
        """Keys of the pages of a project, and of those that are of none."""
        found = self.db.execute("SELECT key FROM pages INDEXED BY by_project WHERE project IN (?, '')", (project,))
        return frozenset(key for (key,) in found)

    def lessons(self, project: str, now: int, most: int) -> int:
        """How many pages of this project other than traces speak at `now`, counted up to `most`."""
        speaks = "project = ? AND type <> 'trace' AND speaks_from <= ? AND speaks_until > ?"
        counted = f"SELECT count(*) FROM (SELECT 1 FROM pages WHERE {speaks} LIMIT ?)"
        return int(self.db.execute(counted, (project, now, now, most)).fetchone()[0])

    def offers(self, ids: Iterable[str]) -> dict[str, int]:
        """Record id -> how many sessions it was offered in."""
        found = ((id, self.db.execute("SELECT n FROM offers WHERE id = ?", (id,)).fetchone()) for id in ids)
        return {id: row[0] for id, row in found if row}

    def silent(self, now: int) -> tuple[int, int]:
        """(stale, waiting): how many pages do not speak at `now` because of age, and because nobody let them yet."""
        stale = "SELECT count(*) FROM pages WHERE waits = 0 AND stale_from <= ? AND state IN ('active', 'stale')"
        waiting = "SELECT count(*) FROM pages WHERE waits = 1"
        return self.db.execute(stale, (now,)).fetchone()[0], self.db.execute(waiting).fetchone()[0]

    def newest(self, without: Sequence[int] = ()) -> str:
        """The day of the newest thing learned that stands on any other page than these; "" when there is none."""
        marks = ",".join("?" * len(without))
        newest = f"SELECT created FROM pages WHERE key NOT IN ({marks}) ORDER BY created DESC LIMIT 1"
        found = self.db.execute(newest, without).fetchone()
        return str(found[0] or "")[:10] if found else ""

    def damage(self) -> str:
        """What is wrong with it, "" for nothing. Reads all of it: a part of a text may be lost where SQLite misses
        nothing."""
        found = damage(self.db, FILE)
        if not found:
            wrong = next((e for e in self.every() if "\0" in e.said + e.passages or not (plain(e) or not e.id)), None)
            found = f"{FILE} does not hold what {wrong.path!a} says" if wrong else ""
        return found

    def close(self) -> None:
        self.db.close()

    # The writer's half.

    def known(self, paths: Sequence[str]) -> dict[str, tuple[int, int, int, bytes]]:
        """Path -> (key, mtime, size, digest), of those that are there."""
        found: dict[str, tuple[int, int, int, bytes]] = {}
        for i in range(0, len(paths), _AT_ONCE):
            some = paths[i : i + _AT_ONCE]
            marks = ",".join("?" * len(some))
            rows = self.db.execute(f"SELECT path, key, mtime, size, digest FROM pages WHERE path IN ({marks})", some)
            found.update((path, (key, mtime, size, digest)) for path, key, mtime, size, digest in rows)
        return found

    def drop(self, keys: Iterable[int]) -> None:
        for key in keys:
            row = self.db.execute(f"SELECT {_NAMES} FROM pages WHERE key = ?", (key,)).fetchone()
            if row:
                self.db.execute("DELETE FROM pages WHERE key = ?", (key,))
                self._count(Entry(row), -1)

    def add(self, entries: Iterable[Entry]) -> None:
        """Puts in pages whose keys are not there."""
        marks, added = ",".join("?" * len(COLUMNS)), list(entries)
        self.db.executemany(f"INSERT INTO pages VALUES ({marks})", [entry.row() for entry in added])
        for entry in added:
            self._count(entry, 1)

    def _count(self, entry: Entry, sign: int) -> None:
        """Keeps the sums: number of pages, and of their lengths in terms (what the ranking's averages come from), and
        how often each record was offered (the fold over the traces, which name what their session was given). To sum
        anew over all pages costs a hundredfold what ten of them do."""
        for name, n in zip(SUMS, entry.lengths(), strict=True):
            self.about[name] = self.number(name) + sign * n
        counted = "INSERT INTO offers VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET n = n + excluded.n"
        for id in entry.offers.split() if entry.type == "trace" else ():
            self.db.execute(counted, (id, sign))
            self.db.execute("DELETE FROM offers WHERE id = ? AND n <= 0", (id,))

    def restamp(self, stats: Iterable[tuple[int, int, int]]) -> None:
        """Pages whose time alone changed: (mtime, size, key)."""
        self.db.executemany("UPDATE pages SET mtime = ?, size = ? WHERE key = ?", stats)

    def tell(self, disk: bytes, **about: object) -> None:
        """Writes down the sums, the scan, and what else is to be kept about all pages."""
        self.about.update(about)
        told = {**{name: self.number(name) for name in SUMS}, **about, "disk": disk}
        self.db.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", told.items())
