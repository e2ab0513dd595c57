"""Undo and redo, against a model that keeps whole trees."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from llmwiki.errors import WikiError
from llmwiki.model import Change
from llmwiki.store import Store
from tests.test_journal import tree

# No two with one name: of a page that moves, both places stay or neither.
PATHS = ["wiki/facts/a.md", "wiki/facts/b.md", "wiki/skills/d.md", "raw/x/y/c.md", ".llmwiki/state/s.json"]
LOG = "wiki/log.md"


def do(store: Store, name: str, *batches: dict[str, str | None]) -> bool:
    """One operation; whether it changed anything, if only for a moment."""
    with store.operation(name) as operation:
        made = [operation.apply([Change(path, text) for path, text in batch.items()]) for batch in batches]
    return any(made)


def files(store: Store) -> dict[str, str]:
    return {path: text for path, text in tree(store.root).items() if path not in (LOG, "wiki", "raw")}


texts = st.sampled_from(["1\n", "2\n", "3\n", None, "one\n", "two\r\n", "\ufeffdrei\n", ""])
batch = st.dictionaries(st.sampled_from([*PATHS, LOG]), texts, min_size=1, max_size=4)
operation = st.tuples(st.just("op"), st.lists(batch, min_size=1, max_size=2))
taking_back = st.tuples(st.just("undo"), st.integers(1, 3))
again = st.tuples(st.just("redo"), st.just(0))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(operation, taking_back, again), max_size=10))
def test_like_an_editor(actions: list[tuple[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        done: list[dict[str, str]] = []  # the tree before each operation that stands
        undone: list[tuple[dict[str, str], list[dict[str, str]]]] = []
        for kind, what in actions:
            before, log = files(store), store.read(LOG)
            if kind == "op":
                if do(store, "op", *what):  # type: ignore[misc]
                    done.append(before)
                    undone = []
            elif kind == "undo":
                taken = done[-what:]  # type: ignore[operator]
                said = store.undo(what)  # type: ignore[arg-type]
                assert len(said["reverted"]) == len(taken) and said["kept"] == []
                if taken:
                    undone.append((before, list(done)))
                    del done[-len(taken) :]
                    assert files(store) == taken[0]
                    assert (store.read(LOG) or "").startswith(log or "")
                    assert (store.read(LOG) or "") != (log or "")
                else:
                    assert (files(store), store.read(LOG)) == (before, log)
            else:
                said = store.redo()
                assert said["kept"] == [] and bool(said["reverted"]) == bool(undone)
                if undone:
                    expected, done = undone.pop()
                    assert files(store) == expected
            assert sum(not past.undone for past in store.history() if past.name == "op") == len(done)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(batch, min_size=1, max_size=2), min_size=1, max_size=5), st.sets(st.sampled_from(PATHS)))
def test_what_a_person_wrote_survives_every_undo(operations: list[list[dict[str, str | None]]], own: set[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        for batches in operations:
            do(store, "op", *batches)
        touched = {path for past in store.history() for path in past.paths}
        for path in own:
            (store.root / path).parent.mkdir(parents=True, exist_ok=True)
            (store.root / path).write_text(f"mine: {path}")
        said = store.undo(100)
        assert said["kept"] == sorted(own & touched)
        assert files(store) == files(store) | {path: f"mine: {path}" for path in own}
        assert {path for path in files(store) if path in PATHS} == own
        assert store.redo()["kept"] == []
        assert all(store.read(path) == f"mine: {path}" for path in own)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_what_is_reported(store: Store) -> None:
    do(store, "remember", {"wiki/facts/a.md": "1\n"})
    do(store, "sync", {"wiki/facts/a.md": "2\n", "raw/x/b.md": "raw\n"}, {"wiki/log.md": "- synced\n"})
    said = store.undo(2)
    assert said == {
        "reverted": [
            {"op": "sync", "seq": 2, "paths": ["raw/x/b.md", "wiki/facts/a.md"]},
            {"op": "remember", "seq": 1, "paths": ["wiki/facts/a.md"]},
        ],
        "kept": [],
    }
    assert [(past.name, past.undone) for past in store.history()] == [
        ("remember", True),
        ("sync", True),
        ("undo", False),
    ]
    assert not (store.root / "raw/x").exists() and not (store.root / "wiki/facts").exists()


def test_the_log_gains_a_line_and_loses_none(store: Store) -> None:
    do(store, "sync", {"wiki/log.md": "# Log\r\n- synced", "wiki/facts/a.md": "1\n"})
    store.undo()
    assert (store.read(LOG) or "").startswith("# Log\r\n- synced\r\n- ")
    store.redo()
    assert [line.split(" ", 2)[-1] for line in (store.read(LOG) or "").splitlines()[2:]] == [
        "undo: took back sync (1 files)",
        "redo: did again what an undo took back sync (1 files)",
    ]
    store.undo(line=lambda text, said: f"{text}<{said[21:]}>")
    assert (store.read(LOG) or "").endswith("<undo: took back sync (1 files)>")


def test_a_page_that_changed_since_is_kept_and_the_others_go_back(store: Store) -> None:
    do(store, "sync", {"wiki/facts/a.md": "1\n", "wiki/facts/b.md": "1\n"})
    do(store, "sync", {"wiki/facts/a.md": "2\n", "wiki/facts/b.md": "2\n"})
    (store.root / "wiki/facts/a.md").write_text("by hand\n")
    assert store.undo()["kept"] == ["wiki/facts/a.md"]
    assert (store.read("wiki/facts/a.md"), store.read("wiki/facts/b.md")) == ("by hand\n", "1\n")


LIVING, ARCHIVED = "wiki/facts/a.md", "wiki/archive/facts/a.md"


def moved(store: Store) -> None:
    do(store, "sync", {LIVING: "1\n", "wiki/facts/_context.md": "a\n"})
    do(store, "review", {LIVING: None, ARCHIVED: "2\n", "wiki/facts/b.md": "b\n", "wiki/facts/_context.md": None})


@pytest.mark.parametrize("n", [1, 2])
def test_a_moved_page_is_not_lost_when_its_old_place_is_taken(store: Store, n: int) -> None:
    moved(store)
    (store.root / LIVING).write_text("somebody else\n")
    assert store.undo(n)["kept"] == [ARCHIVED, LIVING]
    assert (store.read(LIVING), store.read(ARCHIVED)) == ("somebody else\n", "2\n")
    assert store.read("wiki/facts/b.md") is None
    assert store.redo()["kept"] == []
    assert (store.read(LIVING), store.read(ARCHIVED)) == ("somebody else\n", "2\n")
    assert store.read("wiki/facts/b.md") == "b\n"


@pytest.mark.parametrize("n", [1, 2])
def test_a_moved_page_is_not_twice_when_somebody_changed_it_since(store: Store, n: int) -> None:
    moved(store)
    (store.root / ARCHIVED).write_text("2, by hand\n")
    assert store.undo(n)["kept"] == [ARCHIVED, LIVING]
    assert (store.read(LIVING), store.read(ARCHIVED)) == (None, "2, by hand\n")
    assert store.read("wiki/facts/_context.md") == (None if n == 2 else "a\n")


def test_a_move_that_nobody_touched_goes_back_and_forth(store: Store) -> None:
    moved(store)
    assert store.undo()["kept"] == []
    assert (store.read(LIVING), store.read(ARCHIVED)) == ("1\n", None)
    (store.root / ARCHIVED).parent.mkdir(parents=True, exist_ok=True)
    (store.root / ARCHIVED).write_text("somebody else\n")
    assert store.redo()["kept"] == [ARCHIVED, LIVING]
    assert (store.read(LIVING), store.read(ARCHIVED)) == ("1\n", "somebody else\n")


def test_a_page_that_a_person_removed_stays_removed(store: Store) -> None:
    do(store, "sync", {"wiki/facts/a.md": "1\n"})
    do(store, "sync", {"wiki/facts/a.md": "2\n"})
    (store.root / "wiki/facts/a.md").unlink()
    assert store.undo()["kept"] == ["wiki/facts/a.md"]
    assert store.read("wiki/facts/a.md") is None


@pytest.mark.parametrize("damage", ["gone", "changed", "link"])
def test_a_copy_that_is_broken_is_not_put_back(store: Store, tmp_path: Path, damage: str) -> None:
    do(store, "sync", {"wiki/facts/a.md": "1\n", "wiki/facts/b.md": "1\n"})
    do(store, "sync", {"wiki/facts/a.md": "2\n", "wiki/facts/b.md": "2\n"})
    copy = store.root / ".llmwiki/state/journal/00000002-sync/before-0-0"
    copy.unlink()
    if damage == "changed":
        copy.write_text("rot")
    elif damage == "link":
        copy.symlink_to("/etc/hostname")
    assert store.undo()["kept"] == ["wiki/facts/a.md"]
    assert (store.read("wiki/facts/a.md"), store.read("wiki/facts/b.md")) == ("2\n", "1\n")


def test_nothing_to_take_back_changes_nothing(store: Store) -> None:
    assert store.undo() == {"reverted": [], "kept": []} == store.redo()
    do(store, "sync", {"wiki/facts/a.md": "1\n"})
    assert store.undo(0) == {"reverted": [], "kept": []} == store.undo(-1)
    assert tree(store.root)["wiki/facts/a.md"] == "1\n" and store.read(LOG) is None


def test_bytes_and_modes_come_back(store: Store) -> None:
    page = store.root / "wiki/facts/a.md"
    page.parent.mkdir(parents=True)
    page.write_bytes(b"\xff\xfe not UTF-8\r\n\0")
    page.chmod(0o640)
    do(store, "sync", {"wiki/facts/a.md": "clean\n"})
    assert page.stat().st_mode & 0o777 == 0o640
    do(store, "sync", {"wiki/facts/a.md": None})
    store.undo(2)
    assert page.read_bytes() == b"\xff\xfe not UTF-8\r\n\0" and page.stat().st_mode & 0o777 == 0o640


def test_a_new_operation_leaves_nothing_to_redo(store: Store) -> None:
    do(store, "first", {"wiki/facts/a.md": "1\n"})
    do(store, "second", {"wiki/facts/b.md": "1\n"})
    store.undo()
    store.undo()
    assert store.redo()["reverted"][0]["paths"] == ["wiki/facts/a.md"]
    do(store, "third", {"wiki/facts/c.md": "1\n"})
    assert store.redo() == {"reverted": [], "kept": []} and store.read("wiki/facts/b.md") is None
    assert [entry["op"] for entry in store.undo(9)["reverted"]] == ["third", "first"]


def test_state_goes_back_with_the_pages_that_it_describes(store: Store) -> None:
    with store.operation("sync") as operation:
        operation.apply([Change("wiki/facts/a.md", "1\n"), store.state_change("synthesized", {"s1": "done"})])
    assert store.state_get("synthesized") == {"s1": "done"}
    store.undo()
    assert store.state_get("synthesized") == {}
    store.redo()
    assert store.state_get("synthesized") == {"s1": "done"}


def test_an_operation_that_failed_half_way_can_be_undone(store: Store) -> None:
    """Its first batch is whole and stays; the undo takes it back."""
    with pytest.raises(WikiError), store.operation("sync") as operation:
        operation.apply([Change("wiki/facts/a.md", "1\n")])
        operation.apply([Change("wiki/facts/b.md", "1\n"), Change("../out", "x")])
    assert store.read("wiki/facts/a.md") == "1\n" and store.read("wiki/facts/b.md") is None
    assert store.undo()["reverted"] == [{"op": "sync", "seq": 1, "paths": ["wiki/facts/a.md"]}]
    assert store.read("wiki/facts/a.md") is None


def test_a_log_that_is_not_utf8_stays_as_it_is(store: Store) -> None:
    do(store, "sync", {"wiki/facts/a.md": "1\n"})
    (store.root / LOG).write_bytes(b"\xff\n")
    assert len(store.undo()["reverted"]) == 1
    assert (store.root / LOG).read_bytes() == b"\xff\n" and store.read("wiki/facts/a.md") is None
