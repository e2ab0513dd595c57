"""What no task should be and some are: query syntax, megabytes, nothing, broken bytes. An answer, never a traceback."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from wikis import NOW, make, record

from llmwiki import block, fast, recall, tokens
from llmwiki.indexes.catalogue import CACHE

TASK = "install the packages with uv"
PAGES = (
    record("use-uv-1a2b", "Use uv to install packages, never pip", "preference"),
    record("kept-3c4d", "The table `order by` is kept AND read OR written", "fact"),
)


def ask(root, task, **flags):
    return recall.block(root, recall.Asked(task, **({"now": NOW} | flags)))


@pytest.fixture(scope="module", params=["sqlite", "whoosh"])
def root(request, tmp_path_factory):
    return make(tmp_path_factory.mktemp("wiki"), *PAGES, backend=request.param)


SYNTAX = [
    '"', "'", "((((", "a AND", "NOT uv", "uv*", "title:uv", "uv~2", "[a TO z]", "^uv", "uv NEAR/3 pip", "-uv", "\\",
    "'; DROP TABLE pages; --", "{uv}", "%s %d", "*", "uv^9", "/uv.*/", "?" * 50, "--", "NULL", "${HOME}", "`id`",
]  # fmt: skip


@pytest.mark.parametrize("syntax", SYNTAX)
def test_query_syntax_is_text(root, syntax):
    assert [r["id"] for r in ask(root, f"{TASK} {syntax}")["records"]][:1] == ["use-uv-1a2b"]
    ask(root, syntax, explain=True, plan=True, error=syntax, tool=syntax, files=[syntax], project=syntax)


NOTHING = [
    "", " ", "\n\t", "\0", "\0\0\0", "the of and with", "?!…", "\u200b\u200c\ufeff", "\u202e\u2066\u2069", "\ud800",
    "\udfff\ud800", "🙂", "\x1b[31m", "ok", "thanks!", "。，、", "\u0301", "_", "/", "der die das",
]  # fmt: skip


@pytest.mark.parametrize("task", NOTHING)
def test_a_task_of_nothing_is_told_nothing(root, task):
    answer = ask(root, task, explain=True, plan=True)
    assert answer["text"] == "" and answer["abstained"] and answer["tokens"] == 0
    json.dumps(answer)


@pytest.mark.parametrize(
    "veiled",
    [
        "in\u200bstall the pack\u00adages with \ufeffuv",
        "\u202einstall the packages with uv\u202c",
        "install\0 the\0 packages with uv",
        "ｉｎｓｔａｌｌ the packages with uv",
        "install the packages with uv \ud800\udfff",
        "\u061cinstall\u200e the packages\u200f with uv",
        "INSTALL THE PACKAGES WITH UV!!!",
    ],
)
def test_what_cannot_be_seen_hides_no_word(root, veiled):
    assert "use-uv-1a2b" in [r["id"] for r in ask(root, veiled)["records"]]


def test_a_hundred_kilobytes_are_answered_within_the_caps(root):
    for filler in ("log line 4711 ok\n", "x" * 997 + " ", "日本語の文", "uv install " * 3 + "\n", "a/b.c-d_e:f "):
        answer = ask(root, TASK + "\n" + filler * (100_000 // len(filler)))
        assert tokens.count(answer["text"]) <= 1200 and len(answer["records"]) <= 8
    assert ask(root, "y" * 300_000)["abstained"]


def test_many_files_and_a_huge_error_are_answered(root):
    files = [f"src/deep/module{n}/file{n}.py" for n in range(5000)]
    error = "E   something failed (0x7f3a9911) /home/kim/x.py:12\n" * 2500
    assert "use-uv-1a2b" in [r["id"] for r in ask(root, TASK, files=files, error=error)["records"]]


def run(root, *args, stdin=b""):
    env = {"PATH": os.environ["PATH"], "LLMWIKI_NOW": "2026-03-05T00:00:00Z", "HOME": "/nonexistent"}
    env["PYTHONPATH"] = str(Path(fast.__file__).parent.parent)
    command = [sys.executable, "-c", "from llmwiki.fast import main; main()", "context", "--wiki", root, *args]
    return subprocess.run(command, input=stdin, env=env, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize(
    "said",
    [b"install the packages with uv \xff\xfe\x80", b"\xff", b"", b"\0" * 1000, b"x" * 5_000_000, "é".encode("latin-1")],
)
def test_bytes_of_no_text_are_no_traceback(root, said):
    done = run(root, "-", stdin=said)
    assert done.returncode == 0 and b"Traceback" not in done.stderr
    assert (b"use-uv-1a2b" in done.stdout) is said.startswith(b"install")


def test_an_argument_of_broken_bytes_is_no_traceback(root):
    done = run(
        root, os.fsdecode(b"install the packages with uv \xff\xfe"), "--files", os.fsdecode(b"\xff.py"), "--json"
    )
    assert done.returncode == 0 and json.loads(done.stdout)["records"][0]["id"] == "use-uv-1a2b"


@pytest.fixture
def own(tmp_path):
    return make(tmp_path, *PAGES)


def catalogue(root):
    return Path(root, CACHE, "catalogue.sqlite")


def newer(root):
    with sqlite3.connect(catalogue(root)) as db:
        db.execute("UPDATE about SET value = 99 WHERE name = 'version'")


def corrupt(root):
    catalogue(root).write_bytes(b"SQLite format 3\0" + b"\x07" * 4000)


def folder(root):
    catalogue(root).unlink()
    catalogue(root).mkdir()


@pytest.mark.parametrize("damage", [newer, corrupt, folder])
def test_an_index_that_cannot_be_used_is_done_without_and_it_is_said(own, damage):
    sound = ask(own, TASK)
    damage(own)
    done = run(own, TASK, "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 0 and answer["records"][0]["id"] == sound["records"][0]["id"]
    assert any("answered from the pages" in note for note in answer["limits"]["notes"])
    assert "answered from the pages" in answer["text"] and block.cut(answer["text"])[0] == ""


def test_a_missing_index_is_done_without(own):
    sound = ask(own, TASK)
    catalogue(own).unlink()
    assert ask(own, TASK)["text"] == sound["text"]


def test_a_locked_index_is_not_waited_for_and_it_is_said(own):
    db = sqlite3.connect(catalogue(own))
    db.execute("BEGIN EXCLUSIVE")
    try:
        answer = ask(own, TASK)
    finally:
        db.rollback()
    assert answer["records"][0]["id"] == "use-uv-1a2b"
    assert any("answered from the pages" in note for note in answer["limits"]["notes"])


def test_a_disk_that_cannot_be_written_is_enough_to_answer_and_to_note_nothing(own):
    folders = [p for p in [Path(own), *Path(own).rglob("*")] if p.is_dir()]
    for path in folders:
        path.chmod(0o555)
    try:
        done = run(own, TASK, "--session", "s-1")
        assert done.returncode == 0 and b"use-uv-1a2b" in done.stdout
    finally:
        for path in folders:
            path.chmod(0o755)
