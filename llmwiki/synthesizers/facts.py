"""Facts that an output proves, and with `stated` what the user says is so: how checks and servers are started here."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmwiki.model import Claim, Evidence, RecordType, Turn
from llmwiki.prose import code, plain
from llmwiki.synthesizers import gate, stated, weakened
from llmwiki.synthesizers.base import Gathering, cite, draft, shorten
from llmwiki.synthesizers.checks import ADDRESS, PASSED, kind_of
from llmwiki.synthesizers.events import Event, Run, Said, arguments, relative
from llmwiki.synthesizers.shell import Simple, folder

CHECKS = ("test", "types", "lint", "format", "build", "migrate")
NAMES = {
    "test": "tests",
    "types": "types",
    "lint": "lint",
    "format": "format",
    "build": "build",
    "migrate": "migrations",
}
MOST = 6  # lines of the page of checks
QUOTED = 400  # characters of a line that are looked at; less of it is quoted


def gather(found: Gathering, happened: Sequence[Event]) -> None:
    """Adds the facts of a session to what is gathered."""
    runs = [e for e in happened if isinstance(e, Run) and e.parts]
    _checks(found, runs)
    _servers(found, runs)
    _versions(found, runs)
    _ports(found, runs)
    _answers(found, runs)
    _moved(found)
    stated.gather(found, [e.turn for e in happened if isinstance(e, Said)])


def _target(call: Simple) -> bool:
    """Whether a check was told to look at one file or test: no fact about the project."""
    return any("::" in w or re.search(r"\.\w{1,4}$", w) or w in ("-k", "--grep", "-t") for w in call.words[1:])


def _checks(found: Gathering, runs: Sequence[Run]) -> None:
    """One page of the checks that passed here, the wide ones before the narrow; the last passing run of each speaks."""
    passed: dict[tuple[str, str], Run] = {}
    for run in runs:
        kinds = [kind_of(s) for s in run.parts]
        if run.ok is not True or len(run.parts) > 3 or len(run.command) > 200 or "\n" in run.command:
            continue
        if any(not kind and not call.reads for call, kind in zip(run.parts, kinds, strict=True)):
            continue  # a check behind something else is that thing's proof
        for call, kind in zip(run.parts, kinds, strict=True):
            if (
                kind in CHECKS
                and not _target(call)
                and not weakened.asks(call)
                and not found.refuses(run.command)
                and (PASSED.search(run.output) or kind in ("format", "build", "migrate"))
            ):
                passed[kind, _plain(run.command)] = run
    passed = _without_variants(passed)
    if not passed:
        return
    chosen = sorted(passed.items(), key=lambda item: (CHECKS.index(item[0][0]), len(item[0][1])))
    lines = list(dict.fromkeys(run.turn.anchor for _, run in chosen))
    picked = [next(item for item in chosen if item[1].turn.anchor == anchor) for anchor in lines][:MOST]
    session = found.session
    claims = []
    for (kind, command), run in picked:
        where = folder(run.command)
        claims.append(
            Claim(
                "Statement",
                f"{NAMES[kind].capitalize()}: {code(command)}"
                + (f", from {code(where)}" if where and where[0] != "/" else "")
                + ".",
                cite(session, run.turn),
            )
        )
        seen = PASSED.search(run.output)
        if seen and (ended := _datum(seen[0].strip(" ="))):
            told = f"It ended with {code(shorten(ended, 100))}."
            claims.append(Claim("Evidence", told, cite(session, run.turn, run.until)))
    text = " ".join(c.text for c in claims)
    commands = [command for (_, command), _ in picked]
    title = f"Checks that pass in {session.project or 'this project'}: " + ", ".join(commands)
    record = draft(
        session, RecordType.FACT, shorten(title), "How checks are run here.", claims, Evidence.TEST_PROVED,
        tags=["checks", *dict.fromkeys(NAMES[kind] for (kind, _), _ in picked)], held=gate.held(text),
    )  # fmt: skip
    found.records.append(record)


def _without_variants(passed: dict[tuple[str, str], Run]) -> dict[tuple[str, str], Run]:
    """Of the calls of one program the plainest, and those that choose a group by name (`-m "not slow"`)."""
    out: dict[tuple[str, str], Run] = {}
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for (kind, command), run in sorted(passed.items(), key=lambda item: (len(item[1].parts), len(item[0][1]), item[0])):
        calls = {
            (s.program.rsplit("/", 1)[-1], tuple(w for w in s.key[1:] if " " in w or w.isalnum())) for s in run.parts
        }
        if not calls <= seen:
            out[kind, command] = run
        seen |= calls
    return out


def _plain(command: str) -> str:
    """A command without what only shapes its output."""
    command = re.sub(r"^(?:(?:cat|ls|pwd|head|tail|wc|echo)\b[^;&|\n]*(?:;|&&)\s*)+(?=\S)", "", command)
    command = re.sub(r"(?<!\s)\s*(?:2>&1|2>/dev/null|\|\s*(?:head|tail|grep|tee|cat)\b[^|]*)", "", command)
    return (
        re.sub(r"^\(?\s*cd\s+\S+\s*&&\s*", "", command).strip()
        if command.count("(") == command.count(")")
        else command.strip()
    )


def _servers(found: Gathering, runs: Sequence[Run]) -> None:
    """How the project is served: the command, and the address that its own output named."""
    done: set[str] = set()
    for run in runs:
        served = [s for s in run.parts if kind_of(s) == "serve"]
        address = ADDRESS.search(run.output)
        if not served or not address or run.ok is False or _plain(run.command) in done or len(run.command) > 200:
            continue
        if found.refuses(run.command):
            continue
        done.add(_plain(run.command))
        command, url = _plain(run.command), address[0].rstrip("/.")
        session = found.session
        showed = next((t for t in run.shown if address[0] in t.result), run.until)
        told = _datum(next((x.strip() for x in run.output.splitlines() if address[0] in x), "")) or address[0]
        claims = [
            Claim(
                "Statement",
                f"{code(command)} serves the project on {code(url)}.",
                cite(session, run.turn, showed),
            ),
            Claim("Evidence", f"It printed {code(shorten(told, 140))}.", cite(session, showed)),
        ]
        title = f"{command} serves {session.project or 'the project'} on {url.split('//')[-1]}"
        found.records.append(
            draft(
                session,
                RecordType.FACT,
                shorten(title),
                "How the project is started, and where it answers.",
                claims,
                Evidence.TEST_PROVED,
                tags=["serve", served[0].program],
                held=gate.held(command),
            )
        )


_VERSION = re.compile(r"\bv?\d+\.\d+(?:\.\d+)?[\w.+-]*")
_PORT = re.compile(r"(?:0\.0\.0\.0|127\.0\.0\.1|\[::\]|\*):(\d{2,5})->(\d{2,5})/tcp")
_ASKING = ("--version", "-V", "-version", "version")


def _datum(line: str) -> str:
    """A line of an output that only names things; "" when it advises, since nobody knows whether that is good."""
    return "" if gate.advises(line[:QUOTED]) or gate.refusal(line) else line


def _named_version(line: str) -> str:
    """A name of a few words with its version, at the start of a line; "" for other lines.

    >>> _named_version("git version 2.39.5 (Apple Git-154)")
    'git version 2.39.5'
    >>> _named_version("please upgrade to version 3.2")
    ''
    """
    found = _VERSION.search(line[:120])
    name = line[: found.end()].strip() if found else ""
    return _datum(name) if len(name) <= 80 and len(name.split()) <= 5 else ""


def _versions(found: Gathering, runs: Sequence[Run]) -> None:
    """Which versions are installed here, where somebody asked the programs themselves."""
    session, told = found.session, dict[str, tuple[Run, str]]()
    for run in runs:
        call = run.parts[0]
        version = next(filter(None, map(_named_version, run.output.splitlines()[:20])), "")
        if (
            run.ok
            and len(run.parts) == 1
            and call.words[-1] in _ASKING
            and len(call.words) <= 3
            and version
            and not found.refuses(run.command)
        ):
            told[call.program.rsplit("/", 1)[-1]] = (run, version)
    if not told:
        return
    claims = [
        Claim(
            "Statement", f"{code(shorten(run.command, 80))} prints {code(version)}.", cite(session, run.turn, run.until)
        )
        for run, version in told.values()
    ]
    title = f"Installed in {session.project or 'this project'}: " + ", ".join(
        v if n in v.lower() else f"{n} {v}" for n, (_, v) in told.items()
    )
    found.records.append(
        draft(
            session,
            RecordType.FACT,
            shorten(title),
            "Versions that the programs told themselves.",
            claims[:MOST],
            Evidence.TEST_PROVED,
            tags=["versions", *told][:4],
        )
    )


def _ports(found: Gathering, runs: Sequence[Run]) -> None:
    """Which ports the containers answer on, by the list that the engine printed last."""
    session = found.session
    listed = [r for r in runs if r.ok and {"ps", "up"} & set(r.parts[-1].key[1:3]) and _PORT.search(r.output)]
    for run in listed[-1:]:
        lines = [x for x in run.output.splitlines() if _PORT.search(x)][:MOST]
        named = [(x.split()[-1] if run.parts[-1].key[1] == "ps" else x.split()[0], *_PORT.findall(x)[0]) for x in lines]
        named = [pair for pair in named if _datum(pair[0])]
        claims = [
            Claim(
                "Statement",
                f"{code(name)} answers on port {code(port)} ({code(inner)} inside).",
                cite(session, run.turn),
            )
            for name, port, inner in named
        ]
        if not claims:
            continue
        title = "Ports here: " + ", ".join(f"{name} {port}" for name, port, _ in named)
        found.records.append(
            draft(
                session, RecordType.FACT, shorten(title), "Where the containers answer.", claims, Evidence.TEST_PROVED,
                tags=["ports", run.parts[-1].program],
            )
        )  # fmt: skip


_CALLED = re.compile(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})\b[^\s'\"]*")


def _answers(found: Gathering, runs: Sequence[Run]) -> None:
    """Which local addresses were called with success: where the thing at hand listens."""
    session, told = found.session, dict[str, tuple[Run, str]]()
    for run in runs:
        called = next((m for s in run.parts if s.program in CLIENTS for w in s.words if (m := _CALLED.search(w))), None)
        if run.ok and called is not None and run.output.strip() and not found.refuses(run.command):
            told[called[1]] = (run, called[0])
    claims = []
    for run, address in told.values():
        shown = next((x.strip() for x in run.output.splitlines() if x.strip()), "")
        gave = f" gave {code(shorten(shown, 80))}" if _datum(shown) else ""
        text = f"{code(address)} answers: {code(shorten(run.command, 160))}{gave}."
        claims.append(Claim("Statement", text, cite(session, run.turn, run.until)))
    if claims:
        title = f"{session.project or 'It'} answers on " + ", ".join(f"port {p} ({a})" for p, (_, a) in told.items())
        found.records.append(
            draft(
                session, RecordType.FACT, shorten(title), "Local addresses that were called with success.",
                claims[:MOST], Evidence.TEST_PROVED, tags=["ports", *told][:4],
                held=gate.held(" ".join(c.text for c in claims)),
            )
        )  # fmt: skip


CLIENTS = ("curl", "http", "https", "wget", "xh", "psql", "redis-cli", "mysql", "nc")


def _moved(found: Gathering) -> None:
    """Files that are not where they were looked for first, and where they are."""
    session, missing = found.session, dict[str, tuple[Turn, str]]()
    done: list[Claim] = []
    for turn in session.turns:
        path = relative(str(arguments(turn).get("file_path") or ""), session.cwd) if turn.role == "tool" else ""
        name = path.rsplit("/", 1)[-1]
        if not path:
            continue
        if turn.outcome.startswith("error") and _GONE.search(turn.result[:300]):
            missing.setdefault(name, (turn, path))
        elif turn.outcome == "ok" and name in missing and missing[name][1] != path:
            first, was = missing.pop(name)
            if turn.tool.lower() != "write" and _datum(path) and _datum(was):
                done.append(Claim("Statement", f"{code(path)}, not {code(was)}.", cite(session, turn, first)))
    if done:
        names = ", ".join(plain(c.text).split(",")[0].strip("`").rsplit("/", 1)[-1] for c in done[:3])
        found.records.append(
            draft(
                session, RecordType.FACT, shorten(f"Where it lies here: {names}"),
                "Files that were looked for elsewhere first.", done[:MOST], Evidence.TEST_PROVED, tags=["layout"],
            )
        )  # fmt: skip


_GONE = re.compile(r"does not exist|No such file|ENOENT|not found", re.I)
