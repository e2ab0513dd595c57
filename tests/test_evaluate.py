"""How sessions end, by trust."""

import pytest

from llmwiki.evaluate import evaluate
from tests.lessons import agent, ran, session, user

START = user("Build the cart")
GREEN, RED = ran("pytest", "4 passed in 1s"), ran("pytest", "1 failed, 3 passed", "error 1")


def test_nothing_tells_nothing():
    assert evaluate(session(START, agent("Done, everything works perfectly!"))).score is None
    assert evaluate(session()).score is None


@pytest.mark.parametrize(
    "words", ["thank you, works great", "谢谢，很好", "ありがとう", "Danke, super!", "merci, parfait", "gracias"]
)
def test_thanks_outrank_a_red_check(words):
    verdict = evaluate(session(START, RED, agent("Hm."), user(words)))
    assert verdict.score == 5.0 and verdict.score_by == "user" and verdict.evidence[0][0] == "t4"


@pytest.mark.parametrize("words", ["it still doesn't work", "还是不行", "geht nicht, falsch", "no funciona"])
def test_a_complaint_at_the_end_outranks_a_green_check(words):
    assert evaluate(session(START, GREEN, agent("Done."), user(words))).score < 3.5


def test_a_complaint_on_the_way_is_a_correction():
    on_the_way = session(
        START, user("that's wrong"), agent("…"), user("and the colours"), agent("…"), user("perfect, thanks")
    )
    assert evaluate(on_the_way).score == 5.0
    just_before = session(START, user("that's wrong"), agent("…"), user("perfect, thanks"))
    assert evaluate(just_before).score == 4.5


def test_the_last_run_of_a_check_counts():
    assert evaluate(session(START, RED, GREEN)).score == 4.5
    assert evaluate(session(START, GREEN, RED)).score == 2.0
    assert evaluate(session(START, GREEN, ran("ruff check", "Found 2 errors", "error 1"))).score == 2.0


def test_commits_come_last():
    commit = ran("git commit -m x", "[main 1a2b3c4] x\n 1 file changed")
    assert evaluate(session(START, commit)).score_by == "commits"
    assert evaluate(session(START, commit, RED)).score_by == "checks"


def test_an_interruption_at_the_end():
    assert evaluate(session(START, GREEN, user("[Request interrupted by user]", "interrupt"))).score == 2.0


def test_feedback_overrides():
    verdict = evaluate(session(START, GREEN), feedback=1.0, note="wrong cart")
    assert (verdict.score, verdict.score_by, verdict.evidence) == (1.0, "feedback", (("", "wrong cart"),))
