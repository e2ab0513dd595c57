"""The YAML block at the top of a page as text: found, read with every string left a string, written, edited in place.

Nothing here knows what a key means. A scalar reads back as the text that stands there; only a plain `null`, `true` or
`false` is a value of its own, so `523e0529`, `no`, `0123`, `1.10` and dates stay strings.

What we wrote ourselves is read by `yaml_subset`. Everything else goes through libyaml by way of python-frontmatter's
YAML part, which is only asked to load: its splitting, stripping and dumping lose bytes of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from llmwiki.yaml_subset import DEEPEST, Head, entry, plain_value, quick, scalar

BOM: Final = "\ufeff"

_OPEN = re.compile(r"---[ \t]*(\r?\n)")
_CLOSE = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_WORD_KEY = re.compile(r"[A-Za-z_][\w-]*:(?:[ \t\r\n]|\Z)")
_ANY_KEY = re.compile(r"^[ \t]*(?:\"[^\"\n]*\"[ \t]*|'[^'\n]*'[ \t]*|[^\s#:-][^:\n]*):(?:[ \t\r]|$)", re.MULTILINE)
_LONGEST_HEAD = 1_000_000


class BadPage(ValueError):
    """A page that cannot be read as a record. `line` is the 1-based line of the page, 0 for the whole page."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True)
class Parts:
    """A page in pieces that give it back when they are joined. `head` is None on a page without frontmatter."""

    bom: str
    fence: str
    head: str | None
    close: str
    body: str
    newline: str = "\n"

    def joined(self) -> str:
        return f"{self.bom}{self.fence}{self.head or ''}{self.close}{self.body}"

    @property
    def body_line(self) -> int:
        """The 1-based line of the page on which the body begins."""
        return f"{self.fence}{self.head or ''}{self.close}".count("\n") + 1


def split(text: str) -> Parts:
    """The pieces of a page. Raises BadPage when frontmatter begins and does not end.

    A page may begin with a `---` that is only a rule: what follows is frontmatter when it holds a key, or is a list or
    a flow mapping (which then is reported as no frontmatter, because somebody meant it to be one).
    """
    bom, rest = (BOM, text[1:]) if text.startswith(BOM) else ("", text)
    first = rest.find("\n")
    newline = "\r\n" if first > 0 and rest[first - 1] == "\r" else "\n"
    opening = _OPEN.match(rest)
    closing = _CLOSE.search(rest, opening.end()) if opening else None
    if opening and not closing and _WORD_KEY.match(rest, opening.end()):
        raise BadPage("the frontmatter is not closed: a line --- is missing", 1)
    if not opening or not closing or _is_rule(rest[opening.end() : closing.start()]):
        return Parts(bom, "", None, "", rest, newline)
    head = rest[opening.end() : closing.start()]
    return Parts(bom, opening.group(), head, closing.group(), rest[closing.end() :], newline)


def _is_rule(head: str) -> bool:
    """Whether what stands between two `---` lines is text of the page."""
    text = head.strip()
    if not text:
        return False
    if head[0] in "\r\n" and not _WORD_KEY.match(text):
        return True
    if all(line.lstrip().startswith("#") for line in text.split("\n") if line.strip()):
        return False  # nothing but comments: what is left when the last key goes
    return text[0] not in "{[" and not text.startswith(("- ", "? ")) and not _ANY_KEY.search(head)


def load(head: str) -> Head:
    """The keys and values of a frontmatter block (its lines count from line 2 of the page). Raises BadPage.

    Values are strings, None, True, False, lists and dictionaries of those.
    """
    if len(head) > _LONGEST_HEAD:
        raise BadPage("the frontmatter is longer than a million characters", 1)
    return quick(head) or _full(head)


# --- the reader for everything else


def _compose(head: str) -> Any:
    """libyaml's node tree of a block, None when it is empty. Raises BadPage for what is no YAML."""
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Nodes(base):  # type: ignore[misc]
        """Stops before any value is made: the tree still tells `"no"` from `no`, and where each stands."""

        yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

        def get_single_data(self) -> Any:
            return self.get_single_node()

    try:
        return YAMLHandler().load(head, Loader=Nodes)
    except yaml.YAMLError as cause:
        mark = getattr(cause, "problem_mark", None)
        raise BadPage(_complaint(cause), mark.line + 2 if mark else 1) from cause
    except (ValueError, RecursionError) as cause:
        raise BadPage(f"the frontmatter cannot be read: {cause}", 1) from cause


def _complaint(cause: Exception) -> str:
    problem = str(getattr(cause, "problem", None) or getattr(cause, "reason", None) or cause)
    if "'\\t'" in problem or "tab" in problem:
        return "the frontmatter is indented with a tab; YAML wants spaces"
    return f"the frontmatter is no YAML: {problem}"


def _full(head: str) -> Head:
    root = _compose(head)
    found = Head()
    if root is None:
        return found
    if not isinstance(root.value, list) or (root.value and not isinstance(root.value[0], tuple)):
        raise BadPage("the frontmatter is no set of keys with values", 2)
    seen = {id(root)}
    for key, value in _pairs(root):
        found.lines[key.value] = key.start_mark.line + 2
        found.values[key.value] = _value(value, seen)
    return found


def _pairs(node: Any) -> Iterator[tuple[Any, Any]]:
    """Key and value nodes of a mapping; the keys are scalars and differ."""
    keys: set[str] = set()
    for key, value in node.value:
        line = key.start_mark.line + 2
        if not isinstance(key.value, str):
            raise BadPage("a key is a list or a mapping", line)
        if key.value in keys:
            raise BadPage(f"the key {key.value!r} stands there twice", line)
        keys.add(key.value)
        yield key, value


def _value(node: Any, seen: set[int], depth: int = 0) -> Any:
    """The value of a node. A node that is met twice came through an alias: refused, aliases can explode."""
    if id(node) in seen:
        raise BadPage("the frontmatter uses a YAML alias (*name); write the value out", node.start_mark.line + 2)
    if depth > DEEPEST:
        raise BadPage("the frontmatter is nested too deep", node.start_mark.line + 2)
    seen.add(id(node))
    if isinstance(node.value, str):
        return node.value if node.style else plain_value(node.value)
    if node.value and isinstance(node.value[0], tuple):
        return {key.value: _value(value, seen, depth + 1) for key, value in _pairs(node)}
    if not node.value and node.tag.endswith(":map"):
        return {}
    return [_value(item, seen, depth + 1) for item in node.value]


# --- editing


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where one key of a block stands: offsets of its first line, its value's end, and the end of its last line."""

    key: str
    start: int
    value_end: int
    end: int


def edited(text: str, changed: Mapping[str, list[str] | None], order: Sequence[str]) -> str:
    """The page with some keys changed: each gets its new lines (as `entry` makes them), or goes with None.

    Every other byte stays: other keys, comments, line ends, body. A new key goes to its place in `order`. Raises
    BadPage when the page does not parse, or would not read back as what was meant.
    """
    parts = split(text)
    if parts.head is None:
        if all(lines is None for lines in changed.values()):
            return text
        gap = "" if not parts.body or parts.body[0] in "\r\n" else parts.newline
        fence = f"---{parts.newline}"
        parts = replace(parts, fence=fence, head="", close=f"{fence}{gap}")
    before = load(parts.head or "").values
    head = parts.head or ""
    if _in_flow(head):
        head = "".join(f"{line}\n" for key, value in before.items() for line in entry(key, scalar(value)))
    for key, lines in changed.items():
        head = _with(head, key, lines, order, parts.newline)
    new = replace(parts, head=head)
    _check(new, before, changed)
    return new.joined()


def _in_flow(head: str) -> bool:
    root = _compose(head)
    return root is not None and bool(root.flow_style)


def _check(new: Parts, before: Mapping[str, Any], changed: Mapping[str, list[str] | None]) -> None:
    """Raises BadPage unless the page still has this block, and it reads as the old one with the changes."""
    after = load(new.head or "").values
    wanted = {key: value for key, value in before.items() if key not in changed}
    for key, lines in changed.items():
        if lines is not None:
            wanted[key] = load("".join(f"{line}\n" for line in lines)).values[key]
    if after != wanted or split(new.joined()).head != new.head:
        raise BadPage("the frontmatter is written so that it cannot be edited safely; change it by hand", 2)


def _with(head: str, key: str, lines: list[str] | None, order: Sequence[str], newline: str) -> str:
    """A block with one key set to its new lines, or without it."""
    entries = _entries(head)
    here = next((found for found in entries if found.key == key), None)
    if here is None:
        if lines is None:
            return head
        at = _place(entries, key, order, len(head))
        first = head[entries[0].start :] if entries else ""
        indent = first[: len(first) - len(first.lstrip(" "))]
        return head[:at] + "".join(f"{indent}{line}{newline}" for line in lines) + head[at:]
    if lines is None:
        return head[: here.start] + head[here.end :]
    return head[: here.start] + _replaced(head, here, lines, newline) + head[here.end :]


def _replaced(head: str, here: _Entry, lines: list[str], newline: str) -> str:
    """The lines of one key with a new value; a comment behind a value of one line stays behind the new one."""
    old = head[here.start : here.end]
    indent = old[: len(old) - len(old.lstrip(" "))]
    rest = head[here.value_end : here.end]
    one_line = "\n" not in head[here.start : here.value_end] and re.fullmatch(r"[ \t]*(?:[ \t]#[^\n]*)?\r?\n?", rest)
    tail = rest.rstrip("\r\n") if one_line else ""
    ending = old[len(old.rstrip("\r\n")) :] if one_line else newline
    first, *more = lines
    return newline.join([f"{indent}{first}{tail.rstrip()}", *(f"{indent}{line}" for line in more)]) + ending


def _entries(head: str) -> list[_Entry]:
    root = _compose(head)
    nodes = root.value if root is not None else []
    starts = [head.rfind("\n", 0, key.start_mark.index) + 1 for key, _ in nodes]
    found = []
    for (key, value), start, limit in zip(nodes, starts, [*starts[1:], len(head)], strict=False):
        literal = getattr(value, "style", None) in ("|", ">")
        end = _trimmed(head, start, limit, literal)
        found.append(_Entry(key.value, start, value.end_mark.index, end))
    return found


def _trimmed(head: str, start: int, end: int, literal: bool) -> int:
    """The end of an entry without the blank lines and comments that lead to the next one."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", head[start:end])
    while len(lines) > 1:
        last = lines[-1].strip() if not literal else lines[-1].rstrip()
        if last and not last.startswith("#"):
            break
        end -= len(lines.pop())
    return end


def _place(entries: Sequence[_Entry], key: str, order: Sequence[str], end: int) -> int:
    """Where a new key goes: behind the last one before it in `order`, else before all others."""
    rank = {name: number for number, name in enumerate(order)}
    mine = rank.get(key, len(rank))
    ahead = [found.end for found in entries if rank.get(found.key, len(rank) + 1) < mine]
    if ahead:
        return max(ahead)
    return entries[0].start if entries and key in rank else end
