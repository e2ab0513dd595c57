"""Claude Code transcripts: what a person said, what the program wrote, how calls ended, titles and times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from spoken import (
    MAIN,
    SESSIONS,
    came_back,
    claude,
    found,
    lines,
    ran,
    read_all,
    replied,
    said,
    session,
    turns,
)

from llmwiki.adapters import repository
from llmwiki.adapters.base import OWN_MARKER

# -- what a person said


def test_every_way_of_speaking_keeps_its_words_and_its_name(tmp_path: Path) -> None:
    parsed = read_all("claude-code", found("claude-code", SESSIONS / "claude-code"))[MAIN]
    heard = {(t.origin, t.text) for t in turns(parsed)}
    assert {
        ("typed", "Add a rate limit to the notes endpoint"),
        ("refusal", "use uv, never pip"),
        ("interrupt", "[Request interrupted by user for tool use]"),
        ("plan", "# Plan\n\n1. Add a limiter\n2. Test it with two clients"),
        ("queued", "also log every refused call"),
        ("queued", "and keep the old signature of notes()"),
        ("command", "!uv run pytest -q"),
        ("command", "/review api.py only"),
        ("typed", "[image image/png]\nThe page looks like this now. Is that right?"),
        ("typed", "Thanks, commit it"),
    } <= heard
    answer = next(text for origin, text in heard if origin == "answer")
    assert answer == "Q: Which store should hold the counters?\nA: Memory\nNote: one process is enough for now"
    assert not any("never mind" in text or "task-notification" in text for _, text in heard)
    assert len(heard) == len(turns(parsed)), "nothing twice"


def test_parallel_calls_find_their_results_and_a_lost_result_is_lost(tmp_path: Path) -> None:
    parsed = claude(
        tmp_path / "s1.jsonl",
        lines(
            said("go"),
            replied({"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "one"}}, id="m"),
            replied({"type": "tool_use", "id": "b", "name": "Bash", "input": {"command": "two"}}, id="m"),
            replied({"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "three"}}, id="m"),
            came_back("b", "Exit code 3\nboom", True),
            came_back("a", [{"type": "text", "text": "fine"}, {"type": "image", "source": {"media_type": "a/b"}}]),
            came_back("zz", "an answer to nobody"),
        ),
    )
    calls = [(t.number, t.text, t.outcome, t.result) for t in turns(parsed, "tool")]
    assert calls == [
        (2, "one", "ok", "fine\n[image a/b]"),
        (3, "two", "error 3", "Exit code 3\nboom"),
        (4, "three", "lost", ""),
        (7, "", "ok", "an answer to nobody"),
    ]


def test_pieces_of_one_reply_are_one_turn_where_it_began(tmp_path: Path) -> None:
    parsed = claude(
        tmp_path / "s1.jsonl",
        lines(
            said("go"),
            replied({"type": "thinking", "thinking": "hm"}, id="m"),
            replied({"type": "text", "text": "first"}, id="m"),
            replied({"type": "tool_use", "id": "a", "name": "Read", "input": {"file_path": "x"}}, id="m"),
            replied({"type": "text", "text": "second"}, {"type": "text", "text": " "}, id="m"),
        ),
    )
    assert [(t.number, t.text, t.thinking) for t in turns(parsed, "assistant")] == [(2, "first\n\nsecond", "hm")]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("The user doesn't want to proceed with this tool use. STOP what you are doing and wait.", ""),
        ("The user doesn't want to proceed. No: the user said:\nuse tabs\n\neverywhere", None),
        (
            "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
            "use tabs\n\neverywhere\n\nNote: The user's next message may contain a correction or preference.",
            "use tabs\n\neverywhere",
        ),
    ],
)
def test_the_reason_of_a_refusal_is_the_persons_word(tmp_path: Path, result: str, words: str | None) -> None:
    parsed = claude(tmp_path / "s1.jsonl", lines(said("go"), ran("a", command="rm x"), came_back("a", result, True)))
    refused = [t.text for t in turns(parsed) if t.origin == "refusal"]
    assert refused == ([] if words is None else [words])
    assert turns(parsed, "tool")[0].outcome == ("error" if words is None else "refused")


def test_calls_that_fall_with_a_refused_one_are_no_second_refusal(tmp_path: Path) -> None:
    echo = "The user doesn't want to take this action right now. STOP what you are doing."
    parsed = claude(tmp_path / "s1.jsonl", lines(said("go"), ran("a", command="x"), came_back("a", echo, True)))
    assert turns(parsed, "tool")[0].outcome == "refused" and len(turns(parsed)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "explain what <system-reminder> does </system-reminder> in a transcript",
        "<div>\n why is this <b>bold</b>?",
        "yes",
        "\u2028 odd \x85 separators \u2029 stay",
        "line one\r\nline two",
        "    indented code\n    stays",
        "[Request] a heading of mine",
        "<task> do it </task>",
    ],
)
def test_a_prompt_is_kept_to_the_letter(tmp_path: Path, text: str) -> None:
    assert [t.text for t in turns(claude(tmp_path / "s1.jsonl", lines(said(text))))] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "<local-command-stdout>bye</local-command-stdout>",
        '<teammate-message teammate_id="a">\nplease use npm\n</teammate-message>',
        "Caveat: The messages below were generated by the user while running local commands. DO NOT respond.",
        "<ide_opened_file>The user opened a.py</ide_opened_file>",
        "This session is being continued from a previous conversation that ran out of context.",
        "<system-reminder>\nuse npm\n</system-reminder>",
    ],
)
def test_what_the_program_wrote_is_never_a_prompt(tmp_path: Path, text: str) -> None:
    parsed = claude(tmp_path / "s1.jsonl", lines(said(text), said("a real one")))
    assert [t.text for t in turns(parsed)] == ["a real one"]


def test_a_typed_text_beside_a_result_is_kept_unless_it_only_loads_tools(tmp_path: Path) -> None:
    def both(content: Any, text: str) -> dict[str, Any]:
        return said([{"type": "tool_result", "tool_use_id": "a", "content": content}, {"type": "text", "text": text}])

    loaded = [{"type": "tool_reference", "tool_name": "Read"}]
    parsed = claude(tmp_path / "s1.jsonl", lines(said("go"), both("ok", "but rename it"), both(loaded, "Tool loaded.")))
    assert [t.text for t in turns(parsed)] == ["go", "but rename it"]


def test_blocks_that_hold_nothing_change_nothing(tmp_path: Path) -> None:
    parsed = claude(tmp_path / "s1.jsonl", lines(said([{"type": "new-kind"}, {"type": "text", "text": "go"}, {}, []])))
    assert [t.text for t in turns(parsed)] == ["go"]


def test_queued_words_are_told_once_wherever_they_come_back(tmp_path: Path) -> None:
    def queue(operation: str, content: str | None = None) -> dict[str, Any]:
        record = {"type": "queue-operation", "operation": operation, "sessionId": "s1"}
        return record | ({"content": content} if content else {})

    parsed = claude(
        tmp_path / "s1.jsonl",
        lines(
            said("go"),
            queue("enqueue", "yes"),
            queue("enqueue", "then the second thing, please"),
            queue("enqueue", "/rate-limit-options"),
            queue("enqueue", "<task-notification>x</task-notification>"),
            queue("dequeue"),
            queue("dequeue"),
            said("then the second thing, please"),
            said("yes and no"),
        ),
    )
    heard = [(t.number, t.origin, t.text) for t in turns(parsed)]
    assert heard == [
        (1, "typed", "go"),
        (2, "queued", "yes"),
        (4, "command", "/rate-limit-options"),
        (8, "queued", "then the second thing, please"),
        (9, "typed", "yes and no"),
    ]


def test_a_session_that_llmwiki_caused_says_so(tmp_path: Path) -> None:
    assert claude(tmp_path / "s1.jsonl", lines(said(f"Write records. {OWN_MARKER}"))).own
    assert not claude(tmp_path / "s2.jsonl", lines(said("Write records."))).own


def test_record_ids_of_our_own_block_are_read_from_hooks(tmp_path: Path) -> None:
    text = '<llmwiki-memory records="use-uv-1a2b">\n- use uv (use-uv-1a2b)\n</llmwiki-memory>'
    hook = said("", attachment={"type": "hook_additional_context", "content": [text]}) | {"type": "attachment"}
    assert session(claude(tmp_path / "s1.jsonl", lines(hook, said("go")))).offered == ("use-uv-1a2b",)


# -- titles, times, folders


def test_a_title_is_the_persons_then_the_agents_then_the_first_prompt(tmp_path: Path) -> None:
    prompt = said("please fix\nthe parser")
    own = {"type": "summary", "summary": "Parser", "leafUuid": prompt["uuid"]}
    other = {"type": "summary", "summary": "Of another file", "leafUuid": "x"}
    ai = {"type": "ai-title", "aiTitle": "By the agent", "sessionId": "s1"}
    person = {"type": "custom-title", "customTitle": "Mine", "sessionId": "s1"}
    wanted = {"please fix": (other,), "Parser": (other, own), "By the agent": (own, ai), "Mine": (person, ai)}
    for title, extra in wanted.items():
        assert session(claude(tmp_path / "s1.jsonl", lines(*extra, prompt))).title == title


def test_times_are_the_earliest_and_latest_in_utc_whatever_their_order(tmp_path: Path) -> None:
    parsed = claude(
        tmp_path / "s1.jsonl",
        lines(
            said("b", timestamp="2026-03-01T12:00:00+02:00", gitBranch="HEAD"),
            said("a", timestamp="2026-03-01T09:59:59.999Z", gitBranch="feat/x", cwd="/code/y"),
            said("c", timestamp="no time at all"),
        ),
    )
    one = session(parsed)
    assert (one.started, one.ended, one.git_branch) == ("2026-03-01T09:59:59Z", "2026-03-01T10:00:00Z", "feat/x")
    assert one.cwd == "/code/x" and parsed.cwds == ("/code/x", "/code/y") and one.turns[2].at == ""


def test_a_repository_is_found_from_its_folder_its_worktree_and_its_submodule(tmp_path: Path) -> None:
    repo, tree, module = tmp_path / "repo", tmp_path / "tree", tmp_path / "repo" / "sub"
    (repo / ".git" / "worktrees" / "tree").mkdir(parents=True)
    (repo / ".git" / "worktrees" / "tree" / "commondir").write_text("../..\n")
    (repo / "src").mkdir()
    for place, gitdir in ((tree, repo / ".git" / "worktrees" / "tree"), (module, repo / ".git" / "modules" / "sub")):
        place.mkdir()
        (place / ".git").write_text(f"gitdir: {gitdir}\n")
    assert [repository.root(str(p)) for p in (repo / "src", tree, module)] == [str(repo), str(repo), str(module)]
    assert repository.root("/gone/repo/.claude/worktrees/fix-1") == "/gone/repo"
    assert repository.root("/not/here") == repository.root("C:\\work\\x") == repository.root("") == ""


# -- what is no session


def test_every_source_without_a_session_says_why(tmp_path: Path) -> None:
    read = read_all("claude-code", found("claude-code", SESSIONS / "claude-code"))
    assert read["00000000-0000-4000-8000-00000000cafe"].skipped == "empty"
    assert read["00000000-0000-4000-8000-00000000beef"].skipped == "no-session-id"
    assert read["agent-e5f60718"].skipped == "no-prompt", "a warm-up"
    assert claude(tmp_path / "s1.jsonl", lines(said("<command-name>/exit</command-name>"))).skipped == "no-prompt"
    stream = lines({"type": "system", "subtype": "init", "session_id": "x"}, {"type": "result", "session_id": "x"})
    parsed = claude(tmp_path / "log.jsonl", stream)
    assert parsed.skipped == "no-session-id" and "stream-json" in parsed.note


def test_a_session_from_the_web_is_read_by_its_messages(tmp_path: Path) -> None:
    document = {"loglines": [said("hello"), replied({"type": "text", "text": "hi"})], "sessionId": "s1"}
    parsed = claude(tmp_path / "web.json", json.dumps(document).encode())
    assert [(t.number, t.text) for t in session(parsed).turns] == [(1, "hello"), (2, "hi")]
