"""The entry point `llmwiki`: `context` and `search` are answered from here in a few milliseconds, all else by the CLI.

`context` runs at every prompt of somebody's day. So flags are read by hand, and nothing that costs is imported: no
Typer, Rich, Jinja2, NetworkX, YAML or Markdown parser, no model client, no `dataclasses`. `tests/test_fast.py` counts.
"""

from __future__ import annotations

import gc
import os
import sys
import time

from llmwiki import block
from llmwiki.errors import WikiError
from llmwiki.fast_flags import FLAGS as FLAGS
from llmwiki.fast_flags import Flags as Flags
from llmwiki.fast_flags import parse as parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SETTINGS = "llmwiki.toml"
TYPES = ("skill", "fact", "failure", "strategy", "preference", "heuristic", "trace")
STATES = ("quarantined", "active", "stale", "archived")
SCOPES = ("user", "team", "public")
HOOKS = ("claude-code", "codex")
PATIENCE = 2.0  # seconds that a prompt waits for its hook


class OutOfTime(BaseException):
    """A hook has had its time. No `except Exception` on the way may swallow it."""


def main(argv: Sequence[str] | None = None) -> None:
    """Runs `llmwiki` with the arguments of the process, and exits with the code that CLI.md promises."""
    if argv is None and sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
        _again_in_utf8()
    if sys.stdout is None or sys.stderr is None:  # started with a closed stream: what is said there goes nowhere
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - pathlib costs, and it lives as long as we
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    args = list(sys.argv[1:] if argv is None else argv)
    where = _command(args)
    if where is None:
        _whole_cli(args)
        return
    gc.disable()  # a run of some milliseconds ends before there is anything to collect
    command, rest = args[where], args[:where] + args[where + 1 :]
    if "--help" in rest or "-h" in rest or (command == "search" and _shelled(rest)):
        _whole_cli(args)
        return
    _leave(_guarded(command, rest))


def _shelled(rest: list[str]) -> bool:
    """Whether a search is one that the shell answers: in turns, on a terminal, or a list without a question."""
    if "--raw" in rest or sys.stdout.isatty():
        return True
    try:
        flags = parse("search", rest)
    except WikiError:
        return False
    return not flags.words and any(map(flags.get, ("state", "type", "project", "all")))


def _again_in_utf8() -> None:
    """Starts over in Python's UTF-8 mode: pages are named in every script, and this locale could not even open them."""
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _command(args: Sequence[str]) -> int | None:
    """Where `context` or `search` stands, when it is the command; the global flags may stand before it."""
    i = 0
    while i < len(args):
        if args[i] in FLAGS:
            return i
        if args[i] == "--wiki":
            i += 2
        elif args[i] in ("--json", "--quiet") or args[i].startswith("--wiki="):
            i += 1
        else:
            return None
    return None


def _whole_cli(args: list[str]) -> None:
    from llmwiki.cli import main as cli

    sys.exit(cli(args))


def _guarded(command: str, rest: list[str]) -> int:
    """The exit code; every way to fail has one. A hook fails open: an agent is never stopped by its memory."""
    hook = any(arg == "--hook" or arg.startswith("--hook=") for arg in rest)
    try:
        if hook:
            bound(PATIENCE)
        return (_context if command == "context" else _search)(parse(command, rest))
    except OutOfTime:
        return 0
    except WikiError as wrong:
        _say(f"llmwiki: {wrong}")
        return 0 if hook else 2
    except KeyboardInterrupt:
        return 0 if hook else 130
    except BrokenPipeError:
        _close_output()
        return 0
    except Exception as cause:
        if hook:
            return 0
        from llmwiki.cli.streams import trouble

        return trouble(cause)


def bound(seconds: float) -> None:
    """OutOfTime is raised in `seconds` from now, in whatever runs then; 0 takes that back. A loop in C, as a planted
    file may make it, hears no exception: it is killed in twice that. Without such alarms, the agent has to end it."""
    import signal  # loads `enum`, as the hook's JSON does: never for a plain `context`

    def ring(*_: object) -> None:
        raise OutOfTime

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        signal.setitimer(signal.ITIMER_VIRTUAL, 2 * seconds)


def _context(flags: Flags) -> int:
    """`llmwiki context`."""
    if flags["hook"]:
        return _hook(flags)
    if not (flags.words or flags["error"] or flags["files"] or flags["tool"]):
        raise WikiError("context needs a task, or - to read one from standard input; or --error, --files or --tool")
    task = " ".join(flags.words)
    task = _standard_input() if task == "-" else task
    answer = _asked(flags, task, os.getcwd(), flags["session"] or "")
    if flags["json"]:
        _print_json(answer if flags["plan"] else {k: v for k, v in answer.items() if k != "plan"})
    else:
        if flags["plan"] or flags["explain"]:
            from llmwiki import recall_explain
        _print(recall_explain.planned(answer["plan"]) if flags["plan"] else "")
        _print(answer["text"])
        if flags["explain"]:
            _print(("\n" if answer["text"] else "") + recall_explain.shown(answer))
    return 0


def _hook(flags: Flags) -> int:
    """Answers an agent's own hook: its JSON comes in, the block goes out, in the form that it puts before the prompt.
    Claude Code and Codex both take plain text of a prompt hook as context."""
    import json

    if flags["hook"] not in HOOKS:
        raise WikiError(f"no hook for {flags['hook']!r}; known: {', '.join(HOOKS)}")
    try:
        said = json.loads(_standard_input() or "{}")
    except ValueError:
        return 0
    if not isinstance(said, dict):
        return 0
    prompt = said.get("prompt") or said.get("user_prompt") or ""
    folder, session = said.get("cwd") or os.getcwd(), said.get("session_id") or ""
    if isinstance(prompt, str) and prompt.strip() and isinstance(folder, str):
        text = _asked(flags, prompt, folder, str(session), vectors=False)["text"]
        bound(0)  # from here on it is said whole or not at all
        _print(text)
    return 0


def _asked(flags: Flags, task: str, folder: str, session: str, vectors: bool = True) -> dict[str, Any]:
    """The document of `context`; the session that it was given to is noted."""
    _one_of("--scope", flags["scope"], SCOPES)
    root, ahead = _begin(flags, folder)
    from llmwiki import recall

    asked = recall.Asked(
        _whole(task), budget=flags["budget"], limit=flags["limit"], project=_whole(flags["project"]), folder=folder,
        scope=flags["scope"], files=[*map(_whole, flags["files"] or ())], tool=_whole(flags["tool"]),
        error=_whole(flags["error"]),
        explain=bool(flags["explain"]), plan=bool(flags["plan"]), now=_clock(), exact=bool(flags["json"]),
        vectors=vectors,
    )  # fmt: skip
    answer = recall.block(root, asked, ahead)
    if session and answer["records"]:
        from llmwiki import recall_offers

        recall_offers.note(root, session, [record["id"] for record in answer["records"]], asked.now)
    return answer


def _clock() -> int:
    """Now, in seconds since 1970; `LLMWIKI_NOW` replaces it."""
    said = os.environ.get("LLMWIKI_NOW", "").strip()
    if not said:
        return int(time.time())
    seconds = _plain_time(said)
    if seconds is not None:
        return seconds
    from llmwiki.clock import now

    return int(now().timestamp())


def _plain_time(said: str) -> int | None:
    """Seconds since 1970 of a time in the one form that we write (`2026-03-01T12:00:00Z`), read without `datetime`,
    which costs half of Python's start; None for any other."""
    shape = "".join("0" if c.isdecimal() and c.isascii() else c for c in said)
    if shape != "0000-00-00T00:00:00Z":
        return None
    year, month, day = int(said[:4]), int(said[5:7]), int(said[8:10])
    hour, minute, second = int(said[11:13]), int(said[14:16]), int(said[17:19])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not (year and 1 <= month <= 12 and 1 <= day <= lengths[month - 1] and hour < 24 and minute < 60 and second < 60):
        return None
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400 + sum(lengths[: month - 1]) + day - 719_163
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def _begin(flags: Flags, folder: str) -> tuple[str, Any]:
    """The wiki's root, and the look at its pages, which goes on while the rest is loaded; none where the index of many
    pages is trusted."""
    root = _root(flags["wiki"] or "", folder)
    from llmwiki.indexes import scan

    marked = os.path.exists(os.path.join(root, ".llmwiki", "cache", "index", scan.MARK))
    return root, scan.Scan(root, ahead=not marked)


def _root(named: str, folder: str) -> str:
    """The wiki that is meant, by the rules of `root.find_root`, found without `pathlib`. WikiError when there is
    none."""
    said = named or os.environ.get("LLMWIKI_ROOT", "")
    at = os.path.abspath(os.path.join(folder, said)) if said else os.path.abspath(folder)
    while not os.path.isfile(os.path.join(at, SETTINGS)):
        if said or os.path.dirname(at) == at:
            break
        at = os.path.dirname(at)
    else:
        return at
    from pathlib import Path

    from llmwiki.root import find_root

    try:
        return str(find_root(named or None, os.environ, Path(folder)))
    except OSError as cause:
        raise WikiError(f"the working folder cannot be read ({cause.strerror})") from cause


def _search(flags: Flags) -> int:
    """`llmwiki search`."""
    if not flags.words:
        raise WikiError("search needs a question: llmwiki search QUERY (or --state, --type, --project, --all: a list)")
    for flag, known in (("--type", TYPES), ("--state", STATES), ("--scope", SCOPES)):
        _one_of(flag, flags[flag[2:]], known)
    root, ahead = _begin(flags, os.getcwd())
    from llmwiki import recall_search

    notes: list[str] = []
    found = recall_search.search(
        root, _whole(" ".join(flags.words)), flags["limit"] or 10, flags["type"] or "", flags["state"] or "",
        bool(flags["all"]), (flags["scope"],) if flags["scope"] else (), _clock(), ahead, notes,
        _whole(flags["project"]),
    )  # fmt: skip
    for note in () if flags["quiet"] else notes:
        _say(f"note: {note}")
    if flags["json"]:
        _print_json(found)
    elif found:
        _print("".join(_shown(hit) for hit in found))
    elif not flags["quiet"]:
        _say("nothing found; try other words, or --all to see what does not speak")
    return 0


def _shown(hit: dict[str, Any]) -> str:
    title, snippet = block.quote(hit["title"] or hit["id"]), block.quote(hit["snippet"][:200])
    about = f"{hit['type']} · {hit['state']} · {hit['score']:.2f} · {block.quote(hit['path'])}"
    return f"{title}\n  {about}\n" + (f"  {snippet}\n" if snippet and snippet != title else "")


def _one_of(flag: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise WikiError(f"{flag} is one of {', '.join(known)}, not {value!r}")


def _whole(typed: str | None) -> str:
    """What was typed, without the halves of characters as which Python hands over bytes that are no text."""
    return (typed or "").encode("utf-8", "replace").decode("utf-8")


def _standard_input() -> str:
    return sys.stdin.buffer.read(4_000_000).decode("utf-8", "replace") if sys.stdin else ""


def _print_json(document: object) -> None:
    import json

    _print(block.harmless(json.dumps(document, ensure_ascii=False, indent=2)) + "\n")


def _print(text: str) -> None:
    """UTF-8 whatever the locale says; a character that no file can hold is replaced."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def _say(text: str) -> None:
    sys.stderr.buffer.write((block.quote(text) + "\n").encode("utf-8", "replace"))


def _close_output() -> None:
    """Nobody reads on: Python's own last flush must not complain about it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _leave(code: int) -> None:
    """Exits without taking everything apart: the operating system does that quicker."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    os._exit(code)
