"""What a sync learns, against lessons that a person wrote down: recall by type, what is missing, what is besides.

    python bench/gold.py [--gold bench/gold/gold.jsonl] [--sessions DIR] [--left-out]

Each line of the gold file is a lesson: `session` (a path below the sessions' folder), `id`, `type` with `also` (other
right types), `must` (words of which a right record holds at least half), `weight`; or `none: true` for a session that
teaches nothing. A record matches a lesson of a session that it cites: with credit 1 for a right type, and ½ for a
neighbouring one (fact ~ preference ~ heuristic, failure ~ skill). In one session a record answers for one lesson.

`--left-out` prints, beside it, the recall of each project when the kinds of lesson that no other project's gold
confirms are left out: how much of the figure stands on a rule that only this project asked for.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llmwiki import prose, rawpage
from llmwiki.model import Record, RecordType, State
from llmwiki.workspace import Workspace

HERE = Path(__file__).parent
NEIGHBOURS = ({"fact", "preference", "heuristic"}, {"failure", "skill"})


@dataclass(frozen=True, slots=True)
class Answer:
    """A record as far as one session is concerned."""

    record: Record
    session: str
    text: str


def learned(sessions: Path) -> tuple[list[Answer], dict[str, str], Mapping[str, Any]]:
    """Every lesson by the sessions that it cites, session -> project, and the counts of the sync."""
    with tempfile.TemporaryDirectory() as folder:
        Workspace.init(folder)
        wiki = Workspace.open(folder)
        done = wiki.sync(sources=[str(p) for p in sorted(sessions.iterdir()) if p.is_dir()])
        stems = {}
        for stem, path in wiki.raw_stems.items():
            head = rawpage.head(wiki.raw(path) or "")
            stems[stem] = (str(head.get("session", "")), str(head.get("project", "")))
        answers = []
        for record in wiki.load().records.values():
            if record.type is RecordType.TRACE or record.state is State.ARCHIVED:
                continue
            text = f"{record.title}\n{record.description}\n{' '.join(record.tags)}\n{record.body}"
            cited = {c.stem for line in prose.claims(record.body) for c in line.cites} & stems.keys()
            answers += [Answer(record, key(stems[stem][0]), text) for stem in sorted(cited)]
        return answers, {key(session): project for session, project in stems.values()}, done


def key(session: str) -> str:
    """What names a session within its path or its native id: the last UUID, else its stem."""
    name = session.rsplit("/", 1)[-1].lower().removesuffix(".jsonl")
    found = re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", name)
    return found[-1] if found else name


def credit(kind: str, lesson: Mapping[str, Any]) -> float:
    if kind in {lesson["type"], *lesson.get("also", ())}:
        return 1.0
    return 0.5 if any({kind, lesson["type"]} <= near for near in NEIGHBOURS) else 0.0


def share(words: Sequence[str], text: str) -> float:
    """Which part of the words stands in the text, whole and ignoring case."""

    def stands(word: str) -> bool:
        left = r"(?<![A-Za-z0-9])" if word[0].isascii() and word[0].isalnum() else ""
        right = r"(?![A-Za-z0-9])" if word[-1].isascii() and word[-1].isalnum() else ""
        return re.search(left + re.escape(word) + right, text, re.I) is not None

    return sum(map(stands, words)) / len(words)


def match(gold: Sequence[Mapping[str, Any]], answers: Sequence[Answer]) -> dict[str, tuple[float, Answer]]:
    """Lesson's id -> its credit and the record that answers for it; the best pairs first."""
    pairs = []
    for lesson in gold:
        for answer in answers:
            worth = credit(answer.record.type.value, lesson) if answer.session == key(lesson["session"]) else 0.0
            held = share(lesson["must"], answer.text) if worth else 0.0
            if held >= 0.5:
                pairs.append((-worth, -held, lesson["id"], answer.record.id, answer))
    out: dict[str, tuple[float, Answer]] = {}
    used: set[tuple[str, str]] = set()
    for worth, _, lesson_id, record_id, answer in sorted(pairs, key=lambda p: p[:4]):
        if lesson_id not in out and (answer.session, record_id) not in used:
            used.add((answer.session, record_id))
            out[lesson_id] = (-worth, answer)
    return out


def recall(gold: Sequence[Mapping[str, Any]], found: Mapping[str, tuple[float, Answer]]) -> float:
    whole = sum(g["weight"] for g in gold)
    return sum(g["weight"] * found[g["id"]][0] for g in gold if g["id"] in found) / whole if whole else 0.0


def table(gold: Sequence[Mapping[str, Any]], found: Mapping[str, tuple[float, Answer]]) -> None:
    print(f"{'type':<12}{'lessons':>8}{'found':>7}{'weighted recall':>17}")
    for kind in [*sorted({g["type"] for g in gold}), "total"]:
        group = [g for g in gold if kind in (g["type"], "total")]
        print(f"{kind:<12}{len(group):>8}{sum(g['id'] in found for g in group):>7}{recall(group, found):>17.3f}")


def origin(record: Record) -> str:
    """Which rule made a record, as far as its page tells: its type, and how its description begins."""
    return f"{record.type.value}: {' '.join(re.sub('[0-9]+', '', record.description).split()[:2])}"


def left_out(gold: Sequence[Mapping[str, Any]], answers: Sequence[Answer], projects: Mapping[str, str]) -> None:
    """Recall of each project with only the kinds of lesson that another project's gold confirms."""
    found = match(gold, answers)
    confirmed: dict[str, set[str]] = defaultdict(set)
    for lesson in gold:
        if lesson["id"] in found:
            confirmed[origin(found[lesson["id"]][1].record)].add(projects.get(key(lesson["session"]), "?"))
    print(f"\n{'project left out':<34}{'lessons':>8}{'recall':>9}{'left out':>10}")
    lost = 0.0
    by_project: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for lesson in gold:
        by_project[projects.get(key(lesson["session"]), "?")].append(lesson)
    for project, lessons in sorted(by_project.items()):
        kept = [a for a in answers if confirmed[origin(a.record)] - {project}]
        without = match(lessons, kept)
        lost += sum(g["weight"] for g in lessons) * recall(lessons, without)
        print(f"{project:<34}{len(lessons):>8}{recall(lessons, found):>9.3f}{recall(lessons, without):>10.3f}")
    print(f"{'all':<34}{len(gold):>8}{recall(gold, found):>9.3f}{lost / sum(g['weight'] for g in gold):>10.3f}")


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--gold", type=Path, default=HERE / "gold" / "gold.jsonl", help="the lessons, one a line")
    options.add_argument("--sessions", type=Path, help="the folder whose folders are homes of agents")
    options.add_argument("--left-out", action="store_true", help="each project by what the others confirm")
    asked = options.parse_args()
    lines = [json.loads(x) for x in asked.gold.read_text("utf-8").splitlines() if x.strip()]
    gold = [x for x in lines if not x.get("none")]
    answers, projects, done = learned(asked.sessions or asked.gold.parent)
    found = match(gold, answers)
    table(gold, found)
    named = {key(x["session"]) for x in lines}
    matched = {(a.session, a.record.id) for _, a in found.values()}
    extra = [a for a in answers if a.session in named and (a.session, a.record.id) not in matched]
    nothing = {key(x["session"]) for x in lines if x.get("none")}
    count = len({a.record.id for a in answers if a.session in named})
    wrong = sum(a.session in nothing for a in extra)
    print(f"\n{count} records; {len(extra)} match no lesson, {wrong} of them in {len(nothing)} sessions without any")
    print(f"refused: {dict(done['records']['refused'])}")
    megabytes, seconds = done["bytes"] / 1e6, max(done["seconds"], 0.001)
    print(f"{megabytes:.1f} MB in {seconds:.1f} s, {megabytes / seconds:.1f} MB/s")
    for title, rows in (
        ("not found", [f"{g['id']} w{g['weight']} {g['type']}: {g['lesson']}" for g in gold if g["id"] not in found]),
        ("besides", [f"{a.record.type.value}: {a.record.title}" for a in extra]),
    ):
        print(f"\n{title}: {len(rows)}", *(f"  {row[:150]}" for row in rows), sep="\n")
    print("\nstates:", dict(Counter(a.record.state.value for a in answers)))
    if asked.left_out:
        left_out(gold, answers, projects)


if __name__ == "__main__":
    main()
