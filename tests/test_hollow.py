"""Checks that are green over nothing."""

from tests.lessons import edited, lessons, ran, session, user

START = user("Get the shared module to green")
EMPTY = "> Task :shared:compileKotlin\n> Task :shared:testDebugUnitTest NO-SOURCE\n\nBUILD SUCCESSFUL in 9s"
FULL = "> Task :shared:jvmTest\n\nTideTest > high PASSED\n\nBUILD SUCCESSFUL in 4s"


def hollow(*turns):
    return [r for r in lessons(session(START, *turns), "failure") if "runs no test" in r.title]


def test_a_green_check_that_ran_nothing_is_told_with_the_call_that_ran_something():
    (record,) = hollow(ran("./gradlew test", EMPTY), ran("./gradlew :shared:jvmTest", FULL))
    assert "testDebugUnitTest NO-SOURCE" in record.body and ":shared:jvmTest" in record.title


def test_tests_that_were_still_to_be_written_are_no_lesson():
    made = edited("/code/shop/shared/TideTest.kt", "a", "fun high() = check(1 == 1)")
    assert not hollow(ran("./gradlew test", EMPTY), made, ran("./gradlew :shared:jvmTest", FULL))
    assert not hollow(ran("./gradlew test", EMPTY + "\n> Task :app:test"), ran("./gradlew :shared:jvmTest", FULL))
    assert not hollow(ran("./gradlew test", EMPTY), ran("./gradlew test", FULL))
