"""Private key blocks in text, in each shape that a transcript gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BEGIN = re.compile(r"-----BEGIN[ A-Z0-9]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-{0,5}END[ A-Z0-9]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_MARGIN = r"(?:\\{1,8}[nrt]|[\s>+|\"'`,.()\\#*]|\d{1,6}[→:|\t-])"
_PIECE = re.compile(
    rf"{_MARGIN}*+(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]{{0,200}}|[A-Za-z0-9+/]{{16,}}={{0,3}}"
    r"|[A-Za-z0-9+/]{1,15}={1,2}|=[A-Za-z0-9+/]{4}(?![A-Za-z0-9]))"
)
_REST = re.compile(rf"{_MARGIN}*+(?:[A-Za-z0-9+/]{{1,15}}{_MARGIN}*+)?-{{0,5}}END[ A-Z0-9]{{0,30}}-----")


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where private keys stand: whole, with escaped line ends, in a listing with line numbers, without head or end."""
    done = 0
    for m in _BEGIN.finditer(text):
        end = _body(text, m.end())
        if end > m.end():
            rest = _REST.match(text, end)
            yield m.start(), rest.end() if rest else end
    for m in _END.finditer(text):
        start = _tail(text, max(done, m.start() - 8000), m.start())
        if start < m.start():
            yield start, m.end()
        done = m.end()


def _body(text: str, at: int) -> int:
    piece = _PIECE.match(text, at)
    while piece:
        at = piece.end()
        piece = _PIECE.match(text, at)
    return at


def _tail(text: str, start: int, end: int) -> int:
    """Where the base64 lines begin that run up to `end`; `end` when there are none."""
    first = last = end
    for piece in _PIECE.finditer(text, start, end):
        if piece.start() != last:
            first = piece.end() - len(piece.group().lstrip(" \t\r\n\\n"))
        last = piece.end()
    rest = _REST.match(text, last)
    return first if rest and last < end + 1 and first < end else end
