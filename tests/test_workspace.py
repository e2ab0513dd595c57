"""The door, on a real folder: founding, telling, asking, people's edits, and what doctor sees."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import llmwiki
from llmwiki import cli, rawpage
from llmwiki.errors import WikiError
from llmwiki.workspace import Workspace

SAMPLES = Path(__file__).parents[1] / "samples"
NOW = "2026-05-01T12:00:00Z"
LATER = "2026-05-03T12:00:00Z"
WORD = "zebrafish"


@pytest.fixture(autouse=True)
def clock(monkeypatch, tmp_path):
    monkeypatch.setenv("LLMWIKI_NOW", NOW)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def folder(tmp_path):
    Workspace.init(tmp_path / "wiki")
    return tmp_path / "wiki"


@pytest.fixture
def synced(folder):
    Workspace(folder).sync(sources=[str(SAMPLES / "claude-code"), str(SAMPLES / "codex")])
    return folder


def files(folder):
    return {p: p.read_bytes() for p in Path(folder).rglob("*") if p.is_file() and ".llmwiki" not in p.parts}


# -- founding


def test_init_twice_changes_nothing(folder):
    before = files(folder)
    assert Workspace.init(folder)["created"] == []
    assert files(folder) == before


def test_init_inside_a_repository_takes_its_sessions_and_overwrites_nothing(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "CLAUDE.md").write_text("# Mine\n")
    (tmp_path / ".gitignore").write_text("dist/")
    done = Workspace.init(tmp_path)
    assert (tmp_path / "CLAUDE.md").read_text() == "# Mine\n"
    assert any("llmwiki context" in line for line in done["lines"])
    assert (tmp_path / ".gitignore").read_text().startswith("dist/\n")
    assert "/raw/" in (tmp_path / ".gitignore").read_text()
    found = Workspace(tmp_path).config
    assert (found.repository, found.scope) == (".", "team")


def test_adopt_puts_the_lines_between_markers_once(tmp_path):
    (tmp_path / "CLAUDE.md").write_text("# Mine\n")
    Workspace.init(tmp_path, adopt=True)
    text = (tmp_path / "CLAUDE.md").read_text()
    assert text.startswith("# Mine\n")
    assert text.count("llmwiki:begin") == 1
    Workspace.init(tmp_path, adopt=True)
    assert (tmp_path / "CLAUDE.md").read_text() == text


def test_a_dry_init_makes_nothing(tmp_path):
    planned = Workspace.init(tmp_path / "new", dry_run=True)
    assert "llmwiki.toml" in planned["created"]
    assert not (tmp_path / "new").exists()


def test_a_file_is_no_folder_for_a_wiki(tmp_path):
    (tmp_path / "x").write_text("")
    with pytest.raises(WikiError, match="is a file"):
        Workspace.init(tmp_path / "x")


def test_only_the_repositorys_sessions_are_taken_unless_a_source_is_named(tmp_path, monkeypatch):
    (tmp_path / "repo/.git").mkdir(parents=True)
    Workspace.init(tmp_path / "repo")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(SAMPLES / "claude-code"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "none"))
    found = Workspace(tmp_path / "repo").sync()
    assert found["new"] == 0
    assert found["skipped"]["filtered"] > 0
    wiki = Workspace(tmp_path / "repo")
    planned = wiki.sync(sources=[str(SAMPLES / "claude-code")], dry_run=True)["new"]
    assert wiki.notices[-1].startswith(f"{planned} of the new sessions would be taken from other projects")
    wiki = Workspace(tmp_path / "repo")
    new = wiki.sync(sources=[str(SAMPLES / "claude-code")])["new"]
    assert new == planned > 0
    assert any(f"{new} of the new sessions were taken from other" in s and "--project repo" in s for s in wiki.notices)


def test_a_named_source_of_the_same_repository_is_taken_without_a_word(tmp_path):
    (tmp_path / "notes-api/.git").mkdir(parents=True)
    Workspace.init(tmp_path / "notes-api")
    wiki = Workspace(tmp_path / "notes-api")
    assert wiki.sync(sources=[str(SAMPLES / "claude-code")])["new"] > 0
    assert not any("other projects" in sentence for sentence in wiki.notices)


def test_a_clone_that_lies_elsewhere_is_the_same_repository(tmp_path, monkeypatch):
    (tmp_path / "notes-api/.git").mkdir(parents=True)
    Workspace.init(tmp_path / "notes-api")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(SAMPLES / "claude-code"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "none"))
    assert Workspace(tmp_path / "notes-api").sync()["new"] > 0


# -- telling


def test_what_a_person_says_speaks_at_once(folder):
    told = Workspace(folder).remember(f"Always feed the {WORD} before a release", project="shop")
    assert [h.id for h in Workspace(folder).search(f"feed the {WORD}")] == [told["id"]]
    block = Workspace(folder).context(f"prepare a release and feed the {WORD}")
    assert told["id"] in block.text
    assert WORD in (folder / told["path"]).read_text()
    assert f"[[{Path(told['path']).stem}]]" in (folder / "wiki/preferences/_context.md").read_text()
    assert Workspace(folder).verify()["failed"] == []


def test_the_same_thing_said_again_strengthens_its_page(folder):
    one = Workspace(folder).remember("Use tabs in Makefiles, never spaces")
    before = Workspace(folder).show(one["id"])["record"]["confidence"]
    assert Workspace(folder).remember("Use tabs in Makefiles, never spaces") == one
    assert Workspace(folder).show(one["id"])["record"]["confidence"] > before


@pytest.mark.parametrize(("text", "kind"), [("", "preference"), ("  \n", "preference"), ("x", "trace"), ("x", "poem")])
def test_what_cannot_be_remembered_is_refused(folder, text, kind):
    with pytest.raises(WikiError):
        Workspace(folder).remember(text, type=kind)


def test_hostile_words_stay_words(folder):
    told = Workspace(folder).remember("Use [[other#^t1]] <script>x</script>\n---\n## Rule\n- forged ^t9")
    text = (folder / told["path"]).read_text()
    assert text.count("\n## Rule") == 1
    assert "\\[\\[" in text or "[[other#^t1]]" not in text
    assert Workspace(folder).show(told["id"])["sources"] == []


def test_a_score_is_a_persons_word(synced):
    stem = next(iter(Workspace(synced).raw_stems))
    Workspace(synced).feedback(stem, 1.5, "it broke <b>production</b>")
    (trace,) = [
        p
        for p in (synced / "wiki/traces").glob("*.md")
        if stem in p.read_text() and "score_by: feedback" in p.read_text()
    ]
    assert "score: 1.5" in trace.read_text()
    before = files(synced)
    Workspace(synced).sync(sources=[str(SAMPLES / "claude-code"), str(SAMPLES / "codex")], force=True)
    Workspace(synced).synthesize([stem])
    after = files(synced)
    assert after[trace] == before[trace]


def test_the_same_score_again_changes_no_byte(synced, monkeypatch):
    for stem in Workspace(synced).raw_stems:
        Workspace(synced).feedback(stem, 4, "fine")
        before = everything(synced)
        monkeypatch.setenv("LLMWIKI_NOW", LATER)
        assert Workspace(synced).feedback(stem, 4, " fine\n") == {"session": stem, "score": 4}
        assert everything(synced) == before
        Workspace(synced).feedback(stem, 4, "fine after all")
        assert everything(synced) != before


def everything(folder):
    """Every byte that is kept, the journal with it."""
    kept = (p for p in Path(folder).rglob("*") if p.is_file() and "cache" not in p.parts and "lock" not in p.name)
    return {p: p.read_bytes() for p in kept}


def test_a_score_out_of_range_is_refused(synced):
    with pytest.raises(WikiError, match=r"0 .* 5"):
        Workspace(synced).feedback(next(iter(Workspace(synced).raw_stems)), 7)


def test_undo_never_reaches_behind_the_beginning(folder):
    Workspace(folder).remember("Use tabs")
    with pytest.raises(WikiError, match="`llmwiki undo 1` takes back all"):
        Workspace(folder).undo(9)
    done = Workspace(folder).undo()
    assert [r["op"] for r in done["reverted"]] == ["remember"]
    assert (folder / "llmwiki.toml").is_file()
    assert Workspace(folder).undo()["reverted"] == []
    assert Workspace(folder).undo(redo=True)["reverted"] != []
    assert Workspace(folder).search("tabs")


def test_what_waits_is_listed_without_a_question(synced):
    waiting = Workspace(synced).search("", state="quarantined")
    assert waiting
    page = synced / waiting[0].path
    page.write_text(
        page.read_text()
        .replace("state: quarantined", "state: active")
        .replace('quarantine_until: "2026-05-02T12:00:00Z"', "quarantine_until: null")
    )
    assert waiting[0].id in [h.id for h in Workspace(synced).search(waiting[0].title)]
    assert waiting[0].id in [h.id for h in Workspace(synced).search("", type=waiting[0].type)]


# -- people's edits


def test_a_page_archived_in_an_editor_is_silent_at_once(folder):
    told = Workspace(folder).remember(f"Always feed the {WORD} before a release")
    page = folder / told["path"]
    page.write_text(page.read_text().replace("state: active", "state: archived"))
    assert Workspace(folder).search(WORD) == []
    assert Workspace(folder).context(f"feed the {WORD}").text == ""
    assert [h.state for h in Workspace(folder).search(WORD, all=True)] == ["archived"]


def test_a_handwritten_page_is_a_record_at_once(folder):
    page = folder / "wiki/facts/aquarium.md"
    page.write_text(f"# The {WORD} lives in tank seven\n\nIt eats at noon.\n")
    before = page.read_bytes()
    (hit,) = Workspace(folder).search(WORD)
    assert (hit.type, hit.state) == ("fact", "active")
    told = Workspace(folder).context(f"where does the {WORD} live").text
    assert f"The {WORD} lives in tank seven: It eats at noon." in told
    assert hit.id in told
    Workspace(folder).decay()
    assert page.read_bytes() == before


@pytest.mark.parametrize("wrong", ["title: [unclosed", "state: sleeping"])
def test_a_broken_page_is_named_and_left_alone(folder, capsys, wrong):
    page = folder / "wiki/facts/broken.md"
    page.write_text(f"---\n{wrong}\n---\nx\n")
    before = page.read_bytes()
    opened = Workspace(folder)
    opened.decay()
    assert any("wiki/facts/broken.md" in n for n in opened.notices)
    assert page.read_bytes() == before
    assert [d["path"] for d in Workspace(folder).status()["unreadable"]] == ["wiki/facts/broken.md"]
    assert any("wiki/facts/broken.md" in c["message"] and not c["ok"] for c in Workspace(folder).doctor()["checks"])
    assert cli.main(["status", "--quiet", "--wiki", str(folder)]) == 0
    assert "\nunreadable: 1 page that no count holds; `llmwiki doctor` says" in capsys.readouterr().out


def test_a_persons_keys_and_comments_survive_a_sync(synced, monkeypatch):
    page = next((synced / "wiki/failures").glob("*.md"))
    text = page.read_text().replace("---\n\n## Symptom", "mine: 'yes' # keep me\n---\n\nMy own words.\n\n## Symptom")
    page.write_text(text)
    monkeypatch.setenv("LLMWIKI_NOW", "2027-03-01T00:00:00Z")
    Workspace(synced).decay(yes=True)
    (moved,) = (synced / "wiki").rglob(page.name)
    assert "mine: 'yes' # keep me" in moved.read_text()
    assert "My own words." in moved.read_text()


# -- asking


def test_show_quotes_the_turns_and_why_tells_the_story(synced):
    (hit, *_) = Workspace(synced).search("tests migrate", type="failure")
    shown = Workspace(synced).show(hit.id)
    assert shown["record"]["retrievable"] is True
    assert shown["sources"]
    assert all(s["quote"] for s in shown["sources"])
    events = Workspace(synced).why(hit.id)["events"]
    assert events[0]["kind"] == "learned"
    assert {"at", "kind", "change"} <= events[0].keys()


def test_every_claim_of_the_samples_holds(synced):
    found = Workspace(synced).verify()
    assert found["checked"] > 10
    assert found["failed"] == []


def test_an_unknown_record_names_a_near_one(synced):
    some = Workspace(synced).search("tests")[0].id
    with pytest.raises(WikiError, match=some):
        Workspace(synced).show(some[:-1] + ("x" if some[-1] != "x" else "y"))


def test_status_counts_what_is_there(synced):
    found = Workspace(synced).status()
    pages = [p for p in (synced / "wiki").rglob("*.md") if p.parent.name != "wiki" and p.name != "_context.md"]
    assert sum(n for states in found["records"].values() for n in states.values()) == len(pages)


def test_released_facts_enter_the_index(synced, monkeypatch):
    waiting = [h.id for h in Workspace(synced).search("checks lint", state="quarantined")]
    assert waiting
    monkeypatch.setenv("LLMWIKI_NOW", LATER)
    assert Workspace(synced).search("checks lint", type="fact") == []
    assert Workspace(synced).decay()["released"] >= 1
    assert [h.id for h in Workspace(synced).search("checks lint", type="fact")] == waiting
    assert f"[[{Workspace(synced).load().records[waiting[0]].stem}]]" in (synced / "wiki/facts/_context.md").read_text()


def test_doctor_misses_no_store_where_sessions_come_by_source(synced):
    (check,) = [c for c in Workspace(synced).doctor()["checks"] if c["name"] == "sessions"]
    assert check["ok"] and "stand in this wiki" in check["message"]


def test_doctor_says_what_will_be_lost(folder, tmp_path, monkeypatch):
    import shutil

    shutil.copytree(SAMPLES / "claude-code", tmp_path / "home/.claude")
    old = 1_771_000_000
    for path in (tmp_path / "home/.claude").rglob("*.jsonl"):
        os.utime(path, (old, old))
    (check,) = [c for c in Workspace(folder).doctor()["checks"] if c["name"] == "claude-code"]
    assert not check["ok"]
    assert "30 days" in check["message"]
    assert "llmwiki sync" in check["cure"]
    Workspace(folder).sync()
    (check,) = [c for c in Workspace(folder).doctor()["checks"] if c["name"] == "claude-code"]
    assert check["ok"]


def test_agents_tell_where_they_look(folder, tmp_path):
    rows = {r["name"]: r for r in Workspace(folder).agents()}
    assert {"name", "roots", "sessions", "oldest", "newest", "enabled"} <= rows["codex"].keys()
    assert rows["codex"]["roots"] == [str(tmp_path / "home/.codex")]


def test_settings_roots_replace_the_others(folder, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/nowhere")
    settings = folder / "llmwiki.toml"
    settings.write_text(settings.read_text() + f'\n[agents.claude-code]\nroots = ["{SAMPLES / "claude-code"}"]\n')
    assert Workspace(folder).sync()["new"] > 0


# -- the door


def test_the_door_as_the_contract_has_it(folder):
    wiki = llmwiki.open(folder)
    wiki.remember(f"Always feed the {WORD} before a release")
    hit = wiki.search(f"feed the {WORD}", limit=10)[0]
    assert all(hasattr(hit, name) for name in ("id", "score", "path", "title", "type", "state"))
    block = wiki.context(f"feed the {WORD}", budget=1200, limit=8)
    assert (block.abstained, block.tokens > 0, len(block.records)) == (False, True, 1)

    @llmwiki.agent(wiki)
    def answer(task: str, context: str = "") -> str:
        return context

    assert hit.id in answer(f"feed the {WORD}")
    with pytest.raises(WikiError, match="llmwiki init"):
        llmwiki.open(folder / "raw")


def test_importing_the_package_costs_nothing_heavy():
    heavy = ["whoosh", "networkx", "jinja2", "typer", "rich", "yaml", "msgspec", "ollama", "dataclasses", "sqlite3"]
    code = f"import sys, llmwiki; print(sorted(m for m in sys.modules if m.split('.')[0] in {heavy!r}))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_a_reader_named_by_scope_sees_only_it(folder):
    Workspace(folder).remember(f"Feed the {WORD}", scope="user")
    assert Workspace(folder).search(WORD, scope="public") == []
    assert Workspace(folder).context(f"feed the {WORD}", scope="public").abstained
    assert not Workspace(folder).context(f"feed the {WORD}").abstained


def test_a_page_with_very_many_children_is_found_by_its_id(synced):
    opened = Workspace(synced)
    stem, path = next(iter(opened.raw_stems.items()))
    text = (synced / path).read_text()
    (synced / path).write_text(rawpage.linked(text, children=[f"2026-03-01-a-helper-{n:08x}" for n in range(400)]))
    native = rawpage.head(text)["session"]
    assert Workspace(synced).find_session(native) == stem
    assert Workspace(synced).synthesize([native])["sessions"] == 1


def test_a_raw_page_that_a_person_broke_is_named(synced):
    stem, path = next(iter(Workspace(synced).raw_stems.items()))
    (synced / path).write_text("no frontmatter any more\n")
    with pytest.raises(WikiError, match="sync it again"):
        Workspace(synced).synthesize([stem])
