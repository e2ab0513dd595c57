"""Time and trust: states, confidence, and the one question that every reader asks, `retrievable`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from llmwiki.model import Evidence, Reader, Record, RecordType, State
from llmwiki.schema import LIFECYCLE

DAY = timedelta(days=1)
BEYOND = 9_000  # a year in which nothing happens: sums of days stay within the calendar
Numbers = Mapping[str, float]
AGED = ("expired", "not reviewed")  # the reasons that age gives; any other was given by a person


def moment(text: str | None) -> datetime | None:
    """A time as an aware UTC datetime; None for what is no time. A bare date is its midnight, UTC.

    >>> moment("2026-03-01").isoformat()
    '2026-03-01T00:00:00+00:00'
    """
    try:
        found = datetime.fromisoformat(str(text).strip())
        at = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # in UTC some times of the first and the last year are out of range
        return None
    return at if at.year < BEYOND else None


def stamp(at: datetime) -> str:
    """The form in which every time is written: UTC to the second, with `Z`."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def since(record: Record) -> datetime | None:
    """The moment from which TTL and decay count; None on a page without dates, which then never ages."""
    return moment(record.reinforced) or moment(record.created)


def effective(record: Record, now: datetime, numbers: Numbers = LIFECYCLE) -> float:
    """Confidence at `now`: the stored one × 0.98 for each whole week since it was reinforced (never a gain)."""
    start = since(record)
    weeks = max(0, (now - start) // (7 * DAY)) if start else 0
    return float(record.confidence * numbers["weekly_decay"] ** weeks)


def expires(record: Record) -> datetime | None:
    """The moment at which the TTL is over; None when it never is."""
    start = since(record)
    if start is None or record.ttl_days <= 0:
        return None
    try:
        end = start + record.ttl_days * DAY
    except OverflowError:
        return None
    return end if end.year < BEYOND else None


def lasting(record: Record) -> bool:
    """A preference that a person said: confidence never makes it stale, and age never archives it."""
    return record.type is RecordType.PREFERENCE and record.evidence is Evidence.USER_SAID


def fades(record: Record, numbers: Numbers = LIFECYCLE) -> datetime | None:
    """The moment at which effective confidence falls below the minimum; None when it never does."""
    start = since(record)
    if start is None or lasting(record):
        return None
    week, confidence = 0, record.confidence
    while confidence >= numbers["minimum_confidence"]:
        week, confidence = week + 1, record.confidence * numbers["weekly_decay"] ** (week + 1)
        if week > 1000:
            return None
    return start + 7 * week * DAY


def goes_stale(record: Record, numbers: Numbers = LIFECYCLE) -> datetime | None:
    """The moment at which an active record goes stale: TTL over or confidence gone, whichever is first."""
    ends = [at for at in (expires(record), fades(record, numbers)) if at]
    return min(ends) if ends else None


def state_at(record: Record, now: datetime, verified: bool = True, numbers: Numbers = LIFECYCLE) -> tuple[State, str]:
    """The state that the dates give at `now`, and the reason when age archives it.

    States follow from dates, so one late run gives what many early ones would have. `verified` says whether the
    record's claims hold, which releases it from quarantine; a page that waits for a person (`quarantine_until`
    None) is never released by time.
    """
    if record.state is State.ARCHIVED:
        return State.ARCHIVED, record.reason
    if record.state is State.QUARANTINED:
        over = expires(record)
        release = moment(record.quarantine_until) if record.quarantine_until else None
        if not (release and release <= now and verified):
            return (State.ARCHIVED, AGED[1]) if over and over <= now else (State.QUARANTINED, record.reason)
    end = goes_stale(record, numbers)
    if record.state is State.STALE and end is None:
        return State.STALE, record.reason  # a person set it stale; only a person or a reinforcement lifts it
    if end is None or now < end:
        return (State.ACTIVE if record.state is not State.STALE else State.STALE), record.reason
    if now >= end + numbers["stale_days"] * DAY and not lasting(record):
        return State.ARCHIVED, AGED[0]
    return State.STALE, record.reason


def retrievable(record: Record, now: datetime, reader: Reader | None = None, numbers: Numbers = LIFECYCLE) -> bool:
    """Whether a record may speak to a reader at `now`. Every reader of the wiki asks this and nothing else."""
    if record.state is not State.ACTIVE or record.superseded_by:
        return False
    # A person who sets `state: active` has decided: a page that waited for one (null) waits no more. A date binds, and
    # so does one beyond the calendar: year 9999 is how people write "never".
    until = record.quarantine_until
    if until and not ((release := moment(until)) and release <= now):
        return False
    over = expires(record)
    if over and over <= now:
        return False
    if not lasting(record) and effective(record, now, numbers) < numbers["minimum_confidence"]:
        return False
    return reader is None or record.scope in reader.scopes


def lives(record: Record) -> bool:
    """Whether a record still counts: neither withdrawn nor replaced. One that waits counts, for a person looks on."""
    return record.state is not State.ARCHIVED and not record.superseded_by


def held(record: Record) -> bool:
    """Whether a record waits for a person, not for a time."""
    return record.state is State.QUARANTINED and record.quarantine_until is None


WITHDRAWN_FROM = "withdrawn_from"  # a key of a page in the archive: the state that a person took it out of


def withdrawn(record: Record) -> Record:
    """The record in the archive. One that waited says so, for then it waits again when it is restored; what a person
    let speak waits for nobody."""
    if record.state is State.ARCHIVED:
        return record
    kept = {key: value for key, value in record.extra.items() if key != WITHDRAWN_FROM}
    if record.state is State.QUARANTINED:
        return replace(record, state=State.ARCHIVED, extra={**kept, WITHDRAWN_FROM: str(State.QUARANTINED)})
    until = "" if record.quarantine_until is None else record.quarantine_until
    return replace(record, state=State.ARCHIVED, extra=kept, quarantine_until=until)


def waited(record: Record, now: datetime) -> bool:
    """Whether a record of the archive waited when it came there: nobody has said yet that it may speak."""
    if record.state is not State.ARCHIVED:
        return False
    release = moment(record.quarantine_until) if record.quarantine_until else None
    told = record.extra.get(WITHDRAWN_FROM) == State.QUARANTINED or record.reason == AGED[1]
    return told or record.quarantine_until is None or bool(release and release > now)


def later(known: str, at: str) -> str:
    """The later of two times, as it was written: a clock that was set back takes nothing back. What is no time gives
    way."""
    was, now = moment(known), moment(at)
    return at if was is None or (now is not None and now >= was) else known


def reinforced(record: Record, now: datetime, start: float = 0.0, numbers: Numbers = LIFECYCLE) -> Record:
    """The record one step surer: `c += 0.15 × (0.95 − c)`, from at least `start`; its clock starts again."""
    confidence = max(record.confidence, start)
    confidence += numbers["step"] * max(0.0, numbers["ceiling"] - confidence)
    state = State.ACTIVE if record.state is State.STALE else record.state
    return replace(
        record, confidence=round(confidence, 4), reinforced=later(record.reinforced, stamp(now)), state=state
    )


def superseded(older: Record, newer: Record) -> tuple[Record, Record]:
    """Both records, the older one silent in favour of the newer one, whatever was between them before."""
    older = replace(older, superseded_by=newer.id, supersedes=tuple(id for id in older.supersedes if id != newer.id))
    newer = replace(
        newer,
        superseded_by="" if newer.superseded_by == older.id else newer.superseded_by,
        supersedes=tuple(dict.fromkeys((*newer.supersedes, older.id))),
    )
    return older, newer


def guarded(leaving: int, living: int, numbers: Numbers = LIFECYCLE) -> bool:
    """Whether so many records leaving at once needs a person's yes."""
    return leaving >= numbers["guard_least"] and leaving > numbers["guard_share"] * living
