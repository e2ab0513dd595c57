"""One wiki, one question, one day: one answer, whichever backend keeps the index and however it came to be."""

import random
import shutil
from pathlib import Path

import pytest
from wikis import NOW, make, record, write

from llmwiki import recall, recall_search, retrieve
from llmwiki.indexes import ranking
from llmwiki.indexes.catalogue import CACHE
from llmwiki.indexes.refresh import refresh
from llmwiki.model import State
from tests.test_indexes import BACKENDS, KEPT

WORDS = "retry upload button border delay queue cache".split()


@pytest.fixture
def pages(monkeypatch):
    """Far more pages than are looked at, many of them alike, of every length and in every state; and what traces of
    sessions were offered."""
    monkeypatch.setattr(retrieve, "CANDIDATES", 9)
    monkeypatch.setattr(retrieve, "MOST", 9)
    chance = random.Random(5)

    def body(n):
        lines = [" ".join(chance.choices(WORDS, k=chance.choice((2, 3, 40)))) for _ in range(n % 4 + 1)]
        return "\n".join(lines)

    states = [State.ACTIVE, State.ACTIVE, State.ARCHIVED]
    many = [record(f"page-{n}-{n % 7}", body(n), title="upload button", state=states[n % 3]) for n in range(90)]
    many += [record(f"same-{n}", "retry the upload\nwith a delay", title="retry") for n in range(30)]
    offered = tuple(f"same-{n}" for n in range(0, 30, 3))
    return many + [record(f"trace-{n}", "x", "trace", offered=offered) for n in range(2)]


def answers(root):
    for question in ("retry the upload", "button", "border delay queue", "upload button cache"):
        yield recall.block(root, recall.Asked(question, now=NOW, limit=3, explain=True))
        yield recall_search.search(root, question, 5, "", "", False, (), NOW)
        yield recall_search.search(root, question, 5, "", "", True, (), NOW)


def at_once(folder, pages, backend):
    return make(folder, *pages, backend=backend)


def little_by_little(folder, pages, backend):
    """Backwards, some of them edited and put back, some taken away and made again."""
    root = make(folder, backend=backend)
    for n in range(0, len(pages), 40):
        write(root, *reversed(pages[-n - 40 : len(pages) - n]))
        refresh(root, backend)
    write(root, *(record(page.id, "another word", path=page.path) for page in pages[::5]))
    for page in pages[::7]:
        Path(root, page.path).unlink()
    refresh(root, backend)
    write(root, *pages)
    refresh(root, backend)
    return root


def behind(folder, pages, backend):
    """The index was made of some, of which some were changed since or taken away."""
    gone = record("gone-1", "retry upload button")
    root = make(folder, *pages[::2], gone, backend=backend)
    write(root, record(pages[4].id, "another word", path=pages[4].path))
    refresh(root, backend)
    Path(root, gone.path).unlink()
    write(root, *pages)
    return root


def without(folder, pages, backend):
    root = make(folder, *pages, backend=backend)
    shutil.rmtree(Path(root, CACHE))
    return root


def test_no_backend_and_no_history_changes_an_answer(tmp_path, pages):
    expected = None
    for way in (at_once, little_by_little, behind, without):
        for backend in BACKENDS if way is at_once else KEPT:
            folder = tmp_path / f"{way.__name__}-{backend}"
            folder.mkdir()
            found = list(answers(way(folder, pages, backend)))
            expected = expected or found
            assert found == expected, (way.__name__, backend)
    assert any(answer for answer in expected)


def test_among_equals_no_key_decides():
    scores = {9: 1.0, 1: 2.0, 5: 1.0, 2: 1.0, 7: 0.5}
    assert set(ranking.first(scores, 2)) == {1, 9, 5, 2} == set(ranking.first(scores, 4))
    assert ranking.first(scores, 1) == [1] and ranking.first(scores, 0) == []
