"""What lies in the place of `.llmwiki/cache` and the index: a link that came with a clone, a file, a pipe."""

import json
import os
import shutil
from pathlib import Path

import pytest
from wikis import NOW, make

from llmwiki import cache, cli, hook_files, recall
from llmwiki.errors import WikiError
from llmwiki.indexes.catalogue import CACHE
from llmwiki.indexes.refresh import damage, refresh
from llmwiki.workspace import Workspace
from tests.test_fast import run
from tests.test_indexes import PAGES

HOLD = Path(".llmwiki/cache")
CALLED = "could not be brought up to date"


@pytest.fixture
def wiki(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LLMWIKI_NOW", "2026-03-05T00:00:00Z")
    return Path(make(_made(tmp_path / "wiki"), *PAGES))


@pytest.fixture
def victim(tmp_path):
    """A folder of somebody's own, with the names that an index's folder has."""
    folder = tmp_path / "victim"
    for name in ("index/thesis.txt", "index/vectors", "index.new/a.txt", "index.old/b.txt", "due.json", "sources.json"):
        file = _made((folder / name).parent) / Path(name).name
        file.write_text("years of work")
    return folder


def _made(folder):
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def tree(folder):
    return {str(p): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


def told(root):
    return recall.block(str(root), recall.Asked("green button", now=NOW))


def linked(wiki, victim, name):
    place = wiki / name
    shutil.rmtree(place)
    place.symlink_to(os.path.relpath(victim, place.parent))


@pytest.mark.parametrize("inside", [False, True])
def test_a_linked_cache_is_refused_and_nothing_behind_it_is_touched(wiki, victim, inside, capsys):
    if inside:
        victim = Path(shutil.move(victim, wiki / ".git"))
    linked(wiki, victim, HOLD)
    before = tree(victim)
    for typed in (["index"], ["index", "--rebuild"], ["index", "--dry-run"]):
        assert cli.main([*typed, "--wiki", str(wiki)]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and ".llmwiki/cache is a link" in said and "remove it" in said
    assert tree(victim) == before and (wiki / HOLD).is_symlink()


@pytest.mark.parametrize("in_its_place", ["link", "file"])
def test_what_writes_pages_does_its_work_without_an_index(wiki, victim, in_its_place, capsys):
    linked(wiki, victim, HOLD)
    if in_its_place == "file":
        (wiki / HOLD).unlink()
        (wiki / HOLD).write_text("")
    before = tree(victim)
    assert cli.main(["remember", "Deployments happen on Mondays", "--wiki", str(wiki)]) == 0
    assert CALLED in capsys.readouterr().err
    assert cli.main(["sync", "--wiki", str(wiki)]) == 0
    assert CALLED in capsys.readouterr().err
    assert cli.main(["decay", "--wiki", str(wiki)]) == 0
    [page] = [r for r in Workspace(wiki).load().records.values() if "Mondays" in r.title]
    Workspace(wiki).forget(page.id)
    cache.put(wiki, "due", {"at": "never"})
    assert tree(victim) == before and not (wiki / page.path).exists()
    answer = told(wiki)
    assert [r["id"] for r in answer["records"]] == ["green-button-3c4d"]
    assert "answered from the pages" in answer["text"]
    [check] = [c for c in Workspace(wiki).doctor()["checks"] if c["name"] == "index"]
    assert not check["ok"] and "run `llmwiki index`" in check["cure"] and damage(wiki)


def test_no_reader_goes_through_a_linked_index(wiki, tmp_path):
    """Another wiki of the same person's, whose seal fits."""
    other = Path(make(_made(tmp_path / "other"), *PAGES[:1]))
    linked(wiki, other / CACHE, CACHE)
    assert "answered from the pages" in told(wiki)["text"]
    refresh(wiki)
    assert not (wiki / CACHE).is_symlink() and "answered from" not in told(wiki)["text"]
    assert not damage(other) and not damage(wiki)


@pytest.mark.parametrize("name", ["index", "index.new", "index.old"])
@pytest.mark.parametrize("kind", ["file", "link", "dangling", "pipe"])
def test_what_is_ours_by_name_goes_and_is_never_followed(wiki, victim, name, kind):
    place, before = wiki / HOLD / name, tree(victim)
    if name == "index":
        shutil.rmtree(place)
    if kind == "file":
        place.write_text("")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(victim if kind == "link" else victim / "nothing")
    refresh(wiki, "sqlite", rebuild=True)
    assert tree(victim) == before and not damage(wiki)
    assert [p.name for p in (wiki / HOLD).iterdir()] == ["index"]


@pytest.mark.parametrize("name", ["made.new", "vectors", "vectors.new", "fts.sqlite", "many"])
def test_a_link_within_the_index_is_not_written_through(wiki, victim, name):
    place, before = wiki / CACHE / name, tree(victim)
    place.unlink(missing_ok=True)
    place.symlink_to(victim / "index/thesis.txt")
    refresh(wiki, "sqlite")
    assert tree(victim) == before and not place.is_symlink() and not damage(wiki)


def test_an_index_that_cannot_be_put_in_its_place_is_one_sentence(wiki, monkeypatch):
    def refused(path):
        raise FileExistsError(17, "File exists", path)

    monkeypatch.setattr(os, "makedirs", refused)
    with pytest.raises(WikiError, match="cannot be written"):
        refresh(wiki, "sqlite", rebuild=True)


def test_a_cache_file_is_not_written_through_a_link(wiki, victim):
    before = tree(victim)
    (wiki / HOLD / f".due-{os.getpid()}.json").symlink_to(victim / "due.json")
    cache.put(wiki, "due", {"at": "never"})
    assert tree(victim) == before and cache.get(wiki, "due") == {"at": "never"}


TASK = "green button"


@pytest.mark.parametrize("name", [".llmwiki/state/offers.jsonl", ".llmwiki/state"])
def test_no_offer_is_noted_through_a_link(wiki, victim, name):
    (wiki / ".llmwiki/state").mkdir(exist_ok=True)
    place = wiki / name
    shutil.rmtree(place) if place.is_dir() else None
    (victim / "offers.jsonl").write_text("mine\n")
    place.symlink_to(victim if name.endswith("state") else victim / "offers.jsonl")
    before = tree(victim)
    done = run("context", TASK, "--wiki", str(wiki), "--session", "s-1")
    assert b"The button is green" in done.stdout and tree(victim) == before


def test_a_pipe_in_the_place_of_the_offers_keeps_nobody(wiki):
    (wiki / ".llmwiki/state").mkdir(exist_ok=True)
    os.mkfifo(wiki / ".llmwiki/state/offers.jsonl")
    for said in ([TASK, "--session", "s-1", "--wiki", str(wiki)], ["--hook", "claude-code"]):
        prompt = json.dumps({"prompt": TASK, "cwd": str(wiki), "session_id": "s-1"}).encode()
        assert b"The button is green" in run("context", *said, stdin=prompt).stdout
    reader = os.open(wiki / ".llmwiki/state/offers.jsonl", os.O_RDONLY | os.O_NONBLOCK)
    run("context", TASK, "--wiki", str(wiki), "--session", "s-1")
    assert not os.read(reader, 100)
    os.close(reader)


@pytest.mark.parametrize("name", ["cache/due.json", "cache/sources.json"])
@pytest.mark.parametrize("kind", ["pipe", "zero"])
def test_a_cache_file_that_never_ends_is_none(wiki, name, kind):
    place = wiki / ".llmwiki" / name
    os.mkfifo(place) if kind == "pipe" else place.symlink_to("/dev/zero")
    assert cache.get(wiki, place.stem) == {}
    assert cli.main(["sync", "--wiki", str(wiki)]) == 0


@pytest.mark.parametrize("kind", ["pipe", "zero"])
def test_settings_of_an_agent_that_never_end_are_one_sentence(wiki, kind, monkeypatch, capsys):
    place = _made(wiki / "agent") / "settings.json"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(place.parent))
    os.mkfifo(place) if kind == "pipe" else place.symlink_to("/dev/zero")
    with pytest.raises(WikiError, match="no regular file"):
        hook_files.read(place)
    assert cli.main(["hooks", "install", "claude-code", "--dry-run"]) == 2
    assert cli.main(["hooks", "status", "claude-code"]) in (0, 1)
    assert "bug" not in capsys.readouterr().err


@pytest.mark.parametrize("path", ["\0", "a\0b", "\ud800\0"])
def test_a_folder_that_is_no_path_is_one_sentence(path):
    with pytest.raises(WikiError, match="is no path"):
        Workspace.open(path)
