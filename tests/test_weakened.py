"""A check that passes because it looks at less, or because the work was taken away, teaches no cure."""

import pytest

from llmwiki.model import Turn
from llmwiki.synthesizers.shell import masked
from tests.lessons import edited, lessons, ran, session, user

START = user("Get the billing service going")
BROKEN = "ImportError: libfoo.so.1: cannot open shared object file"


def written(path, content):
    return Turn(0, "tool", f"file_path: {path}\ncontent: {content}", tool="Write", outcome="ok", result="ok")


def failures(*turns):
    return lessons(session(START, *turns), "failure")


@pytest.mark.parametrize(
    "passing",
    [
        "pytest --ignore=tests/test_a.py",
        "pytest tests -k 'not slow'",
        "pytest tests -k orders",
        "pytest tests --deselect tests/test_a.py::test_x",
        "pytest tests --collect-only",
        "pytest tests || true",
        "pytest tests || :",
        "pytest tests; true",
        "pytest tests; exit 0",
        "set +e; pytest tests; echo done",
        "SKIP_SLOW=1 pytest tests",
        "git stash && pytest tests",
        "rm tests/test_a.py && pytest tests",
    ],
)
def test_a_check_that_looks_at_less_is_no_cure(passing):
    assert not failures(ran("pytest tests", BROKEN, "error 4"), ran(passing, "ok"))


@pytest.mark.parametrize("passing", ["cargo test --exclude core", "cargo test -- --skip net"])
def test_nor_in_other_tools(passing):
    assert not failures(ran("cargo test", "error: linker `cc` not found", "error 1"), ran(passing, "ok"))


@pytest.mark.parametrize(
    "away",
    [
        "rm tests/test_a.py",
        "git rm tests/test_a.py",
        "mv src/broken.py /tmp/",
        "git stash",
        "git checkout main",
        "git checkout -- .",
        "git switch main",
        "git reset --hard HEAD~1",
        "git restore .",
        "git revert --no-edit HEAD",
        "git clean -fd",
    ],
)
def test_work_that_was_taken_away_is_no_cure(away):
    broken, passed = ran("pytest tests", BROKEN, "error 4"), ran("pytest tests", "4 passed in 1s")
    assert not failures(broken, ran(away), passed)
    assert len(failures(broken, ran(away), edited("/code/shop/setup.cfg", "lib = a", "lib = foo"), passed)) == 1


@pytest.mark.parametrize("made", ["rm -rf build", "rm -rf node_modules && npm ci", "git checkout -b fix && make deps"])
def test_what_is_made_again_may_be_removed(made):
    assert failures(ran("pytest tests", BROKEN, "error 4"), ran(made), ran("pytest tests", "4 passed in 1s"))


def test_a_branch_cures_what_speaks_of_branches():
    said = "ERROR: Not on a feature branch"
    assert failures(ran("./plan.sh", said, "error 1"), ran("git checkout 005-billing"), ran("./plan.sh", "planned"))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("tests/test_a.py", "@pytest.mark.skip"),
        ("tests/test_a.py", "@pytest.mark.xfail(strict=False)"),
        ("Makefile", "\tpytest tests || true"),
        (".github/workflows/ci.yml", "continue-on-error: true"),
        ("pyproject.toml", 'addopts = "--ignore=tests/test_a.py"'),
    ],
)
def test_a_file_that_makes_the_check_look_away_is_no_cure(path, line):
    broken, passed = ran("pytest tests", BROKEN, "error 4"), ran("pytest tests", "3 passed in 1s")
    assert not failures(broken, edited(f"/code/shop/{path}", "a = b", line), passed)


@pytest.mark.parametrize("call", ["alembic --help", "docker compose exec web alembic --help", "alembic current"])
def test_another_question_to_the_program_is_no_cure(call):
    broken = ran("alembic upgrade head", 'OperationalError: could not translate host name "db"', "error 1")
    assert not failures(broken, ran(call, "usage: alembic")) and failures(
        broken, ran("docker compose exec web alembic upgrade head", "done")
    )


@pytest.mark.parametrize(
    ("error", "path", "content"),
    [
        ("E   ModuleNotFoundError: No module named 'shop.totals'", "shop/totals.py", "def total(xs):"),
        ("E   ImportError: cannot import name 'total' from 'shop.money'", "shop/money.py", "def total(xs):"),
        ("E   ImportError: cannot import name 'total' from 'shop'", "shop/sums.py", "def total(xs):"),
    ],
)
def test_a_module_that_was_still_to_be_written_is_no_cure(error, path, content):
    broken, passed = ran("pytest tests", f"{error}\n1 error", "error 2"), ran("pytest tests", "1 passed in 0.1s")
    assert not failures(broken, written(f"/code/shop/{path}", content), passed)
    assert failures(broken, edited("/code/shop/pyproject.toml", "a = 1", 'pythonpath = ["src/shop"]'), passed)


@pytest.mark.parametrize(("command", "hidden"), [("make || true", True), ("make && echo ok", False), ("make", False)])
def test_some_command_lines_end_well_whatever_happens(command, hidden):
    assert masked(command) is hidden


def test_an_exit_code_that_was_echoed_tells():
    broken = ran("make image", "error: no base image", "error 2")
    assert failures(broken, ran("docker pull base"), ran("make image; echo exit=$?", "built\nexit=0"))
    assert not failures(broken, ran("docker pull base"), ran("make image; echo exit=$?", "exit=2"))
