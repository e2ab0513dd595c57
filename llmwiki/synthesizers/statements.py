"""A Markdown file -> its statements: each heading, list item, paragraph, table row and shell command, with its line.

A list item keeps its sub-items, a numbered list stays whole, a shell block is cut at its comments. What can be no
statement is left out and counted: code of other languages, markup, badges, tables of contents, links alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from llmwiki.synthesizers import phrases
from llmwiki.synthesizers.checks import KINDS
from llmwiki.synthesizers.shell import WRAPPERS

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

SHELLS = frozenset("sh bash shell zsh fish console shell-session shellsession terminal powershell ps1".split())
ITEM = re.compile(r"\A\s*(?:[-*+]|\d{1,9}[.)])\s+")
WHOLE = 1_500  # characters up to which a list with its sub-items, or a numbered one, is one statement
LABEL = 4  # words of a line that only names what stands below it
_FENCE_LINES, _GROUPS = 60, 25
_MARKS = 2_000  # brackets of a paragraph, other marks of a line: a parser looks behind each for its partner
_FRONT = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)(?=\n|\Z)", re.S)
_OURS = (("<!-- llmwiki:begin -->", "<!-- llmwiki:end -->"), ("<llmwiki-memory records=", "</llmwiki-memory>"))
# Atomic throughout: a hostile paragraph is looked at once.
_ONLY_LINKS = re.compile(
    r"(?>!?\[(?>[^\[\]]|\[[^\[\]]*\](?:\([^()\s]*\))?)*+\](?:\([^()]*\)|\[[^\]]*\])?|<?https?://\S++|@[\w~./-]++|"
    r"[\s|•·,\-–—*_])++"
)
_PROGRAMS = frozenset(
    "make just task npm npx pnpm yarn bun node deno uv uvx pip pipx poetry pdm hatch tox nox python python3 pytest "
    "cargo rustup go gradle ./gradlew mvn ./mvnw docker docker-compose kubectl helm terraform ansible git gh bundle "
    "rake rails composer php dotnet swift mix cmake ctest bazel cd source export psql createdb redis-cli brew apt "
    "apt-get".split()
).union(*KINDS.values(), {first for first, *_ in WRAPPERS})
_CONDITION = re.compile(r"(?:if|when|whenever|before|after|for|to|while|once|unless)\b", re.I)
_RULE = frozenset(("standing", "prohibition", "contrast"))


@dataclass(frozen=True, slots=True)
class Statement:
    """A part of a file: the 1-based line on which it begins, and its Markdown as it stands there."""

    line: int
    text: str


@dataclass(slots=True)
class Statements:
    """The parts of a file in order, and how many were left out, by reason."""

    found: list[Statement] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, line: int, text: str) -> None:
        if text.strip():
            self.found.append(Statement(line, text))


def statements(text: str) -> Statements:
    """What a file says. Its frontmatter and what we wrote into it are passed over; lines keep their numbers."""
    from markdown_it.tree import SyntaxTreeNode

    out = Statements()
    text = _FRONT.sub(lambda m: "\n" * m[0].count("\n"), text)
    for begin, end in _OURS:
        text, cut = _blanked(text, begin, end)
        out.refused["own"] += cut
    parts = re.split(r"(\n[ \t]*\n)", text)
    hostile = [
        part.count("[") > _MARKS or any(sum(map(x.count, "*_`")) > _MARKS for x in part.split("\n")) for part in parts
    ]
    out.refused["too long"] += sum(hostile)
    text = "".join("\n" * p.count("\n") if bad else p for p, bad in zip(parts, hostile, strict=True))
    tree = SyntaxTreeNode(parser().parse(text))
    _Reader(text.split("\n"), out).children(tree.children)
    return out


@cache
def parser() -> MarkdownIt:
    """The one reader of Markdown: making it costs more than most texts."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _blanked(text: str, begin: str, end: str) -> tuple[str, int]:
    """The text with each part between two marks replaced by its line ends, and how many there were. A mark without its
    partner is text like any other."""
    kept, at, cut = list[str](), 0, 0
    while (first := text.find(begin, at)) >= 0 and (last := text.find(end, first)) >= 0:
        last += len(end)
        kept += [text[at:first], "\n" * text.count("\n", first, last)]
        at, cut = last, cut + 1
    return "".join([*kept, text[at:]]), cut


class _Reader:
    """One walk through the tree of a file."""

    def __init__(self, lines: list[str], out: Statements) -> None:
        self.lines, self.out = lines, out

    def children(self, nodes: Sequence[SyntaxTreeNode]) -> None:
        for node in nodes:
            self.block(node)

    def block(self, node: SyntaxTreeNode) -> None:
        if node.type == "heading":
            self.out.add(_line(node), f"{'#' * int(node.tag[1:])} {_content(node)}")
        elif node.type == "paragraph":
            self.paragraph(_line(node), _content(node))
        elif node.type == "bullet_list":
            self.items(node.children)
        elif node.type == "ordered_list":
            self.ordered(node)
        elif node.type in ("fence", "code_block"):
            self.code(node)
        elif node.type == "table":
            self.table(node)
        elif node.type == "blockquote":
            self.children(node.children)
        elif node.type == "html_block":
            self.out.refused["markup"] += not node.content.lstrip().startswith("<!--")

    def paragraph(self, line: int, text: str) -> None:
        if _ONLY_LINKS.fullmatch(text):
            self.out.refused["link"] += 1
        else:
            self.out.add(line, text)

    def items(self, items: Sequence[SyntaxTreeNode]) -> None:
        for item in items:
            text = self.source(item)
            lists = [n for n in item.children if n.type in ("bullet_list", "ordered_list")]
            bare = ITEM.sub("", text, count=1)
            if _ONLY_LINKS.fullmatch(bare) and not lists:
                self.out.refused["link"] += 1
            elif lists and (len(text) > WHOLE or names_what_follows(_first(item))):
                self.out.add(_line(item), text.split("\n")[0])
                self.children(list(item.children[1:]))
            else:
                self.out.add(_line(item), text)

    def ordered(self, node: SyntaxTreeNode) -> None:
        """Steps belong together; a numbered list of rules is a list of rules."""
        text = self.source(node)
        rules = sum(1 for item in node.children if phrases.marks(_first(item)).keys() & _RULE)
        if len(node.children) > 1 and len(text) <= WHOLE and rules * 2 < len(node.children):
            links = all(_ONLY_LINKS.fullmatch(_first(item)) for item in node.children)
            self.out.refused["link"] += links
            self.out.add(_line(node), "" if links else text)
        else:
            self.items(node.children)

    def source(self, node: SyntaxTreeNode) -> str:
        """The lines of a node as they stand in the file, without a quotation's marks."""
        start, end = node.map or (0, 0)
        lines = [re.sub(r"^\s{0,3}>\s?", "", line).rstrip() for line in self.lines[start:end]]
        return "\n".join(lines).rstrip()

    def code(self, node: SyntaxTreeNode) -> None:
        groups = list(commands(node.content, node.info.split(" ")[0].lower(), node.type == "fence"))
        if not groups:
            self.out.refused["code"] += 1
        for offset, lines in groups[:_GROUPS]:
            at = _line(node) + (node.type == "fence") + offset
            fence = "~~~~" if any("```" in line for line in lines) else "```"
            self.out.add(at, f"{fence}sh\n" + "\n".join(lines) + f"\n{fence}")

    def table(self, node: SyntaxTreeNode) -> None:
        """The rows that name something: a table of commands or variables is a list of facts."""
        for row in (row for part in node.children if part.type == "tbody" for row in part.children):
            if "`" in (text := self.source(row).strip()):
                self.out.add(_line(row), text)
            else:
                self.out.refused["table"] += 1


def _line(node: SyntaxTreeNode) -> int:
    return (node.map or (0, 0))[0] + 1


def _content(node: SyntaxTreeNode) -> str:
    return node.children[0].content if node.children else ""


def _first(item: SyntaxTreeNode) -> str:
    return _content(item.children[0]) if item.children and item.children[0].type == "paragraph" else ""


def names_what_follows(text: str) -> bool:
    """Whether a line only names what stands below it: a few words with a colon at the end, or nothing but bold."""
    bare = text.strip().strip("*_ ")
    if "`" in bare or _CONDITION.match(bare):
        return False
    bold = re.fullmatch(r"(\*\*|__)[^*_]+\1:?", text.strip()) is not None
    return len(bare.split()) <= LABEL and (bare.endswith((":", "：")) or bold)


def commands(text: str, language: str, fenced: bool = True) -> Iterator[tuple[int, list[str]]]:
    """(first line, lines) of each group of commands in a block of code: cut at comments and at empty lines. Nothing
    when it is no shell's; of a console only what stands behind a prompt."""
    lines = text.rstrip("\n").split("\n")
    prompted = any(re.match(r"\s*[$❯] \S", line) for line in lines)
    known = language in SHELLS or prompted or (not language and _all_programs(lines))
    if not fenced or not known or len(lines) > _FENCE_LINES or "<<" in text:
        return
    group: list[str] = []
    start = 0
    for number, line in enumerate(lines):
        said = line.strip()
        output = prompted and not re.match(r"\s*(?:[$❯] |#)", line)
        ran = any(not x.strip().startswith("#") for x in group)
        if group and ran and not group[-1].endswith("\\") and (not said or said.startswith("#") or " # " in said):
            yield start, group
            group = []
        if said and not output:
            start = start if group else number
            group.append(line.rstrip())
            if " # " in said and not said.startswith("#"):
                yield start, group
                group = []
    if any(not x.strip().startswith("#") for x in group):
        yield start, group


def _all_programs(lines: Sequence[str]) -> bool:
    said = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    return bool(said) and all(s.split()[0] in _PROGRAMS or s.startswith("./") for s in said)
