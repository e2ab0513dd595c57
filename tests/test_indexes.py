"""One contract over every backend, and over the index as readers see it."""

import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wikis import CREATED, NOW, STEM, make, record, write

from llmwiki import lifecycle, recall, registry
from llmwiki.errors import WikiError
from llmwiki.indexes import INDEXES, reading, scan
from llmwiki.indexes.catalogue import CACHE, Catalogue
from llmwiki.indexes.refresh import refresh
from llmwiki.indexes.snapshot import Snapshot
from llmwiki.model import Evidence, Record, RecordType, State
from llmwiki.store import Store

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


def ids(found):
    return [key for key, _ in found]


# The contract of a backend.


def test_any_term_will_do_and_the_best_comes_first(index):
    index.update(CORPUS, (), 1)
    assert ids(index.search(["upload", "retri", "nowher"], 10)) == [1, 2]


def test_scores_fall_and_the_limit_holds(index):
    index.update(CORPUS, (), 1)
    found = index.search(["upload", "button", "日本", "path"], 10)
    assert [s for _, s in found] == sorted((s for _, s in found), reverse=True)
    assert all(score > 0 for _, score in found) and len(index.search(["upload"], 1)) == 1


def test_every_backend_ranks_alike():
    ranked = []
    for name in BACKENDS:
        folder = f"/tmp/llmwiki-{os.getpid()}-{name}"
        opened = registry.load("indexes", INDEXES, name).open_index(folder, True)
        opened.update([entry(n, f"t{n}", "alpha " * n + "beta " * (9 - n) + "gamma") for n in range(1, 9)], (), 1)
        ranked.append(ids(opened.search(["alpha"], 10)))
        opened.close()
        shutil.rmtree(folder, ignore_errors=True)
    assert ranked[0] == ranked[1] == ranked[2] == [8, 7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("term", ["max_retry_count", "src/app/main_file.py", "main_file.py", "parsehttpheader", "語"])
def test_identifiers_paths_and_characters_are_found_whole(index, term):
    index.update(CORPUS, (), 1)
    assert len(index.search([term], 10)) == 1


@pytest.mark.parametrize(
    "term", ['"', "a OR b", "*", "NEAR(x)", "'; DROP TABLE records", "\\", "(", "^", "-x", "terms:x", "\0"]
)
def test_nothing_in_a_term_is_query_syntax(index, term):
    index.update(CORPUS, (), 1)
    assert index.search([term], 10) == []
    assert ids(index.search([term, "green"], 10)) == [2]


def test_passages_stand_for_their_page_and_single_lines_are_not_doubled(index):
    index.update(CORPUS, (), 1)
    assert ids(index.search(["upload"], 10, "passages")) in ([1, 2], [2, 1])
    assert index.search(["日本"], 10, "passages") == []


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
    assert ids(index.search(["green", "日本"], 10)) == [] and index.search(["green"], 10, "passages") == []
    assert ids(index.search(["purpl"], 10)) == [2]
    assert index.generation == 2


def test_an_empty_index_and_no_terms_find_nothing(index):
    assert index.search(["a"], 5) == [] and index.frequencies(["a"]) == [0]
    index.update(CORPUS, (), 1)
    assert index.search([], 5) == [] and index.search(["upload"], 0) == []


@pytest.mark.parametrize("name", KEPT)
def test_what_was_written_is_read_by_the_next_process(name, tmp_path):
    module = registry.load("indexes", INDEXES, name)
    written = module.open_index(str(tmp_path), True)
    written.update(CORPUS, (), 7)
    written.close()
    read = module.open_index(str(tmp_path), False)
    assert read.generation == 7 and ids(read.search(["green"], 5)) == [2]
    read.close()


@pytest.mark.parametrize("name", KEPT)
def test_a_missing_index_raises_and_makes_no_file(name, tmp_path):
    with pytest.raises((OSError, ValueError)):
        registry.load("indexes", INDEXES, name).open_index(str(tmp_path / "none"), False)
    assert list(tmp_path.iterdir()) == []


def test_many_documents_are_written_by_two_processes(tmp_path):
    opened = registry.load("indexes", INDEXES, "whoosh").open_index(str(tmp_path), True)
    opened.update((entry(n, f"title {n}", f"word{n} common") for n in range(1, 701)), (), 1)
    assert ids(opened.search(["word650"], 5)) == [650] and opened.frequencies(["common"]) == [700]
    opened.close()


def test_a_planted_pickle_is_not_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    from llmwiki.indexes import whoosh_index

    with pytest.raises(pickle.UnpicklingError):
        whoosh_index._loads(pickle.dumps(Evil()))
    assert not (tmp_path / "ran").exists()


def test_an_unknown_backend_is_named(tmp_path):
    with pytest.raises(WikiError, match="lucene"):
        refresh(tmp_path, "lucene")


# The index as a reader sees it: files are the truth.


def found(root, text, **more):
    given = {"limit": 10, "kind": "", "state": "", "everything": False, "scopes": (), "now": NOW} | more
    return [hit["id"] for hit in recall.search(root, text, **given)]


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


def test_a_new_a_renamed_and_a_deleted_page_are_seen_at_once(wiki):
    write(wiki, record("new-page-5e6f", "Penguins march"))
    assert found(wiki, "penguins") == ["new-page-5e6f"]
    Path(wiki, PAGES[1].path).rename(Path(wiki, "wiki/facts/moved.md"))
    [hit] = recall.search(wiki, "green", 5, "", "", False, (), NOW)
    assert hit["path"] == "wiki/facts/moved.md"
    Path(wiki, PAGES[0].path).unlink()
    assert found(wiki, "uploads retried") == []


def test_a_page_that_a_person_wrote_is_found_by_its_heading(wiki):
    Path(wiki, "wiki/facts/by-hand.md").write_text("# Coffee machine\n\nDescale it monthly.\n", "utf-8")
    [hit] = recall.search(wiki, "coffee", 5, "", "", False, (), NOW)
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
    updated = recall.search(root, "green penguins", 5, "", "", False, (), NOW)
    refresh(root, name, rebuild=True)
    assert recall.search(root, "green penguins", 5, "", "", False, (), NOW) == updated and len(updated) == 2


def test_a_touched_page_is_not_read_as_a_changed_one(tmp_path):
    root = make(tmp_path, *PAGES)
    os.utime(Path(root, PAGES[0].path), ns=(1, 1))
    snapshot = Snapshot(root)
    assert not snapshot._over
    snapshot.close()
    assert refresh(root, "sqlite")["updated"] == 0


def damage_missing(folder):
    shutil.rmtree(folder)


def damage_noise(folder):
    for file in folder.rglob("*"):
        if file.is_file():
            file.write_bytes(b"not an index" * 50)


def damage_half(folder):
    for file in folder.rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def damage_middle(folder):
    for file in folder.rglob("*"):
        if file.is_file() and file.stat().st_size > 9000:
            with file.open("r+b") as inside:
                inside.seek(8192)
                inside.write(b"\x07" * (file.stat().st_size - 8192))


def damage_newer(folder):
    with sqlite3.connect(folder / "catalogue.sqlite") as db:
        db.execute("UPDATE about SET value = 99 WHERE name = 'version'")


def damage_behind(folder):
    with sqlite3.connect(folder / "catalogue.sqlite") as db:
        db.execute("UPDATE about SET value = value + 5 WHERE name = 'generation'")


DAMAGES = [damage_missing, damage_noise, damage_half, damage_middle, damage_newer, damage_behind]


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("damage", DAMAGES)
def test_without_a_sound_index_the_pages_answer_and_it_is_said(name, damage, tmp_path):
    root = make(tmp_path, *PAGES, backend=name)
    sound = recall.search(root, "green button", 5, "", "", False, (), NOW)
    damage(Path(root, CACHE))
    before = sorted(str(p) for p in Path(root).rglob("*"))
    assert recall.search(root, "green button", 5, "", "", False, (), NOW) == sound
    answer = recall.block(root, recall.Asked("green button", now=NOW))
    assert ("answered from the pages" in answer["text"]) is (damage is not damage_missing)
    assert sorted(str(p) for p in Path(root).rglob("*")) == before  # a reader writes nothing
    refresh(root, name)
    assert not Snapshot(root).notes


def test_a_look_that_nobody_waits_for_ends_by_itself(tmp_path):
    make(tmp_path)
    for n in range(3000):  # more than a pipe holds
        Path(tmp_path, "wiki", "facts").mkdir(parents=True, exist_ok=True)
        Path(tmp_path, f"wiki/facts/a-page-with-a-long-name-{n:06}.md").touch()
    code = f"from llmwiki.indexes.scan import Scan; print(Scan({str(tmp_path)!r}, ahead=True)._pid)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    for _ in range(100):  # stdout is closed when both are gone, so `run` came back; the process itself soon is too
        if not Path(f"/proc/{done.stdout.decode().strip()}").exists():
            return
        time.sleep(0.1)
    pytest.fail("the other process is still there")


def test_a_question_asked_before_the_pages_were_looked_at_is_asked_again(tmp_path):
    root = make(tmp_path, *PAGES)
    page = Path(root, PAGES[1].path)
    page.write_text(page.read_text("utf-8").replace("state: active", "state: archived"), "utf-8")
    ahead = scan.Scan(root, ahead=True)
    assert recall.search(root, "green button", 5, "", "", False, (), NOW, ahead) == []


@pytest.mark.parametrize("backend", KEPT)
def test_an_index_behind_its_pages_answers_as_one_made_anew(tmp_path, backend):
    late = "2026-03-04T10:00:00Z"
    many = [record(f"many-{n}", f"The button {n} retries uploads\nwith a border") for n in range(12)]
    waits = record("waits", "An upload waits", state=State.QUARANTINED, quarantine_until=None)
    root = make(tmp_path, *PAGES, *many, waits, record("late", "The newest upload", created=late), backend=backend)
    pages = Path(root, "wiki/facts")
    for name in ("late", "many-1", "many-2"):
        (pages / f"{name}.md").unlink()
    for name in ("many-3", "waits"):
        with (pages / f"{name}.md").open("a") as page:
            page.write("\n- one more button retries\n")
    (pages / "many-4.md").write_text("---\ntitle: [\n---\n")
    (pages / "new.md").write_text("# Buttons\n\nA new border for the upload button.\n")

    def answer():
        asked = recall.Asked("retry uploads of the button", now=NOW, explain=True)
        block, hits = recall.block(root, asked), recall.search(root, "button border", 20, "", "", True, (), NOW)
        for budget in (0, 60, 150, 400, 1200):  # a hook counts no token that it need not, and says the same
            told = [
                recall.block(root, recall.Asked("retry uploads of the button", now=NOW, budget=budget, exact=exact))
                for exact in (True, False)
            ]
            assert told[0]["text"] == told[1]["text"]
        return block, hits

    behind = answer()
    shutil.rmtree(Path(root, CACHE))
    assert answer() == behind
    refresh(root, backend)
    assert answer() == behind


def test_a_locked_index_is_not_waited_for(tmp_path):
    root = make(tmp_path, *PAGES)
    db = sqlite3.connect(Path(root, CACHE, "catalogue.sqlite"))
    db.execute("BEGIN EXCLUSIVE")
    answers = []
    asking = threading.Thread(target=lambda: answers.append(found(root, "green")))
    asking.start()
    asking.join(10)
    db.rollback()
    assert answers == [["green-button-3c4d"]]


@pytest.mark.parametrize("name", KEPT)
def test_readers_on_a_disk_that_cannot_be_written(name, tmp_path):
    root = make(tmp_path, *PAGES, backend=name)
    folders = [p for p in [Path(root), *Path(root).rglob("*")] if p.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert found(root, "green") == ["green-button-3c4d"] and not Snapshot(root).notes
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_above_the_most_pages_the_index_is_trusted_and_what_is_printed_is_looked_at(tmp_path, monkeypatch):
    root = make(tmp_path, *PAGES)
    monkeypatch.setattr(scan, "MOST", 1)
    page = Path(root, PAGES[1].path)
    page.write_text(page.read_text("utf-8").replace("state: active", "state: archived"), "utf-8")
    assert found(root, "green button") == []
    assert recall.block(root, recall.Asked("green button", now=NOW))["abstained"]
    answer = recall.block(root, recall.Asked("uploads retried delay", now=NOW))
    assert "index trusted" in answer["text"]


def test_offers_are_counted_over_traces(tmp_path):
    offered = ("green-button-3c4d",)
    traces = [record(f"trace-{n}", "x", "trace", offered=offered, title=f"t{n}") for n in (1, 2)]
    catalogue = Catalogue(f"{make(tmp_path, *PAGES, *traces)}/{CACHE}")
    assert catalogue.offers(["green-button-3c4d", "other"]) == {"green-button-3c4d": 2}
    catalogue.close()


def test_the_limits_know_what_is_stale_and_what_waits(tmp_path):
    old = record("old-fact-1111", "x", created="2025-01-01T00:00:00Z", reinforced="2025-01-01T00:00:00Z")
    waits = record("new-fact-2222", "y", state=State.QUARANTINED, quarantine_until=None)
    root = make(tmp_path, *PAGES, old, waits, record("gone-3333", "z", state=State.ARCHIVED))
    snapshot = Snapshot(root)
    assert snapshot.silent(NOW) == (1, 1) and snapshot.newest() == "2026-03-01"
    snapshot.close()


times = st.sampled_from(
    ["", CREATED, "2025-06-01T00:00:00Z", "2026-03-04T23:59:59Z", "2026-03-05T00:00:00Z", "2027-01-01"]
)


@settings(max_examples=300)
@given(
    st.builds(
        Record,
        id=st.just("a-1111"),
        title=st.just("a"),
        type=st.sampled_from(RecordType),
        state=st.sampled_from(State),
        confidence=st.floats(0, 1),
        reinforced=times,
        created=times,
        quarantine_until=st.one_of(st.none(), times),
        ttl_days=st.integers(-1, 400),
        evidence=st.sampled_from(Evidence),
        superseded_by=st.sampled_from(["", "b"]),
    ),
    st.integers(NOW - 10**8, NOW + 10**8),
)
def test_an_entry_speaks_exactly_when_its_record_is_retrievable(made, at):
    from datetime import UTC, datetime

    now = datetime.fromtimestamp(at, UTC)
    kept = reading.of_record(made)
    assert kept.speaks(at) == lifecycle.retrievable(made, now)
    assert kept.effective(at) == pytest.approx(lifecycle.effective(made, now))


def test_a_passage_keeps_its_words_and_loses_its_links():
    lines = reading.body_lines(f"## Rule\n\n- Use \\[\\[x\\]\\] and [[other|that]] [[{STEM}#^t3]]\n")
    assert lines == [("Rule", "Use [[x]] and that", (f"{STEM}#t3",))]
