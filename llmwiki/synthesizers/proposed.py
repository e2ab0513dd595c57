"""Records that a model or an agent proposes: the form of an answer, and what of it may become a draft.

One door for both. What comes in is text that somebody wrote who may have been talked into it by the session, so that
nothing of it is believed: the form, the sections, the citations, the words, the duplicates and the advice are checked
here, everything starts in quarantine, and `synthesize.merge` verifies each line again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from llmwiki import prose, registry, similar
from llmwiki.errors import WikiError
from llmwiki.model import Cite, Claim, Evidence, Record, RecordType, Session, State, Turn
from llmwiki.redact import Redactor
from llmwiki.schema import LIFECYCLE, TYPES
from llmwiki.synthesizers import SYNTHESIZERS, gate, phrases, trace
from llmwiki.synthesizers.base import Drafts, Verdict, draft, shorten
from llmwiki.synthesizers.grounds import NAMED, Grounds, bare_quote, directs, turned
from llmwiki.synthesizers.weighing import STANDING
from llmwiki.verify import tokens

MOST = 12  # records that one session may be given in this way; a page is read by people
TITLE, DESCRIPTION, LINE = 90, 160, 300  # characters
CLAIMS, CITES = 6, 4
LONGEST = 2 * LINE  # an agent is not held to the schema by a grammar: what is a little longer is still read
UNCONFIRMED = "advice that no person gave; confirm that it is wanted"
UNRULED = "nothing in the user's words says that it is a rule; confirm that it is one"
# Sections without which a record says nothing.
NEEDED: Mapping[RecordType, tuple[str, ...]] = {
    RecordType.PREFERENCE: ("Rule", "Said"),
    RecordType.FAILURE: ("Symptom", "Cure"),
    RecordType.FACT: ("Statement",),
    RecordType.SKILL: ("When", "Steps"),
    RecordType.STRATEGY: ("Goal", "Phases"),
}
# What each type is for and what goes into its sections, in words for whoever reads.
SAYS: Mapping[RecordType, str] = {
    RecordType.PREFERENCE: "a rule of the user that outlives this task. Rule: the rule, in the user's language; Said: "
    "the user's exact words",
    RecordType.FAILURE: "what went wrong and what cured it. Symptom: the error as it stood; Cause; Cure: what "
    "was done; Avoid",
    RecordType.FACT: "what is so in this project and an output proves. Statement: the fact; Evidence: the output",
    RecordType.SKILL: "how to do a thing here again. When; Steps: commands that were run; Checks; Pitfalls",
    RecordType.STRATEGY: "a plan that worked for a kind of goal. Goal; Phases; Why",
}
_NARRATION = re.compile(r"^\W*(?:(?:the )?(?:user|agent|assistant|model|session)|I|we)\b(?!')", re.I)
_ANCHOR = re.compile(r"(?:\[\[(?P<stem>[^\[\]#|]+)#)?\^?(?P<anchor>t\d+(?:-\d+)?)(?:\]\])?")


class Line(msgspec.Struct):
    """One proposed claim."""

    section: str
    text: str
    cites: list[str]


class Proposal(msgspec.Struct):
    """One proposed record."""

    type: str
    title: str
    claims: list[Line]
    description: str = ""


class Answer(msgspec.Struct):
    """What a model or an agent answers."""

    records: list[Proposal]


# -- the question


def teaches(session: Session) -> bool:
    """Whether lessons are looked for in a session: a subagent's gives a trace only, its report is an agent's word."""
    return session.kind != "subagent"


def kinds(verdict: Verdict) -> tuple[RecordType, ...]:
    """The types that a session of this verdict may teach: skills and strategies only when it ended well."""
    well = verdict.score is not None and verdict.score >= LIFECYCLE["good_score"]
    return tuple(NEEDED) if well else tuple(NEEDED)[:3]


def schema(allowed: Sequence[RecordType], anchors: Sequence[str], most: int, claims: int, line: int) -> dict[str, Any]:
    """The JSON schema of an answer over turns of these anchors: `most` records of `claims` lines of `line` characters.

    Everything is bounded: a small model loops.
    """
    sections = sorted({name for kind in allowed for name in TYPES[kind].sections})
    claim = _object(
        section={"type": "string", "enum": sections},
        text={"type": "string", "maxLength": line},
        cites={"type": "array", "items": {"type": "string", "enum": list(anchors)}, "minItems": 1, "maxItems": 2},
    )
    record = _object(
        type={"type": "string", "enum": [kind.value for kind in allowed]},
        title={"type": "string", "maxLength": TITLE},
        claims={"type": "array", "items": claim, "minItems": 1, "maxItems": claims},
    )
    return _object(records={"type": "array", "items": record, "maxItems": most})


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def told(allowed: Iterable[RecordType]) -> list[tuple[str, str, str]]:
    """For each type its name, what it is for, and the sections that it needs, in words."""
    return [(kind.value, SAYS[kind], " and ".join(NEEDED[kind])) for kind in allowed]


def form(value: Any) -> list[Proposal]:
    """The proposals of an answer. Raises ValueError that says what does not fit, and where."""
    if isinstance(value, list):
        value = {"records": value}
    try:
        return msgspec.convert(value, Answer).records
    except msgspec.ValidationError as cause:
        raise ValueError(str(cause)) from cause


# -- the answer


def known(session: Session, verdict: Verdict) -> Drafts:
    """What the rules find without any model: it goes before everything that is proposed."""
    found = registry.load("synthesizers", SYNTHESIZERS, "extractive").synthesize(session, verdict)
    if not isinstance(found, Drafts):
        raise WikiError("the extractive synthesizer gave no drafts; remove the package that replaces it")
    return found


def joined(
    session: Session, verdict: Verdict, base: Drafts, proposals: Iterable[Proposal], refused: Mapping[str, int] = {}
) -> Drafts:
    """The drafts of the rules with what holds of the proposals, the trace last. Refusals are counted by reason."""
    count = Counter(base.refused) + Counter(refused)
    lessons = [r for r in base.records if r.type is not RecordType.TRACE]
    traces = [r for r in base.records if r.type is RecordType.TRACE]
    added: list[Record] = []
    reading = _Reading(session, verdict)
    for proposal in proposals:
        found = reading.record(proposal) if len(added) < MOST else "surplus"
        if isinstance(found, Record) and any(similar.same(r, found) for r in (*lessons, *added)):
            found = "duplicate"
        if isinstance(found, Record):
            added.append(found)
        else:
            count[found] += 1
    return Drafts((*lessons, *added, *traces), dict(sorted(count.items())))


class _Reading:
    """Proposals against one session."""

    def __init__(self, session: Session, verdict: Verdict) -> None:
        self.session, self.verdict = session, verdict
        self.grounds = Grounds(session)
        self.allowed = kinds(verdict)
        self.redactor = Redactor()
        asked = trace.goal(session)
        self.goal = gate.own_words(asked.text) if asked else ""

    def record(self, proposal: Proposal) -> Record | str:
        """The draft that a proposal gives, or the reason for which it is refused."""
        kind = next((k for k in NEEDED if k.value == proposal.type), None)
        if kind is None or not proposal.claims:
            return "schema"
        if kind not in self.allowed:
            return "unearned"
        lines = [self._line(kind, line) for line in proposal.claims[: 4 * CLAIMS]]
        claims = list(dict.fromkeys(c for c in lines if isinstance(c, Claim)))
        reasons = [c for c in lines if isinstance(c, str)]
        present = {c.section for c in claims}
        if not self._whole(kind, present):
            return reasons[0] if reasons else "incomplete"
        if kind is RecordType.PREFERENCE and (reason := _no_rule(claims)):
            return reason
        everything = " ".join(prose.plain(c.text) for c in claims)
        if kind in (RecordType.SKILL, RecordType.STRATEGY) and gate.one_off(everything, self.goal):
            return "one-off"
        return self._draft(kind, proposal, claims)

    def _whole(self, kind: RecordType, present: set[str]) -> bool:
        """Whether a record has what it needs. What failed without a cure teaches when the session ended badly."""
        ended_badly = self.verdict.score is not None and self.verdict.score < LIFECYCLE["good_score"]
        if kind is RecordType.FAILURE and ended_badly:
            return "Symptom" in present and len(present) > 1
        return present.issuperset(NEEDED[kind])

    def _line(self, kind: RecordType, line: Line) -> Claim | str:
        """The claim that a line gives, or the reason for which it is none."""
        text = prose.folded(line.text)
        if line.section not in TYPES[kind].sections or not text or len(text) > LONGEST:
            return "schema"
        if reason := self._unfit(text):
            return reason
        turns = self._turns(line.cites)
        if not turns:
            return "unverified"
        if line.section == "Said":
            quote = bare_quote(text)
            held = bool(gate.distinctive(quote)) and self.grounds.quotes(quote, turns)
            return self._claim(line, f'"{prose.inert(quote)}"', turns) if held else "unverified"
        if kind is not RecordType.PREFERENCE and _NARRATION.match(text):
            return "narration"
        claim = self._claim(line, prose.inert(text), turns)
        return claim if self.grounds.stands(kind, claim, turns) else "unverified"

    def _claim(self, line: Line, text: str, turns: Sequence[Turn]) -> Claim:
        return Claim(line.section, text, tuple(Cite(self.session.stem, t.anchor) for t in turns))

    def _unfit(self, text: str) -> str:
        """Why a text may not stand in a page; "" when it may."""
        if self.redactor.find(text):
            return "secret"
        return gate.refusal(text) or ("platitude" if phrases.PLATITUDE.search(text) else "")

    def _turns(self, cites: Sequence[str]) -> list[Turn]:
        """The turns that a line cites, once each; none when any of them is no turn that may be cited."""
        out: dict[str, Turn] = {}
        for cite in cites[: 2 * CITES]:
            match = _ANCHOR.fullmatch(cite.strip())
            turn = self.grounds.turns.get(match["anchor"]) if match else None
            if match is None or turn is None or match["stem"] not in (None, self.session.stem):
                return []
            out[turn.anchor] = turn
        return list(out.values())

    def _draft(self, kind: RecordType, proposal: Proposal, claims: Sequence[Claim]) -> Record:
        anchors = dict.fromkeys(c.anchor for claim in claims for c in claim.cites)
        turns = [self.grounds.turns[anchor] for anchor in anchors]
        held = self._held(kind, claims)
        # A skill is called by what is done: such a title gives orders by its nature, and is the agent's own.
        named = held or (kind is RecordType.SKILL and self.grounds.done(proposal.title, turns))
        title = self._free(proposal.title, turns, named) or prose.plain(claims[0].text)
        if kind is RecordType.PREFERENCE and _against(title, claims):
            title = prose.plain(claims[0].text)
        description = self._free(proposal.description, turns, held)
        order = TYPES[kind].sections
        claims = sorted(claims, key=lambda c: order.index(c.section))
        said = kind is RecordType.PREFERENCE and all(map(self.grounds.own, turns))
        evidence = Evidence.USER_SAID if said else Evidence.INFERRED
        made = draft(self.session, kind, title, description, claims, evidence, held=held)
        return replace(made, state=State.QUARANTINED)

    def _free(self, text: str, turns: Sequence[Turn], ordering: object) -> str:
        """A title or a description, "" when the cited turns do not hold it: it cites nothing, and is read first.

        One that gives orders is kept only when it may (`ordering`), as where a person sees the record first.
        """
        text = shorten(prose.folded(text), DESCRIPTION)
        if not gate.distinctive(text) or self._unfit(text) or not self.grounds.holds(text, turns, NAMED):
            return ""
        alone = Claim("Statement", prose.inert(text), tuple(Cite(self.session.stem, t.anchor) for t in turns))
        if tokens(alone.text) and not self.grounds.stands(RecordType.FACT, alone, turns):
            return ""
        bad = gate.held(text) or (not ordering and self.grounds.advises(RecordType.FACT, alone, turns))
        return "" if bad else text

    def _held(self, kind: RecordType, claims: Sequence[Claim]) -> str:
        """Why a record waits for a person; "" when it may be released by time."""
        reason = next(filter(None, (gate.held(prose.plain(c.text)) for c in claims)), "")
        if reason:
            return reason
        for claim in claims:
            if self.grounds.advises(kind, claim, [self.grounds.turns[c.anchor] for c in claim.cites]):
                return UNCONFIRMED
        quotes = _quotes(claims)
        return UNRULED if quotes and not any(directs(quote) for quote in quotes) else ""


def _no_rule(claims: Sequence[Claim]) -> str:
    """Why a preference is none: the rule turns its quote round, or the quote asks for one piece of work."""
    if any(_against(prose.plain(c.text), claims) for c in claims if c.section == "Rule"):
        return "unverified"
    return "one-off" if all(map(_errand, _quotes(claims))) else ""


def _errand(said: str) -> bool:
    """Whether words of the user are a request, a question, or of the moment, and no standing rule."""
    if phrases.marks(said).keys() & STANDING:
        return False
    asked = (phrases.REQUEST, phrases.QUESTION, phrases.MOMENTARY, phrases.ASSENT)
    return all(any(p.search(sentence) for p in asked) for sentence in gate.sentences(said) or [said])


def _quotes(claims: Sequence[Claim]) -> list[str]:
    return [bare_quote(prose.plain(c.text)) for c in claims if c.section == "Said"]


def _against(text: str, claims: Sequence[Claim]) -> bool:
    return any(turned(text, quote, _rule) for quote in _quotes(claims))


def _rule(text: str) -> Record:
    return Record("rule", RecordType.PREFERENCE, text)
