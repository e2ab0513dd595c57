"""The trace of a session: what was asked, how it ended, what was touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from llmwiki.model import Cite, Claim, Evidence, Record, RecordType, Session, Turn
from llmwiki.prose import code, inert
from llmwiki.synthesizers import gate, signatures
from llmwiki.synthesizers.base import Gathering, Verdict, cite, draft, shorten
from llmwiki.synthesizers.events import Edit, Event, Run

FILES, COMMANDS = 12, 8


def goal(session: Session) -> Turn | None:
    """The turn that says what the session is for: the first genuine prompt that is no form and no command."""
    prompts = [
        t for t in session.turns if t.role == "user" and t.origin in ("typed", "queued", "plan") and t.text.strip()
    ]
    return next((t for t in prompts if not gate.template(t.text)), prompts[0] if prompts else None)


def gather(found: Gathering, happened: Sequence[Event], verdict: Verdict) -> None:
    """Adds the trace: one for every session in which somebody asked for something or anything was done."""
    session = found.session
    if not session.turns:
        return
    asked = goal(session)
    lines = _goal_lines(asked)
    words = " ".join(lines)
    claims: list[Claim] = [Claim("Goal", f'"{inert(line)}"', cite(session, asked)) for line in lines if asked]
    claims += _outcome(session, verdict)
    claims += _touched(session, happened)
    claims += _links(session)
    record = draft(
        session, RecordType.TRACE, words or session.title or f"Session of {session.agent}", _summary(happened), claims,
        Evidence.USER_SAID if asked else Evidence.INFERRED, tags=[session.agent],
    )  # fmt: skip
    found.records.append(_dated(record, session, verdict))


def _dated(record: Record, session: Session, verdict: Verdict) -> Record:
    ended = session.ended or record.created
    return replace(record, created=ended, score=verdict.score, score_by=verdict.score_by)


def _goal_lines(asked: Turn | None) -> list[str]:
    """The first lines of the prompt, as they stand; of a form only where it begins."""
    if asked is None:
        return []
    if gate.template(asked.text):
        return [shorten(asked.text, 120)]
    lines = gate.own_words(asked.text).split("\n") or [asked.text.strip()]
    kept = [shorten(line, 300) for line in lines if line.strip()][:3]
    return kept or [shorten(asked.text, 200)]


def _summary(happened: Sequence[Event]) -> str:
    files = {e.path for e in happened if isinstance(e, Edit)}
    runs = sum(1 for e in happened if isinstance(e, Run))
    return f"{len(files)} files changed, {runs} commands run."


def _outcome(session: Session, verdict: Verdict) -> list[Claim]:
    """The score with the turns that it rests on, one line each."""
    if verdict.score is None:
        return [Claim("Outcome", "Unknown: nothing in the session tells how it ended.")]
    out = [
        Claim(
            "Outcome",
            f"{verdict.score:.1f} of 5, by {verdict.score_by}.",
            tuple(Cite(session.stem, a) for a, _ in verdict.evidence if a),
        )
    ]
    for anchor, what in verdict.evidence:
        out.append(Claim("Outcome", inert(what), (Cite(session.stem, anchor),) if anchor else ()))
    return out


def _touched(session: Session, happened: Sequence[Event]) -> list[Claim]:
    """Files that changed, most often changed first, and commands that did something, in order."""
    edits: dict[str, list[Turn]] = {}
    runs: dict[str, Run] = {}
    for event in happened:
        if isinstance(event, Edit):
            edits.setdefault(event.path, []).append(event.turn)
        elif event_runs(event):
            assert isinstance(event, Run)
            runs[event.command] = event
    files = sorted(edits.items(), key=lambda item: (-len(item[1]), item[0]))[:FILES]
    out = [Claim("Touched", code(shorten(path, 160)), cite(session, *turns[:3])) for path, turns in files]
    for run in list(runs.values())[:COMMANDS]:
        ended = {True: "passed", False: "failed", None: "not known"}[run.ok]
        failed = (
            f": {code(shorten(signatures.error_line(run.output), 100))}"
            if run.ok is False and signatures.error_line(run.output)
            else ""
        )
        out.append(
            Claim("Touched", f"{code(shorten(run.command, 160))}, {ended}{failed}", cite(session, run.turn, run.until))
        )
    return out


def event_runs(event: Event) -> bool:
    return isinstance(event, Run) and bool(event.parts) and not event.reads and not gate.SECRET.search(event.command)


def _links(session: Session) -> list[Claim]:
    out = [Claim("Links", f"Raw page: {Cite(session.stem)}")]
    if session.parent_page:
        out.append(Claim("Links", f"Part of {Cite(session.parent_page)}"))
    out += [Claim("Links", f"Child session: {Cite(child)}") for child in session.children[:12]]
    return out
