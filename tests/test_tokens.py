import builtins

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmwiki import tokens

real = pytest.mark.skipif(not tokens.exact(), reason="this Python has no wheel of the vocabulary")


@real
def test_known_counts_of_o200k():
    assert tokens.count("") == 0
    assert tokens.count("hello world") == 2
    assert tokens.count("1234567") == 3


def test_a_lone_surrogate_is_counted_and_not_raised():
    assert tokens.count("a\ud800b") > 0


line = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=60)


@real
@given(st.lists(line, max_size=5))
def test_lines_that_begin_with_a_dash_count_as_the_sum_of_lines(lines):
    pieces = [f"- {text}x\n" for text in lines]
    assert tokens.count("".join(pieces)) == sum(map(tokens.count, pieces))


def test_without_the_vocabulary_half_the_bytes_are_counted(monkeypatch):
    found = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("rs_bpe"):
            raise ImportError(name)
        return found(name, *args, **kwargs)

    monkeypatch.setattr(tokens, "_tokenizer", [])
    monkeypatch.setattr(builtins, "__import__", refuse)
    assert not tokens.exact()
    assert [tokens.count(text) for text in ("", "abc", "日本", "a\ud800b")] == [0, 2, 3, 2]
