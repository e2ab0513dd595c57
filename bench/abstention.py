"""Who is told nothing: tasks about other things must be, tasks about a wiki's lessons must not.

A wiki is made of the bundled sessions (`samples/`, `bench/gold`), what waits in it is let speak, and `ontopic.txt`
(project, task, what the answer has to match) and `offtopic.txt` are asked. The first, third, … line of a list was used
to choose the numbers of `retrieve_floor`; the rest judges them. The lists named `_paraphrased` were written by somebody
who was to say it otherwise than the page does, and knew nothing of how it is found. `--wiki DIR` asks another wiki the
off-topic tasks.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from measure import llmwiki

from llmwiki import recall

HERE = Path(__file__).parent
NOW = int(datetime(2026, 6, 1, 12, tzinfo=UTC).timestamp())
PROJECTS = ("notes-api", "airnode", "tidewatch", "stockroom")
SOURCES = (HERE.parent / "samples", HERE / "gold/claude", HERE / "gold/codex")


def lines(name: str) -> list[str]:
    return [line for line in (HERE / name).read_text("utf-8").split("\n") if line]


def made(home: Path) -> str:
    """A wiki of the bundled sessions, in which what passed `verify` speaks."""
    llmwiki(home, "init", "wiki", "--default")
    sources = [flag for source in SOURCES for flag in ("--source", str(source))]
    llmwiki(home, "sync", "--wiki", "wiki", "--quiet", *sources)
    llmwiki(home, "review", "promote", "--verified", "--wiki", "wiki", "--quiet")
    return str(home / "wiki")


def ask(wiki: str, task: str, project: str = "") -> dict[str, Any]:
    return recall.block(wiki, recall.Asked(task, now=NOW, project=project))


def halves(found: Iterable[bool]) -> str:
    every = list(found)
    shares = (f"{sum(half)}/{len(half)} = {sum(half) / max(1, len(half)):.3f}" for half in (every[::2], every[1::2]))
    return "  ".join(f"{name} {share}" for name, share in zip(("chosen on", "judged on"), shares, strict=True))


def off_topic(wiki: str, project: str, verbose: bool, name: str = "offtopic.txt") -> None:
    found = [(task, ask(wiki, task, project)) for task in lines(name)]
    print(f"off-topic, empty block, project {project or '-':12} {halves(a['abstained'] for _, a in found)}")
    for task, answer in found if verbose else ():
        for r in answer["records"]:
            print(f"  told   {task}: {r['id']}")


def on_topic(wiki: str, at_home: bool, verbose: bool, name: str) -> None:
    asked = [line.split("\t") for line in lines(name)]
    found = [(task, wanted, ask(wiki, task, project if at_home else "")) for project, task, wanted in asked]
    right = [any(re.search(w, f"{r['title']} {r['text']}", re.IGNORECASE) for r in a["records"]) for _, w, a in found]
    where = "in its project" if at_home else "no project"
    print(f"on-topic, silenced, {where:17} {halves(a['abstained'] for _, _, a in found)}")
    print(f"on-topic, the right record told        {halves(right)}")
    for (task, _, answer), good in zip(found, right, strict=True) if verbose else ():
        if not good:
            print(f"  {'silent' if answer['abstained'] else 'other '} {task}")


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--wiki", help="ask the off-topic tasks of this wiki instead")
    options.add_argument("--verbose", action="store_true", help="name each task that went wrong")
    asked = options.parse_args()
    if asked.wiki:
        off_topic(asked.wiki, "", asked.verbose)
        return
    with tempfile.TemporaryDirectory() as home:
        wiki = made(Path(home))
        for more in ("", "_paraphrased"):
            print(f"{more.strip('_') or 'in words near the pages'}:")
            for at_home in (False, True):
                on_topic(wiki, at_home, asked.verbose, f"ontopic{more}.txt")
            for project in ("", *PROJECTS):
                off_topic(wiki, project, asked.verbose, f"offtopic{more}.txt")


if __name__ == "__main__":
    main()
