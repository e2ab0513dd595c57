"""Repairs that the agent explained: what was broken, why, the change that followed, and the proof that it held.

An explanation alone is an agent's word and teaches nothing. It is kept when what it explains was broken before the
agent changed anything, or the user reported it or doubted that it was done, or the agent admits a mistake of its own;
when a change follows; and when a check passes afterwards or the user goes on without complaint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from llmwiki.model import Claim, Evidence, Record, RecordType, Session, Turn
from llmwiki.prose import claims, code, inert
from llmwiki.synthesizers import attached, causes, gate, phrases, signatures, weakened
from llmwiki.synthesizers.base import Gathering, cite, draft, shorten
from llmwiki.synthesizers.checks import kind_of
from llmwiki.synthesizers.events import Edit, Event, Run, Said
from llmwiki.synthesizers.failures import change, symptom, telling
from llmwiki.synthesizers.folding import anchors
from llmwiki.synthesizers.reported import DOUBT
from llmwiki.synthesizers.troubles import FORGOT, LOOKS, PROSE, again

MOST = 5  # repairs of one session that are kept: more is the log of a task
SHOWN = 40  # outputs that are looked through for what an explanation names
CHECKING = ("test", "build", "types")
WORK_DONE = (("git", "commit"), ("git", "merge"), ("git", "push"))
LOOKING = re.compile(
    r"read|grep|glob|search|list|\bls\b|todo|task(?:create|update|list|get|output)|plan|ask|question|fetch|view|output|"
    r"bash|shell|exec|edit|write|patch|stdin|status",
    re.I,
)
Change = Edit | Run | Turn  # a turn: a call of another tool
Because = tuple[Turn, str]


@dataclass(slots=True)
class Repair:
    """An explanation, what it explains, and the changes that followed it."""

    broken: Run | Said
    causes: list[Because]
    seen: Run | None  # the last run that failed before it
    changes: list[Change]
    named: bool = True  # the explanation names what tools had shown, or was said as a finding
    done: Run | None = None  # what had ended well and was doubted
    failed: Run | None = None  # a run that failed after the changes
    admitted: bool = False
    worked: Run | None = None  # the commit that followed; it proves something when nobody complains afterwards
    vain: list[tuple[Change, Run]] = field(default_factory=list)  # changes that did not help, with what showed it


@dataclass(slots=True)
class _Reading:
    """The state of one pass over a session."""

    broken: Run | Said | None = None
    seen: Run | None = None
    last: Run | None = None  # the last run that changed something
    done: Run | None = None
    touched: set[str] = field(default_factory=set)
    before: frozenset[str] = frozenset()  # what had been changed when something broke
    admitted: bool = False
    stopped: bool = False  # the user has just refused a call
    strong: list[Because] = field(default_factory=list)
    weak: list[Because] = field(default_factory=list)
    loose: list[Because] = field(default_factory=list)  # explanations that name nothing
    sure: bool = False  # they were said as a finding
    open: list[Repair] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    told: list[Turn] = field(default_factory=list)

    def silence(self) -> None:
        self.strong, self.weak, self.loose, self.admitted = [], [], [], False

    def over(self, run: Run) -> None:
        """What failed is over when the same call passes: a later change mends something else."""
        if isinstance(self.broken, Run) and again(self.broken, run):
            self.broken = None
        if self.seen is not None and again(self.seen, run):
            self.seen = None

    def change(self, made: Change, near: bool = True) -> None:
        """A change after an explanation opens a repair; one without belongs to the repair that is open."""
        broken = self.broken or (self.seen or self.last if self.admitted else None)
        why = self.strong or (self.weak if near else []) or (self.loose if isinstance(broken, Said) and near else [])
        if broken is not None and why:
            before = self.open[-1] if self.open else None
            if self._own(broken, made, why):
                return
            repair = Repair(broken, why, self.seen, [made], why is not self.loose or self.sure, self.done)
            repair.admitted = self.admitted
            if before is not None and before.failed is not None:
                repair.vain = [*before.vain, (before.changes[0], before.failed)]
                self.open.remove(before)
            self.open.append(repair)
            self.silence()
        elif self.open and not isinstance(made, Turn):
            self.open[-1].changes.append(made)

    def _own(self, broken: Run | Said, made: Change, why: Sequence[Because]) -> bool:
        """Whether the agent only mends what it has just written, and tells no more than that it had forgotten it."""
        if any(FORGOT.search(s) for _, s in why):
            return True
        mine = isinstance(broken, Run) and isinstance(made, Edit) and made.path in self.before
        return mine and (why is self.loose or why is self.weak)


def gather(found: Gathering, happened: Sequence[Event]) -> None:
    """Adds the explained repairs of a session; failures that are told already get their cause."""
    cured = attached.attach(found)
    kept = 0
    for repair, proof in _repairs(found.session, happened):
        known = _told_already(cured, repair)
        record = _record(found.session, repair, proof) if known is not None or kept < MOST else None
        if record is None:
            continue
        if found.refuses(" ".join(c.text for c in claims(record.body))):
            continue
        if known is not None:
            attached.join(found, known, record)
        else:
            cured.update(dict.fromkeys(anchors(record, "Cure"), len(found.records)))
            found.records.append(record)
            kept += 1


# -- one pass


def _repairs(session: Session, happened: Sequence[Event]) -> Iterator[tuple[Repair, Run | Said]]:
    """Each explained repair with what proves it, in the order of their proofs."""
    at = _Reading()
    for step in _steps(session, happened):
        if isinstance(step, Turn):
            _turn(at, step)
        elif isinstance(step, Said):
            yield from _said(at, step)
        elif isinstance(step, Run):
            yield from _run(at, step)
        else:
            at.touched.add(step.path)
            if not PROSE.search(step.path):
                at.change(step)
    yield from ((r, r.worked) for r in at.open if r.worked and (isinstance(r.broken, Said) or r.admitted))


def _steps(session: Session, happened: Sequence[Event]) -> Iterator[Event | Turn]:
    """What happened, what the agent said and what its tools showed, in one order."""
    by_turn: dict[str, list[Event]] = {}
    for event in happened:
        by_turn.setdefault(event.turn.anchor, []).append(event)
    for turn in session.turns:
        if (turn.role == "assistant" and turn.text.strip()) or turn.role == "tool":
            yield turn
        yield from by_turn.get(turn.anchor, ())


def _turn(at: _Reading, turn: Turn) -> None:
    """What an agent says may explain; a call of a tool that is no look is a change."""
    if turn.role == "tool":
        at.shown.append(f"{turn.text[:3_000]}\n{turn.result[:6_000]}")
        at.stopped = turn.outcome == "refused"
        if isinstance(at.broken, Said) and turn.outcome == "ok" and not LOOKING.search(turn.tool) and turn.text.strip():
            at.change(turn)
        return
    shown = at.shown[-SHOWN:]
    strong, weak = causes.explanations(turn, shown)
    at.admitted = at.admitted or any(causes.ADMITTED.search(s) for s in gate.sentences(turn.text[:2_000]))
    sure, other = ([], []) if strong or weak else causes.explanations(turn, shown, strict=False)
    at.strong = (at.strong + [(turn, s) for s in strong])[-2:]
    at.weak, at.loose, at.sure = [(turn, s) for s in weak], [(turn, s) for s in sure or other], bool(sure)
    at.told = [*at.told[-3:], turn]


def _said(at: _Reading, said: Said) -> Iterator[tuple[Repair, Run | Said]]:
    """The user's words: no complaint proves what was open, a report or a doubt opens what is to be explained."""
    if said.turn.origin in ("interrupt", "refusal"):
        at.stopped = True
        return
    doubts = causes.objects(said.turn, at.told)
    reports = causes.reports(said.turn)
    if at.broken is not None and (at.stopped or _corrects(said.turn)) and not reports:
        at.stopped = False  # what was broken still is, and the way to mend it is another
        at.open = []
        return
    at.stopped = False
    if not _complains(said.turn) and not reports and not doubts:
        told = [r for r in at.open if isinstance(r.broken, Said) or r.admitted]
        yield from ((r, r.worked or said) for r in told if _believed(r, said))
    at.open, at.seen = [], None
    at.silence()
    at.done = at.last if doubts else None
    if reports or doubts:
        at.broken = said
    elif isinstance(at.broken, Said) and not _complains(said.turn):
        at.broken = None  # "still the old one" leaves open what was reported


def _corrects(turn: Turn) -> bool:
    """Whether the user forbids or redirects what was being done, in few words."""
    words = gate.own_words(turn.text)
    first = (gate.sentences(words) or [""])[0]
    return len(words) <= 240 and bool(phrases.marks(first).keys() & {"prohibition", "contrast", "correction"})


def _complains(turn: Turn) -> bool:
    words = gate.own_words(turn.text)
    return bool(DOUBT.search(words) or phrases.COMPLAINT.search(words)) or turn.origin in ("interrupt", "refusal")


def _believed(repair: Repair, said: Said) -> bool:
    """An explanation that names nothing needs the user's praise."""
    return repair.named or bool(phrases.THANKS.search(gate.own_words(said.turn.text)))


def _run(at: _Reading, run: Run) -> Iterator[tuple[Repair, Run | Said]]:
    if run.ok is False and not run.reads:
        yield from _went_further(at, run)
        at.seen = run
        started = (
            any(map(kind_of, run.parts)) and at.touched
        )  # a check that fails after a change is the agent's own work
        if at.broken is None and not started:
            at.broken, at.before = run, frozenset(at.touched)
        for repair in at.open:
            repair.failed = run
        return
    if not run.ok or run.reads or all(map(weakened.asks, run.parts)):
        return
    if any(s.key[:2] in WORK_DONE for s in run.parts):
        for repair in at.open:
            repair.worked = repair.worked or run
        return
    if proved := [r for r in at.open if r.named and _proves(r, run)]:
        yield from ((r, run) for r in proved)
        at.open = [r for r in at.open if r not in proved]
        at.silence()
    elif any(not s.reads and kind_of(s) not in LOOKS and s.program != "git" for s in run.parts):
        at.change(run)
        yield from _at_once(at, run)
    at.over(run)
    at.last = run
    at.weak, at.loose = [], []


def _at_once(at: _Reading, run: Run) -> Iterator[tuple[Repair, Run | Said]]:
    """A call that did, after an explanation, what another call had failed to do: the change and the proof in one."""
    repair = at.open[-1] if at.open else None
    if repair is None or repair.changes != [run] or isinstance(repair.broken, Said) or repair.seen is None:
        return
    if _same_work(repair.seen, run):
        at.open.remove(repair)
        yield repair, run


def _went_further(at: _Reading, run: Run) -> Iterator[tuple[Repair, Run | Said]]:
    """Another call that did, after an explanation, what one had failed to do, and failed at something else."""
    why = at.strong or at.weak
    if at.seen is None or not why or not _same_work(at.seen, run) or run.command == at.seen.command:
        return
    one, two = (signatures.signature(signatures.error_line(r.output)) for r in (at.seen, run))
    if one and two and one != two and not any(kind_of(s) == "test" for s in run.parts):
        yield Repair(at.seen, why, at.seen, [run]), run
        at.silence()


def _same_work(first: Run, later: Run) -> bool:
    """Whether two calls are about the same: an operand of four letters or more in both."""
    words = {w for s in first.parts for w in s.key[1:] if len(w) > 3}
    return bool(words & {w for s in later.parts for w in s.key[1:]})


def _proves(repair: Repair, run: Run) -> bool:
    """Whether a passing run shows that the repair held: it does again what failed, or it is a test of the same tool."""
    failed = repair.seen or repair.done or (repair.broken if isinstance(repair.broken, Run) else None)
    if failed is not None and weakened.weaker(failed, run):
        return False
    if failed is not None:
        programs = {s.program for s in failed.parts if kind_of(s)}
        return again(failed, run) or any(s.program in programs for s in run.parts)
    return any(kind_of(s) in CHECKING for s in run.parts)


# -- the page


def _record(session: Session, repair: Repair, proof: Run | Said) -> Record | None:
    """The page of a repair; None when nothing telling was changed."""
    edits = [c for c in repair.changes if isinstance(c, Edit) and any(map(telling, (*c.added, *c.removed)))]
    runs = [c for c in repair.changes if isinstance(c, Run)]
    calls = [c for c in repair.changes if isinstance(c, Turn)]
    if not edits and not runs and not calls:
        return None
    made: list[Change] = [*calls[:1], *edits[:2], *runs[-1:]]
    if any(not isinstance(c, Turn) and (weakened.looks_away(c) or weakened.takes_away(c)) for c in made):
        return None
    lines = [*_symptom(session, repair)]
    lines += [Claim("Cause", inert(shorten(text, 400)), cite(session, turn)) for turn, text in repair.causes]
    lines += [_made(session, "Cure", c) for c in made]
    if isinstance(proof, Run) and proof not in repair.changes:
        lines.append(Claim("Cure", f"Then {code(shorten(proof.command, 160))} passed.", cite(session, proof.turn)))
    for tried, after in repair.vain[:3]:
        tried_line = _made(session, "Avoid", tried)
        text = f"{tried_line.text.rstrip('.')}: {code(shorten(after.command, 100))} failed afterwards."
        lines.append(Claim("Avoid", text, (*tried_line.cites, *cite(session, after.turn))))
    failed = repair.seen or (repair.broken if isinstance(repair.broken, Run) and not repair.broken.ok else None)
    mark = signatures.signature(signatures.error_line(failed.output)) if failed is not None else ""
    where = _where(made[0])
    return draft(
        session,
        RecordType.FAILURE,
        causes.titled([text for _, text in repair.causes], where),
        f"The agent found this cause; {where} is where it was mended.",
        lines,
        Evidence.TEST_PROVED if isinstance(proof, Run) and any(map(kind_of, proof.parts)) else Evidence.INFERRED,
        tags=[where],
        when={"errors": [mark]} if mark else {},
        held=gate.held(" ".join(c.text for c in lines if c.section in ("Cause", "Cure")))
        or causes.hearsay(session, repair.causes),
    )


def _told_already(cured: Mapping[str, int], repair: Repair) -> int | None:
    """The place of the record that tells of the same change; None when there is none."""
    made = (c.anchor if isinstance(c, Turn) else c.turn.anchor for c in repair.changes)
    return next((cured[a] for a in made if a in cured), None)


def _where(made: Change) -> str:
    if isinstance(made, Edit):
        return made.path.rsplit("/", 1)[-1]
    return made.tool if isinstance(made, Turn) else made.parts[-1].program


def _made(session: Session, section: str, made: Change) -> Claim:
    """A change as a claim line; of a call of another tool what it was told first."""
    if not isinstance(made, Turn):
        return change(session, section, made)
    first = made.text.strip().split("\n", 1)[0].removeprefix("description: ")
    return Claim(section, f"{code(made.tool)} was called: {code(shorten(first, 160))}", cite(session, made))


def _symptom(session: Session, repair: Repair) -> Iterator[Claim]:
    """What was seen: what had ended well, the user's words, the run that failed with its error line."""
    failed = repair.seen or (repair.broken if isinstance(repair.broken, Run) else None)
    if repair.done is not None:
        last = next((x.strip() for x in reversed(repair.done.output.splitlines()) if x.strip()), "")
        ended = f"{code(shorten(repair.done.command, 160))} had ended well" + (
            f": {code(shorten(last, 100))}." if last else "."
        )
        yield Claim("Symptom", ended, cite(session, repair.done.turn, repair.done.until))
    if isinstance(repair.broken, Said):
        said = gate.sentences(gate.own_words(repair.broken.turn.text))
        long = [s for s in said if len(s.split()) > 2 or not s.isascii()] or said
        shown = next((s for s in said if causes.BROKEN.search(s)), long[0] if long else "")
        if shown:
            told = f'The user reported: "{inert(shorten(shown, 240))}"'
            yield Claim("Symptom", told, cite(session, repair.broken.turn))
    if failed is not None and (line := signatures.error_line(failed.output)):
        yield from symptom(session, [failed], line)
