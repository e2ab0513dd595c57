"""What it costs to index pages with each backend, to bring ten edited ones in, and to find nothing to do.

    python bench/bench_index.py [--records 10000] [--backend sqlite]

Numbers are printed, never asserted. "Alone" is the update of the index in its process, without Python's start and the
imports; a look at the pages is part of it, which the disk pays, and which a second process shares.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median

import pages
from measure import bare

TIMES = 5
BACKENDS = ("sqlite", "whoosh")


def measure(root: Path, backend: str, many: int) -> float:
    """Seconds of processor time that the whole index took."""
    made = pages.index(root, backend)
    size = sum(f.stat().st_size for f in (root / ".llmwiki/cache/index").rglob("*") if f.is_file()) / 1e6
    report(f"{backend}: {many} pages", [made], f"{made.whole.megabytes:5.0f} MB resident, {size:5.0f} MB on disk")
    edited, idle = [], []
    for turn in range(TIMES):
        pages.edit(root, 10, turn)
        edited.append(pages.index(root, backend))
        idle.append(pages.index(root, backend))
    report(f"{backend}: ten edited pages", edited, "bar: 300 ms alone, at 100,000")
    report(f"{backend}: nothing to do", idle)
    return made.whole.processor


def report(name: str, done: list[pages.Refreshed], more: str = "") -> None:
    """A row: medians of whole processes, then of the update alone."""
    whole, processor = (median(getattr(d.whole, part) for d in done) for part in ("seconds", "processor"))
    seconds, alone = (median(getattr(d, part) for d in done) for part in ("seconds", "processor"))
    whole_row = f"{whole:8.2f} s, processor {processor:7.2f} s"
    print(f"{name:26}{whole_row}   alone {seconds:7.2f} s, processor {alone:7.2f} s   {more}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--records", type=int, default=10_000)
    options.add_argument("--backend", action="append", choices=BACKENDS, help="only this one; may be given again")
    asked = options.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        base = bare(root)
        print(f"python -c pass: {base.seconds * 1000:.0f} ms, processor {base.processor * 1000:.0f} ms")
        pages.write(root, asked.records)
        took = {backend: measure(root, backend, asked.records) for backend in asked.backend or BACKENDS}
    if len(took) > 1:
        print(f"whoosh / sqlite, processor time: {took['whoosh'] / took['sqlite']:.1f}")


if __name__ == "__main__":
    main()
