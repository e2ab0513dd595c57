"""What vectors cost with each embedder that is installed: the first question of a process, one after it, passages a
second, room, and a cold `search` in a wiki with vectors and without.

    python bench/bench_vectors.py [--records 1000]

Without an embedder (`pip install 'llmwiki-compiler[vectors]'`) there is nothing to measure. Numbers are printed, never
asserted.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pages
from measure import bare, best, llmwiki, run

from llmwiki.embedders import EMBEDDERS, base
from llmwiki.errors import WikiError
from llmwiki.indexes import vectors, vectors_update
from llmwiki.indexes.catalogue import CACHE
from llmwiki.indexes.refresh import refresh

ASKED = "how often are uploads retried"
FIRST = "import sys; from llmwiki.embedders import base; base.load(sys.argv[1]).question(sys.argv[2])"


def measure(home: Path, part: str, many: int) -> None:
    root, alone = home / part, bare(home).seconds
    title = pages.write(root, many, "sqlite")
    refresh(root, "sqlite")

    def search() -> float:
        return best(llmwiki(home, "search", title, "--wiki", str(root)) for _ in range(5)).seconds / alone

    without = search()
    first = best(run([sys.executable, "-c", FIRST, part, ASKED], home) for _ in range(3)).seconds / alone
    embedder = base.load(part)
    then = min(seconds(lambda: embedder.question(ASKED)) for _ in range(50))
    made = seconds(lambda: vectors_update.update(root, part, embedder, many * 100))
    folder = str(root / CACHE)
    head, question = vectors.read(folder).head, embedder.question(ASKED)
    looked = seconds(lambda: vectors.Near(vectors.read(folder), question))
    size = Path(vectors.path_in(folder)).stat().st_size / 1e6
    print(f"{part}: {head.rows / made:,.0f} passages a second; {head.rows:,} take {size:.1f} MB and are read and")
    print(f"  compared in {looked * 1e3:.0f} ms; a question {then * 1e3:.1f} ms, the first of a process {first:.0f} x")
    print(f"  cold search {search():.0f} x, without vectors {without:.0f} x")


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--records", type=int, default=1_000)
    many = options.parse_args().records
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
    with tempfile.TemporaryDirectory() as folder:
        for part in EMBEDDERS:
            try:
                base.part_of(part)
            except WikiError as missing:
                print(missing)
                continue
            measure(Path(folder), part, many)


if __name__ == "__main__":
    main()
