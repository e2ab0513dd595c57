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
from measure import bare, llmwiki, run

TIMES = 15
INDEX = (
    "from llmwiki.indexes.refresh import refresh; import sys; print(refresh(sys.argv[1], sys.argv[2], rebuild=True))"
)


def measure(home: Path, backend: str, many: int) -> None:
    root = home / backend
    question = pages.write(root, many, backend)
    run([sys.executable, "-c", INDEX, str(root), backend], home)
    for command in ("context", "search"):
        report(f"{backend}: {command}", home, [command, question, "--wiki", str(root)])
    edited = next((root / "wiki/facts").iterdir())
    edited.write_text(edited.read_text("utf-8") + f"- {question}\n", "utf-8")
    report(f"{backend}: context, one page edited since", home, ["context", question, "--wiki", str(root)])


def report(name: str, home: Path, arguments: list[str]) -> None:
    """A row: wall time, as a second process looks at the pages meanwhile. Bare and measured runs take turns."""
    pairs = [(bare(home, 1), llmwiki(home, *arguments)) for _ in range(TIMES)]
    seconds = median(done.seconds for _, done in pairs)
    ratio = median(done.seconds / base.seconds for base, done in pairs)
    print(f"{name:42} {seconds * 1000:7.1f} ms {ratio:6.1f} x bare", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--records", type=int, default=10_000)
    many = options.parse_args().records
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
    with tempfile.TemporaryDirectory() as folder:
        report("--help", Path(folder), ["--help"])
        for backend in ("sqlite", "whoosh"):
            measure(Path(folder), backend, many)


if __name__ == "__main__":
    main()
