"""One predicate: what is withdrawn is said by no reader, whichever way it was withdrawn and whatever is asked.

`python -m tests.test_withdrawn` prints the table of ways and readers.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from pathlib import Path

import pytest

from llmwiki import lifecycle
from llmwiki.cli.group import NAMES
from llmwiki.indexes import INDEXES, scan
from llmwiki.model import Reader as Who
from llmwiki.workspace import Workspace
from tests.planted import (
    CONTROL,
    NO_READERS,
    NOW,
    PAGES,
    READERS,
    SCOPED,
    WAYS,
    everyone,
    may_speak,
    plant,
    spoken,
    told,
)
from tests.wikis import record, write

INDEX = ".llmwiki/cache/index/"
WORDS = [(way, word) for way, page in PAGES.items() for word in (page.title, page.body, page.id)]


@pytest.fixture(autouse=True)
def clock(monkeypatch, tmp_path):
    monkeypatch.setenv("LLMWIKI_NOW", NOW)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=sorted(INDEXES))
def wiki(request, tmp_path):
    return plant(tmp_path / "wiki", request.param)


def test_each_page_is_withdrawn_in_its_way_alone(wiki):
    found = Workspace(wiki)
    records = found.load().records
    for reader, speaks in ((Who(), {CONTROL, SCOPED}), (Who("", frozenset({"public"})), {CONTROL})):
        assert {
            way for way, page in PAGES.items() if lifecycle.retrievable(records[page.id], found.now, reader)
        } == speaks


def leaks(root, besides=()):
    """(reader, way) for each page that a reader tells of and must not, or does not tell of and should."""
    found = {}
    for reader in everyone():
        said = told_of(reader, root)
        due = may_speak(reader) if reader.speaks else set()
        found[reader.name] = sorted((said ^ due) - set(besides))
    return {name: ways for name, ways in found.items() if ways}


def told_of(reader, root):
    """The ways whose page is told of by a reader that is asked for each of them."""
    asked = PAGES.values() if reader.asked else [PAGES[CONTROL]]
    return set().union(*(told(reader, reader.ask(root, page)) for page in asked))


def test_no_reader_says_what_is_withdrawn(wiki):
    assert leaks(wiki) == {}


def test_nor_with_an_index_that_is_trusted(wiki, monkeypatch):
    monkeypatch.setattr(scan, "MOST", 0)
    assert leaks(wiki) == {}


def test_nor_with_an_index_that_is_broken(wiki):
    for path in (wiki / INDEX).rglob("*"):
        if path.is_file():
            path.write_bytes(b"broken")
    assert leaks(wiki) == {}


def test_nor_once_age_was_applied(wiki):
    Workspace(wiki).decay(yes=True)
    released = "quarantined until yesterday, not released"
    assert leaks(wiki, [released]) == {}


def test_every_command_is_a_reader_that_is_asked_or_none_for_a_reason():
    assert sorted([*READERS, *NO_READERS]) == sorted(NAMES), "say in tests/planted.py whether the new one is a reader"
    assert all(READERS.values()) and all(NO_READERS.values())


@pytest.mark.parametrize("module", ["exporters", "site", "mcp"])
def test_what_does_not_exist_yet_has_to_be_asked_when_it_does(module):
    """The day that one comes: put each of its parts into tests/planted.py, and its name out of this list."""
    assert importlib.util.find_spec(f"llmwiki.{module}") is None


def test_no_file_but_the_page_itself_and_the_index_has_its_words(wiki):
    """The index keeps the words of withdrawn pages for `search --all`: derived, deletable, never in git."""
    own = {page.id for page in PAGES.values()}
    for path in sorted(wiki.rglob("*")):
        name = path.relative_to(wiki).as_posix()
        if path.is_file() and path.stem not in own and not name.startswith(INDEX):
            content = path.read_bytes()
            assert [way for way, word in WORDS if way not in (CONTROL, SCOPED) and word.encode() in content] == [], name
    assert ".llmwiki/" in (wiki / ".gitignore").read_text().splitlines()


# -- at once


def archived_by_command(root, page):
    spoken(["review", "archive", "gone-0001", "--wiki", str(root)])


def archived_in_place(root, page):
    page.write_text(page.read_text().replace("state: active", "state: archived"))


def moved_to_the_archive(root, page):
    there = root / "wiki/archive/facts" / page.name
    there.parent.mkdir(parents=True, exist_ok=True)
    page.rename(there)


def superseded_in_place(root, page):
    page.write_text(page.read_text().replace("state: active", "state: active\nsuperseded_by: stays-0001"))


def narrowed_in_place(root, page):
    page.write_text(page.read_text().replace("scope: public", "scope: user"))


def deleted(root, page):
    page.unlink()


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("backend", ["whoosh", "sqlite"])
@pytest.mark.parametrize("always", [False, True])
@pytest.mark.parametrize(
    "withdraw",
    [archived_by_command, archived_in_place, moved_to_the_archive, superseded_in_place, narrowed_in_place, deleted],
)
def test_withdrawal_holds_at_once(tmp_path, monkeypatch, backend, trusted, always, withdraw):
    root = tmp_path / "wiki"
    Workspace.init(root)
    settings = (root / "llmwiki.toml").read_text()
    (root / "llmwiki.toml").write_text(settings.replace('backend = "whoosh"', f'backend = "{backend}"'))
    public = ["--scope", "public", "--wiki", str(root)]
    gone = record(
        "gone-0001",
        "It says wibgonebody",
        title="zorgonetitle",
        scope="public",
        when={"always": True} if always else {},
    )
    write(root, gone, record("stays-0001", "It says wibstaysbody", title="zorstaystitle", scope="public"))
    Workspace(root).index()
    if trusted:
        monkeypatch.setattr(scan, "MOST", 0)
    ask = ["context", "zorgonetitle wibgonebody zorstaystitle wibstaysbody", *public]
    assert "wibgonebody" in spoken(ask)
    withdraw(root, root / gone.path)
    for asked in (ask, [*ask, "--json"], ["context", "zorstaystitle wibstaysbody", *public]):
        said = spoken(asked)
        assert "wibgonebody" not in said and "zorgonetitle" not in said and "wibstaysbody" in said
    assert "wibgonebody" not in spoken(["search", "zorgonetitle wibgonebody", *public])
    assert "wibgonebody" not in spoken(["search", "zorgonetitle wibgonebody", "--json", *public])


# -- the table


def table(root: Path) -> str:
    """What each reader says of each page: `says` or `-`; `LEAK` where it says what it must not."""
    lines = [f"{n:>3} {way}" for n, way in enumerate(WAYS)]
    lines.append("\n" + " " * 72 + "".join(f"{n:>5}" for n in range(len(WAYS))))
    for reader in everyone():
        said = told_of(reader, root)
        cells = ("-" if way not in said else "says" if way in may_speak(reader) else "LEAK" for way in WAYS)
        lines.append(f"{reader.name:<72}" + "".join(f"{cell:>5}" for cell in cells))
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ["LLMWIKI_NOW"] = NOW
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        sys.stdout.write(table(plant(Path(folder, "wiki"), "whoosh")) + "\n")
