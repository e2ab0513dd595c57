"""One word here, two there: `lock file` and `lockfile`."""

import pytest
from wikis import NOW, make, record

from llmwiki import compounds, retrieve
from llmwiki.indexes.snapshot import Snapshot


@pytest.fixture
def ask(tmp_path):
    def asked(text, *said):
        snapshot = Snapshot(make(tmp_path, *(record(f"r-{n}", line) for n, line in enumerate(said))))
        found = retrieve.search(snapshot, text, retrieve.Allowed(NOW))
        snapshot.close()
        return [s.entry.id for s in found]

    return asked


@pytest.mark.parametrize(
    ("task", "page"),
    [
        ("update the lock file", "commit the lockfile"),
        ("the lock-file is old", "commit the lockfile"),
        ("who edits lockfiles", "commit the lock file"),
        ("in which time zone", "reports are in the timezone UTC"),
        ("users cannot log in", "the login goes through a proxy"),
        ("add a row to the drop_down", "the dropdown is ours"),
        ("die Datenbankmigration", "run migrations before the tests"),
        ("die Datenbankmigration", "the database is sqlite"),
        ("Verbindungsfehler", "an error of the connection is retried"),
    ],
)
def test_two_words_find_what_is_written_as_one_and_one_finds_two(ask, task, page):
    assert ask(task, "nothing of that here", page) == ["r-1"]


def test_both_halves_of_a_compound_are_a_better_match_than_one(ask):
    assert ask("stacktraces", "traces of milk", "a stack trace is logged", "the stack grows")[0] == "r-1"


def test_a_word_that_the_wiki_has_is_not_taken_apart(ask):
    assert ask("the keyboard", "a key and a board", "a keyboard") == ["r-1"]


def test_halves_that_nobody_knows_are_no_words(ask):
    assert ask("mysterious glitter", "my is a word", "the glit of it") == []


def test_single_letters_and_endless_words_make_nothing():
    assert compounds.joined("lock a.b file") == {}
    assert compounds.joined("x y z " + "long" * 10 + " word") == {}
    assert not compounds.apart("a" * 60 + " short 12345678 caf\u00e9")


def test_a_long_task_is_read_from_its_beginning():
    assert (
        len(compounds.apart(" ".join(f"word{chr(97 + n % 26) * 5}{chr(97 + n // 26) * 4}" for n in range(676)))) < 400
    )
