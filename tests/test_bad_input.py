"""Files as no program of ours writes them, through a whole sync: each costs itself, and nothing waits or is lost."""

from __future__ import annotations

import json
import os

import pytest
from spoken import lines, replied, said
from test_sync import adds_up, clock, tree, wiki  # noqa: F401 - fixtures

from llmwiki import fast, rawpage, root
from llmwiki.adapters import arguments
from llmwiki.adapters.ownership import heads
from llmwiki.errors import WikiError
from llmwiki.indexes import scan, settings
from llmwiki.model import Source
from llmwiki.synthesizers import events
from llmwiki.workspace import Workspace

RULE = "Always use `make check` instead of pytest here."


def store(tmp_path, *records, name="s1"):
    """A Claude Code store with one session."""
    folder = tmp_path / "store" / "projects" / "-code-x"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_bytes(lines(*(records or (said(RULE, name), replied(session_id=name)))))
    return folder


def synced(wiki, tmp_path):
    """The documents of two syncs, of which the second changed no byte."""
    first = Workspace(wiki).sync(sources=(str(tmp_path / "store"),))
    before = tree(wiki)
    second = Workspace(wiki).sync(sources=(str(tmp_path / "store"),))
    assert adds_up(first) and adds_up(second)
    assert tree(wiki) == before
    return first, second


def test_pipes_and_devices_in_a_store_are_named_and_nothing_waits_for_them(wiki, tmp_path):
    folder = store(tmp_path)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    first, second = synced(wiki, tmp_path)
    assert first["new"] == 1
    assert [f["error"].split(",")[0] for f in first["failed"]] == ["a pipe or a device"] * 2 == [
        f["error"].split(",")[0] for f in second["failed"]
    ]  # fmt: skip


def test_numbers_too_long_for_python_cost_nothing(wiki, tmp_path):
    folder = store(tmp_path)
    path = folder / "s1.jsonl"
    path.write_bytes(b'{"type":"user","cost":NaN,"n":' + b"9" * 6000 + b"}\n" + path.read_bytes())
    first, _ = synced(wiki, tmp_path)
    assert (first["new"], first["failed"], first["records"]["created"] > 1) == (1, [], True)


def test_a_head_that_cannot_be_read_leaves_the_source_to_its_reading():
    class Broken:
        @staticmethod
        def head(source):
            raise ZeroDivisionError

    assert heads(Broken(), [Source("x", "/a", "a", 1, 1)]) == {}


@pytest.mark.parametrize("told", ["Exit code {}\nno", "Process exited with code {}", "<exit_code>{}</exit_code>"])
def test_exit_codes_are_numbers_that_a_shell_can_give(told):
    assert arguments.exit_code(told.format("9" * 5000)) is None
    assert arguments.exit_code_within(told.format("9" * 5000)) is None


def test_an_envelope_that_gives_no_number_gives_none():
    assert events._result(_turn('{"output":"x","metadata":{"exit_code":Infinity}}'))[1] is None
    assert events._result(_turn('{"output"' + "[" * 100_000))[1] is None


def _turn(result):
    from llmwiki.model import Turn

    return Turn(1, "tool", "make", tool="Bash", outcome="ok", result=result)


def test_foreign_files_under_raw_stop_nothing(wiki, tmp_path):
    folder = store(tmp_path)
    synced(wiki, tmp_path)
    page = next((wiki / "raw").rglob("*.md"))
    (page.parent / "junk.md").write_bytes(b"\xff\x00\xfe")
    (page.parent / "dir.md").mkdir()
    os.mkfifo(page.parent / "pipe.md")
    (folder / "s2.jsonl").write_bytes(lines(said("Never touch `vendor/`.", "s2"), replied(session_id="s2")))
    first, _ = synced(wiki, tmp_path)
    assert first["new"] == 1 and first["failed"] == []
    assert Workspace(wiki).search_raw("vendor") and Workspace(wiki).estimate()
    assert (page.parent / "junk.md").read_bytes() == b"\xff\x00\xfe"


def test_what_a_person_made_of_a_head_is_read_as_far_as_it_goes():
    page = '---\nagent: "codex"\nsession: "s"\nmodels: 5\nchildren: {"a": 1}\noffered: "x"\nturns: many\n---\n\n# t\n'
    found = rawpage.parse(page)
    assert (found.models, found.children, found.offered) == ((), (), ())
    assert "[[p]]" in rawpage.linked(page, "p", ["c"])
    assert rawpage.count(rawpage.head(page)["turns"]) == 0


def test_pages_with_names_that_no_page_can_say(wiki, tmp_path):
    store(tmp_path)
    folder = wiki / "wiki" / "preferences"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / os.fsdecode(b"b\xff\n.md")).write_bytes(b"---\ntitle: Use bytes\n---\n")
    opened = Workspace(wiki)
    assert opened.sync(sources=(str(tmp_path / "store"),))["new"] == 1
    assert [n for n in opened.notices if "not UTF-8; rename it" in n]
    assert all(path.isascii() for path in scan.unpacked(scan.packed(str(wiki))))


def test_the_index_and_the_store_agree_on_what_is_no_page(wiki, tmp_path):
    store(tmp_path)
    folder = wiki / "wiki" / "preferences"
    folder.mkdir(parents=True, exist_ok=True)
    outside = tmp_path / "outside.md"
    outside.write_text("---\ntitle: Outside advice about quokkas\n---\n\nFeed the quokkas.\n", "utf-8")
    (folder / "link.md").symlink_to(outside)
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "dir.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    (folder / "here.md").write_text("---\ntitle: Inside advice about wombats\n---\n\nFeed the wombats.\n", "utf-8")
    (folder / "alias.md").symlink_to("here.md")
    loaded = {r.path for r in Workspace(wiki).load().records.values()} | {"wiki/preferences/alias.md"}
    assert set(scan.unpacked(scan.packed(str(wiki)))) == loaded
    assert not Workspace(wiki).search("quokkas") and Workspace(wiki).search("wombats")


@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "9" * 5000, "[" * 5000])
def test_settings_that_no_number_is_leave_the_default(tmp_path, value):
    (tmp_path / "llmwiki.toml").write_text(f"[context]\nbudget = {value}\n", "utf-8")
    assert settings.read(str(tmp_path)).budget == settings.Settings().budget


def test_a_number_that_toml_cannot_hold_is_told(wiki):
    (wiki / "llmwiki.toml").write_text(f"[context]\nbudget = {'9' * 5000}\n", "utf-8")
    with pytest.raises(WikiError, match="is no TOML"):
        Workspace(wiki).sync()
    assert json.dumps(Workspace(wiki).doctor())


@pytest.mark.parametrize("name", ["~nobody-of-this-name/x", "a" * 5000, "a\0b"])
def test_names_that_lead_nowhere_are_refused_in_a_sentence(wiki, name):
    with pytest.raises(WikiError, match="nothing at"):
        Workspace(wiki).sync(sources=(name,))
    if "\0" not in name:
        with pytest.raises(WikiError, match="no wiki at"):
            root.find_root(name, {}, wiki)


def test_a_root_of_nobody_in_the_settings_is_a_root_without_sessions(wiki):
    with (wiki / "llmwiki.toml").open("a") as file:
        file.write('\n[agents.codex]\nroots = ["~nobody-of-this-name/x"]\n')
    assert adds_up(Workspace(wiki).sync(agents=("codex",)))


def test_a_redact_rule_that_cannot_work_is_seen_by_doctor(wiki):
    with (wiki / "llmwiki.toml").open("a") as file:
        file.write('\n[[redact.rules]]\nname = "x"\npattern = "("\n')
    assert [c for c in Workspace(wiki).doctor()["checks"] if not c["ok"] and "does not compile" in c["message"]]


def test_a_project_of_broken_bytes_is_remembered(wiki, capsys):
    told = ["remember", "Use pnpm", "--project", os.fsdecode(b"\xff shop"), "--wiki", str(wiki)]
    with pytest.raises(SystemExit) as end:
        fast.main(told)
    assert end.value.code == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("uses", '{"records":[1]}'),
        ("uses", '{"records":{"x":5}}'),
        ("uses", '{"records":{"x":{"base":[],"page":[],"events":[],"settled":[]}}}'),
        ("uses", '{"records":{"x":{"base":[1,"",1,1],"page":[1,"",1,1],"events":[{"a":1}],"settled":[]}}}'),
        ("learned", '{"sessions":[1],"written":3}'),
        ("learned", '{"sessions":{"x":{"records":5}}}'),
        ("imported", '{"files":5}'),
        ("sync", '{"failed":5}'),
        ("sync", '{"failed":[{"source":"a"}]}'),
        ("forgetting", '{"gone":5}'),
        ("forgetting", '{"gone":{"sessions":5}}'),
        ("projects", '{"x":5}'),
        ("evolve", '{"at":5}'),
        ("learned", "{"),
    ],
)
def test_a_state_file_of_a_wrong_shape_is_put_aside_and_stops_nothing(wiki, tmp_path, name, text):
    store(tmp_path)
    state = wiki / f".llmwiki/state/{name}.json"
    told = []
    for run in ("sync", "status", "waiting", "doctor", "evolve", "forget"):
        state.parent.mkdir(parents=True, exist_ok=True)
        state.write_text(text)
        door = Workspace(wiki)
        if run == "forget":
            door.forget("s1")
        elif run == "sync":
            assert door.sync(sources=(str(tmp_path / "store"),))["failed"] == []
        else:
            getattr(door, run if run != "waiting" else "pending")()
        told += door.notices
    assert any(f"{name}.json.corrupt" in notice for notice in told)


def test_what_waits_is_looked_at_one_by_one(wiki, tmp_path):
    store(tmp_path)
    Workspace(wiki).sync(sources=(str(tmp_path / "store"),))
    (raw,) = Workspace(wiki).raw_stems.values()
    good = {"raw": raw, "ended": "2026-01-01T00:00:00Z"}
    state = wiki / ".llmwiki/state/pending.json"
    state.write_text(
        json.dumps({"a/b": 5, "c/d": {"raw": []}, "e/f": {"raw": raw, "ended": 5}, "claude-code/s1": good})
    )
    assert [one["session"] for one in Workspace(wiki).pending()] == ["claude-code/s1"]
