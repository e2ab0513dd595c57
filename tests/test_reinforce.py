"""Used, rewarded, harmful: what a session's trace proves of the records that it was offered."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from llmwiki import reinforce
from llmwiki.model import Claim, Evidence, Record, RecordType, State, Turn
from llmwiki.prose import body
from llmwiki.schema import LIFECYCLE
from llmwiki.synthesizers.base import Verdict
from tests.lessons import agent, ran, session, user

NOW = datetime(2026, 5, 1, tzinfo=UTC)
GOOD, BAD, UNKNOWN = Verdict(4.5, "checks"), Verdict(2.0, "checks"), Verdict()


def record(kind="failure", section="Cure", text="`make migrate`", **more):
    lines = {section: [Claim(section, text)]}
    made = Record(
        "run-migrate-1a2b", RecordType(kind), "Run the migration", body=body(lines), confidence=0.75,
        evidence=Evidence.TEST_PROVED, reinforced="2026-04-01T00:00:00Z", path="wiki/failures/run-migrate.md",
    )  # fmt: skip
    return replace(made, **more)


def used(one, *turns):
    found = reinforce.uses(session(user("go on"), *turns), [one])
    return found[0] if found else None


def test_a_command_that_ran_a_path_that_was_touched_a_name_that_was_spoken():
    assert used(record(), ran("cd db && make migrate", "ok")).sign == "make migrate"
    page = record("fact", "Statement", "The limits live in `config/limits.toml`.")
    read = Turn(0, "tool", "file_path: /code/shop/config/limits.toml", tool="Read", outcome="ok", result="x")
    assert used(page, read).sign == "config/limits.toml"
    assert used(page, agent("As [run-migrate-1a2b] says, it is 64.")).sign == "run-migrate-1a2b"


def test_printed_read_back_or_refused_is_not_used():
    assert used(record(), ran("cat notes.txt", "make migrate")) is None
    assert used(record(), ran("make migrate", "", "refused")) is None
    assert used(record(), ran("make migrations", "ok")) is None
    assert used(record(), agent("I will make it work.")) is None


def test_what_a_rule_warns_of_is_no_use_of_it():
    rule = record("preference", "Rule", "Use `pnpm` here, never `npm install`.")
    assert used(rule, ran("npm install left-pad", "ok")) is None
    assert used(rule, ran("pnpm add left-pad", "ok")).sign == "pnpm"


def test_a_skill_whose_own_step_failed_did_harm_unless_it_passed_later():
    skill = record("skill", "Steps", "`vsce package --no-yarn`")
    failed = ran("vsce package --no-yarn", "ERROR missing publisher", "error 1")
    assert used(skill, failed).harmful
    assert not used(skill, failed, ran("vsce package --no-yarn", "DONE")).harmful
    assert not used(record(text="`vsce package --no-yarn`"), failed).harmful, "a failure's cure is no step of its own"


def test_a_correction_that_names_it_is_harm():
    assert used(record(), ran("make migrate", "ok"), user("that's wrong, make migrate wiped my data")).harmful
    rule = record("preference", "Rule", "Use `pnpm` here.")
    assert not used(rule, ran("pnpm i", "ok"), user("that's wrong, pnpm was not the point")).harmful


def ledger(one=None):
    return reinforce.Ledger.of(one or record(), None)


def event(kind, ended="2026-04-02T00:00:00Z", stem="s1"):
    return reinforce.Event(ended, stem, kind, "2026-05-01T00:00:00Z")


def test_the_fold_follows_the_formulas():
    one = ledger()
    one.count("s1", event("rewarded"))
    assert reinforce.fold(one, LIFECYCLE) == (0.78, "2026-05-01T00:00:00Z", 1, 1, 0)
    one.count("s2", event("used", "2026-04-03T00:00:00Z", "s2"))
    assert reinforce.fold(one, LIFECYCLE)[:4] == (0.78, "2026-05-01T00:00:00Z", 2, 1)
    one.count("s3", event("harmful", "2026-04-04T00:00:00Z", "s3"))
    assert reinforce.fold(one, LIFECYCLE) == (round(0.78 * 0.85, 4), "2026-05-01T00:00:00Z", 3, 1, 1)


def test_once_a_session_and_a_later_word_recounts():
    one = ledger()
    assert one.count("s1", event("rewarded")) and not one.count("s1", event("rewarded"))
    assert one.count("s1", event("harmful"))
    assert reinforce.fold(one, LIFECYCLE)[0] == round(0.75 * 0.85, 4)
    assert one.count("s1", None) and reinforce.fold(one, LIFECYCLE)[0] == 0.75


def test_the_order_is_that_in_which_sessions_ended():
    first, second = ledger(), ledger()
    events = [event("harmful", "2026-04-02T00:00:00Z", "a"), event("rewarded", "2026-04-03T00:00:00Z", "b")]
    for e in events:
        first.count(e.session, e)
    for e in reversed(events):
        second.count(e.session, e)
    assert reinforce.fold(first, LIFECYCLE) == reinforce.fold(second, LIFECYCLE)


def test_a_page_that_somebody_changed_is_where_the_count_goes_on():
    one = ledger()
    one.count("s1", event("rewarded"))
    changed = record(confidence=0.9, uses=1, successes=1)
    again = reinforce.Ledger.of(changed, one.told())
    assert reinforce.fold(again, LIFECYCLE)[0] == 0.9 and not again.count("s1", event("harmful"))


def test_three_harmful_uses_in_a_row_wait_for_a_person():
    one, page = ledger(), record()
    for n in range(1, 4):
        one.count(f"s{n}", event("harmful", f"2026-04-0{n}T00:00:00Z", f"s{n}"))
        page = reinforce.counted(page, one, LIFECYCLE, fresh=True)
        assert page.state is (State.QUARANTINED if n == 3 else State.ACTIVE)
    assert page.quarantine_until is None and page.reason.startswith("harmful 3 times in a row: s1, s2, s3")
    promoted = replace(page, state=State.ACTIVE, reason="", quarantine_until="")
    assert reinforce.counted(promoted, one, LIFECYCLE, fresh=False).state is State.ACTIVE


@pytest.mark.parametrize(("verdict", "kind"), [(GOOD, "rewarded"), (BAD, "used"), (UNKNOWN, "used")])
def test_how_the_session_ended_decides(verdict, kind):
    made = session(user("go"))
    use = reinforce.Use("run-migrate-1a2b", False, "t2", "make migrate")
    assert reinforce.judged(made, verdict, use, NOW, LIFECYCLE).kind == kind
    assert reinforce.judged(made, verdict, replace(use, harmful=True), NOW, LIFECYCLE).kind == "harmful"
    assert reinforce.judged(made, verdict, None, NOW, LIFECYCLE) is None


def test_a_stale_record_that_helped_speaks_again():
    one, page = ledger(), record(state=State.STALE)
    one.count("s1", event("rewarded"))
    assert reinforce.counted(page, one, LIFECYCLE, fresh=True).state is State.ACTIVE
