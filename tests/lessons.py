"""What the tests of learning share: sessions written by hand, and a wiki that they are learned into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from llmwiki import evaluate, rawpage, synthesize, verify
from llmwiki.model import Config, Record, RecordType, Session, Turn, Wiki
from llmwiki.synthesizers import extractive

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
STEM = "2026-04-01-code-aaaa0001"


def user(text: str, origin: str = "typed") -> Turn:
    return Turn(0, "user", text, origin=origin)


def agent(text: str) -> Turn:
    return Turn(0, "assistant", text)


def ran(command: str, output: str = "", outcome: str = "ok") -> Turn:
    return Turn(0, "tool", command, tool="Bash", outcome=outcome, result=output)


def edited(path: str, old: str, new: str) -> Turn:
    text = f"file_path: {path}\nold_string: {old}\nnew_string: {new}"
    return Turn(0, "tool", text, tool="Edit", outcome="ok", result="done")


def session(*turns: Turn, stem: str = STEM, project: str = "shop", **more: str) -> Session:
    """A session of those turns, a minute apart, numbered from 1, as its raw page gives it back."""
    numbered = [replace(t, number=n, at=f"2026-04-01T10:{n % 60:02d}:00Z") for n, t in enumerate(turns, 1)]
    made = Session("claude-code", stem, project=project, cwd="/code/shop", turns=tuple(numbered), **more)  # type: ignore[arg-type]
    made = replace(made, started="2026-04-01T10:00:00Z", ended=max((t.at for t in numbered), default=""))
    return rawpage.parse(rawpage.render(rawpage.tidy(made)), stem)


def lessons(made: Session, kind: str = "") -> list[Record]:
    """The lessons of a session without its trace, each of which holds against its turns."""
    found = extractive.synthesize(made, evaluate.evaluate(made)).records
    turns = {t.anchor: t for t in made.turns}
    for record in found:
        status = verify.verify(record, lambda stem, anchor: turns.get(anchor) if stem == made.stem else None)
        assert status.status in (verify.PASSED, verify.UNVERIFIABLE), (record.title, status.failed)
    return [r for r in found if r.type is not RecordType.TRACE and (not kind or r.type.value == kind)]


def refused(made: Session) -> dict[str, int]:
    return dict(extractive.synthesize(made, evaluate.evaluate(made)).refused)


def learned(
    made: Session, wiki: Wiki | None = None, provisional: Sequence[str] = (), now: datetime = NOW, **more: object
) -> synthesize.Outcome:
    verdict = evaluate.evaluate(made)
    drafts = extractive.synthesize(made, verdict)
    return synthesize.merge(
        drafts,
        wiki or Wiki(),
        made,
        verdict,
        now,
        Config(),
        "team",
        provisional,
        **more,  # type: ignore[arg-type]
    )


def titles(records: Sequence[Record]) -> list[str]:
    return [r.title for r in records]
