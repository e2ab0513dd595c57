"""The extractive synthesizer as a whole: whatever a session holds, it answers, and in the time of its length."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from llmwiki import evaluate
from llmwiki.model import Turn
from llmwiki.synthesizers import extractive
from tests.lessons import agent, edited, lessons, ran, session, user

COMMANDS = [
    "",
    "cd x",
    "# note",
    "export A=b",
    "pytest",
    "make migrate",
    "ls",
    "git commit -qm x",
    "cd x && pytest -q",
    "a | b",
]
OUTPUTS = [
    "",
    "1 failed",
    "E ValueError: no",
    "[main 1234567] x",
    "3 passed in 1s",
    "bash: x: command not found",
    "ready",
]
SAID = [
    "the tests are failing", "no, that's wrong", "thanks!", "go ahead", "always use `pnpm` here", "is it done?",
    "1. first `a_b`\n2. then `c_d`\n3. last `e_f`", "The bug is that `a_b` reads `c_d` because it is old.", "deploy it",
]  # fmt: skip
TURNS = st.one_of(
    st.builds(
        ran, st.sampled_from(COMMANDS), st.sampled_from(OUTPUTS), st.sampled_from(["ok", "error 1", "refused", "lost"])
    ),
    st.builds(
        user,
        st.sampled_from(SAID),
        st.sampled_from(["typed", "queued", "plan", "answer", "refusal", "interrupt", "command"]),
    ),
    st.builds(agent, st.sampled_from(SAID)),
    st.builds(
        edited, st.sampled_from(["a_b.py", "README.md"]), st.just("old words"), st.sampled_from(["new words", ""])
    ),
    st.builds(lambda text: Turn(0, "system", text), st.sampled_from(OUTPUTS)),
    st.just(Turn(0, "tool", "replace it all", tool="Edit", outcome="ok", result="done")),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(TURNS, max_size=25))
def test_any_session_is_read(turns):
    made = session(*turns)
    drafts = extractive.synthesize(made, evaluate.evaluate(made))
    assert len([r for r in drafts.records if r.type == "trace"]) <= 1


def work(n):
    """Turns looked at, by counting how often the text of a turn is asked for."""
    turns = [user("the tests are failing")]
    for i in range(n):
        turns += [
            ran(f"tool{i % 7} run", f"error: cannot open thing{i % 50} of part", "error 1"),
            agent(f"The problem is that `thing{i % 50}` is missing because `tool{i % 7}` drops it."),
            edited(f"src/part{i % 9}.py", "old words here", f"new words {i} here"),
            ran(f"tool{i % 7} run", "done"),
        ]
    return session(*turns)


def test_the_work_grows_with_the_length():
    import time

    def seconds(n):
        made = work(n)
        start = time.process_time()
        extractive.synthesize(made, evaluate.evaluate(made))
        return time.process_time() - start

    seconds(20)
    small, large = min(seconds(200) for _ in range(3)), min(seconds(800) for _ in range(2))
    assert large < 4 * small * 4, (small, large)


def test_a_session_that_goes_on_from_another_teaches_like_any_other():
    made = session(
        user("describe the tags. Keep the README below 80 lines, always."), parent="2026-03-31-other-aaaa0000"
    )
    assert [r.title for r in lessons(made, "preference")] == ["Keep the README below 80 lines, always."]
    assert not lessons(replace(made, kind="subagent"), "preference")


def test_blank_lines_and_pasted_answers_without_end_cost_their_length_and_no_more():
    """Each line looked at once: a look that begins at every line and runs to the end took minutes here."""
    blank = "\n" * 40_000
    made = session(
        user("start"),
        user(f"Never {blank} touch a.py"),
        ran("pytest", f"{blank}oops", "error 1"),
        agent(f"ok? {blank}"),
    )
    assert extractive.synthesize(made, evaluate.evaluate(made)).records
    long = session(user("start"), agent("ok?"), user(f"Q: {'which ' * 9_000}?\nA: {'or should we ' * 9_000}", "answer"))
    (answered,) = lessons(long, "preference")
    assert len(answered.body) < 3_000
