"""Failures with their cures: an error that was seen, what was changed just before it was gone, and what did not help.

An error is gone when the same command later ends well, or ends with another error. Wrappers are seen through. Without
a cure and without a repetition there is no record, and a test that the agent broke and mended itself is none either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from llmwiki.model import Claim, Evidence, Record, RecordType, Session
from llmwiki.prose import code, inert, plain
from llmwiki.synthesizers import causes, gate, signatures, weakened
from llmwiki.synthesizers.base import HINT, Gathering, cite, draft, shorten
from llmwiki.synthesizers.checks import kind_of
from llmwiki.synthesizers.events import Edit, Event, Run
from llmwiki.synthesizers.folding import by_section, combined
from llmwiki.synthesizers.shell import INTERPRETERS
from llmwiki.synthesizers.troubles import (
    ASSERTED,
    COUNTED,
    FOREIGN,
    FORGOT,
    MISSING,
    OWN_TEST,
    RULE_CODE,
    SLIP,
    TIMED_OUT,
    TIMED_OUT_MARK,
    Trouble,
    again,
    called_otherwise,
    changes_something,
    solves,
    steps_of,
)

OPEN = 12  # errors that wait for a cure at one time; older ones are given up


@dataclass(slots=True)
class Watch:
    """What is kept while a session is read: open troubles, and those that nothing cured."""

    waiting: list[Trouble] = field(default_factory=list)
    uncured: list[Trouble] = field(default_factory=list)
    touched: dict[str, int] = field(default_factory=dict)
    cured: dict[str, int] = field(default_factory=dict)  # anchor of a change -> the record that it ended


def gather(found: Gathering, happened: Sequence[Event]) -> Watch:
    """Adds the failures of a session that were cured; returns what is still open, for `reported`."""
    watch = Watch()
    for at, event in enumerate(happened):
        if isinstance(event, Run):
            for trouble in [t for t in watch.waiting if solves(t, event, watch.waiting)]:
                watch.waiting.remove(trouble)
                if not _cured(found, trouble, event, watch) and MISSING.search(trouble.line):
                    watch.uncured.append(trouble)
            _note(found, watch, event, at)
        if isinstance(event, Edit) or (isinstance(event, Run) and event.ok and not event.reads):
            for trouble in watch.waiting:
                trouble.tried[-1].append(event)
        if isinstance(event, Edit):
            watch.touched.setdefault(event.path, at)
        if len(watch.waiting) > OPEN:
            watch.uncured.append(watch.waiting.pop(0))
    watch.uncured += watch.waiting
    return watch


def _note(found: Gathering, watch: Watch, run: Run, at: int) -> None:
    """A failed run joins the trouble that it repeats, or opens one."""
    if run.ok is not False or not run.parts:
        return
    line = signatures.error_line(run.output)
    cut_off = TIMED_OUT.search(run.output[:400]) or TIMED_OUT.search(run.output[-400:])
    mark = TIMED_OUT_MARK if cut_off else signatures.signature(line)
    if cut_off:
        line = next((x for x in run.output.splitlines() if TIMED_OUT.search(x)), "timed out").strip()
    elif reason := signatures.noise(run.output[:4_000], line):
        found.refuse(reason)
        return
    if not mark or (run.reads and not cut_off and not MISSING.search(line)):
        return
    for trouble in watch.waiting:
        if trouble.mark == mark and again(trouble.first, run):
            trouble.runs.append(run)
            trouble.tried.append([])
            return
    watch.waiting.append(Trouble(run, line, mark, [run], at))


def _cured(found: Gathering, trouble: Trouble, run: Run, watch: Watch) -> bool:
    """A record of an error and its cure, when the cure is known and worth keeping."""
    session = found.session
    steps = steps_of(trouble)
    if weakened.evaded(trouble.tried[-1], steps, trouble.line):
        found.refuse("transient")
        return False
    called = run.command != trouble.first.command and not steps and (run.ok is True or called_otherwise(trouble, run))
    first, last = found.order[trouble.runs[-1].turn.anchor], found.order[run.turn.anchor]
    between = session.turns[first + 1 : last][-causes.FAR :]
    shown = [trouble.first.output[:6_000], trouble.first.command, run.command, *(s.turn.text[:6_000] for s in steps)]
    finding, told = causes.given(session, first, last, shown)
    did = next((t for t in reversed(between) if t.role == "user" and t.origin in ("typed", "queued")), None)
    once = not steps and not called and len(trouble.runs) < 2 and trouble.mark != TIMED_OUT_MARK
    if once and not (told and did):
        found.refuse("transient")
        return False
    if not trouble.first.by_user and not told and gate.one_off(trouble.mark, found.goal):
        found.refuse("one-off")  # the error is what the session was about
        return False
    finding = finding and not any(FORGOT.search(s) for _, s in told)
    made = steps or ([run] if _rewrites(run) else [])
    if made and (not finding or ASSERTED.search(trouble.line)) and _own_doing(trouble, made, watch.touched):
        found.refuse("one-off")
        return False
    cures = _cure_claims(session, steps, trouble, run)
    if not cures and told and did is not None and not called:
        words = gate.own_words(did.text)
        cures = [Claim("Cure", f'It was for the user to do: "{inert(shorten(words, 120))}"', cite(session, did))]
    if not cures:
        return False
    reasons = [Claim("Cause", inert(shorten(s, 400)), cite(session, t)) for t, s in told]
    claims = [*symptom(session, trouble.runs, trouble.line), *reasons, *cures]
    if steps:
        ended = f"Then {code(shorten(run.command, 160))} " + (
            "passed." if run.ok else "went further: the error was gone."
        )
        claims.append(Claim("Cure", ended, cite(session, run.turn, run.until)))
    claims += _avoid(session, trouble)
    if found.refuses(" ".join(c.text for c in claims)):
        return False
    _keep(
        found,
        watch,
        # without a change it is the call, for errors that begin alike: it is one with another driver or file
        steps[-1].turn.anchor if steps else f"{run.turn.anchor} {' '.join(trouble.mark.split()[:4])}",
        draft(
            session,
            RecordType.FAILURE,
            causes.titled([s for _, s in told], trouble.first.parts[-1].program)
            if finding
            else _title(trouble, steps, run),
            f"Seen when {shorten(trouble.first.command, 80)} ran; gone after the change under Cure.",
            claims,
            Evidence.TEST_PROVED,
            tags=[s.program.rsplit("/", 1)[-1] for s in trouble.first.parts[-1:]],
            when={} if signatures.generic(trouble.line) else {"errors": [trouble.mark]},
            held=gate.held(" ".join(c.text for c in cures)),
        ),
    )
    return True


def _keep(found: Gathering, watch: Watch, ended: str, record: Record) -> None:
    """One change that ended several errors is one lesson."""
    at = watch.cured.get(ended)
    if at is not None:
        found.records[at] = combined(found.records[at], record, 2)
        return
    watch.cured[ended] = len(found.records)
    found.records.append(record)


def _own_doing(trouble: Trouble, steps: Sequence[Event], touched: Mapping[str, int]) -> bool:
    """Whether the agent only mended what it was writing: a failing check, one try, in files it had changed."""
    check = any(kind_of(s) in ("test", "build", "types", "lint", "format") for s in trouble.first.parts)
    script = any(s.program in INTERPRETERS for s in trouble.first.parts)
    edits = [s for s in steps if isinstance(s, Edit)]
    rewritten = bool(edits) or any(map(_rewrites, steps))
    if (check or script) and any(weakened.defines(e, trouble.line) for e in edits):
        return not trouble.first.by_user
    if (check or script) and ASSERTED.search(trouble.line) and len(trouble.runs) < 2 and rewritten:
        return True
    answered = check and watch_started(touched, trouble) and all(isinstance(s, Edit) or _rewrites(s) for s in steps)
    counted = COUNTED.search(trouble.first.output) and not FOREIGN.search(trouble.line)
    if answered and (OWN_TEST.search(trouble.line) or counted) and len(trouble.runs) < 3:
        return not trouble.first.by_user
    if (check or script) and SLIP.search(trouble.line) and not trouble.first.by_user and len(trouble.runs) < 2:
        return True
    if trouble.first.by_user or RULE_CODE.search(trouble.line) or len(trouble.runs) > 1 or not edits:
        return False
    return (
        (check or script)
        and all(touched.get(e.path, 0) < trouble.at for e in edits if e.path in touched)
        and any(e.path in touched for e in edits)
    )


def watch_started(touched: Mapping[str, int], trouble: Trouble) -> bool:
    """Whether the agent had changed something before the trouble began."""
    return any(at < trouble.at for at in touched.values())


def _rewrites(made: Event) -> bool:
    """Whether a command edits a file in place."""
    return isinstance(made, Run) and any(s.program in ("sed", "perl") and not s.reads for s in made.parts)


def symptom(session: Session, runs: Sequence[Run], line: str) -> list[Claim]:
    """What was seen, with the command and its exit code; what the program itself advised; and that it came again."""
    run = runs[0]
    exit_code = f", exit code {run.code}" if run.code else ""
    seen = f"{code(shorten(line, 200))} from {code(shorten(run.command, 160))}{exit_code}."
    lines = [Claim("Symptom", seen, cite(session, run.turn, run.until))]
    if more := signatures.further(run.output, line):
        lines.append(Claim("Symptom", f"With it: {code(more)}.", cite(session, run.until)))
    if (advice := signatures.hint(run.output, line)) and advice != more:
        lines.append(Claim("Symptom", f"{HINT}{code(advice)}.", cite(session, run.until)))
    if len(runs) > 1:
        again = [t for r in runs[1:4] for t in (r.turn, r.until)]
        lines.append(
            Claim("Symptom", f"The same error again from {code(shorten(runs[1].command, 120))}.", cite(session, *again))
        )
    return lines


def _cure_claims(session: Session, steps: Sequence[Event], trouble: Trouble, run: Run) -> list[Claim]:
    """The change just before; without one, the command as it ran when it passed."""
    if steps:
        return [change(session, "Cure", s) for s in steps]
    if trouble.mark == TIMED_OUT_MARK:
        limits = [m[1] for r in trouble.runs if (m := re.search(r"after (\d+ ?\w+)", r.output))]
        cut = ", ".join(map(code, limits))
        waited = f"More time: it was cut off after {cut}, and {code(shorten(run.command, 120))} ran to its end later."
        return [Claim("Cure", waited, cite(session, *(r.turn for r in trouble.runs), run.turn))] if limits else []
    if run.command == trouble.first.command or not (run.ok is True or called_otherwise(trouble, run)):
        return []
    if MISSING.search(trouble.line) and (pair := _renamed(trouble.first, run)):
        return [
            Claim(
                "Cure", f"Call {code(pair[1])} instead of {code(pair[0])}.", cite(session, trouble.first.turn, run.turn)
            )
        ]
    return [Claim("Cure", code(shorten(run.command, 200)), cite(session, run.turn, run.until))]


def _renamed(first: Run, later: Run) -> tuple[str, str] | None:
    """The program that was missing and the one that did its work."""
    one, two = first.parts[-1].program, later.parts[-1].program
    return (one, two) if one != two and {one, two} <= INTERPRETERS else None


def change(session: Session, section: str, made: Event) -> Claim:
    """A change as a claim line: the command that ran, or the file and the line that came."""
    if isinstance(made, Run):
        return Claim(section, code(shorten(made.command, 240)), cite(session, made.turn))
    assert isinstance(made, Edit)
    return Claim(section, f"In {code(made.path)}{_lines(made)}.", cite(session, made.turn))


def _lines(edit: Edit) -> str:
    """What came, else what went: lines that tell something, else an import, which may be all of a cure."""
    for kind in (telling, _IMPORTS.match):
        for word, lines in (("", edit.added), ("removed ", edit.removed)):
            if shown := [x.strip() for x in lines if kind(x)]:
                return f": {word}" + ", ".join(code(shorten(x, 120)) for x in shown[:2])
    return ""


_IMPORTS = re.compile(r"\s*(?:import|from)\s+\S")


def sift(found: Gathering) -> None:
    """Takes out failures whose cure is only the name of a file: nobody can repeat that. A cause is worth a page."""
    kept = [r for r in found.records if r.type is not RecordType.FAILURE or not _bare(r)]
    for _ in range(len(found.records) - len(kept)):
        found.refuse("platitude")
    found.records[:] = kept


def _bare(record: Record) -> bool:
    sections = by_section(record)
    cures = [plain(c.text) for c in sections.get("Cure", ()) if not plain(c.text).startswith("Then ")]
    return bool(cures) and "Cause" not in sections and all(_FILE_ALONE.fullmatch(c) for c in cures)


_FILE_ALONE = re.compile(r"In `+[^`\n]+`+\.")


def telling(line: str) -> bool:
    return len(re.findall(r"\w{2,}", line)) >= 2 and not re.match(r"\s*(?:import|from|//|/\*|\*|\"\"\"|<!--)", line)


def _avoid(session: Session, trouble: Trouble) -> list[Claim]:
    """Changes that were followed by the same error."""
    out: list[Claim] = []
    for tried, after in zip(trouble.tried, trouble.runs[1:], strict=False):
        for made in tried[-1:]:
            if (isinstance(made, Edit) and not _lines(made)) or (
                isinstance(made, Run) and not (made.ok and changes_something(made))
            ):
                continue
            claim = change(session, "Avoid", made)
            cites = tuple(dict.fromkeys((*claim.cites, *cite(session, after.turn))))
            out.append(Claim("Avoid", f"{claim.text.rstrip('.')}: the error stayed.", cites))
    return out[:3]


def _title(trouble: Trouble, steps: Sequence[Event], run: Run) -> str:
    error = shorten(_plain_error(trouble), 64)
    last = steps[-1] if steps else run
    if trouble.mark == TIMED_OUT_MARK and not steps:
        return f"{shorten(trouble.first.command, 64)} is cut off at short limits; give it more time"
    edits = [s for s in steps if isinstance(s, Edit)]
    if edits:
        came = next((x.strip() for e in reversed(edits) for x in e.added if telling(x)), "")
        return f"{error}: mended in {edits[-1].path.rsplit('/', 1)[-1]}" + (f" by {came}" if came else "")
    assert isinstance(last, Run)
    pair = _renamed(trouble.first, last) if MISSING.search(trouble.line) else None
    return f"{error}; " + (f"call {pair[1]}" if pair else f"use {last.command}")


def _plain_error(trouble: Trouble) -> str:
    """The error in few words, with the command when the line does not tell it."""
    mark = re.sub(r"^(?:E|[Ee]rror|ERROR|fatal|FAILED|FAIL)\b[:\s]*(?=\w)", "", trouble.mark)
    failing = next((s for s in reversed(trouble.first.parts) if not s.reads), trouble.first.parts[-1])
    program = failing.program.rsplit("/", 1)[-1]
    return mark if program.lower() in mark.lower() else f"{program}: {mark}"
