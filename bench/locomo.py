"""LoCoMo as wikis: its conversations as records of whole sessions or of single turns, and its questions.

The data (Maharana et al., ACL 2024, https://github.com/snap-research/locomo, CC BY-NC 4.0) is not bundled.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llmwiki import markdown
from llmwiki.model import Cite, Claim, Evidence, Record, RecordType, State
from llmwiki.workspace import Workspace

NOW = "2026-03-05T00:00:00Z"
CREATED = "2026-02-20T10:00:00Z"
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True, slots=True)
class Question:
    """`turns` and `sessions`: the ids of the records that hold its evidence, in either corpus."""

    number: int
    conversation: int
    category: int
    text: str
    turns: tuple[str, ...]
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """One record of a corpus: what becomes its title and the lines of its statement."""

    id: str
    conversation: int
    title: str
    lines: tuple[str, ...]
    source: str = ""


def read(path: Path) -> list[dict[str, Any]]:
    """The conversations of a file as LoCoMo publishes it, or of one with them under `conversations`. Raises ValueError
    when it is neither."""
    said = json.loads(path.read_text("utf-8"))
    found = said["conversations"] if isinstance(said, dict) and "conversations" in said else said
    if not isinstance(found, list) or not all(
        isinstance(c, dict) and {"conversation", "qa"} <= c.keys() for c in found
    ):
        raise ValueError("no list of conversations with `conversation` and `qa`")
    return found


def _sessions(conversation: dict[str, Any]) -> list[tuple[int, str, list[dict[str, Any]]]]:
    """(number, date, turns) of each session that has turns."""
    talk = conversation["conversation"]
    numbers = sorted(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key) and talk[key])
    return [(n, talk.get(f"session_{n}_date_time", ""), talk[f"session_{n}"]) for n in numbers]


def _line(turn: dict[str, Any]) -> str:
    return f"{turn['speaker']}: {' '.join(turn['text'].split())}"


def sessions(conversations: list[dict[str, Any]]) -> list[Page]:
    """One record a session: a line a turn."""
    return [
        Page(f"loco-c{c}-d{n}", c, f"Chat session at {date}", tuple(map(_line, turns)))
        for c, conversation in enumerate(conversations)
        for n, date, turns in _sessions(conversation)
    ]


def turns(conversations: list[dict[str, Any]]) -> list[Page]:
    """One record a turn, which cites it."""
    found = []
    for c, conversation in enumerate(conversations):
        for n, _, said in _sessions(conversation):
            for turn in said:
                k = turn["dia_id"].partition(":")[2]
                source = f"2026-02-20-session-c{c}-d{n}#^t{k}"
                found.append(Page(f"loco-c{c}-d{n}-{k}", c, f"{turn['speaker']} in c{c}-d{n}", (_line(turn),), source))
    return found


def questions(conversations: list[dict[str, Any]]) -> list[Question]:
    """Those whose evidence names a turn. Ids are repaired: `D:1:3` and `D30:05` are written so, and some are joined."""
    found: list[Question] = []
    for c, conversation in enumerate(conversations):
        known = {turn["dia_id"] for _, _, said in _sessions(conversation) for turn in said}
        for asked in conversation["qa"]:
            named = re.findall(r"D:?(\d+):(\d+)", " ".join(map(str, asked.get("evidence") or ())))
            places = dict.fromkeys((int(d), int(k)) for d, k in named)
            places = [(d, k) for d, k in places if f"D{d}:{k}" in known]
            if places:
                told = tuple(f"loco-c{c}-d{d}-{k}" for d, k in places)
                whole = tuple(dict.fromkeys(f"loco-c{c}-d{d}" for d, _ in places))
                found.append(Question(len(found), c, asked["category"], asked["question"], told, whole))
    return found


def write(root: Path, pages: list[Page], backend: str, vectors: str = "off") -> Workspace:
    """A wiki of these pages, indexed: active facts that differ in nothing but what they say."""
    (root / "wiki/facts").mkdir(parents=True)
    (root / "llmwiki.toml").write_text(f'[index]\nbackend = "{backend}"\nvectors = "{vectors}"\n', "utf-8")
    for page in pages:
        cites = (Cite(*page.source.split("#^")),) if page.source else ()
        claims = [Claim("Statement", line, cites) for line in page.lines]
        record = Record(
            id=page.id,
            type=RecordType.FACT,
            title=page.title,
            state=State.ACTIVE,
            confidence=0.75,
            project=f"conv-{page.conversation}",
            evidence=Evidence.TEST_PROVED,
            created=CREATED,
            reinforced=CREATED,
            body=markdown.body({"Statement": claims}),
        )
        (root / f"wiki/facts/{page.id}.md").write_text(markdown.render(record), "utf-8")
    wiki = Workspace.open(root)
    wiki.index(rebuild=True)
    return wiki
