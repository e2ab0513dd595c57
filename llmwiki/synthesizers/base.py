"""What every synthesizer takes and returns: a session with its verdict in, drafts of records out.

A synthesizer is a module with `synthesize(session, verdict, ask=None) -> Drafts`. It is pure: one session, one
answer. `ask(prompt, schema) -> value` is the seam for a model: it returns a value that fits the JSON schema, or
raises WikiError; the extractive synthesizer never calls it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from llmwiki import names, prose
from llmwiki.model import Cite, Claim, Evidence, Record, RecordType, Session, State, Turn
from llmwiki.schema import CONFIDENCE, TYPES, starts_as
from llmwiki.synthesizers import gate

Ask = Callable[[str, Mapping[str, Any]], Any]
TITLE = 110  # characters: an error and its cure, or a rule with its reason, fit; more is no title


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a session ended: 0–5 or None when nothing tells, by whom (user, checks, commits, feedback), and the turns."""

    score: float | None = None
    score_by: str = ""
    evidence: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Drafts:
    """Records that nobody has merged yet, in the order in which they were learned, and what was refused, by reason."""

    records: tuple[Record, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Gathering:
    """What one pass over a session collects: drafts, and a count of refusals by reason."""

    session: Session
    goal: str = ""  # the words of the prompt that says what the session is for
    records: list[Record] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    agreed: int = 0  # rules that the agent proposed and the user agreed to

    _order: dict[str, int] = field(default_factory=dict)

    def refuse(self, reason: str) -> None:
        self.refused[reason] += 1

    def refuses(self, text: str) -> bool:
        """Whether a text may be no lesson at all; that is counted."""
        if reason := gate.refusal(text):
            self.refuse(reason)
        return bool(reason)

    @property
    def order(self) -> dict[str, int]:
        """Anchor -> place of the turn in the session."""
        if not self._order:
            self._order.update({t.anchor: i for i, t in enumerate(self.session.turns)})
        return self._order


def cite(session: Session, *turns: Turn) -> tuple[Cite, ...]:
    """The turns as citations, in order and once each."""
    return tuple(dict.fromkeys(Cite(session.stem, turn.anchor) for turn in turns))


def shorten(text: str, limit: int = TITLE) -> str:
    """One line of at most `limit` characters, cut between words, with an ellipsis when something is missing.

    >>> shorten("one two three", 9)
    'one two…'
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip(" ,;:.-–—(") + "…"


def named(text: str) -> list[str]:
    """What a text names, as tags: code, files, identifiers; at most three."""
    words = [w.strip("`@") for w in re.findall(r"`[^`\s]+`|@?\b[\w.-]{1,80}\.\w{2,4}\b|\b\w+_\w+\b", text)]
    return [w for w in dict.fromkeys(words) if 2 < len(w) <= 40][:3]


def waits(kind: RecordType, claims: Sequence[Claim], evidence: Evidence) -> str:
    """Why a record waits for a person whatever its makers thought: what is always held stands in it, or an output
    that it quotes lays down a rule. Traces tell what happened and advise nobody."""
    if kind is RecordType.TRACE:
        return ""
    text = "\n".join(prose.plain(c.text) for c in claims)
    ruled = any(_RULE.search(text) for text in _unfollowed(claims))
    rules = evidence is not Evidence.USER_SAID and (gate.rules(text) or ruled)
    return gate.held(text) or ("the rule in it stands in an output alone; confirm it" if rules else "")


def _unfollowed(claims: Sequence[Claim]) -> set[str]:
    """What a program advised and nobody did: whether that is good is not known."""
    done = gate.distinctive(" ".join(c.text for c in claims if c.section == "Cure"))
    hints = {c.text: gate.distinctive(c.text.removeprefix(HINT)) for c in claims if c.text.startswith(HINT)}
    return {text for text, words in hints.items() if len(words & done) * 2 < len(words)}


def _followed(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims without advice that nobody followed. A rule that a program laid down stays, and its record waits."""
    unfollowed = {text for text in _unfollowed(claims) if _ADVICE.search(text) and not _RULE.search(text)}
    return tuple(c for c in claims if c.text not in unfollowed)


HINT = "The output goes on: "
_ADVICE, _RULE = re.compile(r"\b(?:use|try|run|install|you can)\b", re.I), re.compile(r"\b(?:should|must)\b", re.I)


def draft(
    session: Session,
    kind: RecordType,
    title: str,
    description: str,
    claims: Iterable[Claim],
    evidence: Evidence,
    *,
    tags: Sequence[str] = (),
    when: Mapping[str, Any] | None = None,
    held: str = "",
) -> Record:
    """A record with its body, id, dates and first confidence; `held` is the reason to wait for a person, if any."""
    claims = _followed(tuple(claims))
    held = held or waits(kind, claims, evidence)
    sections: dict[str, list[Claim]] = {name: [] for name in TYPES[kind].sections}
    for claim in claims:
        sections[claim.section].append(claim)
    anchors = [c.anchor for claim in claims for c in claim.cites if c.anchor]
    times = {turn.anchor: turn.at for turn in session.turns}
    title = shorten(title)
    return Record(
        id=names.record_id(title, session.agent, session.id, anchors[0] if anchors else ""),
        type=kind,
        title=title,
        description=shorten(description, 200),
        state=State.QUARANTINED if held else starts_as(kind, evidence),
        confidence=CONFIDENCE[evidence],
        project=session.project or None,
        tags=tuple(dict.fromkeys(tags)),
        created=max((times.get(a, "") for a in anchors), default="") or session.ended or session.started,
        quarantine_until=None if held else "",
        ttl_days=TYPES[kind].ttl_days,
        evidence=evidence,
        sources=(str(Cite(session.stem)),),
        reason=held,
        when=dict(when or {}),
        body=prose.body({name: lines for name, lines in sections.items() if lines}),
    )
