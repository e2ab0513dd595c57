"""What shows that an error is over, and which errors are the agent's own."""

import pytest

from llmwiki.synthesizers.checks import kind_of
from llmwiki.synthesizers.shell import simples
from tests.lessons import agent, edited, lessons, ran, refused, session, user
from tests.test_failures import section

START = user("Get the billing service going")


def failures(*turns):
    return lessons(session(START, *turns), "failure")


def test_a_check_that_does_not_start_passes_through_another_command():
    (record,) = failures(
        ran("golangci-lint run ./...", "Error: can't load config: unsupported version of the configuration", "error 3"),
        ran("make lint", "./bin/golangci-lint run ./..."),
    )
    assert "`make lint`" in section(record, "Cure")


def test_a_call_that_was_made_wrongly_is_told_with_the_right_one():
    (record,) = failures(
        ran("./gradlew testDebugUnitTest", "Task 'testDebugUnitTest' is ambiguous in project ':app'.", "error 1"),
        ran("./gradlew :app:testDemoDebugUnitTest", "BUILD SUCCESSFUL in 4s"),
    )
    assert ":app:testDemoDebugUnitTest" in section(record, "Cure") and "ambiguous" in section(record, "Symptom")


def test_what_was_run_before_it_in_the_same_line_is_the_cure():
    missing = ran("dotnet ef migrations add Reorder", "Could not execute because dotnet-ef does not exist.", "error 1")
    later = ran("dotnet tool restore && dotnet ef migrations add Reorder", "error: no DbContext was found", "error 1")
    (record,) = lessons(session(user("add the reorder rule"), missing, later), "failure")
    assert "dotnet tool restore && dotnet ef" in section(record, "Cure")


def test_the_same_thing_asked_of_another_program_where_one_is_missing():
    (record,) = failures(
        ran("go get example.org/xxhash/v2", "bash: go: command not found", "error 127"),
        ran("bazel run @rules_go//go -- get example.org/xxhash/v2", "INFO: Build completed successfully"),
    )
    assert "bazel run @rules_go//go" in section(record, "Cure")


def test_what_a_server_refused_failed_though_curl_ended_well():
    (record,) = failures(
        ran("curl -s localhost:4100/hours", '{"statusCode":400,"message":"missing x-tenant header"}'),
        ran("curl -s -H 'x-tenant: demo' localhost:4100/hours", "[]"),
    )
    assert "x-tenant: demo" in section(record, "Cure") and "missing x-tenant header" in section(record, "Symptom")


def test_a_pipe_that_swallows_the_exit_code_hides_no_failure():
    (record,) = failures(
        ran("cmake --build out 2>&1 | tail -3", "FAILED: shop.exe\nLINK : fatal error LNK1104: cannot open 'shop.exe'"),
        agent("The linker can't write `shop.exe` because it is still running on your side."),
        user("closed"),
        ran("cmake --build out 2>&1 | tail -3", "[1/1] Linking CXX executable shop.exe"),
    )
    assert "still running" in section(record, "Cause") and '"closed"' in section(record, "Cure")


def test_the_cause_that_the_agent_gave_stands_on_the_page_and_is_its_title():
    (record,) = failures(
        ran("npx prisma migrate --name add_pin", "error: Environment variable not found: DIRECT_URL.", "error 1"),
        agent("Found it: the `prisma` command reads `.env` only, but DIRECT_URL stands in `.env.local`."),
        ran("npm run db:migrate -- --name add_pin", "Applied"),
    )
    assert "stands in `.env.local`" in section(record, "Cause") and record.title.startswith("Found it") is False


@pytest.mark.parametrize(
    "output",
    [
        "1 failed, 3 passed\nE   assert total == 4",
        "[error] -- [E040] Syntax Error: Ledger.scala:15:1",
        "00:03 +0 -1: Some tests failed.",
        "src/ledger.ts(3,1): error TS2304: Cannot find name 'post'.",
    ],
)
def test_the_agents_own_tests_and_slips_teach_nothing(output):
    made = session(
        START,
        edited("/code/shop/ledger.py", "pass", "def post_entry(): return 3"),
        ran("make test", output, "error 1"),
        agent("One brace too many after my edit, I forgot it in `post_entry`."),
        edited("/code/shop/ledger.py", "return 3", "return 4 # as it should be"),
        ran("make test", "4 passed in 1s"),
    )
    assert not lessons(made, "failure") and refused(made).get("one-off")


def test_the_user_saw_it_first():
    (record,) = failures(
        edited("/code/shop/ledger.py", "pass", "def post_entry(): return 3"),
        user("!make test", "command"),
        _shown("FAILED tests/test_ledger.py - sqlite3.OperationalError: no such table: entries\n1 failed, 3 passed"),
        agent("The problem is that the table `entries` is only made by `make migrate`."),
        ran("make migrate", "ok"),
        ran("make test", "4 passed in 1s"),
    )
    assert "make migrate" in section(record, "Cure")


def _shown(text):
    from llmwiki.model import Turn

    return Turn(0, "system", text)


NO_DRIVER = "  could not find driver (Connection: {}, SQL: select 1)\n\n  Tests:    64 failed, 21 passed"


def test_tests_that_fail_for_want_of_something_on_the_host_are_cured_by_where_they_run():
    (record,) = failures(
        ran("php artisan test", NO_DRIVER.format("pgsql"), "error 1"),
        ran("DB_CONNECTION=sqlite php artisan test", NO_DRIVER.format("sqlite"), "error 1"),
        ran("./vendor/bin/sail test", "  Tests:    85 passed"),
    )
    assert record.title.endswith("use ./vendor/bin/sail test"), "one lesson, of both tries"


def test_a_check_is_known_by_what_a_launcher_starts():
    kinds = {
        c: kind_of(simples(c)[0]) for c in ("php artisan test", "./vendor/bin/sail composer lint", "bazel mod tidy")
    }
    kinds |= {c: kind_of(simples(c)[0]) for c in ("setarch x86_64 -R ctest --preset asan", "bazel test //...")}
    assert list(kinds.values()) == ["test", "lint", "", "test", "test"]


FLAKY = "4/5 Test #3: midi_a ..........***Failed 0.31 sec\n80% tests passed, 1 tests failed out of 5"


def test_a_second_try_is_no_cure_and_the_change_behind_it_is():
    (record,) = failures(
        ran("ctest -j8", FLAKY, "error 8"),
        ran("ctest -j8 --rerun-failed", "100% tests passed, 0 tests failed out of 1"),
        edited(
            "/code/shop/tests/CMakeLists.txt", "a = b", "set_tests_properties(midi_a PROPERTIES RESOURCE_LOCK midi)"
        ),
        ran("for i in $(seq 20); do ctest -j8 -Q || echo FAIL $i; done; echo done", "done"),
    )
    assert "RESOURCE_LOCK" in record.body and "rerun-failed" not in record.body


def test_a_line_of_a_log_names_what_stopped_a_program():
    log = "2026/07/08 11:41:02 up\n2026/07/08 11:41:02 FATAL cache: dial unix /run/c.sock: no such file or directory"
    (record,) = failures(
        ran("bazel run //svc:main", log, "error 1"), ran("CACHE_MODE=memory bazel run //svc:main", "listening on :7443")
    )
    assert "CACHE_MODE=memory" in record.title
