"""A reader's look at the wiki: the index is broken, locked, old or missing, or the disk cannot be written."""

import os
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

from llmwiki import lifecycle, recall, recall_search
from llmwiki.indexes import reading, scan
from llmwiki.indexes.catalogue import CACHE, FILE, Catalogue
from llmwiki.indexes.refresh import refresh
from llmwiki.indexes.snapshot import Snapshot
from llmwiki.model import Evidence, Record, RecordType, State
from llmwiki.workspace import Workspace
from tests.test_indexes import KEPT, PAGES, found


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
    sound = recall_search.search(root, "green button", 5, "", "", False, (), NOW)
    damage(Path(root, CACHE))
    before = sorted(str(p) for p in Path(root).rglob("*"))
    assert recall_search.search(root, "green button", 5, "", "", False, (), NOW) == sound
    answer = recall.block(root, recall.Asked("green button", now=NOW))
    assert ("answered from the pages" in answer["text"]) is (damage is not damage_missing)
    assert ("of another version (`llmwiki index`" in answer["text"]) is (damage is damage_newer)
    assert sorted(str(p) for p in Path(root).rglob("*")) == before  # a reader writes nothing
    refresh(root, name)
    assert not Snapshot(root).notes


def test_a_look_that_nobody_waits_for_ends_by_itself(tmp_path):
    make(tmp_path)
    for n in range(3000):  # more than a pipe holds
        Path(tmp_path, "wiki", "facts").mkdir(parents=True, exist_ok=True)
        Path(tmp_path, f"wiki/facts/a-page-with-a-long-name-{n:06}.md").touch()
    code = f"from llmwiki.indexes.scan import Scan; print(Scan({str(tmp_path)!r}, ahead=True)._other._pid)"
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
    assert recall_search.search(root, "green button", 5, "", "", False, (), NOW, ahead) == []


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
        block, hits = recall.block(root, asked), recall_search.search(root, "button border", 20, "", "", True, (), NOW)
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

    def ask():
        answers.extend([found(root, "green"), Snapshot(root).notes])

    asking = threading.Thread(target=ask)
    asking.start()
    asking.join(10)
    db.rollback()
    assert answers == [["green-button-3c4d"], ["index locked by a writer, answered from the pages"]]


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


@pytest.mark.parametrize("number", ["minimum_confidence = 0.9", "weekly_decay = 0.5", "minimum_confidence = 7"])
def test_the_numbers_of_the_settings_hold_whether_the_index_or_the_page_answers(tmp_path, number):
    old = record("old-button-5e6f", "The old button is green", reinforced="2026-02-01T00:00:00Z")
    root = make(tmp_path, *PAGES, old)
    with Path(root, "llmwiki.toml").open("a") as file:
        file.write(f"[lifecycle]\n{number}\n")
    refresh(root, "sqlite", numbers=Workspace(tmp_path).numbers)
    indexed = recall.block(root, recall.Asked("green button", now=NOW))
    assert len(indexed["records"]) == (2 if "= 7" in number else 1 if "0.5" in number else 0)
    for page in Path(root, "wiki").rglob("*.md"):  # newer than the index: read as they stand
        page.write_text(page.read_text("utf-8") + "\n", "utf-8")
    assert recall.block(root, recall.Asked("green button", now=NOW))["records"] == indexed["records"]
    shutil.rmtree(Path(root, CACHE))
    assert recall.block(root, recall.Asked("green button", now=NOW)) == indexed


def test_a_condition_that_was_added_since_holds_where_the_index_is_trusted(tmp_path, monkeypatch):
    root = make(tmp_path, *PAGES)
    monkeypatch.setattr(scan, "MOST", 1)
    page = Path(root, PAGES[1].path)
    page.write_text(
        page.read_text("utf-8").replace("state: active", 'state: active\nwhen:\n  paths: ["docs/"]'), "utf-8"
    )
    assert recall.block(root, recall.Asked("green button", now=NOW))["records"]
    assert recall.block(root, recall.Asked("green button", now=NOW, files=["docs/a.md"]))["records"]
    assert not recall.block(root, recall.Asked("green button", now=NOW, files=["src/a.py"]))["records"]


def test_a_page_that_says_something_else_now_does_not_answer_where_the_index_is_trusted(tmp_path, monkeypatch):
    root = make(tmp_path, *PAGES)
    monkeypatch.setattr(scan, "MOST", 1)
    write(root, record(PAGES[1].id, "Bread needs flour", title="Bread", path=PAGES[1].path))
    assert found(root, "green button") == []
    assert recall.block(root, recall.Asked("green button", now=NOW))["abstained"]


@pytest.mark.parametrize("name", [FILE, "whoosh/generation"])
def test_a_pipe_in_place_of_a_file_of_the_index_is_not_waited_for(tmp_path, name):
    root = make(tmp_path, *PAGES, backend="whoosh")
    path = Path(root, CACHE, name)
    path.unlink()
    os.mkfifo(path)
    assert recall.block(root, recall.Asked("green button", now=NOW))["records"]
