"""Repairs that the agent explained: what was broken, why, the change that followed, and the proof that it held.

An explanation alone is an agent's word and teaches nothing. It is kept when it names something that a tool had shown,
when what it explains was broken before the agent changed anything (or the user reported it), when a change follows,
and when a check passes afterwards or the user goes on without complaint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from llmwiki.model import Claim, Evidence, Record, RecordType, Session, Turn
from llmwiki.prose import body, claims, code, inert
from llmwiki.synthesizers import gate, phrases, signatures
from llmwiki.synthesizers.base import Gathering, cite, draft, shorten
from llmwiki.synthesizers.checks import kind_of
from llmwiki.synthesizers.events import Edit, Event, Run, Said
from llmwiki.synthesizers.failures import PROSE, again, change, symptom, telling
from llmwiki.synthesizers.folding import combined
from llmwiki.synthesizers.reported import DOUBT

MOST = 4  # repairs of one session that are kept: more is the log of a task
NAMED = re.compile(
    r"`[^`\n]{2,}`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*|(?:[\w@.-]+/)+[\w.-]+|"
    r"\b[\w-]+\.(?:[a-z]{1,4}|toml|yaml|json|lock)\b|--[a-z][\w-]+|\b[A-Z][A-Z0-9_]{3,}\b"
)
FOUND = re.compile(
    r"\b(?:I (?:can )?(?:see|found|understand|know|spotted)(?: now)? (?:the|what|why|that|it)|now I (?:see|"
    r"understand)|"
    r"there'?s (?:the|our|your) (?:bug|issue|problem|culprit)|that'?s (?:the|why|it\b|because)|found (?:it|the)|"
    r"this (?:explains|is why|is because|means)|the (?:real |actual |root |underlying |main )*(?:issue|"
    r"problem|bug|cause|"
    r"culprit|reason|error|failure) (?:is|was|here|comes|lies)|caused by|because|turns out|it seems|due to)\b"
    r"|(?:原因|问题)(?:是|在于|出在|就)|因为|由于|原因は|ため|ので|das (?:problem|liegt)|der (?:grund|fehler)|weil"
    r"|le (?:problème|souci)|parce que|c'est (?:parce|pourquoi)|el problema|porque|se debe",
    re.I,
)
EXPLAINS = re.compile(
    r"\b(?:because|since|caused by|due to|instead of|rather than|no longer|never|only|missing|mismatch\w*|expects?|"
    r"expected|assumes?|overrid\w+|shadow\w+|ignor\w+|wrong|stale|already|without|lacks?|before|after|(?:does|is|was|"
    r"are|were|do|did|has|have|had|could|can)(?:n'?t| not)\b|cannot|not|no|but|so|should be|needs? to be|"
    r"always|still|"
    r"twice|default(?:s|ed)?|fails?|breaks?|broke|conflicts?|wasn'?t)\b"
    r"|因为|由于|没有|不会|不是|缺少|默认|错误|ない|nicht|kein|sondern|pas|aucun|no (?:se|hay|está)|falta",
    re.I,
)
OFFERED = re.compile(  # what could be done explains nothing
    r"\b(?:we|I|you) (?:can|could|should|might|may|need|want|will|would|'ll)\b|\b(?:better|elegant\w*|"
    r"cleaner|simpler|"
    r"approach|option|recommend\w*|suggest\w*)\b|可以|建议",
    re.I,
)
NARRATED = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|now|so|great|good|perfect|excellent|next|first|then|and|also|wait|actually|ah|hmm|"
    r"right|alright)"
    r"\b[\s,.!:—-]*)*(?:let(?:'s| me| us)\b|I'?(?:ll| will| need| am going| want| have to|'?m going|'d)\b|"
    r"I should|we (?:can|"
    r"need to|should|will)\b|to (?:fix|solve|do)|this (?:will|should)|(?:all|both|the) .{0,40}\b(?:pass(?:es|"
    r"ed|ing)?|"
    r"fixed|works?|working)\b|fixed\b|done\b|updat\w+|add(?:ed|ing)\b|我(?:来|先|需要|将)|让我|现在)",
    re.I,
)
BROKEN = re.compile(
    r"\b(?:fail(?:s|ed|ing|ures?)?|errors?|broken?|breaks?|bugs?|wrong|crash\w*|stuck|hangs?|issues?|"
    r"problems?|regression|"
    r"exceptions?|(?:not|n'?t|stopped|no longer) (?:\w+ )?(?:work|show|load|updat|render|run|start|appear|"
    r"pick|happen)\w*|"
    r"weird|strange|unexpected\w*|missing|incorrect\w*|why (?:is|are|does|do|did))\b"
    r"|报错|失败|错误|不对|没有?(?:生效|反应|显示)|エラー|動かない|失敗|오류"
    r"|funktioniert nicht|fehler|kaputt|ne (?:marche|fonctionne)"
    r"|erreur|no funciona|falla|error(?:es)?\b",
    re.I,
)


@dataclass(slots=True)
class Repair:
    """An explanation, what it explains, and the changes that followed it."""

    broken: Run | Said
    causes: list[tuple[Turn, str]]
    seen: Run | None = None  # the last run that failed before it
    changes: list[Edit | Run | Turn] = field(default_factory=list)  # a turn: a call of another tool
    worked: Run | None = None  # the commit that followed; it proves something when nobody complains afterwards


def gather(found: Gathering, happened: Sequence[Event]) -> None:
    """Adds the explained repairs of a session; one whose change a failure already tells gives that page its cause."""
    kept = 0
    for repair, proof in _repairs(found.session, happened):
        record = _record(found.session, repair, proof)
        if record is None:
            continue
        if reason := gate.refusal(" ".join(c.text for c in claims(record.body))):
            found.refuse(reason)
            continue
        if not _joined(found, record, repair) and kept < MOST:
            found.records.append(record)
            kept += 1


def _repairs(session: Session, happened: Sequence[Event]) -> Iterator[tuple[Repair, Run | Said]]:
    """Each explained repair with what proves it, in the order of their proofs."""
    broken: Run | Said | None = None
    seen: Run | None = None
    touched = False
    causes: list[tuple[Turn, str]] = []
    weak: list[tuple[Turn, str]] = []
    open_: list[Repair] = []
    known: list[str] = []  # what tools have shown so far
    for step in _steps(session, happened):
        if isinstance(step, Turn) and step.role == "tool":
            known.append(step.result[:6_000])
            if isinstance(broken, Said) and (causes or weak) and _calls(step):
                open_.append(Repair(broken, causes or weak, seen, [step]))
                causes, weak = [], []
        elif isinstance(step, Turn):
            strong, near = _explanations(step, known)
            causes, weak = (causes + strong)[-2:], near
        elif isinstance(step, Said):
            if broken is not None and not _complains(step.turn) and not _reports(step.turn):
                yield from ((r, r.worked or step) for r in open_ if isinstance(r.broken, Said))
            open_, causes, weak, seen = [], [], [], None
            broken = step if _reports(step.turn) else None if isinstance(broken, Said) else broken
        elif isinstance(step, Run):
            if step.ok is False and not step.reads:
                seen = step
                broken = broken or (None if touched else step)
            elif step.ok and any(s.key[:2] in WORK_DONE for s in step.parts):
                for repair in open_:
                    repair.worked = repair.worked or step
            elif step.ok and open_ and (proofs := [r for r in open_ if _proves(r, step)]):
                yield from ((r, step) for r in proofs)
                open_ = [r for r in open_ if r not in proofs]
                causes, weak = [], []
            elif step.ok and not step.reads and _changes(step):
                if isinstance(broken, Said) and causes:
                    open_.append(Repair(broken, causes, seen, [step]))
                    causes, weak = [], []
                elif open_:
                    open_[-1].changes.append(step)
        else:
            touched = True
            if broken is not None and (causes or weak) and not PROSE.search(step.path):
                open_.append(Repair(broken, causes or weak, seen, [step]))
                causes, weak = [], []
            elif open_ and not PROSE.search(step.path):
                open_[-1].changes.append(step)
    yield from ((r, r.worked) for r in open_ if isinstance(r.broken, Said) and r.worked is not None)


def _steps(session: Session, happened: Sequence[Event]) -> Iterator[Event | Turn]:
    """What happened, what the agent said and what its tools showed, in one order."""
    by_turn: dict[str, list[Event]] = {}
    for event in happened:
        by_turn.setdefault(event.turn.anchor, []).append(event)
    for turn in session.turns:
        if (turn.role == "assistant" and turn.text.strip()) or turn.role == "tool":
            yield turn
        yield from by_turn.get(turn.anchor, ())


def _reports(turn: Turn) -> bool:
    """Whether the user says that something is broken."""
    words = gate.own_words(turn.text)
    return turn.origin in ("typed", "queued") and not gate.template(turn.text) and bool(BROKEN.search(words[:1_200]))


def _complains(turn: Turn) -> bool:
    words = gate.own_words(turn.text)
    return bool(DOUBT.search(words) or phrases.COMPLAINT.search(words)) or turn.origin in ("interrupt", "refusal")


def _changes(run: Run) -> bool:
    return any(not s.reads and not kind_of(s) and s.program != "git" for s in run.parts)


LOOKING = re.compile(
    r"read|grep|glob|search|list|\bls\b|todo|task(?:create|update|list|get|output)|plan|ask|question|fetch|"
    r"view|output|"
    r"bash|shell|exec|edit|write|patch|stdin|status",
    re.I,
)


def _calls(turn: Turn) -> bool:
    """Whether a call of a tool that is neither a look nor a command nor an edit did something."""
    return turn.outcome == "ok" and not LOOKING.search(turn.tool) and bool(turn.text.strip())


def _proves(repair: Repair, run: Run) -> bool:
    """Whether a passing run shows that the repair held: it does again what failed, or it is a test of the same tool."""
    failed = repair.seen or (repair.broken if isinstance(repair.broken, Run) else None)
    if failed is not None:
        programs = {s.program for s in failed.parts if kind_of(s)}
        return again(failed, run) or any(s.program in programs for s in run.parts)
    return any(kind_of(s) in CHECKING for s in run.parts)


CHECKING = ("test", "build", "types")
WORK_DONE = (("git", "commit"), ("git", "merge"), ("git", "push"))


def _explanations(turn: Turn, known: Sequence[str]) -> tuple[list[tuple[Turn, str]], list[tuple[Turn, str]]]:
    """The sentences of an agent's turn that explain something: those after words of finding, and the others."""
    said = gate.sentences(turn.text[:4_000])
    found_at = next((i for i, s in enumerate(said) if FOUND.search(s)), None)
    good = [(i, s) for i, s in enumerate(said) if _explains(s)]
    shown = "\n".join(known[-40:])
    named = [(i, s) for i, s in good if any(w.strip("`().:") in shown for w in NAMED.findall(s))]
    strong = [(turn, s) for i, s in named if found_at is not None and found_at <= i <= found_at + 2]
    return strong[:2], [(turn, s) for _, s in named][:1]


def _explains(sentence: str) -> bool:
    words = sentence.split()
    return (
        (5 <= len(words) <= 60 or (not sentence.isascii() and 12 <= len(sentence) <= 200))
        and bool(NAMED.search(sentence))
        and bool(EXPLAINS.search(sentence))
        and not NARRATED.search(sentence)
        and not OFFERED.search(sentence)
        and not phrases.QUESTION.search(sentence)
        and not gate.refusal(sentence)
    )


def _record(session: Session, repair: Repair, proof: Run | Said) -> Record | None:
    """The page of a repair; None when nothing telling was changed."""
    edits = [c for c in repair.changes if isinstance(c, Edit) and any(map(telling, (*c.added, *c.removed)))]
    runs = [c for c in repair.changes if isinstance(c, Run)]
    calls = [c for c in repair.changes if isinstance(c, Turn)]
    if not edits and not runs and not calls:
        return None
    lines = [*_symptom(session, repair)]
    lines += [Claim("Cause", inert(shorten(text, 400)), cite(session, turn)) for turn, text in repair.causes]
    lines += [_called(session, c) for c in calls[:1]]
    made: list[Event] = [*edits[:2], *runs[-1:]]
    lines += [change(session, "Cure", c) for c in made]
    if isinstance(proof, Run):
        lines.append(Claim("Cure", f"Then {code(shorten(proof.command, 160))} passed.", cite(session, proof.turn)))
    failed = repair.seen or (repair.broken if isinstance(repair.broken, Run) else None)
    mark = signatures.signature(signatures.error_line(failed.output)) if failed is not None else ""
    title = _title(repair.causes[-1][1])
    last = repair.changes[0]
    where = (
        last.path.rsplit("/", 1)[-1]
        if isinstance(last, Edit)
        else last.tool
        if isinstance(last, Turn)
        else last.parts[-1].program
    )
    checked = isinstance(proof, Run) and any(kind_of(s) for s in proof.parts)
    return draft(
        session,
        RecordType.FAILURE,
        title,
        f"The agent found this cause and mended it in {where}."
        if edits
        else f"The agent found this cause, and {where} helped.",
        lines,
        Evidence.TEST_PROVED if checked else Evidence.INFERRED,
        tags=[where],
        when={"errors": [mark]} if mark else {},
        held=gate.held(" ".join(c.text for c in lines if c.section in ("Cause", "Cure"))),
    )


def _called(session: Session, turn: Turn) -> Claim:
    """A call of a tool as a claim line, with what it was told first."""
    first = turn.text.strip().split("\n", 1)[0].removeprefix("description: ")
    return Claim("Cure", f"{code(turn.tool)} was called: {code(shorten(first, 160))}", cite(session, turn))


def _title(cause: str) -> str:
    line = re.sub(
        r"^\W*(?:(?:so|but|and|now|ah|great|good|actually|yes|wait)\b[\s,!:—-]*)+", "", " ".join(cause.split())
    )
    line = re.sub(
        r"^(?:the (?:issue|problem|bug) (?:is|was)(?: here)?(?: that)?|it (?:seems|turns out)(?: that)?|"
        r"I see(?: that)?)\s+",
        "",
        line,
        flags=re.I,
    )
    return shorten(line[:1].upper() + line[1:])


def _symptom(session: Session, repair: Repair) -> Iterator[Claim]:
    """What was seen: the run that failed with its error line, or the user's words."""
    failed = repair.seen or (repair.broken if isinstance(repair.broken, Run) else None)
    if isinstance(repair.broken, Said):
        said = gate.sentences(gate.own_words(repair.broken.turn.text))
        telling_one = next((s for s in said if BROKEN.search(s)), "")
        if telling_one:
            yield Claim(
                "Symptom", f'The user reported: "{inert(shorten(telling_one, 240))}"', cite(session, repair.broken.turn)
            )
    if failed is not None and (line := signatures.error_line(failed.output)):
        yield from symptom(session, [failed], line)


def _joined(found: Gathering, record: Record, repair: Repair) -> bool:
    """Gives the cause to a failure that tells of the same change already; False when there is none."""
    anchors = {c.anchor if isinstance(c, Turn) else c.turn.anchor for c in repair.changes}
    for at, known in enumerate(found.records):
        if known.type is not RecordType.FAILURE:
            continue
        cured = {c.anchor for claim in claims(known.body) if claim.section == "Cure" for c in claim.cites}
        if cured & anchors:
            causes = [c for c in claims(record.body) if c.section == "Cause"]
            found.records[at] = combined(known, replace(record, when={}, tags=(), body=body({"Cause": causes})), 2)
            return True
    return False
