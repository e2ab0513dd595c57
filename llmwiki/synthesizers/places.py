"""Where in a session the user said something, and what gives it weight there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from llmwiki.model import Session, Turn
from llmwiki.synthesizers import signatures
from llmwiki.synthesizers.events import arguments, relative


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sentence was said: the turn, its trust in points, what it answers, and what was refused or cut short."""

    turn: Turn
    points: int = 0
    why: str = ""
    before: tuple[Turn, ...] = ()
    first: bool = False


def places(session: Session) -> list[Place]:
    """The user's turns in order, each with what gives it weight."""
    out: list[Place] = []
    stopped: list[Turn] = []
    asked = offered = last_prompt = None
    for turn in session.turns:
        if turn.role == "assistant" and turn.text.strip():
            asked = turn
        elif turn.role == "tool":
            offered = turn if "ask" in turn.tool.lower() or "question" in turn.tool.lower() else offered
            if turn.outcome in ("refused", "lost"):
                stopped.append(turn)
            elif spoken(turn):
                out.append(Place(turn, 3, "refused", (turn,)))
        elif turn.role == "user" and turn.origin == "interrupt":
            stopped.append(turn)
        elif (
            turn.role == "user"
            and turn.origin not in ("command", "plan")
            and turn.text.strip()
            and not (last_prompt and turn.text == last_prompt.text)  # a store may hold one prompt twice
        ):
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


def spoken(turn: Turn) -> bool:
    """Whether a failed call failed because the user wrote something instead of allowing it.

    Some releases keep such a reason as the bare result of the call. It cannot be told for sure from a program's own
    message, so what is learned from it waits for a person.
    """
    if (
        turn.outcome != "error"
        or turn.tool.lower() not in ("bash", "edit", "write", "multiedit")
        or not 12 <= len(turn.result) <= 400
    ):
        return False
    line = turn.result.strip()
    if (
        "\n" in line
        or signatures.error_line(line)
        or signatures.HARNESS.search(line)
        or re.search(r"exit code|tool_use|</?\w+>", line, re.I)
    ):
        return False
    return len(line.split()) >= 4 and bool(
        re.search(r"\b(?:please|we|let'?s|wait|don'?t|should|you|I|use|first|instead)\b", line, re.I)
    )


def _refused(stopped: list[Turn]) -> tuple[Turn, ...]:
    return tuple(t for t in stopped if t.role == "tool")[-1:]


def behind(session: Session) -> list[tuple[Turn, Turn, str, str, str]]:
    """Lines that the agent wrote and somebody changed: (written, seen, path, was, is)."""
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
