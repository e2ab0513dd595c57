"""The memory diff: what a wiki learned, withdrew and changed since a commit, told in words."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import pytest

from llmwiki import cli, history
from llmwiki.errors import WikiError
from llmwiki.model import State
from llmwiki.workspace import Workspace
from tests.wikis import STEM, record, write

HOSTILE = "a\x1b[31mred\x1b[0m \u202eend"


def compared(was, now):
    one = history.compare({r.id: r for r in was}, {r.id: r for r in now})
    two = history.compare({r.id: r for r in reversed(was)}, {r.id: r for r in reversed(now)})
    assert one == two, "the order of pages is no news"
    return one


def ids(found):
    return {key: [entry["id"] for entry in entries] for key, entries in found.items()}


FACT = record("a-fact", "It is so.\nAnd so.")


def test_nothing_changed_is_nothing():
    assert compared([FACT], [FACT]) == {"learned": [], "withdrawn": [], "changed": []}


def test_what_is_new_comes_by_type_and_title():
    now = [record("zebra", "x"), record("apple", "x"), record("rule", "x", "preference"), record("how", "x", "skill")]
    found = compared([], now)["learned"]
    assert [entry["id"] for entry in found] == ["how", "apple", "zebra", "rule"]
    assert found[0] == {
        "id": "how", "type": "skill", "title": "how", "path": "wiki/skills/how.md", "state": "active",
        "evidence": "user-said",
    }  # fmt: skip
    assert compared([], [replace(FACT, state=State.ARCHIVED)])["learned"] == [], "born withdrawn is no news"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (None, "its page was removed"),
        ({"state": State.ARCHIVED, "reason": "expired"}, "archived: expired"),
        ({"state": State.ARCHIVED, "path": "wiki/archive/facts/a-fact.md"}, "archived: no reason is given"),
        ({"state": State.QUARANTINED, "reason": "harmful"}, "quarantined: harmful"),
        ({"superseded_by": "newer"}, "superseded by newer"),
    ],
)
def test_what_is_withdrawn_says_why(change, reason):
    now = [] if change is None else [replace(FACT, **change)]
    found = compared([FACT], now)
    assert ids(found) == {"learned": [], "withdrawn": ["a-fact"], "changed": []}
    assert found["withdrawn"][0]["reason"] == reason


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"confidence": 0.8225}, "surer: confidence 0.80 → 0.82"),
        ({"confidence": 0.65}, "less sure: confidence 0.80 → 0.65"),
        ({"uses": 3, "successes": 1}, "used +3, with success +1"),
        ({"state": State.STALE}, "active → stale"),
        ({"sources": (f"[[{STEM}]]", "[[other]]")}, "1 more session teaches it"),
        ({"sources": ()}, "1 session is no source any more"),
        ({"project": "shop"}, "project: none → shop"),
        ({"title": "A better one"}, "title: a fact → A better one"),
        ({"tags": ("x", "y")}, "tags: none → x, y"),
        ({"body": FACT.body + "- More.\n"}, "text: 1 line added, 0 removed"),
        ({"body": FACT.body.replace("And so", "Not so") + "- a\n- b\n"}, "text: 3 lines added, 1 removed"),
        ({"path": "wiki/facts/renamed.md"}, "moved from wiki/facts/a-fact.md"),
    ],
)
def test_what_changed_says_how(change, said):
    found = compared([FACT], [replace(FACT, **change)])
    assert ids(found) == {"learned": [], "withdrawn": [], "changed": ["a-fact"]}
    assert found["changed"][0]["changes"] == [said]


def test_a_release_and_a_restoring_are_changes():
    held = replace(FACT, state=State.QUARANTINED)
    assert compared([held], [FACT])["changed"][0]["changes"] == ["quarantined → active"]
    archived = replace(FACT, state=State.ARCHIVED, reason="expired")
    assert compared([archived], [FACT])["changed"][0]["changes"] == ["archived → active"]


# -- with git


def git(folder, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True)


@pytest.fixture(params=["at the top", "in a folder"])
def wiki(tmp_path, request, monkeypatch):
    root = tmp_path if request.param == "at the top" else tmp_path / "docs/mémoire"
    git(tmp_path, "init", "-q")
    Workspace.init(root)
    archived = record("gone", "It went.", path="wiki/facts/gone.md")
    write(root, FACT, record("b-fact", "Other."), archived, record("a-trace", "Did it.", "trace"))
    (root / "wiki/facts/größe.md").write_text("# Größe\n\nVier.\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    return root


def test_a_working_tree_is_compared_with_a_commit(wiki, capsys):
    assert Workspace(wiki).diff()["changed"] == []
    write(wiki, replace(FACT, confidence=0.7), record("new-one", "It is new.", title=HOSTILE))
    write(wiki, record("another-trace", "Did more.", "trace"))
    (wiki / "wiki/archive/facts").mkdir(parents=True)
    page = (wiki / "wiki/facts/gone.md").read_text().replace("state: active", "state: archived\nreason: not so")
    (wiki / "wiki/facts/gone.md").unlink()
    (wiki / "wiki/archive/facts/gone.md").write_text(page)
    (wiki / "wiki/facts/größe.md").write_text("# Größe\n\nFünf.\n")
    found = Workspace(wiki).diff()
    assert [entry["id"] for entry in found["learned"]] == ["new-one"]
    assert [entry["id"] for entry in found["withdrawn"]] == ["gone"]
    assert [entry["title"] for entry in found["changed"]] == ["a fact", "Größe"]
    assert found["withdrawn"][0]["reason"] == "archived: not so"
    assert found["changed"][1]["changes"] == ["text: 1 line added, 1 removed"]
    capsys.readouterr()
    assert cli.main(["diff", "--wiki", str(wiki)]) == 0
    out = capsys.readouterr().out
    assert "learned: 1\n  fact\n    a" in out and "end (user-said) [new-one]\n" in out
    assert "\x1b" not in out and "\u202e" not in out
    assert "withdrawn: 1\n  fact\n    gone [gone]\n      archived: not so\n" in out
    assert "    a fact [a-fact]\n      less sure: confidence 0.80 → 0.70\n" in out
    assert "another-trace" not in out, "git ignores traces"
    git(wiki, "add", "-A")
    git(wiki, "commit", "-q", "-m", "second")
    assert cli.main(["diff", "--wiki", str(wiki)]) == 0
    assert capsys.readouterr().out == "memory is as it was\n"
    assert cli.main(["diff", "HEAD~1", "--wiki", str(wiki), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["learned"][0]["id"] == "new-one"


def test_a_page_that_does_not_parse_is_named_and_costs_nothing_else(wiki):
    (wiki / "wiki/facts/b-fact.md").write_text("---\nstate: [\n---\n")
    write(wiki, replace(FACT, confidence=0.7))
    told = Workspace(wiki)
    assert [entry["id"] for entry in told.diff()["changed"]] == ["a-fact"]
    assert any("b-fact.md cannot be read" in notice for notice in told.notices)
    assert told.diff()["withdrawn"] == [], "a page that is broken is not withdrawn"


def test_before_the_first_commit_everything_is_new(tmp_path):
    git(tmp_path, "init", "-q")
    Workspace.init(tmp_path)
    write(tmp_path, FACT)
    told = Workspace(tmp_path)
    assert ids({"learned": told.diff()["learned"]}) == {"learned": ["a-fact"]}
    assert any("committed" in notice for notice in told.notices)


@pytest.mark.parametrize("name", ["no-such-branch", "-x", "--output=/tmp/x", "HEAD:wiki", ""])
def test_a_revision_that_is_none_is_refused(wiki, name):
    with pytest.raises(WikiError, match="git log --oneline"):
        Workspace(wiki).diff(name)


def test_without_a_repository_the_cure_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    Workspace.init(tmp_path)
    with pytest.raises(WikiError, match="git init"):
        Workspace(tmp_path).diff()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WikiError, match="git is not installed"):
        Workspace(tmp_path).diff()
