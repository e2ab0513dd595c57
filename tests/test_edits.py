"""What people do to pages in an editor is seen by the next command, and no command undoes it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from llmwiki import cli
from llmwiki.workspace import Workspace

SAMPLES = Path(__file__).parents[1] / "samples"
SESSION = "91ef95b5-cf78-48f4-b90a-f554f823f7fd"


@pytest.fixture(autouse=True)
def clock(monkeypatch, tmp_path):
    monkeypatch.setenv("LLMWIKI_NOW", "2026-05-01T12:00:00Z")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def folder(tmp_path):
    Workspace.init(tmp_path / "wiki")
    return tmp_path / "wiki"


@pytest.fixture
def growing(folder, tmp_path):
    """A store with one session, of which the wiki has seen all but the end; `grow()` writes the end."""
    whole = next(SAMPLES.rglob(f"{SESSION}.jsonl"))
    file = tmp_path / "store/projects/-home-dev-notes-api" / whole.name
    file.parent.mkdir(parents=True)
    file.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:-6]))
    Workspace(folder).sync(sources=[str(tmp_path / "store")])

    def grow():
        shutil.copy(whole, file)
        opened = Workspace(folder)
        opened.sync(sources=[str(tmp_path / "store")])
        return opened

    return grow


def one(folder, pattern):
    (found,) = (page for page in folder.glob(pattern) if page.name != "_context.md")
    return found


@pytest.mark.parametrize("state", ["active", "quarantined"])
def test_a_page_moved_into_the_archive_is_silent_at_once_and_stays_as_it_is(folder, state):
    told = Workspace(folder).remember("Never feed the zebrafish before a release")
    page = folder / told["path"]
    page.write_text(page.read_text().replace("state: active", f"state: {state}"))
    moved = folder / "wiki/archive/preferences" / page.name
    moved.parent.mkdir(parents=True)
    page.rename(moved)
    before = moved.read_bytes()
    assert Workspace(folder).search("zebrafish") == []
    assert Workspace(folder).context("feed the zebrafish").text == ""
    assert [h.state for h in Workspace(folder).search("zebrafish", all=True)] == ["archived"]
    Workspace(folder).decay()
    Workspace(folder).sync(sources=[str(SAMPLES / "codex")])
    assert moved.read_bytes() == before


@pytest.mark.parametrize("broken", [b"---\nid: [\n---\ntext\n", b"\xff\xfe broken"])
@pytest.mark.parametrize("pattern", ["wiki/traces/*.md", "wiki/failures/*.md", "wiki/preferences/*.md"])
def test_a_page_that_does_not_parse_is_named_and_never_written(folder, growing, pattern, broken):
    page = one(folder, pattern)
    page.write_bytes(broken)
    pages = set(folder.glob("wiki/*/*.md"))
    opened = growing()
    Workspace(folder).feedback(SESSION, 1)
    Workspace(folder).synthesize([SESSION])
    assert page.read_bytes() == broken
    assert set(folder.glob("wiki/*/*.md")) == pages  # and it got no second page
    assert any(page.name in notice for notice in opened.notices)


def test_what_a_person_tells_does_not_take_the_place_of_a_broken_page(folder):
    page = folder / "wiki/preferences/use-tabs.md"
    page.write_text("---\ntitle: [\n---\nmine\n")
    told = Workspace(folder).remember("Use tabs")
    assert page.read_text().endswith("mine\n")
    assert told["path"] != "wiki/preferences/use-tabs.md"


def test_a_notice_names_path_and_line_once(folder):
    (folder / "wiki/facts/a.md").write_text("---\ntitle: A\nstate: asleep\n---\n")
    (folder / "wiki/facts/b.md").write_bytes(b"\xff")
    opened = Workspace(folder)
    opened.load()
    assert [n.split(" ")[0] for n in opened.notices] == ["wiki/facts/a.md:3:", "wiki/facts/b.md:"]
    assert all(n.count("wiki/facts") == 1 for n in opened.notices)


def test_an_unknown_setting_is_a_warning_of_every_command_that_reads_settings(folder):
    with (folder / "llmwiki.toml").open("a") as file:
        file.write("\n[contxt]\nbudget = 5\n")
    opened = Workspace(folder)
    opened.decay()
    assert any("llmwiki.toml" in n and "context" in n for n in opened.notices)


@pytest.mark.parametrize("command", ["decay", "synthesize", "sync"])
def test_navigation_that_a_killed_run_left_behind_is_caught_up(folder, command):
    (folder / "wiki/facts/tank.md").write_text("# The tank is blue\n")
    options = {"sources": [str(SAMPLES / "codex")]} if command == "sync" else {}
    getattr(Workspace(folder), command)(**options)
    assert "[[tank]]" in (folder / "wiki/facts/_context.md").read_text()


def test_a_line_of_ones_own_on_a_learned_page_is_true_and_what_is_learned_stays_checked(folder, capsys):
    Workspace(folder).sync(sources=[str(SAMPLES / "claude-code"), str(SAMPLES / "codex")])
    page = folder / next(r.path for r in Workspace(folder).load().records.values() if r.type == "failure")
    learned = page.read_text()
    page.write_text(learned.rstrip("\n") + "\n\nOurs alone: it also hits `bilby.py` on 2.9.14.\n")
    assert cli.main(["verify", "--wiki", str(folder)]) == 0
    assert "yours: 1 line " in capsys.readouterr().out
    assert cli.main(["lint", "--rule", "LW305", "--wiki", str(folder)]) == 0
    assert "info: " in (said := capsys.readouterr().out) and "your own line" in said
    page.write_text(re.sub(r"(\n- )(.*\[\[)", r"\1`bilby.py` fails \2", learned, count=1))
    assert cli.main(["verify", "--wiki", str(folder)]) == 1
    assert "not in its turns: bilby.py" in capsys.readouterr().out
    assert cli.main(["lint", "--rule", "LW305", "--wiki", str(folder)]) == 1
