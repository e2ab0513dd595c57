"""Age: pages that the dates contradict, and records that nothing has confirmed for long.

Traces are left out: they are made to be forgotten, and nobody has to do anything about it.
"""

from __future__ import annotations

from collections.abc import Iterator

from llmwiki import lifecycle
from llmwiki.model import Record, State, Wiki
from llmwiki.rules.base import Findings, Found, Seen, lessons


def expired(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """The page says that a record may speak or waits, and its dates say that its time is over.

    No reader is fooled, for every one of them looks at the dates, so it is only told: a wiki that passed must not fail
    because time went by. `llmwiki decay` writes down what is so, and asks before it archives much at once.
    """
    for record in lessons(wiki):
        state, reason = lifecycle.state_at(record, seen.now, False, seen.numbers)
        over = state is not record.state and state in (State.STALE, State.ARCHIVED)
        why = f" ({reason})" if reason and state is State.ARCHIVED else ""
        said = f"is {record.state} on the page and {state}{why} by its dates; run `llmwiki decay`"
        yield (Found(record.path, said, seen.key_line(record, "state")),) if over else ()


def stale(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A record is stale: silent, because nothing has confirmed it for long.

    If it still holds, say so again (`llmwiki remember`) or set `state: active` and today's date as `reinforced`; if
    not, leave it: sixty days later it is archived. What a person said is never archived by age.
    """
    for record in lessons(wiki):
        yield (_stale(record, seen),) if record.state is State.STALE else ()


def _stale(record: Record, seen: Seen) -> Found:
    start = lifecycle.since(record)
    told = f" since nothing confirmed it after {lifecycle.stamp(start)[:10]}" if start else ""
    end = "does it still hold?" if lifecycle.lasting(record) else "it is archived in time unless something does"
    return Found(record.path, f"is silent{told}; {end}", seen.key_line(record, "state"))
