"""The words by which refusals are counted: each that the code gives is explained where a person looks, and no other."""

import ast
import re
from pathlib import Path

import llmwiki
from llmwiki.cli import group
from llmwiki.schema import REFUSALS

PACKAGE = Path(llmwiki.__file__).parent
# Functions that give a reason back for others to count, by module.
GIVING = {
    "gate": {"refusal"},
    "signatures": {"noise"},
    "imported": {"_refused"},
    "preferences": {"_refused"},
    "proposed": {"_no_rule", "_line", "_unfit", "record"},
}


def words(node):
    return {c.value for c in ast.walk(node) if isinstance(c, ast.Constant) and isinstance(c.value, str) and c.value}


def given():
    """Every word that is counted as a reason somewhere in the package."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "refuse":
                found |= set().union(*map(words, node.args))
            elif isinstance(node, ast.Subscript) and re.search(r"refused\b", ast.unparse(node.value)):
                found |= words(node.slice)
            elif isinstance(node, ast.FunctionDef) and node.name in GIVING.get(file.stem, ()):
                found |= set().union(*(own(part) for part in ast.walk(node) if isinstance(part, ast.Return)))
    return found


def own(given_back):
    """The words of a return that are one word; what is formatted there is none."""
    return {w for w in words(given_back) if re.fullmatch(r"[a-z]+(?:[- ][a-z]+)?", w)}


def test_every_word_is_explained_and_every_explained_word_is_given():
    assert given() == set(REFUSALS)


def test_help_tells_what_each_word_means():
    for name in ("sync", "synthesize", "import"):
        told = group.build(name).epilog
        assert all(f"  {word} " in told and meaning in told for word, meaning in REFUSALS.items()), name
