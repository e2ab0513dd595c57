"""The shell: a table of commands, each in a short file of its own that is imported when it is called.

`llmwiki --help` imports none of them, `llmwiki sync --help` one. A command takes its options, asks the Workspace, shows
what came back and returns an exit code; everything that can go wrong becomes an exit code here, in one place.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from llmwiki.errors import WikiError

# Group -> command -> one line for `llmwiki --help`. A command `x` is the function `command` of `llmwiki/cli/x.py`.
COMMANDS: dict[str, dict[str, str]] = {
    "Every day": {
        "init": "Make a wiki here, or one for everything you do.",
        "sync": "Read new sessions of your agents and learn from them.",
        "context": "Print what the wiki knows that helps with a task.",
        "search": "Find records by words, or turns of raw pages.",
        "remember": "Tell the wiki something yourself.",
        "import": "Take in CLAUDE.md, AGENTS.md and documents as records.",
        "review": "Decide what becomes memory: what waits for you, page by page.",
        "feedback": "Say how a session went; your word outranks every other sign.",
    },
    "Looking": {
        "status": "Count records, and what waits, failed or was used.",
        "agents": "List the agents that can be read, and what was found.",
        "show": "Print a record with the turns that it rests on.",
        "graph": "Print the link graph, or what is around one record.",
        "why": "Tell what made a record's confidence and state what they are.",
        "diff": "Tell what was learned, withdrawn and changed since a commit.",
    },
    "Care": {
        "synthesize": "Make records from raw pages, without reading the sources again.",
        "verify": "Check each claim against the turns that it cites.",
        "lint": "Find what is wrong in the wiki, and mend what is safe.",
        "decay": "Apply age: release, put aside and archive what is due.",
        "evolve": "Merge near-duplicates, propose rules that recur and better skills.",
        "index": "Bring the search index up to date, or make it again.",
        "undo": "Take back the last operations, or redo them.",
        "forget": "Remove a session, a record or a project for good, and keep it out.",
        "doctor": "Find what is wrong with the set-up, and how to mend it.",
        "hooks": "Let an agent ask before each prompt, and sync after each session.",
    },
}
SHARED_FLAGS = ("--json", "--quiet", "--dry-run")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code: 0, 1 with findings, 2 refused, 70 our bug, 130 interrupted."""
    from llmwiki.cli import streams

    streams.speak_utf8()
    try:
        code = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return streams.say("interrupted; nothing is half-written", 130)
    except BrokenPipeError:
        streams.silence_stdout()
        return 0
    except WikiError as refusal:
        return streams.say(str(refusal), 2)
    except Exception as trouble:
        return streams.trouble(trouble)
    return code


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
    if front and not rest:
        raise WikiError(f"{front[0]} alone does nothing, name a command; see llmwiki --help")
    return [rest[0], *front, *rest[1:]] if rest and not rest[0].startswith("-") else rest
