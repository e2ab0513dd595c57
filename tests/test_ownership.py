"""Copies of a session: each record has one owner, whichever file was met first."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import (
    CHILD,
    FORK,
    MAIN,
    SESSIONS,
    THREAD,
    found,
    lines,
    read_all,
    replied,
    said,
    session,
    texts,
)

from llmwiki import adapters
from llmwiki.adapters import ownership
from llmwiki.model import Source

# -- who owns what


def test_a_fork_keeps_only_what_is_its_own_and_names_its_origin() -> None:
    read = read_all("claude-code", found("claude-code", SESSIONS / "claude-code"))
    assert texts(read[FORK]) == ["Try it with Redis instead", "Redis it is."]
    assert (session(read[FORK]).parent, session(read[FORK]).kind) == (MAIN, "main")
    assert "Add a rate limit to the notes endpoint" in texts(read[MAIN]) and session(read[MAIN]).parent == ""


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
    assert (texts(read["aaaa"]), texts(read["bbbb"])) == (["one", "two"], ["three"])


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
    assert (texts(read["aaaa"]), texts(read["bbbb"])) == (["one", "two"], ["three"])


def test_copies_beside_a_session_keep_a_side_question_and_nothing_else() -> None:
    read = read_all("claude-code", found("claude-code", SESSIONS / "claude-code"))
    assert read[f"{MAIN}/acompact-78"].skipped == "copy"
    aside = read[f"{MAIN}/aside_question-77"]
    assert texts(aside) == ["what does the limiter count?", "Calls a minute."]
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
    assert texts(read["aaaa"]) == ["mine", "nobody's"] and read["aaaa"].foreign == 1
    assert session(read["aaaa"]).id == "aaaa"


@pytest.mark.parametrize(("agent", "pair"), [("claude-code", (MAIN, FORK)), ("codex", (THREAD, CHILD))])
def test_a_second_file_that_says_less_is_a_copy_and_changes_nothing(
    agent: str, pair: tuple[str, str], tmp_path: Path
) -> None:
    adapter = adapters.load(agent)
    sources = [s for s in found(agent, SESSIONS / agent) if s.key in pair]
    whole = next(s for s in sources if s.key == pair[0])
    cut = tmp_path / Path(whole.path).name
    cut.write_bytes(b"".join(Path(whole.path).read_bytes().splitlines(keepends=True)[:30][:-2]))
    part = Source(agent, str(cut), pair[0], 1, 1)
    for family in ([part, *sources], [*sources, part]):
        known = ownership.Ownership(adapter, family, ownership.heads(adapter, family))
        assert adapter.read(part, known).skipped == "copy"
        assert {s.key: adapter.read(s, known) for s in sources} == read_all(agent, sources)


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_second_file_that_says_more_is_left_to_whoever_writes_pages(agent: str, tmp_path: Path) -> None:
    key = {"claude-code": MAIN, "codex": THREAD}[agent]
    adapter = adapters.load(agent)
    (whole,) = (s for s in found(agent, SESSIONS / agent) if s.key == key)
    data = Path(whole.path).read_bytes().splitlines(keepends=True)
    other = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "elsewhere"}]}
    line = said("elsewhere", MAIN) if agent == "claude-code" else {"type": "response_item", "payload": other}
    strayed = tmp_path / Path(whole.path).name
    strayed.write_bytes(b"".join(data[:12]) + lines(line))
    family = [whole, Source(agent, str(strayed), key, 1, 1)]
    known = ownership.Ownership(adapter, family, ownership.heads(adapter, family))
    assert "elsewhere" in texts(adapter.read(family[1], known))
