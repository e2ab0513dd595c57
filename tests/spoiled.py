"""A wiki in which every rule has something to examine and nothing is wrong, and ways to spoil it."""

import sqlite3

import pytest
from wikis import STEM, record

from llmwiki import markdown, rawpage
from llmwiki.model import Evidence, Session, Turn
from llmwiki.workspace import Workspace

NOW = "2026-03-05T00:00:00Z"
SECRET = "ghp_" + "x7Kq2ZpL9vR4tWmN8bYcD3fGhJ6sAeQ1uTxV"
RAW = f"raw/codex/shop/{STEM}.md"
SESSION = Session(
    agent="codex",
    id="0badcafe",
    turns=(
        Turn(
            3, "user", "Use `uv` here, never pip. The database is `shop.db`.", origin="typed", at="2026-03-01T10:00:00Z"
        ),
        Turn(4, "tool", '{"cmd": "uv run pytest"}', tool="Bash", outcome="error 1", result="no such table: notes"),
        Turn(5, "tool", '{"cmd": "uv run migrate"}', tool="Bash", outcome="ok", result="done"),
    ),
)
CLEAN = (
    record("use-uv-1a2b", "Use `uv` here", "preference", evidence=Evidence.USER_SAID),
    record(
        "no-such-table-3c4d",
        kind="failure",
        when={"errors": ["no such table"]},
        body=f"## Symptom\n\n- `no such table: notes` [[{STEM}#^t4]]\n\n## Cure\n\n- `uv run migrate` [[{STEM}#^t5]]\n"
        "\n## Links\n\n- [[use-uv-1a2b]]\n",
        aliases=("missing table",),
    ),
    record("database-5e6f", "The database is `shop.db`", description="where it lies"),
)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    monkeypatch.setenv("LLMWIKI_NOW", NOW)


@pytest.fixture
def root(tmp_path):
    """A wiki in which every rule has something to examine, and nothing is wrong."""
    return wiki_of(tmp_path, *CLEAN)


def wiki_of(folder, *records, raw=True):
    (folder / "llmwiki.toml").write_text('[index]\nbackend = "sqlite"\n', "utf-8")
    put(folder, *records)
    if raw:
        write(folder, RAW, rawpage.render(SESSION))
    settle(folder)
    return folder


def put(folder, *records):
    for r in records:
        write(folder, r.path, markdown.render(r))


def write(folder, path, text):
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8"))


def settle(folder):
    """Navigation and index as `sync` leaves them."""
    wiki = Workspace(folder)
    with wiki.operation("sync", "") as operation:
        operation.apply(wiki.navigation(["wiki/"]))
    wiki.index()


def linted(folder, *rules, **options):
    return Workspace(folder).lint(rules=rules, **options)


def messages(folder, *rules, **options):
    return [d["message"] for d in linted(folder, *rules, **options)["diagnostics"]]


def changed(folder, path, old, new):
    text = (folder / path).read_bytes().decode("utf-8")
    assert old in text
    write(folder, path, text.replace(old, new))


FACT, FAILURE, RULE = (
    "wiki/facts/database-5e6f.md",
    "wiki/failures/no-such-table-3c4d.md",
    "wiki/preferences/use-uv-1a2b.md",
)
HAND = "---\ntitle: By hand\n---\n\n"


def swap(path, old, new):
    return lambda root: changed(root, path, old, new)


def new(path, text):
    return lambda root: write(root, path, text)


def moved(old, new):
    def move(root):
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        (root / old).rename(root / new)

    return move


def forgotten(root):
    """A page goes out of the ranked words, and the catalogue still has it."""
    db = sqlite3.connect(root / ".llmwiki/cache/index/fts.sqlite")
    db.execute("DELETE FROM records")
    db.commit()
    db.close()
