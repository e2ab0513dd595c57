"""The lists of words that speak of each other."""

import pytest

from llmwiki import kin, words

TABLES = ("FORMS", "NEAR", "KINDS")


@pytest.mark.parametrize("table", TABLES)
def test_every_word_of_the_lists_is_what_analysis_makes_of_it(table):
    said = getattr(kin, table).replace(",", " ").replace(":", " ").split()
    strange = [term for term in said if "-" not in term and words.terms(term)[0] != term and not _is_stem(term)]
    assert strange == []


def _is_stem(term):
    """A stem need not be its own stem (`celebr` is that of `celebrate`): some ending leads to it."""
    endings = ("e", "s", "y", "ed", "ing", "ation", "al", "ly", "er", "ion", "ent", "ence", "ate", "ity", "ic", "ous")
    return any(term in words.terms(stem + end) for stem in (term, term[:-1]) for end in endings)


def test_another_form_of_a_word_is_the_word():
    assert kin.of("bought")["buy"] == kin.of("buy")["bought"] == 1
    assert kin.of("wrote") == {"write": 1.0, "written": 1.0} | {k: v for k, v in kin.of("wrote").items() if v < 1}


def test_a_kind_asks_for_what_is_of_it_and_not_the_other_way_round():
    assert kin.of("databas")["sqlite"] == kin.LIKE
    assert "databas" not in kin.of("sqlite")


def test_a_word_that_the_lists_do_not_know_has_no_kin():
    assert kin.of("kubernetesish") == {}


def test_no_word_is_its_own_kin():
    kin.of("")
    assert [term for term, others in kin._known.items() if term in others] == []
