"""Secrets in every place of a session that an importer copies or derives: in no byte that is written or printed."""

from __future__ import annotations

import json
import os
import random
import string

from spoken import lines, replied, said
from test_sync import clock, tree, wiki  # noqa: F401 - fixtures

from llmwiki import ingest
from llmwiki.model import Session
from llmwiki.redact import Redactor
from llmwiki.workspace import Workspace

_letters = random.Random(11)


def secret(kind="ghp_", length=36, of=string.ascii_letters + string.digits):
    return kind + "".join(_letters.choices(of, k=length))


def test_ids_and_paths_are_places_too(wiki, tmp_path):
    named, told, folder, broken = secret(), secret(), secret(), secret()
    offered = secret("AKIA", 16, string.ascii_uppercase + "234567")
    store = tmp_path / "store" / "projects" / f"-code-{folder}"
    block = f'<llmwiki-memory records="{offered} a-rule-0a1b">\n- x\n</llmwiki-memory>\nfix it'
    subagents = store / named / "subagents"
    subagents.mkdir(parents=True)
    (store / f"{named}.jsonl").write_bytes(lines(said(block, named), replied(session_id=named)))
    (subagents / f"agent-{told}.jsonl").write_bytes(
        lines(
            said("look", named, isSidechain=True, agentId=told),
            replied({"type": "text", "text": "seen"}, session_id=named, isSidechain=True),
        )
    )
    os.mkfifo(store / f"{broken}.jsonl")
    first = Workspace(wiki).sync(sources=(str(tmp_path / "store"),))
    before = tree(wiki)
    second = Workspace(wiki).sync(sources=(str(tmp_path / "store"),))
    assert (first["new"], second["unchanged"], len(second["failed"])) == (2, 2, 1) and tree(wiki) == before
    pages = [p.read_text("utf-8") for p in (wiki / "raw").rglob("*.md")]
    assert sum('"a-rule-0a1b"' in page for page in pages) == 1
    assert sum("parent_page: " in page for page in pages) == 1 == sum("children: " in page for page in pages)
    said_now = json.dumps([first, second, Workspace(wiki).status(), Workspace(wiki).doctor()])
    for value in (named, told, folder, broken, offered):
        assert value[:20] not in said_now
        assert not [p for p in wiki.rglob("*") if value[:20] in str(p)]
        assert not [p for p in wiki.rglob("*") if p.is_file() and value[:20].encode() in p.read_bytes()]


def test_two_ids_with_secrets_are_two_sessions():
    one, two = (ingest.prepare(Session("codex", secret()), Redactor()).id for _ in range(2))
    assert one != two and one.startswith("redacted-")
    assert ingest.prepare(Session("codex", one), Redactor()).id == one


def test_an_offered_id_is_an_id():
    found = ingest.prepare(Session("codex", "s", offered=("a-rule-0a1b", "NOT AN ID", "x")), Redactor())
    assert found.offered == ("a-rule-0a1b",)


def test_doctor_knows_sources_whose_names_hold_a_secret(wiki, tmp_path, monkeypatch):
    home = tmp_path / "store"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    name = secret()
    (home / "projects" / f"-w-{secret()}").mkdir(parents=True)
    (home / "projects" / "-w").mkdir()
    for folder in (home / "projects").iterdir():
        (folder / f"{name}.jsonl").write_bytes(lines(said(f"fix {folder.name[:2]}", name), replied(session_id=name)))
        name = "s2"
    Workspace(wiki).sync()
    (found,) = [c for c in Workspace(wiki).doctor()["checks"] if c["name"] == "claude-code"]
    assert "all are kept here" in found["message"]
