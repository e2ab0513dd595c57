"""Transcripts: `$ command` in a console block, and below it exactly what it prints.

They are the tutorial, the regression test and the documentation in one. Each page runs in a temporary folder with a
home of its own, `samples/` of this repository in it, and the clock at 2026-04-20T09:00:00Z. A line of stderr begins
with `! `; an exit code other than 0 is the last line (`[exit 2]`). A command may be any of the shell's, and lines that
begin with `> ` continue it. `--update` rewrites the pages; a person reads that diff.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOW = "2026-04-20T09:00:00Z"
BEFORE = 1_776_000_000  # 2026-04-12
PAGES = sorted((ROOT / "tests" / "transcripts").glob("*.md"))
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*(?:\n> .*)*)\n", re.MULTILINE)
PROGRAM = '#!/bin/sh\nexec "{python}" -c "import sys; from llmwiki.fast import main; sys.exit(main())" "$@"\n'
SCRUBS = [(re.compile(r'("seconds": )[\d.]+'), r"\g<1>0.0"), (re.compile(r"[\d,]+ MB are free"), "80,000 MB are free")]


class Place:
    """A temporary folder in which commands run."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.work = folder / "work"
        programs = folder / "bin"
        for path in (self.work, folder / "home", programs):
            path.mkdir()
        shutil.copytree(ROOT / "samples", self.work / "samples")
        for file in (self.work / "samples").rglob("*"):  # old rollouts have no times, so that the file's own counts
            os.utime(file, (BEFORE, BEFORE))
        program = programs / "llmwiki"
        program.write_text(PROGRAM.format(python=sys.executable))
        program.chmod(0o755)
        self.environ = {
            "HOME": str(folder / "home"),
            "LLMWIKI_NOW": NOW,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "TZ": "UTC",
            "GIT_CEILING_DIRECTORIES": str(folder),
        }

    def run(self, command: str) -> str:
        """What the page shall say below the command."""
        script = command.replace("\n> ", "\n")
        done = subprocess.run(["bash", "-c", script], cwd=self.work, env=self.environ, capture_output=True, timeout=120)
        out = self.scrubbed(done.stdout)
        err = "".join(f"! {line}\n" for line in self.scrubbed(done.stderr).splitlines())
        return out + err + (f"[exit {done.returncode}]\n" if done.returncode else "")

    def scrubbed(self, said: bytes) -> str:
        """Without what differs from machine to machine: the temporary folder and how long something took."""
        text = said.decode("utf-8").replace(str(self.work.resolve()), "/code").replace(str(self.folder), "/tmp")
        text = text.replace(str(ROOT), "/llmwiki")
        for pattern, constant in SCRUBS:
            text = pattern.sub(constant, text)
        text = text.replace(f"llmwiki: the clock is replaced: LLMWIKI_NOW={NOW}\n", "")  # we replaced it, not the page
        return text if text.endswith("\n") or not text else text + "\n"


def replayed(page: str, place: Place) -> str:
    """The page with the output that its commands have now."""

    def block(found: re.Match[str]) -> str:
        return "".join(f"$ {command}\n{place.run(command)}" for command in COMMAND.findall(found[0]))

    return BLOCK.sub(block, page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_transcript(page, tmp_path, update):
    expected = page.read_text("utf-8")
    now = replayed(expected, Place(tmp_path))
    # Whatever a page may expect, it is never a traceback: `--update` on a broken tree wrote one down once.
    assert "Traceback (most recent call last)" not in now
    if update:
        page.write_text(now, encoding="utf-8")
    else:
        assert now == expected


CHANGED = """Text.

```console
$ echo one
uno
$ cat <<E
> two
> E
two
$ echo no >&2; exit 3
```

More.
"""


def test_there_are_transcripts_and_a_changed_one_is_noticed(tmp_path):
    assert PAGES
    expected = CHANGED.replace("uno", "one").replace("exit 3\n", "exit 3\n! no\n[exit 3]\n")
    assert replayed(CHANGED, Place(tmp_path)) == expected
