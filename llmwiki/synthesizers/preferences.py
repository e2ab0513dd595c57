"""Preferences: rules and decisions in the user's words, from the surest place to the least sure.

Reasons at refused calls, what follows an interruption, answers to the agent's questions, corrections, stated rules, and
what the user changed behind the agent's back. A sentence is weighed by its marks (`phrases.MARKS`) and by its place;
two points make it a rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from llmwiki.model import Claim, Evidence, Record, RecordType, Session, Turn
from llmwiki.prose import code, inert
from llmwiki.synthesizers import gate, phrases
from llmwiki.synthesizers.base import TITLE, Gathering, cite, draft, shorten
from llmwiki.synthesizers.events import arguments, relative
from llmwiki.synthesizers.shell import simples

ENOUGH = 2
ANSWERS = re.compile(r"^Q: (.+?)\nA: (.+?)(?=\nQ: |\nNote: |\Z)", re.S | re.M)
_FILLER = re.compile(
    r"^(?:(?:ok(?:ay)?|so|well|oh|ah|hey|hi|yes|yep|yeah|no|nope|and|but|then|also|please|actually|hmm|wait(?: a (?:sec|second|minute))?|hold on|great|cool|fine|right|now|just|sure|thanks|sorry|alright|nein|ja|bitte|non|oui|vale|sí|好的|可以|嗯|不对)\b[\s,.!:–—，。、]*)+",
    re.I,
)
_CONCRETE = re.compile(
    r"`[^`]+`|--?\w[\w-]+|\b[\w-]+\.(?:py|js|ts|tsx|md|json|toml|ya?ml|rs|go|java|rb|sh|css|html|sql|lock|env)\b|@?[\w.-]+/[\w./-]+|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+|\b[A-Z]{2,}\w*\b|\b[A-Z]\w*[a-z]\w*(?=\W+\w)|[a-z]{3,}(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])[A-Za-z]{2,}"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sentence was said: the turn, its trust in points, what it answers, and what was refused or cut short."""

    turn: Turn
    points: int = 0
    why: str = ""
    before: tuple[Turn, ...] = ()
    first: bool = False


def gather(found: Gathering) -> None:
    """Adds the preferences of a session to what is gathered."""
    for place in places(found.session):
        _statement(found, place)


def places(session: Session) -> list[Place]:
    """The user's turns in order, each with what gives it weight."""
    out: list[Place] = []
    stopped: list[Turn] = []
    asked = offered = last_prompt = None
    seen: set[str] = set()
    for turn in session.turns:
        if turn.role == "assistant" and turn.text.strip():
            asked = turn
        elif turn.role == "tool":
            offered = turn if "ask" in turn.tool.lower() or "question" in turn.tool.lower() else offered
            if turn.outcome in ("refused", "lost"):
                stopped.append(turn)
        elif turn.role == "user" and turn.origin == "interrupt":
            stopped.append(turn)
        elif (
            turn.role == "user"
            and turn.origin not in ("command", "plan")
            and turn.text.strip()
            and turn.text not in seen
        ):
            seen.add(turn.text)
            out.append(_place(turn, stopped, asked, offered, last_prompt, not out))
            stopped, asked, last_prompt = [], None, turn
    return out


def _place(
    turn: Turn, stopped: list[Turn], asked: Turn | None, offered: Turn | None, last: Turn | None, first: bool
) -> Place:
    if turn.origin == "refusal":
        return Place(turn, 3, "refused", _refused(stopped))
    if turn.origin == "answer":
        return Place(turn, 2, "answer", (offered,) if offered else ())
    if stopped:
        return Place(turn, 2, "interrupted", (*_refused(stopped), *((last,) if last else ())), first)
    if asked and re.search(r"[?？]", asked.text[-400:]):
        return Place(turn, 1, "reply", (asked,), first)
    return Place(turn, 0, "", (), first)


def _refused(stopped: list[Turn]) -> tuple[Turn, ...]:
    return tuple(t for t in stopped if t.role == "tool")[-1:]


def _statement(found: Gathering, place: Place) -> None:
    text = place.turn.text
    if place.why == "answer" and ANSWERS.search(text):
        for question, answer in ANSWERS.findall(text):
            _answer(found, place, question, answer)
        return
    if place.turn.origin in ("typed", "queued") and gate.template(text):
        found.refuse("template")
        return
    own = gate.own_words(text)
    said = gate.sentences(own)
    if phrases.ASSENT.match(own.strip()) or not said:
        return
    rules = [s for s in said if weigh(s, place) >= ENOUGH]
    for rule in _joined(rules)[:3]:
        _rule(found, place, rule, said)


def _joined(rules: list[str]) -> list[str]:
    """Short sentences of one prompt are one rule; long ones stand alone."""
    if len(rules) > 1 and sum(map(len, rules)) <= 160:
        return [" ".join(rules)]
    return rules


def weigh(sentence: str, place: Place) -> int:
    """Points of a sentence in its place; two make a rule."""
    found = phrases.marks(_FILLER.sub("", sentence) or sentence)
    found |= {k: v for k, v in phrases.marks(sentence).items() if k == "correction"}
    if not found or found.keys() <= {"narrowing", "condition"}:
        return 0
    points = sum(found.values()) + place.points
    concrete = len(_CONCRETE.findall(sentence))
    points += 1 if concrete and not place.first else 0
    if phrases.QUESTION.search(sentence):
        points -= 2 if "decision" in found and re.search(r"\b(?:we|us)\b|我们", sentence, re.I) else 4
    if phrases.REQUEST.search(sentence) and not found.keys() & {"standing", "contrast", "prohibition"}:
        points -= 3
    points -= 1 if place.first and not found.keys() & {"standing", "contrast", "correction"} else 0
    points -= 1 if phrases.MOMENTARY.search(sentence) and "standing" not in found else 0
    return points


def _title(text: str) -> str:
    line = _FILLER.sub("", " ".join(text.split())) or text
    line = re.sub(r"[\s:,;–—-]+$", "", line)
    return shorten(line[:1].upper() + line[1:], TITLE)


def _rule(found: Gathering, place: Place, rule: str, said: list[str]) -> None:
    session, turn = found.session, place.turn
    reason = (
        gate.refusal(rule)
        or ("platitude" if phrases.PLATITUDE.search(rule) else "")
        or ("quoted" if phrases.QUOTING.search(rule) else "")
    )
    content = gate.distinctive(rule)
    tool = next((t for t in place.before if t.role == "tool"), None)
    if not reason and not content and not tool:
        reason = "one-off"
    if reason:
        found.refuse(reason)
        return
    claims = [Claim("Rule", inert(_title_full(rule)), cite(session, turn))]
    title, when = _title(rule), {}
    command = _command(tool) if tool else ""
    if tool is not None and command and len(rule) <= 60 and len(content) <= 3:
        title = shorten(f"{_title(rule)}, not `{shorten(command, 50)}`")
        claims.append(
            Claim("Rule", f"Not {code(shorten(command, 160))}, which the user refused.", cite(session, tool, turn))
        )
        when = {"tools": [s.program for s in simples(command)][:2]} if simples(command) else {}
    claims += [Claim("Said", f'"{inert(s)}"', cite(session, turn)) for s in _quotes(rule, said)]
    if place.why == "interrupted" and len(content) < 3:
        claims += _context(session, place)
    description = {
        "refused": "Given as the reason when the user refused a call of the agent.",
        "interrupted": "Said after the user had stopped the agent.",
        "reply": "The user's answer to what the agent proposed.",
    }.get(
        place.why,
        "Said by the user in the middle of the work." if not place.first else "Said by the user in the first prompt.",
    )
    _add(
        found,
        draft(
            session,
            RecordType.PREFERENCE,
            title,
            description,
            claims,
            Evidence.USER_SAID,
            tags=_tags(rule),
            when=when,
            held=gate.held(rule),
        ),
    )


def _title_full(rule: str) -> str:
    line = _FILLER.sub("", " ".join(rule.split())) or rule
    return line[:1].upper() + line[1:]


def _quotes(rule: str, said: list[str]) -> list[str]:
    """The rule as it was said, and one sentence beside it that says what it is about."""
    parts = [s for s in said if s in rule] or [rule]
    whole = " ".join(said)
    if len(whole) <= 420 and len(said) <= 4:
        return said
    at = said.index(parts[0]) if parts[0] in said else 0
    beside = said[at - 1] if at else ""
    return ([beside] if beside and len(beside) <= 240 else []) + parts


def _context(session: Session, place: Place) -> list[Claim]:
    """What a short order was about: the prompt before it."""
    prompts = [t for t in place.before if t.role == "user"]
    lines = [s for t in prompts for s in gate.sentences(gate.own_words(t.text))[:1]]
    return [
        Claim("Said", f'"{inert(shorten(line, 240))}" (the prompt before it)', cite(session, prompts[-1]))
        for line in lines[-1:]
    ]


def _command(tool: Turn) -> str:
    given = arguments(tool)
    value = given.get("command") or given.get("cmd") or ("" if given else tool.text)
    return " ".join(map(str, value)) if isinstance(value, list) else str(value).split("\n")[0]


def _answer(found: Gathering, place: Place, question: str, answer: str) -> None:
    """A choice among what the agent offered; the question tells what was chosen."""
    if gate.refusal(question + answer):
        found.refuse(gate.refusal(question + answer))
        return
    offered = next((_described(t, answer) for t in place.before if t.role == "tool"), "")
    claims = [
        Claim(
            "Rule",
            inert(f"{question.rstrip('?？ ')}: {answer}" + (f" ({offered})" if offered else "")),
            cite(found.session, place.turn, *place.before),
        )
    ]
    claims.append(Claim("Said", f'"{inert(answer)}" (asked: "{inert(question)}")', cite(found.session, place.turn)))
    title = f"{answer}: {question}" if len(answer) < 40 else answer
    record = draft(
        found.session,
        RecordType.PREFERENCE,
        shorten(title),
        "The user's answer to a question of the agent.",
        claims,
        Evidence.USER_SAID,
        tags=_tags(offered + question),
        held=gate.held(answer),
    )
    _add(found, record)


def _described(turn: Turn, answer: str) -> str:
    """What the agent had written beside the option that the user took."""
    for question in arguments(turn).get("questions") or ():
        for option in question.get("options") or () if isinstance(question, dict) else ():
            if isinstance(option, dict) and option.get("label") == answer:
                return str(option.get("description", ""))[:200]
    return ""


def _tags(text: str) -> list[str]:
    words = [w.strip("`@") for w in re.findall(r"`[^`\s]+`|@?\b[\w.-]+\.\w{2,4}\b|\b\w+_\w+\b", text)]
    return [w for w in dict.fromkeys(words) if 2 < len(w) <= 40][:3]


def _add(found: Gathering, record: Record) -> None:
    found.records.append(record)


def behind(session: Session) -> list[tuple[Turn, Turn, str, str, str]]:
    """Lines that the agent wrote and that read otherwise later: (written, seen, path, was, is). Somebody changed them."""
    written: dict[str, tuple[Turn, str]] = {}
    out: list[tuple[Turn, Turn, str, str, str]] = []
    missed: set[str] = set()
    for turn in session.turns:
        if turn.role != "tool":
            continue
        given = arguments(turn)
        path = str(given.get("file_path") or given.get("path") or "")
        if turn.outcome.startswith("error") and "String to replace not found" in turn.result:
            old = str(given.get("old_string", "")).strip()
            if path in written and old and old.splitlines()[0].strip() in written[path][1]:
                missed.add(path)
        elif given.get("new_string") and turn.outcome == "ok":
            written[path] = (turn, str(given["new_string"]))
            missed.discard(path)
        elif path in missed and turn.outcome == "ok" and turn.result:
            author, text = written[path]
            pair = _changed_line(text, turn.result)
            if pair:
                out.append((author, turn, relative(path, session.cwd), *pair))
            missed.discard(path)
    return out


def _changed_line(text: str, later: str) -> tuple[str, str] | None:
    lines = {re.sub(r"^\s*\d+[→\t|:]\s?", "", line).strip() for line in later.split("\n")[:2_000]}
    for line in (x.strip() for x in text.split("\n")):
        if len(line) < 12 or line in lines:
            continue
        words = set(line.split())
        best = max(lines, key=lambda other: len(words & set(other.split())), default="")
        if best and len(words & set(best.split())) * 2 > len(words):
            return line, best
    return None
