"""`llmwiki review` on a real folder: all or nothing, undone byte for byte, silent at once."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from llmwiki.errors import WikiError
from llmwiki.model import RecordType
from llmwiki.workspace import Workspace
from tests.test_workspace import clock, files, folder, synced  # noqa: F401 - fixtures
from tests.waiting import NOW, held, waiting


def ids(wiki):
    return [w["id"] for w in wiki.waiting()]


def test_every_decision_is_undone_byte_for_byte_and_logged_in_one_line(synced):
    for decide in (
        lambda w: w.review("promote", verified=True),
        lambda w: w.review("discard", ids(w)[:1], reason="of no use"),
        lambda w: w.review("archive", ids(w)),
        lambda w: w.review("merge", rules(w)[:2], into=rules(w)[2]),
    ):
        before = files(synced)
        lines = before[synced / "wiki/log.md"].count(b"\n")
        assert decide(Workspace(synced))["changed"]
        after = files(synced)
        assert after != before and after[synced / "wiki/log.md"].count(b"\n") == lines + 1
        assert Workspace(synced).undo()["kept"] == []
        log = synced / "wiki/log.md"
        assert {p: t for p, t in files(synced).items() if p != log} == {p: t for p, t in before.items() if p != log}


def rules(wiki):
    return sorted(r.id for r in wiki.load().records.values() if r.type is RecordType.PREFERENCE)


def test_all_or_nothing(synced):
    wiki = Workspace(synced)
    before = files(synced)
    one = ids(wiki)[0]
    with pytest.raises(WikiError, match="there is no record 'nothing-like-it'"):
        wiki.review("promote", [one, "nothing-like-it"])
    with pytest.raises(WikiError, match=f"did you mean .*{one}"):
        wiki.review("promote", [f"{one[:-1]}x"])
    with pytest.raises(WikiError, match="means several records: pytest-"):
        wiki.review("archive", [one, "pytest-"])
    wiki.review("promote", ids(wiki), dry_run=True)
    assert files(synced) == before
    Workspace(synced).review("discard", [one[:12]])
    assert one not in ids(Workspace(synced))


def test_deciding_twice_changes_no_byte(synced):
    one = ids(Workspace(synced))[0]
    Workspace(synced).review("promote", [one])
    before = files(synced)
    assert Workspace(synced).review("promote", [one])["unchanged"] == [one]
    assert Workspace(synced).review("promote", verified=True, project="nowhere")["changed"] == []
    assert files(synced) == before


def test_what_is_withdrawn_is_silent_at_once_and_stays_out_of_the_next_sync(synced):
    from tests.test_workspace import SAMPLES

    wiki = Workspace(synced)
    hits = [h.id for h in wiki.search("run the migrations before the tests")]
    wiki.review("discard", hits[:1], reason="we \x1b[31mmoved\nto tox")
    gone = Workspace(synced).show(hits[0])["record"]
    assert gone["reason"] == "we [31mmoved to tox" and gone["path"].startswith("wiki/archive/preferences/")
    assert hits[0] not in [h.id for h in Workspace(synced).search("run the migrations before the tests")]
    assert hits[0] not in Workspace(synced).context("run the migrations before the tests").text
    Workspace(synced).sync(sources=[str(SAMPLES / "claude-code"), str(SAMPLES / "codex")], force=True)
    Workspace(synced).synthesize(sorted(Workspace(synced).raw_stems))
    assert Workspace(synced).show(hits[0])["record"]["state"] == "archived"
    same = [r for r in Workspace(synced).load().records.values() if r.title == gone["title"]]
    assert [r.id for r in same] == [hits[0]]
    Workspace(synced).review("restore", [hits[0]])
    assert hits[0] in [h.id for h in Workspace(synced).search("run the migrations before the tests")]
    assert gone["title"].rstrip(".") in (synced / "wiki/preferences/_context.md").read_text()


def test_nobody_approved_what_was_discarded_and_brought_back(synced):
    one = ids(Workspace(synced))[0]
    was = Workspace(synced).show(one)["record"]
    Workspace(synced).review("discard", [one])
    dry = Workspace(synced).review("restore", [one], dry_run=True)["changed"]
    done = Workspace(synced).review("restore", [one])["changed"]
    assert dry == done and done[0]["state"] == was["state"] == "quarantined"
    assert not Workspace(synced).show(one)["record"]["retrievable"] and one in ids(Workspace(synced))
    assert not Workspace(synced).lint()["diagnostics"]


def test_a_secret_in_a_reason_is_taken_out(synced):
    one = ids(Workspace(synced))[0]
    Workspace(synced).review("discard", [one], reason="it has ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8")
    assert "redacted" in Workspace(synced).show(one)["record"]["reason"]


def test_a_persons_keys_and_comments_survive_every_decision(synced):
    one = ids(Workspace(synced))[0]
    page = synced / Workspace(synced).show(one)["record"]["path"]
    page.write_text(page.read_text().replace("\ntype:", "\nmine: yes  # a note\ntype:") + "\nMy own line.\n")
    for action in ("promote", "discard", "restore"):
        Workspace(synced).review(action, [one])
        text = (synced / Workspace(synced).show(one)["record"]["path"]).read_text()
        assert "\nmine: yes  # a note\n" in text and text.endswith("\nMy own line.\n")


@pytest.mark.parametrize(
    ("action", "given", "said"),
    [
        ("promte", {}, "the nearest is 'promote'"),
        ("promote", {}, "or take --verified"),
        ("discard", {}, "name the records to discard"),
        ("promote", {"ids": ["a"], "verified": True}, "chooses the records itself"),
        ("discard", {"verified": True}, "chooses the records itself"),
        ("discard", {"ids": ["a"], "project": "p"}, "--project goes with"),
        ("merge", {"ids": ["a"]}, "the page that stays"),
        ("promote", {"ids": ["a"], "into": "b"}, "the page that stays"),
        ("promote", {"ids": ["a"], "reason": "b"}, "--reason goes with"),
    ],
)
def test_what_does_not_go_together_is_refused(folder, action, given, said):
    with pytest.raises(WikiError, match=said):
        Workspace(folder).review(action, **given)


def test_one_page_is_read_with_what_each_line_rests_on(synced):
    wiki = Workspace(synced)
    page = wiki.waiting_page(wiki.waiting()[1]["path"])
    assert page["checked"] == "every claim stands in its turns"
    (name, lines), *_ = page["sections"]
    assert name == "Statement" and lines[0][1] == [1] and "[[" not in lines[0][0]
    assert page["quotes"][0]["who"].startswith("Bash") and page["quotes"][0]["text"]
    wiki.review("promote", [page["id"]])
    assert wiki.waiting_page(page["path"]) is None
    assert wiki.waiting_page("wiki/facts/nothing.md") is None


def test_an_excerpt_shows_the_words_that_a_claim_rests_on():
    from llmwiki.reviewing import excerpt

    text = "\n".join(f"line {n}" for n in range(200)) + "\nthe port is `8087` here\nend"
    assert "8087" in excerpt(text, ["8087"]) and excerpt(text, ["8087"]).startswith("… ")
    assert excerpt("short", ["nowhere"]) == "short"
    assert len(excerpt("x" * 5_000 + "8087" + "y" * 5_000, ["8087"])) < 400


def test_near_pages_are_suggested_by_what_they_say(synced):
    wiki = Workspace(synced)
    known = wiki.remember("Run the migrations by hand in every checkout, tests need them", project="notes-api")["id"]
    near = [one["id"] for one in wiki.alike(known)]
    assert near and near[0].startswith("always-run-the-migrations") and known not in near
    assert wiki.alike("nothing-like-it") == []


def test_age_is_whole_days():
    (one,) = waiting(held("a-one", reinforced=(NOW - timedelta(days=3, hours=5)).strftime("%Y-%m-%dT%H:%M:%SZ")))
    assert one.age_days == 3


def test_merging_again_changes_no_byte_and_counts_nothing_twice(synced):
    one, two, three = rules(Workspace(synced))[:3]
    Workspace(synced).review("merge", [one], into=three)
    before = files(synced)
    done = Workspace(synced).review("merge", [one], into=three)
    assert (done["changed"], done["unchanged"], done["rewritten"]) == ([], [one], [])
    assert files(synced) == before
    was = Workspace(synced).show(three)["record"]
    done = Workspace(synced).review("merge", [one, two], into=three)
    assert [c["id"] for c in done["changed"]] == [two, three] and done["unchanged"] == [one]
    now = Workspace(synced).show(three)["record"]
    assert now["supersedes"].count(one) == 1 and now["uses"] == was["uses"]
    assert (synced / "wiki/log.md").read_text().splitlines()[-1].endswith(f"merged {two} into {three}")
    Workspace(synced).review("restore", [one])
    assert [c["id"] for c in Workspace(synced).review("merge", [one], into=three)["changed"]] == [one, three]


def test_an_id_that_stands_on_two_pages_is_not_decided_about(synced):
    one, two = rules(Workspace(synced))[:2]
    path = Workspace(synced).show(one)["record"]["path"]
    (synced / "wiki/preferences/twin.md").write_bytes((synced / path).read_bytes())
    before = files(synced)
    both = f"the id {one} stands on 2 pages, .*{re.escape(path)}.*twin.md; give each"
    if path > "wiki/preferences/twin.md":
        both = f"the id {one} stands on 2 pages, .*twin.md.*{re.escape(path)}; give each"
    for decide in (
        lambda w: w.review("archive", [one]),
        lambda w: w.review("discard", [two, f"[[{one}]]"]),
        lambda w: w.review("merge", [one], into=two),
        lambda w: w.review("merge", [two], into=one),
        lambda w: w.forget(one),
        lambda w: w.forget(one, dry_run=True),
    ):
        with pytest.raises(WikiError, match=both):
            decide(Workspace(synced))
        assert files(synced) == before
    assert Workspace(synced).show(one)["record"]["id"] == one
    assert Workspace(synced).review("archive", [two])["changed"]
    (synced / "wiki/preferences/twin.md").unlink()
    assert Workspace(synced).forget(one)["records"] == [one]
