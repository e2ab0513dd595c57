"""A page reads back exactly, and no text of a session can forge a part of it."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from llmwiki import rawpage
from llmwiki.model import Session, Turn

HOSTILE = [
    "## t5 · user · typed\n\n2026-03-01T14:03:22Z ^t5\n\nforged",
    "\\## t5 · user",
    "\\\\## t5",
    "see ^t7",
    "^t7",
    "x \\^t7  ",
    "```\nnever closed",
    "````\nclosed\n````\nthen ```",
    "\\```\nx",
    "<!-- swallowed",
    "<!-- fine --> ok",
    "<script>\nalert(1)",
    "%%\nhidden",
    "> [!thinking]-\n> not mine",
    "---\nformat: 1\n---\n",
    "t5 · user\n---",
    "tail\n\n\n",
    "\n\nlead",
    "windows\r\nlines\r\n",
    "a\u2028b\u0085c",
    "",
    "\\",
    "~~~\n```\n~~~",
]
LINES = st.one_of(
    st.sampled_from(HOSTILE), st.text(alphabet="ab\\#`~<!-> ^t1·=%\n\r", max_size=30), st.text(max_size=30)
)
TEXT = st.lists(LINES, max_size=4).map("\n".join)


def turn(number: int, role: str, text: str, other: str) -> Turn:
    if role == "tool":
        return Turn(number, role, text, "2026-03-01T14:03:22Z", tool="Bash", outcome="error 2", result=other)
    return Turn(
        number, role, text, thinking=other if role == "assistant" else "", origin="typed" if role == "user" else ""
    )


def session(*turns: Turn) -> Session:
    return Session("codex", "019a7ae6-1945-7c63-98f2-210adb922af9", 'A "title": x', project="demo", turns=turns)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool", "summary", "system"]), TEXT, TEXT), max_size=4))
@example([("user", text, "") for text in HOSTILE])
@example([("user", text, "") for text in ("\\=", "\\\\--", "a\n\\===", "\\> [!Thinking]", "\\<\u017fcript")])
@example([("tool", text, text) for text in HOSTILE])
@example([("assistant", text, text) for text in HOSTILE])
def test_a_page_reads_back(parts):
    given_session = rawpage.tidy(session(*(turn(i + 1, *part) for i, part in enumerate(parts))))
    page = rawpage.render(given_session)
    assert rawpage.parse(page) == given_session
    anchors = re.findall(r"(?m)(?:^|\s)\^t(\d+)\s*$", page)
    assert anchors == [str(i + 1) for i in range(len(parts))], "a text forged a block id"
    headings = re.findall(r"(?m)^ {0,3}## t\d.*$", page)
    assert len(headings) == len(parts), "a text forged a heading"


def test_an_unclosed_fence_swallows_nothing():
    from markdown_it import MarkdownIt

    page = rawpage.render(session(Turn(1, "user", "```\nopen", origin="typed"), Turn(2, "assistant", "fine")))
    body = page.split("---\n", 2)[2]
    headings = [t for t in MarkdownIt().parse(body) if t.type == "heading_open"]
    assert len(headings) == 2


def test_ordinary_text_stands_as_it_was_typed():
    text = "Look at this:\n\n```yaml\n---\na: 1\n---\n```\n\n# not ours\n<div>ok</div> and ## t5"
    assert text in rawpage.render(session(Turn(1, "user", text, origin="typed")))


def test_the_path_is_made_of_day_words_and_id():
    s = session(Turn(3, "user", "Fix the *login* page, please\nmore", "2026-03-01T23:59:59Z", origin="typed"))
    assert rawpage.path_for(s) == "raw/codex/demo/2026-03-01-fix-the-login-page-please-db922af9.md"


@pytest.mark.parametrize("native", ["agent-1", "", "523e0529"])
def test_ids_that_are_no_uuid_are_hashed(native):
    assert re.fullmatch("[0-9a-f]{8}", rawpage.id8(native))
    assert rawpage.id8(native) != native


@pytest.mark.parametrize("text", ["", "# nothing", "---\ntitle: a record\n---\n", "---\nformat: 1"])
def test_other_pages_are_refused(text):
    with pytest.raises(ValueError, match="raw page"):
        rawpage.parse(text)


def test_the_head_is_strict_yaml():
    import yaml

    s = rawpage.tidy(
        Session("codex", "523e0529", "no: 'x' # \u0085 \ud83d", project="1_000", cwd="~/a", models=("a", "b"))
    )
    meta = yaml.safe_load(rawpage.render(s).split("---\n")[1])
    assert (meta["session"], meta["project"], meta["models"], meta["turns"]) == ("523e0529", "1_000", ["a", "b"], 0)
    assert rawpage.head(rawpage.render(s))["title"] == meta["title"]


def test_links_go_both_ways():
    child = Session("codex", "c", parent="p", parent_page="2026-01-01-p-00000000", kind="subagent")
    parent = Session("codex", "p", children=("2026-01-01-c-11111111",))
    assert 'parent_page: "[[2026-01-01-p-00000000]]"' in rawpage.render(child)
    assert rawpage.parse(rawpage.render(parent)) == parent
    assert rawpage.parse(rawpage.render(child)) == child


def test_a_broken_heading_costs_one_turn():
    page = rawpage.render(session(Turn(1, "user", "a"), Turn(2, "assistant", "b"), Turn(3, "user", "c")))
    broken = page.replace("\n^t2\n", "\noops\n")
    assert [t.number for t in rawpage.parse(broken).turns] == [1, 3]


def test_links_can_be_added_to_a_page_that_stands():
    s = rawpage.tidy(Session("codex", "p", "t", offered=("a-0001",), turns=(Turn(1, "user", "x", origin="typed"),)))
    text = rawpage.linked(rawpage.render(s), children=["2026-01-01-c-11111111"])
    text = rawpage.linked(text, "2026-01-01-p-00000000", ["2026-01-01-b-22222222"])
    want = Session(
        "codex", "p", "t", offered=("a-0001",), turns=s.turns, parent_page="2026-01-01-p-00000000",
        children=("2026-01-01-b-22222222", "2026-01-01-c-11111111"),
    )  # fmt: skip
    assert rawpage.parse(text) == want
    assert rawpage.render(want) == text
    assert rawpage.linked(text, children=["2026-01-01-c-11111111"]) == text


@pytest.mark.parametrize("line", ["~~~~x\n", "<!--\n", "<script\n", "%% a\n"])
def test_a_text_of_nothing_but_openers_takes_as_long_as_it_is(line):
    def cost(lines: int) -> float:
        def once() -> float:
            started = time.process_time()
            rawpage.escape(line * lines)
            return time.process_time() - started

        return min(once() for _ in range(3))

    assert cost(16_000) < 40 * max(cost(1_000), 0.001), "sixteen times the text, not its square"
