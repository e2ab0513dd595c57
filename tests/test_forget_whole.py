"""`llmwiki forget`: no undo and no kill brings anything back, and what it tells."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import pytest

from llmwiki import cli, tombstones
from llmwiki.errors import WikiError
from llmwiki.tombstones import Tombstones
from llmwiki.workspace import Workspace
from tests.forgetting import FIRST, SECOND, THIRD, WORDS, clock, holding, pages, store, synced, titled, wiki  # noqa: F401 - fixtures
from tests.wikis import record

# -- journal, undo, kills


def test_an_undo_cannot_bring_it_back_and_says_so(wiki, store):
    with_it = pages(wiki)
    Workspace(wiki).forget(FIRST)
    after = pages(wiki)
    with pytest.raises(WikiError, match="cannot be brought back"):
        Workspace(wiki).undo()
    assert pages(wiki) == after
    assert Workspace(wiki).undo(redo=True) == {"reverted": [], "kept": []}
    told = Workspace(wiki)
    done = told.undo(2)
    assert [one["op"] for one in done["reverted"]] == ["sync"]
    assert done["forgotten"] >= 3 and any("cannot be taken back" in notice for notice in told.notices)
    assert holding(wiki, *WORDS) == []
    assert not [path for path in pages(wiki) if "changelog" in path and path.startswith("raw/")], "the rest is undone"
    Workspace(wiki).undo(redo=True)
    assert [path for path in pages(wiki) if "changelog" in path and path.startswith("raw/")]
    assert holding(wiki, *WORDS) == [] and with_it


def test_what_came_after_a_forget_can_be_undone(wiki):
    Workspace(wiki).forget(FIRST)
    before = {p: t for p, t in pages(wiki).items() if not p.startswith("wiki/log")}
    Workspace(wiki).remember("Use tabs in Makefiles")
    assert [one["op"] for one in Workspace(wiki).undo()["reverted"]] == ["remember"]
    assert {p: t for p, t in pages(wiki).items() if not p.startswith("wiki/log")} == before


def test_lessons_that_were_taken_back_before_leave_the_journal_too(tmp_path, store):
    """A page that the session gave and that was moved or derived again since is only in the journal by then."""
    root = synced(tmp_path / "wiki", store)
    rule = titled(root, "dingorule")
    text = (root / rule.path).read_text()
    with Workspace(root).operation("review") as operation:
        from llmwiki.model import Change

        operation.apply([Change("wiki/facts/bilbynote.md", text.replace(rule.id, "bilbynote-1111"))])
        operation.apply([Change("wiki/facts/bilbynote.md", None)])
    assert holding(root, "bilbynote")
    Workspace(root).forget(FIRST)
    assert holding(root, "bilbynote", *WORDS) == []


class Killed(BaseException):
    pass


@pytest.mark.parametrize("at", range(12))
def test_a_forget_that_is_killed_anywhere_is_ended_by_the_next(wiki, store, monkeypatch, at):
    from llmwiki import disk

    count = iter(range(1000))
    real = disk.sync_folder

    def dies(folder):
        if next(count) == at * 3 + 1:
            raise Killed
        real(folder)

    with monkeypatch.context() as patched:
        patched.setattr(disk, "sync_folder", dies)
        try:
            Workspace(wiki).forget(FIRST)
        except Killed:
            for path in wiki.rglob("*.md"):
                assert path.read_text().endswith("\n"), "half a page"
    Workspace(wiki).forget(FIRST)
    assert holding(wiki, *WORDS) == []
    assert not (wiki / ".llmwiki/state/forgetting.json").exists()
    assert Workspace(wiki).sync(sources=(store,))["skipped"] == {"ignored": 2}
    assert holding(wiki, *WORDS) == []


def test_another_writer_ends_it_too(wiki, store, monkeypatch):
    from llmwiki import purge

    def dies(journal):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(purge, "finish", lambda journal: dies(journal) if purge.unfinished(journal.root) else False)
        with pytest.raises(Killed):
            Workspace(wiki).forget(FIRST)
    assert holding(wiki, *WORDS)
    told = Workspace(wiki)
    told.remember("Use tabs in Makefiles")
    assert holding(wiki, *WORDS) == [] and any("finished a forget" in notice for notice in told.notices)


# -- what is told


def git(folder, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    return subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True, text=True).stdout


def test_it_tells_what_git_has_by_the_names_that_git_gives(tmp_path, store, capsys):
    git(tmp_path, "init", "-q")
    root = synced(tmp_path / "deep/wiki", store)
    rule = titled(root, "dingorule")
    git(tmp_path, "add", "deep")
    git(tmp_path, "commit", "-q", "-m", "a wiki")
    assert cli.main(["forget", FIRST, "--wiki", str(root)]) == 0
    out = capsys.readouterr().out
    assert f"--path deep/wiki/{rule.path}" in out and "git filter-repo --invert-paths" in out
    assert "deep/wiki/wiki/preferences/_context.md" in out, "its former versions name it"
    assert not any("--path" in row and "_context.md" in row for row in out.splitlines()), "a page that stays, stays"
    literals = [
        row.strip().removeprefix("literal:").removesuffix("==>") for row in out.splitlines() if "literal:" in row
    ]
    shown = git(tmp_path, "show", "HEAD:deep/wiki/wiki/preferences/_context.md").splitlines()
    assert [row for row in shown if rule.stem in row] == [row for row in shown if row in literals] != []
    assert "deep/wiki/raw/" not in out, "git ignores raw pages and never had them"
    assert f"{FIRST}.jsonl" in out, "the agent's own file"
    git(tmp_path, "add", "-A", "deep")
    git(tmp_path, "commit", "-q", "-m", "without")
    assert b"salt " in (root / "wiki/.forgotten").read_bytes()
    assert "deep/wiki/wiki/.forgotten" in git(tmp_path, "ls-files"), "other clones must know"


def test_what_was_never_committed_needs_no_cleaning_of_git(tmp_path, capsys):
    git(tmp_path, "init", "-q")
    Workspace.init(tmp_path)
    Workspace(tmp_path).remember("Feed the bandicoot")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "a wiki")
    told = Workspace(tmp_path).remember("Zebrafinch rule about port 9999")
    git(tmp_path, "add", told["path"])
    done = Workspace(tmp_path).forget(told["id"], dry_run=True)
    assert (done["history"], done["rewritten"], done["lines"]) == ([], [], [])
    assert done["staged"] == [told["path"]]
    git(tmp_path, "reset", "-q")
    assert cli.main(["forget", told["id"], "--wiki", str(tmp_path)]) == 0
    assert "git" not in capsys.readouterr().out.replace("agents", "")


@pytest.mark.parametrize("committed", [True, False])
def test_a_page_that_was_renamed_is_found_by_its_former_name_too(tmp_path, committed):
    git(tmp_path, "init", "-q")
    Workspace.init(tmp_path)
    told = Workspace(tmp_path).remember("Zebrafinch rule about port 9999")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "a wiki")
    (tmp_path / told["path"]).rename(tmp_path / "wiki/preferences/other.md")
    if committed:
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", "renamed")
    done = Workspace(tmp_path).forget(told["id"])
    assert done["history"] == ["wiki/preferences/other.md"] * committed + [told["path"]]


def test_a_line_that_only_a_merge_has_is_found(tmp_path):
    git(tmp_path, "init", "-q")
    Workspace.init(tmp_path)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "a wiki")
    git(tmp_path, "checkout", "-q", "-b", "side")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "side")
    git(tmp_path, "checkout", "-q", "-")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "main")
    git(tmp_path, "merge", "-q", "--no-ff", "--no-commit", "side")
    told = Workspace(tmp_path).remember("Zebrafinch rule about port 9999")
    git(tmp_path, "add", "wiki/log.md")
    git(tmp_path, "commit", "-q", "-m", "merged")
    done = Workspace(tmp_path).forget(told["id"])
    assert done["history"] == [] and done["rewritten"] == ["wiki/log.md"]
    assert [line.partition(" remember: ")[2] for line in done["lines"]] == ["Zebrafinch rule about port 9999"]


def test_without_git_nothing_is_said_of_it_and_json_is_one_document(wiki, capsys, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(wiki.parent))
    assert cli.main(["forget", FIRST[:8], "--wiki", str(wiki), "--json", "--quiet"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == "" and document["history"] == document["rewritten"] == []
    assert all(path.endswith(".md") for path in document["removed"])


def test_a_terminal_asks(wiki, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    asked = []
    monkeypatch.setattr("typer.confirm", lambda text, **_: bool(asked.append(text)))
    before = pages(wiki)
    assert cli.main(["forget", FIRST, "--wiki", str(wiki)]) == 0
    assert pages(wiki) == before and "cannot be taken back" in asked[0]
    assert "numbattitle" in capsys.readouterr().err, "what is asked about stands above the question"
    assert cli.main(["forget", FIRST, "--wiki", str(wiki), "--yes"]) == 0
    assert len(asked) == 1 and pages(wiki) != before


def test_what_names_another_value_is_not_forgotten_with_it():
    def rule(text):
        return record("a-rule", text, "preference", project="shop", title=text)

    stones = Tombstones(tombstones.added("", tombstones.of_lesson(rule("Run with 4 workers")), "00" * 8))
    assert stones.lesson(replace(rule("Please run 4 workers"), id="other"))
    assert not stones.lesson(replace(rule("Run with 8 workers"), id="other"))


def test_tombstones_tell_nothing_and_unite(wiki):
    Workspace(wiki).forget(FIRST)
    text = (wiki / "wiki/.forgotten").read_text()
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    assert rows == sorted(rows) and all(line.startswith("salt ") or len(line) == 64 for line in rows)
    Workspace(wiki).forget(THIRD)
    both = Tombstones((wiki / "wiki/.forgotten").read_text())
    assert both.session("claude-code", FIRST) and both.session("claude-code", THIRD)
    assert not both.session("codex", FIRST) and not both.session("claude-code", SECOND)
    both = record("use-tabs", "Use tabs in Makefiles\nIndent Makefiles by tabs, always", "preference", project="shop")
    stones = Tombstones(tombstones.added(text, tombstones.of_lesson(both), ""))
    for words in ("Use TABS, in Makefiles!", "Indent Makefiles by tabs, always."):
        again = record("another-id", words, "preference", project="shop", title=words)
        assert stones.lesson(again), "each session that taught the page had words of its own"
        assert not stones.lesson(replace(again, project="till"))
        assert not stones.lesson(record("other", words, "fact", project="shop", title=words))
    united = Tombstones(text + "salt 00112233445566778899aabbccddeeff\n<<<<<<< HEAD\n")
    assert united.session("claude-code", FIRST) and not united.session("claude-code", THIRD)
