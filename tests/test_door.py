"""The Python door as CLI.md writes it."""

import subprocess
import sys
from pathlib import Path

import pytest
from wikis import make, record

import llmwiki
from llmwiki.errors import WikiError


def test_importing_it_costs_nothing():
    asked = "import sys; before = set(sys.modules); import llmwiki; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"__future__", "llmwiki", "llmwiki.errors"}


def test_a_folder_without_a_wiki_is_an_error_that_the_door_names(tmp_path):
    with pytest.raises(llmwiki.WikiError, match="llmwiki init"):
        llmwiki.open(tmp_path)


@pytest.fixture
def wiki(tmp_path, monkeypatch):
    monkeypatch.setenv("LLMWIKI_NOW", "2026-03-05T00:00:00Z")
    lesson = record("round-1a2b", "Round the cart total once", when={"paths": ["src/cart.py"]})
    return llmwiki.open(make(tmp_path, lesson))


@pytest.mark.parametrize("odd", [None, 3, b"round the total", Path("src/cart.py"), ["round the total"]])
def test_what_is_asked_is_a_text(wiki, odd):
    for ask, name in ((wiki.context, "task"), (wiki.search, "query"), (wiki.search_raw, "query")):
        with pytest.raises(TypeError, match=rf"^{name} is a text \(str\), not "):
            ask(odd)


@pytest.mark.parametrize("odd", [None, 3, b"w", ["w"]])
def test_a_wiki_is_opened_by_a_path(odd):
    with pytest.raises(TypeError, match=r"^the folder of a wiki is a path \(str or Path\), not "):
        llmwiki.open(odd)


ODD = [
    ({"limit": "3"}, TypeError, r"limit is a whole number \(int\), not '3'"),
    ({"limit": 2.5}, TypeError, "limit is a whole number"),
    ({"limit": -1}, WikiError, "limit wants a whole number from 0 up, not -1"),
    ({"project": 3}, TypeError, "project is a text"),
    ({"scope": "nobody"}, WikiError, "'nobody' is no scope; take one of user"),
]
OF_CONTEXT = [
    ({"budget": "9"}, TypeError, "budget is a whole number"),
    ({"budget": -9}, WikiError, "budget wants a whole number from 0 up"),
    ({"files": [3]}, TypeError, "each of files is a path"),
    ({"files": b"a.py"}, TypeError, "each of files is a path"),
    ({"tool": b"Bash"}, TypeError, "tool is a text"),
    ({"error": ValueError("x" * 99)}, TypeError, "error is a text .*…$"),
    ({"folder": 3}, TypeError, "folder is a path"),
    ({"nope": 1}, TypeError, "context knows no nope; it takes budget"),
    ({"now": 1}, TypeError, "context knows no now"),
]
OF_SEARCH = [
    ({"type": "rumour"}, WikiError, "'rumour' is no type; take one of skill"),
    ({"type": 3}, TypeError, "type is a text"),
    ({"state": "gone"}, WikiError, "'gone' is no state; take one of quarantined"),
]


@pytest.mark.parametrize(("flags", "error", "said"), [*ODD, *OF_CONTEXT])
def test_an_odd_flag_of_context_is_said_in_one_sentence_and_by_the_decorator_before_any_call(wiki, flags, error, said):
    for ask in (lambda: wiki.context("round the total", **flags), lambda: llmwiki.agent(wiki, **flags)):
        with pytest.raises(error, match=said):
            ask()


@pytest.mark.parametrize(("flags", "error", "said"), [*ODD, *OF_SEARCH])
def test_an_odd_flag_of_search_is_said_in_one_sentence(wiki, flags, error, said):
    for query in ("total", ""):
        with pytest.raises(error, match=said):
            wiki.search(query, **{"all": True, **flags})


@pytest.mark.parametrize("odd", [None, "w", print])
def test_the_decorator_wants_a_wiki_and_what_can_be_called(wiki, odd):
    with pytest.raises(TypeError, match=r"@llmwiki.agent\(llmwiki.open\(path\)\)"):
        llmwiki.agent(odd)
    with pytest.raises(TypeError, match="agent decorates what can be called, not 3"):
        llmwiki.agent(wiki)(3)


@pytest.mark.parametrize("files", ["src/cart.py", Path("src/cart.py"), ["src/cart.py"], (Path("src/cart.py"),)])
def test_one_file_is_a_list_of_one_and_a_path_is_its_text(wiki, files):
    assert [told["id"] for told in wiki.context("anything else", files=files).records] == ["round-1a2b"]


def test_none_is_what_is_not_said(wiki):
    names = ("budget", "limit", "project", "scope", "files", "tool", "error", "folder")
    assert wiki.context("round the cart total", **dict.fromkeys(names)).records
    assert wiki.search("total", **dict.fromkeys(("limit", "type", "state", "scope", "project", "all")))
    assert wiki.search_raw("total", None, None) == []
    assert wiki.search("total", limit=0) == [] and wiki.context("round the cart total", limit=0).abstained
