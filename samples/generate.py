"""Makes the repository's own wiki again from the bundled sessions: `python samples/generate.py DIR [--settings FILE]`.

DIR must hold an `llmwiki.toml`. Its `raw/`, `wiki/` and `.llmwiki/` are removed and written anew, under a clock that
stands still: first a sync of everything, then, a day later, `decay`, which releases what was in quarantine.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent
SYNCED, A_DAY_LATER = "2026-04-20T09:00:00Z", "2026-04-21T10:00:00Z"


def generate(root: Path) -> None:
    from llmwiki.workspace import Workspace

    for folder in ("raw", "wiki", ".llmwiki"):
        shutil.rmtree(root / folder, ignore_errors=True)
    os.environ["LLMWIKI_NOW"] = SYNCED
    print(Workspace.open(root).sync(sources=[str(SAMPLES / "claude-code"), str(SAMPLES / "codex")]))
    os.environ["LLMWIKI_NOW"] = A_DAY_LATER
    print(Workspace.open(root).decay())


if __name__ == "__main__":
    generate(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
