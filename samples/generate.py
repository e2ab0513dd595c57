"""Makes a wiki of the bundled sessions: `python samples/generate.py DIR`, for the repository's own `raw/` and `wiki/`.

DIR must hold an `llmwiki.toml`. Its `raw/`, `wiki/` and `.llmwiki/` give way to what the product makes under a clock
that stands still: first a sync of everything, then, a day later, `decay`, which releases what was in quarantine. The
block that DIR's `README.md` shows between its markers is made anew too. Nothing changes when any of that fails.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent
SYNCED, A_DAY_LATER = "2026-04-20T09:00:00Z", "2026-04-21T10:00:00Z"
TASK = "the tests fail in a fresh checkout: no such table"
BEGIN, END = "<!-- block:begin -->\n", "<!-- block:end -->"


def generate(root: Path) -> str:
    """Makes the wiki in `root`, which holds nothing but settings; the block for the task of the README."""
    from llmwiki.workspace import Workspace

    os.environ["LLMWIKI_NOW"] = SYNCED
    done = Workspace.open(root).sync(sources=[str(SAMPLES / "claude-code"), str(SAMPLES / "codex")])
    os.environ["LLMWIKI_NOW"] = A_DAY_LATER
    aged = Workspace.open(root).decay()
    print(f"{done['new']} raw pages, records: {done['records']}, a day later: {aged}")
    return Workspace.open(root).context(TASK, project="notes-api").text.strip()


def replace(root: Path, made: Path, block: str) -> None:
    for folder in ("raw", "wiki", ".llmwiki"):
        shutil.rmtree(root / folder, ignore_errors=True)
        shutil.move(made / folder, root / folder)
    readme = root / "README.md"
    if readme.exists():
        before, _, rest = readme.read_text("utf-8").partition(BEGIN)
        shown = f'```\n$ llmwiki context "{TASK}" --project notes-api\n{block}\n```\n'
        readme.write_text(f"{before}{BEGIN}{shown}{END}{rest.partition(END)[2]}", encoding="utf-8")


def main(root: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(root / "llmwiki.toml", folder)
        replace(root, Path(folder), generate(Path(folder)))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
