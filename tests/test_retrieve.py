"""Ranking: what comes first, and why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wikis import NOW, make, record

from llmwiki import retrieve
from llmwiki.indexes import reading
from llmwiki.indexes.entries import Scored, idf
from llmwiki.indexes.snapshot import Snapshot


@pytest.fixture
def ask(tmp_path):
    def asked(text, *records, limit=10, **allowed):
        snapshot = Snapshot(make(tmp_path, *records))
        found = retrieve.search(snapshot, text, retrieve.Allowed(NOW, **allowed), limit)
        snapshot.close()
        return [s.entry.id for s in found]

    return asked


def test_a_word_of_the_title_counts_more_than_one_of_the_body(ask):
    body, title = record("in-body", "the parser fails"), record("in-title", "it fails", title="parser")
    assert ask("parser", body, title) == ["in-title", "in-body"]


def test_a_rare_word_tells_more_than_a_frequent_one(ask):
    pages = [record(f"common-{n}", "deploy deploy deploy") for n in range(6)]
    assert ask("deploy kubernetes", *pages, record("rare", "kubernetes"))[0] == "rare"


def test_one_line_that_says_it_all_beats_words_strewn_over_a_page(ask):
    strewn = record("strewn", "\n".join(f"{w} a b c d" for w in "retry other upload thing delay more".split()))
    close = record("close", "\n".join(["other a b c d", "retry upload delay a b", *["thing more c d e"] * 4]))
    assert ask("retry upload delay", strewn, close)[0] == "close"


def test_records_that_rest_on_turns_close_by_speak_for_each_other(ask):
    def turn(id, n, stem, text):
        return record(id, body=f"## Statement\n\n- {text} [[{stem}#^t{n}]]\n")

    pages = [
        turn("asks", 5, "2026-01-01-a-0badcafe", "which database holds the invoices"),
        turn("answers", 6, "2026-01-01-a-0badcafe", "invoices are in postgres"),
        turn("elsewhere", 6, "2026-01-02-b-0badf00d", "invoices are in a folder"),
    ]
    found = ask("which database holds the invoices", *pages)
    assert found == ["asks", "answers", "elsewhere"]


def test_flags_narrow_the_answer(ask):
    pages = [
        record("fact-1", "uv install"),
        record("pref-1", "uv install", "preference"),
        record("team-1", "uv install", scope="team"),
        record("old-1", "uv install", state="archived"),
    ]
    assert set(ask("uv", *pages)) == {"fact-1", "pref-1", "team-1"}
    assert ask("uv", *pages, kind="preference") == ["pref-1"]
    assert ask("uv", *pages, state="archived") == ["old-1"]
    assert ask("uv", *pages, scopes=["team"]) == ["team-1"]
    assert len(ask("uv", *pages, everything=True)) == 4
    assert ask("uv", *pages, limit=0) == []


def test_what_may_not_speak_does_not_crowd_out_what_may(ask, monkeypatch):
    monkeypatch.setattr(retrieve, "CANDIDATES", 5)
    silent = [record(f"old-{n}", "uv uv uv", state="archived") for n in range(40)]
    assert ask("uv", *silent, record("speaks", "uv is a tool with a long page about it and more")) == ["speaks"]


def test_the_same_question_gives_the_same_order_among_equals(ask):
    pages = [record(f"page-{n}", "uv install") for n in (3, 1, 2)]
    assert ask("uv", *pages) == ["page-1", "page-2", "page-3"]


@pytest.mark.parametrize(
    "text", ['"', "a AND (", "title:x", "*", "uv OR", "\0", "NEAR/3", "'; --", "^", "🙂", "\u202e"]
)
def test_query_syntax_is_text(ask, text):
    ask(text, record("fact-1", "uv install"))


def scored(id, similarity, **more):
    s = Scored(reading.of_record(record(id, more.pop("text", id), **more)))
    s.entry.key, s.similarity, s.score = hash(id), similarity, similarity
    return s


def test_confidence_age_and_use_weigh_as_written():
    s = scored("a-1111", 0.8, confidence=0.9, created="2026-03-05T00:00:00Z", reinforced="2026-03-05T00:00:00Z")
    retrieve.weighed([s], NOW, 0.98, {})
    assert s.score == pytest.approx(0.8 * (0.5 + 0.5 * 0.9) * 1.0)
    old = scored("b-1111", 0.8, confidence=0.9, reinforced="2025-12-05T00:00:00Z")
    retrieve.weighed([old], NOW, 0.98, {})
    assert old.score == pytest.approx(0.8 * (0.5 + 0.5 * 0.9 * 0.98**12) * (0.9 + 0.1 * 0.5))


@given(st.integers(0, 500), st.integers(0, 500), st.text(max_size=8), st.integers(0, 30_000))
def test_reuse_stays_within_its_bounds(uses, offers, id, day):
    assert 0.8 < retrieve.reuse(uses, offers, id, day) < 1.2


def test_what_is_offered_in_vain_sinks_and_gets_its_turn():
    days = [retrieve.reuse(0, 50, "some-id", day) for day in range(10)]
    assert sorted(days)[0] < 0.83 and days.count(1.0) == 1
    assert retrieve.reuse(0, 0, "some-id", 1) == 1.0 < retrieve.reuse(9, 10, "some-id", 1)


def test_a_twin_gives_way_to_something_else():
    twins = [scored(f"twin-{n}", 1.0 - n / 100, text="uv install packages") for n in range(3)]
    other = scored("other", 0.95, text="lock file held by daemon")
    assert [s.entry.id for s in retrieve.diverse([*twins, other], 4)][:2] == ["twin-0", "other"]
    assert len(retrieve.diverse([*twins, other], 1)) == 4


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_idf_is_never_negative(holding, total):
    assert idf(holding, total) >= 0


def test_coverage_is_a_share_whatever_the_size_of_the_wiki(tmp_path):
    snapshot = Snapshot(make(tmp_path, *(record(f"p-{n}", "uv install packages") for n in range(30))))
    query = retrieve.Query(["install the packages with uv"], snapshot)
    assert query.coverage(query.weights) == pytest.approx(1.0) and query.coverage(()) == 0
    assert query.coverage(["uv"]) > query.coverage(["instal"]) > 0  # `install` is a word of any task
    snapshot.close()
