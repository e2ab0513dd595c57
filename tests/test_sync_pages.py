"""What a sync writes of a session: all that was said, no secret, links both ways, and one page whatever goes wrong."""

from __future__ import annotations

import json
import random
import shutil
import string

from llmwiki.workspace import Workspace
from tests.test_sync import SAMPLES, STORES, adds_up, clock, copy, first_session, sync, tree, wiki  # noqa: F401


def test_secrets_never_reach_the_disk(wiki, tmp_path):
    store = copy(tmp_path)
    secret = "ghp_" + "".join(random.Random(6).choices(string.ascii_letters + string.digits, k=36))
    session = first_session(store)
    text = session.read_text().replace("notes", f"notes {secret}", 40)
    session.write_text(text)
    sync(wiki, str(store))
    assert not [p for p in wiki.rglob("*") if p.is_file() and secret[:16].encode() in p.read_bytes()]


def test_secrets_hide_in_more_than_texts(wiki, tmp_path):
    store = copy(tmp_path)
    secret = "ghp_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))
    session = first_session(store)
    lines = []
    for line in session.read_text().splitlines():
        record = json.loads(line) if line.startswith("{") and line.endswith("}") else None
        if record and "cwd" in record:
            record |= {"cwd": f"/home/dev/{secret}", "gitBranch": f"fix/{secret}"}
        if record and isinstance(record.get("message", {}).get("content"), list):
            for block in record["message"]["content"]:
                if block.get("type") == "tool_use":
                    block["name"] = f"mcp__{secret}__call"
                    block["input"] = {secret: secret}
        lines.append(json.dumps(record) if record else line)
    lines.append(json.dumps({"type": "custom-title", "customTitle": f"{secret} title", "sessionId": session.stem}))
    session.write_text("\n".join(lines) + "\n")
    assert secret in session.read_text()
    sync(wiki, str(store))
    leaks = [
        p for p in wiki.rglob("*") if secret[:20] in str(p) or (p.is_file() and secret[:20].encode() in p.read_bytes())
    ]
    assert leaks == []


def test_every_prompt_is_in_its_page_whole(wiki):
    sync(wiki)
    pages = "\n".join(p.read_text() for p in (wiki / "raw").rglob("*.md"))
    missing = []
    for path in (SAMPLES / "claude-code").rglob("*.jsonl"):
        for line in path.read_text(errors="replace").split("\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            content = record.get("message", {}).get("content") if record.get("type") == "user" else None
            plain = isinstance(content, str) and not content.startswith("<") and not record.get("isSidechain")
            if plain and not record.get("isMeta") and content not in pages:
                missing.append(content)
    assert missing == []


def test_children_and_parents_link_to_each_other(wiki):
    sync(wiki)
    pages = {p.stem: p.read_text() for p in (wiki / "raw").rglob("*.md")}
    children = [s for s, text in pages.items() if 'kind: "subagent"' in text]
    assert children
    for child in children:
        parent = next(line for line in pages[child].splitlines() if line.startswith("parent_page: "))
        assert f"[[{child}]]" in pages[parent.split("[[")[1].split("]]")[0]]


def test_the_same_session_in_two_files_is_one_page(wiki, tmp_path):
    store = copy(tmp_path, "one")
    for other in [p for p in store.rglob("*.jsonl") if p != first_session(store)]:
        other.unlink()
    shutil.copytree(store, tmp_path / "two")
    cut = first_session(tmp_path / "two")
    cut.write_bytes(b"".join(cut.read_bytes().splitlines(keepends=True)[:30]))
    alone = sync(wiki, str(store))
    Workspace.init(tmp_path / "both")
    for order in ((str(store), str(tmp_path / "two")), (str(tmp_path / "two"), str(store))):
        found = sync(tmp_path / "both", *order, force=True)
        assert adds_up(found)
        assert found["skipped"]["copy"] == alone["skipped"].get("copy", 0) + 1
        assert {k: v for k, v in tree(tmp_path / "both").items() if k.startswith("raw/")} == {
            k: v for k, v in tree(wiki).items() if k.startswith("raw/")
        }


def test_a_part_that_crashes_costs_one_session(wiki, monkeypatch):
    from llmwiki.synthesizers import extractive

    real = extractive.synthesize
    unlucky = []

    def crash(session, verdict, ask=None):
        unlucky.append(session.stem) if not unlucky else None
        if session.stem == unlucky[0]:
            raise ZeroDivisionError("planted")
        return real(session, verdict, ask)

    monkeypatch.setattr(extractive, "synthesize", crash)
    opened = Workspace(wiki)
    found = opened.sync(sources=STORES)
    assert found["records"]["created"] > 0
    assert [n for n in opened.notices if unlucky[0] in n and "planted" in n]
    assert [w["raw"] for w in found["waiting"] if unlucky[0] in w["raw"]]
    monkeypatch.setattr(extractive, "synthesize", real)
    assert not [w for w in sync(wiki)["waiting"] if unlucky[0] in w["raw"]]
