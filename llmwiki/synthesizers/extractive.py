"""The default synthesizer: records found by rules, without a model, in one pass over what happened.

Nothing is inferred: every line of a draft cites the turns that hold its words. Subagents' sessions give a trace only,
since what they report is an agent's word.
"""

from __future__ import annotations

from llmwiki.model import RecordType, Session
from llmwiki.synthesizers import (
    explained,
    facts,
    failures,
    gate,
    hollow,
    preferences,
    reported,
    skills,
    strategies,
    trace,
    undone,
    vain,
)
from llmwiki.synthesizers.base import Ask, Drafts, Gathering, Verdict
from llmwiki.synthesizers.events import events
from llmwiki.synthesizers.folding import folded


def synthesize(session: Session, verdict: Verdict, ask: Ask | None = None) -> Drafts:
    """The lessons of one session, its trace last. Pure; linear in the session's size; `ask` is not used."""
    asked = trace.goal(session)
    found = Gathering(session, gate.own_words(asked.text) if asked else "")
    happened = events(session)
    if session.kind != "subagent":
        preferences.gather(found)
        watch = failures.gather(found, happened)
        reported.gather(found, happened, watch.uncured)
        explained.gather(found, happened)
        vain.gather(found, happened)
        hollow.gather(found, happened)
        facts.gather(found, happened)
        skills.gather(found, happened, verdict)
        strategies.gather(found, happened, verdict)
        undone.sift(found, happened)
        failures.sift(found)
    lessons = folded(found.records)
    trace.gather(found, happened, verdict)
    traces = [r for r in found.records if r.type is RecordType.TRACE]
    return Drafts((*lessons, *traces), dict(sorted(found.refused.items())))
