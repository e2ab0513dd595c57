"""The lists of words that speak of each other, and how a row of them is found."""

from pathlib import Path

import pytest

from llmwiki import kin, lexicon, vocabulary, words
from llmwiki.lexicon import stem

FOLDER = Path(lexicon.__file__).parent
LISTS = {"forms.txt": kin.FORMS, "near.txt": kin.ALIKE, "kinds.txt": kin.KINDS, "same.txt": vocabulary.SAME}


def rows(name):
    return [line for line in FOLDER.joinpath(name).read_text("utf-8").split("\n") if line and line[0] != "#"]


def asked_by(name, row):
    """The words by which a row is to be found."""
    return [row.split()[0]] if name == "kinds.txt" else [w for w in row.partition(" > ")[0].split() if w not in "|;"]


@pytest.mark.parametrize("name", LISTS)
def test_each_row_is_found_by_its_words(name):
    for row in rows(name):
        for word in asked_by(name, row):
            assert row in LISTS[name].rows(stem(word)), (word, row)


@pytest.mark.parametrize("name", LISTS)
def test_each_word_of_the_lists_is_one_term_as_analysis_gives_it(name):
    """A pair of characters stands for a Chinese word; nothing is written with a sign that analysis takes away."""
    for row in rows(name):
        for word in row.split():
            if word not in "=|>;":
                found = words.terms(word)
                assert word == word.lower() and (len(found) == 1 or (len(word) == 2 and len(found) == 3)), (word, row)


def test_the_list_of_kinds_is_sorted_and_each_kind_stands_there_once():
    heads = [row.split()[0] for row in rows("kinds.txt")]
    assert rows("kinds.txt") == sorted(rows("kinds.txt"))
    assert len(set(map(stem, heads))) == len(heads)


def test_a_row_is_found_once_and_by_no_word_that_only_begins_like_it(tmp_path, monkeypatch):
    monkeypatch.setattr(lexicon, "__file__", str(tmp_path / "x"))
    (tmp_path / "some.txt").write_text("# a remark\nhappy happiness glad\nhappen occur\n", "utf-8")
    assert list(lexicon.Lexicon("some.txt").rows("happi")) == ["happy happiness glad"]
    assert list(lexicon.Lexicon("some.txt").rows("remark")) == []
    assert list(lexicon.Headed("some.txt").rows("glad")) == []


def test_another_form_of_a_word_is_the_word():
    assert kin.of("bought")["buy"] == kin.of("buy")["bought"] == 1
    assert set(kin.forms("wrote")) == {"write", "written"}


def test_a_kind_asks_for_what_is_of_it_and_not_the_other_way_round():
    assert kin.of("instrument")["guitar"] == kin.SURE > kin.of("instrument")["bagpip"] == kin.OTHER
    assert "instrument" not in kin.of("bagpip")


def test_a_word_that_the_lists_do_not_know_has_no_kin():
    assert kin.of("kubernetesish") == {} == kin.of("x") and kin.forms("kubernetesish") == []


def test_no_word_is_its_own_kin():
    heads = {stem(word) for name in LISTS for row in rows(name) for word in asked_by(name, row)}
    assert [term for term in heads if term in kin.of(term) or term in vocabulary.same(term)[0]] == []


def test_a_word_of_another_language_is_asked_for_by_the_english_one_and_back():
    assert {"datenbank", "базу"} <= set(vocabulary.same("databas")[0]) and "databas" in vocabulary.same("datenbank")[0]
    assert "test" in vocabulary.same("测试")[0]


def test_what_answers_by_half_does_so_among_english_words_alone():
    assert "repair" in vocabulary.same("fix")[1] and "fix" in vocabulary.same("repair")[1]
    assert vocabulary.same("repair")[0] == []
