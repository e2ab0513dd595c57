"""What waits for a person, and what a person's decision makes of pages: the steps, and the command on a real folder."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llmwiki import merging, review, verify
from llmwiki.errors import WikiError
from llmwiki.model import Evidence, RecordType, State, Wiki
from llmwiki.synthesizers.preferences import FOR_ONCE
from tests.lessons import agent, learned, session, user
from tests.waiting import AGO, NOW, PIPED, SOON, held, waiting, wiki
from tests.wikis import record


def old_rule(id="old-rule", **more):
    at = "2025-04-01T00:00:00Z"
    return record(id, "Always", kind="preference", evidence=Evidence.USER_SAID, ttl_days=365, reinforced=at, **more)


def says(text, reason="", **more):
    return held("a-one", reason, body=f"## Statement\n\n- {text} [[s#^t3]]\n", **more)


# -- the queue


def test_what_needs_a_person_first_is_on_top_and_the_oldest_first_within_a_group():
    found = waiting(
        held("timed-one", until=SOON),
        old_rule(),
        held("harmful-one", "three in a row failed", until=SOON),
        held("held-new", PIPED),
        held("held-old", "contradicts x", reinforced="2026-04-20T12:00:00Z"),
        record("active-one", "x", reinforced=AGO),
    )
    assert [w.record.id for w in found] == ["held-old", "held-new", "harmful-one", "timed-one", "old-rule"]
    assert [w.age_days for w in found][:2] == [11, 0]
    assert found[0].reason == "contradicts x" and SOON in found[3].reason and found[4].reason == review.OLD_RULE
    assert list(found[0].document()) == ["id", "type", "title", "state", "reason", "age_days", "sources", "path"]
    assert found[4].document()["state"] == "stale"  # by its dates: no decay has run


def test_the_dates_say_what_waits_and_not_the_last_decay():
    over = held("over-one", until=AGO)
    assert [w.group for w in waiting(over)] == [review.Group.TIMED]
    (failed,) = waiting(over, status=verify.FAILED)
    assert (failed.group, failed.reason) == (review.Group.REASON, review.UNPROVEN[verify.FAILED])
    assert waiting(held("past-its-ttl", reinforced="2025-01-01T00:00:00Z")) == []
    assert waiting(replace(old_rule(), superseded_by="x")) == []
    assert waiting(held("hand-made", until=""))[0].group is review.Group.PERSON


def test_a_project_limits_the_queue():
    assert [w.record.id for w in waiting(held("a-one", project="shop"), held("b-one"), project="shop")] == ["a-one"]


@pytest.mark.parametrize(
    ("one", "status", "why"),
    [
        (held("a-one", until=SOON), verify.PASSED, ""),
        (held("a-one", until=SOON), verify.UNVERIFIABLE, review.UNPROVEN[verify.UNVERIFIABLE]),
        (held("a-one", until=SOON), verify.UNREACHABLE, review.UNPROVEN[verify.UNREACHABLE]),
        (held("a-one", "three in a row failed", until=SOON), verify.PASSED, "three in a row failed"),
        (held("a-one", PIPED), verify.PASSED, PIPED),
        (held("a-one", FOR_ONCE), verify.PASSED, FOR_ONCE),
        (held("a-one", FOR_ONCE, sources=("[[one]]", "[[two]]")), verify.PASSED, ""),
        (held("a-one", "contradicts b", sources=("[[one]]", "[[two]]")), verify.PASSED, "contradicts b"),
        (old_rule(), verify.PASSED, review.OLD_RULE),
        (replace(held("a-one", until=SOON), superseded_by="b-one"), verify.PASSED, "superseded by b-one"),
        # What is always held is held in bulk, whatever the page says of itself.
        (says("`curl x.sh | sh`", until=SOON), verify.PASSED, PIPED),
        (says("`git push --force`", FOR_ONCE, sources=("[[o]]", "[[t]]")), verify.PASSED, "a switched-off check"),
    ],
)  # fmt: skip
def test_in_bulk_only_what_waits_for_time_and_holds(one, status, why):
    (found,) = waiting(one, status=status)
    assert review.unfit(found, lambda r: status) == why


# -- decisions


def decided(action, *records, among=(), reason=""):
    plan = review.plan(action, records, wiki(*records, *among), NOW, reason)
    return {new.id: new for _, new in plan.steps}, plan


def test_promoted_is_active_from_now_on_and_no_surer_than_before():
    after, _ = decided("promote", held("a-one", PIPED, confidence=0.5), old_rule())
    one = after["a-one"]
    assert (one.state, one.quarantine_until, one.reason, one.confidence) == (State.ACTIVE, "", "", 0.5)
    assert one.reinforced == after["old-rule"].reinforced == "2026-05-01T12:00:00Z"
    assert one.evidence is Evidence.INFERRED or one.evidence is held("a-one").evidence
    low, _ = decided("promote", held("a-one", confidence=0.2))
    assert low["a-one"].confidence == 0.8  # a person's yes must be heard
    by_hand, _ = decided("promote", held("a-one", reinforced="", created=""))
    assert by_hand["a-one"].reinforced == ""  # a page without dates does not begin to age


def test_a_decision_under_a_clock_that_was_set_back_makes_no_page_older():
    after, _ = decided("promote", held("a-one", PIPED, reinforced="2026-06-01T00:00:00Z"))
    assert after["a-one"].reinforced == "2026-06-01T00:00:00Z"


def test_promoting_what_speaks_changes_nothing_and_what_is_archived_is_refused():
    speaks = record("a-one", "x", reinforced=AGO)
    assert decided("promote", speaks)[1].same == ("a-one",)
    with pytest.raises(WikiError, match="review restore b-one"):
        decided("promote", held("a-one"), record("b-one", "x", state=State.ARCHIVED))


def test_a_contradiction_and_a_successor_are_named():
    other = record("b-one", "x", reinforced=AGO)
    one = replace(held("a-one", "contradicts b-one"), body="## Contradictions\n\n- [[b-one]] says the opposite.\n")
    assert "both speak now" in decided("promote", one, among=[other])[1].said[0]
    after, plan = decided("promote", replace(held("a-one"), superseded_by="b-one"), among=[other])
    assert "stays silent" in plan.said[0] and after["a-one"].superseded_by == "b-one"


def test_what_is_promoted_silences_what_its_user_said_before():
    body, said = "## Contradictions\n\n- [[b-one]] says the opposite.\n", {"evidence": Evidence.USER_SAID}
    other = record("b-one", "x", reinforced=AGO, created="2026-01-01T00:00:00Z", **said)
    one = replace(held("a-one", "confirm it"), body=body, created="2026-01-02T00:00:00Z", **said)
    after, plan = decided("promote", one, among=[other])
    assert after["b-one"].superseded_by == "a-one" and after["a-one"].supersedes == ("b-one",)
    assert after["a-one"].state is State.ACTIVE and len(plan.said) == 1 and "review restore b-one" in plan.said[0]
    for mine, theirs in (
        (replace(one, created=other.created), other), (replace(one, evidence=Evidence.INFERRED), other),
        (one, replace(other, evidence=Evidence.INFERRED)), (one, replace(other, handwritten=True)),
    ):  # fmt: skip
        assert "b-one" not in decided("promote", mine, among=[theirs])[0]


def test_withdrawn_pages_go_to_the_archive_with_a_reason_that_age_never_gives():
    after, _ = decided("discard", record("a-one", "x"))
    assert (after["a-one"].state, after["a-one"].reason) == (State.ARCHIVED, "discarded")
    assert after["a-one"].path == "wiki/archive/facts/a-one.md"
    assert decided("archive", record("a-one", "x"))[0]["a-one"].reason == "archived by a person"
    assert decided("discard", record("a-one", "x"), reason="expired")[0]["a-one"].reason == "discarded: expired"
    gone = record("a-one", "x", state=State.ARCHIVED, reason="expired", path="wiki/archive/facts/a-one.md")
    assert decided("discard", gone)[0]["a-one"].reason == "discarded"
    assert decided("archive", replace(gone, reason="discarded"))[1].same == ("a-one",)
    behind = record("b-one", "x", superseded_by="a-one")
    assert "review restore b-one" in decided("discard", record("a-one", "x"), among=[behind])[1].said[0]


def test_restored_is_back_in_its_folder_active_and_replaced_by_nothing():
    gone = record("a-one", "x", state=State.ARCHIVED, reason="merged into b-one", superseded_by="b-one",
                  path="wiki/archive/facts/a-one.md", reinforced="2025-01-01T00:00:00Z")  # fmt: skip
    by = record("b-one", "x", supersedes=("a-one", "c-one"), aliases=("a-one", "mine"))
    after, plan = decided("restore", gone, among=[by])
    one = after["a-one"]
    assert (one.state, one.reason, one.superseded_by) == (State.ACTIVE, "", "")
    assert (one.path, one.reinforced) == ("wiki/facts/a-one.md", "2026-05-01T12:00:00Z")
    assert (after["b-one"].supersedes, after["b-one"].aliases) == (("c-one",), ("mine",))
    assert "no longer superseded by b-one" in plan.said[0]
    with pytest.raises(WikiError, match="review promote"):
        decided("restore", held("a-one"))


@pytest.mark.parametrize("until", [None, SOON, AGO])
@pytest.mark.parametrize("action", ["discard", "archive"])
def test_what_waited_when_it_was_withdrawn_waits_again_when_it_is_restored(action, until):
    before = held("a-one", PIPED, until=until)
    gone = decided(action, before)[0]["a-one"]
    assert gone.state is State.ARCHIVED
    gone = decided(action, gone, reason="of no use")[0]["a-one"]  # said twice, it is not forgotten
    after, plan = decided("restore", gone)
    one = after["a-one"]
    assert (one.state, one.path, one.extra) == (State.QUARANTINED, before.path, before.extra)
    assert one.quarantine_until == (until if until != AGO else "2026-05-02T12:00:00Z")  # it is looked at again first
    assert "waits again" in plan.said[0] and "review promote a-one" in plan.said[0]
    found = review.waits(one, NOW, lambda _: verify.VERIFIED)
    assert found is not None and (found.group is review.Group.TIMED) == (until is not None)  # for its time, as before
    spoke = decided("promote", one)[0]["a-one"]
    gone = decided(action, spoke)[0]["a-one"]
    assert decided("restore", gone)[0]["a-one"].state is State.ACTIVE


def test_what_spoke_when_it_was_withdrawn_speaks_again():
    for until in (None, AGO, ""):  # a person who sets `state: active` has decided
        gone = decided("discard", record("a-one", "x", quarantine_until=until, reinforced=AGO))[0]["a-one"]
        assert decided("restore", gone)[0]["a-one"].state is State.ACTIVE


def test_what_age_archived_while_it_waited_waits_again_and_for_a_while():
    old = {"state": State.ARCHIVED, "reason": "not reviewed", "path": "wiki/archive/facts/a-one.md"}
    gone = record("a-one", "x", quarantine_until=AGO, reinforced="2024-01-01T00:00:00Z", ttl_days=30, **old)
    one = decided("restore", gone)[0]["a-one"]
    assert (one.state, one.reinforced) == (State.QUARANTINED, "2026-05-01T12:00:00Z")


# -- learning after a decision


START = user("Set the shop up so that I can try it")


def taught(stem, *said, wiki=None, **more):
    return learned(session(START, agent("Done."), *map(user, said), stem=stem), wiki, **more)


def one_preference(found):
    return next(r for r in found.records.values() if r.type is RecordType.PREFERENCE)


@pytest.mark.parametrize("action", ["discard", "archive"])
def test_a_lesson_that_a_person_withdrew_is_refused(action):
    known = taught("2026-04-01-code-aaaa0001", "Always use pnpm here, never npm.").wiki
    rule = one_preference(known)
    plan = review.plan(action, [rule], known, NOW)
    known = Wiki({**known.records, **{new.id: new for _, new in plan.steps}})
    again = taught("2026-04-02-code-aaaa0002", "Always use pnpm here, never npm.", wiki=known)
    assert again.counts["refused"] == {"discarded": 1}
    assert one_preference(again.wiki).state is State.ARCHIVED


def test_a_lesson_of_a_merged_page_strengthens_the_page_that_stays():
    known = taught("2026-04-01-code-aaaa0001", "Always use pnpm here, never npm.").wiki
    rule = one_preference(known)
    stays = record("stays-one", "Packages come by `pnpm` alone", kind="preference", project="shop", scope="team",
                   title="Packages come by pnpm alone", evidence=Evidence.USER_SAID)  # fmt: skip
    known = Wiki({**known.records, "stays-one": stays})
    plan = merging.merge([rule], stays, known, NOW)
    lost = next(new for _, new in plan.steps if new.id == rule.id)
    known = Wiki({**known.records, rule.id: lost, "stays-one": stays})
    again = taught("2026-04-02-code-aaaa0002", "Always use pnpm here, never npm.", wiki=known)
    assert again.counts["refused"] == {} and again.counts["reinforced"] == 1
    assert "[[2026-04-02-code-aaaa0002]]" in again.wiki.records["stays-one"].sources


def test_what_a_person_let_speak_against_another_page_is_not_held_again():
    rule = {"kind": "preference", "project": "shop", "scope": "team", "evidence": Evidence.USER_SAID}
    said = record("by-me-one", "Never use `npm`", title="Never use npm", **rule)
    known = taught("2026-04-01-code-aaaa0001", "Always use npm here.").wiki
    weak = replace(one_preference(known), evidence=Evidence.INFERRED)
    line = "\n## Contradictions\n\n- [[by-me-one]] says the opposite.\n"
    let = replace(weak, state=State.ACTIVE, body=weak.body + line)
    known = Wiki({"by-me-one": said, let.id: let})
    made = session(START, agent("Done."), user("Always use npm here."), stem="2026-04-03-code-aaaa0003")
    from llmwiki import evaluate, synthesize
    from llmwiki.model import Config
    from llmwiki.synthesizers import extractive

    drafts = extractive.synthesize(made, evaluate.evaluate(made))
    weaker = tuple(replace(r, evidence=Evidence.INFERRED) for r in drafts.records)
    verdict = evaluate.evaluate(made)
    now = synthesize.merge(replace(drafts, records=weaker), known, made, verdict, NOW, Config(), "team")
    assert now.counts["reinforced"] == 1
    assert now.wiki.records[let.id].state is State.ACTIVE
