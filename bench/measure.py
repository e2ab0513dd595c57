"""Running the product in a child and measuring it beside `python -c pass` of the same interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO, NamedTuple

COMMAND = (sys.executable, "-c", "import sys; from llmwiki.fast import main; sys.exit(main())")


MEGABYTE = 1024 * 1024 if sys.platform == "darwin" else 1024  # what ru_maxrss counts in


class Run(NamedTuple):
    """Seconds from start to end and of processor time, the highest resident memory in megabytes, and stdout."""

    seconds: float
    processor: float
    megabytes: float
    out: str


def run(args: list[str], home: Path) -> Run:
    """One child process, alone, with a home folder of its own so that nobody's sessions are read.

    Linux counts the memory that the parent has at the fork into the child's peak: keep this process small.
    """
    environ = {**os.environ, "HOME": str(home), "LLMWIKI_NOW": "2026-06-01T12:00:00Z", "NO_COLOR": "1"}
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        start = time.perf_counter()
        child = subprocess.Popen(args, stdout=said, stderr=complained, env=environ, cwd=home)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"exit {child.returncode}: {' '.join(args)}\n{text(complained)}")
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / MEGABYTE, text(said))


def text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def llmwiki(home: Path, *args: str) -> Run:
    return run([*COMMAND, *args], home)


def best(runs: Iterable[Run]) -> Run:
    """The quickest of several: what else the machine does only ever adds."""
    return min(runs, key=lambda run: run.seconds)


def bare(home: Path, times: int = 10) -> Run:
    """`python -c pass`, the best of several."""
    return best(run([sys.executable, "-c", "pass"], home) for _ in range(times))
