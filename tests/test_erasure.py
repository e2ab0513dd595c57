"""What is left of a page when what it names is forgotten: to the letter, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmwiki import erasure, markdown, rawpage
from llmwiki.gone import Gone
from llmwiki.model import Claim, Session
from tests.wikis import STEM, record

OTHER = "2026-03-02-another-0badbeef"
GONE = Gone(sessions=[STEM], records=["use-npm"], titles=["Use npm here"])


def dropping(*texts):
    return lambda claim: claim.text in texts


BODY = """## Steps

1. One
   ```sh
   # not a heading

   ## nor this
   ```
2. Two


3. Three
   goes on

## Pitfalls

- Four

A paragraph.
"""


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        ((), BODY),
        (("Two",), BODY.replace("2. Two\n\n\n", "")),
        (("Three goes on",), BODY.replace("3. Three\n   goes on\n", "")),
        (("A paragraph.",), BODY.replace("A paragraph.\n", "")),
        (("Four", "A paragraph."), BODY.partition("\n## Pitfalls")[0]),
        (("Four",), BODY.replace("- Four\n\n", "")),
    ],
)
def test_only_what_is_dropped_goes(texts, left):
    assert erasure.without(BODY, dropping(*texts)) == left


def test_an_item_goes_with_its_fence_whatever_stands_in_it():
    first = markdown.claims(BODY)[0]
    left = erasure.without(BODY, lambda claim: claim == first)
    assert left.startswith("## Steps\n\n2. Two\n") and "not a heading" not in left and "nor this" not in left
    only = "## Steps\n\n1. One\n   ```sh\n   ## nor this\n   ```\n\n## Pitfalls\n\n- Four\n"
    assert erasure.without(only, lambda claim: claim.section == "Steps") == "## Pitfalls\n\n- Four\n"


claim_texts = st.lists(st.text("abc `*_.", min_size=1, max_size=9).filter(str.strip), max_size=5)


@given(claim_texts, claim_texts, st.sets(st.integers(0, 9)))
def test_of_our_own_pages_exactly_the_dropped_claims_are_missing(one, two, numbers):
    body = markdown.body({"Statement": [Claim("", f"x{t}x") for t in one], "Steps": [Claim("", f"x{t}x") for t in two]})
    said = markdown.claims(body)
    gone = {claim.line for n, claim in enumerate(said) if n in numbers}
    left = markdown.claims(erasure.without(body, lambda claim: claim.line in gone))
    assert [(c.section, c.text) for c in left] == [(c.section, c.text) for c in said if c.line not in gone]


def test_a_link_loses_its_target_and_keeps_its_words():
    text = "a [[use-npm|rule]], [[use-npm]] ![[use-npm]] [[facts/use-npm#x]] [[never-use-npm]] [[STEM#^t3]]"
    ours = erasure.unlinked(text.replace("STEM", STEM), GONE, ours=True)
    assert ours == "a rule, (forgotten) (forgotten) (forgotten) [[never-use-npm]]"
    theirs = erasure.unlinked(f"it was so [[{STEM}#^t3]].", GONE, ours=False)
    assert theirs == "it was so (forgotten)."


@pytest.mark.parametrize(
    ("kind", "lines", "left"),
    [
        ("fact", ["a [[STEM#^t3]]"], None),
        ("fact", ["a [[STEM#^t3]]", "b [[OTHER#^t4]]"], "b"),
        ("fact", ["a [[STEM#^t3]] [[OTHER#^t4]]"], "a"),
        ("fact", ["a, that nobody cites"], "a"),
    ],
)
def test_a_record_keeps_what_others_say(kind, lines, left):
    body = "## Statement\n\n" + "".join(f"- {line}\n" for line in lines).replace("STEM", STEM).replace("OTHER", OTHER)
    both = record("a-fact", sources=(f"[[{STEM}]]", f"[[{OTHER}]]"), body=body)
    found = erasure.left(both, GONE)
    if left is None:
        assert found is None, "without its main claim it says nothing"
    else:
        assert found.sources == (f"[[{OTHER}]]",)
        assert [c.text[:1] for c in markdown.claims(found.body)] == [left]
        assert STEM not in erasure.unnamed(found, GONE, ours=True).body
    assert erasure.left(replace(both, sources=(f"[[{STEM}]]",)), GONE) is None
    by_hand = replace(both, handwritten=True)
    assert erasure.left(by_hand, GONE) == by_hand, "a person's page keeps every line"


def test_a_preference_without_the_persons_words_and_a_failure_of_one_part_go():
    said = f"## Rule\n\n- r [[{OTHER}#^t1]]\n\n## Said\n\n- s [[{STEM}#^t1]]\n"
    sources = (f"[[{STEM}]]", f"[[{OTHER}]]")
    assert erasure.left(record("p", kind="preference", body=said, sources=sources), GONE) is None
    failed = f"## Symptom\n\n- r [[{OTHER}#^t1]]\n\n## Cure\n\n- s [[{STEM}#^t1]]\n"
    assert erasure.left(record("f", kind="failure", body=failed, sources=sources), GONE) is None


def test_lines_of_a_log_are_found_by_name_and_by_title():
    log = "# Log\n\n- 1 remember: Use npm here\n- 2 remember: Use npm hereafter\n- 3 x use-npm y\n- 4 never-use-npm\n"
    assert erasure.log(log, GONE) == "# Log\n\n- 2 remember: Use npm hereafter\n- 4 never-use-npm\n"


def test_names_are_whole_words_also_in_json_and_also_when_they_are_many():
    for more in ([], [f"name-{n}" for n in range(100)]):
        gone = Gone(records=["use-npm", "größe", "a b:c", *more])
        for text in ("x use-npm.md", "[[use-npm]]", '"gr\\u00f6\\u00dfe"', "/a b:c/", "größe"):
            assert gone.named(text), text
        for text in ("", "never-use-npm", "use-npm2", "use-npms", "a b"):
            assert not gone.named(text), text
        assert Gone.load(gone.dump()).names == gone.names
    assert not Gone().named("anything") and not Gone().path("raw/a/b.md")


def test_a_raw_page_is_unlinked_in_its_frontmatter_alone():
    made = Session("codex", "s1", parent_page="a", children=("b", "c"), offered=("r-1234", "q-1234"))
    page = rawpage.render(made)
    assert rawpage.unlinked(page, {"c", "r-1234"}) == rawpage.render(
        replace(made, children=("b",), offered=("q-1234",))
    )
    bare = replace(made, parent_page="", children=(), offered=())
    assert rawpage.unlinked(page, {"a", "b", "c", "r-1234", "q-1234"}) == rawpage.render(bare)
    assert rawpage.unlinked(page, {"nothing"}) == page


def test_the_links_at_the_end_keep_their_marks_when_the_line_above_them_goes():
    links = "<!-- llmwiki:links -->\n## Related\n\n- [[other]]\n<!-- /llmwiki:links -->\n"
    body = f"## Cure\n\n- One\n- Two\n\n{links}"
    assert erasure.without(body, lambda claim: claim.text == "Two") == f"## Cure\n\n- One\n\n{links}"
    assert erasure.without(body, lambda claim: False) == body
