"""JSON lines as they are found: read as bytes, line by line, with bounded memory, and every bad line costs only itself.

Where the lines come from is not trusted: writers are killed in the middle, two records end up on one line, disks leave
runs of NULs, and a picture can make a line of a gigabyte.
"""

from __future__ import annotations

import json
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

T = TypeVar("T")

CHUNK = 1 << 20
# A line beyond LONG is squeezed while it is read; one that is beyond CAP even then is not held.
LONG = 2 << 20
CAP = 16 << 20

_BLOCK = 1024
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"
_MARKER = b"[base64 left out]"
_BOM = b"\xef\xbb\xbf"
_OPENERS = ('{"parentUuid"', '{"type"', '{"timestamp"', '{"sessionId"', '{"uuid"', '{"id"')
_SURROGATE = re.compile("[\ud800-\udfff]")
_FAILURES = (msgspec.DecodeError, RecursionError)


@dataclass(slots=True)
class Tally:
    """What reading cost. `bad`: lines that did not parse as they stand, recovered or not. `waiting`: the last line is
    not complete. `unknown`: what was no record, or of a type nobody knows."""

    bad: int = 0
    waiting: bool = False
    unknown: Counter[str] = field(default_factory=Counter)


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked when it is a `.zst`. Raises OSError; a folder says what it is."""
    if Path(path).is_dir():
        list(Path(path).iterdir())  # a folder that may not be listed says so itself
        raise IsADirectoryError(21, "a folder, not a session file", path)
    if Path(path).exists() and not stat.S_ISREG(Path(path).stat().st_mode):
        raise OSError(22, "a pipe or a device, not a session file", path)  # opening it could wait for ever
    with Path(path).open("rb") as plain:
        if not path.endswith(".zst"):
            yield plain
            return
        import zstandard

        try:
            with zstandard.ZstdDecompressor().stream_reader(plain, read_across_frames=True) as unpacked:
                yield unpacked
        except zstandard.ZstdError as cause:
            raise OSError(f"broken zstd data in {path}: {cause}") from cause


# -- lines


def lines(
    stream: BinaryIO, cap: int = CAP, long: int = LONG, chunk_size: int = CHUNK
) -> Iterator[tuple[int, bytes | None, bool]]:
    """(1-based number, the line without its end, whether it was ended) for every line, split at b"\\n" only.

    The line is None when it is longer than `cap`, long runs of base64 not counted. No more than `cap` is ever held.
    """
    number, held, squeeze = 1, b"", None
    while chunk := stream.read(chunk_size):
        if squeeze is not None:
            end = chunk.find(b"\n")
            squeeze.feed(chunk if end < 0 else chunk[:end])
            if end < 0:
                continue
            yield number, squeeze.line(), True
            number, held, squeeze, chunk = number + 1, b"", None, chunk[end + 1 :]
        *whole, held = (held + chunk).split(b"\n")
        for line in whole:
            yield number, (line if len(line) <= max(cap, long) else None), True
            number += 1
        if len(held) > long:
            squeeze = _Squeeze(cap)
            squeeze.feed(held)
            held = b""
    if squeeze is not None:
        yield number, squeeze.line(), False
    elif held:
        yield number, held, False


class _Squeeze:
    """One long line, without its runs of base64. Looks at blocks, never at characters: linear, and fast enough."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.out = bytearray()
        self.over = False
        self.rest = b""
        self.run: list[bytes] = []
        self.runs = 0

    def feed(self, data: bytes) -> None:
        if self.over:
            return
        data = self.rest + data
        whole = len(data) - len(data) % _BLOCK
        for at in range(0, whole, _BLOCK):
            block = data[at : at + _BLOCK]
            if block.translate(None, _BASE64):
                self._close()
                self.out += block
            elif self.runs < 4:
                self.run.append(block)
                self.runs += 1
        self.rest = data[whole:]
        if len(self.out) > self.cap:
            self.over, self.out, self.rest = True, bytearray(), b""

    def _close(self) -> None:
        """Ends a run: four blocks or more are left out, but for what may belong to an escape before them."""
        if self.runs >= 4:
            self.out += self.run[0][:8] + _MARKER
        else:
            for block in self.run:
                self.out += block
        self.run, self.runs = [], 0

    def line(self) -> bytes | None:
        if not self.over:
            self._close()
            self.out += self.rest
        return None if self.over or len(self.out) > self.cap else bytes(self.out)


# -- records


def records(
    stream: BinaryIO,
    decode: Callable[[bytes], T],
    tally: Tally,
    refit: Callable[[dict[str, Any]], T] | None = None,
    cap: int = CAP,
    chunk_size: int = CHUNK,
) -> Iterator[tuple[int, T]]:
    """(line number, record) for what can be read. `decode` raises msgspec.DecodeError; `refit` makes a record of a
    dict that `decode` did not like. What was lost is in `tally` afterwards."""
    for number, line, ended in lines(stream, cap, chunk_size=chunk_size):
        if line is None:
            tally.bad += ended
            tally.waiting = not ended
            continue
        if not line or line.isspace():
            continue
        try:
            record = decode(line)
        except _FAILURES:
            yield from _salvaged(number, line, ended, decode, tally, refit)
            continue
        yield number, record


def beginning(
    path: str, decode: Callable[[bytes], T], refit: Callable[[dict[str, Any]], T] | None, count: int
) -> Iterator[tuple[int, T]]:
    """The first records of a file, read in small pieces. Raises OSError."""
    with opened(path) as stream:
        yield from islice(records(stream, decode, Tally(), refit, chunk_size=1 << 16), count)


def _salvaged(
    number: int,
    line: bytes,
    ended: bool,
    decode: Callable[[bytes], T],
    tally: Tally,
    refit: Callable[[dict[str, Any]], T] | None,
) -> Iterator[tuple[int, T]]:
    """What a line holds that did not decode: foreign JSON is counted, odd shapes are refitted, splices cut apart."""
    try:
        values, clean = salvage(line.removeprefix(_BOM) if number == 1 else line)
    except RecursionError:
        values, clean = [], False
    if not clean and not ended:
        tally.waiting = True
        return
    tally.bad += not clean
    for value in values:
        if not isinstance(value, dict):
            tally.unknown[f"({type(value).__name__})"] += 1
            continue
        try:
            try:
                record = decode(msgspec.json.encode(value))
            except msgspec.ValidationError:
                if refit is None:
                    raise
                record = refit(value)
        except (*_FAILURES, TypeError, ValueError):
            tally.unknown["(odd shape)"] += 1
            continue
        yield number, record


def salvage(line: bytes) -> tuple[list[Any], bool]:
    """The JSON values of a line, and whether it parsed as it stands.

    Lenient in what a value may hold (NaN, control characters, lone surrogates, bytes that are no UTF-8), then cuts a
    line that two writers share: whole values in a row, or the end of the line that is a whole record after a torn one.
    """
    clean = b"\0" not in line
    text = (line if clean else line.replace(b"\0", b"")).decode("utf-8", "replace").strip()
    values: list[Any] = []
    while text:
        try:
            value, end = _DECODER.raw_decode(text)
        except json.JSONDecodeError as trouble:
            found = _suffix(text, trouble.pos)
            return [*values, *([] if found is None else [found])], False
        values.append(_mended(value))
        text = text[end:].lstrip()
        clean = clean and not text
    return values, clean and bool(values)


def _whole(digits: str) -> int | float:
    """A number without a point; beyond 64 bits as a float: Python refuses thousands of digits, msgspec writes none."""
    return int(digits) if len(digits) < 19 else float(digits)


_DECODER = json.JSONDecoder(strict=False, parse_int=_whole)


def _suffix(text: str, trouble: int) -> Any:
    """The record at the end of a torn line, None when there is none. Tries where parsing failed first."""
    places = [text.rfind('{"', 0, trouble + 2)]
    for opener in _OPENERS:
        at = text.rfind(opener)
        places += [at, text.rfind(opener, 0, max(at, 0))]
    places += [found.start() for found, _ in zip(re.finditer(r'\{"', text), range(24), strict=False)]
    tries = list(dict.fromkeys(p for p in places if p > 0))
    for at in tries[: 48 if len(text) < CHUNK else 6]:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError:
            continue
        if not text[end:].strip():
            return _mended(value)
    return None


def _mended(value: Any) -> Any:
    """The value with lone surrogates replaced in every string of it: they cannot be written as UTF-8."""
    if isinstance(value, str):
        return mend(value)
    if isinstance(value, list):
        return [_mended(v) for v in value]
    if isinstance(value, dict):
        return {mend(k): _mended(v) for k, v in value.items()}
    return value


def mend(text: str) -> str:
    """Text without lone surrogates; pairs become the character that they stand for.

    >>> mend("a\\ud83d"), mend("\\ud83d\\ude00")
    ('a�', '😀')
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def fields_that_fit(value: dict[str, Any], decode: Callable[[bytes], T]) -> dict[str, Any]:
    """The keys of a dict whose values `decode` takes one by one: a field of an odd shape costs that field."""
    kept = {}
    for key, part in value.items():
        try:
            decode(msgspec.json.encode({key: part}))
        except (*_FAILURES, TypeError, ValueError):
            continue
        kept[key] = part
    return kept
