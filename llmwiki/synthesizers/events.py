"""What happened in a session, in order: commands that ran, files that changed, and what the user said in between."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from llmwiki.model import Session, Turn
from llmwiki.synthesizers.shell import Simple, masked, simples, unwrapped

_SHELLS = frozenset(
    "bash shell sh exec exec_command local_shell local_shell_call shell_command run_shell_command "
    "run_terminal_cmd execute_command terminal "
    "run_command container.exec unified_exec powershell run_in_terminal execute_bash developer__shell "
    "bash_20250124".split()
)
_EDITORS = frozenset(
    "edit multiedit write notebookedit apply_patch write_file replace str_replace_editor "
    "str_replace_based_edit_tool create_file edit_file "
    "search_replace write_to_file replace_in_file insert_edit_into_file patch text_editor "
    "developer__text_editor str_replace".split()
)
_EXIT = re.compile(r"(?:exit(?:ed with)? code|exit_code|Exit code)[\"':>\s]{1,4}(\d{1,3})", re.I)
_REFUSED = re.compile(  # what a server answered to a call from the command line
    r"^HTTP/[\d.]+ [45]\d\d\b|\"?(?:status(?:_?code)?|code)\"?: ?\"?[45]\d\d\b|^(?:curl|wget): \(\d+\)|"
    r"\b(?:4\d\d (?:Bad Request|Unauthorized|Forbidden|Not Found|Unprocessable\w*)|5\d\d (?:Internal|"
    r"Bad Gateway|Service))",
    re.M | re.I,
)
_PIPED = re.compile(r"\|\s*(?:tail|head|grep|tee|sed|awk|cat)\b[^|&;]*$")
_TOLD_FAILURE = re.compile(  # what says that a command failed whose exit code a pipe swallowed
    r"^FAILED: |\bfatal error\b|: error(?: [A-Z]{1,4}\d+)?: |^error(?:\[\w+\])?: |\bBUILD FAILED\b|^npm ERR!|"
    r"\bDEADLYSIGNAL\b|^Segmentation fault|^Traceback \(most recent|^\[ERROR\] |^Error: |^make: \*\*\*",
    re.M,
)
_ENVELOPE = re.compile(  # how Codex hands over what a command printed
    r"(?:Chunk ID: .*\n)?(?:Exit code: (\d{1,3})\n)?Wall time: .*\n(?:Process exited with code (\d{1,3})\n)?"
    r"(?:Process running with .*\n)?(?:Original token count: .*\n)?(?:Total output lines: .*\n)?Output:\n"
)
_FAILED_COUNT = re.compile(r"\b([1-9]\d*) (?:failed|failing|failures?)\b")
_USER_FAILED = re.compile(r"^Found [1-9]\d* (?:error|diagnostic)|^(?:error|fatal)[\[:]|command not found$", re.M)
_KEY = re.compile(
    r"^(file_path|path|filePath|target_file|notebook_path|old_string|new_string|old_str|new_str|content|"
    r"file_text|edits|replace_all|command|cmd|"
    r"bash_id|shell_id|task_id|block|timeout|timeout_ms|questions|plan|input|patch|description|limit|"
    r"offset|pattern|query|prompt|url|todos|insert_line):(?: |\n|$)",
    re.M,
)
_PAIR = re.compile(r"\"old_string\": \"((?:[^\"\\]|\\.)*)\", \"new_string\": \"((?:[^\"\\]|\\.)*)\"")
DEEPEST = 100  # levels of a tool's arguments
_PATCH_FILE = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.M)


@dataclass(frozen=True, slots=True)
class Run:
    """A command that ran. `ok` is None when nobody knows; `until` is the last turn that shows its output."""

    turn: Turn
    command: str
    parts: tuple[Simple, ...]
    ok: bool | None
    code: int | None
    output: str
    until: Turn
    by_user: bool = False
    shown: tuple[Turn, ...] = ()  # later calls that fetched more of the output

    @property
    def reads(self) -> bool:
        return bool(self.parts) and all(p.reads for p in self.parts)


@dataclass(frozen=True, slots=True)
class Edit:
    """A file that changed: its path, and the lines that went and came."""

    turn: Turn
    path: str
    removed: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A turn in which the user spoke."""

    turn: Turn


Event = Run | Edit | Said


def is_shell(turn: Turn) -> bool:
    """Whether a tool turn is a command line."""
    return turn.tool.lower() in _SHELLS or turn.tool.lower().rsplit(".", 1)[-1] in _SHELLS


def arguments(turn: Turn) -> Mapping[str, Any]:
    """A tool's arguments as a mapping: from the `key: value` lines of raw pages, or from JSON; else {}."""
    text = turn.text.strip()
    if text.startswith("{"):
        found = _json(text)
        return found if isinstance(found, dict) else {}
    marks = list(_KEY.finditer(text))
    if not marks or marks[0].start() != 0:
        return {}
    ends = [*(m.start() - 1 for m in marks[1:]), len(text)]
    out: dict[str, Any] = {}
    for mark, end in zip(marks, ends, strict=True):
        out.setdefault(mark[1], _value(mark[1], text[mark.end() : end]))
    return out


def _value(key: str, text: str) -> Any:
    if key in ("edits", "questions", "todos") and text.lstrip().startswith("["):
        found = _json(text)
        if found is None:
            return [dict(zip(("old_string", "new_string"), pair, strict=True)) for pair in _PAIR.findall(text)]
        return found
    return text


def _json(text: str) -> Any:
    """The value of a JSON text, None when it is broken or nested beyond what any tool takes: even to print such a
    value would fail."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return value
    return None


def relative(path: str, cwd: str) -> str:
    """A path as seen from the session's folder."""
    path = path.replace("\\", "/")
    base = cwd.replace("\\", "/").rstrip("/")
    return path[len(base) + 1 :] if base and path.lower().startswith(base.lower() + "/") else path


def events(session: Session) -> list[Event]:
    """Everything of a session that a lesson may rest on, in one pass. Summaries and injected turns are left out."""
    out: list[Event] = []
    waiting: list[Turn] = []
    background: dict[str, int] = {}
    for turn in session.turns:
        if turn.role == "tool":
            for event in _tool(turn, session.cwd):
                out.append(event)
                if isinstance(event, Run) and (name := re.search(r"in background with ID: (\w+)", event.output)):
                    background[name[1]] = len(out) - 1
            _follow(turn, out, background)
        elif turn.role == "user":
            out.extend(_user(turn, waiting))
        elif turn.role == "system" and waiting:
            out.append(_shown(waiting.pop(), turn))
    return out


def _user(turn: Turn, waiting: list[Turn]) -> Iterator[Event]:
    """A user's turn: words, or a command of the user's own (`!cmd`), whose output comes in the next turn."""
    if turn.origin == "command" and turn.text.startswith("!"):
        waiting.append(turn)
    else:
        yield Said(turn)


def _shown(called: Turn, turn: Turn) -> Run:
    """The user's own command with what it printed."""
    command, output = called.text[1:].strip(), turn.text
    failed = bool(_FAILED_COUNT.search(output)) or bool(_USER_FAILED.search(output))
    return Run(called, unwrapped(command), simples(command), not failed, None, output, turn, by_user=True)


def _tool(turn: Turn, cwd: str) -> Iterator[Event]:
    name = turn.tool.lower().rsplit(".", 1)[-1]
    given = arguments(turn)
    command = _command(given) or ("" if given else turn.text)
    if name in _EDITORS or (name in _SHELLS and "*** Begin Patch" in command[:400]):
        if turn.outcome in ("ok", ""):
            yield from _edits(turn, given, cwd)
    elif is_shell(turn) and command.strip():
        yield _run(turn, command)


def _command(given: Mapping[str, Any]) -> str:
    for key in ("command", "cmd", "script", "CommandLine"):
        value = given.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            words = [str(w) for w in value]
            return words[-1] if len(words) == 3 and words[1] in ("-lc", "-c", "-Command") else " ".join(words)
    return ""


def _run(turn: Turn, command: str) -> Run:
    output, code = _result(turn)
    ok: bool | None = {"ok": True, "refused": None, "lost": None}.get(
        turn.outcome, False if turn.outcome.startswith("error") else None
    )
    if code is not None:
        ok = code == 0
    elif ok and _FAILED_COUNT.search(output[-2_000:]):
        ok = False
    parts = simples(command)
    if ok and parts and masked(command):
        ok = _told_at_the_end(command, output)
    if ok and _PIPED.search(command) and not all(p.reads for p in parts) and _TOLD_FAILURE.search(output[-3_000:]):
        ok = False
    if (
        ok
        and parts
        and parts[-1].program in ("curl", "http", "https", "wget", "xh")
        and _REFUSED.search(output[:2_000])
    ):
        ok = False
    return Run(turn, unwrapped(command), parts, ok, code, output, turn)


def _told_at_the_end(command: str, output: str) -> bool | None:
    """How a command went whose own exit code nobody sees: by the code that it echoes (`; echo $?`), or the word that it
    echoes on failure (`|| echo FAIL`); else unknown."""
    if found := re.search(r"\|\| *echo +['\"]?(\w{3,})", command):
        return found[1] not in output
    if not re.search(r"\$(?:\?|\{?PIPESTATUS)", command):
        return None
    told = re.search(r"(?<![\d.])(\d{1,3})\D*$", output.rstrip().rpartition("\n")[2])
    return int(told[1]) == 0 if told else None


def _result(turn: Turn) -> tuple[str, int | None]:
    """A tool's output without its envelope, and the exit code when the outcome or the envelope tells it."""
    output = turn.result
    told = re.fullmatch(r"error (\d{1,10})", turn.outcome)
    if output.startswith('{"output"'):
        try:
            envelope = _json(output)
            return str(envelope["output"]), int(envelope["metadata"]["exit_code"])
        except (ValueError, KeyError, TypeError, OverflowError):
            pass
    if envelope := _ENVELOPE.match(output):
        output = output[envelope.end() :]
        code = next((int(c) for c in envelope.groups() if c), int(told[1]) if told else None)
        return output, code
    if told:
        return output, int(told[1])
    found = _EXIT.search(output[:300])
    return output, int(found[1]) if found and turn.outcome != "refused" else None


def _follow(turn: Turn, out: list[Event], background: dict[str, int]) -> None:
    """Output of a command in the background that a later call fetched belongs to that command."""
    given = arguments(turn)
    shell = str(given.get("bash_id") or given.get("shell_id") or given.get("task_id") or "")
    at = background.get(shell, -1)
    if at < 0 or not turn.result or "kill" in turn.tool.lower() or turn.outcome != "ok":
        return
    run = out[at]
    if isinstance(run, Run):
        found = re.search(r"<exit_code>(\d{1,10})</exit_code>", turn.result)
        code = int(found[1]) if found else run.code
        ok = code == 0 if code is not None else run.ok
        output = (run.output + "\n" + turn.result)[-20_000:]
        out[at] = replace(run, ok=ok, code=code, output=output, until=turn, shown=(*run.shown, turn))


def _edits(turn: Turn, given: Mapping[str, Any], cwd: str) -> Iterator[Edit]:
    path = next(
        (str(given[k]) for k in ("file_path", "path", "filePath", "target_file", "notebook_path") if given.get(k)), ""
    )
    pieces = given.get("edits") if isinstance(given.get("edits"), list) else [given]
    if path:
        removed, added = [], []
        for piece in pieces or []:
            if isinstance(piece, dict):
                old, new = (
                    str(piece.get(k) or piece.get(alt) or "")
                    for k, alt in (("old_string", "old_str"), ("new_string", "new_str"))
                )
                new = new or str(piece.get("content") or piece.get("file_text") or "")
                before, after = old.splitlines(), new.splitlines()
                kept = set(before) & set(after)
                removed += [line for line in before if line not in kept]
                added += [line for line in after if line not in kept]
        yield Edit(turn, relative(path, cwd), tuple(removed), tuple(added))
        return
    patch = str(given.get("input") or given.get("patch") or _command(given) or turn.text)
    files = list(_PATCH_FILE.finditer(patch))
    ends = [*(f.start() for f in files[1:]), len(patch)] if files else []  # no path and no patch: nobody knows the file
    for here, until in zip(files, ends, strict=True):
        lines = patch[here.end() : until].splitlines()
        removed = [line[1:] for line in lines if line.startswith("-")]
        added = [line[1:] for line in lines if line.startswith("+")]
        yield Edit(turn, relative(here[1].strip(), cwd), tuple(removed), tuple(added))
