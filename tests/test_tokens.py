from hypothesis import given
from hypothesis import strategies as st

from llmwiki import tokens


def test_known_counts_of_o200k():
    assert tokens.count("") == 0
    assert tokens.count("hello world") == 2
    assert tokens.count("1234567") == 3


def test_a_lone_surrogate_is_counted_and_not_raised():
    assert tokens.count("a\ud800b") > 0


line = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=60)


@given(st.lists(line, max_size=5))
def test_lines_that_begin_with_a_dash_count_as_the_sum_of_lines(lines):
    pieces = [f"- {text}x\n" for text in lines]
    assert tokens.count("".join(pieces)) == sum(map(tokens.count, pieces))
