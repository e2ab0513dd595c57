"""Skills: procedures that ended in proof, as the commands that ran. Only sessions that ended well teach them.

Two kinds are found without a model: a command line that the session came back to again and again, with what was run
around it each time; and the commands with which a job of operations (release, deploy, set up, migrate …) was done.
What failed on the way is left out of the steps and named under Pitfalls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from llmwiki.model import Claim, Evidence, RecordType, Turn
from llmwiki.prose import code, inert
from llmwiki.schema import LIFECYCLE
from llmwiki.synthesizers import gate, phrases, signatures
from llmwiki.synthesizers.base import Gathering, Verdict, cite, draft, shorten
from llmwiki.synthesizers.checks import ADDRESS, PASSED, kind_of
from llmwiki.synthesizers.events import Edit, Event, Run, Said
from llmwiki.synthesizers.shell import INTERPRETERS, Simple

LEAST, MOST = 2, 8  # steps of a procedure worth a page
KNOWN = frozenset(
    "add commit push pull fetch stash checkout switch restore reset init clone rebase branch mv rm".split()
)
TOOLS = frozenset("mkdir cp mv rm touch chmod chown ln kill pkill killall tee".split())  # what every agent knows
OPERATIONS = re.compile(
    r"\b(?:releas\w+|publish\w*|deploy\w*|ship\b|tag (?:it|the|a|v)|bump\w*|install(?!ed\b)\w*|set(?:ting)? ?up|"
    r"migrat\w+|upgrad\w+|"
    r"rebuild\w*|regenerat\w+|generate (?:the|all|a new)|codegen|seed\w*|backfill\w*|rotat\w+|provision\w*|restor\w+|"
    r"back ?up|rollback|roll (?:back|out)|start (?:the|up)|bring up|spin up|run (?:the|it|this) (?:locally|"
    r"in docker)|"
    r"package (?:it|the)|cut a|steps?:|(?:do|go to|push to|now) (?:staging|stg|prod\w*)|"
    r"update (?:the )?(?:dep\w+|snapshots?|submodules?|lock ?file|fixtures?|"
    r"packages?|schema))\b"
    r"|发布|部署|安装|迁移|升级|打包|リリース|デプロイ|インストール|veröffentlich\w*|ausroll\w*|einricht\w*|installier\w*"
    r"|déploy\w+|publier|installer|mettre à jour|desplieg\w+|despleg\w+|publica\w*|instal(?!led\b)\w+",
    re.I,
)
_LAID_DOWN = re.compile(
    r"\bsteps?:|\A(?:(?>.*?\bthen\b).*\b(?:then|and)\b|[^,]*,[^,]*,.*\bthen\b|(?>.*?先).*(?:再|然后)|(?>.*?まず).*次に)",
    re.I | re.S,
)
PROVED = re.compile(
    r"\b(?:successfully|published|deployed|released|uploaded|(?:now )?live at|pushed|new tag|applied|"
    r"migrated|up to date|"
    r"healthy|created|built|complete[d]?|done in|finished)\b.*",
    re.I,
)
_QUOTED = re.compile(r"(?<=\s)(\"(?:[^\"\\]|\\.)*\"|'[^']*')")


@dataclass(slots=True)
class Stretch:
    """What happened between two prompts: the prompt, and what ran and changed behind it."""

    asked: Turn | None
    runs: list[Run] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    after: Turn | None = None  # the user's next words


def gather(found: Gathering, happened: Sequence[Event], verdict: Verdict) -> None:
    """Adds the procedures of a session that ended well."""
    if verdict.score is None or verdict.score < LIFECYCLE["good_score"]:
        return
    stretches = _stretches(happened)
    if not _repeated(found, happened):
        for stretch in stretches:
            _operation(found, stretch)


def _stretches(happened: Sequence[Event]) -> list[Stretch]:
    out = [Stretch(None)]
    for event in happened:
        if isinstance(event, Said):
            out[-1].after = event.turn
            out.append(Stretch(event.turn))
        elif isinstance(event, Run):
            out[-1].runs.append(event)
        else:
            out[-1].edits.append(event)
    return out


def _step(run: Run) -> bool:
    """Whether a run is a step: it ended well, it changed something, and it can be written in a line."""
    return bool(run.ok and run.parts and not run.reads and len(run.command) <= 400 and "<<" not in run.command[:200])


def _telling(call: Simple) -> bool:
    """Whether a call is more than what every agent does anyway."""
    if call.program == "git":
        return len(call.key) > 1 and call.key[1] not in KNOWN and not call.reads
    return not call.reads and not kind_of(call) and call.program not in TOOLS and call.program not in INTERPRETERS


# -- what the session came back to


def _repeated(found: Gathering, happened: Sequence[Event]) -> bool:
    """The command line that came back, with what ran around it the last time; whether there was one."""
    runs = [e for e in happened if isinstance(e, Run) and _step(e)]
    at: dict[tuple[tuple[str, ...], bool], list[Run]] = {}
    for run in runs:
        for outline in sorted({_outline(call) for call in run.parts if _telling(call) and len(call.key) > 2}):
            at.setdefault((outline, _does_over(run, outline)), []).append(run)
    order = {id(e): i for i, e in enumerate(happened)}
    cycles: list[tuple[tuple[str, ...], list[Run]]] = []
    for (outline, _), seen in at.items():
        again_and_again = [
            run
            for n, run in enumerate(seen)
            if not n or run.command != seen[n - 1].command or _apart(happened, order[id(seen[n - 1])], order[id(run)])
        ]
        if len(again_and_again) >= LEAST:
            cycles.append((outline, again_and_again))
    if not cycles:
        return False
    outline, seen = max(cycles, key=lambda c: (len(c[1]), len(c[0]), c[0]))
    cycle, edits = _around(happened, order[id(seen[-1])])
    asked = next((e.turn for e in reversed(happened[: order[id(seen[-1])]]) if isinstance(e, Said)), None)
    _write(found, Procedure(cycle, edits, seen[:-1], _named(outline), None if edits else asked))
    return True


def _does_over(run: Run, outline: tuple[str, ...]) -> bool:
    """Whether a command line takes back what its program had made before it makes it again: a second try, and not the
    procedure once more."""
    own = (call for call in run.parts if call.program == outline[0] and _outline(call) != outline)
    return any(_TAKES_BACK.fullmatch(word) for call in own for word in call.key[1:4])


_TAKES_BACK = re.compile(r"remove|undo|revert|rollback|reset|delete|uninstall|abort|down|downgrade|destroy", re.I)


def _outline(call: Simple) -> tuple[str, ...]:
    """A call without what may vary: numbers, dates, versions, values of settings."""
    return tuple(re.sub(r"=.*$", "=", _NUMBER.sub("#", word)) for word in call.key)


_NUMBER = re.compile(r"(?<![A-Za-z])\d[\d.:_-]*(?![A-Za-z])|(?<=[A-Za-z])\d+(?=[.:/@]|$)")


def _named(outline: tuple[str, ...]) -> str:
    return " ".join(w.rstrip("=#") or w for w in outline)


def _apart(happened: Sequence[Event], first: int, second: int) -> bool:
    """Whether something was changed or said between two runs: else it is one try after the other."""
    return any(not isinstance(e, Run) for e in happened[first + 1 : second])


def _around(happened: Sequence[Event], here: int) -> tuple[list[Run], list[Edit]]:
    """The steps around a run: back to the last change or word, on to the next one; and what was changed before."""
    first = last = here
    while first > 0 and isinstance(happened[first - 1], Run):
        first -= 1
    while last + 1 < len(happened) and isinstance(happened[last + 1], Run):
        last += 1
    edits: list[Edit] = []
    for event in reversed(happened[:first]):
        if not isinstance(event, Edit):
            break
        edits.append(event)
    return [e for e in happened[first : last + 1] if isinstance(e, Run)], edits[::-1]


# -- jobs of operations


def _operation(found: Gathering, stretch: Stretch) -> None:
    asked = stretch.asked
    if asked is None or asked.origin not in ("typed", "queued") or gate.template(asked.text):
        return
    words = gate.own_words(asked.text)
    wanted = next((s for s in gate.sentences(words)[:4] if OPERATIONS.search(s)), "")
    steps = [r for r in stretch.runs if _step(r)]
    telling = [r for r in steps if any(map(_telling, r.parts))]
    if not wanted or len(telling) < LEAST or len(stretch.edits) > len(steps):
        return
    if stretch.after is not None and phrases.COMPLAINT.search(gate.own_words(stretch.after.text)):
        return
    if not _LAID_DOWN.search(words) and gate.one_off(" ".join(r.command for r in telling), words):
        found.refuse("one-off")
        return
    _write(found, Procedure(stretch.runs, [], [], wanted, asked, wanted))


# -- the page


@dataclass(frozen=True, slots=True)
class Procedure:
    """What ran, what had changed before, how it ran the times before, what it is called, and who asked for it."""

    runs: Sequence[Run]
    edits: Sequence[Edit]
    before: Sequence[Run]
    named: str
    asked: Turn | None
    wanted: str = ""  # the user's sentence, when it names a job


def _write(found: Gathering, made: Procedure) -> None:
    session = found.session
    steps = _without_repeats([r for r in made.runs if _step(r)])[-MOST:]
    proof = _proof(made.runs)
    if sum(len(r.parts) for r in steps) < LEAST or proof is None:
        return
    claims = [*_when(found, made)]
    claims += [Claim("Steps", _literal(run, made.before), cite(session, run.turn)) for run in steps]
    proving, line = proof
    shown = f"{code(shorten(proving.command, 120))} shows {code(shorten(line, 120))}."
    claims.append(Claim("Checks", shown, cite(session, proving.turn, proving.until)))
    claims += _pitfalls(found, made.runs, steps)
    if not any(c.section == "When" for c in claims):
        return
    if found.refuses(" ".join(c.text for c in claims)):
        return
    main = next((r for r in reversed(steps) if any(map(_telling, r.parts))), steps[-1])
    title = shorten(made.wanted, 86) if made.wanted else f"{made.named}: how it is done here"
    found.records.append(
        draft(
            session,
            RecordType.SKILL,
            title[:1].upper() + title[1:] if made.wanted else title,
            f"{len(steps)} steps that ended in proof.",
            claims,
            Evidence.TEST_PROVED,
            tags=[main.parts[-1].program],
            when={"tools": list(dict.fromkeys(s.program for r in steps for s in r.parts if _telling(s)))[:3]},
            held=gate.held(" ".join(c.text for c in claims if c.section == "Steps")),
        )
    )


def _when(found: Gathering, made: Procedure) -> Iterator[Claim]:
    """When the procedure is due: which files had changed, or what the user wanted."""
    session = found.session
    if made.edits:
        files = list(dict.fromkeys(e.path for e in made.edits))[-3:]
        turns = [e.turn for e in made.edits[-3:]]
        yield Claim("When", f"After a change of {', '.join(map(code, files))}.", cite(session, *turns))
    elif made.asked is not None:
        said = made.wanted or next(iter(gate.sentences(gate.own_words(made.asked.text))), "")
        if said:
            yield Claim("When", f'"{inert(shorten(said, 240))}"', cite(session, made.asked))


def _without_repeats(runs: Sequence[Run]) -> list[Run]:
    """Each command once, where it ran last, whatever it was given then."""
    last = {tuple(map(_outline, r.parts)): r for r in runs}
    return [r for r in runs if last[tuple(map(_outline, r.parts))] is r]


def _literal(run: Run, before: Sequence[Run]) -> str:
    """The command as it ran, with what was another the last time. A message is cut short."""
    parts = list(map(_outline, run.parts))
    twin = next((r for r in before if r.command != run.command and parts == list(map(_outline, r.parts))), None)
    message = _QUOTED.search(run.command) if any(s.key[:2] == ("git", "commit") for s in run.parts) else None
    if message is None:
        now, then = run.command.split(), twin.command.split() if twin else []
        vary = list(dict.fromkeys(w for w in now if w not in then)) if twin else []
        shown = f" (vary: {', '.join(code(shorten(w, 40)) for w in vary[:3])})" if vary and len(vary) <= 6 else ""
        return code(shorten(run.command, 240)) + shown
    mark = message[1][0]
    text = run.command[: message.start()] + (message[1] if len(message[1]) <= 40 else f"{mark}…{mark}")
    shown = shorten(text + run.command[message.end() :], 240)
    return f"{code(shown)} (vary: what stands in quotes)"


def _proof(runs: Sequence[Run]) -> tuple[Run, str] | None:
    """The last run that shows that it worked, with the line that says so."""
    for run in reversed(runs):
        if not run.ok:
            continue
        for pattern in (PASSED, ADDRESS, re.compile(r"^\[\S+ [0-9a-f]{7,}\] .*$|^.*\S -> \S+$", re.M), PROVED):
            found = pattern.search(run.output[-4_000:])
            if found and (pattern is not PROVED or not run.reads):
                line = next((x for x in run.output[-4_000:].splitlines() if found[0].split("\n")[0] in x), found[0])
                if not gate.advises(line[:400]):
                    return run, line.strip()
    return None


def _pitfalls(found: Gathering, runs: Sequence[Run], steps: Sequence[Run]) -> Iterator[Claim]:
    """What failed on the way and was done otherwise."""
    programs = {s.program for r in steps for s in r.parts if _telling(s)}
    failed = [r for r in runs if r.ok is False and not r.reads and programs & {s.program for s in r.parts}]
    for run in failed[:3]:
        line = signatures.error_line(run.output)
        if line and not signatures.noise(run.output[:4_000], line):
            text = f"{code(shorten(run.command, 140))} failed: {code(shorten(line, 140))}."
            yield Claim("Pitfalls", text, cite(found.session, run.turn, run.until))
