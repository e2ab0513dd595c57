"""Failures that no command shows alone: what the user pasted and what then helped, what came twice, what was left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from llmwiki.model import Claim, Evidence, RecordType, Turn
from llmwiki.prose import code, inert
from llmwiki.synthesizers import gate, phrases, signatures, weakened
from llmwiki.synthesizers.base import Gathering, cite, draft, shorten
from llmwiki.synthesizers.checks import kind_of
from llmwiki.synthesizers.events import Edit, Event, Run, Said
from llmwiki.synthesizers.failures import change, symptom, telling
from llmwiki.synthesizers.shell import INTERPRETERS
from llmwiki.synthesizers.troubles import ASKING, ASSERTED, MISSING, PROSE, TIMED_OUT_MARK, Trouble

MISSING_NAME = re.compile(
    r"(?:^|[:\s'\"`])([A-Za-z][\w.+-]{0,40})['\"`]?: (?:command )?not found|command not found: (\S+)|"
    r"'?([\w.-]{1,100})'? is not recognized"
)
APPROVAL = re.compile(r"requires approval|requested permissions to (?:use )?\w+|haven't granted it yet")
AGAIN = 2  # how often an error without a cure must come to be worth a page


@dataclass(slots=True)
class Report:
    """An error that the user pasted: the turn, its lines, and what was changed since."""

    turn: Turn
    lines: list[str]
    marks: set[str]
    tried: list[Event] = field(default_factory=list)
    failed: list[tuple[Event, Turn]] = field(default_factory=list)
    spoken: bool = False  # whether the user spoke of it once more, and not as of something that stayed


def gather(found: Gathering, happened: Sequence[Event], uncured: Sequence[Trouble]) -> None:
    """Adds the failures that the user reported, and those that repeated or were left."""
    _reports(found, happened)
    _missing(found, [t for t in uncured if MISSING.search(t.line)])
    _repeated(found, [t for t in uncured if not MISSING.search(t.line) and t.mark != TIMED_OUT_MARK])
    _approvals(found)
    _left(found, uncured, happened)


# -- what the user pasted


def _reports(found: Gathering, happened: Sequence[Event]) -> None:
    """A pasted error is cured when the user's next words no longer show it and something was changed in between."""
    report: Report | None = None
    for event in happened:
        if isinstance(event, Said):
            fresh = _pasted(event.turn)
            same = fresh is not None and report is not None and bool(report.marks & fresh.marks)
            if report is not None and (same or (fresh is None and DOUBT.search(gate.own_words(event.turn.text)))):
                report.failed += [(e, event.turn) for e in _last(report.tried)]
                report.tried = []
                continue
            if report is not None and fresh is None and report.tried and _on_it(report, event.turn):
                report.spoken = True
                continue
            if report is not None and report.tried:
                _report(found, report, event.turn)
            report = fresh
        elif report is not None and (isinstance(event, Edit) or (event.ok and not event.reads)):
            report.tried.append(event)
    if report is not None and report.spoken:
        _report(found, report, None)


def _on_it(report: Report, turn: Turn) -> bool:
    """Whether the user is not done with the error: asks something, or speaks of the same things without a thank-you."""
    words = gate.own_words(turn.text)
    first = next(iter(gate.sentences(words)), "")
    shared = gate.distinctive(words) & gate.distinctive(" ".join(report.lines))
    return bool(phrases.QUESTION.search(first) or shared) and not phrases.THANKS.search(words)


def _pasted(turn: Turn) -> Report | None:
    """The error lines of a prompt that are not the user's own words."""
    if turn.origin not in ("typed", "queued") or gate.template(turn.text):
        return None
    own = set(gate.own_words(turn.text).split("\n")[:1])
    lines = [x.strip() for x in turn.text[:8_000].split("\n") if x.strip() and x.strip() not in own and len(x) < 400]
    errors = [x for x in lines if PASTED.search(x)]
    named = [signatures.error_line("\n".join(errors))] if errors else []
    shown = list(dict.fromkeys([x for x in named if x] + errors))[:3]
    return Report(turn, shown, {signatures.signature(x) for x in shown}) if shown else None


DOUBT = re.compile(
    r"\bare you sure\b|\bstill\b|\bsame (?:error|issue|problem|thing again)\b|\b(?:doesn'?t|does not|didn'?t|"
    r"not) (?:work|help|change)|\bno (?:change|luck|difference)\b"
    r"|immer noch|toujours|sigue|还是|仍然|まだ|여전히|всё ещё",
    re.I,
)
PASTED = re.compile(
    r"^\s*(?:[\w.-]+\s*\|\s*)?(?:[\w.]+(?:Error|Exception)|error(?:\[\w+\])?|ERROR|fatal|FATAL|panic|"
    r"npm ERR!|E )\b.*[:!]|"
    r"\b(?:failed|not found|was blocked|denied|refused|cannot|could not|unable to|mismatch|ERR_\w+|"
    r"NS_ERROR_\w+)\b"
    r"|Host key verification failed|失败|错误|エラー|fehlgeschlagen|échoué",
    re.I,
)


def _last(tried: Sequence[Event]) -> list[Event]:
    """The change that counts of what was tried: code before prose, what was done last."""
    edits = [e for e in tried if isinstance(e, Edit) and not PROSE.search(e.path) and any(map(telling, e.added))]
    runs = [
        e
        for e in tried
        if isinstance(e, Run)
        and e.ok is not False
        and not any(ASKING & set(s.words) for s in e.parts)
        and any((not s.reads and not kind_of(s) and s.program != "git") or s.key[:2] in SETUP for s in e.parts)
    ]
    return [*edits[-2:], *runs[-2:]]


UNSAID = "the session ended on it, and nobody said that it helped; confirm it"
SETUP = frozenset(
    (("git", "submodule"), ("git", "config"), ("git", "remote"), ("git", "lfs"), ("git", "rm"), ("git", "mv"))
)


def _report(found: Gathering, report: Report, after: Turn | None) -> None:
    """The record of a report and what was changed since. Where the session ended on it, nobody said that it helped."""
    session = found.session
    steps = _last(report.tried)
    if not steps or any(weakened.looks_away(s) or weakened.takes_away(s) for s in steps):
        return
    claims = [
        Claim("Symptom", f"The user reported {code(shorten(line, 220))}.", cite(session, report.turn))
        for line in report.lines
    ]
    claims += [change(session, "Cure", step) for step in steps]
    words = gate.sentences(gate.own_words(after.text))[:1] if after is not None else []
    if after is not None and words:
        claims.append(
            Claim(
                "Cure",
                f'The user\'s next words no longer show it: "{inert(shorten(words[0], 160))}"',
                cite(session, after),
            )
        )
    for step, seen in report.failed[:3]:
        claim = change(session, "Avoid", step)
        claims.append(
            Claim(
                "Avoid",
                f"{claim.text.rstrip('.')}: the user saw the error again.",
                (*claim.cites, *cite(session, seen)),
            )
        )
    if found.refuses(" ".join(c.text for c in claims)):
        return
    last = steps[-1]
    by = (
        last.command
        if isinstance(last, Run)
        else f"a change in {last.path.rsplit('/', 1)[-1]}"
        if isinstance(last, Edit)
        else ""
    )
    named = re.sub(r"[“\"'‘]\s", "", signatures.signature(report.lines[0]))
    title = f"{shorten(named, 50)}; gone after {by}"
    held = gate.held(" ".join(c.text for c in claims if c.section == "Cure")) or ("" if after else UNSAID)
    found.records.append(
        draft(
            session,
            RecordType.FAILURE,
            shorten(title),
            "An error that the user reported, and what was changed before it was gone.",
            claims,
            Evidence.INFERRED,
            when={"errors": sorted(report.marks)},
            held=held,
        )
    )


# -- what nothing cured


def _missing(found: Gathering, troubles: Sequence[Trouble]) -> None:
    """Programs that are not there and that nobody replaced: worth a page when there are two or one was tried twice."""
    named: dict[str, list[Run]] = {}
    for run in (r for t in troubles for r in t.runs):
        for hit in MISSING_NAME.findall(run.output[:2_000]):
            name = next(filter(None, hit), "")
            if name and name.lower() not in ("line", "bash", "sh", "zsh", "command"):
                named.setdefault(name, []).append(run)
    if sum(map(len, named.values())) < AGAIN:
        return
    session = found.session
    claims = [
        Claim(
            "Symptom",
            f"{code(shorten(signatures.error_line(runs[0].output), 200))} from {code(shorten(runs[0].command, 120))}"
            + (f", exit code {runs[0].code}." if runs[0].code else "."),
            cite(session, *(r.turn for r in runs[:3])),
        )
        for runs in named.values()
    ]
    errors = [f"{n}: command not found" for n in named]
    title = f"Not on the PATH here: {', '.join(named)}"
    found.records.append(
        draft(
            session,
            RecordType.FAILURE,
            title,
            "Commands that were not found in this environment.",
            claims,
            Evidence.REPEATED,
            tags=list(named)[:4],
            when={"errors": errors},
        )
    )


def _repeated(found: Gathering, troubles: Sequence[Trouble]) -> None:
    """One error of several commands that nothing cured: a limit of this place."""
    by_mark: dict[str, list[Run]] = {}
    lines: dict[str, str] = {}
    for trouble in troubles:
        if any(kind_of(s) for s in trouble.first.parts) or ASSERTED.search(trouble.line) or _script(trouble):
            continue
        by_mark.setdefault(trouble.mark, []).extend(trouble.runs)
        lines.setdefault(trouble.mark, trouble.line)
    for mark, runs in by_mark.items():
        if len(runs) < AGAIN or gate.refusal(lines[mark]):
            continue
        title = f"{shorten(mark, 60)}: {len(runs)} times, no cure was seen"
        found.records.append(
            draft(
                found.session,
                RecordType.FAILURE,
                title,
                "An error that came again; nothing in the session cured it.",
                symptom(found.session, runs, lines[mark]),
                Evidence.REPEATED,
                when={"errors": [mark]},
            )
        )


def _script(trouble: Trouble) -> bool:
    """Whether the error is one of a script that the agent was writing: an exception, not a limit of the machine."""
    return any(s.program in INTERPRETERS for s in trouble.first.parts) and bool(
        re.match(r"\s*(?:E\s+)?[A-Z]\w*(?:Error|Exception)\b", trouble.line)
    )


def _approvals(found: Gathering) -> None:
    """Calls that nobody could approve: where nobody sits at the keyboard the tools must be allowed beforehand."""
    asked: dict[str, Turn] = {}
    for turn in found.session.turns:
        if turn.role == "tool" and turn.outcome.startswith("error") and APPROVAL.search(turn.result[:600]):
            name = turn.text.split("\n")[0] if turn.tool.lower() in ("bash", "shell") else turn.tool
            asked.setdefault(shorten(name, 60), turn)
    if len(asked) < 3:
        return
    session = found.session
    claims = [
        Claim(
            "Symptom", f"{code(name)}: {code(shorten(turn.result.strip().splitlines()[0], 140))}.", cite(session, turn)
        )
        for name, turn in list(asked.items())[:5]
    ]
    title = "Nobody could approve calls in this session: " + ", ".join(asked)
    found.records.append(
        draft(
            session,
            RecordType.FAILURE,
            shorten(title),
            "Tools were refused because they need an approval that nobody gave; allow them beforehand.",
            claims,
            Evidence.REPEATED,
            when={"errors": ["requires approval"]},
        )
    )


LEFT = ("test", "types", "build")


def _left(found: Gathering, uncured: Sequence[Trouble], happened: Sequence[Event]) -> None:
    """A check that failed when it was run last, and nothing was changed afterwards: the work is not done."""
    last = next((e for e in reversed(happened) if isinstance(e, Edit) or (isinstance(e, Run) and not e.reads)), None)
    for trouble in uncured:
        run = trouble.runs[-1]
        kinds = LEFT[:1] if run.by_user else LEFT
        if run is not last or not any(kind_of(s) in kinds for s in run.parts):
            continue
        session = found.session
        failed = re.findall(r"^FAILED (\S+)", run.output, re.M)[:4]
        total = (re.findall(r"\b\d+ failed[^\n=]*", run.output) or [""])[-1].strip()
        claims = [
            Claim(
                "Symptom",
                f"{code(shorten(run.command, 160))} ended with {code(total or shorten(trouble.line, 120))}.",
                cite(session, run.turn, run.until),
            )
        ]
        claims += [Claim("Symptom", f"{code(shorten(name, 160))} failed.", cite(session, run.until)) for name in failed]
        title = shorten(f"Left failing: {run.command}" + (f", {total}" if total else ""))
        found.records.append(
            draft(
                session,
                RecordType.FAILURE,
                title,
                "It failed when it was run last, and nothing was changed afterwards.",
                claims,
                Evidence.TEST_PROVED,
                tags=[run.parts[-1].program],
                when={"errors": [trouble.mark]},
            )
        )
