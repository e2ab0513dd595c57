"""Odd input costs what its length costs: four times the text takes about four times the time, whatever is repeated.

Nothing here asserts a time. What is too short to be measured passes; the rest is measured at two sizes, by the time of
this process alone, and again when it looks slow.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from time import process_time

import pytest
from lessons import agent, edited, ran, session, user
from spoken import came_back, claude, lines, replied, said
from spoken import ran as called

import llmwiki
from llmwiki import alternatives, block, contrary, evaluate, markdown, names, prose, rawpage, verify, words
from llmwiki.adapters import base as adapter
from llmwiki.adapters import claude_text
from llmwiki.cli import plain
from llmwiki.context_when import Trouble
from llmwiki.redact import Redactor
from llmwiki.rules import orders
from llmwiki.synthesizers import (
    answers,
    base,
    extractive,
    facts,
    gate,
    imported,
    phrases,
    signatures,
    stated,
    statements,
)

SMALL, TIMES, MOST = 2_000, 4, 8  # characters; how much longer; how much more that may take (a square takes 16)
MEASURED = 0.015  # seconds below which a clock tells nothing
PIECES = [
    *"`'\"([]{<-_ ./\\#|*=:,@0a\n字",
    *("😀", "a ", "`a`", "`a``", "- ", "[[", "\n ", "a\n", "a, ", "&lt;", "../", "a.", "a/", "a-", "1.", "ab1", "a@"),
    *("E", "<a ", "{{", "then ", "先", "まず", "[your ", "[redacted:", "Q: a\n", "curl ", "Error: ", "\r\n"),
]
PACKAGE = Path(llmwiki.__file__).parent
# Patterns of these are shown a window around a hint, never a whole text: they are held as one, as `Redactor`.
WINDOWED = "redact"
ANCHORED = ("match", "fullmatch")


def growth(work: Callable[[str], object], piece: str, size: int = SMALL) -> float:
    """How many times longer `work` takes on the longer text; 1 when that takes too short to be measured."""
    best = float("inf")
    for _ in range(3):
        if (long := cost(work, piece, TIMES * size)) < MEASURED:
            return 1
        best = min(best, long / max(cost(work, piece, size), MEASURED / 100))
        if best <= MOST:
            break
    return best


def cost(work: Callable[[str], object], piece: str, size: int) -> float:
    text, start = (piece * (size // len(piece) + 1))[:size], process_time()
    work(text)
    return process_time() - start


@cache
def patterns() -> dict[str, Callable[[str], object]]:
    """Every pattern that a module holds by name, used as its module uses it: from the start of a text, or all over."""
    found: dict[str, Callable[[str], object]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
        if file.stem in ("__main__", "__init__") or WINDOWED in file.parts or "cli" in file.parts:
            continue
        uses = used(file)
        for key, value in vars(import_module(name)).items():
            for number, pattern in enumerate(held(value)):
                anchored = set(uses.get(key, ())) <= set(ANCHORED) and key in uses
                found.setdefault(f"{name}.{key}.{number}", pattern.match if anchored else everywhere(pattern))
    return found


def used(file: Path) -> dict[str, set[str]]:
    """Name -> the methods by which a module calls what has that name."""
    calls: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            calls.setdefault(node.value.id, set()).add(node.attr)
    return calls


def held(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from held(part)
    elif isinstance(value, dict):
        yield from held([*value.values()])


def everywhere(pattern: re.Pattern[str]) -> Callable[[str], object]:
    return lambda text: sum(1 for _ in pattern.finditer(text))


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_no_pattern_is_slow_on_a_run(piece):
    slow = {name: n for name, work in patterns().items() if (n := growth(work, piece)) > MOST}
    assert not slow


READERS: dict[str, Callable[[str], object]] = {
    "code": prose.code,
    "inert": prose.inert,
    "plain": prose.plain,
    "without_code": prose.without_code,
    "links": prose.links,
    "claims": markdown.claims,
    "claim": lambda text: markdown.claims("- " + text),
    "cites": lambda text: markdown.claims("- a" + "[[b#^t1]] " * (len(text) // 10)),
    "page": lambda text: markdown.read(f"---\ntitle: x\n---\n\n{text}\n- a\n", "wiki/facts/a.md", "user"),
    "item": lambda text: prose.item(markdown.claims("- a\n  " + text.replace("\n", "\n  "))[0]) if text.strip() else "",
    "tokens": verify.tokens,
    "terms": words.terms,
    "values": alternatives.parted,
    "title": names.title_line,
    "title of a session": adapter.title_line,
    "clip": adapter.clip,
    "pieces": claude_text.pieces,
    "reminders": claude_text.strip_reminders,
    "cut": lambda text: block.cut(f'<{block.NAME} records="a">{text}'),
    "untorn": lambda text: block.untorn(f'{text}<{block.NAME} records="{text}'),
    "quote": block.quote,
    "clean": plain.clean,
    "redacted": Redactor(home="/home/kim", user="kim").text,
    "refusal": gate.refusal,
    "held": gate.held,
    "rules": gate.rules,
    "template": gate.template,
    "own_words": gate.own_words,
    "sentences": gate.sentences,
    "named": base.named,
    "answers": answers.asked_and_said,
    "told": stated._told,
    "command": facts._plain,
    "marks": phrases.marks,
    "statements": statements.statements,
    "contrary": lambda text: contrary.read(text),
    "row": imported._row,
    "orders": orders.orders,
    "error": lambda output: signatures.signature(signatures.error_line(output)),
    "trouble": lambda output: Trouble(f"{output}\nboom").fits(output),
}


@pytest.mark.parametrize("name", READERS)
def test_no_reader_of_text_is_slow_on_a_run(name):
    slow = {piece: n for piece in PIECES if (n := growth(READERS[name], piece)) > MOST}
    assert not slow


def learned(text: str) -> object:
    made = session(
        user("Always use pnpm here, never npm. " + text),
        agent("The cause is " + text),
        ran("pytest " + text, "E   assert 1 == 2\n1 failed\n" + text, "error 1"),
        edited("/code/shop/" + text, text, text + "b"),
        ran("pytest", "3 passed in 0.1s\n" + text),
        user("Q: Which? " + text + "\nA: " + text, "answer"),
        user("No, never do that. Always use " + text + " because it works."),
        user(text),
    )
    return extractive.synthesize(made, evaluate.evaluate(made)), rawpage.render(made)


def test_no_session_is_slow_to_learn_from():
    assert not {piece: n for piece in PIECES[::2] if (n := growth(learned, piece)) > MOST}


def test_no_source_is_slow_to_read(tmp_path):
    def read(text: str) -> object:
        told = said(text), replied({"type": "text", "text": text}, called("t1", "Bash", command=text))
        return claude(tmp_path / "s1.jsonl", lines(*told, came_back("t1", text, True), said(f"fix {text}")))

    assert not {piece: n for piece in PIECES if (n := growth(read, piece, 10 * SMALL)) > MOST}
