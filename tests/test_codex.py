"""Codex rollouts, new, old, packed, forked and rolled back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from spoken import (
    CHILD,
    SESSIONS,
    THREAD,
    found,
    read_all,
    session,
    texts,
    turns,
)

from llmwiki import adapters
from llmwiki.adapters import codex_text
from llmwiki.adapters.base import Alone

# -- codex


def test_codex_prompts_come_from_one_list_and_rolled_back_turns_are_gone() -> None:
    read = read_all("codex", found("codex", SESSIONS / "codex"))
    assert [(t.origin, t.text) for t in turns(read[THREAD])] == [
        ("typed", "Why does the cart total drift?"),
        ("typed", "use BigInt for cents"),
        ("refusal", ""),
        ("interrupt", "[Turn interrupted by user]"),
        ("typed", "done, thank you"),
    ]
    assert [t.text for t in turns(read[THREAD], "assistant") if t.text] == ["Prices are floats; I count cents now."]
    assert read[THREAD].unknown == {"response_item/brand_new_item": 1}


def test_codex_tools_say_how_they_ended() -> None:
    calls = turns(read_all("codex", found("codex", SESSIONS / "codex"))[THREAD], "tool")
    assert [(t.tool, t.outcome) for t in calls] == [
        ("exec_command", "error 1"),
        ("shell", "ok"),
        ("apply_patch", "ok"),
        ("shell_command", "refused"),
        ("web_search", "ok"),
    ]
    assert calls[1].text == "cat cart.ts" and calls[1].result == "total += price * 0.1\n"
    assert calls[2].text.startswith("*** Begin Patch")


def test_a_codex_child_drops_its_parents_replay_but_not_the_same_words_said_again() -> None:
    read = read_all("codex", found("codex", SESSIONS / "codex"))
    assert texts(read[CHILD]) == ["Why does the cart total drift?", "Because of floats."]
    assert session(read[CHILD]).parent == THREAD and session(read[CHILD]).id == CHILD
    spawned = session(read["0195a000-4444-7000-8000-00000000a004"])
    assert (spawned.kind, spawned.parent, spawned.prompts) == ("subagent", THREAD, 0)
    assert read["0195a000-5555-7000-8000-00000000a005"].skipped == "no-prompt", "only a header"


def test_an_old_rollout_has_the_folder_of_its_context_and_no_time_of_its_file() -> None:
    old = session(read_all("codex", found("codex", SESSIONS / "codex"))["5e0f1a2b-3333-4c4d-8e5f-00000000a003"])
    assert (old.cwd, old.started, old.ended, old.git_branch) == (
        "/code/legacy",
        "2025-08-20T08:00:00Z",
        "2025-08-20T08:00:00Z",
        "master",
    )
    assert [t.outcome for t in old.turns if t.role == "tool"] == ["error 2"]


def test_a_packed_rollout_reads_like_the_plain_one_and_yields_to_it(tmp_path: Path) -> None:
    import zstandard

    live = next((SESSIONS / "codex" / "sessions").rglob(f"*{THREAD}.jsonl"))
    packed = tmp_path / "archived_sessions" / f"{live.name}.zst"
    packed.parent.mkdir()
    packed.write_bytes(zstandard.ZstdCompressor().compress(live.read_bytes()))
    (alone,) = found("codex", tmp_path)
    parsed = adapters.load("codex").read(alone, Alone())
    assert alone.key == THREAD and len(turns(parsed)) == 5
    (tmp_path / "sessions" / "2026").mkdir(parents=True)
    shutil.copy(live, tmp_path / "sessions" / "2026" / live.name)
    assert [Path(s.path).suffix for s in found("codex", tmp_path)] == [".jsonl"]
    packed.write_bytes(b"(\xb5/\xfd broken")
    with pytest.raises(OSError, match="zstd"):
        adapters.load("codex").read(alone, Alone())


@pytest.mark.parametrize("text", ["<environment_context>\n<cwd>/x</cwd>", "# AGENTS.md instructions for /x", "<skill>"])
def test_codex_texts_of_the_program_are_no_prompts(text: str) -> None:
    assert codex_text.prompt(text) == "" and codex_text.prompt(f"about {text}") != ""
