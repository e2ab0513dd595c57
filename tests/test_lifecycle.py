"""States follow from dates, confidence from weeks, and one predicate decides who speaks."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmwiki import lifecycle, markdown
from llmwiki.lifecycle import DAY
from llmwiki.model import Evidence, Reader, Record, RecordType, State

T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)


def record(**changes):
    base = Record("a-0001", RecordType.FACT, "A", confidence=0.75, created="2026-03-01T12:00:00Z", ttl_days=180)
    return replace(base, **{"evidence": Evidence.TEST_PROVED, "reinforced": "2026-03-01T12:00:00Z", **changes})


def test_an_active_record_speaks():
    assert lifecycle.retrievable(record(), T0)


@pytest.mark.parametrize(
    "withdrawn",
    [
        {"state": State.QUARANTINED},
        {"state": State.STALE},
        {"state": State.ARCHIVED, "reason": "wrong"},
        {"superseded_by": "b-0002"},
        {"quarantine_until": "2026-03-02T12:00:00Z"},
        {"quarantine_until": "9999-12-31"},
        {"ttl_days": 1, "reinforced": "2026-02-27T12:00:00Z"},
        {"confidence": 0.29},
        {"scope": "user"},
    ],
)
def test_what_is_withdrawn_is_silent(withdrawn):
    page = record(**{"scope": "public", **withdrawn})
    assert not lifecycle.retrievable(page, T0, Reader(scopes=frozenset({"public"})))


@pytest.mark.parametrize(("days", "weeks"), [(-30, 0), (0, 0), (6.99, 0), (7, 1), (13, 1), (70, 10)])
def test_confidence_fades_by_whole_weeks_and_never_grows(days, weeks):
    assert lifecycle.effective(record(), T0 + days * DAY) == pytest.approx(0.75 * 0.98**weeks)


def test_what_a_person_said_outlives_its_confidence_but_not_its_ttl():
    said = record(type=RecordType.PREFERENCE, evidence=Evidence.USER_SAID, confidence=0.3, ttl_days=365)
    assert lifecycle.retrievable(said, T0 + 300 * DAY)
    assert lifecycle.state_at(said, T0 + 366 * DAY)[0] is State.STALE
    assert lifecycle.state_at(said, T0 + 3660 * DAY)[0] is State.STALE


def test_a_page_without_dates_never_ages():
    undated = record(created="", reinforced="")
    assert lifecycle.state_at(undated, T0 + 3650 * DAY) == (State.ACTIVE, "")
    assert lifecycle.retrievable(undated, T0 + 3650 * DAY)


def test_a_person_who_sets_a_waiting_page_active_has_decided():
    assert lifecycle.retrievable(record(quarantine_until=None), T0)
    assert not lifecycle.retrievable(record(quarantine_until=None, state=State.QUARANTINED), T0)


def quarantined(until):
    return record(state=State.QUARANTINED, quarantine_until=until)


def test_quarantine_ends_by_time_and_proof_only():
    waiting = quarantined("2026-03-02T12:00:00Z")
    assert lifecycle.state_at(waiting, T0 + DAY - timedelta(seconds=1))[0] is State.QUARANTINED
    assert lifecycle.state_at(waiting, T0 + DAY)[0] is State.ACTIVE
    assert lifecycle.state_at(waiting, T0 + DAY, verified=False)[0] is State.QUARANTINED
    assert lifecycle.state_at(quarantined(None), T0 + 100 * DAY)[0] is State.QUARANTINED
    assert lifecycle.state_at(quarantined(None), T0 + 180 * DAY) == (State.ARCHIVED, "not reviewed")


def test_stale_then_archived():
    assert lifecycle.state_at(record(), T0 + 180 * DAY)[0] is State.STALE
    assert lifecycle.state_at(record(), T0 + 239 * DAY)[0] is State.STALE
    assert lifecycle.state_at(record(), T0 + 240 * DAY) == (State.ARCHIVED, "expired")


@given(st.lists(st.integers(0, 500), max_size=30), st.integers(0, 500), st.sampled_from(list(State)),
       st.sampled_from(["", None, "2026-03-02T12:00:00Z"]), st.floats(0, 1), st.booleans())  # fmt: skip
def test_one_late_run_equals_many_early_ones(days, last, state, until, confidence, verified):
    first = record(state=state, quarantine_until=until, confidence=confidence)
    stepped = first
    for day in [*sorted(d for d in days if d <= last), last]:
        state_now, reason = lifecycle.state_at(stepped, T0 + day * DAY, verified)
        stepped = replace(stepped, state=state_now, reason=reason)
    assert (stepped.state, stepped.reason) == lifecycle.state_at(first, T0 + last * DAY, verified)


def test_reinforcing_lifts_and_starts_the_clock_again():
    surer = lifecycle.reinforced(record(state=State.STALE), T0 + 200 * DAY)
    assert surer.state is State.ACTIVE
    assert surer.confidence == pytest.approx(0.75 + 0.15 * 0.20)
    assert surer.reinforced == "2026-09-17T12:00:00Z"
    assert lifecycle.reinforced(record(confidence=0.97), T0).confidence == 0.97
    assert lifecycle.reinforced(record(confidence=0.5), T0, start=0.8).confidence == pytest.approx(0.8225)


@pytest.mark.parametrize("known", ["2026-03-09T12:00:00Z", "2026-03-01T13:00:00-09:00"])
def test_a_clock_that_was_set_back_takes_nothing_back(known):
    surer = lifecycle.reinforced(record(reinforced=known), T0)
    assert surer.reinforced == known and surer.confidence > record().confidence


@pytest.mark.parametrize("known", ["", "some day", "2026-03-01T14:00:00+09:00", "2026-03-01"])
def test_what_was_earlier_or_is_no_time_gives_way(known):
    assert lifecycle.reinforced(record(reinforced=known), T0).reinforced == lifecycle.stamp(T0)


@pytest.mark.parametrize("text", ["2026-03-01T12:00:00Z", "2026-03-01 12:00:00+00:00", "2026-03-01T14:00:00+02:00"])
def test_times_are_utc(text):
    assert lifecycle.moment(text) == T0


@pytest.mark.parametrize("text", ["", None, "yesterday", "2026-13-01"])
def test_what_is_no_time_is_none(text):
    assert lifecycle.moment(text) is None


def test_times_beyond_the_calendar_are_none_and_a_ttl_beyond_it_never_ends():
    assert lifecycle.moment("9999-12-31T23:59:59-05:00") is None and lifecycle.moment("0001-01-01T00:00+05:00") is None
    page = "---\ntitle: a\nttl_days: 99999999\ncreated: 2026-01-01\n---\n\nx\n"
    assert lifecycle.expires(markdown.read(page, "wiki/facts/a.md", "user")) is None
