"""The text inside a page: claim lines and what they cite, wikilinks, and session text made harmless."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from llmwiki.model import Cite, Claim, stem_of

Sections = Mapping[str, Sequence[Claim]] | Sequence[tuple[str, Sequence[Claim]]]

NUMBERED = ("Steps", "Phases")
LINKS_BEGIN, LINKS_END = "<!-- llmwiki:links -->", "<!-- /llmwiki:links -->"
_LINK = re.compile(r"\[\[([^\[\]|#\n]*)(?:#([^\[\]|\n]*))?(?:\|[^\[\]\n]*)?\]\]")
_TURN = re.compile(r"\^(t\d+(?:-\d+)?)")
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])(?:\s+(.*)|$)")
_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s(.*))?$")
_RULE = re.compile(r" {0,3}(?:-{2,}|={2,}|\*{3,}|_{3,})\s*$")


# --- links


def links(text: str) -> tuple[tuple[str, str], ...]:
    """(target, anchor) of each wikilink in order: the anchor is a block id without its caret, a heading, or "".

    Links inside code are text, as in Obsidian; so are links with a backslash before them.
    """
    return tuple(_links(text))


def _links(text: str) -> Iterator[tuple[str, str]]:
    return ((target, anchor) for _, target, anchor in placed_links(text))


def placed_links(text: str) -> Iterator[tuple[int, str, str]]:
    """`links`, each with the offset at which it begins before its target and anchor."""
    for match in _LINK.finditer(without_code(text)):
        if not _escaped(text, match.start()):
            yield match.start(), match[1].strip(), (match[2] or "").strip().removeprefix("^")


def relinked(text: str, target: Callable[[str], str]) -> str:
    """The text with `target(old)` in its wikilinks where that is not "": anchors, shown words and all else stay.

    Links to turns lead into raw pages and are never touched, nor is what only looks like a link.
    """
    out: list[str] = []
    at = 0
    for match in _LINK.finditer(without_code(text)):
        turn = _TURN.fullmatch((match[2] or "").strip())
        new = "" if turn or _escaped(text, match.start()) else target(match[1].strip())
        if new:
            out += [text[at : match.start(1)], new]
            at = match.end(1)
    return "".join([*out, text[at:]])


def links_span(body: str) -> tuple[int, int]:
    """The lines, first and behind the last, of the links that the program keeps in a body; (0, 0) without any.

    Markers inside code are text, and a marker without its partner is a comment like any other.
    """
    if LINKS_BEGIN not in body or LINKS_END not in body:
        return 0, 0
    lines = [line.strip() for line in without_code(body).split("\n")]
    if LINKS_BEGIN not in lines:
        return 0, 0
    first = lines.index(LINKS_BEGIN)
    return (first, lines.index(LINKS_END, first) + 1) if LINKS_END in lines[first:] else (0, 0)


def cite(link: str) -> Cite | None:
    """The turn or page that one link names (`[[stem#^t47]]`, `[[stem]]`), None for anything else."""
    match = _LINK.fullmatch(link.strip())
    if not match or not match[1].strip():
        return None
    turn = _TURN.fullmatch((match[2] or "").strip())
    return Cite(_stem(match[1]), turn[1] if turn else "")


def _stem(target: str) -> str:
    return stem_of(target.strip())


def _cites(text: str) -> tuple[Cite, ...]:
    found = [Cite(_stem(target), anchor) for target, anchor in _links(text) if _TURN.fullmatch(f"^{anchor}")]
    return tuple(dict.fromkeys(found))


def _escaped(text: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before a place."""
    first = at
    while first and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


# --- code


def _spans(line: str) -> Iterator[tuple[int, int]]:
    """Start and end of each code span, backticks included: a run of backticks and the next run of that length. A
    backslash takes the first backtick of a run that would open one."""
    return code_spans(line, lambda at: _escaped(line, at))


def code_spans(line: str, escaped: Callable[[int], bool] = lambda _: False) -> Iterator[tuple[int, int]]:
    """Code spans, in one pass: which runs have a length is looked up, for a line may be nothing but backticks."""
    runs = [run.span() for run in re.finditer("`+", line)]
    ends: dict[int, list[int]] = {}  # length -> where runs of that length end, the last one first
    for start, end in reversed(runs):
        ends.setdefault(end - start, []).append(end)
    behind = 0
    for start, end in runs:
        if start < behind:
            continue
        first = start + escaped(start)
        same = ends.get(end - first, [])
        while same and same[-1] <= end:
            same.pop()
        if first < end and same:
            behind = same[-1]
            yield first, behind


def without_code(text: str) -> str:
    """The text with code spans and fenced code blanked, every other character in its place."""
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence or mark:
            fence = _after_fence(fence, line)
            lines.append(" " * len(line))
            continue
        parts, at = list[str](), 0
        for start, end in _spans(line):
            parts += [line[at:start], " " * (end - start)]
            at = end
        lines.append("".join([*parts, line[at:]]))
    return "\n".join(lines)


def _after_fence(fence: str, line: str) -> str:
    """The fence that is open behind a line: "" outside of code."""
    mark = _FENCE.match(line)
    if not fence:
        return mark[1] if mark else ""
    closes = mark and mark[1].startswith(fence) and not line.strip().strip(fence[0])
    return "" if closes else fence


# --- claims


@dataclass(slots=True)
class _Open:
    """A claim that is being read."""

    section: str
    line: int
    indent: int  # columns that its continuation lines are indented by; 0 for a paragraph line
    lines: list[str] = field(default_factory=list)

    def take(self, line: str) -> None:
        """A continuation line, less the indentation of the item."""
        self.lines.append(line[min(self.indent, len(line) - len(line.lstrip())) :])


def claims(body: str) -> tuple[Claim, ...]:
    """What a page says: one Claim for each list item, for each paragraph line, and for fenced code outside of items.

    Text comes without list mark and without the turn links at its end; continuation lines are folded into one line,
    fenced code keeps its lines. `cites` are all turns linked in it, in order. Text above the first `##` has the
    section "". Headings, rules, comments, blank lines and the links between our markers are no claims.
    """
    return tuple(_claim(item) for item in _items(body))


def _items(body: str) -> Iterator[_Open]:
    section, current, fence, comment, blank = "", None, "", False, False
    body = body.replace("\r\n", "\n")
    first, behind = links_span(body)
    for number, line in enumerate(body.split("\n"), 1):
        if first < number <= behind:
            continue
        if fence:
            fence = _after_fence(fence, line)
            assert current is not None
            current.take(line)
            continue
        if comment or line.lstrip().startswith("<!--"):
            comment = "-->" not in line
            continue
        heading = _HEADING.match(line)
        item = _ITEM.match(line)
        width = len(line) - len(line.lstrip())
        inside = current is not None and current.indent > 0 and width >= min(current.indent, 2)
        ends = not line.strip() or heading or item or _RULE.match(line)
        if not ends and current and (inside or (current.indent and not blank and not _FENCE.match(line))):
            current.take(line)
        elif ends and not item:
            if current and not line.strip() and current.indent:
                blank = True  # an indented paragraph behind it still belongs to the item
                continue
            if current:
                yield current
            current = None
            if heading and len(heading[1]) == 2:
                section = (heading[2] or "").strip().rstrip("#").rstrip()
        else:
            if current:
                yield current
            current = _Open(section, number, _content(item) if item else 0, [(item[2] or "") if item else line])
        blank = False
        fence = _after_fence("", item[2] or "" if item else line) if current else ""
    if current:
        yield current


def _content(item: re.Match[str]) -> int:
    return item.start(2) if item[2] else len(item[1]) + 2


def _claim(item: _Open) -> Claim:
    text = _folded_lines(item.lines)
    cites = _cites(text)
    shown = without_code(text) if "`" in text or "~" in text else text
    end = len(text)
    while (start := _trailing(text, shown, end)) is not None:
        end = start
    return Claim(item.section, text[:end].strip(), cites, item.line)


def _trailing(text: str, shown: str, end: int) -> int | None:
    """Where the turn link begins that ends a text, None when none does. `shown` is the text without code."""
    while end and text[end - 1].isspace():
        end -= 1
    start = text.rfind("[[", 0, end)
    match = _LINK.fullmatch(shown, start, end) if start >= 0 else None
    turn = match and match[1].strip() and _TURN.fullmatch((match[2] or "").strip())
    return start if turn and not _escaped(text, start) else None


def _folded_lines(lines: Iterable[str]) -> str:
    """Lines as one, but for fenced code, which keeps its lines less the indentation of its fence, and is closed."""
    parts, fence, indent, fenced = list[str](), "", 0, False
    for line in lines:
        before = fence
        fence = _after_fence(fence, line)
        if not before and fence:
            indent = len(line) - len(line.lstrip())
        if before or fence:
            glue, said = "\n", line[min(indent, len(line) - len(line.lstrip())) :].rstrip()
        elif line.strip():
            glue, said = "\n" if fenced else " ", line.strip()
        else:
            continue
        fenced = (glue == "\n" or not parts) and said[:3] in ("```", "~~~")
        parts += [glue if parts else "", said]
    return "".join([*parts, f"\n{fence}" if fence else ""])


def body(sections: Sections) -> str:
    """The body of a page: each section that has claims, one list item a claim, numbered under Steps and Phases.

    A claim's turns follow its text; those that are linked within it are not repeated. `claims` reads it back.
    """
    pairs = sections.items() if isinstance(sections, Mapping) else sections
    return "\n".join(_section(name, said) for name, said in pairs if said)


def _section(name: str, said: Sequence[Claim]) -> str:
    heading = f"## {name}\n\n" if name else ""
    return heading + "".join(
        item(claim, f"{number}." if name in NUMBERED else "-") for number, claim in enumerate(said, 1)
    )


def item(claim: Claim, mark: str = "-") -> str:
    """One claim as a list item, its line end included."""
    text = _folded_lines(claim.text.split("\n"))
    inline = set(_cites(text))
    tail = " ".join(str(c) for c in dict.fromkeys(claim.cites) if c.anchor and c not in inline)
    glue = "\n" if text.rsplit("\n", 1)[-1][:3] in ("```", "~~~") and tail else " " if text and tail else ""
    indent = " " * (len(mark) + 1)
    return f"{mark} " + f"{text}{glue}{tail}".replace("\n", f"\n{indent}") + "\n"


# --- session text made harmless

_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn"}
_JOINERS = "\u200c\u200d\u200e\u200f"  # Persian, Indic scripts and emoji need them
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_AT_START = re.compile(r"[#>\-+*=|~:]|\d{1,9}(?=[.)])")
_RUNS = re.compile("<%|<!--")  # plug-ins and our own markers look at the text, code or not
_REFERENCE = re.compile(r"\]\(|\]\[|\]:")


def folded(text: str) -> str:
    """The words of a text on one line: white space as single spaces, nothing invisible or bidirectional in it."""
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():
        return line
    kept = (c if c in _JOINERS or unicodedata.category(c) not in _INVISIBLE else _trace(c) for c in line)
    return " ".join("".join(kept).split())


def _trace(char: str) -> str:
    return "\ufffd" if unicodedata.category(char) == "Cs" else ""


def inert(text: str) -> str:
    """Session text that can stand anywhere in a page and does nothing there: one line, read as the same words.

    Nothing in it links, embeds, loads, anchors, tags, comments, runs (Templater, Dataview) or opens a block. Escapes
    are backslashes before punctuation, as in Markdown; harmless code spans stay. `plain(inert(x)) == folded(x)`.
    """
    line = folded(text)
    spans = {start: end for start, end in code_spans(line) if _harmless(line, start, end)}
    references = bool(_REFERENCE.search(line))
    out: list[str] = []
    at = 0
    start = _AT_START.match(line)
    while at < len(line):
        if at in spans:
            out.append(line[at : spans[at]])
            at = spans[at]
            continue
        if _acts(line, at, references) or (start and at == start.end() - (not start[0].isdigit())):
            out.append("\\")
        out.append(line[at])
        at += 1
    return "".join(out)


def _harmless(line: str, start: int, end: int) -> bool:
    """Whether a code span may stay code: no plug-in runs it, and it opens no fence."""
    content = line[start:end].strip("`").strip()
    opens = start == 0 and line.startswith("```")
    return not opens and bool(content) and not _RUNS.search(content) and not content.startswith(("=", "$="))


def _acts(line: str, at: int, references: bool) -> bool:
    """Whether a character outside of code would do something, so that a backslash goes before it."""
    char, before, after = line[at], line[at - 1 : at], line[at + 1 : at + 2]
    match char:
        case "\\":
            return not after or after in _PUNCTUATION
        case "`":
            return True
        case "[":
            return references or after in ("[", "^") or before in ("[", "!", "")
        case "<":
            return after.isalpha()
        case "!" | "/" | "?":
            return before == "<"
        case "%":
            return before in ("<", "%") and bool(before)
        case ":":
            return before == ":"
        case "^":
            return before in ("", " ") and bool(after.strip())
        case "#":
            return before in ("", " ") and bool(after.strip())
    return False


def plain(text: str) -> str:
    """The words that `inert` or `code` was given: backslashes before punctuation are taken out, code is left alone.

    >>> plain(inert("see [[secret]] and `a\\\\[b`")) == "see [[secret]] and `a\\\\[b`"
    True
    """
    spans = dict(_spans(text))
    out: list[str] = []
    at = 0
    while at < len(text):
        if at in spans:
            out.append(text[at : spans[at]])
            at = spans[at]
            continue
        if text[at] == "\\" and text[at + 1 : at + 2] in _PUNCTUATION:
            at += 1
        out.append(text[at : at + 1])
        at += 1
    return "".join(out)


def code(text: str) -> str:
    """The text as a code span, with as many backticks as it takes; what a plug-in would run there becomes `inert`."""
    line = folded(text)
    run = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    span = f"{run}{pad}{line}{pad}{run}"
    return span if line and _harmless(span, 0, len(span)) else inert(line)
