"""Whoosh's files as we read them, beside Whoosh's own readers."""

import random
from pathlib import Path

import pytest
from whoosh import index
from whoosh.filedb.filestore import FileStorage

from llmwiki.indexes import memory_index, reading, whoosh_files, whoosh_writing
from llmwiki.indexes.whoosh_index import FOLDER, open_index
from tests.test_indexes import entry


def entries(keys, seed=1):
    """Pages whose words are from everywhere to nowhere, so that posting lists are of every length."""
    chance = random.Random(seed)
    template = entry(0, "t", "x\ny")
    for key in keys:
        made = reading.Entry(template.row())
        made.key, made.said = key, f"title w{key % 3}\x1ftag"
        made.passages = f"all w{chance.randint(0, 40)} w{key}\x1f{' '.join(['all', '言葉'] * chance.randint(0, 3))}"
        yield made


@pytest.fixture(scope="module", params=[3000, 7], ids=["many", "few"])
def folder(request, tmp_path_factory):
    """An index of three updates, with pages taken out of the first and replaced."""
    folder = tmp_path_factory.mktemp("index")
    opened = open_index(str(folder), True)
    many = request.param
    opened.update(entries(range(1, many)), (), 1)
    opened.update(entries(range(2, many, 500), seed=2), [*range(2, many, 500), 3], 2)
    opened.update((), [5], 3)
    opened.close()
    return folder


def test_postings_and_keys_are_those_that_whoosh_reads(folder):
    reader = index.FileIndex(FileStorage(str(folder / FOLDER)), whoosh_writing._SCHEMA).reader()
    ours = whoosh_files.segments(str(folder / FOLDER))
    leaves = [leaf for leaf, _ in reader.leaf_readers()]
    assert len(leaves) == len(ours) > 1 and any(segment.deleted for segment in ours)
    for leaf, segment in zip(leaves, ours, strict=True):
        column = leaf.column_reader("key", translate=False)
        assert segment.documents == leaf.doc_count_all()
        assert list(segment.keys()) == [column[n] for n in range(segment.documents)]
        terms = [(field, term.decode()) for field, term in leaf.all_terms()]
        for field, term in [*terms, ("record", "nowhere"), ("nofield", "all")]:
            expected = []
            if (field, term) in leaf:
                postings = leaf.postings(field, term)  # Whoosh leaves out what was deleted
                while postings.is_active():
                    expected.append((postings.id(), postings.weight()))
                    postings.next()
            assert list(segment.postings(field, term)) == expected
            assert segment.held(field, term) == len(expected)
    reader.close()


def test_deleted_documents_cost_only_the_blocks_that_they_stand_in(folder, monkeypatch):
    segment = max(whoosh_files.segments(str(folder / FOLDER)), key=lambda s: s.documents)
    unpacked, loads = [], whoosh_files._loads
    monkeypatch.setattr(whoosh_files, "_loads", lambda content: unpacked.append(1) or loads(content))
    many = len(list(segment.postings("record", "all")))
    whole = len(unpacked)
    segment.deleted, segment._gone = frozenset({1}), [1]
    unpacked.clear()
    segment._held.clear()
    assert segment.held("record", "all") >= many and len(unpacked) == 1
    assert whole > 2 or many < 1000


@pytest.mark.parametrize("keep", [0, 1, 10, 11, 40, 0.3, 0.9, 0.999])
@pytest.mark.parametrize("kind", ["*.toc", "*.seg"])
def test_files_that_were_cut_are_refused(kind, keep, tmp_path):
    opened = open_index(str(tmp_path), True)
    opened.update(entries(range(1, 20)), (), 1)
    opened.close()
    path = max(Path(tmp_path, FOLDER).glob(kind))
    content = path.read_bytes()
    path.write_bytes(content[: keep if isinstance(keep, int) else int(len(content) * keep)])
    again = open_index(str(tmp_path))
    with pytest.raises(Exception):  # noqa: B017 - whatever it is, a reader does without the index
        again.postings(["all"])


def test_another_format_is_refused(tmp_path):
    opened = open_index(str(tmp_path), True)
    opened.update(entries(range(1, 20)), (), 1)
    opened.close()
    path = max(Path(tmp_path, FOLDER).glob("*.seg"))
    for mark in (b"HSH3", b"W3Bl"):
        content = path.read_bytes()
        path.write_bytes(content.replace(mark, b"NEW4"))
        again = open_index(str(tmp_path))
        with pytest.raises(ValueError, match="another format"):
            again.postings(["all"])
        again.close()
        path.write_bytes(content)
    toc = max(Path(tmp_path, FOLDER).glob("*.toc"))
    toc.write_bytes(toc.read_bytes().replace((-111).to_bytes(4, "big", signed=True), b"\0\0\0\1"))
    with pytest.raises(ValueError, match="another format"):
        open_index(str(tmp_path)).postings(["all"])


def test_a_table_of_contents_that_is_replaced_meanwhile_is_read_anew(folder, monkeypatch):
    newest, asked = whoosh_files._newest, []

    def replaced(path):
        asked.append(path)
        return newest(path) if len(asked) > 1 else "_MAIN_0.toc"

    monkeypatch.setattr(whoosh_files, "_newest", replaced)
    assert whoosh_files.segments(str(folder / FOLDER)) and len(asked) == 2


def test_postings_are_the_reference_ones_whatever_was_deleted(tmp_path):
    chance = random.Random(3)

    def page(key):
        lines = [" ".join(chance.choices("ab c d e f".split(), k=chance.randint(1, 2))) for _ in range(key % 5)]
        return entry(key, "a", "\n".join(lines) or "g")

    opened, reference = open_index(str(tmp_path), True), memory_index.open_index("")
    for added, removed in (([page(n) for n in range(1, 60)], ()), ([page(n) for n in range(1, 20)], range(1, 40))):
        for one in (opened, reference):
            one.update(added, removed, 1)
        for space in ("records", "passages"):
            for terms in (["ab"], ["d", "e", "nowhere"], ["f", "g", "a"]):
                assert opened.postings(terms, space) == reference.postings(terms, space)
    opened.close()


def test_segments_stay_few_and_hold_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(whoosh_writing, "MANY", 4)
    monkeypatch.setattr(whoosh_writing, "MERGED", 3)
    opened, reference = open_index(str(tmp_path), True), memory_index.open_index("")
    for one in (opened, reference):
        one.update(entries(range(1, 50)), (), 1)
    for turn in range(12):
        for one in (opened, reference):
            one.update(entries(range(turn, 60, 9), seed=turn), [*range(turn, 60, 9), turn + 1], turn + 2)
        assert len(list(Path(tmp_path, FOLDER).glob("*.seg"))) <= 5
    terms = [f"w{n}" for n in range(60)]
    assert opened.frequencies(["all", *terms]) == reference.frequencies(["all", *terms])
    assert opened.postings(terms) == reference.postings(terms)
    opened.close()
