"""Made-up record pages, the same at every run: words by a Zipf-like law, 150 a page, three claims each."""

from __future__ import annotations

import random
from itertools import accumulate
from pathlib import Path

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


def write(root: Path, many: int, backend: str) -> str:
    """A wiki of `many` records in `root`; the title of one of them, which makes a good question."""
    chance = random.Random(7)
    words = vocabulary(chance)
    weights = list(accumulate(1 / (i + 5) for i in range(len(words))))
    for _, folder, _ in KINDS:
        (root / "wiki" / folder).mkdir(parents=True, exist_ok=True)
    (root / "llmwiki.toml").write_text(f'[index]\nbackend = "{backend}"\n', "utf-8")
    question = ""
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
        question = " ".join(said[:5]) if n == many // 2 else question
    return question
