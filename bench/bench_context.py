"""How long a cold `context` and `search` take beside `python -c pass`, with each backend, and after an edit.

    python bench/bench_context.py [--records 10000] [--backend sqlite]

Compile first (`python -m compileall llmwiki`): bytecode matters two- to three-fold. Numbers are printed, never
asserted. On one busy core the look at the pages, which a second process does, is not hidden behind the rest.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median

import pages
from measure import bare, llmwiki

TIMES = 16
BACKENDS = ("sqlite", "whoosh")
BARS = {("whoosh", 10_000): "bar: 15 x", ("sqlite", 100_000): "bar: 8 x", ("whoosh", 100_000): "bar: answers"}


def measure(root: Path, backend: str, many: int, questions: list[str]) -> None:
    pages.index(root, backend)
    for command in ("context", "search"):
        asked = [[command, question, "--wiki", str(root)] for question in questions]
        report(f"{backend}: {command}", root, asked, BARS.get((backend, many), ""))
    pages.edit(root, 1, 0)
    asked = [["context", question, "--wiki", str(root)] for question in questions]
    report(f"{backend}: context, one page edited since", root, asked)


def report(name: str, home: Path, asked: list[list[str]], bar: str = "") -> None:
    """A row, of several questions in turn: wall time, as a second process looks at the pages meanwhile, and processor
    time, which a busy machine blurs less. Bare and measured runs take turns; each figure is a median."""
    pairs = [(bare(home, 1), llmwiki(home, *asked[i % len(asked)])) for i in range(TIMES)]
    seconds, megabytes = median(done.seconds for _, done in pairs), median(done.megabytes for _, done in pairs)
    wall = median(done.seconds / base.seconds for base, done in pairs)
    processor = median(done.processor / base.processor for base, done in pairs)
    figures = f"{seconds * 1000:7.1f} ms {wall:6.1f} x bare, processor {processor:6.1f} x, {megabytes:4.0f} MB resident"
    print(f"{name:42}{figures}   {bar}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--records", type=int, default=10_000)
    options.add_argument("--backend", action="append", choices=BACKENDS, help="only this one; may be given again")
    given = options.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        report("--help", root, [["--help"]])
        questions = pages.write(root, given.records)
        for backend in given.backend or BACKENDS:
            measure(root, backend, given.records, questions)


if __name__ == "__main__":
    main()
