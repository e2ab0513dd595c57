"""Causes for failures that are told already: what the agent said of the same error or change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from llmwiki.model import Claim, Record, RecordType
from llmwiki.prose import body, claims, inert
from llmwiki.synthesizers import causes
from llmwiki.synthesizers.base import Gathering, cite, shorten
from llmwiki.synthesizers.folding import anchors, combined


def join(found: Gathering, at: int, record: Record) -> None:
    """Gives the cause to a failure that tells of the same change and of none yet; not one that waits for a person."""
    if record.reason:
        return
    told = [c for c in claims(record.body) if c.section == "Cause"]
    if "## Cause" not in found.records[at].body:
        found.records[at] = _with_causes(found.records[at], told)


def _with_causes(known: Record, told: Sequence[Claim]) -> Record:
    return combined(known, replace(known, when={}, tags=(), body=body({"Cause": list(told)})), 2)


def attach(found: Gathering) -> dict[str, int]:
    """Errors that the user reported get what the agent gave as their cause before the change that ended them. Gives
    back the turns of all cures, with the place of the record that each belongs to."""
    session = found.session
    cured: dict[str, int] = {}
    order = found.order
    for at, known in enumerate(found.records):
        if known.type is not RecordType.FAILURE or "## Cure" not in known.body:
            continue
        cured.update(dict.fromkeys(anchors(known, "Cure"), at))
        if "## Cause" in known.body:
            continue
        first = max((order.get(a, 0) for a in anchors(known, "Symptom")), default=0)
        last = min((order.get(a, 0) for a in anchors(known, "Cure")), default=0)
        if last > first:
            _, told = causes.given(session, first, last)
            lines = [Claim("Cause", inert(shorten(s, 400)), cite(session, t)) for t, s in told]
            found.records[at] = _with_causes(known, lines) if lines else known
    return cured
