import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmwiki import words


def test_run_finds_running():
    assert words.terms("running") == words.terms("runs") == words.terms("run") == ["run"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPHeader", {"parsehttpheader", "pars", "http", "header"}),
        ("max_retry_count", {"max_retry_count", "max", "retri", "count"}),
        ("os.path.join", {"os.path.join", "os", "path", "join"}),
        ("src/app/main_file.py", {"src/app/main_file.py", "main_file.py", "src", "app", "main", "file", "py"}),
        ("ERR_MODULE_NOT_FOUND", {"err_module_not_found", "err", "modul", "found"}),
        ("TS2304", {"ts2304"}),
        ("E-1234", {"e-1234", "1234"}),
        ("v1.2.3", {"v1.2.3", "v1", "2", "3"}),
        ("C:\\Users\\x", {"c:\\users\\x", "user"}),
        ("8080", {"8080"}),
    ],
)
def test_an_identifier_gives_its_parts_and_its_whole(text, expected):
    assert expected <= set(words.terms(text))


def test_accents_are_folded_and_other_scripts_are_kept():
    assert words.terms("Größe naïve CAFÉ") == words.terms("Große naive cafe")
    assert words.terms("кошки БЕГАЮТ") == ["кошки", "бегают"]
    assert len(words.terms("हिन्दी")) == 1  # vowel signs belong to their word


def test_cjk_runs_give_pairs_and_single_characters_find_them():
    assert {"日本", "本語"} <= set(words.terms("日本語"))
    assert set(words.query_terms("日本語")) == {"日本", "本語"}
    assert set(words.query_terms("語")) <= set(words.terms("日本語"))


def test_an_invisible_character_hides_no_word():
    assert words.terms("pass\u200bword\x00s") == words.terms("passwords")


def test_stop_words_are_dropped_only_when_others_remain():
    assert list(words.query_terms("what is the budget")) == ["budget"]
    assert set(words.query_terms("to be or not to be")) == {"to", "be", "or", "not"}


@pytest.mark.parametrize("word", "write writing tests adding problems issue please files functions possible".split())
def test_words_of_any_task_are_known_in_every_form(word):
    assert all(words.is_common(term) or term in words.STOP for term in words.terms(word))


def test_words_of_one_trade_are_not_words_of_any_task():
    assert not any(words.is_common(t) for t in words.terms("parser sqlite kubernetes retry cache ocean poem"))


def test_a_pasted_log_is_cut_to_what_it_repeats():
    text = " ".join(f"word{i}x" for i in range(5000)) + " needle needle"
    terms = words.query_terms(text)
    assert len(terms) == 256 and terms["needl"] == 2


@pytest.mark.parametrize("unit", ["a", "aB", "a.b/", "_", "日", "\u0301", "x\u200b", "1a", "é "])
def test_time_grows_with_length_and_no_faster(unit):
    words.terms(unit * 1000)
    start = time.perf_counter()
    words.terms(unit * 100_000)
    assert time.perf_counter() - start < 20  # quadratic would take minutes


@given(st.text())
def test_no_text_breaks_it_and_terms_hold_no_space_or_control(text):
    for term in words.terms(text):
        assert term and not any(c.isspace() or ord(c) < 32 for c in term)


@given(st.text(), st.text())
def test_terms_of_two_lines_are_the_terms_of_each(a, b):
    assert words.terms(f"{a}\n{b}") == words.terms(a) + words.terms(b)
