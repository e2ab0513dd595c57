"""The one deletion: nothing of it stays below the wiki, nothing brings it back, and all else is as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llmwiki import cache, cli, intake, markdown
from llmwiki.errors import WikiError
from llmwiki.learning import edited
from llmwiki.model import State
from llmwiki.workspace import Workspace
from tests.forgetting import (  # noqa: F401 - fixtures
    FIRST,
    SECOND,
    WORDS,
    backend,
    clock,
    holding,
    pages,
    records,
    store,
    synced,
    titled,
    transcript,
    wiki,
)
from tests.wikis import record, write

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


def test_a_spoiled_note_of_what_was_offered_goes_and_stops_no_forget(wiki):
    offers = wiki / ".llmwiki/state/offers.jsonl"
    offers.write_bytes(b"[" * 200_000 + FIRST.encode() + b"\n\xff " + FIRST.encode() + b"\n")
    Workspace(wiki).forget(FIRST)
    assert offers.read_bytes() == b"" and holding(wiki, *WORDS) == []


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


ONE, TWO = "a-one", "b-one"


def _merged(root, *more):
    """A wiki in which one failure was merged into another; their lines cite different sessions."""
    Workspace.init(root)
    for id, tool, stem in ((ONE, "wombat", "one"), (TWO, "ruff", "two"), *more):
        cite = f"[[{stem}#^t1]]"
        body = f"## Symptom\n\n- `{tool}: not found` {cite}\n\n## Cure\n\n- `uv run {tool}` {cite}\n"
        when = {"errors": [f"{tool}: not found"]}
        write(root, record(id, "", "failure", body=body, sources=(f"[[{stem}]]",), tags=(tool, "shell"), when=when))
    Workspace(root).review("merge", [ONE], into=TWO)
    return root


def test_a_record_that_was_merged_speaks_no_more_through_the_page_it_went_into(tmp_path):
    root = _merged(tmp_path)
    before = records(root)[TWO]
    assert "wombat" in before.body and "wombat" in before.tags and "[[one]]" in before.sources
    Workspace(root).forget(ONE)
    after = records(root)[TWO]
    assert holding(root, "wombat", ONE) == []
    assert after.sources == ("[[two]]",) and after.when == {"errors": ["ruff: not found"]}
    assert "ruff" in after.tags and [c.text for c in markdown.claims(after.body)] == [
        "`ruff: not found`",
        "`uv run ruff`",
    ]


def test_what_another_page_that_was_merged_says_too_stays(tmp_path):
    root = _merged(tmp_path, ("c-one", "wombat", "three"))
    Workspace(root).review("merge", ["c-one"], into=TWO)
    Workspace(root).forget(ONE)
    after = records(root)[TWO]
    assert "wombat" in after.tags and "wombat: not found" in after.when["errors"]
    assert after.sources == ("[[two]]", "[[three]]")


def test_a_page_that_is_gone_already_is_told_with_the_one_that_took_its_lines_over(tmp_path):
    root = _merged(tmp_path)
    (root / "wiki/archive/failures" / f"{ONE}.md").unlink()
    told = Workspace(root)
    assert told.forget(ONE)["removed"] == []
    assert any(TWO in notice and "took its lines over" in notice for notice in told.notices)
    assert TWO in records(root)


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


# -- what is said


def test_a_dry_run_says_would_and_names_each_file_of_an_agent_once(tmp_path, store, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Workspace.init(tmp_path / "wiki")
    for source in (Path(store).name, store):
        Workspace(tmp_path / "wiki").sync(sources=(source,))
    assert cli.main(["forget", FIRST, "--dry-run", "--wiki", str(tmp_path / "wiki")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("would forget: ") and "  would be removed raw/" in out and "  would be changed wiki/" in out
    assert [line for line in out.splitlines() if "own file" in line and FIRST in line and "subagents" not in line] == [
        f"not touched, the agent's own file: {store}/projects/-code-shop/{FIRST}.jsonl"
    ]


def test_a_file_that_an_older_sync_remembered_as_it_was_typed_is_named_once(tmp_path):
    seen = {path: {"id": FIRST} for path in ("store/a.jsonl", "./b.jsonl", "/code/store/a.jsonl", "/code/c.jsonl")}
    cache.put(tmp_path, "sources", {"seen": seen})
    assert intake.paths_of(tmp_path, {FIRST}) == ["./b.jsonl", "/code/c.jsonl", "/code/store/a.jsonl"]
