"""Failures with their cures: an error that was seen, what was changed just before it was gone, and what did not help.

An error is gone when the same command later ends well, or ends with another error. Wrappers are seen through. Without
a cure and without a repetition there is no record, and a test that the agent broke and mended itself is none either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from llmwiki.model import Cite, Claim, Evidence, RecordType, Session, Turn
from llmwiki.prose import code
from llmwiki.synthesizers import gate, signatures
from llmwiki.synthesizers.base import Gathering, cite, draft, shorten
from llmwiki.synthesizers.checks import kind_of
from llmwiki.synthesizers.events import Edit, Event, Run, Said, arguments
from llmwiki.synthesizers.shell import INTERPRETERS, Simple

OPEN = 12  # errors that wait for a cure at one time; older ones are given up
MISSING = re.compile(
    r"command not found|not recognized as|is not recognized|No such file or directory: '[\w.-]+'$", re.I
)
MISSING_NAME = re.compile(
    r"(?:^|[:\s'\"`])([A-Za-z][\w.+-]{0,40})['\"`]?: (?:command )?not found|command not found: (\S+)|'?([\w.-]+)'? is not recognized"
)
TIMED_OUT = re.compile(r"timed out after|Command timed out|timeout: sending signal", re.I)
RULE_CODE = re.compile(r"(?<![\w/.-])(?:[A-Z]{1,4}\d{3,5}|TS\d{4})\b|\berror\[[\w-]+\]")


@dataclass(slots=True)
class Trouble:
    """An error that is waiting: the runs that showed it, and what was tried between them."""

    first: Run
    line: str
    mark: str
    runs: list[Run]
    tried: list[list[Event]] = field(default_factory=lambda: [[]])


def gather(found: Gathering, happened: Sequence[Event]) -> None:
    """Adds the failures of a session to what is gathered."""
    waiting: list[Trouble] = []
    missing: list[Run] = []
    touched: set[str] = set()
    for event in happened:
        if isinstance(event, Run):
            solved = [t for t in waiting if _solves(t, event)]
            for trouble in solved:
                waiting.remove(trouble)
                if _cured(found, trouble, event, touched) and trouble.first in missing:
                    missing.remove(trouble.first)
            _note(found, waiting, missing, event)
        if isinstance(event, (Edit, Run)) and not (isinstance(event, Run) and (event.reads or event.ok is None)):
            for trouble in waiting:
                if event is not trouble.runs[-1]:
                    trouble.tried[-1].append(event)
        if isinstance(event, Edit):
            touched.add(event.path)
        del waiting[:-OPEN]
    _missing(found, missing)
    _left(found, waiting, happened)


def _note(found: Gathering, waiting: list[Trouble], missing: list[Run], run: Run) -> None:
    """A failed run joins the trouble that it repeats, or opens one."""
    if run.ok is not False or not run.parts:
        return
    line = signatures.error_line(run.output)
    mark = signatures.signature(line)
    reason = (
        "harness"
        if signatures.HARNESS.search(run.output[:4_000])
        else "transient"
        if signatures.TRANSIENT.search(line)
        else ""
    )
    timed_out = bool(TIMED_OUT.search(run.output[:400] + run.output[-400:]))
    if reason and not timed_out:
        found.refuse(reason)
        return
    if timed_out:
        line = next((x for x in run.output.splitlines() if TIMED_OUT.search(x)), "timed out").strip()
        mark = "timed out"
    if not mark or (run.reads and not timed_out and not MISSING.search(line)):
        return
    for trouble in waiting:
        if trouble.mark == mark and _again(trouble.first, run):
            trouble.runs.append(run)
            trouble.tried.append([])
            return
    if MISSING.search(line):
        missing.append(run)
    waiting.append(Trouble(run, line, mark, [run]))


def _again(first: Run, later: Run) -> bool:
    """Whether a run does again what a failed one did."""
    keys = {s.key for s in first.parts if not s.reads} or {s.key for s in first.parts}
    if any(s.key in keys for s in later.parts):
        return True
    checks = {s.program: s for s in first.parts if kind_of(s) in ("test", "lint", "types", "format")}
    return any(s.program in checks and _covers(s, checks[s.program]) for s in later.parts)


def _covers(later: Simple, first: Simple) -> bool:
    """Whether a check looks at everything that an earlier one looked at."""
    wide, narrow = set(later.key[1:]), set(first.key[1:])
    return not wide - narrow or any("::" in w and w.split("::")[0] in narrow for w in wide)


def _solves(trouble: Trouble, run: Run) -> bool:
    """Whether a run shows that the error is gone: the same command without it, or the missing program by another name."""
    if run.ok is None:
        return False
    if run.ok is False and signatures.signature(signatures.error_line(run.output)) == trouble.mark:
        return False
    if run.ok is False and TIMED_OUT.search(run.output[:400]):
        return False
    if _again(trouble.first, run):
        return run.ok or bool(signatures.error_line(run.output))
    if not run.ok or run.reads:
        return False
    near = len(trouble.tried[-1]) <= 2 and len(trouble.runs) == 1
    return near and _variant(trouble, run)


def _variant(trouble: Trouble, run: Run) -> bool:
    """The same work called otherwise: another program with the same operands, or the same subcommand with others."""
    if MISSING.search(trouble.line):
        first = trouble.first.parts[-1]
        return any(
            s.program != first.program
            and s.program in INTERPRETERS
            and first.program in INTERPRETERS
            and _close(s.words[1:], first.words[1:])
            for s in run.parts
        )
    if any(kind_of(s) for s in trouble.first.parts):
        return False
    heads = {s.key[:2] for s in trouble.first.parts if len(s.key) > 1 and not s.reads and s.program not in INTERPRETERS}
    shared = [s for s in run.parts if s.key[:2] in heads]
    wanted = {w for s in trouble.first.parts for w in s.key[2:]}
    return any(wanted & set(s.key[2:]) for s in shared)


def _close(first: Sequence[str], second: Sequence[str]) -> bool:
    one, two = set(" ".join(first).split()), set(" ".join(second).split())
    return bool(one or not two) and len(one & two) * 5 >= len(one | two) * 3


def _cured(found: Gathering, trouble: Trouble, run: Run, touched: set[str]) -> bool:
    """A record of an error and its cure, when the cure is known and worth keeping."""
    changes = trouble.tried[-1]
    edits = [e for e in changes if isinstance(e, Edit)]
    session = found.session
    called = run.command != trouble.first.command and not changes
    if not changes and not called and trouble.mark != "timed out":
        found.refuse("transient")
        return False
    if edits and _own_doing(trouble, edits, touched):
        found.refuse("one-off")
        return False
    steps = [c for c in changes if isinstance(c, Edit) or (isinstance(c, Run) and c.ok and not c.reads and not _again(trouble.first, c))]
    claims = _symptom(session, trouble)
    cures = _cure_claims(session, steps, trouble, run)
    if not cures:
        return False
    claims += cures
    ended = f"Then {code(shorten(run.command, 160))} " + ("passed." if run.ok else "went further: the error was gone.")
    if not (called and len(cures) == 1 and not steps):
        claims.append(Claim("Cure", ended, cite(session, run.turn, run.until)))
    claims += _avoid(session, trouble)
    title = _title(trouble, steps, run)
    text = " ".join(c.text for c in claims)
    refused = gate.refusal(text)
    if refused:
        found.refuse(refused)
        return False
    description = f"Seen when {shorten(trouble.first.command, 80)} ran; gone after the change under Cure."
    record = draft(
        session, RecordType.FAILURE, title, description, claims, Evidence.TEST_PROVED,
        tags=[s.program for s in trouble.first.parts[-1:]], when={"errors": [trouble.mark]}, held=gate.held(" ".join(c.text for c in cures)),
    )  # fmt: skip
    found.records.append(record)
    return True


def _own_doing(trouble: Trouble, edits: list[Edit], touched: set[str]) -> bool:
    """Whether the agent only mended what it was writing: a failing check, one try, in files that it had changed before."""
    check = any(kind_of(s) in ("test", "build", "types", "lint", "format") for s in trouble.first.parts)
    script = any(s.program in INTERPRETERS for s in trouble.first.parts)
    if trouble.first.by_user or RULE_CODE.search(trouble.line) or len(trouble.runs) > 1:
        return False
    return (check or script) and all(e.path in touched for e in edits)


def _symptom(session: Session, trouble: Trouble) -> list[Claim]:
    run = trouble.first
    exit_code = f", exit code {run.code}" if run.code else ""
    lines = [
        Claim(
            "Symptom",
            f"{code(shorten(trouble.line, 200))} from {code(shorten(run.command, 160))}{exit_code}.",
            cite(session, run.turn, run.until),
        )
    ]
    if len(trouble.runs) > 1:
        again = [t for r in trouble.runs[1:4] for t in (r.turn, r.until)]
        lines.append(
            Claim("Symptom", f"The same error again: {code(shorten(trouble.line, 120))}.", cite(session, *again))
        )
    return lines


def _cure_claims(session: Session, steps: Sequence[Event], trouble: Trouble, run: Run) -> list[Claim]:
    """The change just before, at most three lines of it; without one, the command as it ran when it passed."""
    if steps:
        return [_change(session, "Cure", s) for s in steps[-3:]]
    waited = _limit(run.turn)
    if trouble.mark == "timed out" and run.ok:
        if waited:
            return [
                Claim(
                    "Cure",
                    f"{code(shorten(run.command, 160))} passed with a limit of {waited} ms.",
                    cite(session, run.turn),
                )
            ]
        return []
    if run.command == trouble.first.command:
        return []
    return [Claim("Cure", code(shorten(run.command, 200)), cite(session, run.turn, run.until))]


def _limit(turn: Turn) -> int:
    given = arguments(turn)
    value = given.get("timeout_ms") or given.get("timeout")
    return value if isinstance(value, int) else 0


def _change(session: Session, section: str, change: Event) -> Claim:
    """A change as a claim line: the command that ran, or the file and the line that came."""
    if isinstance(change, Run):
        return Claim(section, code(shorten(change.command, 240)), cite(session, change.turn))
    assert isinstance(change, Edit)
    return Claim(section, f"In {code(change.path)}{_lines(change)}.", cite(session, change.turn))


def _lines(edit: Edit) -> str:
    came = [x.strip() for x in edit.added if _telling(x)]
    went = [x.strip() for x in edit.removed if _telling(x)]
    if came:
        return ": " + ", ".join(code(shorten(x, 120)) for x in came[:2])
    return ": removed " + ", ".join(code(shorten(x, 120)) for x in went[:2]) if went else ""


def _telling(line: str) -> bool:
    return len(re.findall(r"\w{2,}", line)) >= 2 and not re.match(r"\s*(?:import|from|//|/\*|\*|\"\"\"|<!--)", line)


def _avoid(session: Session, trouble: Trouble) -> list[Claim]:
    """Changes that were followed by the same error."""
    out: list[Claim] = []
    for tried, after in zip(trouble.tried, trouble.runs[1:], strict=False):
        for change in tried[-1:]:
            if isinstance(change, Edit) or (isinstance(change, Run) and change.ok and not change.reads):
                claim = _change(session, "Avoid", change)
                cites: tuple[Cite, ...] = (*claim.cites, *cite(session, after.turn))
                out.append(Claim("Avoid", f"{claim.text.rstrip('.')}: the error stayed.", tuple(dict.fromkeys(cites))))
    return out[:3]


def _title(trouble: Trouble, steps: Sequence[Event], run: Run) -> str:
    error = shorten(_plain_error(trouble), 52)
    last = steps[-1] if steps else run
    if trouble.mark == "timed out" and not steps:
        return f"{shorten(trouble.first.command, 40)} times out at short limits; give it {_limit(run.turn)} ms"
    if isinstance(last, Edit):
        came = next((x.strip() for x in last.added if _telling(x)), "")
        return f"{error}: cured in {last.path.rsplit('/', 1)[-1]}" + (f" by {came}" if came else "")
    assert isinstance(last, Run)
    return f"{error}: use {last.command}"


def _plain_error(trouble: Trouble) -> str:
    """The error in few words, with the command when the line does not tell it."""
    mark = re.sub(r"^(?:E|error|ERROR|fatal|FAILED|FAIL)\b[:\s]*(?=\w)", "", trouble.mark)
    program = trouble.first.parts[-1].program.rsplit("/", 1)[-1]
    return mark if program.lower() in mark.lower() else f"{program}: {mark}"


def _missing(found: Gathering, missing: list[Run]) -> None:
    """Programs that are not there and that nobody replaced: worth a page when there are two or one was tried twice."""
    named: dict[str, list[Run]] = {}
    for run in missing:
        for hit in MISSING_NAME.findall(run.output[:2_000]):
            name = next(filter(None, hit), "")
            if name and name.lower() not in ("line", "bash", "sh", "zsh", "command"):
                named.setdefault(name, []).append(run)
    if sum(map(len, named.values())) < 2:
        return
    session = found.session
    claims = [
        Claim(
            "Symptom",
            f"{code(signatures.error_line(runs[0].output)[:200])} from {code(shorten(runs[0].command, 120))}.",
            cite(session, *(r.turn for r in runs[:3])),
        )
        for runs in named.values()
    ]
    names = ", ".join(named)
    found.records.append(
        draft(session, RecordType.FAILURE, f"Not on the PATH here: {names}", "Commands that were not found in this environment.", claims, Evidence.REPEATED, tags=list(named)[:4],
              when={"errors": [f"{n}: command not found" for n in named]})
    )  # fmt: skip


def _left(found: Gathering, waiting: list[Trouble], happened: Sequence[Event]) -> None:
    """A check that the user ran at the very end and that failed: the work is not done."""
    spoken = [i for i, e in enumerate(happened) if isinstance(e, Said)]
    for trouble in waiting:
        run = trouble.runs[-1]
        at = next((i for i, e in enumerate(happened) if e is run), 0)
        if not run.by_user or any(i > at for i in spoken) or not any(kind_of(s) == "test" for s in run.parts):
            continue
        failed = re.findall(r"^FAILED (\S+)", run.output, re.M)[:4]
        total = re.findall(r"\d+ failed[^\n=]*", run.output)[-1:]
        claims = [
            Claim(
                "Symptom",
                f"{code(shorten(run.command, 160))} ended with {code(total[0].strip() if total else shorten(trouble.line, 120))}.",
                cite(found.session, run.turn, run.until),
            )
        ]
        claims += [
            Claim("Symptom", f"{code(shorten(name, 160))} failed.", cite(found.session, run.until)) for name in failed
        ]
        title = f"Left failing: {run.command}" + (f", {total[0].strip()}" if total else "")
        found.records.append(draft(found.session, RecordType.FAILURE, shorten(title), "The user's last run of the session failed, and nothing followed.", claims, Evidence.TEST_PROVED,
                                   tags=[run.parts[-1].program], when={"errors": [trouble.mark]}))  # fmt: skip
