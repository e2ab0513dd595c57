"""How much memory `sync` takes: a big tree, a small one, and a session with one huge line.

    python bench/memory.py [--megabytes 300] [--line 1024]

Prints the highest resident memory of each sync, beside that of `python -c pass`. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measure import llmwiki, run
from trees import write, write_huge_line


def peak(name: str, make: Callable[[Path], int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        size = make(home / "tree")
        llmwiki(home, "init", "wiki")
        done = llmwiki(home, "sync", "--wiki", "wiki", "--quiet", "--source", str(home / "tree"))
        print(f"{name:28} {size / 1e6:8.0f} MB of sessions {done.megabytes:8.0f} MB resident {done.seconds:8.1f} s")


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--megabytes", type=int, default=300, help="size of the big tree")
    options.add_argument("--line", type=int, default=1024, help="megabytes of the huge line")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(f"python -c pass: {run([sys.executable, '-c', 'pass'], Path(folder)).megabytes:.0f} MB resident")
    peak("small", lambda root: write(root, 50))
    peak("many sessions", lambda root: write(root, asked.megabytes * 4, turns=20, output=1600))
    peak("one long session", lambda root: write(root, 1, turns=asked.megabytes * 55, output=2600))
    peak("one huge line", lambda root: write_huge_line(root, asked.line))


if __name__ == "__main__":
    main()
