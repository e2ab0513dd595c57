"""Makes a wiki of the bundled sessions: `python samples/generate.py DIR`, for the repository's own `raw/` and `wiki/`.

DIR must hold an `llmwiki.toml`. Its `raw/`, `wiki/` and `.llmwiki/` are removed and written anew, under a clock that
stands still: first a sync of everything, then, a day later, `decay`, which releases what was in quarantine. The block
that DIR's `README.md` shows between its markers is made anew too.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent
SYNCED, A_DAY_LATER = "2026-04-20T09:00:00Z", "2026-04-21T10:00:00Z"
TASK = "the tests fail in a fresh checkout: no such table"
BEGIN, END = "<!-- block:begin -->\n", "<!-- block:end -->"


def generate(root: Path) -> None:
    from llmwiki.workspace import Workspace

    for folder in ("raw", "wiki", ".llmwiki"):
        shutil.rmtree(root / folder, ignore_errors=True)
    os.environ["LLMWIKI_NOW"] = SYNCED
    done = Workspace.open(root).sync(sources=[str(SAMPLES / "claude-code"), str(SAMPLES / "codex")])
    os.environ["LLMWIKI_NOW"] = A_DAY_LATER
    aged = Workspace.open(root).decay()
    print(f"{done['new']} raw pages, records: {done['records']}, a day later: {aged}")
    readme = root / "README.md"
    if readme.exists():
        block = Workspace.open(root).context(TASK).text
        before, _, rest = readme.read_text("utf-8").partition(BEGIN)
        shown = f'```\n$ llmwiki context "{TASK}"\n{block.strip()}\n```\n'
        readme.write_text(f"{before}{BEGIN}{shown}{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    generate(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
