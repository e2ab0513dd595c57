"""How fast `sync` is: megabytes a second of a tree of sessions, and a sync that finds nothing new.

    python bench/bench_sync.py [--tree DIR] [--agent NAME] [--sessions 2000]

Without --tree a made-up tree is measured. Numbers are printed, never asserted: ratios travel, seconds do not.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from measure import Run, bare, best, llmwiki
from trees import write


def sync(home: Path, tree: Path, wiki: str, *more: str) -> tuple[Run, dict[str, object]]:
    run = llmwiki(home, "sync", "--wiki", wiki, "--json", "--quiet", "--source", str(tree), *more)
    return run, json.loads(run.out)


def report(name: str, run: Run, base: Run, size: int = 0) -> None:
    """Ratios and speed by processor time, which a busy machine does not blur much; the seconds are wall-clock."""
    speed = f"{size / run.processor / 1e6:8.1f} MB/s" if size else " " * 13
    ratio = run.processor / base.processor
    print(f"{name:54} {run.seconds:7.2f} s {speed} {ratio:8.0f} x bare {run.megabytes:6.0f} MB resident")


def measure_tree(home: Path, tree: Path, base: Run) -> None:
    size = sum(p.stat().st_size for p in tree.rglob("*") if p.suffix in (".jsonl", ".zst"))
    print(f"\n{size / 1e6:.1f} MB of sessions")
    for wiki, more in (("pages", ["--no-synthesize"]), ("whole", [])):
        llmwiki(home, "init", wiki)
        run, found = sync(home, tree, wiki, *more)
        what = "raw pages only" if more else "raw pages, records, index"
        report(f"first sync, {what} ({found['new']} pages)", run, base, size)
        report("again, nothing new", best(sync(home, tree, wiki, *more)[0] for _ in range(3)), base)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--tree", type=Path, help="a folder that `llmwiki sync --source` takes")
    options.add_argument("--sessions", type=int, default=2000, help="how many sessions the made-up tree has")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        base = bare(home)
        report("python -c pass", base, base)
        if asked.tree:
            measure_tree(home, asked.tree.resolve(), base)
            home = home / "made-up"
            home.mkdir()
        write(home / "tree", asked.sessions)
        measure_tree(home, home / "tree", base)


if __name__ == "__main__":
    main()
