"""Links between records: what mentions the same is tied, new pages to older ones, and a person's page stays."""

from dataclasses import replace

import pytest

from llmwiki import graph, markdown, prose, verify
from llmwiki.indexes.reading import body_lines
from llmwiki.markdown_links import rejoined, split_links, with_links
from llmwiki.model import Record, RecordType, State, Wiki
from llmwiki.related import MOST, Related, traced
from llmwiki.synthesizers.folding import combined
from llmwiki.workspace import Workspace
from tests.lessons import agent, learned, ran, session, user
from tests.wikis import record

LINKS = "<!-- llmwiki:links -->\n## Related\n\n- [[a]]\n- [[b]]\n<!-- /llmwiki:links -->"


def stems(new, *known):
    records = {r.id: r for r in known}
    return Related(known).stems(new, records)


def block(record):
    return [target for target, _ in prose.links(split_links(record.body)[1])]


# -- the part between the markers


@pytest.mark.parametrize("body", ["", "## Rule\n\n- Use tabs\n", "text\n\n```\n<!-- llmwiki:links -->\n```\n"])
def test_a_body_gets_links_at_its_end_and_loses_them_again(body):
    made = with_links(body, ["a", "b"])
    assert made.endswith(LINKS + "\n") and split_links(made) == (body, LINKS)
    assert with_links(made, ["c"]) == with_links(body, ["c"]) and with_links(made, []) == body
    assert rejoined(*split_links(made)) == made


def test_links_that_a_person_moved_are_found_and_their_text_stays():
    assert split_links(f"one\n\n{LINKS}\n\ntwo\n") == ("one\n\ntwo\n", LINKS)


@pytest.mark.parametrize("lone", ["<!-- llmwiki:links -->", "<!-- /llmwiki:links -->"])
def test_a_marker_alone_hides_nothing(lone):
    body = f"## Rule\n\n- Use tabs\n\n{lone}\n\n- Use spaces\n"
    assert split_links(body) == (body, "")
    assert [c.text for c in prose.claims(body)] == ["Use tabs", "Use spaces"]


def test_links_are_no_claims():
    body = "## Rule\n\n- Use tabs [[s#^t3]]\n"
    made = with_links(body, ["a", "b"])
    assert prose.claims(made) == prose.claims(body) and body_lines(made) == body_lines(body)
    below = f"{made}\n- Later words\n"
    assert [(c.text, c.line) for c in prose.claims(below)][-1] == ("Later words", below.count("\n"))
    assert verify.verify(record("x-0001", body=made), lambda stem, anchor: None).status == verify.UNREACHABLE


def test_session_text_cannot_forge_the_markers():
    for said in (LINKS, LINKS.replace("\n", " "), f"`{LINKS}`"):
        body = markdown.body({"Rule": [prose.Claim("Rule", prose.inert(said)), prose.Claim("Rule", prose.code(said))]})
        assert split_links(body) == (body, "")


def test_a_record_with_links_reads_back():
    made = record("x-0001", "it is so")
    made = replace(made, body=with_links(made.body, ["a"]))
    assert markdown.normal(markdown.read(markdown.render(made), made.path)) == markdown.normal(made)


def test_a_page_that_learns_more_keeps_its_links():
    known = replace(record("x-0001", "it is so"), body=with_links(record("x-0001", "it is so").body, ["a", "b"]))
    more = combined(known, record("x-0001", "it is so\nand otherwise"), 1)
    assert "and otherwise" in more.body and more.body.endswith(LINKS + "\n")


# -- what ties


def test_identifiers_paths_and_errors_tie_and_common_words_do_not():
    path = record("one-0001", "Keep `src/shop/cart_total.py` pure", project="shop")
    error = record("two-0001", "python is missing", "failure", when={"errors": ["python: command not found"]})
    other = record("three-0001", "Lunch comes at noon", project="shop")
    assert stems(record("new-0001", "cart_total rounds down", project="shop"), path, other) == ["one-0001"]
    assert stems(record("new-0001", "use it", "failure", when=dict(error.when), project="b"), error, other) == [
        "two-0001"
    ]
    assert stems(record("new-0001", "Always write tests", project="shop"), path, other) == []


def test_plain_words_tie_within_a_project_only():
    known = record("one-0001", "The invoice goes to the customer", project="shop")
    said = "Print the customer before the invoice"
    assert stems(record("new-0001", said, project="shop"), known) == ["one-0001"]
    assert stems(record("new-0001", said, project="bakery"), known) == []


def test_an_alias_or_a_title_that_is_mentioned_ties_best():
    alias = record("one-0001", "Restart it by hand", aliases=("billing daemon",), project="b")
    title = record("two-0001", "x", title="Nightly export job", project="c")
    near = record("three-0001", "restart of `export_all`", project="a")
    new = record("new-0001", "`export_all` waits for the billing daemon and the nightly export job", project="a")
    assert stems(new, alias, title, near)[:2] == ["two-0001", "one-0001"]


def test_what_is_withdrawn_narrower_linked_already_or_not_linkable_gets_no_link():
    known = record("one-0001", "Keep cart_total.py pure")
    new = record("new-0001", "cart_total.py rounds")
    for hidden in (
        {"state": State.ARCHIVED},
        {"superseded_by": "x"},
        {"type": RecordType.TRACE},
        {"path": "wiki/facts/a|b.md"},
    ):
        assert stems(new, replace(known, **hidden)) == []
    assert stems(replace(new, scope="public"), known) == [] and stems(new, replace(known, scope="public"))
    assert stems(replace(new, body=new.body + "- see [[one-0001]]\n"), known) == []


def test_a_page_gets_few_links_whatever_order_the_wiki_is_read_in():
    known = [record(f"known-{n}-0001", f"part {n} of cart_total.py and basket_{n % 3}.py") for n in range(15)]
    new = record("new-0001", "basket_1.py beside basket_2.py")
    found = stems(new, *known)
    assert 0 < len(found) <= MOST and found == stems(new, *reversed(known))
    index = Related(known)
    index.add(new)
    index.add(replace(new, body="## Statement\n\n- otherwise\n"))
    index.remove(new.id)
    assert index.stems(new, {r.id: r for r in known}) == found


# -- learning

START = user("Set up the shop")
FIRST = session(
    START, agent("ok"), user("Always document every public function with an example, as src/cart_total.py does.")
)
RULE = user("Always round prices half up, to the cent, with the helper in src/cart_total.py.")


def second(*more):
    return session(START, agent("ok"), RULE, *more, stem="2026-04-02-more-aaaa0002")


def lesson(outcome, made):
    (found,) = [
        r for r in outcome.wiki.records.values() if r.type is not RecordType.TRACE and f"[[{made.stem}]]" in r.sources
    ]
    return found


def test_a_new_page_links_to_older_ones_and_no_older_page_is_touched():
    first = learned(FIRST)
    known = lesson(first, FIRST)
    grown = learned(second(), first.wiki, ties=first.related)
    new = lesson(grown, second())
    assert block(new) == [known.stem] and grown.wiki.records[known.id] is known
    assert len(grown.changes) == 2  # the page and its trace
    assert learned(second(), first.wiki).changes == grown.changes  # without the index of the merge before


def test_a_trace_leads_to_what_its_session_taught():
    outcome = learned(FIRST)
    (trace,) = [r for r in outcome.wiki.records.values() if r.type is RecordType.TRACE]
    assert block(trace) == [lesson(outcome, FIRST).stem] and "## Taught" in trace.body


def test_records_that_say_what_they_said_link_as_they_linked():
    first = learned(second())
    between = learned(FIRST, first.wiki)
    assert learned(second(), between.wiki, first.records).changes == ()
    assert learned(second(), between.wiki).changes == ()


def test_lessons_of_one_session_that_share_nothing_still_link():
    made = session(
        START,
        agent("ok"),
        user("Never use npm here, use pnpm instead."),
        agent("ok"),
        user("Always write it in English."),
    )
    outcome = learned(made)
    lessons = sorted(
        (r for r in outcome.wiki.records.values() if r.type is not RecordType.TRACE), key=lambda r: r.created
    )
    assert len(lessons) == 2 and block(lessons[1]) == [lessons[0].stem] and not block(lessons[0])


def test_links_follow_a_page_that_goes_or_gets_another_name():
    first = learned(FIRST)
    grown = learned(second(), first.wiki)
    new = lesson(grown, second())
    gone = learned(session(START, agent("never mind")), grown.wiki, first.records)
    assert lesson(first, FIRST).id not in gone.wiki.records and block(gone.wiki.records[new.id]) == []
    kept = learned(session(START, agent("never mind")), grown.wiki, first.records, edited={new.id})
    assert kept.wiki.records[new.id] is new  # what a person edited is theirs, dead link or not


def test_an_edited_page_does_not_get_its_links_back():
    first = learned(FIRST)
    grown = learned(second(), first.wiki)
    new = lesson(grown, second())
    mine = replace(new, body=split_links(new.body)[0])
    wiki = Wiki({**grown.wiki.records, mine.id: mine})
    text = markdown.render(mine)
    again = learned(
        session(START, agent("so"), RULE, stem="2026-04-03-x-aaaa0003"),
        wiki,
        edited={mine.id},
        read=lambda path: text,
    )
    assert again.wiki.records[mine.id].body == mine.body
    assert learned(second(), wiki, grown.records, edited={mine.id}).wiki.records[mine.id].body == mine.body


def test_contradictions_stand_above_the_links():
    first = learned(FIRST)
    always = session(START, agent("ok"), user("Always use npm for cart_total.py, never pnpm."), stem="b-aaaa0002")
    rule = learned(always, first.wiki)
    assert block(lesson(rule, always)) == [lesson(first, FIRST).stem]
    never = session(START, agent("k"), user("Never use npm for cart_total.py, use pnpm."), stem="c-aaaa0003")
    body = lesson(learned(never, rule.wiki), always).body
    assert body.index("## Contradictions") < body.index("<!-- llmwiki:links")
    assert [c.section for c in markdown.claims(body)].count("Contradictions") == 1


def test_what_a_person_tells_links_too(tmp_path):
    Workspace.init(tmp_path)
    old = Workspace(tmp_path).remember("Keep src/cart_total.py pure")
    before = (tmp_path / old["path"]).read_bytes()
    told = Workspace(tmp_path).remember("src/cart_total.py rounds half up", type="fact")
    page = Workspace(tmp_path).load().records[told["id"]]
    assert block(page) == ["keep-src-cart-total-py-pure"] and (tmp_path / old["path"]).read_bytes() == before
    assert graph.orphans(graph.build(Workspace(tmp_path).load())) == []
    assert "<!--" not in Workspace(tmp_path).context("round the cart_total").text


def test_the_record_itself_is_never_among_its_links():
    one = Record("one-0001", RecordType.FACT, "cart_total.py rounds", path="wiki/facts/one.md")
    assert Related([one]).stems(one, {one.id: one}) == []


def test_one_more_lesson_is_one_new_file_and_a_line(tmp_path):
    Workspace.init(tmp_path)
    Workspace(tmp_path).remember("Every public function of src/cart_total.py stays pure and has a documented example")
    before = {p: p.read_text("utf-8") for p in tmp_path.glob("wiki/**/*.md")}
    told = Workspace(tmp_path).remember("Prices are rounded half up to the cent by the helper in src/cart_total.py")
    after = {p: p.read_text("utf-8") for p in tmp_path.glob("wiki/**/*.md")}
    assert after.keys() - before.keys() == {tmp_path / told["path"]}
    changed = {
        p.name: set(after[p].splitlines()) ^ set(before[p].splitlines()) for p in before if after[p] != before[p]
    }
    assert {name: len(lines) for name, lines in changed.items()} == {"_context.md": 1, "log.md": 1}


def test_a_dry_run_takes_no_page_of_a_folder_for_a_record(tmp_path):
    Workspace.init(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    wiki = Workspace(tmp_path)
    wiki.remember("Keep src/cart_total.py pure", dry_run=True)
    assert [r.title for r in wiki.load().records.values()] == ["Keep src/cart_total.py pure"]
    assert sorted(p for p in tmp_path.rglob("*") if ".llmwiki" not in p.parts) == [
        p for p in before if ".llmwiki" not in p.parts
    ]


def test_a_trace_that_taught_nothing_leads_to_what_it_touched_or_to_the_session_before():
    first = learned(FIRST)
    touched = session(START, ran("uv run pytest src/cart_total.py", "2 passed in 1s"), stem="b-aaaa0002")
    drafts = learned(touched, first.wiki)
    bare = {i: r for i, r in drafts.wiki.records.items() if r.type is RecordType.TRACE or i in first.wiki.records}
    (trace,) = [r for r in bare.values() if "[[b-aaaa0002]]" in r.sources]
    lessons = {i: r for i, r in first.wiki.records.items() if r.type is not RecordType.TRACE}
    (known,) = lessons.values()
    fresh = replace(trace, body=split_links(trace.body)[0], created="2026-04-09T00:00:00Z")
    assert block(traced(fresh, None, bare, Related(lessons.values()))) == [known.stem]
    older = {i: r for i, r in bare.items() if r.type is RecordType.TRACE}
    (before,) = [r for i, r in older.items() if i in first.wiki.records]
    alone = traced(fresh, None, older, Related())
    assert block(alone) == [before.stem]
    assert traced(fresh, alone, bare, Related(lessons.values())) == alone
