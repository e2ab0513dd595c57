"""Claims, links and inert text: what a page says is read back exactly, and session text does nothing in it."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from llmwiki.model import Cite, Claim
from llmwiki.prose import body, cite, claims, code, folded, inert, item, links, plain

ACTS = "` `` ``` \\ [[ ]] ![[ [x](http://y) <% %% <!-- --> # - 1. :: > ~~~ a $= = | ^abc [^1] [[s#^t1]] é 😀 *** שלום"
SPACED = ["\n", " ", " ^abc", "# ", "- ", "[ ] ", "\u202e", "\ud800", "\u2028", "---\n", "\x00"]
HOSTILE = st.lists(st.one_of(st.sampled_from([*ACTS.split(), *SPACED]), st.text(max_size=3)), max_size=12).map("".join)
MARKS = "` ``` ~~~ [[s#^t1]] [[s#^t2|x]] [[p]] a b <!-- --> \\".split()
BREAKS = ["\n", "\n  ", "- ", "* ", "1. ", "## A\n", "# B\n", " ", "\n\n", "---\n", "    ", "\r\n"]
PAGE = st.lists(st.one_of(st.sampled_from([*MARKS, *BREAKS]), st.text(max_size=2)), max_size=14).map("".join)


def said(found):
    return [(claim.section, claim.text, claim.cites) for claim in found]


@settings(max_examples=600, deadline=None)
@example("`= dv.pages()` <!-- llmwiki:begin --> <% tp.system %>")
@given(HOSTILE)
def test_inert_text_does_nothing_and_reads_as_the_same_words(text):
    safe = inert(text)
    assert plain(safe) == folded(text)
    assert safe.splitlines() in ([safe], [])
    assert not links(safe)
    assert not links(f"- {safe}")
    assert "<%" not in safe
    assert "<!--" not in safe
    safe.encode("utf-8")


@settings(max_examples=600, deadline=None)
@given(HOSTILE, HOSTILE)
def test_inert_text_and_code_stay_one_claim_with_its_own_cite(first, second):
    said_here = [Claim("Steps", inert(first), (Cite("s", "t1"),)), Claim("Steps", code(second), (Cite("s", "t2-2"),))]
    assert said(claims(body([("Steps", said_here)]))) == said(said_here)
    if inert(first):
        assert said(claims(f"## A\n\n{inert(first)}\n")) == [("A", inert(first), ())]


@settings(max_examples=800, deadline=None)
@given(PAGE)
def test_claims_of_any_page_survive_being_written(text):
    found = claims(text)
    sections = {}
    for claim in found:
        sections.setdefault(claim.section, []).append(claim)
    assert said(claims(body(sections))) == said([claim for group in sections.values() for claim in group])


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("use `perl -e 's/\\r$//'` here", "use `perl -e 's/\\r$//'` here"),
        ("see [[secret]] ![[x]]", "see \\[\\[secret]] !\\[\\[x]]"),
        ("<script>x</script>", "\\<script>x<\\/script>"),
        ("a <!-- b --> %%c%%", "a <\\!-- b --> %\\%c%\\%"),
        ("# heading", "\\# heading"),
        ("- item", "\\- item"),
        ("12. item", "12\\. item"),
        ("text ^anchor", "text \\^anchor"),
        ("`$= dv.x()`", "\\`$= dv.x()\\`"),
        ("<% tp %>", "<\\% tp %>"),
        ("![x](http://y)", "!\\[x](http://y)"),
        ("C:\\Users\\x, snake_case_name and v1.2", "C:\\Users\\x, snake_case_name and v1.2"),
        ("one\n\n---\ntwo\x07\u202e", "one --- two"),
        ("key:: value", "key:\\: value"),
        ("unclosed ` tick", "unclosed \\` tick"),
    ],
)
def test_inert_escapes_what_acts_and_nothing_else(text, safe):
    assert inert(text) == safe


def test_code_takes_as_many_backticks_as_it_needs():
    assert code("npm i") == "`npm i`"
    assert code("a `b` c") == "``a `b` c``"
    assert code("`b`") == "`` `b` ``"
    assert code("") == ""
    assert code("=this.file") == inert("=this.file")


def test_claims_of_a_page_in_many_forms():
    text = """Intro that stands above

## Steps

1. First `x` [[s#^t1]] [[raw/codex/p/s.md#^t2-2|t2]]
2. Second goes on
   over two lines
and lazily. [[s#^t3]]
* Star with [[s#^t4]] inside and [[page]]

   ```sh
   - no item
   ```

- [[s#^t9]] `[[s#^t8]]`
   - nested

## Said

A paragraph
Another
> quoted

<!-- hidden
- hidden too -->

```
- code
[[s#^t7]]
```
### Sub
---
tail
"""
    found = claims(text)
    assert said(found) == [
        ("", "Intro that stands above", ()),
        ("Steps", "First `x`", (Cite("s", "t1"), Cite("s", "t2-2"))),
        ("Steps", "Second goes on over two lines and lazily.", (Cite("s", "t3"),)),
        ("Steps", "Star with [[s#^t4]] inside and [[page]]\n```sh\n- no item\n```", (Cite("s", "t4"),)),
        ("Steps", "[[s#^t9]] `[[s#^t8]]`", (Cite("s", "t9"),)),
        ("Steps", "nested", ()),
        ("Said", "A paragraph", ()),
        ("Said", "Another", ()),
        ("Said", "> quoted", ()),
        ("Said", "```\n- code\n[[s#^t7]]\n```", ()),
        ("Said", "tail", ()),
    ]
    lines = text.split("\n")
    assert [lines[claim.line - 1].strip()[:3] for claim in found[:4]] == ["Int", "1. ", "2. ", "* S"]


def test_body_numbers_steps_and_repeats_no_inline_cite():
    one = Claim("Steps", "see [[s#^t1]] there", (Cite("s", "t1"), Cite("s", "t2")))
    text = body({"Steps": [one, one], "Checks": [], "Cure": [Claim("Cure", "x", (Cite("s", "t3"), Cite("s")))]})
    assert text == (
        "## Steps\n\n1. see [[s#^t1]] there [[s#^t2]]\n2. see [[s#^t1]] there [[s#^t2]]\n\n## Cure\n\n- x [[s#^t3]]\n"
    )
    assert item(Claim("", "```\nopen"), "-") == "- ```\n  open\n  ```\n"


def test_links_are_not_read_in_code_or_behind_a_backslash():
    text = "[[a]] [[b#^t4|x]] [[c#Head]] `[[d]]` \\[[e]]\n```\n[[f]]\n```\n[[g/h]]"
    assert links(text) == (("a", ""), ("b", "t4"), ("c", "Head"), ("g/h", ""))


def test_one_link_as_a_cite():
    assert cite("[[raw/codex/p/stem.md#^t47]]") == Cite("stem", "t47")
    assert cite("[[stem]]") == Cite("stem")
    assert cite("docs/x.md") is None
