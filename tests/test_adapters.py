"""Sessions as agents leave them, read: one contract over every adapter, goldens, ownership of copies, discovery."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from llmwiki import adapters
from llmwiki.adapters import base, claude_text, codex_text, ownership, repository
from llmwiki.adapters.base import OWN_MARKER, Alone, Parsed
from llmwiki.model import Session, Source, Turn

SESSIONS = Path(__file__).parent / "sessions"
GOLDEN = Path(__file__).parent / "golden" / "adapters"
MAIN = "3f0c2a10-5d1e-4c7b-9a44-0b6d1e2f3a01"
FORK = "7a9b1c22-6e2f-4d8c-8b55-1c7e2f3a4b02"
THREAD = "0195a000-1111-7000-8000-00000000a001"
CHILD = "0195a000-2222-7000-8000-00000000a002"


def found(agent: str, root: Path) -> list[Source]:
    """Every source below a root, with one time for all: the golden files know no clock."""
    return [dataclasses.replace(s, mtime_ns=1_772_000_000_000_000_000) for s in adapters.load(agent).discover(root)]


def read_all(agent: str, sources: Iterable[Source]) -> dict[str, Parsed]:
    adapter, sources = adapters.load(agent), list(sources)
    known = ownership.Ownership(adapter, sources, ownership.heads(adapter, sources))
    return {s.key: adapter.read(s, known) for s in sources}


def shown(parsed: Parsed) -> dict[str, Any]:
    """What a golden file holds: every field that says something."""
    values = dataclasses.asdict(parsed)
    session = values.pop("session") or {}
    turns = [{k: v for k, v in t.items() if v not in ("", 1) or k == "number"} for t in session.pop("turns", ())]
    parts: list[Mapping[str, Any]] = [values, session]
    return {k: v for part in parts for k, v in part.items() if v not in ("", 0, (), {}, False)} | {"turns": turns}


def turns(parsed: Parsed, role: str = "user") -> list[Turn]:
    assert parsed.session is not None, parsed.skipped
    return [t for t in parsed.session.turns if t.role == role]


def session(parsed: Parsed) -> Session:
    assert parsed.session is not None, parsed.skipped
    return parsed.session


def lines(*records: Mapping[str, Any]) -> bytes:
    return b"".join(json.dumps(r).encode() + b"\n" for r in records)


def claude(path: Path, data: bytes) -> Parsed:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return adapters.load("claude-code").read(Source("claude-code", str(path), path.stem, len(data), 0), Alone())


_ids = itertools.count(1)


def said(text: Any, session_id: str = "s1", **more: Any) -> dict[str, Any]:
    uuid = f"{next(_ids):08x}-1111-4111-8111-111111111111"
    record = {"type": "user", "uuid": uuid, "sessionId": session_id, "timestamp": "2026-03-01T10:00:00.000Z"}
    return {**record, "cwd": "/work/x", "message": {"role": "user", "content": text}, **more}


def replied(*blocks: Mapping[str, Any], session_id: str = "s1", id: str = "", **more: Any) -> dict[str, Any]:
    record = said("", session_id, **more)
    message = {"id": id or record["uuid"], "role": "assistant", "model": "m-1", "content": list(blocks)}
    return {**record, "type": "assistant", "message": message}


def ran(id: str, name: str = "Bash", **given: Any) -> dict[str, Any]:
    return replied({"type": "tool_use", "id": id, "name": name, "input": given})


def came_back(id: str, content: Any, error: bool | None = None, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": id, "content": content}
    return said([block if error is None else {**block, "is_error": error}], **more)


# -- the contract


@pytest.mark.parametrize("agent", adapters.ADAPTERS)
def test_every_adapter_reads_its_sample_sessions_as_written_down(agent: str, update: bool) -> None:
    sources = found(agent, SESSIONS / agent)
    assert sources, f"no sample session in tests/sessions/{agent}"
    for key, parsed in read_all(agent, sources).items():
        golden = GOLDEN / agent / f"{key.replace('/', '_')}.json"
        text = json.dumps(shown(parsed), ensure_ascii=False, indent=1) + "\n"
        if update:
            golden.parent.mkdir(parents=True, exist_ok=True)
            golden.write_text(text, encoding="utf-8")
        assert text == golden.read_text(encoding="utf-8"), key


@pytest.mark.parametrize("agent", adapters.ADAPTERS)
def test_discovery_is_sorted_repeatable_and_gives_each_file_once(agent: str) -> None:
    first = found(agent, SESSIONS / agent)
    assert first == found(agent, SESSIONS / agent)
    assert len({s.path for s in first}) == len({s.key for s in first}) == len(first)


@pytest.mark.parametrize("agent", adapters.ADAPTERS)
def test_turn_numbers_are_lines_of_the_source_and_anchors_are_unique(agent: str) -> None:
    for parsed in read_all(agent, found(agent, SESSIONS / agent)).values():
        if parsed.session:
            anchors = [t.anchor for t in parsed.session.turns]
            assert len(set(anchors)) == len(anchors)
            assert anchors == sorted(anchors, key=lambda a: [int(x) for x in a[1:].split("-")])


@pytest.mark.parametrize("agent", adapters.ADAPTERS)
def test_a_prefix_of_a_session_gives_the_first_turns_of_the_whole(agent: str, tmp_path: Path) -> None:
    """A live session is read again and again; what was told once may be added to, never renumbered."""
    compared = 0
    for source in found(agent, SESSIONS / agent):
        data = Path(source.path).read_bytes()
        cut = tmp_path / Path(source.path).name
        cut.write_bytes(data[: len(data) // 2])
        whole = adapters.load(agent).read(source, Alone())
        part = adapters.load(agent).read(dataclasses.replace(source, path=str(cut)), Alone())
        if part.session is None or whole.session is None:
            continue
        compared += 1
        withdrawn = {"never mind this one", "and keep the old signature of notes()", "this prompt was a mistake"}
        told = {(t.anchor, t.role) for t in whole.session.turns}
        assert {(t.anchor, t.role) for t in session(part).turns if t.text not in withdrawn} <= told
    assert compared >= 2


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
            said("a", timestamp="2026-03-01T09:59:59.999Z", gitBranch="feat/x", cwd="/work/y"),
            said("c", timestamp="no time at all"),
        ),
    )
    one = session(parsed)
    assert (one.started, one.ended, one.git_branch) == ("2026-03-01T09:59:59Z", "2026-03-01T10:00:00Z", "feat/x")
    assert one.cwd == "/work/x" and parsed.cwds == ("/work/x", "/work/y") and one.turns[2].at == ""


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


# -- who owns what


def _keys(parsed: Parsed) -> list[str]:
    return [t.text for t in session(parsed).turns]


def test_a_fork_keeps_only_what_is_its_own_and_names_its_origin() -> None:
    read = read_all("claude-code", found("claude-code", SESSIONS / "claude-code"))
    assert _keys(read[FORK]) == ["Try it with Redis instead", "Redis it is."]
    assert (session(read[FORK]).parent, session(read[FORK]).kind) == (MAIN, "main")
    assert "Add a rate limit to the notes endpoint" in _keys(read[MAIN]) and session(read[MAIN]).parent == ""


@pytest.mark.parametrize(("agent", "pair"), [("claude-code", (MAIN, FORK)), ("codex", (THREAD, CHILD))])
def test_owners_are_the_same_in_whatever_order_sources_come(agent: str, pair: tuple[str, str]) -> None:
    sources = [s for s in found(agent, SESSIONS / agent) if s.key in pair]
    assert len(sources) == 2
    assert read_all(agent, sources) == read_all(agent, reversed(sources))


@pytest.mark.parametrize(("agent", "pair"), [("claude-code", (MAIN, FORK)), ("codex", (THREAD, CHILD))])
def test_a_copy_that_was_alone_is_read_again_when_its_origin_comes(agent: str, pair: tuple[str, str]) -> None:
    """Alone, a fork tells the whole history; its signature changes with the family, and so does what is its own."""
    adapter = adapters.load(agent)
    sources = [s for s in found(agent, SESSIONS / agent) if s.key in pair]
    fork = next(s for s in sources if s.key == pair[1])
    alone = ownership.Ownership(adapter, [fork], ownership.heads(adapter, [fork]))
    both = ownership.Ownership(adapter, sources, ownership.heads(adapter, sources))
    assert alone.signature(fork) == "" != both.signature(fork)
    assert len(session(adapter.read(fork, alone)).turns) > len(session(adapter.read(fork, both)).turns)


def test_an_original_that_its_fork_holds_whole_is_still_the_owner(tmp_path: Path) -> None:
    first, second = said("one", "aaaa"), replied({"type": "text", "text": "two"}, session_id="aaaa")
    third = said("three", "bbbb", timestamp="2026-03-01T10:05:00.000Z")
    (tmp_path / "projects" / "p").mkdir(parents=True)
    (tmp_path / "projects" / "p" / "bbbb.jsonl").write_bytes(
        lines(*({**r, "sessionId": "bbbb"} for r in (first, second)), third)
    )
    (tmp_path / "projects" / "p" / "aaaa.jsonl").write_bytes(lines(first, second))
    read = read_all("claude-code", found("claude-code", tmp_path))
    assert (_keys(read["aaaa"]), _keys(read["bbbb"])) == (["one", "two"], ["three"])


def test_a_copy_with_reminted_uuids_is_known_by_time_and_message(tmp_path: Path) -> None:
    first, second = said("one", "aaaa"), replied({"type": "text", "text": "two"}, session_id="aaaa", id="msg_77")
    again = [
        {**r, "sessionId": "bbbb", "uuid": f"{n}2345678-2222-4222-8222-222222222222"}
        for n, r in enumerate((first, second))
    ]
    own = said("three", "bbbb", timestamp="2026-03-01T10:05:00.000Z")
    (tmp_path / "projects" / "p").mkdir(parents=True)
    (tmp_path / "projects" / "p" / "aaaa.jsonl").write_bytes(lines(first, second))
    (tmp_path / "projects" / "p" / "bbbb.jsonl").write_bytes(lines(*again, own))
    read = read_all("claude-code", found("claude-code", tmp_path))
    assert (_keys(read["aaaa"]), _keys(read["bbbb"])) == (["one", "two"], ["three"])


def test_copies_beside_a_session_keep_a_side_question_and_nothing_else() -> None:
    read = read_all("claude-code", found("claude-code", SESSIONS / "claude-code"))
    assert read[f"{MAIN}/acompact-78"].skipped == "copy"
    aside = read[f"{MAIN}/aside_question-77"]
    assert _keys(aside) == ["what does the limiter count?", "Calls a minute."]
    assert (session(aside).kind, session(aside).parent, session(aside).prompts) == ("subagent", MAIN, 1)


def test_a_subagent_has_a_page_of_its_own_and_its_orders_are_not_the_persons() -> None:
    read = read_all("claude-code", found("claude-code", SESSIONS / "claude-code"))
    agent = session(read[f"{MAIN}/a1b2c3d4"])
    assert (agent.id, agent.parent, agent.kind, agent.prompts) == (f"{MAIN}/a1b2c3d4", MAIN, "subagent", 0)
    assert agent.turns[0].role == "system" and read[MAIN].children == (f"{MAIN}/a1b2c3d4",)


def test_records_of_a_session_with_a_file_of_its_own_are_left_to_it(tmp_path: Path) -> None:
    (tmp_path / "projects" / "p").mkdir(parents=True)
    mixed = lines(said("mine", "aaaa"), said("theirs", "bbbb"), said("nobody's", "cccc"))
    (tmp_path / "projects" / "p" / "aaaa.jsonl").write_bytes(mixed)
    (tmp_path / "projects" / "p" / "bbbb.jsonl").write_bytes(lines(said("own", "bbbb")))
    read = read_all("claude-code", found("claude-code", tmp_path))
    assert _keys(read["aaaa"]) == ["mine", "nobody's"] and read["aaaa"].foreign == 1
    assert session(read["aaaa"]).id == "aaaa"


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
    assert _keys(read[CHILD]) == ["Why does the cart total drift?", "Because of floats."]
    assert session(read[CHILD]).parent == THREAD and session(read[CHILD]).id == CHILD
    spawned = session(read["0195a000-4444-7000-8000-00000000a004"])
    assert (spawned.kind, spawned.parent, spawned.prompts) == ("subagent", THREAD, 0)
    assert read["0195a000-5555-7000-8000-00000000a005"].skipped == "no-prompt", "only a header"


def test_an_old_rollout_has_the_folder_of_its_context_and_ends_with_its_file() -> None:
    old = session(read_all("codex", found("codex", SESSIONS / "codex"))["5e0f1a2b-3333-4c4d-8e5f-00000000a003"])
    assert (old.cwd, old.started, old.ended, old.git_branch) == (
        "/work/legacy",
        "2025-08-20T08:00:00Z",
        "2026-02-25T06:13:20Z",
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


# -- where sessions are


def test_a_variable_replaces_the_usual_folders(tmp_path: Path) -> None:
    claude_roots, codex_roots = adapters.load("claude-code").roots, adapters.load("codex").roots
    assert claude_roots({}, tmp_path) == [tmp_path / ".claude", tmp_path / ".config" / "claude"]
    assert codex_roots({}, tmp_path) == [tmp_path / ".codex"]
    several = f"/a, ~/b{os.pathsep}/c"
    assert claude_roots({"CLAUDE_CONFIG_DIR": several}, tmp_path) == [Path("/a"), tmp_path / "b", Path("/c")]
    assert codex_roots({"CODEX_HOME": "/z"}, tmp_path) == [Path("/z")]


def test_a_store_is_found_from_any_folder_around_or_inside_it(tmp_path: Path) -> None:
    home = tmp_path / "trees" / "one" / ".claude"
    shutil.copytree(SESSIONS / "claude-code", home)
    (tmp_path / "trees" / "one" / "projects" / "code").mkdir(parents=True)
    project = home / "projects" / "-work-notes-api"
    wanted = {Path(s.path).name for s in found("claude-code", home)}
    assert len(wanted) == 9
    for root in (tmp_path / "trees", tmp_path / "trees" / "one", home / "projects"):
        assert {Path(s.path).name for s in found("claude-code", root)} == wanted
    inside = {Path(p).name for p in project.rglob("*.jsonl")}
    assert {Path(s.path).name for s in found("claude-code", project)} == inside
    assert [s.key for s in found("claude-code", project / f"{MAIN}.jsonl")] == [MAIN]
    assert found("claude-code", tmp_path / "nowhere") == found("codex", tmp_path / "nowhere") == []
    assert found("claude-code", SESSIONS / "codex") == [], "another agent's files are not taken for transcripts"
    assert found("codex", SESSIONS / "claude-code") == []


def test_links_are_followed_once_and_a_loop_ends(tmp_path: Path) -> None:
    project = tmp_path / "elsewhere"
    project.mkdir()
    (project / "s1.jsonl").write_bytes(lines(said("hello")))
    projects = tmp_path / "home" / "projects"
    projects.mkdir(parents=True)
    (projects / "linked").symlink_to(project)
    (projects / "again").symlink_to(project)
    (projects / "loop").symlink_to(projects)
    (projects / "dead").symlink_to(tmp_path / "gone")
    (project / "up").symlink_to(projects)
    (project / "dead.jsonl").symlink_to(tmp_path / "gone.jsonl")
    (project / "folder.jsonl").mkdir()
    assert [s.key for s in found("claude-code", tmp_path / "home")] == ["s1"]


def test_a_folder_that_may_not_be_listed_fails_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("open", "shut"):
        (tmp_path / "projects" / name).mkdir(parents=True)
        (tmp_path / "projects" / name / "s1.jsonl").write_bytes(lines(said("hello")))
    listed = Path.iterdir

    def refuse(self: Path) -> Any:
        if self.name == "shut":
            raise PermissionError(13, "Permission denied", str(self))
        return listed(self)

    monkeypatch.setattr(Path, "iterdir", refuse)
    readable, shut = found("claude-code", tmp_path)
    assert len(turns(adapters.load("claude-code").read(readable, Alone()))) == 1
    with pytest.raises(PermissionError):
        adapters.load("claude-code").read(shut, Alone())


@pytest.mark.parametrize("agent", adapters.ADAPTERS)
def test_a_file_that_may_not_be_read_and_a_folder_in_its_place_fail(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "s1.jsonl"
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        adapters.load(agent).read(Source(agent, str(folder), "s1", 0, 0), Alone())

    def refuse(self: Path, *args: Any, **more: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PermissionError):
        adapters.load(agent).read(Source(agent, str(tmp_path / "s2.jsonl"), "s2", 0, 0), Alone())


# -- texts


def test_clipping_keeps_head_errors_and_tail_and_counts_what_is_gone() -> None:
    rows = [f"row {n}" for n in range(4000)]
    rows[2000] = "Error: the disk is full"
    text = "\n".join(rows)
    short = base.clip(text, 1000)
    assert len(short) < 1200 and short.startswith("row 0\n") and short.endswith("row 3999")
    assert "\nError: the disk is full\n" in short
    told = [int(line.split()[1].replace(",", "")) for line in short.split("\n") if line.startswith("[… ")]
    shown_rows = sum(1 for line in short.split("\n") if line in set(rows))
    assert len(told) == 2 and abs(sum(told) + shown_rows - 4000) <= 2
    assert base.clip(text, 1000) == short and base.clip("short", 1000) == "short"


def test_results_are_clipped_harder_in_a_monster_and_prompts_never(tmp_path: Path) -> None:
    clipper = base.Clipper(total=5_000)
    sizes = [len(clipper("x" * 9_000)) for _ in range(4)]
    assert sizes[0] > 3_000 and sizes[3] < 600
    prompt = "a prompt\n" * 40_000
    assert turns(claude(tmp_path / "s1.jsonl", lines(said(prompt))))[0].text == prompt


def test_reminders_go_only_where_they_stand_on_lines_of_their_own() -> None:
    text = "keep\n<system-reminder>\na\n</system-reminder>\nthis\n<system-reminder>never closed"
    assert claude_text.strip_reminders(text) == "keep\n\nthis\n<system-reminder>never closed"
