from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest

from llmwiki import disk, lock
from llmwiki.errors import WikiError
from llmwiki.model import Change
from llmwiki.store import Store
from tests.test_journal import failing, tree

PAGE = """---
id: {id}
type: fact
title: {title}
---

## Statement

- {title}
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    root = tmp_path / "root"
    root.mkdir()
    return Store(root)


def put(store: Store, path: str, text: str | bytes) -> Path:
    full = store.root / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_bytes(text.encode() if isinstance(text, str) else text)
    return full


def apply(store: Store, *changes: Change) -> list[Change]:
    with store.operation("test") as operation:
        return operation.apply(changes)


# Applying


def test_apply_says_what_it_really_changed(store: Store) -> None:
    put(store, "wiki/facts/same.md", "same\n")
    made = apply(
        store,
        Change("wiki/facts/z.md", "z\n", "why"),
        Change("wiki/facts/same.md", "same\n"),
        Change("wiki/facts/absent.md", None),
        Change("wiki/facts/a.md", "first\n"),
        Change("wiki/facts/a.md", "last\n"),
    )
    assert made == [Change("wiki/facts/a.md", "last\n"), Change("wiki/facts/z.md", "z\n", "why")]
    assert store.read("wiki/facts/a.md") == "last\n"


def test_nothing_to_do_leaves_no_trace(store: Store) -> None:
    put(store, "wiki/facts/a.md", "a\n")
    with failing(10**6, lambda _: None) as calls, store.lock("first"):
        calls.clear()
        assert apply(store, Change("wiki/facts/a.md", "a\n"), Change("b.md", None)) == []
        assert "write" not in calls and "replace" not in calls and "mkdir" not in calls
    assert store.history() == [] and list(Path(store.journal.folder).iterdir()) == []


@pytest.mark.parametrize(
    "text", ["\ufeffmark\n", "cr\rlf\r\nnl\n", "no end", "", "\u2028\u0085\x0b", "\0", "漢字 🙂\n"]
)
def test_text_is_written_and_read_exactly(store: Store, text: str) -> None:
    apply(store, Change("wiki/facts/a.md", text))
    assert (store.root / "wiki/facts/a.md").read_bytes() == text.encode()
    assert store.read("wiki/facts/a.md") == text
    assert apply(store, Change("wiki/facts/a.md", text)) == []


def test_what_is_not_utf8_is_replaced_and_reported(store: Store) -> None:
    put(store, "wiki/facts/a.md", b"\xff\n")
    with pytest.raises(WikiError, match=r"wiki/facts/a\.md is not UTF-8 \(byte 0\)"):
        store.read("wiki/facts/a.md")
    assert len(apply(store, Change("wiki/facts/a.md", "\ufffd\n"))) == 1


def test_half_a_character_is_refused_and_the_page_is_named(store: Store) -> None:
    with pytest.raises(WikiError, match=r"wiki/facts/b\.md .*surrogate at 3"):
        apply(store, Change("wiki/facts/a.md", "fine\n"), Change("wiki/facts/b.md", "abc\ud800"))
    assert not (store.root / "wiki").exists() and store.history() == []


HOSTILE = ["", ".", "..", "/", "/etc/x", "../x", "a/../../x", "a//b", "a/", "./a", "a/./b", "a\0b", "a/..", "~/../../x"]
OWN = [".git/config", "sub/.git/hooks/x", ".GIT/x", ".llmwiki/state/journal/x", ".llmwiki/state/lock"]


@pytest.mark.parametrize("path", [*HOSTILE, *OWN, "x" * 300, "wiki/\ud800.md"])
def test_a_hostile_path_writes_nothing_of_its_batch(store: Store, path: str) -> None:
    for text in ("evil\n", None):
        with pytest.raises(WikiError):
            apply(store, Change("wiki/facts/a.md", "fine\n"), Change(path, text))
    with pytest.raises(WikiError):
        store.read(path)
    assert tree(store.root) == {} and [p.name for p in store.root.parent.iterdir()] == ["root"]


def test_links_that_lead_out(store: Store) -> None:
    outside = store.root.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("theirs\n")
    (store.root / "wiki").mkdir()
    (store.root / "wiki/folder").symlink_to(outside)
    (store.root / "wiki/page.md").symlink_to(outside / "a.md")
    (store.root / "wiki/new.md").symlink_to(outside / "new.md")
    (store.root / "wiki/loop.md").symlink_to("loop.md")
    for path in ("wiki/folder/a.md", "wiki/folder/new.md", "wiki/page.md", "wiki/new.md", "wiki/loop.md"):
        for text in ("evil\n", None):
            with pytest.raises(WikiError):
                apply(store, Change(path, text))
        with pytest.raises(WikiError):
            store.read(path)
    assert {p.name: p.read_text() for p in outside.iterdir()} == {"a.md": "theirs\n"}


def test_a_link_that_stays_inside_is_written_through_and_undone(store: Store) -> None:
    put(store, "AGENTS.md", "old\n")
    (store.root / "CLAUDE.md").symlink_to("AGENTS.md")
    assert apply(store, Change("CLAUDE.md", "new\n")) == [Change("AGENTS.md", "new\n")]
    assert (store.root / "CLAUDE.md").is_symlink() and store.read("AGENTS.md") == "new\n"
    store.undo()
    assert (store.root / "CLAUDE.md").is_symlink() and store.read("AGENTS.md") == "old\n"


def test_a_state_folder_that_leads_elsewhere(store: Store) -> None:
    outside = store.root.parent / "outside"
    outside.mkdir()
    (store.root / ".llmwiki").symlink_to(outside)
    with pytest.raises(WikiError, match="link"):
        apply(store, Change("wiki/a.md", "x"))
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("other", ["Straße.md", "STRASSE.md", unicodedata.normalize("NFD", "größe.md"), "A.md"])
def test_names_that_some_disks_cannot_tell_apart(store: Store, other: str) -> None:
    wanted = {"Straße.md": "strasse.md", "STRASSE.md": "straße.md", "A.md": "a.md"}.get(other, "größe.md")
    with pytest.raises(WikiError, match="only in case or Unicode form"):
        apply(store, Change(f"wiki/{other}", "1"), Change(f"wiki/{wanted}", "2"))
    assert tree(store.root) == {}
    put(store, f"wiki/{other}", "there\n")
    with pytest.raises(WikiError, match="only in case or Unicode form"):
        apply(store, Change(f"wiki/{wanted}", "2"))
    assert len(apply(store, Change(f"wiki/{other}", "changed\n"))) == 1


def test_a_folder_where_a_file_should_be_and_the_reverse(store: Store) -> None:
    (store.root / "wiki/a.md").mkdir(parents=True)
    put(store, "wiki/file", "")
    for path, said in (("wiki/a.md", "is a folder"), ("wiki/file/b.md", "cannot be reached")):
        with pytest.raises(WikiError, match=f"{path}.*{said}"):
            apply(store, Change(path, "x"), Change("wiki/ok.md", "x"))
    with pytest.raises(WikiError, match="a file and a folder at once"):
        apply(store, Change("wiki/n", "x"), Change("wiki/n/b.md", "x"))
    assert store.read("wiki/ok.md") is None


def test_only_folders_that_a_removal_empties_go(store: Store) -> None:
    for path in ("wiki/facts/deep/a.md", "wiki/skills/b.md", "raw/x/y/c.md", "other/d.md"):
        put(store, path, "x")
    (store.root / "wiki/empty").mkdir()
    put(store, "wiki/skills/.keep", "")
    apply(store, *(Change(path, None) for path in ("wiki/facts/deep/a.md", "wiki/skills/b.md", "raw/x/y/c.md")))
    apply(store, Change("other/d.md", None))
    left = {p.relative_to(store.root).as_posix() for p in store.root.rglob("*") if ".llmwiki" not in p.parts}
    assert left == {"wiki", "wiki/empty", "wiki/skills", "wiki/skills/.keep", "raw", "other"}


def test_modes(store: Store) -> None:
    script = put(store, "wiki/tool.md", "old\n")
    script.chmod(0o750)
    apply(store, Change("wiki/tool.md", "new\n"), Change("wiki/new.md", "x"), store.state_change("s", {"a": 1}))
    umask = os.umask(0)
    os.umask(umask)
    modes = {p: (store.root / p).stat().st_mode & 0o777 for p in (".llmwiki", "wiki/tool.md", "wiki/new.md")}
    assert modes == {".llmwiki": 0o700, "wiki/tool.md": 0o750, "wiki/new.md": 0o666 & ~umask}
    assert (store.root / ".llmwiki/state/s.json").stat().st_mode & 0o777 == 0o600


def test_a_disk_without_hard_links(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    put(store, "wiki/a.md", "old\n")
    apply(store, Change("wiki/a.md", "new\n"))
    store.undo()
    assert store.read("wiki/a.md") == "old\n"


@pytest.mark.parametrize("call", ["mkdir", "open"])
def test_a_disk_that_is_read_only(store: Store, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    put(store, "wiki/facts/a.md", PAGE.format(id="a-0001", title="A"))
    real = getattr(os, call)

    def refuse(path: object, flags: int = os.O_WRONLY, *rest: object, **named: object) -> object:
        if call == "mkdir" or flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(errno.EROFS, "Read-only file system", path)
        return real(path, flags, *rest, **named)

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(WikiError, match=r"Read-only file system.*make .* writable"):
        apply(store, Change("wiki/a.md", "x"))
    assert list(store.load().records) == ["a-0001"] and store.history() == []


# One writer

HOLD = """
import sys
from llmwiki.store import Store
print("waiting", flush=True)
with Store(sys.argv[1], wait=float(sys.argv[2])).lock("sync --jobs 2"):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(store: Store, wait: float = 0.1) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", HOLD, str(store.root), str(wait)]
    repository = Path(__file__).parent.parent
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=repository)
    assert child.stdout and child.stdout.readline() == b"waiting\n"
    return child


def test_a_second_writer_is_told_who_writes(store: Store) -> None:
    impatient = Store(store.root, wait=0.1)
    with holder(store) as child:
        assert child.stdout and child.stdout.readline() == b"held\n"
        with pytest.raises(WikiError, match=rf"`sync --jobs 2`, pid {child.pid} on .*, since 20\d\d-.*Z; wait"):
            apply(impatient, Change("wiki/a.md", "x"))
        assert store.read("wiki/a.md") is None and store.load().records == {}, "reading never waits"
        child.kill()
    assert (store.root / ".llmwiki/state/holder.json").exists(), "what a crash leaves behind"
    assert len(apply(impatient, Change("wiki/a.md", "x"))) == 1
    assert not (store.root / ".llmwiki/state/holder.json").exists()


def test_a_second_writer_waits(store: Store) -> None:
    with store.lock("first"):
        child = holder(store, wait=60)
        time.sleep(0.2)
    with child:
        assert child.stdout and child.stdout.readline() == b"held\n"


def test_the_wait_is_ten_seconds() -> None:
    assert lock.WAIT == 10


def test_a_lock_inside_a_lock_is_the_same(store: Store) -> None:
    with store.lock("sync"), store.lock("inner"):
        assert len(apply(store, Change("wiki/a.md", "x"))) == 1
        with pytest.raises(WikiError, match="another writer"):
            apply(Store(store.root, wait=0), Change("wiki/b.md", "x"))
    assert len(apply(Store(store.root, wait=0), Change("wiki/b.md", "x"))) == 1


def test_an_operation_after_one_that_could_not_be_taken_back(store: Store) -> None:
    """Under one lock too: what is unfinished is mended before the next batch."""

    seen: list[str] = []

    def broken(name: str) -> None:
        seen.append(name)
        if seen.count("replace") >= 2:
            raise OSError(errno.EIO, "Input/output error")

    put(store, "wiki/a.md", "old\n")
    with store.lock("sync"):
        with failing(1, broken), pytest.raises(WikiError):
            apply(store, Change("wiki/a.md", "new\n"), Change("wiki/b.md", "new\n"))
        assert store.read("wiki/a.md") == "new\n", "between, and nothing could be done about it"
        apply(store, Change("wiki/c.md", "c\n"))
    assert (store.read("wiki/a.md"), store.read("wiki/b.md"), store.read("wiki/c.md")) == ("old\n", None, "c\n")


# Loading


def test_load_gives_records_and_diagnostics(store: Store) -> None:
    put(store, "wiki/facts/good.md", PAGE.format(id="good-0001", title="Good"))
    put(store, "wiki/archive/facts/old.md", PAGE.format(id="old-0001", title="Old"))
    put(store, "wiki/facts/hand.md", "# By hand\n\nA line.\n")
    put(store, "wiki/facts/log-rotation.md", PAGE.format(id="log-0001", title="Log rotation"))
    for name in ("index.md", "log.md", "log-2026.md", "facts/_context.md", "facts/.hidden.md", ".obsidian/x.md"):
        put(store, f"wiki/{name}", "---\nnot: [a page\n")
    put(store, f"wiki/facts/.a.md{disk.TEMP}0123-0", "half")
    put(store, "wiki/facts/broken.md", "---\ntype: [fact\n---\n\nbody\n")
    put(store, "wiki/facts/bytes.md", b"---\nid: x\n---\n\xff\n")
    put(store, "wiki/facts/twin.md", PAGE.format(id="good-0001", title="Twin"))
    (store.root / "wiki/facts/folder.md").mkdir()
    os.mkfifo(store.root / "wiki/facts/pipe.md")
    (store.root / "wiki/facts/out.md").symlink_to("/etc/hostname")
    (store.root / "wiki/loop").symlink_to(store.root / "wiki")
    before = sorted(str(p) for p in store.root.rglob("*"))
    wiki = store.load()
    assert {r.path for r in wiki.records.values()} == {
        "wiki/facts/good.md",
        "wiki/archive/facts/old.md",
        "wiki/facts/hand.md",
        "wiki/facts/log-rotation.md",
    }
    assert [(d.code, d.path.removeprefix("wiki/facts/")) for d in wiki.diagnostics] == [
        *(("page", name) for name in ("broken.md", "bytes.md", "folder.md", "out.md", "pipe.md")),
        ("id", "twin.md"),
    ]
    assert {path for path, _, _ in store.pages()} == {r.path for r in wiki.records.values()} | {
        "wiki/facts/broken.md",
        "wiki/facts/bytes.md",
        "wiki/facts/twin.md",
    }
    assert sorted(str(p) for p in store.root.rglob("*")) == before


def test_of_two_pages_with_one_id_the_live_one_speaks(store: Store) -> None:
    put(store, "wiki/archive/facts/a.md", PAGE.format(id="same-0001", title="Old"))
    put(store, "wiki/facts/a.md", PAGE.format(id="same-0001", title="Live"))
    wiki = store.load()
    assert wiki.records["same-0001"].title == "Live"
    assert [d.path for d in wiki.diagnostics] == ["wiki/archive/facts/a.md"]
    assert "wiki/facts/a.md" in wiki.diagnostics[0].message


def test_a_page_that_the_disk_does_not_give(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "wiki/facts/a.md", PAGE.format(id="a-0001", title="A"))

    def denied(full: str) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", full)

    monkeypatch.setattr(disk, "contents", denied)
    (found,) = store.load().diagnostics
    assert found.path == "wiki/facts/a.md" and "Permission denied" in found.message


def test_pages_carry_what_the_index_compares(store: Store) -> None:
    page = put(store, "wiki/facts/a.md", "four")
    assert list(store.pages()) == [("wiki/facts/a.md", page.stat().st_mtime_ns, 4)]
    put(store, "raw/b/p/2.md", "")
    put(store, "raw/a/p/1.md", "")
    put(store, "raw/a/p/notes.txt", "")
    assert list(store.raw_pages()) == ["raw/a/p/1.md", "raw/b/p/2.md"]
    assert list(Store(store.root / "nothing").pages()) == [] and Store(store.root / "nothing").load().records == {}


# State


def test_state_is_a_change_like_any_other(store: Store) -> None:
    value = {"b": [1, None], "a": {"ü": "\ud800"}}
    assert store.state_get("seen") == {}
    apply(store, store.state_change("seen", value))
    assert store.state_get("seen") == value
    assert apply(store, store.state_change("seen", dict(reversed(value.items())))) == []
    apply(store, store.state_change("seen", {}))
    assert not (store.root / ".llmwiki/state/seen.json").exists()
    for name in ("../x", "A", "", "a/b", "lock."):
        with pytest.raises(ValueError):
            store.state_get(name)


@pytest.mark.parametrize("text", [b"{", b"[]", b"\xff", b"null", b"[" * 100_000])
def test_broken_state_is_put_aside(store: Store, text: bytes) -> None:
    put(store, ".llmwiki/state/seen.json", text)
    assert store.state_get("seen") == {}
    assert (store.root / ".llmwiki/state/seen.json.corrupt").read_bytes() == text
    apply(store, store.state_change("seen", {"a": 1}))
    assert store.state_get("seen") == {"a": 1}
