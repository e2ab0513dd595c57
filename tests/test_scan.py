"""What the disk says of the pages, what changed since, and an index that is brought up by that alone."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wikis import NOW, make, record, write

from llmwiki import fast, recall, recall_search
from llmwiki.errors import WikiError
from llmwiki.indexes import refresh as refreshing
from llmwiki.indexes import scan
from llmwiki.indexes.catalogue import CACHE, SUMS, Catalogue
from llmwiki.indexes.refresh import refresh
from llmwiki.indexes.snapshot import Snapshot
from llmwiki.indexes.sqlite_index import SqliteIndex
from tests.test_indexes import KEPT, PAGES

NAMES = st.sampled_from(["a.md", "b.md", "c d.md", "日本.md", "log.md", "e\n.md"])
FOLDERS = st.dictionaries(
    st.sampled_from(["wiki/", "wiki/facts/", "wiki/archive/facts/"]),
    st.dictionaries(NAMES, st.tuples(st.integers(-5, 1 << 62), st.integers(0, 1 << 40))),
)


def pack(folders):
    """What `packed` gives of such a wiki."""
    heads = "\0".join(f"{folder}{len(pages)}" for folder, pages in folders.items())
    text = (heads + "\0\0" + "\0".join(name for pages in folders.values() for name in pages)).encode()
    numbers = [stat[i] for i in (0, 1) for pages in folders.values() for stat in pages.values()]
    return len(text).to_bytes(8, "big") + text + b"".join(n.to_bytes(8, "little", signed=True) for n in numbers)


@given(FOLDERS, FOLDERS)
def test_what_changed_is_what_two_looks_differ_in(before, now):
    old, new = scan.unpacked(pack(before)), scan.unpacked(pack(now))
    changed, gone = scan.changed(pack(before), pack(now))
    assert changed == {path: stat for path, stat in new.items() if old.get(path) != stat}
    assert gone == sorted(old.keys() - new.keys())
    assert scan.count(pack(now)) == len(new)
    assert scan.newest(pack(now)) == max((mtime for mtime, _ in new.values()), default=0)


@pytest.fixture
def folder(tmp_path):
    """A folder of all that may lie in a wiki."""
    wiki = tmp_path / "wiki"
    for name in ("facts/a.md", "facts/b.md", "facts/c.txt", "facts/.d.md", "facts/_context.md", "facts/sub/log.md"):
        (wiki / name).parent.mkdir(parents=True, exist_ok=True)
        (wiki / name).write_text(name)
    for name in ("index.md", "log.md", "log-2025.md", "own.md", ".hidden.md"):
        (wiki / name).write_text(name)
    return wiki


FOUND = {"wiki/facts/a.md", "wiki/facts/b.md", "wiki/facts/sub/log.md", "wiki/own.md"}


def irregular(folder):
    (folder / "facts" / "dir.md").mkdir()
    (folder / "facts" / "link.md").symlink_to("a.md")
    (folder / "facts" / "nowhere.md").symlink_to("/nowhere.md")
    return FOUND | {"wiki/facts/link.md"}


@pytest.mark.parametrize("ways", [scan.BESIDE, scan.ALONE, scan.SPLIT])
@pytest.mark.parametrize("and_more", [lambda _: FOUND, irregular])
def test_every_way_to_look_finds_the_same(folder, ways, and_more, monkeypatch):
    expected = and_more(folder)
    monkeypatch.setattr(scan, "_FEW", 1)
    monkeypatch.chdir(folder)
    found = scan.unpacked(scan.packed(str(folder.parent), ways))
    assert found.keys() == expected
    for path, (mtime, size) in found.items():
        stat = (folder.parent / path).stat()
        assert (mtime, size) == (stat.st_mtime_ns, stat.st_size)


def test_a_look_whose_other_process_is_lost_is_taken_alone(folder, monkeypatch):
    monkeypatch.setattr(scan, "_FEW", 1)
    monkeypatch.setattr(scan.Elsewhere, "result", lambda self: None)
    assert scan.unpacked(scan.packed(str(folder.parent), scan.SPLIT)).keys() == FOUND


def sums(root):
    with closing(Catalogue(f"{root}/{CACHE}")) as catalogue:
        offers = dict(catalogue.db.execute("SELECT id, n FROM offers"))
        return {name: catalogue.about[name] for name in (*SUMS, "newest")}, offers, catalogue.disk()


@pytest.mark.parametrize("backend", KEPT)
def test_an_updated_index_counts_what_a_new_one_counts(backend, tmp_path):
    trace = record("trace-1", "x", "trace", offered=("late-1", "green-button-3c4d"))
    other = record("trace-2", "x", "trace", offered=("late-1",))
    late = record("late-1", "The newest\nof all", created="2026-03-04T10:00:00Z")
    root = make(tmp_path, *PAGES, trace, other, late, backend=backend)
    for edit in (
        lambda: write(
            root, record("new-1", "One more\nwith two lines"), record("trace-3", "y", "trace", offered=("z",))
        ),
        lambda: Path(root, trace.path).unlink(),
        lambda: write(
            root, record("late-1", "Now short"), record("trace-3", "y", "trace", offered=("late-1", "new-1"))
        ),
        lambda: Path(root, PAGES[0].path).write_text("---\ntitle: [\n---\n"),
    ):
        edit()
        refresh(root, backend)
        updated = sums(root)
        refresh(root, backend, rebuild=True)
        assert sums(root) == updated
    assert updated[1] == {"late-1": 2, "new-1": 1}


@pytest.mark.parametrize("value", [None, 5, b"nonsense, and long enough", b"\0" * 7 + b"\x06wiki/5\0"])
def test_an_index_that_does_not_know_its_pages_is_made_anew(value, tmp_path):
    root = make(tmp_path, *PAGES)
    with closing(sqlite3.connect(Path(root, CACHE, "catalogue.sqlite"))) as db, db:
        db.execute("UPDATE about SET value = ? WHERE name = 'disk'", (value,))
    answer = recall.block(root, recall.Asked("green button", now=NOW))
    assert [r["id"] for r in answer["records"]] == ["green-button-3c4d"]
    assert "answered from the pages" in answer["text"]
    assert refresh(root, "sqlite")["added"] == len(PAGES)
    assert not Snapshot(root).notes


def test_a_page_that_is_written_again_within_a_tick_is_read_as_it_ends(tmp_path, monkeypatch):
    root = make(tmp_path, *PAGES)
    page = Path(root, PAGES[1].path)
    page.write_text(page.read_text("utf-8").replace("green", "azure"), "utf-8")
    stat = page.stat()

    def tick(seconds):
        page.write_text(page.read_text("utf-8").replace("azure", "khaki"), "utf-8")
        os.utime(page, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    monkeypatch.setattr(refreshing.time, "time_ns", lambda: stat.st_mtime_ns + 1)
    monkeypatch.setattr(refreshing.time, "sleep", tick)
    refresh(root, "sqlite")
    for word, there in (("khaki", 1), ("azure", 0), ("green", 0)):
        assert len(recall_search.search(root, word, 5, "", "", False, (), NOW)) == there


def test_a_trusted_index_is_asked_once(tmp_path, monkeypatch):
    root = make(tmp_path, *PAGES)
    asked = []
    postings = SqliteIndex.postings
    monkeypatch.setattr(SqliteIndex, "postings", lambda self, *args: asked.append(args) or postings(self, *args))
    monkeypatch.setattr(scan, "MOST", 1)
    ahead = scan.Scan(root, ahead=True)
    assert recall.block(root, recall.Asked("green button", now=NOW), ahead)["records"]
    assert len(asked) == 1  # lines are asked for where there are more pages than are looked at


def test_no_look_is_begun_where_the_index_is_trusted(tmp_path, monkeypatch):
    root = make(tmp_path, *PAGES)
    began = []
    monkeypatch.setattr(scan.Elsewhere, "_begin", lambda self, ask: began.append(ask))
    flags = fast.Flags()

    def asked():
        began.clear()
        found = fast._begin(flags, root)
        return [r["id"] for r in recall.block(*found[:1], recall.Asked("green button", now=NOW), found[1])["records"]]

    assert asked() == ["green-button-3c4d"] and began
    monkeypatch.setattr(scan, "MOST", 1)
    refresh(root, "sqlite")
    assert asked() == ["green-button-3c4d"] and not began
    monkeypatch.setattr(scan, "MOST", 10)  # the mark of a wiki that was big: the pages are looked at all the same
    Path(root, PAGES[1].path).unlink()
    assert asked() == [] and not began
    refresh(root, "sqlite")
    assert asked() == [] and began


@pytest.mark.parametrize("backend", KEPT)
def test_many_pages_are_looked_at_while_the_rest_is_loaded(backend, tmp_path, monkeypatch):
    root = make(tmp_path, *PAGES, backend=backend)
    monkeypatch.setattr(scan, "MOST", 1)
    monkeypatch.setattr(scan, "_FEW", 1)
    refresh(root, backend)
    pids, begin = [], scan.Elsewhere._begin
    monkeypatch.setattr(scan.Elsewhere, "_begin", lambda self, ask: begin(self, ask) or pids.append(self._pid))
    refresh(root, backend)
    write(root, record("new-page-5e6f", "Penguins march"))
    Path(root, PAGES[0].path).unlink()
    done = refresh(root, backend)
    assert (done["pages"], done["added"], done["updated"], done["removed"]) == (2, 1, 0, 1)
    with pytest.raises(WikiError):
        refresh(root, "lucene")
    assert len(pids) == 3
    for pid in pids:  # nobody is left behind
        with pytest.raises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
