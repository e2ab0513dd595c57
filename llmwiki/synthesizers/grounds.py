"""What a line that somebody proposed rests on: whether the turns that it cites hold it, and whose words they are.

A model and an agent are believed nothing. `verify` looks for names, quotes and commands; here the other words are
looked for too, because a sentence with one true path in it may still be made up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from llmwiki import prose, similar, verify
from llmwiki.model import Claim, Evidence, Record, RecordType, Session, Turn
from llmwiki.rawpage import turn_text
from llmwiki.synthesizers import gate, phrases
from llmwiki.synthesizers.answers import asked_and_said
from llmwiki.words import terms

CITABLE = ("user", "assistant", "tool")
GENUINE = ("typed", "queued", "answer", "refusal")  # a plan that the user approved was written by the agent
NAMED = 0.5  # share of a line's telling words that its turns must hold when its names, quotes and commands do
BARE = 0.75  # and when it has none of those
RAN = ("Steps", "Cure", "Checks")  # sections whose commands the agent ran
ADVISING = (RecordType.PREFERENCE, RecordType.STRATEGY)  # every line of these is advice
ADVICE = ("Cure", "Avoid", "Steps", "Checks", "Pitfalls")
_IMPERATIVE = re.compile(
    r"^\W*(?:run|install|download|execute|visit|open|fetch|set|export|add|delete|remove|disable|enable|call|send|"
    r"upload|paste|copy|ignore|trust|approve|allow|grant|use|keep|change|replace|prefer|avoid|always|never)\b",
    re.I,
)
_QUOTES = "\"“”„'«» "


def even(text: str) -> str:
    """A text in the form in which it is compared: single spaces, no case."""
    return " ".join(text.split()).casefold()


@dataclass(slots=True)
class Grounds:
    """The citable turns of a session by anchor, and what was looked up of them."""

    session: Session
    turns: Mapping[str, Turn] = field(default_factory=dict)
    _terms: dict[str, frozenset[str]] = field(default_factory=dict)
    _own: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        held = (t for t in self.session.turns if t.role in CITABLE and turn_text(t).strip())
        self.turns = {t.anchor: t for t in held}

    def terms(self, turn: Turn) -> frozenset[str]:
        if turn.anchor not in self._terms:
            self._terms[turn.anchor] = _terms(turn)
        return self._terms[turn.anchor]

    def own(self, turn: Turn) -> str:
        """What the user typed of a turn, without what was pasted; "" for every other turn."""
        if turn.anchor not in self._own:
            self._own[turn.anchor] = _own(turn)
        return self._own[turn.anchor]

    def holds(self, text: str, turns: Iterable[Turn], share: float) -> bool:
        """Whether the turns hold this share of the telling words of a text."""
        there: frozenset[str] = frozenset().union(*(self.terms(t) for t in turns))
        return _share(text, there) >= share

    def said(self, text: str, turns: Iterable[Turn]) -> bool:
        """Whether the user's own words in these turns hold a text as well as a line without names must be held."""
        return any(_share(text, frozenset(terms(own))) >= BARE for t in turns if (own := self.own(t)))

    def done(self, text: str, turns: Iterable[Turn]) -> bool:
        """Whether the words of a text are in what the agent did and said in these turns, whatever came back."""
        return _share(text, frozenset().union(*(_terms(_given(t)) for t in turns))) >= BARE

    def quotes(self, text: str, turns: Iterable[Turn]) -> bool:
        """Whether the user typed exactly this in one of these turns."""
        return any(even(text) in even(self.own(t)) for t in turns)

    def stands(self, kind: RecordType, claim: Claim, turns: Sequence[Turn]) -> bool:
        """Whether a line passes `verify` by itself, and its other words stand in its turns as well."""
        alone = Record("proposed", kind, "", evidence=Evidence.INFERRED, body=prose.body({claim.section: [claim]}))
        status = verify.verify(alone, lambda _, anchor: self.turns.get(anchor)).status
        share = {verify.PASSED: NAMED, verify.UNVERIFIABLE: BARE}.get(status)
        return share is not None and self.holds(prose.plain(claim.text), turns, share)

    def advises(self, kind: RecordType, claim: Claim, turns: Sequence[Turn]) -> bool:
        """Whether a line is advice that neither the user said nor the agent was seen to follow."""
        text = prose.plain(claim.text)
        if kind not in ADVISING and claim.section not in ADVICE and not directs(text):
            return False
        return not self.said(text, turns) and not (claim.section in RAN and _ran(text, turns))


def directs(text: str) -> bool:
    """Whether a line tells somebody what to do."""
    return bool(_IMPERATIVE.match(text) or phrases.REQUEST.match(text) or phrases.marks(text).keys() & _ORDERS)


_ORDERS = {"standing", "prohibition", "contrast", "obligation", "decision", "suggestion", "order"}


def _share(text: str, there: frozenset[str]) -> float:
    telling = gate.distinctive(text)
    return len(telling & there) / len(telling) if telling else float(bool(there))


def _own(turn: Turn) -> str:
    if turn.role != "user" or turn.origin not in GENUINE or gate.template(turn.text):
        return ""
    if turn.origin == "answer" and (pairs := asked_and_said(turn.text)):
        return "\n".join(answer for _, answer in pairs)  # the questions are the agent's
    return gate.own_words(turn.text)


def _ran(text: str, turns: Iterable[Turn]) -> bool:
    """Whether what a line names was given to a tool by the agent, and nobody refused, and its other words are the
    agent's or the user's: one command that ran does not carry what an output said beside it."""
    calls = [_given(t) for t in turns if t.role != "tool" or t.outcome not in ("refused", "lost")]
    given = " ".join(verify.searchable(t) for t in calls if t.role == "tool")
    wanted = verify.tokens(text)
    named = bool(wanted) and all(even(token).replace("\\", "/") in given for token in wanted)
    return named and _share(text, frozenset().union(*map(_terms, calls))) >= BARE


def _terms(turn: Turn) -> frozenset[str]:
    """The terms of a turn: as it stands, because case parts words, and with its arguments decoded."""
    return frozenset(terms(turn_text(turn))) | frozenset(terms(verify.searchable(turn)))


def _given(turn: Turn) -> Turn:
    """The turn without what came back."""
    return replace(turn, result="")


def bare_quote(text: str) -> str:
    """A quotation without the marks around it."""
    return text.strip(_QUOTES)


def turned(rule: str, said: str, about: Callable[[str], Record]) -> bool:
    """Whether a rule says the opposite of the words that it goes back to."""
    return similar.turned(about(rule), about(said))
