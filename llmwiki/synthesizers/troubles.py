"""Troubles: errors of commands that wait for a cure, and what shows that one is over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from llmwiki.synthesizers import signatures, weakened
from llmwiki.synthesizers.checks import kind_of
from llmwiki.synthesizers.events import Edit, Event, Run
from llmwiki.synthesizers.shell import INTERPRETERS, WRAPPERS, Simple, folder

MISSING = re.compile(
    r"command not found|not recognized as|is not recognized|No such file or directory: '[\w.-]+'$", re.I
)
# What is written for people cures no program; some tools read their orders from a `.txt`.
PROSE = re.compile(r"(?<!CMakeLists)(?<!requirements)\.(?:md|txt|rst|adoc)$", re.I)
TIMED_OUT_MARK = "timed out"
TIMED_OUT = re.compile(r"timed out after|Command timed out|timeout: sending signal", re.I)
ASSERTED = re.compile(
    r"^\s*(?:E\s+)?(?:(?:Assertion|Type|Value|Index|Key|Attribute|Name|Syntax|Indentation|ZeroDivision|"
    r"UnboundLocal|Recursion)Error\b|assert\b)|^FAILED\b"
)  # a test of the task at hand
RULE_CODE = re.compile(r"(?<![\w/.-])(?:[A-Z]{1,4}\d{3,5}|TS\d{4})\b|\berror\[[\w-]+\]")


LOOKS = ("test", "types", "lint", "format")  # checks that leave everything as it is
OWN_TEST = re.compile(  # a test or a compiler that answers to what was just written
    r"\b(?:tests? (?:failed|completed)|(?:Some|\d+) tests? failed|Failed: +(?:Total )?[1-9]|ComparisonFail\w*|"
    r"Syntax Error|Not Found Error|Unresolved reference|expected .{1,60}(?:but|got)|XCTAssert\w+|"
    r"AssertionFailed\w*)\b|✕|✗",
    re.I,
)
FOREIGN = re.compile(r"\b[\w.]{1,120}\.\w{1,60}(?:Error|Exception)\b")  # an exception of a library, by its full name
FORGOT = re.compile(
    r"\b(?:I )?(?:forgot|typo|too many|mistyped|misspelled|left out|left over|wrong (?:name|import|index|"
    r"order|variable)|"
    r"lesson learned|must always|should always|my (?:sed|edit|change|script|patch|rename|regex)\b|"
    r"I (?:ran|moved|renamed|removed|deleted|added|put|wrote|typed|copied)\b)",
    re.I,
)
SLIP = re.compile(  # what whoever writes code forgets and adds
    r"\b(?:F821|F841|E999|TS2304|TS6133|TS1005|E0425|E0433|no-undef|no-unused-vars|NameError)\b|undefined: \w+|"
    r"cannot find (?:name|symbol|value)|undeclared identifier|is not defined\b|declared and not used|expected ';'"
)


@dataclass(slots=True)
class Trouble:
    """An error that is waiting: the runs that showed it, what was tried between them, and when it was first seen."""

    first: Run
    line: str
    mark: str
    runs: list[Run]
    at: int
    tried: list[list[Event]] = field(default_factory=lambda: [[]])


def again(first: Run, later: Run) -> bool:
    """Whether a run does again what a failed one did."""
    if (where := folder(first.command)) and folder(later.command) != where:
        return False
    keys = {s.key for s in first.parts if not s.reads} or {s.key for s in first.parts}
    if any(s.key in keys or any(_extends(s, k) for k in keys) for s in later.parts):
        return True
    checks = {s.program: s for s in first.parts if kind_of(s) in ("test", "lint", "types", "format")}
    return any(s.program in checks and _covers(s, checks[s.program]) for s in later.parts)


def _extends(later: Simple, key: tuple[str, ...]) -> bool:
    """Whether a call is an earlier one with more behind it: `terraform plan` and `terraform plan -out x`, no check."""
    return len(key) >= 2 and later.key[: len(key)] == key and not kind_of(later)


def _covers(later: Simple, first: Simple) -> bool:
    """Whether a check looks at everything that an earlier one looked at."""
    wide, narrow = set(later.key[1:]), set(first.key[1:])
    return not wide - narrow or any("::" in w and w.split("::")[0] in narrow for w in wide)


def solves(trouble: Trouble, run: Run, waiting: Sequence[Trouble]) -> bool:
    """Whether a run shows that the error is gone: the same command without it, or the same work by another name.

    A run that fails otherwise shows it too, when something was changed and its error is a new one.
    """
    if run.ok is None or not run.parts or weakened.weaker(trouble.first, run, trouble.line):
        return False
    if run.ok:
        return again(trouble.first, run) or _narrower(trouble, run) or (not run.reads and _variant(trouble, run))
    line = signatures.error_line(run.output)
    mark = signatures.signature(line)
    known = any(t.mark == mark for t in waiting)
    cut_off = bool(TIMED_OUT.search(run.output[:400])) or bool(MISSING.search(line))  # it did not even begin
    changed = bool(steps_of(trouble)) or called_otherwise(trouble, run) or trouble.mark == TIMED_OUT_MARK
    return bool(mark) and not known and not cut_off and again(trouble.first, run) and changed


def _narrower(trouble: Trouble, run: Run) -> bool:
    """Whether a check passes for the part of the project that the error names: `go test ./internal/...` after an error
    in `internal/mocks` that `go test ./...` gave."""
    first = {s.program: s for s in trouble.first.parts if kind_of(s)}
    for call in run.parts:
        wide = first.get(call.program)
        more = {w for w in call.key[1:] if w not in wide.key} if wide and kind_of(wide) == kind_of(call) else set()
        named = {w.strip("./").partition("::")[0] for w in more}
        if more and all(len(w) > 3 and w in trouble.line for w in named):
            return True
    return False


def called_otherwise(trouble: Trouble, run: Run) -> bool:
    """Whether the same call was made with other options, and what failed before was not a test that ran."""
    if ASSERTED.search(trouble.line) or COUNTED.search(trouble.first.output):
        return False
    if any(s.reads for s in trouble.first.parts):
        return False
    first, later = set(trouble.first.parts[-1].words), set(run.parts[-1].words)
    return first < later or _prepared(trouble.first, run) or _elsewhere(trouble.first, run)


def _elsewhere(first: Run, run: Run) -> bool:
    """Whether the very same call was made in another container or environment: behind another wrapper."""
    one, two = first.parts[-1], run.parts[-1]
    before = [r.command.partition(one.program)[0].split() for r in (first, run)]
    wrapped = any(wrapper[0] in words for wrapper in WRAPPERS for words in before)
    return one.words == two.words and before[0] != before[1] and wrapped and not any(s.reads for s in run.parts)


def _prepared(first: Run, run: Run) -> bool:
    """Whether a call was made behind another one in the same line: `tool restore && tool run x` after `tool run x`."""
    before = [s for s in run.parts[:-1] if not s.reads and s.program != "cd"]
    known = {s.key for s in first.parts}
    return run.parts[-1].key == first.parts[-1].key and any(s.key not in known for s in before)


def _variant(trouble: Trouble, run: Run) -> bool:
    """The same work done by another program (`python3` where there was no `python`, `make lint` where the linter does
    not start), or the same program called rightly at once."""
    if _instead(trouble, run) or _corrected(trouble, run):
        return True
    if MISSING.search(trouble.line):
        first = trouble.first.parts[-1]
        told = {w for w in first.key[1:] if len(w) > 6}
        if any(s.program != first.program and told & set(s.words) for s in run.parts):
            return True  # the same thing asked of another program
        return any(
            s.program != first.program
            and s.program in INTERPRETERS
            and first.program in INTERPRETERS
            and _close(s.words[1:], first.words[1:])
            for s in run.parts
        )
    return False


def _instead(trouble: Trouble, run: Run) -> bool:
    """Whether a check that did not even start passes through another command, with nothing changed between."""
    ran = COUNTED.search(trouble.first.output) and not PLACE.search(trouble.first.output)
    if ASSERTED.search(trouble.line) or RULE_CODE.search(trouble.line) or ran:
        return False
    kinds = {kind_of(s) for s in trouble.first.parts} - {""}
    programs = {s.program for s in trouble.first.parts}
    unchanged = not any(trouble.tried[-1])
    return unchanged and any(kind_of(s) in kinds and s.program not in programs for s in run.parts)


def _corrected(trouble: Trouble, run: Run) -> bool:
    """Whether a call that was refused for how it was made passes with other words, with nothing changed between."""
    first, later = trouble.first.parts[-1], run.parts[-1]
    if first.program in INTERPRETERS or first.program == "git" or first.reads or any(trouble.tried[-1]):
        return False
    if ASSERTED.search(trouble.line) or COUNTED.search(trouble.first.output) or first.program != later.program:
        return False
    if kind_of(first) in LOOKS and any(_IN_A_FILE.search(w) for w in set(first.words) ^ set(later.words)):
        return False  # a check of another file tells nothing of the first
    if folder(trouble.first.command).startswith(("/tmp", "$")):
        return False  # tried out elsewhere on purpose
    shared = set(first.words[1:]) & set(later.words[1:])
    misnamed = len(first.words) <= 3 and (len(first.words) == 1 or _MISNAMED.search(trouble.first.output))
    return first.words != later.words and bool(shared or misnamed)


_MISNAMED = re.compile(  # how a program says that it was called wrongly
    r"\busage:|\b(?:unknown|unrecognized|invalid|unexpected|missing|no such) (?:\w+ )?"
    r"(?:(?:sub)?command|option|argument|flag|task|target|script|goal|parameter|value)|"
    r"did you mean|not recognized|ambiguous|not found in",
    re.I,
)
PLACE = re.compile(  # what fails where something is not there, whatever was written
    r"could not find driver|could not translate host|(?:connection|connect) ?refused|no such host|"
    r"cannot open shared object|command not found|Unsupported class file|DEADLYSIGNAL",
    re.I,
)
COUNTED = re.compile(r"\b\d+ (?:passed|passing|failed|failing|failures?|tests?)\b|^--- FAIL|^FAIL\b", re.M)


def _close(first: Sequence[str], second: Sequence[str]) -> bool:
    one, two = set(" ".join(first).split()), set(" ".join(second).split())
    return bool(one or not two) and len(one & two) * 5 >= len(one | two) * 3


def steps_of(trouble: Trouble) -> list[Edit | Run]:
    """The change just before the error was gone: the last edits since the error was seen, and the last command. What
    was only cut off was cured by time, not by another command."""
    changes = trouble.tried[-1]
    edits = [c for c in changes if isinstance(c, Edit) and not PROSE.search(c.path)][-2:]
    runs = [
        c
        for c in changes
        if isinstance(c, Run)
        and c.ok
        and changes_something(c)
        and not again(trouble.first, c)
        and trouble.line not in c.output
    ][-1:]
    return [*edits, *(runs if trouble.mark != TIMED_OUT_MARK or edits else [])]


_IN_A_FILE = re.compile(r"\w\.\w{1,4}(?:::\S*)?$")
ASKING = frozenset(("--help", "--version", "-version"))


def changes_something(run: Run) -> bool:
    looks_first = len(run.parts) > 1 and run.parts[0].reads
    return not looks_first and any(
        not s.reads and kind_of(s) not in LOOKS and not ASKING & set(s.words) for s in run.parts
    )
