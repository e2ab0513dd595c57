"""Passes that prove nothing: less was checked than before, the outcome was hidden, or the work was taken away.

A check may be made green by leaving out what is red. Whoever keeps that as a cure teaches others to do the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmwiki.synthesizers.checks import kind_of
from llmwiki.synthesizers.events import Edit, Event, Run
from llmwiki.synthesizers.shell import SOURCE, Simple

CHECKS = ("test", "lint", "types", "format", "build")
_ASKS = re.compile(r"--?help|--?version|-h|-V|help|--dry[-_]run|--(?:client|collect)-only|--co|--no-run|--list\S*")
_LEAVES_OUT = re.compile(  # options by which a check looks at less, or does not mind what it finds
    r"--?[\w-]*(?:ignore|deselect|exclude|skip|allow-?fail|exit-zero|no-fail|passwithnotests|if-present|rerun|reruns|retr(?:y|ies)|flaky|"
    r"last-failed|failed-first|keep[-_]going)[\w-]*(?:=.*)?|"
    r"-DskipTests\S*|-Dmaven\.test\.skip\S*|\w*SKIP\w*=.*|--no-[\w-]*(?:check|test|lint|verify)\S*",
    re.I,
)
_CHOOSES = re.compile(r"-[kmtREL]|--?run|--grep|--[\w-]*filters?|--testNamePattern|--only")  # it looks at a part
_SKIPS = re.compile(  # what in a file makes a check look away
    r"\bpytest\.(?:mark\.)?(?:skip|xfail)|\bunittest\.(?:skip|expectedFailure)|@(?:Disabled|Ignore|skip)\b|#\[ignore|"
    r"\bt\.Skip|\b(?:it|test|describe)\.(?:skip|todo|fixme|failing)\b|\bx(?:it|describe|test)\(|\[Ignore\b|"
    r"\bSkip ?= ?\"|"
    r"\|\| ?(?:true|:)(?:\W|$)|continue-on-error: *true|allow_failure: *true|--(?:ignore|deselect|exclude)\b|"
    r"\bskipTests\b|collect_ignore|PathIgnorePatterns|#\s*type: ?ignore|#\s*noqa|@ts-(?:ignore|nocheck|expect-error)|"
    r"eslint-disable|pylint: ?disable|//\s*nolint|#\s*nosec"
)
_AWAY = frozenset(("stash", "checkout", "switch", "restore", "reset", "revert", "clean"))  # subcommands of git
_KEEPS = frozenset(("pop", "apply", "list", "show", "branch", "-b", "-B", "-c", "-C", "--staged", "--soft", "-"))
_MADE_AGAIN = re.compile(
    r"node_modules|(?:^|[/._-])(?:build|dist|target|out|gen(?:erated)?|cache|tmp)(?:[/._-]|$)", re.I
)


def weaker(first: Run, later: Run, line: str = "") -> bool:
    """Whether a later run looks at less than the first one did: its pass then says nothing of the first one's error,
    which `line` names. Who chooses what the error names has looked at it."""
    known = {w for s in first.parts for w in s.words}
    for call in later.parts:
        fresh = [w for w in call.words[1:] if w not in known]
        if asks(call) and not any(map(asks, first.parts)):
            return True
        if kind_of(call) in CHECKS and (any(map(_LEAVES_OUT.fullmatch, fresh)) or _chooses(call, fresh, line)):
            return True
    if any(_removes(s) and s not in first.parts for s in later.parts):
        return True
    return bool(_SWITCH.search(later.command) and not _SWITCH.search(first.command))


def asks(call: Simple) -> bool:
    """Whether a call only asks a program about itself, or what it would do."""
    return any(map(_ASKS.fullmatch, call.words[1:])) or call.words[1:2] in (("version",), ("help",))


_SWITCH = re.compile(r"(?:^|\s)\w*SKIP\w*=(?!0)\S", re.I)  # an assignment before the command is no word of its call


def _chooses(call: Simple, fresh: Sequence[str], line: str) -> bool:
    """Whether a test run is told by an option which tests to take, and the error names none of them."""
    if kind_of(call) != "test" or call.program == "git":
        return False
    chosen = [
        (w, call.words[i + 2 : i + 3]) for i, w in enumerate(call.words[1:]) if _CHOOSES.fullmatch(w.split("=")[0])
    ]
    for option, value in chosen:
        names = re.findall(r"\w{3,}", " ".join((option.partition("=")[2], *value)))
        if (option in fresh or set(value) & set(fresh)) and not ("not" not in names and any(n in line for n in names)):
            return True
    return False


def looks_away(made: Event) -> bool:
    """Whether an edit makes a check look at less: a test skipped, a finding silenced, a failure not minded."""
    if not isinstance(made, Edit):
        return False
    return any(map(_SKIPS.search, made.added)) and not any(map(_SKIPS.search, made.removed))


def takes_away(made: Event) -> bool:
    """Whether a command takes away what was being checked: work put aside, a source file or a test removed. Where
    more was done behind that, this is what counts."""
    done = [s for s in made.parts if not s.reads and s.key[:2] not in _RECORDS] if isinstance(made, Run) else []
    return bool(done) and _removes(done[-1])


_RECORDS = (("git", "add"), ("git", "commit"))


def _removes(call: Simple) -> bool:
    if call.program == "git" and call.key[1:2] and call.key[1] in _AWAY:
        if call.key[1] in ("reset", "clean"):
            words = " ".join(call.words[2:])
            return "--hard" in words if call.key[1] == "reset" else "x" not in words.lower()
        return not _KEEPS & set(call.words[2:])
    gone = (
        call.key[2:]
        if call.key[:2] == ("git", "rm")
        else call.key[1:]
        if call.program in ("rm", "mv", "unlink")
        else ()
    )
    return any(
        (SOURCE.search(w) or re.search(r"(?:^|/)(?:tests?|specs?)\b", w)) and not _MADE_AGAIN.search(w) for w in gone
    )


def evaded(tried: Sequence[Event], steps: Sequence[Event], line: str) -> bool:
    """Whether what was tried before a pass explains it without any cure: a step that looks away, or work that was
    taken away and nothing edited since. An error about branches may well be cured by another one."""
    if any(map(looks_away, steps)):
        return True
    last = next((e for e in reversed(tried) if isinstance(e, Edit) or takes_away(e)), None)
    return isinstance(last, Run) and not ("branch" in line.lower() and any(s.program == "git" for s in last.parts))


def defines(made: Event, line: str) -> bool:
    """Whether an edit writes what an error names as missing, the module or the name: the test came first, and its
    error was expected."""
    if not isinstance(made, Edit) or not _ABSENT.search(line):
        return False
    named = {w for quoted in _NAMED.findall(line) for w in re.findall(r"\w+", next(filter(None, quoted)))}
    parts = made.path.rsplit("/", 2)
    stem = parts[-1].partition(".")[0]
    if (stem if stem not in ("__init__", "index", "mod") else parts[-2] if len(parts) > 1 else "") in named:
        return bool(made.added)
    return any(m[1] in named for x in made.added for m in _DEFINITION.finditer(x))


_ABSENT = re.compile(
    r"No module named|cannot import name(?!.*partially initialized)|Cannot find (?:module|name|symbol|value)|"
    r"Failed to (?:load url|resolve import)|[Uu]nresolved (?:import|reference|identifier)|undefined: |is not defined|"
    r"has no (?:attribute|member|exported member)|not found in (?:module|this scope)|does not exist|"
    r"uninitialized constant|"
    r"is not in (?:std|GOROOT)|undeclared",
    re.I,
)
_NAMED = re.compile(r"['\"`‘]([^'\"`’\s]{2,160})['\"`’]|(?:load url|undefined:|constant|package) (\S{2,160})")
_DEFINITION = re.compile(
    r"\b(?:def|class|function|fn|func|fun|struct|enum|trait|interface|type|const|let|var|val|module|object)\s+(\w+)"
)
