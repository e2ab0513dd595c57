"""The shell: a table of commands, each in a short file of its own that is imported when it is called.

`llmwiki --help` imports none of them, `llmwiki sync --help` one. A command takes its options, asks the Workspace, shows
what came back and returns an exit code; everything that can go wrong becomes an exit code here, in one place.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from llmwiki.errors import WikiError

# Group -> command -> one line for `llmwiki --help`. A command `x` is the function `command` of `llmwiki/cli/x.py`.
COMMANDS: dict[str, dict[str, str]] = {
    "Every day": {
        "init": "Make a wiki here, or one for everything you do.",
        "sync": "Read new sessions of your agents and learn from them.",
        "context": "Print what the wiki knows that helps with a task.",
        "search": "Find records by words, or turns of raw pages.",
        "remember": "Tell the wiki something yourself.",
        "feedback": "Say how a session went; your word outranks every other sign.",
    },
    "Looking": {
        "status": "Count records, and what waits, failed or was used.",
        "agents": "List the agents that can be read, and what was found.",
        "show": "Print a record with the turns that it rests on.",
        "why": "Tell what made a record's confidence and state what they are.",
    },
    "Care": {
        "synthesize": "Make records from raw pages, without reading the sources again.",
        "verify": "Check each claim against the turns that it cites.",
        "decay": "Apply age: release, put aside and archive what is due.",
        "index": "Bring the search index up to date, or make it again.",
        "undo": "Take back the last operations, or redo them.",
        "doctor": "Find what is wrong with the set-up, and how to mend it.",
    },
}
SHARED_FLAGS = ("--json", "--quiet", "--dry-run")
DISK_TROUBLE = ("EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code: 0, 1 with findings, 2 refused, 70 our bug, 130 interrupted."""
    _speak_utf8()
    try:
        code = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _say("interrupted; nothing is half-written", 130)
    except BrokenPipeError:
        silence_stdout()
        return 0
    except WikiError as refusal:
        return _say(str(refusal), 2)
    except OSError as trouble:
        return _disk_trouble(trouble)
    except Exception:
        return _our_bug()
    return code


def silence_stdout() -> None:
    """Points stdout at nothing: whoever read it is gone, and the flush at exit must not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: list[str]) -> int:
    from llmwiki.cli.group import run

    return run(_shared_flags_last(argv))


def _shared_flags_last(argv: list[str]) -> list[str]:
    """`--json decay` as `decay --json`: what every command takes may stand before its name."""
    front: list[str] = []
    rest = list(argv)
    while rest and (rest[0] in SHARED_FLAGS or rest[0].partition("=")[0] == "--wiki"):
        take = 2 if rest[0] == "--wiki" else 1
        front, rest = front + rest[:take], rest[take:]
    return [rest[0], *front, *rest[1:]] if rest and not rest[0].startswith("-") else argv


def _speak_utf8() -> None:
    """Makes the streams UTF-8 whatever the locale says: a wiki holds every script, hooks run with `LC_ALL=C`."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - None when started with closed streams
    sys.stderr = sys.stderr or sys.stdout
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(encoding="utf-8", errors="backslashreplace")


def _say(sentence: str, code: int) -> int:
    from llmwiki.cli.plain import one_line

    print(f"llmwiki: {one_line(sentence)}", file=sys.stderr)
    return code


def _disk_trouble(trouble: OSError) -> int:
    import errno

    if errno.errorcode.get(trouble.errno or 0) not in DISK_TROUBLE:
        return _our_bug()
    place = f" ({os.fsdecode(trouble.filename)})" if trouble.filename else ""
    return _say(f"{trouble.strerror}{place}; make room or give yourself the right to write there, then try again", 2)


def _our_bug() -> int:
    import traceback

    traceback.print_exc()
    return _say("this is a bug in llmwiki, not in your wiki; please report it with the lines above", 70)
