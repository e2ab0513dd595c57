"""`llmwiki evolve` on a real folder: shown first, one operation, undone byte for byte, and once a week in `sync`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llmwiki import markdown, rawpage
from llmwiki.cli import main
from llmwiki.errors import WikiError
from llmwiki.model import Change
from llmwiki.workspace import Workspace
from tests.lessons import session, user
from tests.test_evolve import NPM, OTHERS, said
from tests.test_variants import SESSIONS, failure, skill
from tests.test_workspace import clock, files, folder  # noqa: F401 - fixtures

ONE, TWO = said("page-a", NPM, confidence=0.9), said("page-b", f"{NPM} always", stems=("s2",))
LINK = said("page-l", "see [[page-b|this]] before", kind="fact")


def put(folder, *records, raw=(), whose="sync"):
    """Pages as a command of ours would have written them."""
    wiki = Workspace(folder)
    with wiki.operation(whose) as operation:
        operation.apply([Change(r.path, markdown.render(r)) for r in records])
        operation.apply([Change(f"raw/claude-code/shop/{s.stem}.md", rawpage.render(s)) for s in raw])


def evolve(folder, *flags):
    return main(["evolve", "--wiki", str(folder), "--quiet", *flags])


@pytest.fixture
def wiki(folder):
    put(folder, ONE, TWO, LINK, skill(), failure(), *OTHERS, raw=SESSIONS.values())
    rule = [said(f"rule-{p}", "prefer tabs in every makefile", p, (f"r-{p}",)) for p in ("shop", "bank")]
    put(folder, *rule)
    return folder


def test_a_dry_run_prints_the_plan_and_touches_nothing(wiki, capsys):
    before = files(wiki)
    assert evolve(wiki, "--dry-run") == 0
    out = capsys.readouterr().out
    assert "merge into page-a: page-b\n" in out
    assert "  for every project, from rule-bank, rule-shop\n" in out
    assert "variants of release-it\n" in out
    assert "  as it is                     2     1       0      4      0.8\n" in out
    assert "  joined                       2     0       1      4      2.8\n" in out
    assert "evolve: 1 cluster, 1 merged, 1 promoted, 1 variant proposed\n" in out
    assert files(wiki) == before


def test_the_plan_is_shown_before_anything_is_written(wiki):
    before, seen = files(wiki), []
    Workspace(wiki).evolve(show=lambda plan: seen.append((plan["merged"], files(wiki) == before)))
    assert seen == [(1, True)]
    assert files(wiki) != before


def test_the_document_names_what_was_done(wiki, capsys):
    assert evolve(wiki, "--json") == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["clusters"], done["merged"], done["promoted"], done["held"]) == (1, 1, 1, [])
    assert done["merges"] == [{"into": "page-a", "ids": ["page-b"]}]
    *trials, joined = done["variants"]
    assert len(trials) >= 3
    assert {(t["state"], t["generation"], t["parents"][0]) for t in trials} == {("trial", 1, "release-it")}
    assert joined == {
        "id": joined["id"],
        "parents": ["release-it", "no-remote"],
        "generation": 1,
        "state": "quarantined",
    }
    records = Workspace(wiki).load().records
    assert joined["id"] in records
    waiting = {w["id"]: w["reason"] for w in Workspace(wiki).waiting()}
    assert waiting[joined["id"]] == waiting[done["heuristics"][0]["id"]] == "evolved: confirm it"


def test_links_are_led_to_the_page_that_stays_and_the_log_has_a_line(wiki):
    evolve(wiki)
    assert "see [[page-a|this]] before" in Path(wiki, LINK.path).read_text()
    assert Path(wiki, "wiki/archive/preferences/page-b.md").is_file()
    log = Path(wiki, "wiki/log.md").read_text()
    assert "evolve: 1 record merged, 1 heuristic, 1 variant of a skill" in log
    assert all(v["failed"] == [] for v in [Workspace(wiki).verify([r.id]) for r in [skill()]])


def test_twice_changes_nothing(wiki):
    evolve(wiki)
    before = files(wiki)
    state = {p: p.read_bytes() for p in Path(wiki, ".llmwiki/state").glob("*.json")}
    assert evolve(wiki) == 0
    assert files(wiki) == before
    assert {p: p.read_bytes() for p in Path(wiki, ".llmwiki/state").glob("*.json")} == state


def test_undo_gives_every_file_back_and_then_the_same_plan(wiki):
    before = {p: text for p, text in files(wiki).items() if p.name != "log.md"}
    first = Workspace(wiki).evolve()
    Workspace(wiki).undo()
    assert {p: text for p, text in files(wiki).items() if p.name != "log.md"} == before
    assert Workspace(wiki).evolve(dry_run=True) == first


def test_what_was_discarded_is_not_proposed_again(wiki):
    done = Workspace(wiki).evolve()
    proposed = [done["heuristics"][0]["id"], done["variants"][-1]["id"]]
    Workspace(wiki).review("discard", proposed, reason="no")
    again = Workspace(wiki).evolve()
    assert (again["promoted"], again["variants"]) == (0, [])


def test_a_page_that_a_person_edited_or_wrote_stays(wiki):
    page = Path(wiki, TWO.path)
    page.write_text(page.read_text().replace("always", "always, I mean it"))
    mine = Path(wiki, "wiki/preferences/mine.md")
    mine.write_text(
        "---\ntitle: prefer rye for every new service\nproject: shop\n---\n\nprefer rye for every new service\n"
    )
    put(wiki, said("page-r", "prefer rye for every new service"))
    done = Workspace(wiki).evolve()
    stays = {merge["into"]: merge["ids"] for merge in done["merges"]}
    assert stays.pop("page-b") == ["page-a"]
    assert list(stays.values()) == [["page-r"]]
    assert "I mean it" in page.read_text()
    assert mine.read_text().endswith("\n\nprefer rye for every new service\n")


def test_an_edit_is_seen_through_what_we_wrote_afterwards(wiki):
    page = Path(wiki, TWO.path)
    page.write_text(page.read_text().replace("always", "always, I mean it"))
    edited = markdown.read(page.read_text(), TWO.path)
    changed = Change(TWO.path, markdown.edit(page.read_text(), {"confidence": 0.95}))
    with Workspace(wiki).operation("decay") as operation:
        operation.apply([changed])
    assert edited.id not in [id for merge in Workspace(wiki).evolve()["merges"] for id in merge["ids"]]


def test_pages_of_which_nobody_knows_who_wrote_them_stay(tmp_path):
    Workspace.init(tmp_path / "clone")
    for record in (ONE, TWO, *OTHERS):
        page = Path(tmp_path, "clone", record.path)
        page.parent.mkdir(exist_ok=True)
        page.write_text(markdown.render(record))
    assert Workspace(tmp_path / "clone").evolve()["merges"] == []


def test_learning_still_knows_its_pages_afterwards(wiki):
    from llmwiki import authorship

    done = Workspace(wiki)
    known = {r.path: authorship.digest(done.read(r.path))[:16] for r in (ONE, TWO)}
    with done.operation("sync") as operation:
        operation.apply([done.store.state_change("learned", {"sessions": {}, "written": known})])
    Workspace(wiki).evolve()
    written = Workspace(wiki).state("learned")["written"]
    assert TWO.path not in written
    assert len(written) == 3
    for path, hash in written.items():
        assert authorship.digest(Path(wiki, path).read_text())[:16] == hash


def test_the_guard_writes_nothing_without_a_yes(folder, capsys):
    put(folder, *(said(f"page-{n}", NPM) for n in range(5)), *OTHERS[:5])
    before = files(folder)
    assert evolve(folder) == 1
    said_ = capsys.readouterr().out
    assert files(folder) == before
    assert said_ == ""
    assert main(["evolve", "--wiki", str(folder)]) == 1
    said_ = capsys.readouterr().out
    assert (
        "evolve: 1 cluster, 0 merged, 0 promoted, 0 variants proposed\nheld: page-1, page-2, page-3, page-4\n" in said_
    )
    assert evolve(folder, "--yes") == 0
    assert len(list(Path(folder, "wiki/archive/preferences").glob("*.md"))) == 4


def test_fewer_than_three_variants_are_refused(wiki):
    with pytest.raises(WikiError, match="--trials 3"):
        Workspace(wiki).evolve(trials=2)


def test_a_part_of_another_package_is_found_by_its_name(wiki):
    with pytest.raises(WikiError, match="unknown variant 'nobody'"):
        Workspace(wiki).evolve(propose="nobody")


# -- once a week


WORDS = {1: "run the linters", 2: "format with black", 3: "update the changelog"}


def source(tmp_path, number):
    """A new session in an agent's store."""
    line = {
        "type": "user",
        "sessionId": f"0000000{number}-0000-4000-8000-000000000000",
        "uuid": f"u{number}",
        "parentUuid": None,
        "cwd": "/code/shop",
        "timestamp": "2026-04-30T10:00:00.000Z",
        "message": {"role": "user", "content": f"Always {WORDS[number]} before you commit."},
    }
    path = tmp_path / "store" / "-code-shop" / f"{line['sessionId']}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(line) + "\n")
    return str(tmp_path / "store")


def synced(folder, tmp_path, number, now, monkeypatch, **more):
    monkeypatch.setenv("LLMWIKI_NOW", now)
    wiki = Workspace(folder)
    wiki.sync(sources=[source(tmp_path, number)], **more)
    return wiki


def test_sync_proposes_once_a_week_and_merges_nothing(wiki, tmp_path, monkeypatch):
    found = synced(wiki, tmp_path, 1, "2026-05-08T12:00:00Z", monkeypatch)
    kinds = [r.type.value for r in found.load().records.values() if r.parents]
    assert sorted(kinds) == ["heuristic", "skill"]
    assert Path(wiki, TWO.path).is_file()
    assert "near-duplicates that could be one page: 1; llmwiki evolve --dry-run shows them" in found.notices
    assert "proposals that wait for you: 2; llmwiki review shows them" in found.notices
    assert found.state("evolve") == {"at": "2026-05-08T12:00:00Z"}
    found.review("discard", [r.id for r in found.load().records.values() if r.parents])
    put(wiki, *(said(f"late-{p}", "keep secrets out of logs", p, (f"l-{p}",)) for p in ("shop", "bank")))
    assert synced(wiki, tmp_path, 2, "2026-05-14T12:00:00Z", monkeypatch).state("evolve")["at"] < "2026-05-09"
    later = synced(wiki, tmp_path, 3, "2026-05-15T12:00:00Z", monkeypatch)
    assert later.state("evolve") == {"at": "2026-05-15T12:00:00Z"}
    fresh = [r for r in later.load().records.values() if r.parents and r.state.value == "quarantined"]
    assert [r.title for r in fresh] == ["keep secrets out of logs"]


def test_a_sync_without_news_makes_no_plan(wiki, tmp_path, monkeypatch):
    synced(wiki, tmp_path, 1, "2026-05-01T12:00:00Z", monkeypatch)
    synced(wiki, tmp_path, 1, "2026-05-20T12:00:00Z", monkeypatch)
    before = files(wiki)

    def no(*args, **more):
        raise AssertionError("a plan was made")

    monkeypatch.setattr("llmwiki.evolving.weekly", no)
    synced(wiki, tmp_path, 1, "2026-05-20T12:00:00Z", monkeypatch)
    assert files(wiki) == before


def test_a_young_wiki_is_left_alone(folder, tmp_path, monkeypatch):
    found = synced(folder, tmp_path, 1, "2026-05-01T12:00:00Z", monkeypatch)
    assert found.state("evolve") == {}


def test_the_turns_of_a_told_rule_are_not_needed(folder):
    put(folder, raw=[session(user("x"))])
    for project in ("shop", "bank"):
        Workspace(folder).remember(NPM, project=project)
    assert Workspace(folder).evolve()["promoted"] == 0
