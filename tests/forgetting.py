"""What the tests of `forget` share: sessions with words of their own, and where those still stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmwiki.workspace import Workspace
from tests.spoken import lines, replied, said

NOW = "2026-05-01T12:00:00Z"
FIRST = "aaaa1111-2222-4333-8444-quokka000001".replace("quokka", "d0d0d0")
SECOND = "bbbb1111-2222-4333-8444-e0e0e0000002"
THIRD = "cccc1111-2222-4333-8444-f0f0f0000003"
# What only the first session holds: in a prompt, in a tool's output, in its title and so in names of files.
WORDS = ("quokkaprompt", "wombatoutput", "numbattitle", "dingorule", "koalachild", FIRST)
SHARED = "Always use pnpm in this repository, never npm."


@pytest.fixture(autouse=True)
def clock(monkeypatch, tmp_path):
    monkeypatch.setenv("LLMWIKI_NOW", NOW)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def transcript(native, *prompts, output="", cwd="/code/shop"):
    """A session of these prompts, each answered by a test run that passes; the first one's output is given."""
    out = []
    for n, prompt in enumerate(prompts):
        at = {"timestamp": f"2026-04-01T10:0{n}:00.000Z", "cwd": cwd, "gitBranch": "main"}
        call = {"type": "tool_use", "id": f"c{n}", "name": "Bash", "input": {"command": "pytest tests/test_a.py -q"}}
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": output or "3 passed"}
        out += [said(prompt, native, **at), replied(call, session_id=native, **at), said([result], native, **at)]
        out.append(replied({"type": "text", "text": "Done."}, session_id=native, **at))
    return lines(*out)


@pytest.fixture
def store(tmp_path):
    """Two sessions that teach one rule, of which the first also teaches one of its own and has a subagent; a third in
    another project."""
    folder = tmp_path / "store/projects/-code-shop"
    child = folder / FIRST / "subagents" / "agent-koalachild1.jsonl"
    child.parent.mkdir(parents=True)
    prompts = (
        "Numbattitle: mend the quokkaprompt importer",
        SHARED,
        "From now on always run the dingorule linter before you commit.",
        "Thanks, that works",
    )
    (folder / f"{FIRST}.jsonl").write_bytes(transcript(FIRST, *prompts, output="wombatoutput 3 passed"))
    at = {"timestamp": "2026-04-01T10:01:30.000Z", "cwd": "/code/shop", "isSidechain": True, "agentId": "koalachild1"}
    inner = [said("Look for koalachild files", FIRST, **at)]
    inner.append(replied({"type": "text", "text": "None."}, session_id=FIRST, **at))
    child.write_bytes(lines(*inner))
    (folder / f"{SECOND}.jsonl").write_bytes(transcript(SECOND, "Write the changelog", SHARED, "Thanks, that works"))
    other = tmp_path / "store/projects/-code-till"
    other.mkdir()
    rule = "Never edit the generated files in dist by hand."
    (other / f"{THIRD}.jsonl").write_bytes(transcript(THIRD, "Start the till", rule, "Great, thanks", cwd="/code/till"))
    return str(tmp_path / "store")


@pytest.fixture(params=["whoosh", "sqlite"])
def backend(request):
    return request.param


@pytest.fixture
def wiki(tmp_path, store):
    return synced(tmp_path / "wiki", store)


def synced(folder, store):
    Workspace.init(folder)
    Workspace(folder).sync(sources=(store,))
    return folder


def holding(root, *words):
    """The files below a folder that hold one of these words, whatever their kind; names of files count."""
    found = []
    for path in sorted(Path(root).rglob("*")):
        name = path.relative_to(root).as_posix()
        content = name.lower().encode() + (path.read_bytes().lower() if path.is_file() else b"")
        found += [(name, word) for word in words if word.lower().encode() in content]
    return [hit for hit in found if not hit[0].startswith(".git/")]


def pages(root):
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in Path(root).rglob("*.md")}


def records(root):
    return Workspace(root).load().records


def titled(root, word):
    return next(r for r in records(root).values() if word in r.title.lower() and r.type.value != "trace")
