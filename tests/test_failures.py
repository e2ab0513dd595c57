"""Errors and what cured them."""

from llmwiki.model import Evidence, RecordType, State
from llmwiki.synthesizers import signatures
from llmwiki.synthesizers.shell import simples
from tests.lessons import agent, edited, lessons, ran, refused, session, user

START = user("Get the billing service going")
GONE = "bash: line 1: pytest: command not found"


def failure(*turns):
    found = lessons(session(START, *turns), "failure")
    assert len(found) == 1, [r.title for r in found]
    return found[0]


def section(record, name):
    return record.body.partition(f"## {name}\n")[2].partition("\n## ")[0]


def test_a_missing_program_is_cured_by_the_call_that_worked():
    record = failure(ran("pytest", GONE, "error 127"), ran("(source .venv/bin/activate && pytest)", "3 passed in 1s"))
    assert record.when == {"errors": ["pytest: command not found"]}
    assert "source .venv/bin/activate" in section(record, "Cure") and record.evidence is Evidence.TEST_PROVED


def test_the_cure_is_the_change_just_before_and_false_cures_are_to_be_avoided():
    record = failure(
        ran("bash -lc 'make image'", "error: base image not found in mirror", "error 2"),
        ran("docker logout", "ok"),
        ran("make image", "error: base image not found in mirror", "error 2"),
        edited("/code/shop/Dockerfile", "FROM base:1", "FROM registry.example/base:1"),
        ran("cd /code/shop && make image", "built"),
    )
    assert "registry.example/base:1" in section(record, "Cure") and "docker logout" not in section(record, "Cure")
    assert "docker logout" in section(record, "Avoid")


def test_another_error_of_the_same_command_means_that_the_first_is_gone():
    record = failure(
        ran("./setup.sh", "/usr/bin/env: 'bash\\r': No such file or directory", "error 127"),
        ran("dos2unix setup.sh", ""),
        ran("./setup.sh", "ERROR: token file missing", "error 1"),
    )
    assert "dos2unix setup.sh" in section(record, "Cure") and "the error was gone" in section(record, "Cure")


def test_a_program_by_another_name_does_the_work():
    record = failure(
        ran("python tool.py --all", "python: command not found", "error 127"), ran("python3 tool.py --all", "fine")
    )
    assert record.title.endswith("call python3")


def test_no_cure_and_no_repetition_gives_nothing():
    assert lessons(session(START, ran("make deploy", "error: no access to the cluster", "error 1"))) == []


def test_a_limit_that_comes_twice_is_kept_without_a_cure():
    denied = "cannot create temp file for here document: Operation not permitted"
    record = failure(ran("tee a <<E\nx\nE", denied, "error 1"), ran("tee b <<E\ny\nE", denied, "error 1"))
    assert record.evidence is Evidence.REPEATED and "## Cure" not in record.body


def test_the_agents_own_slips_and_the_harness_teach_nothing():
    own = session(
        START,
        edited("/code/shop/a.py", "x", "def total(): return 1"),
        ran("pytest tests", "E   AssertionError: assert 1 == 2\n1 failed", "error 1"),
        edited("/code/shop/a.py", "def total(): return 1", "def total(): return 2"),
        ran("pytest tests", "1 passed"),
    )
    assert lessons(own, "failure") == [] and refused(own) == {"one-off": 1}
    noise = session(START, ran("x", "File has not been read yet. Read it first.", "error 1"), ran("x", "ok"))
    assert lessons(noise) == []


def test_what_the_user_pasted_is_cured_when_the_next_words_no_longer_show_it():
    pasted = "The deploy stopped:\n\nfatal: could not read Username for 'https://git.example'\n"
    record = failure(
        user(pasted),
        agent("I will use a token helper."),
        ran("git config credential.helper store", ""),
        user("It still fails:\n\nfatal: could not read Username for 'https://git.example'\n"),
        ran("git submodule set-url lib git@git.example:lib.git", ""),
        user("Great. Now look at the colours."),
    )
    assert record.evidence is Evidence.INFERRED
    assert "set-url" in section(record, "Cure") and "credential.helper" in section(record, "Avoid")


def test_signatures_hold_no_paths_numbers_hashes():
    one = signatures.signature("/home/x/run.sh: line 12: ERROR: job 4711 failed at 3f9ac21bd in /tmp/a/b.txt")
    two = signatures.signature("/opt/y/run.sh: line 7: ERROR: job 12 failed at 77ab01cde in /var/z.txt")
    assert one == two and "4711" not in one and "/tmp" not in one


def test_what_was_cut_off_was_cured_by_time():
    cut = ran("make check", "Command timed out after 2m 0.0s", "error 124")
    (record,) = lessons(
        session(START, cut, ran("npm install", "ok"), ran("make check", "12 passed in 200s")), "failure"
    )
    assert record.title == "make check is cut off at short limits; give it more time"
    assert "ran to its end later" in section(record, "Cure") and "npm" not in record.body


def test_the_innermost_error_names_the_trouble():
    build = (
        "error: builder for '/nix/store/x.drv' failed with exit code 1\nerror: path 'nix/package.nix' does not exist"
    )
    assert "package.nix" in signatures.error_line(build)
    pnpm = "ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL Command failed with exit code 1\nBind for 0.0.0.0:54322 failed: in use"
    assert signatures.error_line(pnpm).startswith("Bind for")
    assert "ELIFECYCLE" in signatures.error_line("npm error code ELIFECYCLE"), "better than nothing"


def test_wrappers_are_seen_through():
    forms = [
        "pytest tests",
        "cd /x && pytest tests -q",
        "uv run pytest tests",
        "bash -lc 'pytest tests'",
        "source .venv/bin/activate; pytest tests 2>&1 | tail -5",
        "CI=1 timeout 60 .venv/bin/pytest tests",
        "python -m pytest tests",
        "docker compose -f dev.yml exec -T -e CI=1 api pytest tests",
        "docker-compose run --rm --no-deps worker pytest tests -q",
        "env -u DEBUG pytest tests",
        "sudo -u shop -n pytest tests",
        "timeout -k 5 60 pytest tests",
        "mise exec -- pytest tests",
        "uv run --with pytest -p 3.12 pytest tests",
    ]
    assert {simples(f)[-1].key for f in forms} == {("pytest", "tests")}


def test_a_long_hostile_command_is_read_quickly():
    simples("'" * 50_000 + "(" * 50_000)
    assert signatures.error_line("a" * 500_000 + "\nerror: x\n" + "b" * 500_000) in ("error: x", "")


def test_subagents_give_no_lessons():
    made = session(START, ran("pytest", GONE, "error 127"), ran("uv run pytest", "3 passed"), kind="subagent")
    assert lessons(made) == [] and RecordType.TRACE


def mended(old, new):
    broken = ran("make report", "NameError: name 'json' is not defined", "error 1")
    change = edited("/code/shop/report.py", old, new)
    return session(START, broken, change, ran("make report", "written"))


def test_an_import_is_told_where_it_is_the_whole_cure():
    (record,) = lessons(mended("x = 1", "import json\nx = 1"), "failure")
    assert "`import json`" in section(record, "Cure")


def test_the_name_of_a_file_alone_is_no_cure():
    assert not lessons(mended("{", "{\n}"), "failure") and refused(mended("{", "{\n}"))["platitude"] == 1


def test_a_check_that_passes_behind_another_wrapper_is_the_cure():
    usage = "error: unrecognized arguments: --reuse"
    other = 'psycopg.errors.UndefinedTable: relation "carts" does not exist'
    found = lessons(
        session(
            START,
            ran("docker compose exec api pytest tests", usage, "error 4"),
            ran("docker compose run --rm checks pytest tests", f"1 failed\n{other}", "error 1"),
            ran("docker compose run --rm checks pytest tests --create-db", "12 passed in 3s"),
        ),
        "failure",
    )
    assert "docker compose run --rm checks" in section(found[0], "Cure"), [r.title for r in found]
    assert any("--create-db" in section(r, "Cure") and "UndefinedTable" in r.body for r in found)


def test_the_part_that_an_error_names_may_pass_alone():
    broken = "ok  shop/api\ninternal/pay/pay_test.go:9:2: package shop/internal/fakes is not in std\nFAIL shop"
    record = failure(
        ran("go test ./...", broken, "error 1"),
        ran("just fakes && go test ./internal/...", "ok  shop/internal/pay 0.2s"),
    )
    assert "just fakes" in section(record, "Cure") and "is not in std" in section(record, "Symptom")
    elsewhere = ran("just fakes && go test ./cmd/...", "ok  shop/cmd 0.2s")
    assert not lessons(session(START, ran("go test ./...", broken, "error 1"), elsewhere), "failure")


def test_a_script_of_the_project_does_the_work_of_a_tool():
    stopped = "rake aborted!\nStandardError: An error has occurred, the rest is canceled:\n\n  an index locks it"
    record = failure(ran("bin/rails db:migrate", stopped, "error 1"), ran("bin/migrate", "== migrated 0.1s"))
    assert "bin/migrate" in section(record, "Cure")
    assert "an index locks it" in section(record, "Symptom"), "what the line with a colon announced"


def test_what_the_user_still_asks_about_is_not_cured_yet():
    asked = user("the page is blank:\n\nTypeError: shop.render is not a function at shop.js:3")
    first, second = edited("/code/shop/api.js", "b()", "render(shop)"), edited("/code/shop/shop.js", "a()", "b(shop)")
    again = user("do you think that we could do that in shop.js?")
    (record,) = lessons(session(START, asked, first, again, second), "failure")
    assert record.state is State.QUARANTINED and "nobody said that it helped" in record.reason
    (record,) = lessons(session(START, asked, first, again, second, user("great, thanks. now the footer")), "failure")
    assert record.state is State.ACTIVE and "no longer show it" in record.body


def test_a_test_of_another_file_cures_nothing():
    failed = "npm ERR! code ELIFECYCLE"
    other = ran("npm test -- tests/price.test.ts", "12 passed")
    assert not lessons(session(START, ran("npm test -- tests/cart.test.ts", failed, "error 1"), other), "failure")


def test_a_wrapper_that_is_not_there_either_cures_nothing():
    missing = "/bin/bash: line 1: ./specs: No such file or directory"
    gone = ran("pixi run specs --help", "/bin/bash: line 1: pixi: command not found", "error 127")
    found = lessons(session(START, ran("./specs --help", missing, "error 127"), gone), "failure")
    assert not [r for r in found if "## Cure" in r.body]


def test_an_error_that_only_says_that_something_failed_ties_no_records():
    failed = "error: builder for '/nix/store/x-api.drv' failed with exit code 1"
    found = failure(ran("nix build", failed, "error 1"), ran("sed -i s/a/b/ flake.nix"), ran("nix build", "built"))
    assert found.when == {}
