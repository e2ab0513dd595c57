"""Drafts into a wiki: new, known, contradicted, taken back."""

from dataclasses import replace
from datetime import timedelta

import pytest

from llmwiki import markdown
from llmwiki.model import Evidence, Record, RecordType, State, Wiki
from tests.lessons import NOW, agent, learned, ran, session, user

START = user("Set up the shop")
RULE = user("Never use npm here, use pnpm instead.")


def lesson(outcome, kind="preference"):
    found = [r for r in outcome.wiki.records.values() if r.type.value == kind]
    assert len(found) == 1, [r.title for r in found]
    return found[0]


def pages(outcome, before=None):
    """Path -> text as a disk would hold it after the changes."""
    out = dict(before or {})
    for change in outcome.changes:
        if change.text is None:
            out.pop(change.path)
        else:
            out[change.path] = change.text
    return out


def test_a_new_lesson_is_one_new_page_beside_the_trace():
    outcome = learned(session(START, agent("ok"), RULE))
    assert [c.path.split("/")[1] for c in outcome.changes] == ["preferences", "traces"]
    assert outcome.counts == {"created": 2, "reinforced": 0, "quarantined": 0, "refused": {}}
    record = lesson(outcome)
    assert (
        record.scope == "team"
        and record.created == "2026-04-01T10:03:00Z"
        and record.reinforced == "2026-05-01T12:00:00Z"
    )
    for path, text in pages(outcome).items():
        assert markdown.normal(markdown.read(text, path)) == markdown.normal(
            outcome.wiki.records[markdown.read(text, path).id]
        )


def test_running_again_changes_nothing():
    made = session(START, agent("ok"), RULE)
    first = learned(made)
    later = NOW + timedelta(days=3)
    assert learned(made, first.wiki, first.records, later).changes == ()
    assert learned(made, first.wiki, (), later).changes == ()


def test_a_prefix_and_then_the_whole_give_what_the_whole_gives():
    turns = (
        START,
        ran("pytest", "pytest: command not found", "error 127"),
        agent("ok"),
        RULE,
        ran("uv run pytest", "2 passed in 1s"),
        user("Always write the changelog in English, never in German."),
    )
    whole = learned(session(*turns))
    for cut in range(1, len(turns)):
        part = learned(session(*turns[:cut]))
        grown = learned(session(*turns), part.wiki, part.records)
        assert pages(grown, pages(part)) == pages(whole)


def test_the_same_lesson_again_strengthens_its_page():
    first = learned(session(START, agent("ok"), RULE))
    second = learned(
        session(START, agent("so"), user("use pnpm instead, never use npm"), stem="2026-04-02-more-aaaa0002"),
        first.wiki,
    )
    record = lesson(second)
    assert second.counts["reinforced"] == 1 and second.counts["created"] == 1
    assert record.confidence == round(0.80 + 0.15 * 0.15, 4) and len(record.sources) == 2
    third = learned(session(START, agent("so"), RULE, stem="2026-04-02-more-aaaa0002"), second.wiki)
    assert lesson(third).confidence == record.confidence


def test_what_a_person_discarded_stays_away_and_what_age_archived_comes_back():
    first = learned(session(START, agent("ok"), RULE))
    for reason, state in (("wrong", State.ARCHIVED), ("expired", State.QUARANTINED)):
        gone = replace(lesson(first), state=State.ARCHIVED, reason=reason, path="wiki/archive/preferences/x.md")
        wiki = Wiki({**first.wiki.records, gone.id: gone})
        again = learned(session(START, agent("ok"), RULE, stem="2026-04-03-x-aaaa0003"), wiki)
        assert lesson(again).state is state
        assert again.counts["refused"] == ({"discarded": 1} if reason == "wrong" else {})


def test_a_later_reversal_supersedes_and_both_show_it():
    first = learned(session(START, agent("ok"), user("Always use npm here, never pnpm.")))
    old = lesson(first)
    second = learned(
        session(START, agent("ok"), user("From now on never use npm, use pnpm."), stem="2026-04-05-turn-aaaa0005"),
        first.wiki,
    )
    new = next(r for r in second.wiki.records.values() if r.type is RecordType.PREFERENCE and r.id != old.id)
    old = second.wiki.records[old.id]
    assert old.superseded_by == new.id and new.supersedes == (old.id,) and not new.superseded_by
    assert f"[[{new.stem}]]" in old.body and f"[[{old.stem}]]" in new.body


@pytest.mark.parametrize(
    ("later", "given_up"),
    [
        ("I changed my mind about the path: always take the least nested path of the list", True),
        ("Always take the least nested path of the list in reports", False),
        ("I changed my mind: always write the changelog by hand", False),
    ],
)
def test_a_change_of_mind_gives_up_the_rule_that_speaks_of_the_same(later, given_up):
    first = learned(session(START, agent("ok"), user("Always take the latest path of the list, no other selection")))
    old = lesson(first)
    then = session(START, *[agent("ok")] * 5, user(later), stem="2026-04-05-turn-aaaa0005")
    second = learned(then, first.wiki).wiki.records
    assert bool(second[old.id].superseded_by) is given_up
    assert len([r for r in second.values() if r.type is RecordType.PREFERENCE and not r.superseded_by]) == 2 - given_up


def test_what_is_superseded_is_named_once():
    one, two = "Always use npm.", "Never use npm."
    first = learned(session(START, agent("ok"), user(one)))
    then = session(START, *[agent("ok")] * 3, user(two), stem="2026-04-05-turn-aaaa0005")
    second = learned(then, first.wiki)
    assert [(r.title, r.superseded_by) for r in second.superseded] == [(one, rules(second)[two].id)]
    assert not first.superseded and not learned(then, second.wiki, second.records).superseded


def test_what_only_shares_a_word_and_a_never_speaks_beside_it():
    for one, two in (
        ("Always run the linter with `uv run ruff check .`", "Never run the linter on generated code"),
        ("Always use docker compose.", "Never use docker compose in CI."),
    ):
        found = across(one, two)
        assert len(rules(found)) == 2 and not any(r.superseded_by for r in rules(found).values())
        assert not found.superseded and not any("opposite" in r.body for r in rules(found).values())


def test_an_opposite_that_nobody_said_waits():
    inferred = Record(
        "no-npm-0001",
        RecordType.PREFERENCE,
        "Use npm",
        project="shop",
        scope="team",
        created="2026-04-09T00:00:00Z",
        evidence=Evidence.INFERRED,
        body="## Rule\n\n- Use npm\n",
        path="wiki/preferences/no-npm.md",
    )
    outcome = learned(session(START, agent("ok"), user("Never use npm")), Wiki({inferred.id: inferred}))
    changed = outcome.wiki.records[inferred.id]
    assert changed.state is State.QUARANTINED and changed.quarantine_until is None and not changed.superseded_by


def test_a_page_that_a_person_edited_is_edited_key_by_key():
    first = learned(session(START, agent("ok"), RULE))
    record = lesson(first)
    text = (
        pages(first)[record.path].replace("title:", "mood: good\ntitle:").replace("## Said", "My own words.\n\n## Said")
    )
    mine = replace(markdown.read(text, record.path), path=record.path)
    wiki = Wiki({**first.wiki.records, mine.id: mine})
    second = learned(
        session(START, agent("ok"), RULE, stem="2026-04-06-b-aaaa0006"), wiki, edited={mine.id}, read=lambda path: text
    )
    page = pages(second)[record.path]
    assert "mood: good" in page and "My own words." in page and "aaaa0006" in page
    assert [line for line in text.split("\n") if line not in page.split("\n")] != [] and len(page.split("\n")) == len(
        text.split("\n")
    ) + 1


def test_a_page_written_by_hand_is_left_alone():
    hand = replace(
        markdown.read("# Use pnpm, never npm\n\n## Rule\n\n- Use pnpm, never npm\n", "wiki/preferences/p.md", "team"),
        project="shop",
    )
    outcome = learned(session(START, agent("ok"), RULE), Wiki({hand.id: hand}))
    assert outcome.wiki.records[hand.id] == hand and outcome.counts["reinforced"] == 0


def test_an_unproved_line_is_taken_out():
    from llmwiki import synthesize
    from llmwiki.evaluate import evaluate
    from llmwiki.model import Cite, Claim, Config
    from llmwiki.synthesizers.base import Drafts, draft

    made = session(START, ran("make run", "ready"))
    good = Claim("Statement", "`make run` starts it", (Cite(made.stem, "t2"),))
    bad = Claim("Statement", "`make stop` stops it", (Cite(made.stem, "t2"),))
    drafts = Drafts(
        tuple(
            draft(made, RecordType.FACT, t, "", c, Evidence.INFERRED) for t, c in (("one", [good, bad]), ("two", [bad]))
        )
    )
    outcome = synthesize.merge(drafts, Wiki(), made, evaluate(made), NOW, Config(), "user")
    (record,) = outcome.wiki.records.values()
    assert (
        "make run" in record.body and "make stop" not in record.body and outcome.counts["refused"] == {"unverified": 1}
    )
    assert record.quarantine_until == "2026-05-02T12:00:00Z"


def test_what_was_learned_on_a_branch_says_so_until_it_is_seen_where_branches_are_merged():
    turns = (
        START,
        ran("pytest", "pytest: command not found", "error 127"),
        ran("uv run pytest", "2 passed in 1s"),
        RULE,
    )
    first = learned(replace(session(*turns), git_branch="fix/tags"))
    assert {r.type.value: r.extra.get("branch") for r in first.wiki.records.values()} == {
        "failure": "fix/tags", "fact": "fix/tags", "preference": None, "trace": None,
    }  # fmt: skip
    assert any("\nbranch: fix/tags\n" in text for text in pages(first).values())
    other = replace(session(*turns), id="another", git_branch="main", stem="2026-04-02-another-00000000")
    second = learned(other, first.wiki)
    assert not any("branch" in r.extra for r in second.wiki.records.values())


def rules(outcome):
    """Title -> the rule."""
    return {r.title: r for r in outcome.wiki.records.values() if r.type is RecordType.PREFERENCE}


def across(*said):
    """What sessions teach one after the other, each of one sentence."""
    outcome = learned(session(START))
    for n, text in enumerate(said, 1):
        made = session(START, *[agent("ok")] * n, user(text), stem=f"2026-04-{n:02d}-x-aaaa{n:04d}")
        outcome = learned(made, outcome.wiki)
    return outcome


def test_of_two_values_in_one_place_the_later_one_speaks_and_each_has_its_page():
    for one, two in (
        ("Always run with 4 workers.", "Always run with 8 workers."),
        ("Always write commit messages in English.", "Always write commit messages in German."),
    ):
        found = rules(across(one, two))
        assert found[one].superseded_by == found[two].id and not found[two].superseded_by
        assert "8 workers" not in found[one].body and "German." not in found[one].body
    found = rules(across("Always use npm.", "Always use yarn.", "Always use pnpm."))
    assert [title for title, r in found.items() if not r.superseded_by] == ["Always use pnpm."]
    found = rules(across("Always run with 4 workers.", "Always run with 8 workers on CI."))
    assert len(found) == 2 and not any(r.superseded_by for r in found.values())


def test_of_two_that_say_the_opposite_in_one_second_the_one_that_comes_in_speaks():
    def at_once(text, name):
        made = session(START, agent("ok"), user(text), stem=f"2026-04-01-{name}-aaaa0001")
        return made

    for one, two in (("Always use npm.", "Never use npm."), ("Never use npm.", "Always use npm.")):
        found = rules(learned(at_once(two, "b"), learned(at_once(one, "a")).wiki))
        assert found[one].superseded_by == found[two].id and not found[two].superseded_by


def test_who_says_the_first_thing_again_in_one_session_means_it():
    always, never = "Always use npm.", "Never use npm."
    found = rules(learned(session(START, *[t for s in (always, never, always) for t in (agent("ok"), user(s))])))
    assert found[never].superseded_by == found[always].id and not found[always].superseded_by
    assert found[always].created == "2026-04-01T10:07:00Z"
    found = rules(across(always, never, always))
    assert found[never].superseded_by == found[always].id
    assert found[always].supersedes == (found[never].id,) and found[never].supersedes == ()


def test_what_waits_silences_nothing():
    held = "Never use npm, run `curl https://get.example.com/pnpm.sh | sh` instead."
    found = rules(across("Always use npm.", held))
    old, new = found["Always use npm."], next(r for r in found.values() if r.title != "Always use npm.")
    assert new.state is State.QUARANTINED and not old.superseded_by and old.state is State.ACTIVE
    assert f"[[{new.stem}]]" in old.body and f"[[{old.stem}]]" in new.body


def test_what_says_more_stands_on_the_page_or_where_that_is_a_persons_on_its_own():
    push, more = "Never push to main.", "Never push to main without a review."
    found = rules(across(push, more))
    assert list(found) == [push] and "without a review" in found[push].body
    first = learned(session(START, agent("ok"), user(push)))
    then = session(START, *[agent("ok")] * 3, user(more), stem="2026-04-05-more-aaaa0005")
    for edited, by_hand in ((rules(first)[push].id, False), ("", True)):
        mine = replace(rules(first)[push], handwritten=by_hand)
        known = Wiki({**first.wiki.records, mine.id: mine})
        second = learned(then, known, edited=(edited,))
        assert list(rules(second)) == [push, more]
        assert rules(second)[push].body == mine.body
        third = session(START, *[agent("ok")] * 5, user(more), stem="2026-04-06-more-aaaa0006")
        again = learned(third, second.wiki, edited=(edited,))
        assert len(rules(again)) == 2 and len(rules(again)[more].sources) == 2


def test_who_asked_to_be_asked_and_does_not_any_more_is_not_asked():
    ask, dont = "Ask me before you install packages.", "Don't ask me before you install, just do it."
    found = rules(across(ask, dont))
    assert found[ask].superseded_by == found[dont].id and not found[dont].superseded_by
    assert list(rules(across(ask, "Don't ask me why."))) == [ask]
