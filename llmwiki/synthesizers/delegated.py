"""The agent that runs anyway does the reading: it is given a request, and its answer is checked like a model's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from llmwiki import template
from llmwiki.errors import WikiError
from llmwiki.model import Session
from llmwiki.synthesizers import proposed
from llmwiki.synthesizers.base import Ask, Drafts, Verdict

TEMPLATE = "synthesize.md.j2"
LARGEST = 1_000_000  # characters of an answer
TRIES = 200  # places at which JSON is looked for in an answer
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*(?:json|jsonc|JSON)?[ \t]*\n(.*?)^[ \t]*\1[ \t]*$", re.S | re.M)
AGAIN = "answer with one JSON object that has `records`"


def synthesize(session: Session, verdict: Verdict, ask: Ask | None = None) -> Drafts:
    """What is known before the agent has answered: the drafts of the rules."""
    return proposed.known(session, verdict)


def request(session: Session, verdict: Verdict, text: str, raw: str) -> str:
    """What the agent is told: which page to read (`raw`, its path in the wiki) and the JSON to answer with.

    `text` is the template. Raises WikiError for a subagent's session, which teaches nothing by itself.
    """
    _taught(session)
    kinds = proposed.told(proposed.kinds(verdict))
    return template.fill(
        text,
        TEMPLATE,
        raw=raw,
        session=session.id,
        turns=len(session.turns),
        anchor=next((t.anchor for t in session.turns if t.role == "user"), "t1"),
        kinds=[{"name": name, "says": says, "needed": needed} for name, says, needed in kinds],
        most=proposed.MOST,
        title=proposed.TITLE,
        line=proposed.LINE,
        claims=proposed.CLAIMS,
        cites=proposed.CITES,
    )


def complete(session: Session, verdict: Verdict, text: str) -> Drafts:
    """The drafts that an answer gives, those of the rules included.

    Raises WikiError that says what is wrong when the answer has not the form that was asked for.
    """
    _taught(session)
    try:
        proposals = proposed.form(answered(text))
    except ValueError as cause:
        raise WikiError(f"the answer for {session.stem} does not fit: {cause}; {AGAIN}") from cause
    return proposed.joined(session, verdict, proposed.known(session, verdict), proposals)


def _taught(session: Session) -> None:
    if not proposed.teaches(session):
        raise WikiError(f"{session.stem} is part of another session and teaches nothing by itself; name its parent")


def answered(text: str) -> Any:
    """The JSON of an answer: alone, in a fence, or with words around it. Raises ValueError when there is none."""
    if not text.strip():
        raise ValueError("it is empty")
    if len(text) > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} characters")
    wrong = ""
    for piece in (text.strip().removeprefix("\ufeff"), *(m[2] for m in _FENCE.finditer(text))):
        try:
            found = json.loads(piece)
        except (ValueError, RecursionError) as cause:
            wrong = str(cause) if piece.lstrip()[:1] in ("{", "[") else wrong
            continue
        if _is_answer(found):
            return found
        wrong = "its JSON has no `records`"
    last = list(_within(text))[-1:]
    if last:
        return last[0]
    raise ValueError(wrong or "it holds no JSON")


def _within(text: str) -> Iterator[Any]:
    """Every answer that stands among words, in order."""
    decoder = json.JSONDecoder()
    at, tries = text.find("{"), 0
    while at >= 0 and tries < TRIES:
        tries += 1
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if _is_answer(found):
                yield found
        at = text.find("{", end)


def _is_answer(found: Any) -> bool:
    return "records" in found if isinstance(found, dict) else isinstance(found, list)
