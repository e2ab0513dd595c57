"""What a sync silences is counted and named, in words and in JSON."""

from __future__ import annotations

import json

import pytest

from llmwiki import cli
from llmwiki.workspace import Workspace
from tests.spoken import lines, replied, said
from tests.test_workspace import clock, files, folder  # noqa: F401 - fixtures

FIRST, SECOND = "Always use npm for installs", "From now on never use npm for installs."
KEYS = ["id", "title", "by", "path"]


@pytest.fixture
def changed_mind(folder, tmp_path):
    """A wiki that knows the first word, and a session in which the second one is said."""
    old = Workspace(folder).remember(FIRST, project="x")["id"]
    path = tmp_path / "store/projects/-code-x/s1.jsonl"
    path.parent.mkdir(parents=True)
    talk = [said("Set up the shop"), replied({"type": "text", "text": "ok"}), said(SECOND)]
    path.write_bytes(lines(*({**one, "timestamp": "2026-05-02T10:00:00.000Z"} for one in talk)))
    return folder, old, str(tmp_path / "store")


def ran(folder, capsys, *arguments):
    assert cli.main([*arguments, "--wiki", str(folder)]) == 0
    return capsys.readouterr().out


def test_a_sync_names_what_it_silenced(changed_mind, capsys, monkeypatch):
    folder, old, store = changed_mind
    monkeypatch.setenv("LLMWIKI_NOW", "2026-05-03T12:00:00Z")
    before = files(folder)
    dry = ran(folder, capsys, "sync", "--source", store, "--dry-run", "--json")
    assert files(folder) == before
    out = ran(folder, capsys, "sync", "--source", store)
    assert ", 1 superseded\n" in out and f"superseded: {old}, {FIRST!r}, by " in out and f"review restore {old}`" in out
    (found,) = json.loads(dry)["records"]["superseded"]
    assert [*found] == KEYS and (found["id"], found["title"]) == (old, FIRST)
    assert Workspace(folder).load().records[old].superseded_by == found["by"]
    assert "1 superseded record" in (folder / "wiki/log.md").read_text()


def test_synthesize_names_it_too(changed_mind, capsys, monkeypatch):
    folder, old, store = changed_mind
    monkeypatch.setenv("LLMWIKI_NOW", "2026-05-03T12:00:00Z")
    ran(folder, capsys, "sync", "--source", store, "--no-synthesize")
    out = ran(folder, capsys, "synthesize")
    assert ", 1 superseded\n" in out and f"superseded: {old}, " in out
