"""Made-up record pages, the same at every run: words by a Zipf-like law, 150 a page, three claims each.

They are written as files, not by the product: a hundred thousand take some twenty seconds and half a gigabyte.
"""

from __future__ import annotations

import json
import random
import sys
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from measure import Run, run

PAGE = """---
id: "{id}"
type: {kind}
title: {title}
description: {description}
state: active
confidence: 0.75
scope: user
project: project-{project}
created: "2026-05-20T10:00:00Z"
reinforced: "2026-05-20T10:00:00Z"
ttl_days: 180
evidence: test-proved
sources:
  - "[[2026-05-20-session-{session}]]"
---

## {section}

{lines}
"""
KINDS = (("fact", "facts", "Statement"), ("failure", "failures", "Symptom"), ("preference", "preferences", "Rule"))


def vocabulary(chance: random.Random, size: int = 12_000) -> list[str]:
    def syllable() -> str:
        return chance.choice("bcdfghklmnprstvw") + chance.choice("aeiou")

    return ["".join(syllable() for _ in range(chance.randint(2, 4))) for _ in range(size)]


QUESTIONS = 8


def write(root: Path, many: int) -> list[str]:
    """A wiki of `many` records in `root`, of no backend yet; titles of some of them, which make good questions."""
    chance = random.Random(7)
    words = vocabulary(chance)
    weights = list(accumulate(1 / (i + 5) for i in range(len(words))))
    for _, folder, _ in KINDS:
        (root / "wiki" / folder).mkdir(parents=True, exist_ok=True)
    step, questions = max(1, many // QUESTIONS), []
    for n in range(many):
        kind, folder, section = KINDS[n % 3]
        said = chance.choices(words, cum_weights=weights, k=160)
        lines = [" ".join(said[i : i + 50]) + f" [[2026-05-20-session-{n % 99}#^t{i + 1}]]" for i in (10, 60, 110)]
        page = PAGE.format(
            id=f"{said[0]}-{n:05x}",
            kind=kind,
            title=" ".join(said[:5]),
            description=" ".join(said[5:10]),
            project=n % 5,
            session=n % 99,
            section=section,
            lines="\n".join(f"- {line}" for line in lines),
        )
        (root / "wiki" / folder / f"{said[0]}-{n:05x}.md").write_text(page, "utf-8")
        if n % step == step // 2:
            questions.append(" ".join(said[:5]))
    return questions


REFRESH = """
import json, sys, time
from llmwiki.indexes.refresh import refresh
began = time.process_time()
done = refresh(sys.argv[1], sys.argv[2])
print(json.dumps({"seconds": done["seconds"], "processor": time.process_time() - began}))
"""


class Refreshed(NamedTuple):
    """What a child took as a whole, and what the update of the index alone took in it: seconds, processor seconds."""

    whole: Run
    seconds: float
    processor: float


def index(root: Path, backend: str) -> Refreshed:
    """Brings the index of a wiki up to its pages, with a backend, in a child."""
    settings = f'[index]\nbackend = "{backend}"\n'
    if not (root / "llmwiki.toml").exists() or (root / "llmwiki.toml").read_text("utf-8") != settings:
        (root / "llmwiki.toml").write_text(settings, "utf-8")
    done = run([sys.executable, "-c", REFRESH, str(root), backend], root)
    return Refreshed(done, **json.loads(done.out))


def edit(root: Path, many: int, turn: int) -> None:
    """Writes a line into `many` pages; other ones each turn."""
    for page in sorted((root / "wiki/facts").iterdir())[turn * many : (turn + 1) * many]:
        page.write_text(page.read_text("utf-8") + f"- one more line of turn {turn}\n", "utf-8")
