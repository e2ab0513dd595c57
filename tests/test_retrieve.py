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


def test_words_side_by_side_as_in_the_question_beat_the_same_words_apart(ask):
    apart = record("apart", "the insert is slow whenever some bulk is there")
    beside = record("beside", "some there is slow whenever the bulk insert is")
    assert ask("bulk insert", apart, beside)[0] == "beside"
    assert ask("bulk of the insert", apart, beside)[0] == "beside"  # stop words stand between none
    assert ask("insert bulk", apart, beside)[0] == "apart"  # in this order nobody has them: the id decides


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


def test_an_answer_follows_its_question_more_often_than_it_comes_before_it(ask):
    stem = "2026-01-01-a-0badcafe"
    said = {4: "it is on the shelf", 5: "who has the invoices of march", 6: "march is with the auditors"}
    before, asks, after = (record(f"t-{n}", body=f"## Statement\n\n- {t} [[{stem}#^t{n}]]\n") for n, t in said.items())
    assert ask("who has the invoices of march", before, asks, after)[:2] == ["t-5", "t-6"]
    twin = {4: "auditors keep march", 5: said[5], 6: "march keep auditors"}
    pages = [record(f"t-{n}", body=f"## Statement\n\n- {t} [[{stem}#^t{n}]]\n") for n, t in twin.items()]
    assert ask("who has the invoices of march", *pages) == ["t-5", "t-6", "t-4"]


def test_a_line_is_read_together_with_the_one_before_it(tmp_path):
    filler = "c d e f g"
    pages = {"together": ["retry the upload", "after a delay", filler], "apart": ["retry the upload", filler, filler]}
    pages["apart"][2] = "after a delay"
    snapshot = Snapshot(make(tmp_path, *(record(id, "\n".join(lines)) for id, lines in pages.items())))
    found = retrieve.search(snapshot, "retry upload delay", retrieve.Allowed(NOW))
    snapshot.close()
    assert [s.entry.id for s in found] == ["together", "apart"]
    assert found[0].window > found[1].window and found[0].lines == found[1].lines


def test_other_forms_of_a_word_find_it(ask):
    pages = [record("other", "we sing songs about trains"), record("right", "bought a tent and a stove")]
    assert ask("did they buy something", *pages) == ["right"]
    assert ask("who bought it", record("right", "buy it now")) == ["right"]


def test_a_kind_finds_what_is_of_it_behind_what_names_it(ask):
    pages = [
        record("tool", "invoices are kept in sqlite here"),
        record("named", "invoices are kept in a database here"),
        record("neither", "the weather is fine in spring here"),
    ]
    assert ask("which database", *pages) == ["named", "tool"]


def test_a_word_of_a_kind_says_more_beside_a_word_of_the_question_itself(ask):
    pages = [
        record("elsewhere", "Ben: the beagle sleeps by day\nAnn: the weather is fine"),
        record("hers", "Ben: the weather is fine\nAnn: the beagle sleeps by day"),
    ]
    assert ask("which pets does Ann have", *pages) == ["hers", "elsewhere"]


def test_a_word_of_the_question_in_the_title_stands_beside_each_line(ask):
    titled = [
        record("ben", "the beagle sleeps by day", title="Ben in May"),
        record("cleo", "the beagle sleeps by day", title="Ann in May"),
    ]
    assert ask("which pets does Ann have", *titled) == ["cleo", "ben"]


def test_a_word_of_a_kind_is_found_alone_too(ask):
    assert ask("which pets", record("other", "the weather is fine"), record("dog", "the beagle sleeps")) == ["dog"]


def test_the_project_that_answers_best_lifts_its_other_records(ask):
    pages = [
        record("best-one", "the nightly export fails with a lock timeout", project="shop"),
        record("shop-two", "export runs at night", project="shop"),
        record("else-two", "export runs at night", project="blog"),
        record("any-two", "export runs at night", project=None),
    ]
    assert ask("nightly export lock timeout", *pages) == ["best-one", "any-two", "shop-two", "else-two"]


def test_a_person_named_in_title_and_question_brings_their_words_first(ask):
    hers = record("hers", "went to the support group", title="Caroline in c0-d1")
    his = record("his", "went to the support group", title="Melanie in c0-d1")
    assert ask("when did Melanie go to a support group", hers, his)[0] == "his"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("parse http header", "parseHTTPHeader drops the last byte"),
        ("parseHTTPHeader", "parseHTTPHeader drops the last byte"),
        ("retry count", "set max_retry_count to three"),
        ("max_retry_count", "set max_retry_count to three"),
        ("os.path.join", "os.path.join swallows the prefix"),
        ("ERR_MODULE_NOT_FOUND", "node exits with ERR_MODULE_NOT_FOUND"),
        ("module not found", "node exits with ERR_MODULE_NOT_FOUND"),
        ("TS2304", "tsc reports TS2304 in strict mode"),
        ("main_file.py", "src/app/main_file.py is generated"),
        ("src/app/main_file.py", "src/app/main_file.py is generated"),
        ("日本語の設定", "設定は日本語で書く"),
        ("größe", "die Grosse und die Große der Datei"),
    ],
)
def test_an_identifier_is_found_by_its_parts_and_by_its_whole(ask, question, said):
    others = [record(f"other-{n}", f"file of {w} is here") for n, w in enumerate(("beta", "gamma", "delta"))]
    assert ask(question, *others, record("right", said))[0] == "right"


def test_short_records_are_looked_at_in_greater_number(ask, monkeypatch):
    monkeypatch.setattr(retrieve, "CANDIDATES", 5)
    pages = [record(f"p-{n:02}", f"deploy step number{n}", project=None) for n in range(60)]
    assert len(ask("deploy", *pages, limit=60)) == 60
    monkeypatch.setattr(retrieve, "READ_CHARS", 0)
    assert len(ask("deploy", *pages, limit=3)) == 3


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


def cited(stem, text="uv install packages"):
    return f"## Statement\n\n- {text} [[{stem}#^t3]]\n"


def test_a_twin_gives_way_to_something_else():
    twins = [scored(f"twin-{n}", 1.0 - n / 100, body=cited(f"2026-01-0{n + 1}-a-0badcafe")) for n in range(3)]
    other = scored("other", 0.95, text="lock file held by daemon")
    assert [s.entry.id for s in retrieve.diverse([*twins, other], 4)][:2] == ["twin-0", "other"]
    assert len(retrieve.diverse([*twins, other], 1)) == 4


def test_records_of_one_session_do_not_give_way_to_each_other():
    twins = [scored(f"twin-{n}", 1.0 - n / 100, body=cited("2026-01-01-a-0badcafe")) for n in range(3)]
    other = scored("other", 0.95, text="lock file held by daemon")
    assert [s.entry.id for s in retrieve.diverse([*twins, other], 4)] == ["twin-0", "twin-1", "twin-2", "other"]


def test_what_stands_beside_a_match_needs_less_to_join_it():
    def entry(n, stem="2026-01-01-a-0badcafe"):
        body = f"## Statement\n\n- x [[{stem}#^t{n}]]\n" if n else "## Statement\n\n- x\n"
        return reading.of_record(record(f"t-{n}", body=body, sources=()))

    beside = retrieve.Beside([entry(7)])
    assert entry(8) in beside and entry(4) in beside
    assert entry(20) not in beside and entry(0) not in beside
    assert entry(8, "2026-01-02-b-0badf00d") not in beside


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_idf_is_never_negative(holding, total):
    assert idf(holding, total) >= 0


def test_coverage_is_a_share_whatever_the_size_of_the_wiki(tmp_path):
    pages = [record(f"p-{n}", "uv install packages") for n in range(30)]
    snapshot = Snapshot(
        make(tmp_path, *pages, record("uv-1a2b", "uv"), record("install-3c4d", "install"), record("x-5e6f", "x"))
    )
    query = retrieve.Query(["install the packages with uv"], snapshot)
    allowed = retrieve.Allowed(NOW)
    found = {
        s.entry.id: s
        for s in retrieve.ranked(query, retrieve.candidates(snapshot, query, allowed, 99), snapshot.average)
    }
    for s in found.values():
        query.relevance.judge(s, 0.2)
    assert found["p-7"].coverage == pytest.approx(1.0) and "x-5e6f" not in found
    assert found["uv-1a2b"].coverage > found["install-3c4d"].coverage > 0  # `install` is a word of any task
    snapshot.close()
