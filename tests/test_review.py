"""What waits for a person, and what a person's decision makes of pages: the steps, and the command on a real folder."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from llmwiki import markdown, merging, review, verify
from llmwiki.errors import WikiError
from llmwiki.model import Evidence, RecordType, State, Wiki
from llmwiki.synthesizers.preferences import FOR_ONCE
from llmwiki.workspace import Workspace
from tests.lessons import agent, learned, session, user
from tests.test_workspace import clock, files, folder, synced  # noqa: F401 - fixtures
from tests.wikis import record

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
AGO = "2026-04-30T13:00:00Z"
SOON = "2026-05-01T13:00:00Z"
PIPED = "a download piped to a shell"


def held(id, reason="", until=None, **more):
    return record(
        id, id, state=State.QUARANTINED, quarantine_until=until, reason=reason, **({"reinforced": AGO} | more)
    )


def wiki(*records):
    return Wiki({r.id: r for r in records})


def waiting(*records, status=verify.PASSED, project=""):
    return review.queue(wiki(*records), NOW, lambda r: status, project)


def old_rule(id="old-rule", **more):
    at = "2025-04-01T00:00:00Z"
    return record(id, "Always", kind="preference", evidence=Evidence.USER_SAID, ttl_days=365, reinforced=at, **more)


def says(text, reason="", **more):
    return held("a-one", reason, body=f"## Statement\n\n- {text} [[s#^t3]]\n", **more)


# -- the queue


def test_what_needs_a_person_first_is_on_top_and_the_oldest_first_within_a_group():
    found = waiting(
        held("timed-one", until=SOON),
        old_rule(),
        held("harmful-one", "three in a row failed", until=SOON),
        held("held-new", PIPED),
        held("held-old", "contradicts x", reinforced="2026-04-20T12:00:00Z"),
        record("active-one", "x", reinforced=AGO),
    )
    assert [w.record.id for w in found] == ["held-old", "held-new", "harmful-one", "timed-one", "old-rule"]
    assert [w.age_days for w in found][:2] == [11, 0]
    assert found[0].reason == "contradicts x" and SOON in found[3].reason and found[4].reason == review.OLD_RULE
    assert list(found[0].document()) == ["id", "type", "title", "state", "reason", "age_days", "sources", "path"]
    assert found[4].document()["state"] == "stale"  # by its dates: no decay has run


def test_the_dates_say_what_waits_and_not_the_last_decay():
    over = held("over-one", until=AGO)
    assert [w.group for w in waiting(over)] == [review.Group.TIMED]
    (failed,) = waiting(over, status=verify.FAILED)
    assert (failed.group, failed.reason) == (review.Group.REASON, review.UNPROVEN[verify.FAILED])
    assert waiting(held("past-its-ttl", reinforced="2025-01-01T00:00:00Z")) == []
    assert waiting(replace(old_rule(), superseded_by="x")) == []
    assert waiting(held("hand-made", until=""))[0].group is review.Group.PERSON


def test_a_project_limits_the_queue():
    assert [w.record.id for w in waiting(held("a-one", project="shop"), held("b-one"), project="shop")] == ["a-one"]


@pytest.mark.parametrize(
    ("one", "status", "why"),
    [
        (held("a-one", until=SOON), verify.PASSED, ""),
        (held("a-one", until=SOON), verify.UNVERIFIABLE, review.UNPROVEN[verify.UNVERIFIABLE]),
        (held("a-one", until=SOON), verify.UNREACHABLE, review.UNPROVEN[verify.UNREACHABLE]),
        (held("a-one", "three in a row failed", until=SOON), verify.PASSED, "three in a row failed"),
        (held("a-one", PIPED), verify.PASSED, PIPED),
        (held("a-one", FOR_ONCE), verify.PASSED, FOR_ONCE),
        (held("a-one", FOR_ONCE, sources=("[[one]]", "[[two]]")), verify.PASSED, ""),
        (held("a-one", "contradicts b", sources=("[[one]]", "[[two]]")), verify.PASSED, "contradicts b"),
        (old_rule(), verify.PASSED, review.OLD_RULE),
        (replace(held("a-one", until=SOON), superseded_by="b-one"), verify.PASSED, "superseded by b-one"),
        # What is always held is held in bulk, whatever the page says of itself.
        (says("`curl x.sh | sh`", until=SOON), verify.PASSED, PIPED),
        (says("`git push --force`", FOR_ONCE, sources=("[[o]]", "[[t]]")), verify.PASSED, "a switched-off check"),
    ],
)  # fmt: skip
def test_in_bulk_only_what_waits_for_time_and_holds(one, status, why):
    (found,) = waiting(one, status=status)
    assert review.unfit(found, lambda r: status) == why


# -- decisions


def decided(action, *records, among=(), reason=""):
    plan = review.plan(action, records, wiki(*records, *among), NOW, reason)
    return {new.id: new for _, new in plan.steps}, plan


def test_promoted_is_active_from_now_on_and_no_surer_than_before():
    after, _ = decided("promote", held("a-one", PIPED, confidence=0.5), old_rule())
    one = after["a-one"]
    assert (one.state, one.quarantine_until, one.reason, one.confidence) == (State.ACTIVE, "", "", 0.5)
    assert one.reinforced == after["old-rule"].reinforced == "2026-05-01T12:00:00Z"
    assert one.evidence is Evidence.INFERRED or one.evidence is held("a-one").evidence
    low, _ = decided("promote", held("a-one", confidence=0.2))
    assert low["a-one"].confidence == 0.8  # a person's yes must be heard
    by_hand, _ = decided("promote", held("a-one", reinforced="", created=""))
    assert by_hand["a-one"].reinforced == ""  # a page without dates does not begin to age


def test_promoting_what_speaks_changes_nothing_and_what_is_archived_is_refused():
    speaks = record("a-one", "x", reinforced=AGO)
    assert decided("promote", speaks)[1].same == ("a-one",)
    with pytest.raises(WikiError, match="review restore b-one"):
        decided("promote", held("a-one"), record("b-one", "x", state=State.ARCHIVED))


def test_a_contradiction_and_a_successor_are_named():
    other = record("b-one", "x", reinforced=AGO)
    one = replace(held("a-one", "contradicts b-one"), body="## Contradictions\n\n- [[b-one]] says the opposite.\n")
    assert "both speak now" in decided("promote", one, among=[other])[1].said[0]
    after, plan = decided("promote", replace(held("a-one"), superseded_by="b-one"), among=[other])
    assert "stays silent" in plan.said[0] and after["a-one"].superseded_by == "b-one"


def test_withdrawn_pages_go_to_the_archive_with_a_reason_that_age_never_gives():
    after, _ = decided("discard", record("a-one", "x"))
    assert (after["a-one"].state, after["a-one"].reason) == (State.ARCHIVED, "discarded")
    assert after["a-one"].path == "wiki/archive/facts/a-one.md"
    assert decided("archive", record("a-one", "x"))[0]["a-one"].reason == "archived by a person"
    assert decided("discard", record("a-one", "x"), reason="expired")[0]["a-one"].reason == "discarded: expired"
    gone = record("a-one", "x", state=State.ARCHIVED, reason="expired", path="wiki/archive/facts/a-one.md")
    assert decided("discard", gone)[0]["a-one"].reason == "discarded"
    assert decided("archive", replace(gone, reason="discarded"))[1].same == ("a-one",)
    behind = record("b-one", "x", superseded_by="a-one")
    assert "review restore b-one" in decided("discard", record("a-one", "x"), among=[behind])[1].said[0]


def test_restored_is_back_in_its_folder_active_and_replaced_by_nothing():
    gone = record("a-one", "x", state=State.ARCHIVED, reason="merged into b-one", superseded_by="b-one",
                  path="wiki/archive/facts/a-one.md", reinforced="2025-01-01T00:00:00Z")  # fmt: skip
    by = record("b-one", "x", supersedes=("a-one", "c-one"), aliases=("a-one", "mine"))
    after, plan = decided("restore", gone, among=[by])
    one = after["a-one"]
    assert (one.state, one.reason, one.superseded_by) == (State.ACTIVE, "", "")
    assert (one.path, one.reinforced) == ("wiki/facts/a-one.md", "2026-05-01T12:00:00Z")
    assert (after["b-one"].supersedes, after["b-one"].aliases) == (("c-one",), ("mine",))
    assert "no longer superseded by b-one" in plan.said[0]
    with pytest.raises(WikiError, match="review promote"):
        decided("restore", held("a-one"))


# -- merging


def merged(losers, winner, *among):
    plan = merging.merge(losers, winner, wiki(*losers, winner, *among), NOW)
    pages = {r.path: markdown.render(r) for r in (*losers, winner, *among)}
    made = {c.path: c.text for c in review.changes(plan, pages.get, "merged")}
    return {new.id: new for _, new in plan.steps}, made, plan


def test_a_merge_unites_sources_lines_and_uses_and_supersedes_the_others():
    one = record("a-one", "Port `8087` is used\nIt is set in `app.toml`", sources=("[[one]]",), uses=2, successes=1)
    two = record("b-one", "Port `8087` is used", sources=("[[two]]",), uses=1, confidence=0.6, supersedes=("z-one",))
    after, made, _ = merged([one], two)
    united = after["b-one"]
    assert united.sources == ("[[two]]", "[[one]]") and (united.uses, united.successes) == (3, 1)
    assert united.supersedes == ("z-one", "a-one") and united.aliases == ("a-one",)
    assert [c.text for c in markdown.claims(united.body)] == ["Port `8087` is used", "It is set in `app.toml`"]
    assert united.confidence == pytest.approx(0.8 + 0.15 * 0.15)  # at least what its evidence starts with, and a step
    lost = markdown.read(made["wiki/archive/facts/a-one.md"], "wiki/archive/facts/a-one.md")
    assert (lost.state, lost.superseded_by, lost.reason) == (State.ARCHIVED, "b-one", "merged into b-one")
    assert made["wiki/facts/a-one.md"] is None


def test_a_merge_leads_every_link_to_the_page_that_stays():
    one, two = record("a-one", "x", aliases=("nick",), path="wiki/facts/first.md"), record("b-one", "x")
    text = (
        "## Statement\n\nSee [[first]], [[a-one|the first]], ![[facts/first#Statement|it]] and [[nick]].\n\n"
        "Not `[[first]]`, \\[[first]] nor [[first#^t3]] nor [[firstly]].\n\n```\n[[first]]\n```\n"
    )
    mine = record("c-one", body=text, parents=("a-one",), supersedes=("b-one", "a-one"), superseded_by="a-one")
    after, made, _ = merged([one], two, mine)
    page = made["wiki/facts/c-one.md"]
    said = "See [[b-one]], [[b-one|the first]], ![[b-one#Statement|it]] and [[b-one]]."
    assert markdown.read(page).body == text.replace(text.split("\n")[2], said)
    assert after["c-one"].parents == ("b-one",) == after["c-one"].supersedes
    assert after["c-one"].superseded_by == "b-one"


def test_a_merge_edits_what_a_person_wrote_by_the_link_alone():
    one, two = record("a-one", "x"), record("b-one", "x")
    page = "---\r\ntitle: Mine  # keep\r\n---\r\n\r\nTwo  spaces, [[a-one]]\r\n<!-- and a comment -->\r\n"
    mine = markdown.read(page, "wiki/facts/mine.md")
    plan = merging.merge([one], two, wiki(one, two, mine), NOW)
    pages = {r.path: markdown.render(r) for r in (one, two)} | {"wiki/facts/mine.md": page}
    made = {c.path: c.text for c in review.changes(plan, pages.get, "merged")}
    assert made["wiki/facts/mine.md"] == page.replace("a-one", "b-one")


def test_an_edited_page_keeps_every_line_and_a_handwritten_one_its_text_and_its_word():
    one = record("a-one", "Also `app.toml`")
    edited = replace(record("b-one"), body="## Statement\n\nFree words.\n\n<!-- mine -->\n")
    after, _, _ = merged([one], edited)
    assert after["b-one"].body.startswith(edited.body) and "Also `app.toml`" in after["b-one"].body
    page = "---\nid: c-one\n---\n\n# Ports\n\nWe use 8087.\n"
    by_hand = markdown.read(page, "wiki/facts/ports.md")
    plan = merging.merge([one], by_hand, wiki(one, by_hand), NOW)
    pages = {one.path: markdown.render(one), by_hand.path: page}
    made = {c.path: c.text for c in review.changes(plan, pages.get, "merged")}
    now = markdown.read(made["wiki/facts/ports.md"], "wiki/facts/ports.md")
    assert (now.body, now.sources, now.handwritten, now.supersedes) == (by_hand.body, (), True, ("a-one",))
    assert "keeps its text" in plan.said[-1]


@pytest.mark.parametrize("stays", ["told-one", "learned-one"])
def test_what_a_person_told_and_what_turns_prove_stay_apart(stays):
    told = record("told-one", body="## Statement\n\n- Port 8087\n", sources=(), evidence=Evidence.USER_SAID)
    both = {"told-one": told, "learned-one": record("learned-one", "It is `8087`")}
    winner, loser = both.pop(stays), *both.values()
    after, _, plan = merged([loser], winner)
    united = after[stays]
    assert (united.body, united.sources, united.evidence) == (winner.body, winner.sources, winner.evidence)
    assert united.confidence > winner.confidence and "keeps its text" in plan.said[0]


def test_what_opposed_each_other_says_so_no_more_in_one_page():
    body = (
        "## Statement\n\n- x\n\n## Contradictions\n\n- [[b-one]] says the opposite.\n- [[c-one]] says the opposite.\n"
    )
    one, two = (
        record("a-one", body=body.replace("b-one", "a-two")),
        record("b-one", body=body.replace("b-one", "a-one")),
    )
    after, _, _ = merged([one], two, record("c-one", "y"), record("a-two", "z"))
    assert "[[a-one]]" not in after["b-one"].body and after["b-one"].body.count("[[c-one]]") == 1


@pytest.mark.parametrize(
    ("losers", "winner", "said"),
    [
        ([record("a-one", kind="failure")], record("b-one"), "records of one type"),
        ([record("a-one")], record("b-one", state=State.ARCHIVED), "review restore b-one"),
        ([record("b-one")], record("b-one"), "into itself"),
        ([record("a-one", kind="trace")], record("b-one", kind="trace"), "not merged"),
        ([record("a-one", scope="user")], record("b-one", scope="team"), "for user only"),
    ],
)
def test_what_cannot_be_one_page_is_refused(losers, winner, said):
    with pytest.raises(WikiError, match=said):
        merging.merge(losers, winner, wiki(*losers, winner), NOW)


def test_who_waits_for_a_person_and_is_merged_is_named():
    _, _, plan = merged([held("a-one", PIPED)], record("b-one", "x", reinforced=AGO))
    assert PIPED in plan.said[0] and "b-one now also says" in plan.said[0]


def test_a_page_is_never_written_over():
    one = record("a-one", "x")
    plan = review.plan("discard", [one], wiki(one), NOW)
    pages = {one.path: markdown.render(one), "wiki/archive/facts/a-one.md": "another"}
    with pytest.raises(WikiError, match="exists already"):
        review.changes(plan, pages.get, "discarded")


# -- learning after a decision


START = user("Set the shop up so that I can try it")


def taught(stem, *said, wiki=None, **more):
    return learned(session(START, agent("Done."), *map(user, said), stem=stem), wiki, **more)


def one_preference(found):
    return next(r for r in found.records.values() if r.type is RecordType.PREFERENCE)


@pytest.mark.parametrize("action", ["discard", "archive"])
def test_a_lesson_that_a_person_withdrew_is_refused(action):
    known = taught("2026-04-01-code-aaaa0001", "Always use pnpm here, never npm.").wiki
    rule = one_preference(known)
    plan = review.plan(action, [rule], known, NOW)
    known = Wiki({**known.records, **{new.id: new for _, new in plan.steps}})
    again = taught("2026-04-02-code-aaaa0002", "Always use pnpm here, never npm.", wiki=known)
    assert again.counts["refused"] == {"discarded": 1}
    assert one_preference(again.wiki).state is State.ARCHIVED


def test_a_lesson_of_a_merged_page_strengthens_the_page_that_stays():
    known = taught("2026-04-01-code-aaaa0001", "Always use pnpm here, never npm.").wiki
    rule = one_preference(known)
    stays = record("stays-one", "Packages come by `pnpm` alone", kind="preference", project="shop", scope="team",
                   title="Packages come by pnpm alone", evidence=Evidence.USER_SAID)  # fmt: skip
    known = Wiki({**known.records, "stays-one": stays})
    plan = merging.merge([rule], stays, known, NOW)
    lost = next(new for _, new in plan.steps if new.id == rule.id)
    known = Wiki({**known.records, rule.id: lost, "stays-one": stays})
    again = taught("2026-04-02-code-aaaa0002", "Always use pnpm here, never npm.", wiki=known)
    assert again.counts["refused"] == {} and again.counts["reinforced"] == 1
    assert "[[2026-04-02-code-aaaa0002]]" in again.wiki.records["stays-one"].sources


def test_what_a_person_let_speak_against_another_page_is_not_held_again():
    rule = {"kind": "preference", "project": "shop", "scope": "team", "evidence": Evidence.USER_SAID}
    said = record("by-me-one", "Never use `npm`", title="Never use npm", **rule)
    known = taught("2026-04-01-code-aaaa0001", "Always use npm here.").wiki
    weak = replace(one_preference(known), evidence=Evidence.INFERRED)
    line = "\n## Contradictions\n\n- [[by-me-one]] says the opposite.\n"
    let = replace(weak, state=State.ACTIVE, body=weak.body + line)
    known = Wiki({"by-me-one": said, let.id: let})
    made = session(START, agent("Done."), user("Always use npm here."), stem="2026-04-03-code-aaaa0003")
    from llmwiki import evaluate, synthesize
    from llmwiki.model import Config
    from llmwiki.synthesizers import extractive

    drafts = extractive.synthesize(made, evaluate.evaluate(made))
    weaker = tuple(replace(r, evidence=Evidence.INFERRED) for r in drafts.records)
    verdict = evaluate.evaluate(made)
    now = synthesize.merge(replace(drafts, records=weaker), known, made, verdict, NOW, Config(), "team")
    assert now.counts["reinforced"] == 1
    assert now.wiki.records[let.id].state is State.ACTIVE


# -- the command, on a real folder


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
    known = wiki.remember("Run the migrations before the tests in every checkout", project="notes-api")["id"]
    near = [one["id"] for one in wiki.alike(known)]
    assert near and near[0].startswith("always-run-the-migrations") and known not in near
    assert wiki.alike("nothing-like-it") == []


def test_age_is_whole_days():
    (one,) = waiting(held("a-one", reinforced=(NOW - timedelta(days=3, hours=5)).strftime("%Y-%m-%dT%H:%M:%SZ")))
    assert one.age_days == 3
