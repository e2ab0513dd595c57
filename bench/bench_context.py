"""How long a cold `context` and `search` take beside `python -c pass`, with each backend, and after an edit.

    python bench/bench_context.py [--records 10000]

Compile first (`python -m compileall llmwiki`): bytecode matters two- to three-fold. Numbers are printed, never
asserted. On one busy core the look at the pages, which a second process does, is not hidden behind the rest.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

import pages
from measure import Run, bare, llmwiki, run

TIMES = 15
INDEX = (
    "from llmwiki.indexes.refresh import refresh; import sys; print(refresh(sys.argv[1], sys.argv[2], rebuild=True))"
)


def middle(runs: list[Run]) -> tuple[float, float]:
    """Seconds from start to end and of processor time, each the median."""
    return median(r.seconds for r in runs), median(r.processor for r in runs)


def measure(home: Path, backend: str, many: int) -> None:
    root = home / backend
    question = pages.write(root, many, backend)
    run([sys.executable, "-c", INDEX, str(root), backend], home)
    base = middle([bare(home, 1) for _ in range(TIMES)])
    for command in ("context", "search"):
        report(
            f"{backend}: {command}", base, [llmwiki(home, command, question, "--wiki", str(root)) for _ in range(TIMES)]
        )
    edited = next((root / "wiki/facts").iterdir())
    edited.write_text(edited.read_text("utf-8") + f"- {question}\n", "utf-8")
    runs = [llmwiki(home, "context", question, "--wiki", str(root)) for _ in range(TIMES)]
    report(f"{backend}: context, one page edited since", base, runs)


def report(name: str, base: tuple[float, float], runs: list[Run]) -> None:
    seconds, processor = middle(runs)
    print(
        f"{name:42} {seconds * 1000:7.1f} ms {seconds / base[0]:6.1f} x bare"
        f"   processor {processor * 1000:7.1f} ms {processor / base[1]:6.1f} x"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--records", type=int, default=10_000)
    many = options.parse_args().records
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
    with tempfile.TemporaryDirectory() as folder:
        for backend in ("sqlite", "whoosh"):
            measure(Path(folder), backend, many)


if __name__ == "__main__":
    main()
