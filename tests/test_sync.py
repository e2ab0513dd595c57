"""A sync, whole: the counts add up, the second run changes nothing, a session may grow, a kill loses nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from llmwiki.errors import WikiError
from llmwiki.workspace import Workspace

SAMPLES = Path(__file__).parents[1] / "samples"
STORES = (str(SAMPLES / "claude-code"), str(SAMPLES / "codex"))
NOW = "2026-05-01T12:00:00Z"


@pytest.fixture(autouse=True)
def clock(monkeypatch, tmp_path):
    monkeypatch.setenv("LLMWIKI_NOW", NOW)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def wiki(tmp_path):
    Workspace.init(tmp_path / "wiki")
    return tmp_path / "wiki"


def sync(folder, *sources, **options):
    return Workspace(folder).sync(sources=sources or STORES, **options)


def tree(folder, *without):
    """Every file of the truth and of local state that is not derived and not the journal."""
    keep = {}
    for path in sorted(Path(folder).rglob("*")):
        name = path.relative_to(folder).as_posix()
        derived = name.startswith((".llmwiki/cache", ".llmwiki/state/journal", ".llmwiki/state/lock"))
        if path.is_file() and not derived and name not in without:
            keep[name] = path.read_bytes()
    return keep


def adds_up(found):
    parts = found["new"] + found["updated"] + found["unchanged"] + sum(found["skipped"].values()) + len(found["failed"])
    return found["discovered"] == parts


def copy(tmp_path, name="store"):
    """The samples' Claude Code store, to be changed by a test."""
    shutil.copytree(SAMPLES / "claude-code", tmp_path / name)
    return tmp_path / name


def first_session(store):
    return max(store.glob("projects/*/*.jsonl"), key=lambda p: p.stat().st_size)


def test_the_counts_add_up(wiki):
    found = sync(wiki)
    assert adds_up(found)
    assert found["new"] >= 6
    assert found["prompts"] > 10
    assert found["bad_lines"] == 1
    assert found["records"]["created"] > found["new"]


def test_a_second_sync_changes_no_byte(wiki):
    sync(wiki)
    before = {
        p: (p.read_bytes(), p.stat().st_mtime_ns) for p in wiki.rglob("*") if p.is_file() and "lock" not in p.name
    }
    again = sync(wiki)
    assert adds_up(again)
    assert (again["new"], again["updated"]) == (0, 0)
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in before} == before
    assert {p for p in wiki.rglob("*") if p.is_file() and "lock" not in p.name} == set(before)


def test_everything_derived_may_be_deleted(wiki):
    sync(wiki)
    before = tree(wiki)
    shutil.rmtree(wiki / ".llmwiki/cache")
    again = sync(wiki)
    assert (again["new"], again["updated"]) == (0, 0)
    assert tree(wiki) == before


def test_local_state_may_be_lost_without_a_second_copy_of_anything(wiki):
    sync(wiki)
    pages = {p.name: p.read_bytes() for p in (wiki / "wiki").rglob("*.md")}
    shutil.rmtree(wiki / ".llmwiki")
    sync(wiki)
    after = {p.name: p.read_bytes() for p in (wiki / "wiki").rglob("*.md")}
    assert after.keys() == pages.keys()
    assert {n for n in pages if after[n] != pages[n]} <= {"log.md"}


@pytest.mark.parametrize("share", [0.05, 0.2, 0.35, 0.5, 0.65, 0.9])
def test_a_prefix_and_then_the_whole_equal_the_whole(wiki, tmp_path, share):
    store = copy(tmp_path)
    grown = first_session(store)
    for other in [p for p in store.rglob("*.jsonl") if p != grown]:
        other.unlink()
    whole = grown.read_bytes()
    grown.write_bytes(whole[: int(len(whole) * share)])  # in the middle of a line: that one waits
    sync(wiki, str(store))
    grown.write_bytes(whole)
    sync(wiki, str(store))
    Workspace.init(tmp_path / "at-once")
    sync(tmp_path / "at-once", str(store))
    paths = (wiki, tmp_path / "at-once")
    local = [f".llmwiki/state/{n}.json" for n in ("sync", "learned", "pending", "projects")]
    one, two = (tree(p, "wiki/log.md", *local) for p in paths)
    assert one.keys() == two.keys()
    assert one == two


def test_a_dry_run_touches_nothing(wiki):
    before = {p: p.read_bytes() for p in wiki.rglob("*") if p.is_file()}
    planned = sync(wiki, dry_run=True)
    assert {p: p.read_bytes() for p in wiki.rglob("*") if p.is_file()} == before
    done = sync(wiki)
    for key in ("discovered", "new", "skipped", "records", "prompts"):
        assert planned[key] == done[key], key


def test_undo_takes_a_sync_back_and_the_next_one_takes_it_in_again(wiki):
    before = tree(wiki, "wiki/log.md")
    first = sync(wiki)
    whole = tree(wiki, "wiki/log.md")
    assert Workspace(wiki).undo()["kept"] == []
    assert tree(wiki, "wiki/log.md") == before
    again = sync(wiki)
    assert again["new"] == first["new"]
    assert tree(wiki, "wiki/log.md") == whole


def test_a_session_still_going_has_a_page_and_no_records(wiki, monkeypatch):
    monkeypatch.setenv("LLMWIKI_NOW", "2026-03-01T00:00:00Z")
    found = sync(wiki)
    assert found["records"]["created"] == 0
    assert len(found["waiting"]) == found["new"]
    assert all(w["until"] > "2026-03-01" for w in found["waiting"])
    monkeypatch.setenv("LLMWIKI_NOW", NOW)
    assert sync(wiki)["records"]["created"] > 0


def test_a_named_session_is_learned_from_at_once(wiki, monkeypatch):
    monkeypatch.setenv("LLMWIKI_NOW", "2026-03-01T00:00:00Z")
    name = first_session(SAMPLES / "claude-code").stem
    found = sync(wiki, session=name)
    assert found["new"] >= 1
    assert found["records"]["created"] > 0
    assert adds_up(found)


def test_a_page_stays_when_its_source_vanishes(wiki, tmp_path):
    store = copy(tmp_path)
    sync(wiki, str(store))
    before = tree(wiki)
    first_session(store).unlink()
    assert adds_up(sync(wiki, str(store)))
    assert tree(wiki).keys() == before.keys()


def test_a_source_that_was_cut_off_takes_no_turn_away(wiki, tmp_path):
    store = copy(tmp_path)
    cut = first_session(store)
    for other in [p for p in store.rglob("*.jsonl") if p != cut]:
        other.unlink()
    sync(wiki, str(store))
    pages = {p: p.read_bytes() for p in (wiki / "raw").rglob("*.md")}
    cut.write_bytes(b"".join(cut.read_bytes().splitlines(keepends=True)[:10]))
    found = sync(wiki, str(store))
    assert adds_up(found)
    assert {p: p.read_bytes() for p in pages} == pages


def test_a_failed_source_is_named_tried_again_and_shown(wiki, tmp_path, monkeypatch):
    store = copy(tmp_path)
    bad = first_session(store)
    real = Path.open

    def refuse(path, *a, **k):
        if str(path) == str(bad):
            raise PermissionError(13, "Permission denied", str(bad))
        return real(path, *a, **k)

    monkeypatch.setattr(Path, "open", refuse)
    found = sync(wiki, str(store))
    assert adds_up(found)
    assert [f["source"] for f in found["failed"]] == [str(bad)]
    assert Workspace(wiki).status()["failed_sources"] == found["failed"]
    monkeypatch.setattr(Path, "open", real)
    mended = sync(wiki, str(store))
    assert (mended["failed"], mended["new"]) == ([], 1)
    assert Workspace(wiki).status()["failed_sources"] == []


def test_a_store_without_a_session_is_no_success(wiki, tmp_path):
    (tmp_path / "empty/projects/-x").mkdir(parents=True)
    found = sync(wiki, str(tmp_path / "empty"))
    assert adds_up(found)
    assert len(found["failed"]) == 1


def test_a_source_that_does_not_exist_is_refused(wiki):
    with pytest.raises(WikiError, match="nothing at"):
        sync(wiki, "/no/such/folder")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"project": "something-else"}, "filtered"),
        ({"since": "2027-01-01"}, "filtered"),
        ({"session": "nobody"}, "filtered"),
    ],
)
def test_filters_are_counted(wiki, options, reason):
    found = sync(wiki, **options)
    assert adds_up(found)
    assert found["new"] == 0
    assert found["skipped"][reason] > 0


def test_ignored_projects_are_counted(wiki):
    (wiki / ".llmwikiignore").write_text("notes-api\n")
    found = sync(wiki)
    assert adds_up(found)
    assert found["skipped"]["ignored"] > 0


def test_a_filter_that_is_lifted_takes_the_session_in(wiki):
    sync(wiki, project="something-else")
    assert sync(wiki)["new"] > 0


def test_two_processes_give_what_one_gives(wiki, tmp_path):
    one = sync(wiki)
    Workspace.init(tmp_path / "two")
    two = sync(tmp_path / "two", jobs=2)
    assert {k: one[k] for k in ("new", "turns", "prompts", "bytes")} == {
        k: two[k] for k in ("new", "turns", "prompts", "bytes")
    }
    assert tree(wiki) == tree(tmp_path / "two")


@pytest.mark.parametrize("rule", [b"", b"We use the ledger report, not the strict one."])
def test_no_cut_changes_a_name_or_loses_a_lesson(wiki, tmp_path, rule):
    """Codex writes a prompt on two lines, and a rule that opens a session gives its trace the same words as an id."""
    whole = next((SAMPLES / "codex").rglob("*019d9143*.jsonl"))
    said = b"Refuse note bodies above 64 KB with 413. Always run"
    lines = whole.read_bytes().replace(said, rule + b" Please run" if rule else said).splitlines(keepends=True)
    grown = tmp_path / "store/sessions/2026/04/15" / whole.name
    grown.parent.mkdir(parents=True)
    for count in range(1, len(lines)):
        folder = tmp_path / f"cut-{count}"
        Workspace.init(folder)
        grown.write_bytes(b"".join(lines[:count]))
        sync(folder, str(tmp_path / "store"))
        grown.write_bytes(b"".join(lines))
        sync(folder, str(tmp_path / "store"))
        if count == 1:
            expected = pages(folder)
        assert pages(folder) == expected


def test_a_page_moves_once_to_the_project_that_its_session_names_later(wiki, tmp_path):
    file = tmp_path / "store/projects/-home-dev-shop/0badcafe-0000-4000-8000-00000000cafe.jsonl"
    file.parent.mkdir(parents=True)
    at = {"timestamp": "2026-04-01T10:00:00Z", "sessionId": file.stem}
    queued = {"type": "queue-operation", "operation": "enqueue", "content": "Always sort the shelves by name", **at}
    reply = {"role": "assistant", "id": "m1", "content": [{"type": "text", "text": "Done."}]}
    named = {"type": "assistant", "uuid": "u1", "cwd": "/home/dev/shop", "message": reply, **at}
    file.write_text(json.dumps(queued) + "\n")
    sync(wiki, str(tmp_path / "store"))
    (early,) = wiki.glob("raw/claude-code/unknown/*.md")
    file.write_text(json.dumps(queued) + "\n" + json.dumps(named) + "\n")
    assert sync(wiki, str(tmp_path / "store"))["updated"] == 1
    assert [p.parent.name for p in wiki.glob("raw/*/*/*.md")] == ["shop"]
    assert next(wiki.glob("raw/*/shop/*.md")).name == early.name
    assert sync(wiki, str(tmp_path / "store"))["unchanged"] == 1
    Workspace.init(tmp_path / "at-once")
    sync(tmp_path / "at-once", str(tmp_path / "store"))
    assert pages(tmp_path / "at-once") == pages(wiki)


def pages(folder):
    """Names and bytes of the truth, the log aside."""
    return {n: b for n, b in tree(folder, "wiki/log.md").items() if n.startswith(("wiki/", "raw/"))}


def test_a_root_given_twice_or_inside_another_is_no_failure(wiki):
    found = sync(wiki, STORES[0], str(SAMPLES), STORES[0], STORES[1])
    assert adds_up(found)
    assert (found["failed"], found["discovered"]) == ([], sync(wiki)["discovered"])


def test_a_sync_that_looks_elsewhere_forgets_no_failure(wiki, tmp_path, monkeypatch):
    store = copy(tmp_path)
    bad = first_session(store)
    real = Path.open

    def refuse(path, *a, **k):
        if str(path) == str(bad):
            raise PermissionError(13, "Permission denied", str(bad))
        return real(path, *a, **k)

    monkeypatch.setattr(Path, "open", refuse)
    failed = sync(wiki, str(store))["failed"]
    sync(wiki, STORES[1])
    sync(wiki, str(store), agents=["codex"])
    sync(wiki, str(store), session="nothing-like-it")
    assert Workspace(wiki).status()["failed_sources"] == failed
    monkeypatch.setattr(Path, "open", real)
    sync(wiki, str(store))
    assert Workspace(wiki).status()["failed_sources"] == []


def test_a_commit_without_a_repository_is_refused_before_anything_is_done(wiki):
    before = tree(wiki)
    with pytest.raises(WikiError, match="git init"):
        sync(wiki, commit=True)
    assert tree(wiki) == before


def test_a_wiki_without_a_record_is_left_alone_too(wiki, tmp_path):
    (tmp_path / "store/projects/-x").mkdir(parents=True)
    (tmp_path / "store/projects/-x/523e0529-aaaa-4bbb-8ccc-000000000001.jsonl").write_text("")
    assert sync(wiki, str(tmp_path / "store"))["skipped"] == {"empty": 1}
    before = {p: p.read_bytes() for p in wiki.rglob("*") if p.is_file() and "lock" not in p.name}
    sync(wiki, str(tmp_path / "store"))
    assert {p: p.read_bytes() for p in wiki.rglob("*") if p.is_file() and "lock" not in p.name} == before


def test_a_session_that_nobody_knows_is_told(wiki):
    opened = Workspace(wiki)
    opened.sync(sources=STORES, session="nobody")
    assert any("no session is called 'nobody'" in n for n in opened.notices)


def test_what_waits_is_counted_where_it_cannot_be_noted(wiki, tmp_path):
    waits = sync(wiki)["quarantine"]
    assert waits["timed"]
    shutil.rmtree(wiki / ".llmwiki/cache")
    (tmp_path / "elsewhere").mkdir()
    (wiki / ".llmwiki/cache").symlink_to(tmp_path / "elsewhere")
    assert sync(wiki)["quarantine"] == waits
