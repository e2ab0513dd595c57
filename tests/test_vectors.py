"""Ranking by meaning: what is embedded and when, who may be found by it, and that nothing breaks without it."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from llmwiki import cli, embedding, kin, recall
from llmwiki.embedders import EMBEDDERS, base
from llmwiki.errors import WikiError
from llmwiki.indexes import vectors, vectors_update
from llmwiki.indexes.catalogue import CACHE
from llmwiki.indexes.entries import COLUMNS, Entry
from llmwiki.indexes.refresh import refresh
from llmwiki.model import State
from llmwiki.workspace import Workspace
from tests import fake_embedder
from tests.fake_embedder import ASKED, Fake
from tests.forgetting import FIRST, WORDS, store, synced  # noqa: F401 - a fixture
from tests.forgetting import NOW as LATER
from tests.wikis import NOW, record, write

PAGES = (
    record("garage-1a2b", "The red automobile stays in the garage\nIt is washed on Fridays", title="Garage"),
    record("harbour-3c4d", "A vessel needs a pilot", title="Harbour"),
    record("kitten-5e6f", "The feline sleeps all day", title="Kitten"),
)


@pytest.fixture(autouse=True)
def fake(monkeypatch, tmp_path):
    monkeypatch.setenv("LLMWIKI_NOW", "2026-03-05T00:00:00Z")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in list(EMBEDDERS):
        monkeypatch.delitem(EMBEDDERS, name)
    monkeypatch.setitem(EMBEDDERS, "fake", "tests.fake_embedder")
    monkeypatch.setattr(Fake, "model", "fake-1")
    monkeypatch.setattr(kin, "of", lambda term: {})  # what the lists find, no vector is needed for
    ASKED.clear()


def made(root, *records, setting='vectors = "fake"', backend="sqlite"):
    """A wiki of these records, opened and indexed, vectors included."""
    root.mkdir(exist_ok=True)
    Path(root, "llmwiki.toml").write_text(f'[index]\nbackend = "{backend}"\n{setting}\n', "utf-8")
    write(root, *records)
    wiki = Workspace.open(root)
    wiki.index()
    return wiki


@pytest.fixture
def wiki(tmp_path):
    return made(tmp_path / "wiki", *PAGES)


def file(wiki):
    return wiki.root / CACHE / vectors.FILE


def ids(wiki, question, **flags):
    return [hit.id for hit in Workspace.open(wiki.root).search(question, **flags)]


def table(wiki):
    return vectors.read(str(wiki.root / CACHE))


# -- what is embedded


def test_each_passage_and_title_has_a_vector_and_again_the_same_bytes(wiki, tmp_path):
    head = table(wiki).head
    assert (head.part, head.model, head.size, head.pages, head.rows, head.missing) == ("fake", "fake-1", 4, 3, 7, 0)
    assert "The red automobile stays in the garage" in ASKED and "Garage" in ASKED
    before = file(wiki).read_bytes(), file(wiki).stat().st_mtime_ns
    assert wiki.index()["embedded"] == 0
    assert (file(wiki).read_bytes(), file(wiki).stat().st_mtime_ns) == before
    assert file(made(tmp_path / "other", *PAGES)).read_bytes() == before[0]


def test_only_what_is_new_is_embedded(wiki):
    ASKED.clear()
    write(wiki.root, record("garage-1a2b", "The red automobile stays in the garage\nNobody washes it", title="Garage"))
    assert wiki.index()["embedded"] == 1
    assert ASKED == ["Nobody washes it"]
    assert table(wiki).head.rows == 7


def test_an_index_that_is_made_again_keeps_the_vectors(wiki):
    ASKED.clear()
    wiki.index(rebuild=True)
    assert ASKED == [] and table(wiki).head.pages == 3
    assert ids(wiki, "car")[0] == "garage-1a2b"


def test_vectors_of_another_model_are_made_again(wiki, monkeypatch):
    ASKED.clear()
    monkeypatch.setattr(Fake, "model", "fake-2")
    answer = recall.block(str(wiki.root), recall.Asked("the red car in the garage", now=NOW))
    assert "fake-2 is installed" in answer["limits"]["vectors"]  # until then: not compared with those of the old one
    assert wiki.index()["embedded"] == 7
    assert table(wiki).head.model == "fake-2" and len(ASKED) == 7


def test_a_sync_embeds_no_more_than_it_has_time_for_the_newest_first(tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "AT_ONCE", 3)
    old = [record(f"old-{n}-1a2b", f"An old vessel {n}", created=f"2026-02-0{n}T10:00:00Z") for n in range(1, 6)]
    root = tmp_path / "wiki"
    root.mkdir()
    (root / "llmwiki.toml").write_text('[index]\nvectors = "fake"\n')
    write(root, *old)
    wiki = Workspace.open(root)
    refresh(root, wiki.config.backend)
    assert embedding.refresh(wiki, None, whole=False) == {"embedded": 2, "unembedded": 8}
    assert sorted(ASKED) == ["An old vessel 5", "old 5 1a2b"]
    assert "8 more wait" in embedding.state(wiki)[1] and not embedding.state(wiki)[0]
    assert wiki.index()["unembedded"] == 0 and table(wiki).head.pages == 5  # `index` goes on to the end


class Killed(BaseException):
    pass


def test_a_run_that_is_killed_leaves_what_was_there(wiki, monkeypatch):
    before = file(wiki).read_bytes()
    write(wiki.root, record("boat-7a8b", "The boat is blue"))
    refresh(wiki.root, "sqlite")

    def dies(*_):
        raise Killed

    for where in ((Fake, "passages"), (vectors_update.os, "replace")):
        with monkeypatch.context() as patched, pytest.raises(Killed):
            patched.setattr(*where, dies)
            vectors_update.update(wiki.root, "fake", Fake(), 100)
        assert file(wiki).read_bytes() == before
    wiki.index()
    assert table(wiki).head.pages == 4


# -- what is gone leaves none behind


@pytest.mark.parametrize("missing", [False, True], ids=["installed", "uninstalled"])
def test_removed_and_withdrawn_pages_have_no_vectors(wiki, monkeypatch, missing):
    (wiki.root / "wiki/facts/kitten-5e6f.md").unlink()
    withdrawn = {"state": State.ARCHIVED, "reason": "wrong", "title": "Harbour"}
    write(wiki.root, record("harbour-3c4d", "A vessel needs a pilot", **withdrawn))
    if missing:
        monkeypatch.setattr(fake_embedder, "NEEDS", ("no_such_package",))
    wiki.index()
    left = table(wiki)
    assert left.head.rows == 3
    gone = vectors.quantised(fake_embedder.vector("A vessel"))[1], vectors.quantised(fake_embedder.vector("feline"))[1]
    assert all(left.row(n)[2] not in gone for n in range(left.head.rows))


def test_off_takes_them_away(wiki):
    (wiki.root / "llmwiki.toml").write_text('[index]\nbackend = "sqlite"\nvectors = "off"\n')
    assert ids(wiki, "car") == []  # at once
    Workspace.open(wiki.root).index()
    assert not file(wiki).exists()


def test_a_forget_purges_them(tmp_path, store, monkeypatch):
    monkeypatch.setenv("LLMWIKI_NOW", LATER)
    root = synced(tmp_path / "wiki", store)  # `auto` takes the one that is installed
    before = vectors.read(str(root / CACHE))
    taught = {before.row(n)[0] for n in range(before.head.rows)}
    secret = {vectors_update.mark(text) for text in ASKED if any(word in text.lower() for word in WORDS)}
    assert secret and secret <= taught
    Workspace(root).forget(FIRST)
    after = vectors.read(str(root / CACHE))
    assert after.head.rows and not secret & {after.row(n)[0] for n in range(after.head.rows)}
    left = [path for path in (root / CACHE).rglob("*") if path.name.startswith(vectors.FILE)]
    assert left == [root / CACHE / vectors.FILE]


# -- who is found


@pytest.mark.parametrize("backend", ["sqlite", "whoosh"])
def test_a_question_finds_what_says_the_same_in_other_words(tmp_path, backend):
    wiki = made(tmp_path / "wiki", *PAGES, backend=backend)
    hit = wiki.search("car")[0]
    assert (hit.id, hit.snippet) == ("garage-1a2b", "The red automobile stays in the garage")
    assert ids(made(tmp_path / "off", *PAGES, setting='vectors = "off"', backend=backend), "car") == []
    assert ids(wiki, "trombone") == []  # near to nothing


def test_meaning_decides_between_pages_that_share_as_many_words(tmp_path):
    pages = (record("one-1a2b", "the pilot knows the feline"), record("two-3c4d", "the pilot knows the vessel"))
    wiki = made(tmp_path / "wiki", *pages)
    assert ids(wiki, "pilot boat")[0] == "two-3c4d" and ids(wiki, "pilot cat")[0] == "one-1a2b"


WITHDRAWN = {
    "archived": {"state": State.ARCHIVED, "reason": "wrong"},
    "quarantined": {"state": State.QUARANTINED},
    "superseded": {"superseded_by": "garage-1a2b"},
    "stale": {"state": State.STALE},
    "unsure": {"confidence": 0.1},
    "past its days": {"reinforced": "2020-01-01T00:00:00Z"},
}


@pytest.mark.parametrize("way", WITHDRAWN)
def test_a_withdrawn_page_is_silent_however_near_it_is(tmp_path, way):
    silent = record("silent-9c0d", "A vanished car car car", **WITHDRAWN[way])
    wiki = made(tmp_path / "wiki", *PAGES, silent)
    assert ids(wiki, "gone vehicle") == ids(wiki, "gone vehicle", limit=1) == ["garage-1a2b"]
    block = recall.block(str(wiki.root), recall.Asked("vanished car in the garage", now=NOW))
    assert "silent-9c0d" not in block["text"]


@pytest.mark.parametrize("change", ["withdrawn", "deleted"])
def test_what_fell_silent_since_the_index_was_made_is_not_found_by_its_old_vector(wiki, change):
    page = wiki.root / "wiki/facts/garage-1a2b.md"
    if change == "deleted":
        page.unlink()
    else:
        page.write_text(page.read_text().replace("state: active", "state: archived"))
    assert ids(wiki, "car") == []


def test_a_page_that_changed_since_is_taken_at_its_word(wiki):
    write(wiki.root, record("garage-1a2b", "Bicycles are in the garage", title="Garage"))
    assert ids(wiki, "car") == []
    assert ids(wiki, "bicycles garage vessel")[0] == "garage-1a2b"


def test_a_key_that_now_is_another_page_is_not_believed(wiki):
    near = vectors.Near(table(wiki), fake_embedder.vector("car"))
    page = Entry([1, "", 0, 0, b"x" * 12, *[None] * (len(COLUMNS) - 5)])
    assert near.of(page) is None
    page.digest = table(wiki).page(0)
    assert near.of(page) is not None


def test_another_task_gets_no_block_because_something_is_near(wiki):
    answer = recall.block(str(wiki.root), recall.Asked("buy a car for grandmother", now=NOW, explain=True))
    assert answer["abstained"] and answer["text"] == "" and answer["limits"]["vectors"].startswith("asked, by fake-1")
    assert [one["id"] for one in answer["rejected"]] == ["garage-1a2b"]


def opened(wiki, project="yard", task="where is my vehicle"):
    answer = recall.block(str(wiki.root), recall.Asked(task, now=NOW, project=project))
    return [(one["id"], one["reason"]) for one in answer["records"]]


@pytest.fixture
def yard(tmp_path, monkeypatch):
    monkeypatch.setattr(Fake, "opens", 0.9, raising=False)
    pages = (
        record("garage-1a2b", "The red automobile stays in the garage", title="Garage", project="yard"),
        *PAGES[1:],
    )
    return made(tmp_path / "wiki", *pages)


def test_what_means_the_same_enters_a_block_of_its_project_whatever_its_words(yard):
    assert opened(yard) == [("garage-1a2b", "means nearly what the task does")]
    assert not opened(yard, project="") and not opened(yard, project="harbour")
    assert not opened(yard, task="where is my trombone")


def test_an_embedder_that_names_no_such_cosine_opens_nothing(yard, monkeypatch):
    monkeypatch.delattr(Fake, "opens")
    assert not opened(yard)


def test_a_floor_that_a_person_set_holds_for_meaning_too(yard):
    with (yard.root / "llmwiki.toml").open("a", encoding="utf-8") as file:
        file.write("\n[context]\nfloor = 0.2\n")
    assert not opened(yard)


def test_meaning_opens_to_nothing_that_was_withdrawn_or_says_something_else_since(yard):
    page = yard.root / "wiki/facts/garage-1a2b.md"
    said = page.read_text("utf-8")
    page.write_text(said.replace("automobile", "lawnmower"), "utf-8")
    assert not opened(yard)
    page.write_text(said.replace("state: active", "state: archived"), "utf-8")
    assert not opened(yard)


# -- without


def explained(wiki, hook, capfd):
    """What `context --explain` and a hook print, in a process of their own: (stdout, modules that were loaded)."""
    code = (
        "import os, sys\nfrom llmwiki.embedders import EMBEDDERS\nEMBEDDERS['fake'] = 'tests.fake_embedder'\n"
        "from llmwiki import fast\n"
        "os._exit = lambda code: (print(*sys.modules, file=sys.stderr, flush=True), sys.exit(code))\nfast.main()"
    )
    args = ["context", "--hook", "claude-code"] if hook else ["context", "where is the red automobile", "--explain"]
    said = json.dumps({"prompt": "where is the red automobile", "cwd": str(wiki.root)}).encode()
    done = subprocess.run([sys.executable, "-c", code, *args], cwd=wiki.root, input=said, capture_output=True)
    return done.stdout.decode(), set(done.stderr.decode().split())


def test_a_hook_waits_for_no_model_and_a_person_is_told_what_was_asked(wiki, capfd, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))
    said, loaded = explained(wiki, True, capfd)
    assert "garage-1a2b" in said and not {"tests.fake_embedder", "llmwiki.indexes.vectors", "numpy"} & loaded
    said, loaded = explained(wiki, False, capfd)
    assert "garage-1a2b" in said and "vectors   asked, by fake-1" in said and "tests.fake_embedder" in loaded
    answer = recall.block(str(wiki.root), recall.Asked("the red automobile", now=NOW, vectors=False))
    assert answer["limits"]["vectors"].startswith("not asked: a hook")


def test_auto_without_an_embedder_needs_none(tmp_path, monkeypatch):
    monkeypatch.setattr(fake_embedder, "NEEDS", ("no_such_package",))
    wiki = made(tmp_path / "wiki", *PAGES, setting="")
    assert wiki.notices == [] and not file(wiki).exists()
    assert embedding.state(wiki) == (True, "none, ranked by words", base.CURE)
    assert "vectors" not in wiki.status()
    answer = recall.block(str(wiki.root), recall.Asked("the red automobile", now=NOW))
    assert answer["records"] and "vectors" not in answer["limits"]


@pytest.mark.parametrize(("name", "said"), [("fake", "no_such_package"), ("nothing", "unknown embedder 'nothing'")])
def test_one_that_is_named_and_missing_is_said_and_stops_nothing(tmp_path, monkeypatch, capsys, name, said):
    monkeypatch.setattr(fake_embedder, "NEEDS", ("no_such_package",))
    wiki = made(tmp_path / "wiki", *PAGES, setting=f'vectors = "{name}"')
    assert any(said in notice for notice in wiki.notices)
    assert ids(wiki, "automobile") == ["garage-1a2b"]
    assert cli.main(["doctor", "--wiki", str(wiki.root)]) == 1
    told = capsys.readouterr().out
    assert said in told and ("llmwiki-compiler[vectors]" in told or name == "nothing")


def test_vectors_whose_model_was_uninstalled_are_not_used_and_that_is_said(wiki, monkeypatch, capsys):
    monkeypatch.setattr(fake_embedder, "NEEDS", ("no_such_package",))
    found = Workspace.open(wiki.root)
    assert found.search("automobile") and found.search("car") == []
    assert any("ranked by words alone" in notice for notice in found.notices)
    answer = recall.block(str(wiki.root), recall.Asked("the red automobile", now=NOW))
    assert "vectors cannot be used" in answer["text"] and "no_such_package" in answer["limits"]["vectors"]


def damaged(content, how):
    return {
        "noise": b"not vectors" * 9,
        "half": content[: len(content) // 2],
        "longer": content + b"\0",
        "a byte": content[:-20] + bytes([content[-20] ^ 1]) + content[-19:],
        "newer": content.replace(b"llmwiki-vectors 1 ", b"llmwiki-vectors 9 ", 1),
        "other numbers": content.replace(b" 4 3 7 0 ", b" 4 4 6 0 ", 1),
        "empty": b"",
    }[how]


@pytest.mark.parametrize("how", ["noise", "half", "longer", "a byte", "newer", "other numbers", "empty"])
def test_a_broken_file_is_answered_without_and_said_and_made_again(wiki, how, capsys):
    sound = file(wiki).read_bytes()
    file(wiki).write_bytes(damaged(sound, how))
    assert file(wiki).read_bytes() != sound
    assert ids(wiki, "automobile") == ["garage-1a2b"]
    answer = recall.block(str(wiki.root), recall.Asked("the red automobile", now=NOW))
    assert answer["records"] and "vectors cannot be used, ranked by words alone" in answer["text"]
    assert not embedding.state(wiki)[0] and embedding.state(wiki)[2] == "run `llmwiki index`"
    assert "model" in wiki.status().get("vectors", {"model": ""})
    wiki.index()
    assert file(wiki).read_bytes() == sound


def test_an_embedder_that_fails_costs_the_vectors_alone(tmp_path, monkeypatch):
    def fails(self, texts):
        raise RuntimeError("out of luck")

    monkeypatch.setattr(Fake, "passages", fails)
    wiki = made(tmp_path / "other", *PAGES)
    assert any("out of luck" in notice for notice in wiki.notices)
    assert ids(wiki, "automobile") == ["garage-1a2b"]


@pytest.mark.parametrize("given", [[[1.0, 2.0]], [[1.0] * 4, [1.0] * 3], [[]], [[1.0] * 7]], ids=str)
def test_an_embedder_that_gives_nonsense_spoils_nothing(wiki, monkeypatch, given):
    write(wiki.root, record("boat-7a8b", "The boat is blue"))
    (wiki.root / "wiki/facts/kitten-5e6f.md").unlink()
    monkeypatch.setattr(Fake, "passages", lambda self, texts: given * len(texts) if len(given) == 1 else given)
    wiki.index()
    assert any("no vectors were made" in notice for notice in wiki.notices)
    assert table(wiki).head.pages == 2  # nothing new, and what is gone is gone
    assert ids(wiki, "car")[0] == "garage-1a2b"


@pytest.mark.parametrize(
    "question", ["\ud800 car \0 \u202e\u200b", "car " * 30_000, 'car AND (NOT * OR "', " \n ", "the of"]
)
def test_strange_questions_are_answered(wiki, question):
    found = Workspace.open(wiki.root)
    assert ("car" in question) <= ("garage-1a2b" in [hit.id for hit in found.search(question)])
    assert found.notices == []
    assert recall.block(str(wiki.root), recall.Asked(question, now=NOW))["limits"]["notes"] == []


# -- what is told


def test_status_and_doctor_tell_of_them(wiki, capsys):
    assert cli.main(["status", "--wiki", str(wiki.root)]) == 0
    assert "vectors: 7 passages by fake-1" in capsys.readouterr().out
    ok, said, _ = embedding.state(wiki)
    assert ok and said == "7 passages of 3 pages, by fake-1"
    file(wiki).unlink()
    assert embedding.state(wiki) == (False, "fake is installed, and nothing is embedded", "run `llmwiki index`")


# -- the numbers


def test_numbers_are_kept_in_a_byte_each_and_point_where_they_did():
    norm, numbers = vectors.quantised([0.5, -0.25, 0.0])
    assert list(memoryview(numbers).cast("b")) == [127, -64, 0] and norm == 127**2 + 64**2
    for strange in ([], [0.0], [1.0, float("inf")], [1.0, float("nan")], [float("-inf"), float("nan")]):
        assert vectors.quantised(strange) == (0, bytes(len(strange)))


def test_numpy_changes_no_cosine(wiki, monkeypatch):
    """Where numpy is installed it multiplies; elsewhere a loop does."""
    pytest.importorskip("numpy")
    question = fake_embedder.vector("the car and the boat")
    quick = vectors.Near(table(wiki), question)
    monkeypatch.delitem(sys.modules, "numpy")
    assert vectors.Near(table(wiki), question)._rows == quick._rows


def test_a_question_of_another_length_is_refused(wiki):
    with pytest.raises(ValueError, match="3 numbers"):
        vectors.Near(table(wiki), [1.0, 2.0, 3.0])


# -- the real ones


@pytest.mark.parametrize("name", ["minilm", "wordllama"])
def test_a_real_model_knows_what_a_car_is(name, monkeypatch, tmp_path):
    monkeypatch.setitem(EMBEDDERS, name, f"llmwiki.embedders.{name}")
    try:
        base.part_of(name)
    except WikiError as missing:
        pytest.skip(str(missing))
    wiki = made(tmp_path / "wiki", *PAGES, setting=f'vectors = "{name}"')
    assert ids(wiki, "car")[0] == "garage-1a2b"
    scores = [hit.score for hit in wiki.search("a boat at sea")]
    assert all(a >= b for a, b in pairwise(scores)) and ids(wiki, "a boat at sea")[0] == "harbour-3c4d"
    before = file(wiki).read_bytes()
    file(wiki).unlink()
    wiki.index()
    assert file(wiki).read_bytes() == before


def test_an_embedder_that_cannot_be_had_is_named_with_the_cure(monkeypatch):
    monkeypatch.setattr(fake_embedder, "NEEDS", ("no_such_package",))
    for ask in (base.part_of, base.load):
        with pytest.raises(WikiError, match=r"'fake' needs no_such_package.*pip install 'llmwiki-compiler\[vectors\]'"):
            ask("fake")
    assert base.part_of("off") == "" and base.part_of("auto") == ""
