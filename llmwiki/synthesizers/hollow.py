"""Checks that are green because they ran nothing, with the call that really ran them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmwiki.model import Claim, Evidence, RecordType
from llmwiki.prose import code
from llmwiki.synthesizers import gate, weakened
from llmwiki.synthesizers.base import Gathering, cite, draft, shorten
from llmwiki.synthesizers.checks import kind_of
from llmwiki.synthesizers.events import Edit, Event, Run

_NOTHING = re.compile(  # how runners say that there was nothing to run
    r"[tT]est NO-SOURCE$|\bno tests (?:ran|found|to run|were (?:found|run|executed))\b|"
    r"\b(?:ran|executed|running) 0 tests?\b|\b0 tests? (?:ran|found|executed|collected)\b",
    re.M | re.I,
)
_SOMETHING = re.compile(
    r"\b[1-9]\d{0,6} (?:passed|passing|failed|failing|tests?)\b|\bPASSED$|^ok +\S+|^--- PASS|"
    r"^> Task \S{0,200}test$",
    re.M | re.I,
)


def gather(found: Gathering, happened: Sequence[Event]) -> None:
    """Adds the test runs that ended well over nothing, each with the call of the same program that ran something."""
    hollow: dict[str, Run] = {}
    for event in happened:
        if isinstance(event, Edit):
            hollow.clear()  # what runs next may be what was written just now
        elif isinstance(event, Run) and event.ok:
            for call in event.parts:
                if kind_of(call) == "test" or re.search(r"test", " ".join(call.key[1:]), re.I):
                    _test(found, hollow, call.program, event)


def _test(found: Gathering, hollow: dict[str, Run], program: str, run: Run) -> None:
    ran = _SOMETHING.search(run.output)
    if ran and program in hollow:
        first = hollow.pop(program)
        if not weakened.weaker(first, run) and first.command != run.command:
            _keep(found, first, run)
    elif not ran and _NOTHING.search(run.output):
        hollow[program] = run


def _keep(found: Gathering, first: Run, run: Run) -> None:
    session = found.session
    line = next((x.strip() for x in first.output.splitlines() if _NOTHING.search(x)), "")
    claims = [
        Claim(
            "Symptom",
            f"{code(shorten(first.command, 160))} ended well and ran no test: {code(shorten(line, 120))}.",
            cite(session, first.turn, first.until),
        ),
        Claim("Cure", code(shorten(run.command, 200)), cite(session, run.turn, run.until)),
    ]
    if found.refuses(" ".join(c.text for c in claims)):
        return
    found.records.append(
        draft(
            session,
            RecordType.FAILURE,
            f"{shorten(first.command, 60)} is green and runs no test; use {run.command}",
            "A check that ended well over nothing, and the call that ran the tests.",
            claims,
            Evidence.TEST_PROVED,
            tags=[run.parts[-1].program],
            held=gate.held(run.command),
        )
    )
