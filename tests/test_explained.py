"""Repairs with their cause: kept when the thing was broken before, was shown by a tool, and a proof followed."""

import pytest

from llmwiki.model import Evidence, Turn
from llmwiki.synthesizers import gate
from tests.lessons import agent, edited, lessons, ran, session, user
from tests.test_failures import section

CAUSE = "The bug is that `parse_total` reads `net_sum`, but the invoice has `gross_sum`."
SHOWN = Turn(
    0, "tool", "file_path: /code/shop/totals.py", tool="Read", outcome="ok", result="def parse_total(): net_sum"
)
FAILED = "E   AssertionError: totals differ\nFAILED tests/test_totals.py::test_gross\n1 failed in 0.2s"
MENDED = edited("/code/shop/totals.py", "return invoice.net_sum", "return invoice.gross_sum")


def explained(*turns):
    return [r for r in lessons(session(*turns), "failure") if "## Cause" in r.body]


def test_a_repair_tells_what_was_broken_why_and_what_mended_it():
    (record,) = explained(
        user("the totals tests are failing since the rename"),
        ran("pytest tests", FAILED, "error 1"),
        SHOWN,
        agent(f"I see the issue. {CAUSE}"),
        MENDED,
        ran("pytest tests", "12 passed in 1s"),
    )
    assert "`parse_total` reads `net_sum`" in section(record, "Cause")
    assert "gross_sum" in section(record, "Cure") and "pytest tests" in section(record, "Symptom")
    assert record.evidence is Evidence.TEST_PROVED and record.title.startswith("`parse_total` reads")


def test_what_the_user_reports_is_proved_by_their_next_words():
    turns = (user("the totals page shows the wrong amount"), SHOWN, agent(CAUSE), MENDED)
    (record,) = explained(*turns, user("great, now the footer please"))
    assert record.evidence is Evidence.INFERRED and 'The user reported: "the totals page' in section(record, "Symptom")
    assert not explained(*turns, user("no, it still shows the wrong amount"))
    assert not explained(*turns), "nobody tells how it ended"


def test_a_commit_proves_nothing_when_the_user_complains_afterwards():
    turns = (
        user("the totals page shows the wrong amount"),
        SHOWN,
        agent(CAUSE),
        MENDED,
        ran("git commit -am totals", "[main 1234abc] totals\n 1 file changed"),
    )
    assert len(explained(*turns)) == 1
    assert not explained(*turns, user("that did not help, same error"))


def test_a_cause_that_leans_on_the_sentence_before_it_takes_it_along():
    told = "`parse_total` runs right when the page opens. It reads `net_sum`, which is never set there."
    turns = (user("the totals page shows the wrong amount"), SHOWN, agent(told), MENDED, user("great, thanks"))
    (record,) = explained(*turns)
    assert "runs right when the page opens. It reads `net_sum`" in section(record, "Cause")
    assert not record.title.startswith("It ")


def test_what_passed_again_is_no_symptom_of_a_later_repair():
    records = explained(
        user("install the tool"),
        ran("uv tool install .", "ValueError: Unable to determine which files to ship", "error 1"),
        edited("/code/shop/pyproject.toml", "[build]", "[build]\nonly_include = ['totals.py']"),
        ran("uv tool install .", "Installed 1 executable: totals"),
        user("now add the gross column"),
        SHOWN,
        agent(f"I see the issue. {CAUSE}"),
        MENDED,
        ran("uv tool uninstall totals && uv tool install .", "Installed 1 executable: totals"),
    )
    assert not [r for r in records if "which files to ship" in r.body and "gross_sum" in r.body]


@pytest.mark.parametrize(
    "said",
    [
        "Let me look at `parse_total` because it is not clear to me.",
        "We could use `gross_sum` instead of `net_sum` here.",
        "The tests for `parse_total` are now passing because of the fix.",
        "Should `parse_total` not read `gross_sum`?",
        "The name is not good, it tells nothing about the matter.",
    ],
)
def test_plans_offers_praise_questions_and_what_names_nothing_explain_nothing(said):
    broken = (user("the totals tests are failing"), ran("pytest", FAILED, "error 1"), SHOWN)
    assert not explained(*broken, agent(said), MENDED, ran("pytest", "12 passed in 1s"))


def test_a_name_that_no_tool_has_shown_is_a_guess():
    broken = (user("the totals tests are failing"), ran("pytest", FAILED, "error 1"))
    guess = agent("The bug is that `cache_layer` is never invalidated.")
    assert not explained(*broken, guess, MENDED, ran("pytest", "12 passed in 1s"))


def test_what_the_agent_broke_itself_teaches_nothing():
    assert not explained(
        user("add a totals page"),
        edited("/code/shop/totals.py", "pass", "return invoice.net_sum"),
        SHOWN,
        ran("pytest", FAILED, "error 1"),
        agent(CAUSE),
        MENDED,
        ran("pytest", "12 passed in 1s"),
    )


def test_a_failure_that_tells_of_the_change_already_gets_its_cause():
    found = lessons(
        session(
            user("get the billing service going"),
            ran("make image", "error: base image not found in mirror", "error 2"),
            agent("The problem is that `registry.example` has no base image, only the mirror does."),
            ran("docker login registry.example", "ok"),
            edited("/code/shop/Dockerfile", "FROM base:1", "FROM registry.example/base:1"),
            ran("make image", "built"),
        ),
        "failure",
    )
    assert len(found) == 1, [r.title for r in found]


def test_another_tool_may_be_the_cure():
    call = Turn(0, "tool", "description: Second round", tool="Agent", outcome="ok", result="done")
    sent = Turn(
        0, "tool", "to: worker", tool="SendMessage", outcome="ok", result="Message sent to the inbox: SendMessage"
    )
    (record,) = explained(
        user("go on with round two"),
        sent,
        user("the workers seem to be stuck, can you check?"),
        agent("`SendMessage` only fills the inbox, but the worker had already ended."),
        call,
        ran("git merge --no-ff worker -m two", "Merge made by the 'ort' strategy."),
    )
    assert "`Agent` was called: `Second round`" in section(record, "Cure")


def test_what_the_user_still_sees_stays_open_until_it_is_explained():
    (record,) = explained(
        user("add a line to the order mail"),
        agent("Done, the mail works."),
        user("the inbox still shows the old mail"),
        ran("artisan view:clear", "cleared"),
        agent("The views are cleared. Could you try once more?"),
        user("still the old one"),
        ran("ps aux", "php artisan queue:work (started 5h ago)"),
        agent("Clearing can't help: the `queue:work` process keeps the old classes in memory since it started."),
        ran("artisan queue:restart", "Broadcasting queue restart signal."),
        user("great, thanks"),
    )
    assert "queue:restart" in section(record, "Cure") and "`queue:work`" in section(record, "Cause")


def test_a_question_to_a_program_is_not_the_change_that_an_explanation_announced():
    (record,) = explained(
        user("the limit is wrong, it is still 4 after the deploy"),
        ran("helm get values api", "--reuse-values maxReplicas: 4"),
        agent("It is `--reuse-values`, which ignores what the chart has new."),
        ran("bin/helm version --short", "v3.16.2"),
        ran("helm upgrade api --reset-then-reuse-values", "upgraded"),
        user("great, thanks"),
    )
    assert "--reset-then-reuse-values" in section(record, "Cure") and "version" not in section(record, "Cure")


def test_a_cause_is_not_cut_where_dots_stand_in_code():
    told = (
        "Postgres sets a column's place when the table is made, so the order isn't: `ALTER TABLE ... ADD COLUMN` "
        "always appends `net_sum`. The dump says so, too."
    )
    turns = (user("the totals page shows the wrong amount"), SHOWN, agent(told), MENDED, user("great, thanks"))
    (record,) = explained(*turns)
    assert "`ALTER TABLE ... ADD COLUMN` always appends `net_sum`." in section(record, "Cause")


@pytest.mark.parametrize(
    "sentence",
    [
        "The order isn't: `ALTER TABLE ... ADD COLUMN` appends.",
        "Run ``a `b`. Then; do 3`` first.",
        'It prints "No such file. Try again; or leave." and stops.',
        "It prints „Keine Datei. Noch einmal?“ and stops.",
        "It calls f(a; bcd, ... Name) there.",
        "Other stores, e.g. `Redis`, i.e. Valkey, etc. Are the same.",
        "Other stores, e. g. Redis, vs. Valkey.",
        "It waits ... and goes on... until 3 are there.",
        "It waits… and goes on.",
    ],
)
def test_no_sentence_ends_within_code_quotations_and_abbreviations(sentence):
    for before, after in (("", ""), ("So it is. ", " That is all."), ("- One.\n", "\nTwo.")):
        told = gate.sentences(f"{before}{sentence}{after}")
        if not sentence.endswith("same."):
            assert sentence in told and len(told) == 1 + bool(before) + bool(after)
        assert any(sentence in one for one in told)


def test_sentences_end_where_they_end():
    said = 'He said "stop it." Then `a.b` went. A 6" disk. And a 7" one! `x` is red.\n`open. Never closed.'
    said += "\nSee f(x). It is (so. Or not)."
    assert gate.sentences(said) == [
        'He said "stop it.',
        "Then `a.b` went.",
        'A 6" disk.',
        'And a 7" one!',
        "`x` is red.",
        "`open.",
        "Never closed.",
        "See f(x).",
        "It is (so.",
        "Or not).",
    ]
