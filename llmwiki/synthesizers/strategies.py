"""Strategies: plans that the user approved or laid down, with their outcome. Only sessions that ended well teach them.

A plan is approved in plan mode, by a bare yes to a numbered list of the agent's, or it is the user's own order of work
in a prompt. Its phases are taken as they stand; the outcome is the last check that passed and the commit that followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llmwiki.model import Claim, Evidence, RecordType, Turn
from llmwiki.prose import code, inert
from llmwiki.schema import LIFECYCLE
from llmwiki.synthesizers import causes, gate, phrases
from llmwiki.synthesizers.base import Gathering, Verdict, cite, draft, shorten
from llmwiki.synthesizers.checks import PASSED, kind_of
from llmwiki.synthesizers.events import Event, Run, Said

LEAST, MOST = 3, 8  # phases of a plan worth a page
_HEADING = re.compile(r"^#{2,4}\s+(.+)$", re.M)
_STEPPED = re.compile(r"^#{2,4}\s+(?:(?:step|phase|part)\s+)?\d{1,2}[.):]?\s+(.+)$", re.M | re.I)
_NUMBERED = re.compile(
    r"^\s{0,3}(?:#{2,4}\s+)?(?:(?:step|phase|schritt|étape|paso)\s+)?\d{1,2}[.):]\s+(.+)$", re.M | re.I
)
_ITEM = re.compile(r"^\s{0,3}[-*•]\s+(?:\[.\]\s+)?(.+)$", re.M)
_ASIDE = re.compile(
    r"^\W*(?:overview|summary|context|goal|background|problem|solution|motivation|files?\b.*|notes?|"
    r"references?|open questions|"
    r"risks?|out of scope|verification|estimated.*|current state.*|implementation|plan|steps?|phases?|"
    r"changes?|approach)\W*$",
    re.I,
)
_SEQUENCE = re.compile(
    r"\b(?:first|then|next|finally|lastly|afterwards|once|when (?:all|their|that|they|it|this)|after (?:that|"
    r"this|all)|"
    r"the (?:second|third|last|next) step|before (?:that|this))\b|首先|然后|最后|接着|まず|次に|最後に"
    r"|\b(?:zuerst|dann|danach|zuletzt|sobald|d'abord|ensuite|puis|enfin|primero|luego|después|finalmente)\b",
    re.I,
)
_COMMIT = re.compile(r"^\[([^\]\n ]+) ([0-9a-f]{7,40})\] (.*)$", re.M)


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan: the turn that holds it, its phases, what it is for, and the turn that approved it."""

    turn: Turn
    phases: tuple[str, ...]
    goal: str
    asked: Turn | None
    approved: Turn | None
    evidence: Evidence
    own: bool = False  # the user's own order of work


def gather(found: Gathering, happened: Sequence[Event], verdict: Verdict) -> None:
    """Adds the plans of a session that ended well."""
    if verdict.score is None or verdict.score < LIFECYCLE["good_score"]:
        return
    plans = list(_plans(found.session.turns))
    order = {t.anchor: i for i, t in enumerate(found.session.turns)}
    for n, plan in enumerate(plans):
        first, end = order[plan.turn.anchor], order[plans[n + 1].turn.anchor] if n + 1 < len(plans) else len(order)
        during = [e for e in happened if first < order[e.turn.anchor] < end]
        if _contradicted(during):
            found.refuse("discarded")
        else:
            _keep(found, plan, [e for e in during if isinstance(e, Run)])


def _contradicted(during: Sequence[Event]) -> bool:
    """Whether the user found something broken after the last check or commit that would prove a plan."""
    proofs = [n for n, e in enumerate(during) if isinstance(e, Run) and e.ok and _shows(e)]
    return bool(proofs) and any(isinstance(e, Said) and causes.reports(e.turn) for e in during[proofs[-1] :])


def _shows(run: Run) -> bool:
    return any(map(kind_of, run.parts)) or _COMMIT.search(run.output) is not None


def _plans(turns: Sequence[Turn]) -> Iterator[Plan]:
    prompt: Turn | None = None
    said: Turn | None = None
    for turn in turns:
        if turn.role == "assistant" and turn.text.strip():
            said = turn
        elif turn.role == "user" and turn.origin == "plan":
            if len(phases := _phases(turn.text)) >= LEAST:
                yield Plan(turn, phases, _heading(turn.text), prompt, None, Evidence.INFERRED)
        elif turn.role == "user" and turn.origin in ("typed", "queued"):
            words = gate.own_words(turn.text).strip()
            if said is not None and (phrases.ASSENT.match(words) or _agrees(words)):
                steps = tuple(s for s in map(_line, _NUMBERED.findall(said.text)) if not _OFFER.match(s))[:MOST]
                if len(steps) >= LEAST:
                    yield Plan(said, steps, "", prompt, turn, Evidence.INFERRED)
                continue
            if len(steps := _order(turn)) >= LEAST:
                yield Plan(turn, steps, "", None, None, Evidence.USER_SAID, own=True)
            prompt, said = turn, None


_AGREES = re.compile(
    r"^\W*(?:yes|yep|yeah|ok(?:ay)?|good|great|perfect|sounds good|lgtm|go(?: ahead)?|do it|agreed|fine|sure|"
    r"ja|oui|sí|vale|"
    r"可以|好的?|行|はい|いいね|それで)(?:\b|(?=[，。、]))[\s,.!，。、:;–-]*",
    re.I,
)


_OFFER = re.compile(  # what the agent would do for the user is an offer, no phase of the work
    r"(?:help|let|show|tell|give|ask|guide|walk|explain) (?:you|me)\b|(?:dir|ihnen) \w+|t'aider|ayudarte|帮(?:你|您)",
    re.I,
)


def _agrees(words: str) -> bool:
    """Whether words begin with a yes and go on with what to do first: no question, no "but"."""
    return bool(
        (found := _AGREES.match(words))
        and len(words) <= 300
        and not phrases.QUESTION.search(words)
        and not re.match(r"(?:but|aber|mais|pero|wait|no)\b", words[found.end() :], re.I)
    )


def _phases(plan: str) -> tuple[str, ...]:
    """The phases of a written plan: its numbered headings, else its numbered steps, its headings, its items."""
    text = re.sub(r"^(```|~~~).*?^\1", "", plan, flags=re.S | re.M)
    for pattern in (_STEPPED, _NUMBERED, _HEADING, _ITEM):
        lines = [_line(x) for x in pattern.findall(text) if not _ASIDE.match(_line(x))]
        if len(lines) >= LEAST:
            return tuple(dict.fromkeys(lines))[:MOST]
    return ()


def _line(text: str) -> str:
    return shorten(re.sub(r"\*\*|__|^\d+[.)]\s+", "", text).strip(), 240)


def _heading(plan: str) -> str:
    """What a plan calls itself."""
    first = re.search(r"^#\s+(.+)$", plan, re.M)
    return re.sub(r"^(?:implementation )?plan\s*(?:[:–—-]|for|to)\s*", "", _line(first[1]), flags=re.I) if first else ""


def _order(turn: Turn) -> tuple[str, ...]:
    """The steps of a prompt that lays down an order of work."""
    if gate.template(turn.text):
        return ()
    said = gate.sentences(gate.own_words(turn.text))
    steps = [s for s in said if _SEQUENCE.search(s) and not phrases.QUESTION.search(s) and len(s.split()) >= 6]
    return tuple(shorten(s, 400) for s in steps[:MOST])


def _keep(found: Gathering, plan: Plan, runs: Sequence[Run]) -> None:
    session = found.session
    goal = _first(plan.asked)
    text = " ".join(plan.phases)
    if not plan.own and gate.one_off(text, f"{goal} {plan.asked.text[:600] if plan.asked else ''}"):
        found.refuse("one-off")
        return
    claims = [Claim("Goal", f'"{inert(goal)}"', cite(session, plan.asked))] if plan.asked and goal else []
    if plan.goal:
        claims.append(Claim("Goal", inert(plan.goal), cite(session, plan.turn)))
    if not claims:
        claims = [Claim("Goal", f'"{inert(_first(plan.turn))}"', cite(session, plan.turn))]
    claims += [Claim("Phases", inert(phase), cite(session, plan.turn)) for phase in plan.phases]
    claims += _carried(found, plan, runs)
    if not any(c.section == "Why" for c in claims):
        return  # a plan of which nobody knows how it went teaches nothing
    if found.refuses(" ".join(c.text for c in claims)):
        return
    found.records.append(
        draft(
            session,
            RecordType.STRATEGY,
            _named(plan),
            "The user's own order of work, carried out." if plan.own else "A plan that the user approved, carried out.",
            claims,
            plan.evidence,
            held=gate.held(" ".join(c.text for c in claims)),
        )
    )


def _named(plan: Plan) -> str:
    """What the plan is called: by itself, by the user whose plan it is, else by how it goes."""
    if plan.own:  # its step that is most a step
        return shorten(max(plan.phases, key=lambda p: (len(_SEQUENCE.findall(p)), -len(p))), 120)
    if plan.goal:
        return plan.goal
    return "; ".join(shorten(p, 60) for p in plan.phases[:3])


def _first(turn: Turn | None) -> str:
    """The sentence of a prompt that says most of what it wants."""
    said = gate.sentences(gate.own_words(turn.text)) if turn is not None else []
    return shorten(max(said[:3], key=lambda s: min(len(s), 160), default=""), 240)


def _carried(found: Gathering, plan: Plan, runs: Sequence[Run]) -> Iterator[Claim]:
    """How it went: commands that did the work where the user laid it down, the check at the end, the commit."""
    session = found.session
    if plan.own:
        for run in list({r.parts[0].key[:2]: r for r in runs if _works(r)}.values())[:3]:
            yield Claim("Phases", f"Done with {code(shorten(run.command, 200))}.", cite(session, run.turn))
    if plan.approved is not None:
        yield Claim("Why", f'The user agreed: "{inert(shorten(plan.approved.text, 80))}"', cite(session, plan.approved))
    checks = [(r, seen) for r in runs if r.ok and any(map(kind_of, r.parts)) and (seen := PASSED.search(r.output))]
    tests = [(r, seen) for r, seen in checks if any(kind_of(s) == "test" for s in r.parts)]
    for run, _ in (tests or checks)[-1:]:
        last = [*PASSED.finditer(run.output)][-1][0]
        ended = f"At the end {code(shorten(run.command, 120))} showed {code(shorten(last.strip(' ='), 100))}."
        yield Claim("Why", ended, cite(session, run.turn, run.until))
    passed = [r for r in runs if r.ok and any(map(kind_of, r.parts))]
    if passed and not checks:
        run = passed[-1]
        yield Claim("Why", f"At the end {code(shorten(run.command, 120))} passed.", cite(session, run.turn))
    commits = [(r, m) for r in runs if r.ok and (m := _COMMIT.search(r.output))]
    for run, commit in commits[:1] + commits[1:][-1:]:
        yield Claim("Why", f"Committed as {code(commit[2])}: {code(shorten(commit[3], 120))}.", cite(session, run.turn))
    merges = [r for r in runs if r.ok and "merge" in r.command and re.search(r"Merge made by .*", r.output)]
    for run in merges[-1:]:
        made = re.search(r"Merge made by .*", run.output)
        assert made is not None
        yield Claim(
            "Why", f"{code(shorten(run.command, 120))} ended with {code(made[0][:80])}.", cite(session, run.turn)
        )


def _works(run: Run) -> bool:
    """Whether a run did a part of the work that can be told in a line: no look, no check, no script."""
    return bool(
        run.ok
        and run.parts
        and not any(s.reads or kind_of(s) for s in run.parts[:1])
        and len(run.parts) <= 3
        and not re.search(r"[\n;]|^for |^while ", run.command)
    )
