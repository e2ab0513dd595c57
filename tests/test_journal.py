"""A power cut at any step leaves the wiki as it was or as it should be, never between."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import filelock  # noqa: F401 - loaded here, so that no child dies while it imports
import pytest

from llmwiki import disk, journal
from llmwiki.errors import WikiError
from llmwiki.model import Change
from llmwiki.store import Store

CALLS = ("open", "write", "fsync", "replace", "link", "unlink", "mkdir", "rmdir")
BEFORE = {
    "wiki/facts/kept.md": "old\r\n",
    "wiki/skills/only.md": "alone in its folder\n",
    "wiki/log.md": "- one\n",
    "notes.txt": "a person's\n",
}
CHANGES = [
    Change("wiki/facts/kept.md", "new\n"),
    Change("wiki/facts/fresh.md", "fresh\n"),
    Change("wiki/skills/only.md", None),
    Change("raw/codex/demo/2026-03-01-a-12345678.md", "raw\n"),
    Change("wiki/log.md", "- one\n- two\n"),
    Change(".llmwiki/state/seen.json", '{"a":1}\n'),
]


def tree(root: Path) -> dict[str, str]:
    """Every file but the journal's and the lock's own, and every folder below wiki/ and raw/ as 'folder'."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith((".llmwiki/state/journal", ".llmwiki/state/lock", ".llmwiki/state/holder")):
            continue
        if path.is_file():
            found[name] = path.read_bytes().decode()
        elif name.startswith(("wiki", "raw")):
            found[name] = "folder"
    return found


def make(root: Path) -> Store:
    for name, text in BEFORE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return Store(root)


def change(store: Store) -> None:
    with store.operation("sync", "a test") as operation:
        operation.apply(CHANGES)


@contextmanager
def failing(number: int, fail: Callable[[str], None]) -> Iterator[list[str]]:
    """Calls `fail` at the `number`-th system call that changes the disk; gives the calls that were counted."""
    seen: list[str] = []
    real = {name: getattr(os, name) for name in CALLS}

    def counted(name: str) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            seen.append(name)
            if len(seen) >= number:
                fail(name)
            return real[name](*args, **named)

        return call

    for name in CALLS:
        setattr(os, name, counted(name))
    try:
        yield seen
    finally:
        for name in CALLS:
            setattr(os, name, real[name])


def killed(number: int, work: Callable[[], object]) -> bool:
    """Does `work` in a child that is killed at its `number`-th call; whether it was."""
    child = os.fork()
    if child == 0:
        with failing(number, lambda _: os.kill(os.getpid(), signal.SIGKILL)):
            work()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("whole")
    change(make(root))
    return tree(root)


def between(probe: Path) -> int:
    """The number of the call that renames the last file but a removal."""
    store = make(probe)
    with failing(10**6, lambda _: None) as calls:
        change(store)
    return [number for number, name in enumerate(calls, 1) if name == "replace"][-1]


def trees(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    for number in range(1, 1000):
        root = tmp_path / str(number)
        root.mkdir()
        yield number, root


def test_a_kill_at_every_call_leaves_before_or_after(tmp_path: Path, after: dict[str, str]) -> None:
    outcomes = set()
    for number, root in trees(tmp_path):
        store = make(root)
        before = tree(root)
        dead = killed(number, lambda store=store: change(store))
        with Store(root).lock("next") as lines:
            pass
        found = tree(root)
        assert found in (before, after), f"between, after call {number}: {lines}"
        assert [past.name for past in store.history()] == (["sync"] if found == after else [])
        assert not [path for path in root.rglob("*") if disk.TEMP in path.name]
        outcomes.add((found == after, bool(lines)))
        if not dead:
            break
    else:
        pytest.fail("never ran to its end")
    assert outcomes >= {(False, True), (False, False), (True, True), (True, False)}, "each way to end was met"


def test_a_kill_while_recovering_changes_nothing(tmp_path: Path, after: dict[str, str]) -> None:
    """Cut off in the middle of the renames, then at every call of the recovery."""
    renames = between(tmp_path / "probe")
    for number, root in trees(tmp_path):
        store = make(root)
        before = tree(root)
        assert killed(renames, lambda store=store: change(store))
        dead = killed(number, lambda root=root: Store(root).lock("next").__enter__())
        with Store(root).lock("after"):
            pass
        assert tree(root) == before, f"recovery cut off at call {number}"
        if not dead:
            return
    pytest.fail("recovery never ran to its end")


def test_one_failing_call_takes_the_batch_back_at_once(tmp_path: Path, after: dict[str, str]) -> None:
    for number, root in trees(tmp_path):
        store = make(root)
        before = tree(root)
        failed = []

        def once(name: str, failed: list[str] = failed) -> None:
            if not failed:
                failed.append(name)
                raise OSError(errno.ENOSPC, "No space left on device")

        raised = False
        with failing(number, once):
            try:
                change(store)
            except WikiError as said:
                raised = True
                assert "No space left" in str(said)
        found = tree(root)
        if failed == ["rmdir"]:
            assert found.pop("wiki/skills") == "folder"  # an empty folder that cannot go is no reason to fail
        assert found == (before if raised else after), f"call {number} ({failed})"
        assert [past.name for past in store.history()] == ([] if raised else ["sync"])
        if not failed:
            return
    pytest.fail("never ran to its end")


def test_a_kill_while_a_batch_is_taken_back_at_once(tmp_path: Path, after: dict[str, str]) -> None:
    """The sync after the mark fails, which takes all of it back, and that is cut off at each call in turn."""
    probe = make(tmp_path / "probe")
    with probe.lock("sync"), failing(10**6, lambda _: None) as calls:
        change(probe)
    last = len(calls) - calls[::-1].index("fsync")
    for number, root in trees(tmp_path):
        store, seen = make(root), []
        before = tree(root)

        def fail(name: str, number: int = number, seen: list[str] = seen) -> None:
            seen.append(name)
            if len(seen) == 1:
                raise OSError(errno.EIO, "Input/output error")
            if len(seen) > number:
                os.kill(os.getpid(), signal.SIGKILL)

        def work(store: Store = store, fail: Callable[[str], None] = fail) -> None:
            with store.lock("sync"), failing(last, fail), suppress(WikiError):
                change(store)

        dead = killed(10**6, work)
        with Store(root).lock("next"):
            pass
        assert tree(root) in (before, after), f"cut off {number} calls after the failure"
        assert len(store.history()) == (tree(root) == after)
        if not dead:
            return
    pytest.fail("never ran to its end")


def test_when_nothing_works_any_more_the_next_writer_mends(tmp_path: Path, after: dict[str, str]) -> None:
    def broken(name: str) -> None:
        raise OSError(errno.EIO, "Input/output error")

    for number, root in trees(tmp_path):
        store = make(root)
        before = tree(root)
        with failing(number, broken) as calls, suppress(WikiError, OSError):
            change(store)
        with Store(root).lock("next"):
            pass
        assert tree(root) in (before, after), f"call {number}"
        if len(calls) < number:
            return
    pytest.fail("never ran to its end")


def test_a_real_process_that_is_killed(tmp_path: Path) -> None:
    """The same from outside: the writer is stopped between its renames, and killed."""
    store = make(tmp_path)
    before = tree(tmp_path)
    script = (
        "import os, sys, time\n"
        "from llmwiki.store import Store\n"
        "from tests.test_journal import change\n"
        "real, count = os.replace, [0]\n"
        "def slow(*args):\n"
        "    count[0] += 1\n"
        "    if count[0] == 4:\n"
        "        print('here', flush=True); time.sleep(60)\n"
        "    real(*args)\n"
        "os.replace = slow\n"
        "change(Store(sys.argv[1]))\n"
    )
    repository = Path(__file__).parent.parent
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=repository) as child:
        assert child.stdout and child.stdout.readline() == b"here\n"
        assert tree(tmp_path) != before
        child.kill()
    with store.lock("next") as lines:
        assert lines == ["took back an interrupted sync (6 files)"]
    assert tree(tmp_path) == before


def cut_off(root: Path) -> Store:
    """A wiki whose writer died with two files replaced."""
    store = make(root)
    assert killed(between(root.parent / f"{root.name}-probe"), lambda: change(store))
    assert (root / "wiki/facts/kept.md").read_text() == "new\n"
    return store


def test_what_a_person_changed_after_the_crash_is_kept_and_named(tmp_path: Path) -> None:
    store = cut_off(tmp_path)
    (tmp_path / "wiki/facts/kept.md").write_text("a person's own\n")
    with store.lock("next") as lines:
        assert lines == ["took back an interrupted sync (5 files); kept as it is now: wiki/facts/kept.md"]
    assert (tmp_path / "wiki/facts/kept.md").read_text() == "a person's own\n"
    assert not (tmp_path / "wiki/facts/fresh.md").exists()


def test_a_broken_copy_is_not_put_back(tmp_path: Path) -> None:
    store = cut_off(tmp_path)
    for copy in tmp_path.glob(".llmwiki/state/journal/*/before-*"):
        copy.unlink()
        copy.write_text("rot")
    with store.lock("next") as lines:
        assert "kept as it is now: wiki/facts/kept.md" in lines[0]
    assert (tmp_path / "wiki/facts/kept.md").read_text() == "new\n"


@pytest.mark.parametrize("path", ["../outside.md", "/tmp/outside.md", ".git/hooks/pre-commit", "link/outside.md"])
def test_a_planted_journal_writes_nowhere_else(tmp_path: Path, path: str) -> None:
    """A cloned wiki may bring a journal along: its plans pass the same gate as every Change."""
    root, outside = tmp_path / "wiki", tmp_path / "outside"
    for folder in (root, outside, root / ".git/hooks"):
        folder.mkdir(parents=True)
    (root / "link").symlink_to(outside)
    own = root / ".llmwiki/state/journal/00000001-sync"
    own.mkdir(parents=True)
    (own / "before-0-0").write_text("evil")
    head = journal.Head("sync")
    step = journal.Step(path, disk.digest(b"evil"), None, 0o755)
    batch = journal.Batch(str(own), 0, head, "0123abcd", (), (step,))
    (own / "plan-0.json").write_bytes(journal.plan_text(batch))
    with Store(root).lock("next") as lines:
        assert "kept" in lines[0]
    assert not list(outside.iterdir()) and not list((root / ".git/hooks").iterdir())
    assert not (tmp_path / "outside.md").exists() and not Path("/tmp/outside.md").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"op": {}, "files": 3}', "null", '{"op":{"name":"x"}}'])
def test_a_torn_plan_is_nothing(tmp_path: Path, text: str) -> None:
    store = make(tmp_path)
    own = tmp_path / ".llmwiki/state/journal/00000001-sync"
    own.mkdir(parents=True)
    (own / "plan-0.json").write_text(text)
    with store.lock("next") as lines:
        assert lines == []
    assert not own.exists() and store.history() == []


def test_the_journal_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "KEPT_OPERATIONS", 3)
    store = Store(tmp_path)
    for number in range(6):
        with store.operation(f"op {number}") as operation:
            operation.apply([Change("wiki/a.md", f"{number}\n")])
    assert [past.name for past in store.history()] == ["op 3", "op 4", "op 5"]
    monkeypatch.setattr(journal, "KEPT_BYTES", 1000)
    for number in range(2):
        with store.operation(f"big {number}") as operation:
            operation.apply([Change("wiki/a.md", "x" * 2000 + str(number))])
    assert [past.name for past in store.history()] == ["big 1"], "the newest stays, however big"
    assert len(list((tmp_path / ".llmwiki/state/journal").iterdir())) == 1


def test_a_batch_syncs_each_file_and_folder_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    pages = [f"wiki/facts/{number}.md" for number in range(60)]
    for text in ("first", "second"):
        with store.operation("sync") as operation, failing(10**6, lambda _: None) as calls:
            operation.apply([Change(path, text) for path in pages])
        assert calls.count("fsync") <= 60 + 3 + 4  # files; root, wiki, facts; the journal
        assert calls.count("link") == (0 if text == "first" else 60)


def test_what_has_to_be_on_the_disk_before_the_next_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill cannot show what a power cut would lose: here is the order in which things become durable."""
    store = make(tmp_path)
    events: list[tuple[str, str]] = []
    opened: dict[int, str] = {}
    real_open, real_sync, real_replace, real_unlink = os.open, os.fsync, os.replace, os.unlink

    def open_(path: str, *rest: int, **named: int) -> int:
        descriptor = real_open(path, *rest, **named)
        opened[descriptor] = str(path)
        return descriptor

    def logged(kind: str, real: Callable[..., None], name: Callable[..., str]) -> Callable[..., None]:
        def call(*args: object) -> None:
            real(*args)
            events.append((kind, name(*args)))

        return call

    with store.operation("sync") as operation:
        monkeypatch.setattr(os, "open", open_)
        monkeypatch.setattr(os, "fsync", logged("sync", real_sync, lambda fd: opened[fd]))
        monkeypatch.setattr(os, "replace", logged("to", real_replace, lambda old, new: str(old)))
        monkeypatch.setattr(os, "unlink", logged("to", real_unlink, str))
        operation.apply(CHANGES)
        monkeypatch.undo()
    own = f"{store.journal.folder}/00000001-sync"
    swaps = [index for index, (kind, _) in enumerate(events) if kind == "to"]
    synced = [path for kind, path in events[: swaps[0]] if kind == "sync"]
    assert synced[:3] == [store.journal.folder, f"{own}/plan-0.json", own], "plan and copies, before anything else"
    assert {path for kind, path in events if kind == "to" and disk.TEMP in path} <= set(synced)
    folders = {str(tmp_path / name) for name in ("", "wiki", "wiki/facts", "raw", "raw/codex", "raw/codex/demo")}
    late = [path for _, path in events[swaps[-1] + 1 :]]
    assert {folder.rstrip("/") for folder in folders} <= set(late[:-1]) and late[-1] == own, "the mark comes last"


@pytest.mark.parametrize("name", ["", "photos", "1-sync", "/"])
def test_nothing_but_an_operation_is_ever_swept(tmp_path, name):
    (tmp_path / "photos").mkdir()
    with pytest.raises(ValueError, match="no operation"):
        journal._sweep(f"{tmp_path}/{name}")
    assert (tmp_path / "photos").is_dir()
