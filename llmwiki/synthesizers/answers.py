"""Answers of the user to questions of the agent: each a choice among what was offered, and what was said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from llmwiki.model import Claim, Evidence, RecordType, Turn
from llmwiki.prose import inert, plain
from llmwiki.synthesizers import gate
from llmwiki.synthesizers.base import TITLE, Gathering, cite, draft, named, shorten
from llmwiki.synthesizers.events import arguments
from llmwiki.synthesizers.places import Place

ASKED, SAID = 300, 400  # characters of a question and of an answer that are kept: what is longer was pasted
OFFERED = "a rule that the agent had put into its question; confirm it"
_LETTERED = re.compile(r"^(?:option|choice|variante?|opción) \w{1,2}\s*[:.)–-]\s*", re.I)


def gather(found: Gathering, place: Place, text: str) -> bool:
    """Adds one preference for all answers in a text of `Q:`/`A:` lines; False when it holds none."""
    pairs = asked_and_said(text)
    claims: list[Claim] = []
    titles: list[str] = []
    session, turn = found.session, place.turn
    for question, answer in ((shorten(q, ASKED), shorten(a, SAID)) for q, a in pairs):
        if found.refuses(question + answer):
            continue
        header, offered = _offer(place.before, question, answer)
        rule = f"{question.rstrip('?？ ')}: {answer}" + (f" ({offered})" if offered else "")
        claims.append(Claim("Rule", inert(rule), cite(session, turn, *place.before)))
        claims.append(Claim("Said", f'"{inert(answer)}" (asked: "{inert(question)}")', cite(session, turn)))
        titles.append(_title(header or question, answer, offered, TITLE // len(pairs)))
    if claims:
        _add(found, claims, "; ".join(titles))
    return bool(pairs)


def asked_and_said(text: str) -> list[tuple[str, str]]:
    """Each question with its answer, of a text of `Q: …` and `A: …` lines; a question without an answer is left out.

    >>> asked_and_said("Q: Which?\\nA: This one\\nQ: When?\\nA: Now\\nNote: soon")
    [('Which?', 'This one'), ('When?', 'Now')]
    """
    parts = (part.partition("\nA: ") for part in re.split(r"^Q: ", text, flags=re.M)[1:])
    pairs = ((question, said.split("\nNote: ", 1)[0].removesuffix("\n")) for question, _, said in parts)
    return [(question, answer) for question, answer in pairs if question and answer]


def _add(found: Gathering, claims: Sequence[Claim], title: str) -> None:
    text = " ".join(plain(c.text) for c in claims if c.section == "Rule")
    described = "answers to questions" if len(claims) > 2 else "answer to a question"
    record = draft(
        found.session,
        RecordType.PREFERENCE,
        title,
        f"The user's {described} of the agent.",
        claims,
        Evidence.USER_SAID,
        tags=named(text),
        held=gate.held(text) or (OFFERED if gate.rules(text) else ""),
    )
    found.records.append(record)


def _title(asked: str, answer: str, offered: str, room: int) -> str:
    """What was asked and the answer in one line of at most `room` characters: the answer is the lesson, so that it is
    the question that is cut. What the agent said of the answer stands behind it where it fits."""
    answer = _LETTERED.sub("", " ".join(answer.split()))
    line = f"{shorten(asked.rstrip('?？ '), max(room - len(answer) - 2, 20))}: {answer}"
    whole = f"{line} ({offered})"
    return whole if offered and len(whole) <= room else line


def _offer(before: Sequence[Turn], question: str, answer: str) -> tuple[str, str]:
    """What the agent called its question, and what it had written beside the option that the user took; "" for none."""
    header = offered = ""
    for asked in (q for t in before if t.role == "tool" for q in _questions(t)):
        if shorten(str(asked.get("question", "")), ASKED).strip("?？ ") == question.strip("?？ "):
            header = str(asked.get("header") or "")
        for option in asked.get("options") or ():
            if isinstance(option, dict) and option.get("label") == answer and not offered:
                offered = str(option.get("description", ""))[:200]
    return header, offered


def _questions(turn: Turn) -> Iterator[Mapping[str, Any]]:
    yield from (q for q in arguments(turn).get("questions") or () if isinstance(q, dict))
