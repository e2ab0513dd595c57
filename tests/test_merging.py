"""Several pages made one: what the page that stays says, and where every link leads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llmwiki import markdown, merging, review
from llmwiki.errors import WikiError
from llmwiki.model import Evidence, State
from tests.waiting import AGO, NOW, PIPED, held, wiki
from tests.wikis import record


def merged(losers, winner, *among):
    plan = merging.merge(losers, winner, wiki(*losers, winner, *among), NOW)
    pages = {r.path: markdown.render(r) for r in (*losers, winner, *among)}
    made = {c.path: c.text for c in review.changes(plan, pages.get, "merged")}
    return {new.id: new for _, new in plan.steps}, made, plan


def test_a_merge_unites_sources_lines_and_uses_and_supersedes_the_others():
    one = record("a-one", "Port `8087` is used\nIt is set in `app.toml`", sources=("[[one]]",), uses=2, successes=1)
    two = record("b-one", "Port `8087` is used", sources=("[[two]]",), uses=1, confidence=0.6, supersedes=("z-one",))
    after, made, _ = merged([one], two)
    united = after["b-one"]
    assert united.sources == ("[[two]]", "[[one]]") and (united.uses, united.successes) == (3, 1)
    assert united.supersedes == ("z-one", "a-one") and united.aliases == ("a-one",)
    assert [c.text for c in markdown.claims(united.body)] == ["Port `8087` is used", "It is set in `app.toml`"]
    assert united.confidence == pytest.approx(0.8 + 0.15 * 0.15)  # at least what its evidence starts with, and a step
    lost = markdown.read(made["wiki/archive/facts/a-one.md"], "wiki/archive/facts/a-one.md")
    assert (lost.state, lost.superseded_by, lost.reason) == (State.ARCHIVED, "b-one", "merged into b-one")
    assert made["wiki/facts/a-one.md"] is None


def test_a_merge_leads_every_link_to_the_page_that_stays():
    one, two = record("a-one", "x", aliases=("nick",), path="wiki/facts/first.md"), record("b-one", "x")
    text = (
        "## Statement\n\nSee [[first]], [[a-one|the first]], ![[facts/first#Statement|it]] and [[nick]].\n\n"
        "Not `[[first]]`, \\[[first]] nor [[first#^t3]] nor [[firstly]].\n\n```\n[[first]]\n```\n"
    )
    mine = record("c-one", body=text, parents=("a-one",), supersedes=("b-one", "a-one"), superseded_by="a-one")
    after, made, _ = merged([one], two, mine)
    page = made["wiki/facts/c-one.md"]
    said = "See [[b-one]], [[b-one|the first]], ![[b-one#Statement|it]] and [[b-one]]."
    assert markdown.read(page).body == text.replace(text.split("\n")[2], said)
    assert after["c-one"].parents == ("b-one",) == after["c-one"].supersedes
    assert after["c-one"].superseded_by == "b-one"


def test_a_merge_edits_what_a_person_wrote_by_the_link_alone():
    one, two = record("a-one", "x"), record("b-one", "x")
    page = "---\r\ntitle: Mine  # keep\r\n---\r\n\r\nTwo  spaces, [[a-one]]\r\n<!-- and a comment -->\r\n"
    mine = markdown.read(page, "wiki/facts/mine.md")
    plan = merging.merge([one], two, wiki(one, two, mine), NOW)
    pages = {r.path: markdown.render(r) for r in (one, two)} | {"wiki/facts/mine.md": page}
    made = {c.path: c.text for c in review.changes(plan, pages.get, "merged")}
    assert made["wiki/facts/mine.md"] == page.replace("a-one", "b-one")


def test_an_edited_page_keeps_every_line_and_a_handwritten_one_its_text_and_its_word():
    one = record("a-one", "Also `app.toml`")
    edited = replace(record("b-one"), body="## Statement\n\nFree words.\n\n<!-- mine -->\n")
    after, _, _ = merged([one], edited)
    assert after["b-one"].body.startswith(edited.body) and "Also `app.toml`" in after["b-one"].body
    page = "---\nid: c-one\n---\n\n# Ports\n\nWe use 8087.\n"
    by_hand = markdown.read(page, "wiki/facts/ports.md")
    plan = merging.merge([one], by_hand, wiki(one, by_hand), NOW)
    pages = {one.path: markdown.render(one), by_hand.path: page}
    made = {c.path: c.text for c in review.changes(plan, pages.get, "merged")}
    now = markdown.read(made["wiki/facts/ports.md"], "wiki/facts/ports.md")
    assert (now.body, now.sources, now.handwritten, now.supersedes) == (by_hand.body, (), True, ("a-one",))
    assert "keeps its text" in plan.said[-1]


@pytest.mark.parametrize("stays", ["told-one", "learned-one"])
def test_what_a_person_told_and_what_turns_prove_stay_apart(stays):
    told = record("told-one", body="## Statement\n\n- Port 8087\n", sources=(), evidence=Evidence.USER_SAID)
    both = {"told-one": told, "learned-one": record("learned-one", "It is `8087`")}
    winner, loser = both.pop(stays), *both.values()
    after, _, plan = merged([loser], winner)
    united = after[stays]
    assert (united.body, united.sources, united.evidence) == (winner.body, winner.sources, winner.evidence)
    assert united.confidence > winner.confidence and "keeps its text" in plan.said[0]


def test_what_opposed_each_other_says_so_no_more_in_one_page():
    body = (
        "## Statement\n\n- x\n\n## Contradictions\n\n- [[b-one]] says the opposite.\n- [[c-one]] says the opposite.\n"
    )
    one, two = (
        record("a-one", body=body.replace("b-one", "a-two")),
        record("b-one", body=body.replace("b-one", "a-one")),
    )
    after, _, _ = merged([one], two, record("c-one", "y"), record("a-two", "z"))
    assert "[[a-one]]" not in after["b-one"].body and after["b-one"].body.count("[[c-one]]") == 1


@pytest.mark.parametrize(
    ("losers", "winner", "said"),
    [
        ([record("a-one", kind="failure")], record("b-one"), "records of one type"),
        ([record("a-one")], record("b-one", state=State.ARCHIVED), "review restore b-one"),
        ([record("b-one")], record("b-one"), "into itself"),
        ([record("a-one", kind="trace")], record("b-one", kind="trace"), "not merged"),
        ([record("a-one", scope="user")], record("b-one", scope="team"), "for user only"),
    ],
)
def test_what_cannot_be_one_page_is_refused(losers, winner, said):
    with pytest.raises(WikiError, match=said):
        merging.merge(losers, winner, wiki(*losers, winner), NOW)


def test_who_waits_for_a_person_and_is_merged_is_named():
    _, _, plan = merged([held("a-one", PIPED)], record("b-one", "x", reinforced=AGO))
    assert PIPED in plan.said[0] and "b-one now also says" in plan.said[0]


def test_a_page_is_never_written_over():
    one = record("a-one", "x")
    plan = review.plan("discard", [one], wiki(one), NOW)
    pages = {one.path: markdown.render(one), "wiki/archive/facts/a-one.md": "another"}
    with pytest.raises(WikiError, match="exists already"):
        review.changes(plan, pages.get, "discarded")
