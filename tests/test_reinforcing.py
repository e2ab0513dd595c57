"""The loop, closed: offered in a block, used in the session, scored, and told by `why`."""

import json
from pathlib import Path

import pytest

from llmwiki.workspace import Workspace

PROJECT = "-code-shop"
FIRST, SECOND = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


def line(session, n, kind, content, **more):
    at = f"2026-04-{1 + (session == SECOND)}1T10:{n:02d}:00.000Z"
    role = {"role": kind, "content": content}
    same = {"uuid": f"{session[:8]}-{n}", "parentUuid": f"{session[:8]}-{n - 1}" if n > 1 else None}
    return {"type": kind, "sessionId": session, "cwd": "/code/shop", "timestamp": at, "message": role, **same, **more}


def run(session, n, command, output, error=False):
    call = {"type": "tool_use", "id": f"c{n}", "name": "Bash", "input": {"command": command}}
    back = {"type": "tool_result", "tool_use_id": f"c{n}", "content": output, "is_error": error}
    return [line(session, n, "assistant", [call]), line(session, n + 1, "user", [back])]


def write(store, session, *lines):
    folder = Path(store) / "projects" / PROJECT
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")


@pytest.fixture
def wiki(tmp_path, monkeypatch):
    monkeypatch.setenv("LLMWIKI_NOW", "2026-05-01T12:00:00Z")
    root = tmp_path / "wiki"
    Workspace.init(root)
    write(
        tmp_path / "store", FIRST,
        line(FIRST, 1, "user", "get the billing service going"),
        *run(FIRST, 2, "pytest -q", "E sqlite3.OperationalError: no such table: bills", error=True),
        *run(FIRST, 4, "uv run shop-migrate", "migrated"),
        *run(FIRST, 6, "pytest -q", "4 passed in 1s"),
    )  # fmt: skip
    sync(root, tmp_path)
    return root


def sync(root, tmp_path):
    return Workspace(root).sync(sources=[str(tmp_path / "store")])


def cure(root):
    return next(r for r in Workspace(root).load().records.values() if "shop-migrate" in r.body and r.type == "failure")


def second(root, tmp_path, command="uv run shop-migrate", ended="6 passed in 1s", block=True, words="the tests fail"):
    given = Workspace(root).context("no such table bills", project="shop").text if block else ""
    write(
        tmp_path / "store", SECOND,
        line(SECOND, 1, "user", words + ("\n\n" + given if given else "")),
        *run(SECOND, 2, command, "migrated"),
        *run(SECOND, 4, "pytest -q", ended, error="failed" in ended),
    )  # fmt: skip
    return sync(root, tmp_path)


def test_offered_used_scored_rewarded_and_told(wiki, tmp_path):
    before = cure(wiki)
    second(wiki, tmp_path)
    after = cure(wiki)
    assert (after.uses, after.successes) == (1, 1)
    assert after.confidence == round(before.confidence + 0.15 * (0.95 - before.confidence), 4)
    trace = next(r for r in Workspace(wiki).load().records.values() if r.offered)
    assert trace.offered == (before.id,) and trace.used == (before.id,)
    told = Workspace(wiki).why(before.id)["events"]
    (rewarded,) = [e for e in told if e["kind"] == "rewarded"]
    assert rewarded["change"] == f"confidence {before.confidence:.2f} → {after.confidence:.2f}"
    assert rewarded["turn"] == "t2" and rewarded["session"] == trace.sources[0].strip("[]")
    assert Workspace(wiki).status()["ended_well"]["with"] == [1, 1]


def test_the_second_sync_counts_nothing_again(wiki, tmp_path):
    second(wiki, tmp_path)
    pages = {p: p.read_bytes() for p in wiki.rglob("*.md")}
    assert sync(wiki, tmp_path)["unchanged"] == 2
    Workspace(wiki).synthesize(sorted(Workspace(wiki).raw_stems))
    assert {p: p.read_bytes() for p in wiki.rglob("*.md") if p.name != "log.md"} == {
        p: text for p, text in pages.items() if p.name != "log.md"
    }


def test_printed_and_not_used_is_offered_only(wiki, tmp_path):
    before = cure(wiki)
    second(wiki, tmp_path, command="ls -la")
    after = cure(wiki)
    assert (after.uses, after.confidence) == (0, before.confidence)
    assert [e["kind"] for e in Workspace(wiki).why(before.id)["events"] if e["kind"] == "offered"] == ["offered"]


def test_used_in_a_session_that_ended_badly_counts_a_use(wiki, tmp_path):
    before = cure(wiki)
    second(wiki, tmp_path, ended="2 failed, 4 passed")
    assert (cure(wiki).uses, cure(wiki).successes, cure(wiki).confidence) == (1, 0, before.confidence)


def test_a_persons_word_recounts(wiki, tmp_path):
    before = cure(wiki)
    second(wiki, tmp_path, ended="2 failed, 4 passed")
    Workspace(wiki).feedback(SECOND, 5, note="it was fine")
    assert cure(wiki).successes == 1 and cure(wiki).confidence > before.confidence
    Workspace(wiki).feedback(SECOND, 1)
    assert (cure(wiki).uses, cure(wiki).successes, cure(wiki).confidence) == (1, 0, before.confidence)


def test_what_was_noted_on_this_machine_counts_as_offered(wiki, tmp_path):
    one = cure(wiki)
    offers = wiki / ".llmwiki/state/offers.jsonl"
    offers.write_text('{"broken\n' + json.dumps({"at": "", "session": SECOND, "records": [one.id, "../x"]}) + "\n")
    second(wiki, tmp_path, block=False)
    assert cure(wiki).uses == 1


@pytest.mark.parametrize(
    "spoiled", [b"\xff\xfe", b"[" * 200_000, b'{"session": 5}', b'"x"', b'{"session":[],"records":[[]]}']
)
def test_a_spoiled_note_costs_itself_alone(wiki, tmp_path, spoiled):
    one = cure(wiki)
    note = json.dumps({"at": "", "session": SECOND, "records": [one.id]}).encode()
    (wiki / ".llmwiki/state/offers.jsonl").write_bytes(note[:-9] + spoiled + b"\n" + note + b"\n" + spoiled)
    second(wiki, tmp_path, block=False)
    assert cure(wiki).uses == 1


def test_a_correction_that_names_it_takes_confidence(wiki, tmp_path):
    before = cure(wiki)
    given = Workspace(wiki).context("no such table bills", project="shop").text
    write(
        tmp_path / "store", SECOND,
        line(SECOND, 1, "user", "the tests fail\n\n" + given),
        *run(SECOND, 2, "uv run shop-migrate", "migrated"),
        line(SECOND, 4, "user", "that's wrong, uv run shop-migrate wiped my data"),
    )  # fmt: skip
    sync(wiki, tmp_path)
    assert cure(wiki).confidence == round(before.confidence * 0.85, 4)
    assert [e["kind"] for e in Workspace(wiki).why(before.id)["events"]][-2:] != []


def test_a_page_that_a_person_edited_is_counted_on_and_stays_theirs(wiki, tmp_path):
    one = cure(wiki)
    path = wiki / one.path
    path.write_text(path.read_text().replace("## Symptom", "## Symptom\n\nMy own words.\n"))
    second(wiki, tmp_path)
    assert "My own words." in path.read_text() and cure(wiki).uses == 1


def test_undo_takes_the_count_back(wiki, tmp_path):
    before = (wiki / cure(wiki).path).read_bytes()
    second(wiki, tmp_path)
    Workspace(wiki).undo()
    assert (wiki / cure(wiki).path).read_bytes() == before
    assert "22222222" not in json.dumps(Workspace(wiki).state("uses"))


def test_what_is_forgotten_leaves_the_ledger(wiki, tmp_path):
    second(wiki, tmp_path)
    confidence = cure(wiki).confidence
    Workspace(wiki).forget(SECOND)
    assert "22222222" not in (wiki / ".llmwiki/state/uses.json").read_text()
    assert cure(wiki).confidence == confidence
