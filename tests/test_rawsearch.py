"""Turns are found by their words, people before tools, and a broken page costs only itself."""

from __future__ import annotations

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
