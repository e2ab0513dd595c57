from datetime import UTC, datetime, timedelta

import pytest

from llmwiki import clock
from llmwiki.errors import WikiError


def test_the_clock_is_real_unless_it_is_replaced():
    assert abs(clock.now({}) - datetime.now(UTC)) < timedelta(minutes=1)
    assert clock.now({}).microsecond == 0
    assert not clock.is_replaced({"LLMWIKI_NOW": " "})


@pytest.mark.parametrize("text", ["2026-03-01T12:00:00Z", "2026-03-01 12:00", "2026-03-01T14:00:00+02:00"])
def test_a_replaced_clock_is_utc(text):
    environ = {"LLMWIKI_NOW": text}
    assert clock.is_replaced(environ)
    assert clock.now(environ) == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert clock.now(environ).tzinfo is UTC


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "0001-01-01T00:00:00+14:00"])
def test_what_is_no_time_is_refused_with_the_cure(text):
    with pytest.raises(WikiError, match=r"LLMWIKI_NOW.*2026-03-01T12:00:00Z"):
        clock.now({"LLMWIKI_NOW": text})
