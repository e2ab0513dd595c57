"""Preferences: rules and decisions in the user's words, from the surest place to the least sure.

Reasons at refused calls, what follows an interruption, answers to the agent's questions, corrections, stated rules, and
what the user changed behind the agent's back. A sentence is weighed by its marks (`phrases.MARKS`) and by its place;
two points make it a rule.
"""

from __future__ import annotations

import re

from llmwiki.model import Claim, Evidence, RecordType, Turn
from llmwiki.prose import code, inert
from llmwiki.synthesizers import answers, gate, mood, phrases
from llmwiki.synthesizers.base import TITLE, Gathering, cite, draft, named, shorten
from llmwiki.synthesizers.events import arguments, is_shell
from llmwiki.synthesizers.places import Place, behind, places
from llmwiki.synthesizers.shell import simples
from llmwiki.synthesizers.weighing import CONCRETE, ENOUGH, FILLER, LONGEST, STANDING, TRUSTED, weigh


def gather(found: Gathering) -> None:
    """Adds the preferences of a session to what is gathered."""
    for place in places(found.session):
        _statement(found, place)
    for written, seen, path, was, now in behind(found.session):
        _changed(found, written, seen, path, was, now)


def _changed(found: Gathering, written: Turn, seen: Turn, path: str, was: str, now: str) -> None:
    """A line of the agent that the user made another: what stands there now is what is wanted."""
    session = found.session
    old, new = _differing(was, now)
    claims = [
        Claim("Rule", f"In {code(path)} it is {code(shorten(now, 200))}.", cite(session, seen)),
        Claim(
            "Rule",
            f"The agent had written {code(shorten(was, 200))}; somebody changed it afterwards.",
            cite(session, written),
        ),
    ]
    title = f"{new} instead of {old} in {path}"
    held = gate.held(now) or "seen in a file, not said: confirm that a person changed it"
    found.records.append(
        draft(
            session,
            RecordType.FACT,
            title,
            "",
            [Claim("Statement" if c.section == "Rule" else c.section, c.text, c.cites) for c in claims],
            Evidence.INFERRED,
            tags=[path.rsplit("/", 1)[-1]],
            held=held,
        )
    )


def _differing(was: str, now: str) -> tuple[str, str]:
    """The words that differ between two lines."""
    one, two = was.split(), now.split()
    return " ".join(w for w in one if w not in two) or was, " ".join(w for w in two if w not in one) or now


def _statement(found: Gathering, place: Place) -> None:
    text = place.turn.text if place.turn.role == "user" else place.turn.result
    if place.why == "answer" and answers.gather(found, place, text):
        return
    if place.turn.origin in ("typed", "queued") and gate.template(text):
        found.refuse("template")
        return
    own = gate.own_words(text)
    said = gate.sentences(own)
    if not said:
        return
    if phrases.ASSENT.match(own.strip()):
        _approved(found, place, own.strip())
        return
    _statement_rules(found, place, said, gate.spoken(own, said))


def _statement_rules(found: Gathering, place: Place, said: list[str], spoken: list[str]) -> None:
    """Rules among the sentences; weighed by what the user orders in them, without what they quote or report."""
    at = []
    for i, sentence in enumerate(s[:LONGEST] for s in spoken):
        beside = " ".join(spoken[i : i + 2])
        if weigh(sentence, place, beside) >= ENOUGH and weigh(mood.told(sentence, beside), place, beside) >= ENOUGH:
            at.append(i)
    for rule in _joined(said, at)[:3]:
        _rule(found, place, _whole_thought(rule, said), said)


def _approved(found: Gathering, place: Place, yes: str) -> None:
    """A bare yes to the one clear rule or decision that the agent had proposed last; to a piece of work it is none."""
    asked = next((t for t in place.before if t.role == "assistant"), None)
    if asked is None:
        return
    last = gate.sentences(asked.text[-900:])[-4:]
    offers = [s for s in last if OFFER.search(s) and phrases.marks(s).keys() & PROPOSED and len(s) <= 300]
    if len(offers) != 1 or re.search(r"\bor\b|还是|oder|\bou\b|または", offers[0]) or gate.refusal(offers[0]):
        return
    offer, session = offers[0], found.session
    claims = [
        Claim("Rule", f'Agreed: "{inert(offer)}"', cite(session, asked, place.turn)),
        Claim("Said", f'"{inert(yes)}" (the agent had asked: "{inert(offer)}")', cite(session, place.turn, asked)),
    ]
    title = f"Agreed: {OFFER.sub('', offer).strip(' ?？,:') or offer}"
    described = "The user agreed to what the agent proposed."
    held = gate.held(offer) or (IN_A_FILE if _in_results(found, asked, offer) else "")
    found.records.append(
        draft(
            session, RecordType.PREFERENCE, title, described, claims, Evidence.USER_SAID, tags=named(offer), held=held
        )
    )


IN_A_FILE = "what was agreed to stands in what a tool had read; confirm it"


def _in_results(found: Gathering, asked: Turn, offer: str) -> bool:
    """Whether an offer repeats what a tool had shown before: a file's advice and not the agent's. Everything shown is
    looked at, for the first `LOOKED` offers: nobody agrees to more rules in one session, and the rest waits."""
    found.agreed += 1
    words = gate.distinctive(offer)
    if len(words) < 2:
        return False
    before = found.session.turns[: found.order[asked.anchor]]
    return found.agreed > LOOKED or any(_repeats(words, offer, t.result) for t in before if t.role == "tool")


def _repeats(words: set[str], offer: str, shown: str) -> bool:
    """Whether two thirds of the words stand close together in a text. Nearly all texts are told by a plain search for
    the stems, since taking a text apart costs a thousand times as much."""
    said, text = offer.lower(), shown.lower()
    stems = [w if len(w) < 4 else w[:-1] for w in words]
    if sum(stem in text or stem not in said for stem in stems) * 3 < len(words) * 2:
        return False
    parts = (shown[at : at + 2 * CLOSE] for at in range(0, max(len(shown) - CLOSE, 1), CLOSE))
    return any(len(words & gate.distinctive(part)) * 3 >= len(words) * 2 for part in parts)


LOOKED, CLOSE = 50, 2_000  # offers whose origin is looked for; characters of a text, with as many behind them


PROPOSED = frozenset(("standing", "contrast", "prohibition", "reversal"))
OFFER = re.compile(
    r"\b(?:shall|should) (?:I|we)\b|\bwould you like (?:me|us) to\b|\bdo you want (?:me|us) to\b|\b(?:I|"
    r"we) (?:suggest|recommend|propose)\b"
    r"|\bI(?:'d| would) (?:suggest|recommend|propose)\b|\bsoll(?:en)? (?:ich|wir)\b|\bich (?:schlage|"
    r"empfehle)\b|\b(?:veux-tu|voulez-vous) que\b"
    r"|\bje (?:propose|recommande|suggère)\b|\b(?:quieres|desea) que\b|\b(?:propongo|sugiero|recomiendo)\b|"
    r"(?:需要|要)我|是否|要不要|建议|提案|しましょうか|할까요",
    re.I,
)


_POINTS = re.compile(
    r"\b(?:it|them|they|that|this(?! (?:project|repo\w*|code ?base|folder|directory|wiki|app|package|service)\b)|"
    r"these|those|sie|es|ihn|les?|la|lo|los|las|eso|esto|cela|ça|das|damit|их|его)\b|"
    r"它|这|那|それ",
    re.I,
)


def _joined(said: list[str], at: list[int]) -> list[str]:
    """Short rules that follow each other are one rule, unless the later one names something and rules on its own."""
    out: list[str] = []
    for n, i in enumerate(at):
        marks = phrases.marks(said[i]).keys()
        own = marks & STANDING and (
            CONCRETE.search(said[i][1:]) or ("standing" in marks and not said[i - 1].endswith(";"))
        )
        own = own and not _POINTS.search(said[i])
        if n and not own and at[n - 1] == i - 1 and len(out[-1]) + len(said[i]) <= 160:
            out[-1] += f" {said[i]}"
        else:
            out.append(said[i])
    return out


def _whole_thought(rule: str, said: list[str]) -> str:
    """A rule with the sentence that says what it is about: before one that only points back; behind one of two or three
    words, or one that only says that the user thinks otherwise now."""
    at = said.index(rule) if rule in said else 0
    before = said[at - 1] if at and _POINTS.search(rule) and not CONCRETE.search(rule[1:]) else ""
    if len(before) <= 200 and len(gate.distinctive(before)) > 2 and not phrases.QUESTION.search(before):
        return f"{before} {rule}"
    long = len(rule.split()) > 3 or (not rule.isascii() and len(gate.distinctive(rule)) > 1)
    long = long and "reversal" not in phrases.marks(rule)
    if long or rule not in said[:-1]:
        return rule
    following = said[said.index(rule) + 1]
    return f"{rule} {following}" if len(following) <= 160 and not phrases.QUESTION.search(following) else rule


def _title(text: str) -> str:
    line = FILLER.sub("", " ".join(text.split())) or text
    line = re.sub(r"[\s:,;–—-]+$|\s(?:then|please|though)\W*$", "", line)
    if len(line) > TITLE and (found := _TOLD.search(line)) and phrases.marks(found[1]):
        line = found[1]
    return shorten(_capital(line), TITLE)


_TOLD = re.compile(r"[^:]: (?=\w)(?!.*: )(.{24,})$")  # what stands behind "like this:" is the rule


def _capital(line: str) -> str:
    """The line with a capital, unless it begins with a name that has none."""
    first = line.split(" ", 1)[0]
    return (
        line[:1].upper() + line[1:]
        if first.isascii() and first.rstrip(",.'").replace("'", "").isalpha() and len(first) < len(line)
        else line
    )


def _rule(found: Gathering, place: Place, rule: str, said: list[str]) -> None:
    session, turn = found.session, place.turn
    tool = next((t for t in place.before if t.role == "tool"), None)
    if reason := _refused(rule, place, tool):
        found.refuse(reason)
        return
    claims = [Claim("Rule", inert(_whole(rule)), cite(session, turn))]
    title, when = _title(rule), {}
    command = _command(tool) if tool is not None and is_shell(tool) else ""
    short = len(rule) <= 60 and (len(gate.distinctive(rule)) <= 3 or (not rule.isascii() and len(rule) <= 20))
    if tool is not None and command and short:
        instead = "before" if _FIRST.search(rule) else "not"
        title = shorten(f"{title}, {instead} `{shorten(command, 50)}`")
        stopped = "refused" if place.why == "refused" else "stopped"
        told = f"{instead.capitalize()} {code(shorten(command, 160))}, which the user {stopped}."
        claims.append(Claim("Rule", told, cite(session, tool, turn)))
        when = {"tools": [s.program for s in simples(command)][:2]} if simples(command) else {}
    asked = _asked(place) if short and not when else None
    quotes = _quotes(rule, said)
    claims += [Claim("Said", f'"{inert(s)}"', cite(session, turn)) for s in quotes]
    if asked is not None and asked[0].role == "user":
        claims.append(Claim("Said", f'"{inert(asked[1])}" (the prompt before it)', cite(session, asked[0])))
    elif asked is not None:
        told = f'"{inert(quotes[-1])}" (the agent had asked: "{inert(asked[1])}")'
        claims[-1] = Claim("Said", told, cite(session, turn, asked[0]))
    if asked is not None and rule.isascii() and len(rule.split()) <= 2:
        title = shorten(f"{title} (asked: {asked[1]})")
    _add(found, place, title, claims, rule, when)


_LET_BE = re.compile(r"\W*(?:leave|skip|drop) (?:it|that)\b(?! (?:to|for) (?:me|us)\b)", re.I)  # the call at hand


def _refused(rule: str, place: Place, tool: Turn | None) -> str:
    """Why a sentence is no rule after all; "" when it is one."""
    if reason := gate.refusal(rule):
        return reason
    if phrases.PLATITUDE.search(rule):
        return "platitude"
    if phrases.QUOTING.search(rule):
        return "quoted"
    if _LET_BE.match(FILLER.sub("", rule)):
        return "one-off"
    bare = not gate.distinctive(rule) or (len(rule.split()) <= 2 and rule.isascii())
    stopped = place.why == "interrupted" and "prohibition" in phrases.marks(rule)
    chosen = place.why == "reply" and gate.distinctive(rule) and _asked(place) is not None
    return "one-off" if bare and tool is None and not stopped and not chosen else ""


def _add(
    found: Gathering, place: Place, title: str, claims: list[Claim], rule: str, when: dict[str, list[str]]
) -> None:
    """The record. What only seems to be the user's (a bare error that reads like a sentence) waits for a person."""
    said = place.turn.role == "user"
    held = gate.held(rule) or ("" if said else IN_RESULT) or _foreign(place) or _meant(rule, place)
    evidence = Evidence.USER_SAID if said else Evidence.INFERRED
    described = DESCRIBED.get(
        place.why,
        "Said by the user in the first prompt." if place.first else "Said by the user in the middle of the work.",
    )
    found.records.append(
        draft(
            found.session,
            RecordType.PREFERENCE,
            title,
            described,
            claims,
            evidence,
            tags=named(rule),
            when=when,
            held=held,
        )
    )


FOR_ONCE = "may be meant for one task only; confirm that it holds always"
NO_ORDER = "may tell what happens, or be a joke; confirm that it is meant as a rule"
IN_RESULT = "the words stand in a tool's result; confirm that a person said them"
FOREIGN = re.compile(r"^mcp__|^web|^(?:task|agent)$", re.I)  # tools whose errors are written by whoever answers them
WORK = re.compile(
    r"\b(?:that|which|it) (?:\w+ )?(?:must|should|can|will|shall|always|never)\b"
)  # what to make, described


def _foreign(place: Place) -> str:
    """Whether a refusal may be the words of a server: an error of its own that reads like one is kept the same way."""
    tools = place.why == "refused" and any(t.role == "tool" and FOREIGN.search(t.tool) for t in place.before)
    return IN_RESULT if tools else ""


def _meant(rule: str, place: Place) -> str:
    """Whether a rule may be no order, or speak of the thing at hand alone: nobody said that it holds from now on."""
    if place.why not in TRUSTED and mood.doubtful(rule[:LONGEST]):
        return NO_ORDER
    line = FILLER.sub("", rule) or rule
    if line.rstrip().endswith(("?", "？")) and place.why not in TRUSTED:
        return "asked, not said; confirm that it is meant"
    about_it = phrases.REQUEST.search(line) and WORK.search(line)
    marks = phrases.marks(line).keys()
    at_hand = phrases.AT_HAND.search(line)
    general = (
        (phrases.GENERAL.search(line) and not at_hand) or "reversal" in marks or (not about_it and "standing" in marks)
    )
    trusted = place.why in TRUSTED and not at_hand and gate.distinctive(rule)  # "don't run": what, and how long?
    return "" if general or trusted else FOR_ONCE


DESCRIBED = {
    "refused": "Given as the reason when the user refused a call of the agent.",
    "interrupted": "Said after the user had stopped the agent.",
    "reply": "The user's answer to what the agent proposed.",
}


def _whole(rule: str) -> str:
    return _capital(FILLER.sub("", " ".join(rule.split())) or rule).rstrip("; ")


def _quotes(rule: str, said: list[str]) -> list[str]:
    """The rule as it was said, and one sentence beside it that says what it is about."""
    parts = [s for s in said if s in rule] or [rule]
    whole = " ".join(said)
    if len(whole) <= 420 and len(said) <= 4:
        return said
    at = said.index(parts[0]) if parts[0] in said else 0
    beside = said[0] if at else ""
    return ([beside] if beside and len(beside) <= 240 else []) + parts


_FIRST = re.compile(r"\bfirst\b|先|\bzuerst\b|\bd'abord\b|\bprimero\b|まず|먼저|\bсначала\b", re.I)


def _asked(place: Place) -> tuple[Turn, str] | None:
    """What a short order was about: the agent's question that it answers, or the first line of the prompt before."""
    asked = next((t for t in place.before if t.role in ("user", "assistant")), None)
    if asked is None:
        return None
    if asked.role == "user":
        opening = gate.sentences(gate.own_words(asked.text))[:3]
        line = shorten(next((s for s in opening if len(gate.distinctive(s)) > 1), ""), 240)  # no greeting
        return (asked, line) if line else None
    said = gate.sentences(asked.text[-900:])[-3:]
    line = " ".join(s for s in said if s.rstrip().endswith(("?", "？")))
    return (asked, shorten(line, 240)) if line else None


def _command(tool: Turn) -> str:
    given = arguments(tool)
    value = given.get("command") or given.get("cmd") or ("" if given else tool.text)
    return " ".join(map(str, value)) if isinstance(value, list) else str(value).split("\n")[0]
