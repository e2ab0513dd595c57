"""What an adapter read becomes what may be written: redacted as one, our own block out, one project a root."""

from __future__ import annotations

import random
import string

import pytest

from llmwiki import block, ingest
from llmwiki.adapters.base import clip
from llmwiki.model import Session, Turn
from llmwiki.redact import Redactor

TOKEN = "ghp_" + "".join(random.Random(3).choices(string.ascii_letters + string.digits, k=36))
VALUE = "".join(random.Random(4).choices(string.ascii_letters + string.digits, k=32))


def prepared(*turns, **fields):
    return ingest.prepare(Session("codex", "s", turns=turns, **fields), Redactor())


def test_a_secret_that_one_turn_gives_away_is_gone_from_all():
    s = prepared(
        Turn(1, "user", f"what is {VALUE}?", origin="typed"),
        Turn(2, "tool", "cat .env", tool="Bash", outcome="ok", result=f"API_SECRET={VALUE}"),
        title=f"about {VALUE}",
        git_branch=f"fix-{TOKEN}",
    )
    assert VALUE not in repr(s)
    assert TOKEN not in repr(s)
    assert s.redactions == 2


def test_a_long_session_is_redacted_in_parts_that_know_of_each_other(monkeypatch):
    monkeypatch.setattr(ingest, "_CHUNK", 200)
    turns = [Turn(i, "assistant", f"{'word ' * 30}{VALUE if i % 3 == 0 else ''}") for i in range(1, 20)]
    turns.append(Turn(20, "tool", "cat .env", tool="Bash", outcome="ok", result=f"API_SECRET={VALUE}"))
    s = prepared(*turns)
    assert VALUE not in repr(s)
    assert s.redactions == 7


def test_a_terminal_sequence_cannot_cut_a_secret_in_two():
    s = prepared(Turn(1, "tool", "x", tool="Bash", outcome="ok", result=f"{TOKEN[:9]}\x1b[0m{TOKEN[9:]}"))
    assert TOKEN[:20] not in s.turns[0].result


def test_texts_come_out_where_they_went_in():
    turns = tuple(Turn(i, "assistant", f"text {i}\n\x00\n", thinking="" if i % 2 else f"why {i}") for i in range(1, 9))
    assert [(t.number, t.text, t.thinking) for t in prepared(*turns).turns] == [
        (t.number, t.text.replace("\x00", ""), t.thinking) for t in turns
    ]


def test_our_own_block_is_cut_out_and_what_it_offered_is_kept():
    own = f"{block.BLOCK_OPEN % 'use-tabs-1a2b run-tests-3c4d'}\n- Use tabs. use-tabs-1a2b\n{block.BLOCK_CLOSE}\n"
    s = prepared(Turn(1, "user", f"{own}fix the login", origin="typed"), Turn(2, "user", own, origin="typed"))
    assert [t.text for t in s.turns] == ["fix the login"]
    assert s.offered == ("use-tabs-1a2b", "run-tests-3c4d")


OWN = f"{block.BLOCK_OPEN % 'use-tabs-1a2b'}\n- Use tabs. use-tabs-1a2b\n{block.BLOCK_CLOSE}\n"


@pytest.mark.parametrize(
    "command", ["cat README.md", "grep llmwiki context.md", "cat llmwiki context", "ls # llmwiki", ""]
)
def test_a_block_that_a_tool_printed_offers_nothing_and_is_cut_out(command):
    s = prepared(Turn(1, "tool", command, tool="Bash", outcome="ok", result=f"a\n{OWN}b"))
    assert s.offered == () and s.turns[0].result == "a\nb"


@pytest.mark.parametrize("role", ["assistant", "summary", "tool"])
def test_a_block_in_what_the_agent_writes_offers_nothing(role):
    s = prepared(Turn(1, role, f"a\n{OWN}b"))
    assert s.offered == () and s.turns[0].text == "a\nb"


@pytest.mark.parametrize(
    "command",
    [
        "llmwiki context 'fix the login'",
        "cd ~/shop && LLMWIKI_WIKI=x uv run llmwiki context 'fix it' --budget 300",
        "git diff | ~/.venv/bin/llmwiki --wiki notes context -",
        "python -m llmwiki context x",
    ],
)
def test_what_the_agent_asked_us_for_was_offered(command):
    s = prepared(Turn(1, "tool", command, tool="Bash", outcome="ok", result=OWN))
    assert s.offered == ("use-tabs-1a2b",)


@pytest.mark.parametrize("at", [0, 2050, 2150, 2199, 2230, 5000, 8550, 8590, 8620, 9900])
def test_no_part_of_a_secret_survives_a_cut(at):
    text = "x" * at + f' token="{TOKEN}" ' + "y" * (10_000 - at)
    out = clip(text, 4000, Redactor().find)
    assert not any(TOKEN[i : i + 12] in out for i in range(len(TOKEN) - 12))


def test_the_name_that_gives_a_value_away_may_stand_before_the_cut():
    for at in range(8500, 8620, 7):
        text = "x" * at + f" API_SECRET={VALUE} " + "y" * (10_000 - at)
        assert VALUE[-14:] not in clip(text, 4000, Redactor().find)


@pytest.mark.parametrize(
    ("cwd", "repository", "project"),
    [
        ("/home/dev/notes-api", "", "notes-api"),
        ("/home/dev/notes-api/src", "/home/dev/notes-api", "notes-api"),
        ("/home/dev/notes-api/.claude/worktrees/x/src", "", "notes-api"),
        ("C:\\Code\\Notes", "", "Notes"),
        ("c:/Code/Notes/", "", "Notes"),
        ("/home/dev", "", "home"),
        ("/Users/dev/", "", "home"),
        ("/", "", "root"),
        ("", "", "unknown"),
        ("/code/日本", "", "日本"),
    ],
)
def test_projects_are_named_by_their_root(cwd, repository, project):
    assert ingest.name_project(ingest.project_root(cwd, repository), {}, {}) == project


def test_drive_letters_differ_only_in_case():
    assert ingest.project_root("C:\\Code\\x") == ingest.project_root("c:\\Code\\x")


def test_two_roots_of_one_name_are_told_apart_and_aliases_join_them():
    named = {"api": "/a/api"}
    assert ingest.name_project("/a/api", named, {}) == "api"
    other = ingest.name_project("/b/api", named, {})
    assert other.startswith("api-")
    assert len(other) == 8
    assert ingest.name_project("/b/api", named, {"/b/api": "api"}) == "api"


def test_a_page_never_lands_on_another_sessions():
    s = Session("codex", "s", project="p", turns=(Turn(1, "user", "hi", "2026-03-01T00:00:00Z", origin="typed"),))
    path = ingest.page(s).path
    assert ingest.page(s, taken={path: "other"}).path != path
    assert ingest.page(s, taken={path: "s"}).path == path
    assert ingest.page(s, present="raw/codex/p/kept.md").path == "raw/codex/p/kept.md"
