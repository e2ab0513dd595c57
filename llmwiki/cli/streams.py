"""The process's own streams, and the last words that are said on them."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

DISK_TROUBLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)


def speak_utf8() -> None:
    """Makes the streams UTF-8 whatever the locale says: a wiki holds every script, and hooks run with `LC_ALL=C`."""
    nowhere = None if sys.stdout and sys.stderr else Path(os.devnull).open("w")  # noqa: SIM115 - lives as long as we
    sys.stdout = sys.stdout or nowhere  # None when we were started with a closed stream
    sys.stderr = sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(encoding="utf-8", errors="backslashreplace")


def silence_stdout() -> None:
    """Points stdout at nothing: whoever read it is gone, and the flush at exit must not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(sentence: str, code: int) -> int:
    """The sentence on stderr, and the exit code that goes with it."""
    from llmwiki.cli.plain import one_line

    print(f"llmwiki: {one_line(sentence)}", file=sys.stderr)
    return code


def trouble(cause: Exception) -> int:
    """The exit code of what nobody foresaw: 2 when the disk refuses, else 70 with a traceback, for it is our bug."""
    if isinstance(cause, OSError) and cause.errno in DISK_TROUBLE:
        place = f" ({os.fsdecode(cause.filename)})" if isinstance(cause.filename, str | bytes) else ""
        return say(f"{cause.strerror}{place}; make room or get the right to write there, then try again", 2)
    import traceback

    traceback.print_exception(cause)
    return say("this is a bug in llmwiki, not in your wiki; please report it with the lines above", 70)
