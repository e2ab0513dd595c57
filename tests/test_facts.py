"""What outputs prove and what the user says is so; the trace of a session."""

import pytest

from llmwiki import evaluate
from llmwiki.model import RecordType, State, Turn
from llmwiki.synthesizers import extractive
from tests.lessons import agent, edited, lessons, ran, session, user

START = user("Look after the billing service")


def test_checks_that_passed_are_one_page_with_the_plain_calls():
    made = session(
        START,
        ran("uv run pytest -q --tb=short", "12 passed in 2s"),
        ran("uv run pytest tests/test_a.py::test_x", "1 passed in 1s"),
        ran("uv run mypy src", "Success: no issues found in 3 source files"),
        ran("uv run pytest --bogus", "error: no such option", "error 4"),
    )
    (record,) = lessons(made, "fact")
    assert "`uv run pytest -q --tb=short`" in record.body and "`uv run mypy src`" in record.body
    assert "test_x" not in record.body and "bogus" not in record.body and record.state is State.QUARANTINED


def test_a_server_and_its_address():
    shown = Turn(0, "tool", "bash_id: b1", tool="BashOutput", outcome="ok", result="Local: http://localhost:4321/")
    made = session(START, ran("pnpm dev", "Command running in background with ID: b1"), shown)
    assert lessons(made, "fact")[0].title == "pnpm dev serves shop on localhost:4321"


def test_what_the_user_states():
    (record,) = lessons(
        session(START, agent("Where is it?"), user("The old importer lives in tools/legacy/import.rb.")), "fact"
    )
    assert "tools/legacy/import.rb" in record.body


def trace(made):
    return next(r for r in extractive.synthesize(made, evaluate.evaluate(made)).records if r.type is RecordType.TRACE)


def test_a_statement_ends_where_the_wish_or_the_doubt_begins():
    told = user("I deleted setup.cfg, as a first step let's find out what breaks")
    where = user("I cloned the data to /srv/shop-data, not sure which branch you need")
    titles = {r.title for r in lessons(session(told, agent("ok"), where), "fact")}
    assert titles == {"The user deleted setup.cfg", "The user cloned the data to /srv/shop-data"}


def test_the_trace_tells_goal_outcome_files_and_commands():
    made = session(
        START, edited("/code/shop/src/a.py", "x", "y"), ran("make test", "5 passed"), user("perfect, thanks!")
    )
    record = trace(made)
    assert record.title == "Look after the billing service" and record.score == 5.0 and record.score_by == "user"
    assert "`src/a.py`" in record.body and "`make test`, passed" in record.body and f"[[{made.stem}]]" in record.body


@pytest.mark.parametrize("turns", [(), (START,), (agent("hi"),), (ran("ls"),)])
def test_small_sessions(turns):
    made = session(*turns)
    assert lessons(made) == []


def test_ten_thousand_turns():
    many = [
        t for i in range(5_000) for t in (agent(f"step {i}?"), ran(f"make s{i % 50}", f"error: bad {i}", "error 2"))
    ]
    made = session(START, *many)
    assert len(made.turns) == 10_001 and len(lessons(made)) <= 1
