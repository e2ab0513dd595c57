"""How long it takes to index pages with each backend, to bring ten edited ones in, and to find nothing to do.

    python bench/bench_index.py [--records 10000]

Numbers are printed, never asserted.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from itertools import islice
from pathlib import Path

import pages
from measure import Run, bare, run

REFRESH = "from llmwiki.indexes.refresh import refresh; import sys; print(refresh(sys.argv[1], sys.argv[2]))"


def measure(home: Path, backend: str, many: int) -> float:
    """Seconds of processor time that the whole index took."""
    root = home / backend
    pages.write(root, many, backend)

    def refresh() -> Run:
        return run([sys.executable, "-c", REFRESH, str(root), backend], home)

    whole = refresh()
    report(f"{backend}: {many} pages", whole)
    for page in islice(sorted((root / "wiki/facts").iterdir()), 10):
        page.write_text(page.read_text("utf-8") + "- one more line\n", "utf-8")
    report(f"{backend}: ten edited pages", refresh())
    report(f"{backend}: nothing to do", refresh())
    return whole.processor


def report(name: str, done: Run) -> None:
    print(f"{name:32} {done.seconds:7.2f} s  processor {done.processor:7.2f} s  {done.megabytes:6.0f} MB resident")


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--records", type=int, default=10_000)
    many = options.parse_args().records
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
    with tempfile.TemporaryDirectory() as folder:
        report("python -c pass", bare(Path(folder)))
        took = {backend: measure(Path(folder), backend, many) for backend in ("sqlite", "whoosh")}
    print(f"whoosh / sqlite, processor time: {took['whoosh'] / took['sqlite']:.1f}")


if __name__ == "__main__":
    main()
