"""What a person asks of the wiki, and what is planned without being done."""

from __future__ import annotations

import pytest

from llmwiki.errors import WikiError
from llmwiki.workspace import Workspace


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    Workspace.init(tmp_path / "wiki")
    return tmp_path / "wiki"


def stats(folder):
    return {p: (p.stat().st_mtime_ns, p.stat().st_ino) for p in folder.rglob("*")}


def test_show_and_why_are_one_document(folder):
    told = Workspace(folder).remember("Use tabs in Makefiles")
    shown = Workspace(folder).show(told["id"])
    assert shown == Workspace(folder).why(told["id"])
    assert set(shown) == {"record", "sources", "events"}
    assert {"effective", "retrievable", "body"} <= set(shown["record"])


def test_a_planned_index_touches_nothing_and_counts_the_same(folder):
    told = Workspace(folder).remember("Use tabs in Makefiles")
    Workspace(folder).remember("Never push on Fridays")
    (folder / told["path"]).unlink()
    (folder / "wiki/facts/new.md").write_text("# New\n")
    before = stats(folder)
    for rebuild in (False, True):
        planned = Workspace(folder).index(rebuild, dry_run=True)
        assert stats(folder) == before
        if rebuild:
            made = Workspace(folder).index(True)
            assert {**planned, "seconds": 0} == {**made, "seconds": 0}
        else:
            assert planned["pages"] == 2


def test_a_planned_undo_tells_what_the_undo_then_does(folder):
    told = Workspace(folder).remember("Use tabs in Makefiles")
    Workspace(folder).remember("Never push on Fridays")
    page = folder / told["path"]
    page.write_text(page.read_text() + "\nmine\n")
    before = stats(folder)
    planned = Workspace(folder).undo(2, dry_run=True)
    assert stats(folder) == before
    assert planned["kept"] == [told["path"]]
    assert Workspace(folder).undo(2) == planned
    planned = Workspace(folder).undo(redo=True, dry_run=True)
    assert [done["op"] for done in planned["reverted"]] == ["undo"]
    assert Workspace(folder).undo(redo=True) == planned


def test_an_undo_of_more_than_there_is_takes_nothing_back(folder):
    Workspace(folder).remember("Use tabs in Makefiles")
    Workspace(folder).remember("Never push on Fridays")
    there = len(Workspace(folder).undo(2, dry_run=True)["reverted"])
    before = stats(folder)
    for dry_run in (True, False):
        with pytest.raises(WikiError, match=r"99 operations are more .* `llmwiki undo \d+`"):
            Workspace(folder).undo(99, dry_run=dry_run)
    assert there == 2 and stats(folder) == before
