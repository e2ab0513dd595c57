"""The one deletion: nothing of it stays below the wiki, nothing brings it back, and all else is as it was."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from llmwiki import cli, markdown, tombstones
from llmwiki.errors import WikiError
from llmwiki.learning import edited
from llmwiki.model import State
from llmwiki.tombstones import Tombstones
from llmwiki.workspace import Workspace
from tests.spoken import lines, replied, said
from tests.wikis import record, write

NOW = "2026-05-01T12:00:00Z"
FIRST = "aaaa1111-2222-4333-8444-quokka000001".replace("quokka", "d0d0d0")
SECOND = "bbbb1111-2222-4333-8444-e0e0e0000002"
THIRD = "cccc1111-2222-4333-8444-f0f0f0000003"
# What only the first session holds: in a prompt, in a tool's output, in its title and so in names of files.
WORDS = ("quokkaprompt", "wombatoutput", "numbattitle", "dingorule", "koalachild", FIRST)
SHARED = "Always use pnpm in this repository, never npm."


@pytest.fixture(autouse=True)
def clock(monkeypatch, tmp_path):
    monkeypatch.setenv("LLMWIKI_NOW", NOW)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def transcript(native, *prompts, output="", cwd="/code/shop"):
    """A session of these prompts, each answered by a test run that passes; the first one's output is given."""
    out = []
    for n, prompt in enumerate(prompts):
        at = {"timestamp": f"2026-04-01T10:0{n}:00.000Z", "cwd": cwd, "gitBranch": "main"}
        call = {"type": "tool_use", "id": f"c{n}", "name": "Bash", "input": {"command": "pytest tests/test_a.py -q"}}
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": output or "3 passed"}
        out += [said(prompt, native, **at), replied(call, session_id=native, **at), said([result], native, **at)]
        out.append(replied({"type": "text", "text": "Done."}, session_id=native, **at))
    return lines(*out)


@pytest.fixture
def store(tmp_path):
    """Two sessions that teach one rule, of which the first also teaches one of its own and has a subagent; a third in
    another project."""
    folder = tmp_path / "store/projects/-code-shop"
    child = folder / FIRST / "subagents" / "agent-koalachild1.jsonl"
    child.parent.mkdir(parents=True)
    prompts = (
        "Numbattitle: mend the quokkaprompt importer",
        SHARED,
        "From now on always run the dingorule linter before you commit.",
        "Thanks, that works",
    )
    (folder / f"{FIRST}.jsonl").write_bytes(transcript(FIRST, *prompts, output="wombatoutput 3 passed"))
    at = {"timestamp": "2026-04-01T10:01:30.000Z", "cwd": "/code/shop", "isSidechain": True, "agentId": "koalachild1"}
    inner = [said("Look for koalachild files", FIRST, **at)]
    inner.append(replied({"type": "text", "text": "None."}, session_id=FIRST, **at))
    child.write_bytes(lines(*inner))
    (folder / f"{SECOND}.jsonl").write_bytes(transcript(SECOND, "Write the changelog", SHARED, "Thanks, that works"))
    other = tmp_path / "store/projects/-code-till"
    other.mkdir()
    rule = "Never edit the generated files in dist by hand."
    (other / f"{THIRD}.jsonl").write_bytes(transcript(THIRD, "Start the till", rule, "Great, thanks", cwd="/code/till"))
    return str(tmp_path / "store")


@pytest.fixture(params=["whoosh", "sqlite"])
def backend(request):
    return request.param


@pytest.fixture
def wiki(tmp_path, store):
    return synced(tmp_path / "wiki", store)


def synced(folder, store):
    Workspace.init(folder)
    Workspace(folder).sync(sources=(store,))
    return folder


def holding(root, *words):
    """The files below a folder that hold one of these words, whatever their kind; names of files count."""
    found = []
    for path in sorted(Path(root).rglob("*")):
        name = path.relative_to(root).as_posix()
        content = name.lower().encode() + (path.read_bytes().lower() if path.is_file() else b"")
        found += [(name, word) for word in words if word.lower().encode() in content]
    return [hit for hit in found if not hit[0].startswith(".git/")]


def pages(root):
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in Path(root).rglob("*.md")}


def records(root):
    return Workspace(root).load().records


def titled(root, word):
    return next(r for r in records(root).values() if word in r.title.lower() and r.type.value != "trace")


# -- a session


def test_nothing_of_a_session_stays_below_the_wiki(tmp_path, store, backend):
    root = tmp_path / "wiki"
    Workspace.init(root)
    settings = (root / "llmwiki.toml").read_text().replace('backend = "whoosh"', f'backend = "{backend}"')
    (root / "llmwiki.toml").write_text(settings)
    assert backend in settings
    Workspace(root).sync(sources=(store,))
    rule = titled(root, "dingorule")
    Workspace(root).remember("An own word about otters", project="shop")
    Workspace(root).feedback(FIRST, 4, note="fine")
    offers = root / ".llmwiki/state/offers.jsonl"
    given = [{"session": FIRST, "records": [rule.id]}, {"session": SECOND, "records": [rule.id, "x-1234"]}]
    offers.write_text("".join(json.dumps(one) + "\n" for one in given))
    own = root / "wiki/facts/my-own.md"
    own.write_text(f"# Mine\n\nSee [[{rule.stem}|that rule]] and [[{rule.stem}]].\n")
    (root / ".llmwiki/state/learned.json.corrupt").write_text(rule.title)
    Workspace(root).decay()
    names = (*WORDS, rule.id, rule.stem)
    assert {word for _, word in holding(root, *names)} == set(names), "the test would prove nothing"

    done = Workspace(root).forget(FIRST)
    assert holding(root, *names) == []
    assert [p for p in done["removed"] if p.startswith("raw/")] and rule.path in done["removed"]
    assert own.read_text() == "# Mine\n\nSee that rule and (forgotten).\n"
    assert json.loads(offers.read_text()) == {"session": SECOND, "records": ["x-1234"]}
    assert [hit.title for hit in Workspace(root).search("otters")] == ["An own word about otters"]


def test_a_sync_does_not_take_it_in_again_and_its_counts_add_up(wiki, store):
    Workspace(wiki).forget(FIRST)
    before = pages(wiki)
    for force in (False, True):
        again = Workspace(wiki).sync(sources=(store,), force=force)
        assert again["skipped"] == {"ignored": 2} and again["new"] == again["updated"] == 0
        assert again["discovered"] == again["unchanged"] + 2
        assert holding(wiki, *WORDS) == []
    assert pages(wiki) == before


def test_another_clone_does_not_learn_it_either(wiki, store, tmp_path):
    clone = synced(tmp_path / "clone", store)
    Workspace(wiki).forget(FIRST)
    (clone / "wiki/.forgotten").write_bytes((wiki / "wiki/.forgotten").read_bytes())
    there = Workspace(clone)
    assert there.sync(sources=(store,))["skipped"] == {"ignored": 2}
    assert any("still has a page here" in notice for notice in there.notices)
    fresh = tmp_path / "fresh"
    Workspace.init(fresh)
    (fresh / "wiki/.forgotten").write_bytes((wiki / "wiki/.forgotten").read_bytes())
    Workspace(fresh).sync(sources=(store,))
    assert holding(fresh, *WORDS) == []


def test_what_others_taught_too_stays_without_its_word(wiki):
    shared = titled(wiki, "pnpm")
    assert len(shared.sources) == 2
    before = records(wiki)
    done = Workspace(wiki).forget(FIRST)
    left = records(wiki)
    assert left[shared.id].sources == tuple(s for s in shared.sources if "changelog" in s)
    assert all(c.cites and "changelog" in c.cites[0].stem for c in markdown.claims(left[shared.id].body))
    assert shared.path in done["changed"]
    gone = before.keys() - left.keys()
    assert gone == set(done["records"]) and len(gone) >= 3, "the rule of its own, and the traces of both its pages"
    for id in left.keys() - {shared.id}:
        assert left[id] == before[id]
    assert Workspace(wiki).verify()["failed"] == []
    by_person = edited(Workspace(wiki), Workspace(wiki).load())
    assert shared.id not in by_person, "our own page stays our own"


def test_its_children_go_with_it_and_a_child_goes_alone(wiki, tmp_path, store):
    told = Workspace(wiki)
    done = told.forget(FIRST, dry_run=True)
    assert len(done["sessions"]) == 2 and "sessions that came out of it" in " ".join(told.notices)
    child = next(stem for stem in done["sessions"] if "koala" in stem)
    done = Workspace(wiki).forget(child)
    assert done["sessions"] == [child]
    assert {path for path, _ in holding(wiki, child)} == set()
    assert [stem for stem in Workspace(wiki).raw_stems if "numbattitle" in stem]
    Workspace(wiki).sync(sources=(store,))
    assert [stem for stem in Workspace(wiki).raw_stems if "koala" in stem] == []


@pytest.mark.parametrize("name", ["id", "start", "stem", "path"])
def test_a_session_is_known_by_all_its_names(wiki, name):
    stem = next(s for s in Workspace(wiki).raw_stems if "numbattitle" in s)
    path = Workspace(wiki).raw_stems[stem]
    asked = {"id": FIRST, "start": FIRST[:8], "stem": stem, "path": path}[name]
    assert stem in Workspace(wiki).forget(asked)["sessions"]
    again = Workspace(wiki)
    assert again.forget(asked if name != "path" else stem)["removed"] == []
    assert again.notices == ["that is forgotten already"] or "clock" in again.notices[0]


def test_a_dry_run_touches_nothing_and_says_what_would_go(wiki):
    before = {p: p.read_bytes() for p in wiki.rglob("*") if p.is_file()}
    plan = Workspace(wiki).forget(FIRST, dry_run=True)
    assert {p: p.read_bytes() for p in wiki.rglob("*") if p.is_file()} == before
    done = Workspace(wiki).forget(FIRST)
    assert done == plan
    assert all(not (wiki / path).exists() for path in done["removed"])


def test_what_is_nothing_is_refused(wiki):
    for wanted, cure in (({"name": "no-such-thing"}, "search --raw"), ({"project": "nobody"}, "how it is written")):
        with pytest.raises(WikiError, match=cure):
            Workspace(wiki).forget(**wanted)
    for wanted in ({}, {"name": FIRST, "project": "shop"}):
        with pytest.raises(WikiError, match="one thing"):
            Workspace(wiki).forget(**wanted)


# -- a record


def test_a_record_goes_its_session_stays_and_the_lesson_does_not_come_back(wiki, store):
    rule = titled(wiki, "dingorule")
    done = Workspace(wiki).forget(rule.id)
    assert done["removed"] == [rule.path] and done["records"] == [rule.id] and done["sessions"] == []
    assert [path for path in done["stays"] if "numbattitle" in path]
    assert {p for p, _ in holding(wiki, rule.id, rule.stem)} == set()
    again = Workspace(wiki).sync(sources=(store,), force=True)
    assert (again["new"], again["updated"]) == (0, 0)
    learned = Workspace(wiki).synthesize([FIRST])
    assert learned["records"]["refused"]["discarded"] == 1
    assert rule.id not in records(wiki)


def test_another_session_with_the_same_words_does_not_teach_it_again(wiki, store):
    rule = titled(wiki, "dingorule")
    Workspace(wiki).forget(rule.id)
    later = Path(store) / "projects/-code-shop/dddd1111-2222-4333-8444-a0a0a0000004.jsonl"
    words = "From now on always run the Dingorule linter before you commit!"
    later.write_bytes(transcript(later.stem, "Add a page", words, "Thanks, that works"))
    found = Workspace(wiki).sync(sources=(store,))
    assert found["new"] == 1 and found["records"]["refused"]["discarded"] == 1
    assert [r for r in records(wiki).values() if "ingorule" in r.title and r.type.value != "trace"] == []
    other = Path(store) / "projects/-code-till/eeee1111-2222-4333-8444-a0a0a0000005.jsonl"
    other.write_bytes(transcript(other.stem, "Add a page", words, "Thanks, that works", cwd="/code/till"))
    Workspace(wiki).sync(sources=(store,))
    assert titled(wiki, "ingorule").project == "till", "another project has its own rules"


def test_pages_that_named_it_name_it_no_more(tmp_path):
    Workspace.init(tmp_path)
    opposite = record(
        "use-npm", "Use npm. [[never-use-npm]] says the opposite.", "preference", reason="contradicts never-use-npm",
        state=State.QUARANTINED, quarantine_until=None,
    )  # fmt: skip
    older = record("use-yarn", "Use yarn.", "preference", superseded_by="never-use-npm")
    trace = record("a-trace", "Did it.", "trace", offered=("never-use-npm", "use-yarn"), used=("never-use-npm",))
    heir = record("heir", "It is so.", supersedes=("never-use-npm",), parents=("never-use-npm",))
    write(tmp_path, opposite, older, trace, heir, record("never-use-npm", "Never use npm.", "preference"))
    Workspace(tmp_path).decay()
    Workspace(tmp_path).forget("never-use-npm")
    assert holding(tmp_path, "never-use-npm") == []
    left = records(tmp_path)
    assert left["use-npm"].reason == "contradicts a forgotten page"
    assert (left["use-yarn"].superseded_by, left["use-yarn"].state) == ("", State.QUARANTINED)
    assert left["use-yarn"].quarantine_until is None and "forgotten" in left["use-yarn"].reason
    assert (left["a-trace"].offered, left["a-trace"].used) == (("use-yarn",), ())
    assert (left["heir"].supersedes, left["heir"].parents) == ((), ())


def test_a_project_goes_whole_and_no_other_with_it(wiki, store):
    before = pages(wiki)
    told = Workspace(wiki)
    told.remember("Shop has a rule of quoll", project="shop")
    done = told.forget(project="shop")
    assert len(done["sessions"]) == 3
    assert all(r.project != "shop" for r in records(wiki).values())
    assert holding(wiki, *WORDS, SECOND, "changelog", "quoll", "raw/claude-code/shop", "/code/shop") == []
    kept = {path for path in before if "till" in path or "generated" in path}
    assert kept and all((wiki / path).read_bytes() == before[path] for path in kept)
    again = Workspace(wiki).sync(sources=(store,))
    assert again["skipped"] == {"ignored": 3} and again["new"] == 0


def test_other_sessions_that_name_it_and_pages_that_do_not_parse_are_told_and_not_touched(wiki, store):
    later = Path(store) / "projects/-code-till/ffff1111-2222-4333-8444-a0a0a0000006.jsonl"
    later.write_bytes(transcript(later.stem, f"Read session {FIRST} again", "Thanks", cwd="/code/till"))
    Workspace(wiki).sync(sources=(store,))
    broken = wiki / "wiki/facts/broken.md"
    broken.write_text(f"---\nstate: [\n---\n\nof {FIRST}\n")
    theirs = next(path for path in wiki.glob("raw/*/till/*.md") if "read-session" in path.name)
    before = theirs.read_bytes()
    told = Workspace(wiki)
    told.forget(FIRST)
    assert (theirs.read_bytes(), broken.read_text().count(FIRST)) == (before, 1)
    said = next(notice for notice in told.notices if "still name it" in notice)
    assert "wiki/facts/broken.md" in said and theirs.relative_to(wiki).as_posix() in said
    assert told.sync(sources=(store,), session=FIRST)["skipped"]["ignored"] == 2
    assert not any("no session is called" in notice for notice in told.notices)


def test_a_page_by_hand_with_an_odd_name_goes_like_any_other(tmp_path):
    Workspace.init(tmp_path)
    page = tmp_path / "wiki/facts/größe der Übung.md"
    page.write_text("# Eine Zahl für den Wombatoutput\n\nEs sind 4711.\n")
    link = tmp_path / "wiki/facts/other.md"
    link.write_text("# Other\n\nSee [[größe der Übung]], and \\[[größe der Übung|the number]].\n")
    Workspace(tmp_path).index()
    Workspace(tmp_path).forget("größe der Übung")
    assert holding(tmp_path, "größe", "4711", "wombatoutput") == []
    assert link.read_text() == "# Other\n\nSee (forgotten), and \\the number.\n"


def test_an_imported_file_goes_and_its_next_text_does_not_bring_it_back(tmp_path):
    root, file = tmp_path / "wiki", tmp_path / "shop/CLAUDE.md"
    Workspace.init(root)
    file.parent.mkdir()
    file.write_text("# Rules\n\n- Always run the dingorule linter before a commit.\n- Use tabs in Makefiles.\n")
    Workspace(root).import_([str(file)], project="shop")
    rule = titled(root, "dingorule")
    page = next(iter(Workspace(root).raw_stems))
    done = Workspace(root).forget(page)
    assert rule.id in done["records"] and holding(root, "dingorule", rule.id, page) == []
    assert Workspace(root).import_([str(file)], project="shop")["created"] == []
    file.write_text(file.read_text() + "- Never edit the generated files by hand.\n")
    assert len(Workspace(root).import_([str(file)], project="shop")["created"]) == 1
    assert [r for r in records(root).values() if "ingorule" in r.title] == []


# -- journal, undo, kills


def test_an_undo_cannot_bring_it_back_and_says_so(wiki, store):
    with_it = pages(wiki)
    Workspace(wiki).forget(FIRST)
    after = pages(wiki)
    with pytest.raises(WikiError, match="cannot be brought back"):
        Workspace(wiki).undo()
    assert pages(wiki) == after
    assert Workspace(wiki).undo(redo=True) == {"reverted": [], "kept": []}
    told = Workspace(wiki)
    done = told.undo(2)
    assert [one["op"] for one in done["reverted"]] == ["sync"]
    assert done["forgotten"] >= 3 and any("cannot be taken back" in notice for notice in told.notices)
    assert holding(wiki, *WORDS) == []
    assert not [path for path in pages(wiki) if "changelog" in path and path.startswith("raw/")], "the rest is undone"
    Workspace(wiki).undo(redo=True)
    assert [path for path in pages(wiki) if "changelog" in path and path.startswith("raw/")]
    assert holding(wiki, *WORDS) == [] and with_it


def test_what_came_after_a_forget_can_be_undone(wiki):
    Workspace(wiki).forget(FIRST)
    before = {p: t for p, t in pages(wiki).items() if not p.startswith("wiki/log")}
    Workspace(wiki).remember("Use tabs in Makefiles")
    assert [one["op"] for one in Workspace(wiki).undo()["reverted"]] == ["remember"]
    assert {p: t for p, t in pages(wiki).items() if not p.startswith("wiki/log")} == before


def test_lessons_that_were_taken_back_before_leave_the_journal_too(tmp_path, store):
    """A page that the session gave and that was moved or derived again since is only in the journal by then."""
    root = synced(tmp_path / "wiki", store)
    rule = titled(root, "dingorule")
    text = (root / rule.path).read_text()
    with Workspace(root).operation("review") as operation:
        from llmwiki.model import Change

        operation.apply([Change("wiki/facts/bilbynote.md", text.replace(rule.id, "bilbynote-1111"))])
        operation.apply([Change("wiki/facts/bilbynote.md", None)])
    assert holding(root, "bilbynote")
    Workspace(root).forget(FIRST)
    assert holding(root, "bilbynote", *WORDS) == []


class Killed(BaseException):
    pass


@pytest.mark.parametrize("at", range(12))
def test_a_forget_that_is_killed_anywhere_is_ended_by_the_next(wiki, store, monkeypatch, at):
    from llmwiki import disk

    count = iter(range(1000))
    real = disk.sync_folder

    def dies(folder):
        if next(count) == at * 3 + 1:
            raise Killed
        real(folder)

    with monkeypatch.context() as patched:
        patched.setattr(disk, "sync_folder", dies)
        try:
            Workspace(wiki).forget(FIRST)
        except Killed:
            for path in wiki.rglob("*.md"):
                assert path.read_text().endswith("\n"), "half a page"
    Workspace(wiki).forget(FIRST)
    assert holding(wiki, *WORDS) == []
    assert not (wiki / ".llmwiki/state/forgetting.json").exists()
    assert Workspace(wiki).sync(sources=(store,))["skipped"] == {"ignored": 2}
    assert holding(wiki, *WORDS) == []


def test_another_writer_ends_it_too(wiki, store, monkeypatch):
    from llmwiki import purge

    def dies(journal):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(purge, "finish", lambda journal: dies(journal) if purge.unfinished(journal.root) else False)
        with pytest.raises(Killed):
            Workspace(wiki).forget(FIRST)
    assert holding(wiki, *WORDS)
    told = Workspace(wiki)
    told.remember("Use tabs in Makefiles")
    assert holding(wiki, *WORDS) == [] and any("finished a forget" in notice for notice in told.notices)


# -- what is told


def git(folder, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    return subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True, text=True).stdout


def test_it_tells_what_git_has_by_the_names_that_git_gives(tmp_path, store, capsys):
    git(tmp_path, "init", "-q")
    root = synced(tmp_path / "deep/wiki", store)
    rule = titled(root, "dingorule")
    git(tmp_path, "add", "deep")
    git(tmp_path, "commit", "-q", "-m", "a wiki")
    assert cli.main(["forget", FIRST, "--wiki", str(root)]) == 0
    out = capsys.readouterr().out
    assert f"--path deep/wiki/{rule.path}" in out and "git filter-repo --invert-paths" in out
    assert "deep/wiki/wiki/preferences/_context.md" in out, "its former versions name it"
    assert "deep/wiki/raw/" not in out, "git ignores raw pages and never had them"
    assert f"{FIRST}.jsonl" in out, "the agent's own file"
    git(tmp_path, "add", "-A", "deep")
    git(tmp_path, "commit", "-q", "-m", "without")
    assert b"salt " in (root / "wiki/.forgotten").read_bytes()
    assert "deep/wiki/wiki/.forgotten" in git(tmp_path, "ls-files"), "other clones must know"


def test_without_git_nothing_is_said_of_it_and_json_is_one_document(wiki, capsys, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(wiki.parent))
    assert cli.main(["forget", FIRST[:8], "--wiki", str(wiki), "--json", "--quiet"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == "" and document["history"] == document["rewritten"] == []
    assert all(path.endswith(".md") for path in document["removed"])


def test_a_terminal_asks(wiki, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    asked = []
    monkeypatch.setattr("typer.confirm", lambda text, **_: bool(asked.append(text)))
    before = pages(wiki)
    assert cli.main(["forget", FIRST, "--wiki", str(wiki)]) == 0
    assert pages(wiki) == before and "cannot be taken back" in asked[0]
    assert "numbattitle" in capsys.readouterr().err, "what is asked about stands above the question"
    assert cli.main(["forget", FIRST, "--wiki", str(wiki), "--yes"]) == 0
    assert len(asked) == 1 and pages(wiki) != before


def test_tombstones_tell_nothing_and_unite(wiki):
    Workspace(wiki).forget(FIRST)
    text = (wiki / "wiki/.forgotten").read_text()
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    assert rows == sorted(rows) and all(line.startswith("salt ") or len(line) == 64 for line in rows)
    Workspace(wiki).forget(THIRD)
    both = Tombstones((wiki / "wiki/.forgotten").read_text())
    assert both.session("claude-code", FIRST) and both.session("claude-code", THIRD)
    assert not both.session("codex", FIRST) and not both.session("claude-code", SECOND)
    both = record("use-tabs", "Use tabs in Makefiles\nIndent Makefiles by tabs, always", "preference", project="shop")
    stones = Tombstones(tombstones.added(text, tombstones.of_lesson(both), ""))
    for words in ("Use TABS, in Makefiles!", "Indent Makefiles by tabs, always."):
        again = record("another-id", words, "preference", project="shop", title=words)
        assert stones.lesson(again), "each session that taught the page had words of its own"
        assert not stones.lesson(replace(again, project="till"))
        assert not stones.lesson(record("other", words, "fact", project="shop", title=words))
    united = Tombstones(text + "salt 00112233445566778899aabbccddeeff\n<<<<<<< HEAD\n")
    assert united.session("claude-code", FIRST) and not united.session("claude-code", THIRD)
