"""Broken lines: each costs itself, is counted, and nothing else is lost."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmwiki.adapters import jsonl
from llmwiki.adapters.claude_records import Line, decode_line, refit


def read(data: bytes, cap: int = jsonl.CAP) -> tuple[list[tuple[int, Any]], jsonl.Tally]:
    tally = jsonl.Tally()
    return list(jsonl.records(io.BytesIO(data), msgspec.json.Decoder(dict[str, Any]).decode, tally, cap=cap)), tally


@pytest.mark.parametrize(
    ("line", "values", "bad"),
    [
        (b'{"a":1}', [{"a": 1}], 0),
        (b'{"a":1}\r', [{"a": 1}], 0),
        (b"", [], 0),
        (b"  \t ", [], 0),
        (b'{"a":NaN}', [{"a": None}], 0),
        (b'{"a":"tab\there"}', [{"a": "tab\there"}], 0),
        (b'{"a":"caf\xe9"}', [{"a": "caf�"}], 0),
        (b'{"a":"\\ud83d"}', [{"a": "�"}], 0),
        (b'{"a":"\\ud83d\\ude00"}', [{"a": "😀"}], 0),
        (b"\0\0\0\0", [], 1),
        (b'\0\0{"a":1}', [{"a": 1}], 1),
        (b'{"a":1}{"b":2}', [{"a": 1}, {"b": 2}], 1),
        (b'{"parentUuid":"80d{"parentUuid":"80dda5","b":2}', [{"parentUuid": "80dda5", "b": 2}], 1),
        (b'{"type":"user","message":{"con{"type":"x"}', [{"type": "x"}], 1),
        (b'{"type":"user",{"type":"x"}{"type":"y"}', [{"type": "y"}], 1),
        (b'a tail of something"}', [], 1),
        (b"not json", [], 1),
    ],
)
def test_a_line_gives_what_it_holds_and_its_neighbours_are_safe(line: bytes, values: list[Any], bad: int) -> None:
    records, tally = read(b'{"n":1}\n' + line + b'\n{"n":3}\n')
    assert [v for _, v in records] == [{"n": 1}, *values, {"n": 3}]
    assert [n for n, _ in records] == [1, *[2] * len(values), 3]
    assert (tally.bad, tally.waiting) == (bad, False)


def test_a_mark_at_the_start_of_the_file_is_no_bad_line() -> None:
    records, tally = read(b'\xef\xbb\xbf{"a":1}\n')
    assert records == [(1, {"a": 1})] and tally.bad == 0


def test_the_last_line_waits_while_it_is_written_and_counts_when_it_is_whole() -> None:
    records, tally = read(b'{"a":1}\n{"a":')
    assert len(records) == 1 and (tally.bad, tally.waiting) == (0, True)
    records, tally = read(b'{"a":1}\n{"a":2}')
    assert len(records) == 2 and (tally.bad, tally.waiting) == (0, False)


def test_foreign_json_is_counted_and_passed_over() -> None:
    records, tally = read(b'[1]\n3\n"x"\nnull\n{"a":1}\n')
    assert records == [(5, {"a": 1})] and tally.bad == 0
    assert tally.unknown == {"(list)": 1, "(int)": 1, "(str)": 1, "(NoneType)": 1}


@pytest.mark.parametrize("depth", [200, 200_000])
def test_deep_nesting_costs_a_line_at_most(depth: int) -> None:
    records, _ = read(b'{"n":1}\n{"a":' + b"[" * depth + b"]" * depth + b'}\n{"n":3}\n')
    assert {"n": 1} in [v for _, v in records] and {"n": 3} in [v for _, v in records]
    deep, tally = [], jsonl.Tally()
    line = b'{"type":"user","toolUseResult":' + b"[" * depth + b"]" * depth + b',"uuid":"u"}\n'
    deep += jsonl.records(io.BytesIO(line), decode_line, tally, refit)
    assert len(deep) + tally.bad == 1


def test_a_field_of_an_odd_shape_costs_that_field() -> None:
    line = {
        "type": "user",
        "timestamp": 5,
        "uuid": "u",
        "message": {"id": 7, "content": ["bare", {"type": "text", "text": 3}]},
    }
    ((_, record),) = jsonl.records(io.BytesIO(json.dumps(line).encode() + b"\n"), decode_line, jsonl.Tally(), refit)
    assert isinstance(record, Line) and record.uuid == "u" and record.timestamp is None
    assert record.message and isinstance(record.message.content, list)
    assert [b.text for b in record.message.content] == ["bare", None]


class Endless(io.RawIOBase):
    """A stream of one long line, made as it is read, then a short one."""

    def __init__(self, size: int, filling: bytes) -> None:
        self.left, self.filling, self.state = size, filling, 0

    def read(self, size: int = -1) -> bytes:
        if self.state == 0:
            self.state = 1
            return b'{"text":"see data:image/png;base64,'
        if self.left > 0:
            self.left -= size
            return (self.filling * (size // len(self.filling) + 1))[:size]
        self.state += 1
        return b'"}\n{"n":2}\n' if self.state == 2 else b""


@pytest.mark.parametrize(("filling", "kept"), [(b"iVBORw0K", True), (b"words, and ", False)])
def test_a_huge_line_is_never_held(filling: bytes, kept: bool) -> None:
    tracemalloc.start()
    tally = jsonl.Tally()
    stream = Endless(128 << 20, filling)
    records = list(jsonl.records(stream, msgspec.json.Decoder(dict[str, Any]).decode, tally, cap=4 << 20))  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert records[-1] == (2, {"n": 2}) and tally.bad == (not kept) and len(records) == 1 + kept
    assert peak < 24 << 20
    if kept:
        assert "[base64 left out]" in records[0][1]["text"] and len(records[0][1]["text"]) < 4096


def test_what_stands_around_a_picture_survives_squeezing() -> None:
    words = "why, is this so? " * 200_000
    line = json.dumps({"before": words, "data": "QUJD" * 500_000, "after": words, "path": "\\n" + "a" * 5000}).encode()
    assert len(line) > jsonl.LONG
    ((_, record),), tally = read(line + b"\n")
    assert record["before"] == record["after"] == words and tally.bad == 0
    assert len(record["data"]) < 4096


@given(st.lists(st.binary(max_size=40).filter(lambda b: b"\n" not in b), max_size=8), st.integers(1, 9))
def test_lines_are_cut_at_newlines_alone_however_they_arrive(parts: list[bytes], size: int) -> None:
    data = b"\n".join(parts)
    found = [line for _, line, _ in jsonl.lines(io.BytesIO(data), chunk_size=size)]
    expected = data.split(b"\n")
    assert found == (expected[:-1] if expected[-1] == b"" else expected)


@given(st.text(max_size=60))
def test_mended_text_can_be_written_and_sound_text_is_untouched(text: str) -> None:
    assert jsonl.mend(text) == text
    jsonl.mend(text + "\ud83d" + text).encode("utf-8")
