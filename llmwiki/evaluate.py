"""How a session ended, 0–5, by the most trusted source that tells: user, checks, commits; else unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llmwiki.model import Session, Turn
from llmwiki.synthesizers import phrases
from llmwiki.synthesizers.base import Verdict, shorten
from llmwiki.synthesizers.checks import kind_of
from llmwiki.synthesizers.events import Event, Run, events
from llmwiki.synthesizers.gate import own_words, sentences, template


@dataclass(frozen=True, slots=True)
class Signal:
    """One thing that may be seen in a session: by whom it is told, what it is worth, how it is described."""

    by: str
    score: float
    what: str


# Sources in the order of their trust; within a source the last sight of the session decides.
TRUST = ("feedback", "user", "checks", "commits")
SIGNALS: dict[str, Signal] = {
    "thanked": Signal("user", 5.0, "the user was pleased"),
    "complained": Signal("user", 1.5, "the user was not content at the end"),
    "stopped": Signal("user", 2.0, "the user stopped the agent at the end"),
    "refused": Signal("user", 2.0, "the user refused the last call"),
    "passed": Signal("checks", 4.5, "the last check passed"),
    "failed": Signal("checks", 2.0, "the last check failed"),
    "committed": Signal("commits", 4.0, "work was committed"),
    "merged": Signal("commits", 4.5, "work was merged"),
}
FINAL = 2  # how many of the user's last turns judge the session: what was said before was about work on the way
CORRECTING = ("complained", "stopped", "refused")
CORRECTED = 0.5  # taken off for corrections on the way, once
_COMMIT = re.compile(
    r"^\[[^\]\n]+ [0-9a-f]{7,}\]|^[ \t]*\d+ files? changed|\bcreate mode \d|-> (?:main|master)\b", re.M
)


def evaluate(session: Session, feedback: float | None = None, note: str = "") -> Verdict:
    """The verdict on a session. `feedback` is a person's own score with a note, and overrides everything else."""
    if feedback is not None:
        return Verdict(feedback, "feedback", (("", note or "scored by a person"),))
    happened = events(session)
    user, work = list(_user(session)), [*_checks(happened), *_commits(happened)]
    answered = _answered(session, user, work)
    for source in TRUST:
        told = [(n, t) for n, t in (*user, *work) if SIGNALS[n].by == source and (n, t) not in answered]
        if told:
            return _verdict(told, [*answered, *(x for x in told[:-1] if x[0] in CORRECTING)])
    return Verdict()


def _answered(
    session: Session, user: Sequence[tuple[str, Turn]], work: Sequence[tuple[str, Turn]]
) -> list[tuple[str, Turn]]:
    """Complaints after which the work went on to a proof, without a further word: corrections, no verdict."""
    order = {t.anchor: i for i, t in enumerate(session.turns)}
    proofs = [order[t.anchor] for n, t in work if SIGNALS[n].score >= 3.5]
    return [(n, t) for n, t in user if n == "complained" and any(at > order[t.anchor] for at in proofs)]


def _verdict(told: Sequence[tuple[str, Turn]], corrections: Sequence[tuple[str, Turn]]) -> Verdict:
    name, turn = told[-1]
    score, source = SIGNALS[name].score, SIGNALS[name].by
    evidence = [(turn.anchor, f"{SIGNALS[name].what}: {_shown(turn)}")]
    if score >= 3.5 and corrections:
        score -= CORRECTED
        last = corrections[-1][1]
        evidence.append((last.anchor, f"corrected before: {_shown(last)}"))
    return Verdict(score, source, tuple(evidence))


def _shown(turn: Turn) -> str:
    words = own_words(turn.text) if turn.role == "user" and turn.origin != "interrupt" else ""
    if words:
        return f'"{shorten(words.splitlines()[0], 80)}"'
    return shorten(turn.text.split("\n")[0] if turn.role == "tool" else turn.origin, 80)


def _user(session: Session) -> Iterator[tuple[str, Turn]]:
    """What the user said of the work, in order. The first prompt judges nothing, and a long one is a new task."""
    spoken = [t for t in session.turns if t.role == "user" and t.origin != "command"]
    last = session.turns[-1] if session.turns else None
    for turn in spoken[-FINAL:] if len(spoken) > FINAL else spoken[1:]:
        words = own_words(turn.text)
        if turn.origin in ("interrupt", "refusal"):
            if turn is spoken[-1] and turn is last:
                yield ("stopped" if turn.origin == "interrupt" else "refused"), turn
        elif words and len(words) <= 400 and not template(turn.text):
            if phrases.COMPLAINT.search(words):
                yield "complained", turn
            elif phrases.THANKS.search(words) and _is_praise(words):
                yield "thanked", turn


def _is_praise(words: str) -> bool:
    """Whether thanks are about the work: not the politeness of a request that follows."""
    first = (sentences(words) or [words])[0]
    if phrases.QUESTION.search(words) and (first == words or not phrases.THANKS.search(first)):
        return False
    return len(words) <= 80 or bool(phrases.THANKS.search(words[:40]))


def _checks(happened: Sequence[Event]) -> Iterator[tuple[str, Turn]]:
    """The last run of each check, in order: a check that was mended counts as it ended."""
    last: dict[str, Run] = {}
    for event in happened:
        if isinstance(event, Run) and event.ok is not None:
            for call in event.parts:
                if kind_of(call) in ("test", "types", "lint", "build"):
                    last.pop(call.program, None)
                    last[call.program] = event
    runs = list(last.values())
    yield from (("passed", r.turn) for r in runs if r.ok)
    yield from (("failed", r.turn) for r in runs if not r.ok)


def _quiet(run: Run) -> bool:
    """Whether a commit was told to say nothing: then that it ended well says enough."""
    return any(s.key[:2] == ("git", "commit") and re.search(r" -\w*q|--quiet", run.command) for s in run.parts)


def _commits(happened: Sequence[Event]) -> Iterator[tuple[str, Turn]]:
    for event in happened:
        if (
            isinstance(event, Run)
            and event.ok
            and any(s.key[:2] in (("git", "commit"), ("git", "push"), ("gh", "pr")) for s in event.parts)
            and (_COMMIT.search(event.output) or _quiet(event))
        ):
            yield "committed", event.turn
        elif (
            isinstance(event, Run)
            and event.ok
            and any(s.key[:2] == ("git", "merge") or s.key[:3] == ("gh", "pr", "merge") for s in event.parts)
        ):
            yield "merged", event.turn
