"""Successes that did not help: a look that stayed as it was after one change, and was new after another like it.

A command that ends well and changes nothing teaches more than one that fails, since nobody is told. It shows when the
same look is taken again: `tool --help` prints the old text after `install`, and the new one after `install --force`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from llmwiki.model import Claim, Evidence, RecordType
from llmwiki.prose import code
from llmwiki.synthesizers import gate
from llmwiki.synthesizers.base import Gathering, cite, draft, shorten
from llmwiki.synthesizers.checks import kind_of
from llmwiki.synthesizers.events import Edit, Event, Run

OPEN = 30  # questions that are kept in mind at one time
LINES = 12  # of two outputs that are compared: a look is often cut to another length
MOVING = frozenset("git ls ps top df du date ss netstat gh free uptime watch tail".split())  # new at each look anyway


@dataclass(slots=True)
class Look:
    """One question asked again and again: its last run, what was tried since, and what had been tried in vain."""

    last: Run
    tried: list[Run] = field(default_factory=list)
    vain: list[tuple[Run, Run]] = field(default_factory=list)  # a try, and the look that stayed the same


def gather(found: Gathering, happened: Sequence[Event]) -> None:
    """Adds the tries that ended well and changed nothing, each with the one that did."""
    looks: dict[tuple[str, ...], Look] = {}
    for event in happened:
        if isinstance(event, Edit):
            for look in looks.values():
                look.vain.clear()  # what is new at the next look may be the work of the edit
                look.tried.clear()
        elif isinstance(event, Run) and event.ok and event.parts:
            key = event.parts[-1].key
            if _tries(event):
                for other, look in looks.items():
                    if other != key:
                        look.tried = [*look.tried[-2:], event]
            if _looks(event):
                _look(found, looks, key, event)


def _tries(run: Run) -> bool:
    return any(not s.reads and not kind_of(s) for s in run.parts)


def _looks(run: Run) -> bool:
    return len(run.parts) == 1 and run.parts[0].program not in MOVING and bool(run.output.strip())


def _look(found: Gathering, looks: dict[tuple[str, ...], Look], key: tuple[str, ...], run: Run) -> None:
    look = looks.setdefault(key, Look(run))
    if len(looks) > OPEN:
        del looks[next(k for k in looks if k != key)]  # the oldest question is not asked again
    if look.last is not run and look.tried:
        if _same(look.last.output, run.output):
            look.vain += [(tried, run) for tried in look.tried[-1:]]
        else:
            cure = look.tried[-1]
            vain = [(tried, seen) for tried, seen in look.vain if _alike(tried, cure)]
            if vain:
                _keep(found, vain, cure, run)
            look.vain.clear()
    look.last, look.tried = run, []


def _same(one: str, two: str) -> bool:
    """Whether two outputs agree as far as both were shown."""
    a, b = ([x.strip() for x in text.strip().splitlines()] for text in (one, two))
    shown = min(len(a), len(b), LINES)
    return a[:shown] == b[:shown]


def _alike(tried: Run, cure: Run) -> bool:
    """Whether two tries are at the same thing: one program, and a word besides."""
    if tried.command == cure.command:
        return False
    one, two = ({s.program for s in r.parts} for r in (tried, cure))
    words, others = ({w for s in r.parts for w in s.key[1:]} for r in (tried, cure))
    return bool(one & two) and bool(words & others)


def _keep(found: Gathering, vain: Sequence[tuple[Run, Run]], cure: Run, look: Run) -> None:
    session, (tried, seen) = found.session, vain[0]
    shown = seen.output.strip().splitlines()[0].strip()
    claims = [
        Claim(
            "Symptom",
            f"{code(shorten(seen.command, 120))} printed {code(shorten(shown, 120))} as before, though "
            f"{code(shorten(tried.command, 160))} had ended well.",
            cite(session, tried.turn, seen.turn, seen.until),
        ),
        Claim("Cure", code(shorten(cure.command, 200)), cite(session, cure.turn)),
        Claim("Cure", f"Then {code(shorten(look.command, 120))} printed what was new.", cite(session, look.turn)),
    ]
    others = {t.command: (t, s) for t, s in vain}
    for other, after in list(others.values())[:4]:
        text = f"{code(shorten(other.command, 160))}: it ended well, and nothing was new."
        claims.append(Claim("Avoid", text, cite(session, other.turn, after.turn)))
    if found.refuses(" ".join(c.text for c in claims)):
        return
    program = cure.parts[-1].program
    found.records.append(
        draft(
            session,
            RecordType.FAILURE,
            f"{shorten(tried.command, 44)} changes nothing; use {cure.command}",
            f"It ends well, and {shorten(look.command, 60)} still shows the old state.",
            claims,
            Evidence.TEST_PROVED,
            tags=[program],
            when={"tools": [program]},
            held=gate.held(" ".join(c.text for c in claims if c.section == "Cure")),
        )
    )
