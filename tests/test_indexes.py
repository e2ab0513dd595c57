"""One contract over every backend, and over the index as readers see it."""

import io
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from wikis import NOW, make, record, write

from llmwiki import checkup, recall, recall_search, registry
from llmwiki.errors import WikiError
from llmwiki.indexes import INDEXES, ranking, reading, scan
from llmwiki.indexes.refresh import refresh
from llmwiki.indexes.snapshot import Snapshot
from llmwiki.model import State
from llmwiki.store import Store
from llmwiki.workspace import Workspace

BACKENDS = sorted(INDEXES)
KEPT = sorted(set(BACKENDS) - {"memory"})


def entry(key, title, body):
    made = reading.of_record(record(f"page-{key}", body, title=title))
    made.key = key
    return made


@pytest.fixture(params=BACKENDS)
def index(request, tmp_path):
    opened = registry.load("indexes", INDEXES, request.param).open_index(str(tmp_path), True)
    yield opened
    opened.close()


CORPUS = [
    entry(1, "retry the upload", "the upload is retried with a delay\nit gives up after max_retry_count tries"),
    entry(2, "colour of the button", "the button is green\nthe upload button too"),
    entry(3, "日本語の設定", "設定は日本語で書く"),
    entry(4, "paths", "src/app/main_file.py loads parseHTTPHeader"),
]


def search(index, terms, limit, space="records"):
    """What is looked at first, as if all pages were of one length."""
    postings = index.postings(terms, space)
    chars = {key: 1 for counts in postings for key in counts}
    scores = (
        ranking.of_pages(postings, 10, chars, 1.0)
        if space == "records"
        else ranking.of_passages(postings, 10, dict.fromkeys(range(99), 1))
    )
    scores = {key: score if space == "records" else score[0] for key, score in scores.items()}
    return sorted(((k, scores[k]) for k in ranking.first(scores, limit)), key=lambda pair: (-pair[1], pair[0]))


def ids(found):
    return [key for key, _ in found]


# The contract of a backend.


def test_any_term_will_do_and_the_best_comes_first(index):
    index.update(CORPUS, (), 1)
    assert ids(search(index, ["upload", "retri", "nowher"], 10)) == [1, 2]


def test_scores_fall_and_the_limit_holds(index):
    index.update(CORPUS, (), 1)
    found = search(index, ["upload", "button", "日本", "path"], 10)
    assert [s for _, s in found] == sorted((s for _, s in found), reverse=True)
    assert all(score > 0 for _, score in found) and len(search(index, ["upload"], 1)) == 1


def test_every_backend_ranks_alike():
    ranked = []
    for name in BACKENDS:
        folder = f"/tmp/llmwiki-{os.getpid()}-{name}"
        opened = registry.load("indexes", INDEXES, name).open_index(folder, True)
        opened.update([entry(n, f"t{n}", "alpha " * n + "beta " * (9 - n) + "gamma") for n in range(1, 9)], (), 1)
        ranked.append(ids(search(opened, ["alpha"], 10)))
        opened.close()
        shutil.rmtree(folder, ignore_errors=True)
    assert ranked[0] == ranked[1] == ranked[2] == [8, 7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("term", ["max_retry_count", "src/app/main_file.py", "main_file.py", "parsehttpheader", "語"])
def test_identifiers_paths_and_characters_are_found_whole(index, term):
    index.update(CORPUS, (), 1)
    assert len(search(index, [term], 10)) == 1


@pytest.mark.parametrize(
    "term", ['"', "a OR b", "*", "NEAR(x)", "'; DROP TABLE records", "\\", "(", "^", "-x", "terms:x", "\0"]
)
def test_nothing_in_a_term_is_query_syntax(index, term):
    index.update(CORPUS, (), 1)
    assert search(index, [term], 10) == []
    assert ids(search(index, [term, "green"], 10)) == [2]


def test_passages_stand_for_their_page_and_single_lines_are_not_doubled(index):
    index.update(CORPUS, (), 1)
    assert ids(search(index, ["upload"], 10, "passages")) in ([1, 2], [2, 1])
    assert search(index, ["日本"], 10, "passages") == []


def test_frequencies_count_pages(index):
    index.update(CORPUS, (), 1)
    assert index.frequencies(["upload", "green", "nowher"]) == [2, 1, 0]


def test_what_was_taken_out_counts_no_more(index):
    index.update(CORPUS, (), 1)
    more = [entry(n, f"upload {n}", "the upload button is green again") for n in range(5, 40)]
    index.update(more, (), 2)
    index.update((), [e.key for e in more] + [1], 3)
    assert index.frequencies(["upload", "green", "again", "path"]) == [1, 1, 0, 1]


def test_a_page_is_replaced_and_taken_out(index):
    index.update(CORPUS, (), 1)
    index.update([entry(2, "other", "the button is purple")], [2, 3], 2)
    assert ids(search(index, ["green", "日本"], 10)) == [] and search(index, ["green"], 10, "passages") == []
    assert ids(search(index, ["purpl"], 10)) == [2]
    assert index.generation == 2


def test_an_empty_index_and_no_terms_find_nothing(index):
    assert search(index, ["a"], 5) == [] and index.frequencies(["a"]) == [0]
    index.update(CORPUS, (), 1)
    assert search(index, [], 5) == [] and search(index, ["upload"], 0) == []


@pytest.mark.parametrize("name", KEPT)
def test_what_was_written_is_read_by_the_next_process(name, tmp_path):
    module = registry.load("indexes", INDEXES, name)
    written = module.open_index(str(tmp_path), True)
    written.update(CORPUS, (), 7)
    written.close()
    read = module.open_index(str(tmp_path), False)
    assert read.generation == 7 and ids(search(read, ["green"], 5)) == [2]
    read.close()


@pytest.mark.parametrize("name", KEPT)
def test_a_missing_index_raises_and_makes_no_file(name, tmp_path):
    with pytest.raises((OSError, ValueError)):
        registry.load("indexes", INDEXES, name).open_index(str(tmp_path / "none"), False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pages", [1, 7, 10, 100])
def test_an_index_of_many_segments_is_one_index(tmp_path, pages, monkeypatch):
    from llmwiki.indexes import whoosh_writing

    monkeypatch.setattr(whoosh_writing, "PAGES", pages)
    opened = registry.load("indexes", INDEXES, "whoosh").open_index(str(tmp_path), True)
    opened.update((entry(n, f"title {n}", f"word{n} common\nits line") for n in range(1, 31)), (), 1)
    assert ids(search(opened, ["word25"], 5)) == [25] and opened.frequencies(["common"]) == [30]
    opened.update([entry(7, "another", "word7 again")], [7, 30], 2)
    assert ids(search(opened, ["word7", "word30"], 5)) == [7] and opened.frequencies(["common", "word30"]) == [28, 0]
    assert ids(search(opened, ["common"], 50)) == [n for n in range(1, 30) if n != 7]
    opened.close()


def test_a_planted_pickle_is_not_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    from whoosh.codec import whoosh3
    from whoosh.filedb import structfile

    from llmwiki.indexes import whoosh_files, whoosh_writing

    planted = pickle.dumps(Evil())
    for load in (whoosh_files._loads, whoosh3.loads, lambda content: structfile.load(io.BytesIO(content))):
        with pytest.raises(pickle.UnpicklingError):
            load(planted)
    assert whoosh_writing.PAGES
    assert not (tmp_path / "ran").exists()


def test_an_unknown_backend_is_named(tmp_path):
    with pytest.raises(WikiError, match="lucene"):
        refresh(tmp_path, "lucene")


# The index as a reader sees it: files are the truth.


def found(root, text, **more):
    given = {"limit": 10, "kind": "", "state": "", "everything": False, "scopes": (), "now": NOW} | more
    return [hit["id"] for hit in recall_search.search(root, text, **given)]


PAGES = (
    record("retry-uploads-1a2b", "Uploads are retried three times with a growing delay"),
    record("green-button-3c4d", "The button is green\nIts border is thin"),
)


@pytest.fixture(params=BACKENDS)
def wiki(request, tmp_path):
    return make(tmp_path, *PAGES, backend=request.param)


def test_a_question_in_words_finds_the_page(wiki):
    assert found(wiki, "how often is an upload being retried?") == ["retry-uploads-1a2b"]


def test_an_edited_page_is_seen_at_once(wiki):
    page = Path(wiki, PAGES[1].path)
    page.write_text(page.read_text("utf-8").replace("is green", "is violet"), "utf-8")
    assert found(wiki, "violet") == ["green-button-3c4d"]
    assert found(wiki, "thin border") == ["green-button-3c4d"]


def test_an_archived_page_is_silent_at_once(wiki):
    page = Path(wiki, PAGES[1].path)
    page.write_text(page.read_text("utf-8").replace("state: active", "state: archived"), "utf-8")
    assert found(wiki, "green button") == []
    assert found(wiki, "green button", everything=True) == ["green-button-3c4d"]
    assert found(wiki, "green button", state="archived") == ["green-button-3c4d"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_of_a_project_answer_its_records_and_those_of_none(tmp_path, backend):
    others = [record(f"blog-{n}", f"Deploy by hand, deploy number {n}", project="blog") for n in range(900)]
    ours, anywhere = (
        record("shop-1a2b", "Deploy with make", project="shop"),
        record("all-3c4d", "Never deploy at night"),
    )
    root = make(tmp_path, ours, anywhere, *others, backend=backend)
    for more in ({}, {"everything": True}, {"state": "active"}):
        assert set(found(root, "deploy", project="shop", **more)) == {"shop-1a2b", "all-3c4d"}
    assert set(found(root, "deploy", project="lost")) == {"all-3c4d"}
    assert len(found(root, "deploy")) == 10
    page = Path(root, ours.path)
    page.write_text(page.read_text("utf-8").replace("project: shop", "project: blog"), "utf-8")
    assert found(root, "deploy", project="shop") == ["all-3c4d"]
    write(root, record("new-5e6f", "Deploy from main", project="shop"))
    assert set(found(root, "deploy", project="shop")) == {"new-5e6f", "all-3c4d"}


def test_a_project_that_no_record_knows_is_said(tmp_path):
    made = record("shop-1a2b", "Deploy with make", project="shop"), record("old-5e6f", "Old", state=State.ARCHIVED)
    root = make(tmp_path, *made, record("blog-3c4d", "Gone", project="blog", state=State.ARCHIVED))
    for project, everything, said in (
        ("shop", False, []), ("", False, []), ("lost", False, [recall.UNKNOWN]), ("lost", True, [recall.UNKNOWN]),
        ("blog", False, [recall.UNKNOWN]), ("blog", True, []),
    ):  # fmt: skip
        notes: list[str] = []
        found(root, "deploy gone", project=project, everything=everything, notes=notes)
        assert notes == said, (project, everything)


def test_a_new_a_renamed_and_a_deleted_page_are_seen_at_once(wiki):
    write(wiki, record("new-page-5e6f", "Penguins march"))
    assert found(wiki, "penguins") == ["new-page-5e6f"]
    Path(wiki, PAGES[1].path).rename(Path(wiki, "wiki/facts/moved.md"))
    [hit] = recall_search.search(wiki, "green", 5, "", "", False, (), NOW)
    assert hit["path"] == "wiki/facts/moved.md"
    Path(wiki, PAGES[0].path).unlink()
    assert found(wiki, "uploads retried") == []


def test_a_page_that_a_person_wrote_is_found_by_its_heading(wiki):
    Path(wiki, "wiki/facts/by-hand.md").write_text("# Coffee machine\n\nDescale it monthly.\n", "utf-8")
    [hit] = recall_search.search(wiki, "coffee", 5, "", "", False, (), NOW)
    assert hit["path"] == "wiki/facts/by-hand.md" and hit["title"] == "Coffee machine"


def test_a_broken_page_hides_no_other(wiki):
    Path(wiki, "wiki/facts/broken.md").write_text("---\nid: [\n---\nx\n", "utf-8")
    Path(wiki, "wiki/facts/bytes.md").write_bytes(b"\xff\xfe\x00")
    assert found(wiki, "green") == ["green-button-3c4d"]
    done = refresh(wiki, "sqlite")
    assert sorted(done["broken"]) == ["wiki/facts/broken.md", "wiki/facts/bytes.md"] and done["pages"] == 4
    assert found(wiki, "green") == ["green-button-3c4d"]


def test_navigation_hidden_files_and_linked_folders_are_no_pages(wiki):
    for name in ("index.md", "log.md", "_context.md", "facts/.x.llmwiki-tmp-1.md"):
        Path(wiki, "wiki", name).write_text("# Zebra\n", "utf-8")
    Path(wiki, "wiki/facts/loop").symlink_to("..")
    Path(wiki, "wiki/facts/folder.md").mkdir()
    os.mkfifo(Path(wiki, "wiki/facts/fifo.md"))
    Path(wiki, "outside.txt").write_text("# Zebra\n", "utf-8")
    Path(wiki, "wiki/facts/out.md").symlink_to("/etc/hostname")
    assert found(wiki, "zebra") == [] and found(wiki, "green") == ["green-button-3c4d"]


def test_a_page_whose_name_begins_with_log_is_a_page(wiki):
    write(wiki, record("login-fails-7777", "Zebra crossing"))
    assert found(wiki, "zebra") == ["login-fails-7777"]


def test_the_pages_of_an_index_are_those_of_the_store(wiki):
    write(
        wiki, record("a-1111", "x", path="wiki/archive/facts/a.md"), record("b-1111", "x", path="wiki/facts/deep/ü.md")
    )
    stats = scan.unpacked(scan.packed(wiki))
    assert sorted((path, *stat) for path, stat in stats.items()) == sorted(Store(Path(wiki)).pages())


def test_a_page_that_names_no_scope_has_that_of_the_wiki(wiki):
    Path(wiki, "wiki/facts/by-hand.md").write_text("# Coffee machine\n", "utf-8")
    settings_file = Path(wiki, "llmwiki.toml")
    settings_file.write_text('[wiki]\nscope = "team"\n' + settings_file.read_text("utf-8"), "utf-8")
    assert len(found(wiki, "coffee", scopes=["team"])) == 1
    refresh(wiki, "sqlite")
    assert len(found(wiki, "coffee", scopes=["team"])) == 1


def test_refresh_counts_and_then_has_nothing_to_do(tmp_path):
    root = make(tmp_path, *PAGES)
    again = refresh(root, "sqlite")
    assert (again["pages"], again["added"], again["updated"], again["removed"]) == (2, 0, 0, 0)
    page = Path(root, PAGES[1].path)
    page.write_text(page.read_text("utf-8") + "- One more\n", "utf-8")
    write(root, record("new-page-5e6f", "Penguins march"))
    Path(root, PAGES[0].path).unlink()
    done = refresh(root, "sqlite")
    assert (done["pages"], done["added"], done["updated"], done["removed"]) == (2, 1, 1, 1)


@pytest.mark.parametrize("name", KEPT)
def test_an_index_that_was_updated_answers_like_a_new_one(name, tmp_path):
    root = make(tmp_path, *PAGES, backend=name)
    write(root, record("new-page-5e6f", "Penguins like the green ice"))
    Path(root, PAGES[0].path).unlink()
    refresh(root, name)
    updated = recall_search.search(root, "green penguins", 5, "", "", False, (), NOW)
    refresh(root, name, rebuild=True)
    assert recall_search.search(root, "green penguins", 5, "", "", False, (), NOW) == updated and len(updated) == 2


@pytest.mark.parametrize("step", ["_begin", "_note"])
def test_an_update_that_was_killed_half_way_loses_no_page(tmp_path, step):
    root = make(tmp_path, *PAGES, backend="whoosh")
    page = Path(root, PAGES[1].path)
    text = page.read_bytes()
    page.unlink()
    code = f"""
import os
from llmwiki.indexes.refresh import refresh
from llmwiki.indexes.whoosh_index import WhooshIndex
WhooshIndex.{step} = lambda *_: os.kill(os.getpid(), 9)
refresh({root!r}, "whoosh")
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    page.write_bytes(text)
    os.utime(page, ns=(1, 1))
    refresh(root, "whoosh")
    assert found(root, "green") == [PAGES[1].id]
    assert found(root, "uploads") == [PAGES[0].id]


def test_a_touched_page_is_not_read_as_a_changed_one(tmp_path):
    root = make(tmp_path, *PAGES)
    os.utime(Path(root, PAGES[0].path), ns=(1, 1))
    snapshot = Snapshot(root)
    assert not snapshot._over
    snapshot.close()
    assert refresh(root, "sqlite")["updated"] == 0


@pytest.mark.parametrize("backend", KEPT)
def test_doctor_says_when_sqlite_is_the_better_backend(backend, tmp_path, monkeypatch):
    make(tmp_path, *PAGES, backend=backend)
    for big, ok in ((3, True), (2, backend == "sqlite")):
        monkeypatch.setattr(checkup, "BIG", big)
        (told,) = (check for check in Workspace(tmp_path).doctor()["checks"] if check["name"] == "index backend")
        assert told["ok"] is ok and (ok or 'backend = "sqlite"' in told["cure"])
