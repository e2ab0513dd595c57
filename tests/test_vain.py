"""Successes that did not help."""

from tests.lessons import edited, lessons, ran, session, user
from tests.test_failures import section

OLD, NEW = "usage: ship [old]", "usage: ship [new]"
START = user("the help text is old, please refresh the tool")


def vain(*turns):
    return [
        r for r in lessons(session(START, *turns), "failure") if "changes nothing" in r.title or "## Avoid" in r.body
    ]


def test_a_try_that_changed_nothing_is_told_with_the_one_that_did():
    (record,) = vain(
        ran("ship --help", OLD),
        ran("uv tool install ship", "Installed ship"),
        ran("ship --help | head -3", OLD + "\n\nmore"),
        ran("uv tool upgrade --reinstall ship", "Building ship"),
        ran("ship --help", NEW),
    )
    assert "uv tool install ship" in section(record, "Avoid")
    assert "uv tool upgrade --reinstall ship" in section(record, "Cure")


def test_what_an_edit_may_have_done_is_no_proof():
    assert not vain(
        ran("ship --help", OLD),
        ran("uv tool install ship", "Installed ship"),
        ran("ship --help", OLD),
        edited("/code/shop/ship.py", "usage old", "usage new text"),
        ran("uv tool upgrade --reinstall ship", "Building ship"),
        ran("ship --help", NEW),
    )


def test_tries_at_two_different_things_are_not_compared():
    assert not vain(
        ran("ship --help", OLD),
        ran("docker compose up -d", "started"),
        ran("ship --help", OLD),
        ran("uv tool upgrade --reinstall ship", "Building ship"),
        ran("ship --help", NEW),
    )


def test_looks_that_are_new_each_time_tell_nothing():
    assert not vain(
        ran("git status", "clean"),
        ran("uv tool install ship", "Installed"),
        ran("git status", "clean"),
        ran("uv tool install --force ship", "Installed"),
        ran("git status", "dirty"),
    )
