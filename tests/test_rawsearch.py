"""Turns are found by their words, by how many of them and as they stand, then people before tools; a broken page costs
only itself."""

from __future__ import annotations

import pytest

from llmwiki import rawpage, rawsearch
from llmwiki.model import Session, Turn

PAGES = {
    "raw/a.md": rawpage.render(
        Session("codex", "a", turns=(
            Turn(1, "user", "Why is the login page running so slowly?", origin="typed"),
            Turn(4, "tool", "cat log", tool="Bash", outcome="ok", result="login page slow slow\n" * 3),
            Turn(9, "assistant", "Nothing to do with it."),
        ))
    ),
    "raw/b.md": rawpage.render(Session("codex", "b", turns=(Turn(2, "user", "Run the migrations", origin="typed"),))),
    "raw/c.md": "not a raw page, but it says login",
}  # fmt: skip


def find(query, limit=10):
    return [(f.path, f.turn.anchor) for f in rawsearch.search(query, PAGES, PAGES.get, limit)]


def test_a_person_comes_before_a_tool():
    assert find("slow login page") == [("raw/a.md", "t1"), ("raw/a.md", "t4")]


def test_run_finds_running_and_run():
    assert {p for p, _ in find("run")} == {"raw/a.md", "raw/b.md"}


def test_nothing_is_found_for_what_nobody_said():
    assert find("kubernetes") == []
    assert find("") == []


def test_the_snippet_shows_where():
    (hit,) = rawsearch.search("migrations", PAGES, PAGES.get, 1)
    assert hit.snippet == "Run the migrations"


def test_the_limit_holds():
    assert len(find("login page run", 1)) == 1


LOG = "collected 40 items\n" + "tests/test_store.py::test_one PASSED\n" * 200
TRACEBACK = f"{LOG}E   sqlite3.OperationalError: no such table: tags\n1 failed, 39 passed"
ERROR = (Turn(8, "tool", "uv run pytest", tool="Bash", outcome="error", result=TRACEBACK), "t8")
LONG = "The scheduler holds its jobs. " * 200
PLANNED = (Turn(8, "assistant", f"{LONG} The nightly export has a timeout now, since the queue was full. {LONG}"), "t8")
EDITED = (Turn(8, "tool", f"{LOG}def createNote(raw_page): ...\n~/work/app/src/note_store.py\n", tool="Read"), "t8")


@pytest.mark.parametrize(
    ("query", "best", "prompts"),
    [
        ("no such table", ERROR, ["Lay the table.", "Table tags, please.", "There is no table for such a thing."]),
        ('"No such table"?', ERROR, ["Lay the table.", "No table."]),
        ("OperationalError: no such table: tags", ERROR, ["Tags, tags, tags.", "Table of tags", "An error."]),
        ("sqlite3.OperationalError: no such table: notes", ERROR, ["Notes.", "Table notes", "sqlite3, please."]),
        ("nightly export timeout queue", PLANNED, ["Export", "The queue.", "Export nightly!", "Nightly queue?"]),
        ("the timeout of the nightly export", PLANNED, ["Timeout!", "The timeout of the login page."]),
        ("createNote", EDITED, ["Create a note.", "Note that.", "Create it."]),
        ("createnote", EDITED, ["Create a note."]),
        ("raw_page", EDITED, ["A raw page.", "Page.", "Raw!"]),
        ("src/note_store.py", EDITED, ["The note store in src, in py.", "src", "A note."]),
        ("note_store", EDITED, ["Store the note.", "A store of notes.", "Store it."]),
    ],
)
def test_the_turn_with_the_phrase_or_all_words_comes_before_short_prompts(query, best, prompts):
    turn, anchor = best
    said = [Turn(n, "user", text, origin="typed") for n, text in enumerate(prompts, 20)]
    pages = {
        "raw/z.md": rawpage.render(Session("codex", "z", turns=tuple(said))),
        "raw/a.md": rawpage.render(Session("codex", "a", turns=(turn,))),
    }
    found = rawsearch.search(query, pages, pages.get, 10)
    assert (found[0].path, found[0].turn.anchor) == ("raw/a.md", anchor)


def test_more_of_the_words_come_before_fewer_of_them():
    texts = ("The export is slow.", "The nightly export is slow.", f"{LONG} The nightly export fills the queue.")
    pages = {
        f"raw/{n}.md": rawpage.render(Session("codex", str(n), turns=(Turn(1, "user", text, origin="typed"),)))
        for n, text in enumerate(texts)
    }
    found = rawsearch.search("nightly export queue timeout", pages, pages.get)
    assert [hit.path for hit in found] == ["raw/2.md", "raw/1.md", "raw/0.md"]


def test_the_page_with_the_phrase_is_read_among_many_that_have_its_words():
    said = dict.fromkeys(range(3 * rawsearch.PAGES), "tags are in a table; no, such is life") | {
        0: "no such table: tags"
    }
    pages = {
        f"raw/{n:03}.md": rawpage.render(Session("codex", str(n), turns=(Turn(1, "assistant", text),)))
        for n, text in said.items()
    }
    (hit,) = rawsearch.search("no such table", pages, pages.get, 1)
    assert hit.path == "raw/000.md"


@pytest.mark.parametrize("word", ["body", "copy", "dry", "using", "typing", "Löschen", "café", "Ωmega", "部署"])
def test_a_word_is_found_as_it_is_written(word):
    text = f"Was it {word} or not?"
    pages = {"raw/a.md": rawpage.render(Session("codex", "a", turns=(Turn(1, "assistant", text),)))}
    (hit,) = rawsearch.search(word, pages, pages.get)
    assert hit.snippet == text


def test_a_phrase_is_whole_words_and_of_a_tool_one_line():
    said = (
        Turn(1, "tool", "cat", tool="Bash", outcome="ok", result="we rerun tests\nwe run\ntests"),
        Turn(2, "assistant", "Later I run\ntests."),
    )
    pages = {"raw/a.md": rawpage.render(Session("codex", "a", turns=said))}
    scores = {hit.turn.number: hit.score for hit in rawsearch.search("run tests", pages, pages.get)}
    assert scores[1] < rawsearch.PHRASE < scores[2]


def test_the_snippet_shows_the_phrase_and_else_where_most_words_stand():
    pages = {"raw/a.md": rawpage.render(Session("codex", "a", turns=(PLANNED[0], ERROR[0])))}
    (hit,) = rawsearch.search("no such table", pages, pages.get, 1)
    assert "OperationalError: no such table: tags" in hit.snippet
    (hit,) = rawsearch.search("jobs of the nightly export timeout", pages, pages.get, 1)
    assert "nightly export has a timeout" in hit.snippet
