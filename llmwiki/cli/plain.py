"""Text that may stand before a person's eyes: session text is hostile, and a terminal obeys escape sequences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from llmwiki import block

# CSI and OSC sequences go whole, so that no `[31m` is left behind; then every other control character, the C1 range
# (0x9b alone is a CSI to an 8-bit terminal), the marks that turn the reading direction, other ends of a line, and the
# letters that only a model reads.
SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]", re.DOTALL)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


class Ours(str):
    """A line that is a constant of this program and is to be copied as it stands: nothing of a page is in it."""


def clean(text: object) -> str:
    r"""The text without control characters and escape sequences; newlines and tabs stay.

    >>> clean("\x1b[31mred\x1b[0m \x9b2J")
    'red 2J'
    """
    return CONTROL.sub("", SEQUENCE.sub("", str(text)))


def line(text: object) -> str:
    r"""The text, clean, as one line in which every space stays: no name and no word of a page begins a line of its own.

    >>> line("  a\n  b")
    '  a   b'
    """
    return str(text) if isinstance(text, Ours) else block.unmarked(clean(text).replace("\n", " "))


def one_line(text: object) -> str:
    r"""The text, clean, on one line.

    >>> one_line("a\n  b\tc")
    'a b c'
    """
    return " ".join(clean(text).split())


def json_text(document: Any) -> str:
    """The document as JSON, keys as given, UTF-8; what a terminal or an agent would obey, or UTF-8 cannot hold, is
    escaped."""
    return block.harmless(json.dumps(document, ensure_ascii=False, indent=2, default=str))


def rows(table: Iterable[Sequence[object]]) -> list[str]:
    """One line a row, columns aligned and two spaces apart, without trailing space.

    >>> rows([("a", 1), ("bcd", 22)])
    ['a    1', 'bcd  22']
    """
    cells = [[one_line(cell) for cell in row] for row in table]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]


def counted(numbers: dict[str, int]) -> str:
    """`3 own, 1 copy`: what is not zero, the largest first.

    >>> counted({"copy": 1, "empty": 0, "own": 3})
    '3 own, 1 copy'
    """
    return ", ".join(f"{n} {name}" for name, n in sorted(numbers.items(), key=lambda item: (-item[1], item[0])) if n)


def legend(words: dict[str, str]) -> str:
    """The words that are counted as refused, each with its meaning: the end of a help text."""
    width = max(map(len, words))
    return "\n".join(["What `refused` counts:", *(f"  {word:<{width}}  {meaning}" for word, meaning in words.items())])


def plural(number: int, noun: str) -> str:
    """`1 session`, `2 sessions`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size_of(value: Any) -> int:
    """A number that a document gives as a number or as the list of what was counted."""
    return int(value or 0) if isinstance(value, int | float | None) else len(value)


def megabytes(size: int) -> str:
    """`2.1 MB`; small sizes in kB."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.1f} kB"


def given_way(superseded: list[dict[str, str]]) -> Iterator[str]:
    """Each record that no longer speaks, what speaks in its place, and how to have it back."""
    for one in superseded:
        cure = f"`llmwiki review restore {one['id']}` lets it speak again"
        yield f"superseded: {one['id']}, {one['title']!r}, by {one['by']}; {cure}"
