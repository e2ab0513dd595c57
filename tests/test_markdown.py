"""A page reads back as what was meant, whoever wrote it; a person's page is edited without moving another byte."""

import json
from dataclasses import replace

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from llmwiki import frontmatter_text, markdown, yaml_subset
from llmwiki.markdown import REMOVE, BadPage, edit, normal, read, render, update
from llmwiki.model import Evidence, Record, RecordType, State

PAGE = """---
id: "use-pnpm-12ab"
type: preference
title: "Use \\"pnpm\\", never npm"
description: "Packages come with pnpm."
state: active
confidence: 0.80
scope: team
project: web-shop
domains: [javascript]
tags: [pnpm, "523e0529"]
created: "2026-03-01T14:03:22Z"
reinforced: "2026-03-01T14:03:22Z"
ttl_days: 365
evidence: user-said
sources:
  - "[[2026-03-01-set-up-0a1b2c3d]]"
when: {tools: [npm, pnpm], paths: ["src/**"], always: true}
rating: 1.10
---

## Rule

- Use `pnpm`. [[2026-03-01-set-up-0a1b2c3d#^t4]]
"""

WORDS = (
    "523e0529 no No NO yes on off y n true null ~ 0123 1e5 1_000 12:30 1.10 2026-03-01 .inf .nan 0x1f 0o17 - -- --- "
    "? : # a:b a: -a &a *a !a %a @a `a` | > {a} [a] [[a]] \"a\" 'a' <<"
).split()
SPACED = ["", " ", "a ", " a", "a: b", "a #b", "\\", "\\n", "a\nb", "\t", "\r", "\x00", "\x85", "\u2028", "\ufeff"]
SURPRISES = [*WORDS, *SPACED]
HOSTILE = st.one_of(
    st.sampled_from([*SURPRISES, "😀", "\u202eabc", "שלום", "\ud800x"]),
    st.text(max_size=20),
    st.text(alphabet="ab\"'\\:#-[]{},&*!|>%@` \n\t\r\u2028\x07é", max_size=12),
)
LISTS = st.lists(HOSTILE, max_size=3).map(tuple)
KEYS = st.text(max_size=8).filter(lambda key: key not in markdown.ORDER and key not in yaml_subset.NULLS)
VALUES = st.recursive(
    st.one_of(HOSTILE, st.booleans(), st.none(), st.integers(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(HOSTILE, inner, max_size=2)),
    max_leaves=4,
)
TIMES = st.sampled_from(["", "2026-03-01T14:03:22Z", "2025-12-31T00:00:00Z"])
RECORDS = st.builds(
    Record,
    id=st.from_regex(r"[a-z0-9][a-z0-9-]{2,20}", fullmatch=True),
    type=st.sampled_from(RecordType),
    title=HOSTILE.map(lambda text: f"T{text}"),
    description=HOSTILE,
    state=st.sampled_from(State),
    confidence=st.floats(0, 1),
    scope=st.sampled_from(["user", "team", "public"]),
    project=st.none() | HOSTILE.filter(bool),
    domains=LISTS,
    tags=LISTS,
    created=TIMES,
    reinforced=TIMES,
    quarantine_until=st.none() | TIMES,
    ttl_days=st.integers(0, 9999),
    uses=st.integers(0, 9),
    evidence=st.sampled_from(Evidence),
    sources=LISTS,
    supersedes=LISTS,
    superseded_by=HOSTILE,
    reason=HOSTILE,
    evolution_gen=st.integers(0, 9),
    parents=LISTS,
    when=st.fixed_dictionaries({}, optional={"paths": LISTS.map(list), "always": st.booleans(), "errors": LISTS}),
    aliases=LISTS,
    score=st.none() | st.floats(0, 5),
    offered=LISTS,
    extra=st.dictionaries(KEYS, VALUES, max_size=3),
    body=HOSTILE.map(lambda text: f"## A\n\n- {text}\n"),
)


@settings(max_examples=500, deadline=None)
@example(Record("abc", RecordType.FACT, "T", extra={"no": "null", "content": True, "a b": [[]], "1": {}}))
@given(RECORDS)
def test_a_rendered_record_reads_back(record):
    page = render(record)
    back = read(page)
    assert back == normal(record)
    assert not back.handwritten
    assert render(back) == page
    page.encode("utf-8")


@settings(max_examples=300, deadline=None)
@given(RECORDS)
def test_any_yaml_reader_sees_the_strings_that_were_meant(record):
    record = normal(record)
    head = frontmatter_text.split(render(record)).head
    seen = yaml.safe_load(head)
    assert (seen["title"], seen["id"], seen["type"]) == (record.title, record.id, record.type.value)
    assert seen["confidence"] == pytest.approx(record.confidence)
    assert seen["project"] == record.project
    for key in ("domains", "tags", "sources", "aliases"):
        assert tuple(seen.get(key, ())) == getattr(record, key)


@settings(max_examples=300, deadline=None)
@given(RECORDS)
def test_our_own_pages_are_read_the_same_with_and_without_a_yaml_parser(record):
    head = frontmatter_text.split(render(record)).head
    quick = yaml_subset.quick(head)
    assert quick is None or quick == frontmatter_text._full(head)


@settings(max_examples=600, deadline=None)
@given(st.text(alphabet="ab1:. -\"'\\[]{},#~|>&*!\n\t", max_size=40).map(lambda t: f"k: {t}\n"))
def test_the_quick_reader_never_disagrees_with_the_parser(head):
    quick = yaml_subset.quick(head)
    if quick is not None:
        assert quick == frontmatter_text._full(head)


def test_our_own_pages_need_no_yaml_parser():
    assert yaml_subset.quick(frontmatter_text.split(PAGE).head) is not None
    assert yaml_subset.quick(frontmatter_text.split(render(read(PAGE))).head) is not None


def test_a_page_is_written_in_the_order_and_style_of_the_house():
    page = PAGE.replace("when: {tools: [npm, pnpm], paths", "when: {tools: [npm, pnpm], paths")
    assert render(read(page)) == page
    assert read(page).title == 'Use "pnpm", never npm'
    assert read(page).tags == ("pnpm", "523e0529")
    assert read(page).extra == {"rating": "1.10"}


def test_what_is_at_its_default_is_not_written_but_for_the_keys_that_always_are():
    page = render(Record("abc", RecordType.FACT, "T", confidence=0.82254))
    assert page == (
        '---\nid: "abc"\ntype: fact\ntitle: "T"\ndescription: ""\nstate: active\nconfidence: 0.8225\nscope: user\n'
        "project: null\nttl_days: 180\nevidence: user-said\nsources: []\n---\n"
    )
    assert "quarantine_until: null\n" in render(Record("abc", RecordType.FACT, "T", quarantine_until=None))


@pytest.mark.parametrize(
    "word", ["523e0529", "no", "0123", "1e5", "1_000", "12:30", "1.10", "2026-03-01", "yes", "0x1F"]
)
def test_a_string_stays_a_string_whether_quoted_or_not(word):
    page = f"---\ntitle: {word}\nproject: {word}\ntags: [{word}]\nwhen:\n  paths: {word}\n---\n"
    record = read(page)
    assert (record.title, record.project, record.tags, record.when) == (word, word, (word,), {"paths": [word]})


# --- pages that a person wrote


def test_a_title_is_enough():
    record = read("# Deploy on Mondays only\n\nNever on Fridays.\n", "wiki/preferences/deploy.md", scope="team")
    assert record.handwritten
    assert (record.type, record.title, record.state) == (RecordType.PREFERENCE, "Deploy on Mondays only", State.ACTIVE)
    assert (record.evidence, record.confidence, record.scope) == (Evidence.USER_SAID, 0.8, "team")
    assert (record.created, record.reinforced, record.ttl_days) == ("", "", 365)
    assert record.id == read("# Deploy on Mondays only\n", "wiki/preferences/deploy.md").id
    assert read("", "wiki/facts/the-answer_is.md").title == "the answer is"
    assert read("text", "elsewhere/x.md").type is RecordType.FACT
    assert read("---\nid: my-own\ntitle: x\n---\n").handwritten
    assert read("text", "wiki/archive/facts/x.md").state is State.ARCHIVED
    with pytest.raises(BadPage, match="title"):
        read("text")


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n# A heading\n\n---\ntext\n",
        "---\nSome words of a page that begins with a rule\n\n---\n",
        "---\n\nplain\n",
        "--- \nno end, no key\n",
    ],
)
def test_a_rule_at_the_start_is_no_frontmatter(text):
    record = read(text, "wiki/facts/x.md")
    assert record.body == text.strip() + "\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_bom_and_line_ends_change_nothing(bom, newline):
    assert read(bom + PAGE.replace("\n", newline)) == read(PAGE)


def test_what_people_write_is_understood():
    record = read(
        "---\ntitle:\tTab\ntags: one\naliases:\n- a\n- b\nsources: [[page]]\nproject: null\nquarantine_until: null\n"
        "content: mine\nstate: Active\nconfidence: '.5'\ntype: FACT\ndescription: >\n  two\n  lines\nuses: +3\n---\n"
        "\n    indented code first\n"
    )
    assert (record.title, record.tags, record.aliases) == ("Tab", ("one",), ("a", "b"))
    assert (record.sources, record.project, record.quarantine_until) == (("[[page]]",), None, None)
    assert (record.extra, record.confidence, record.uses) == ({"content": "mine"}, 0.5, 3)
    assert record.description == "two lines"
    assert record.body == "    indented code first\n"


@pytest.mark.parametrize(
    ("head", "line", "message"),
    [
        ("title: x\nconfidence: 1.5", 3, "from 0 to 1"),
        ("title: x\nconfidence: .nan", 3, "from 0 to 1"),
        ("title: x\nconfidence: 80%", 3, "from 0 to 1"),
        ("title: x\n\nttl_days: -1", 4, "whole number"),
        ("title: x\nttl_days: 1.5", 3, "whole number"),
        ("type: idea", 2, "one of skill, fact"),
        ("state: asleep", 2, "one of quarantined"),
        ("scope: world", 2, "one of user, team, public"),
        ("evidence: heard", 2, "one of user-said"),
        ("created: yesterday", 2, "date or time"),
        ("quarantine_until: soon", 2, "date or time"),
        ("id: Not an id", 2, "a-z"),
        ("title: [a, b]", 2, "text"),
        ("when: always", 2, "mapping"),
        ("tags: {a: 1}", 2, "list of words"),
        ("title: x\ntitle: y", 3, "twice"),
        ("a: &x [1, 2]\nb: *x", 2, "alias"),
        ("a: &x [*x]", 2, "alias"),
        ("- a\n- b", 2, "no set of keys"),
        ("title: 'open", 2, "no YAML"),
        ("title: x\n\tstate: active", 3, "YAML"),
        ("title: x\n? [a, b]\n: c", 3, "list or a mapping"),
        ("a: " + "[" * 5000, 2, "no YAML"),
        ("a: " + "[" * 900 + "]" * 900, 2, "too deep"),
        ("a: ! " + "[" * 300 + "]" * 300, 2, "too deep"),
        ("title: \x07", 1, "no YAML"),
        ("title: \ud800\nx: 'y z'", 1, "cannot be read"),
    ],
)
def test_a_bad_page_says_what_is_wrong_and_where(head, line, message):
    with pytest.raises(BadPage) as caught:
        read(f"---\n{head}\n---\n", "wiki/facts/x.md")
    assert message in caught.value.message
    assert abs(caught.value.line - line) <= (1 if "no YAML" in message or "alias" in message else 0)


def test_frontmatter_that_does_not_end_is_told():
    with pytest.raises(BadPage, match="not closed") as caught:
        read("---\ntitle: x\n\ntext\n")
    assert caught.value.line == 1


def test_aliases_cannot_explode():
    bomb = "a: &a [x, x, x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(BadPage, match="alias"):
        read(f"---\n{bomb}---\n", "x.md")


# --- editing

PERSONAL = """---
# my page
title: 'Old'   # keep me
# about tags
tags:
  - a
  - b # inner

rating: 1.10
note: |
  one
  # not a comment

# end
project: x
---

    Body [[x]]

"""


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_edit_moves_no_other_byte(bom, newline):
    changes = {"title": "New", "state": State.STALE, "tags": ("z",), "note": "n", "quarantine_until": None}
    page = edit(bom + PERSONAL.replace("\n", newline), {**changes, "sources": ("[[s]]",), "project": REMOVE})
    wanted = """---
# my page
title: "New"   # keep me
state: stale
# about tags
tags: [z]

rating: 1.10
note: "n"

# end
quarantine_until: null
sources:
  - "[[s]]"
---

    Body [[x]]

"""
    assert page == bom + wanted.replace("\n", newline)
    record = read(page)
    assert (record.title, record.state, record.tags, record.quarantine_until) == ("New", State.STALE, ("z",), None)


WEIRD = [
    PERSONAL,
    "---\n{title: x, a: [1, 'q: z']}\n---\ntext",
    "---\n  title: x\n  b: 2\n---\ntext",
    "---\n---\ntext\n",
    "---\n\n---\ntext\n",
    "---\ntitle: x\n? b\n: 2\n---\ntext",
    '---\ntitle: x y\n  z\nb: "q\n  r"\nc: {a: 1,\n  b: 2}\n---\ntext',
    "---\ntitle: é 😀 # ü\nb: >-\n  x\n\n  y\n# z\n---\ntext",
    "---\nstate: active # why\ntags: []\nproject: # none\n---\ntext",
    "---\nsources:\n- a\n#c\n- b\n---\ntext",
    "---\n\"title\": x\n'b' : 2\n---\ntext",
    "---\n# only a comment: here\n---\ntext",
    "no frontmatter",
    "",
    "---\n\n# A rule\n\n---\n",
    "# T\r\n\r\ntext",
]
CHANGES = st.dictionaries(
    st.sampled_from(["title", "tags", "state", "project", "sources", "b", "zz", "reason", "when"]),
    st.booleans(),
    max_size=4,
)
MADE = {"title": "N: 'x' \"y\" #", "tags": ("a: b", "no"), "state": "stale", "project": None, "sources": ("[[s]]", "t"),
        "b": "1e5", "zz": ["x", True], "reason": "r\\", "when": {"paths": ["a/**"], "always": True}}  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(WEIRD), CHANGES)
def test_an_edit_then_a_read_gives_the_new_values_on_any_page(page, chosen):
    changes = {key: MADE[key] if keep else REMOVE for key, keep in chosen.items()}
    new = edit(page, changes)
    before, after = frontmatter_text.split(page), frontmatter_text.split(new)
    old = frontmatter_text.load(before.head or "").values
    found = frontmatter_text.load(after.head or "").values
    wanted = {key: value for key, value in old.items() if key not in changes}
    written = {k: json.loads(json.dumps(v)) for k, v in changes.items() if v is not REMOVE}
    assert found == {**wanted, **written}
    assert new.endswith(before.body)
    assert all(line in new for line in page.split("\n") if line.startswith("# "))
    assert edit(new, changes) == new


def test_an_edit_may_replace_the_body_and_keeps_the_line_ends():
    page = edit(PERSONAL.replace("\n", "\r\n"), {}, "## New\n\n- x\n")
    assert page.endswith("project: x\r\n---\r\n\r\n## New\r\n\r\n- x\r\n")
    assert edit(PERSONAL, {}, "    Body [[x]]\n") == PERSONAL


def test_an_update_writes_what_differs_and_nothing_else():
    record = read(PERSONAL, "wiki/facts/x.md")
    assert update(PERSONAL, record) == PERSONAL
    aged = update(PERSONAL, replace(record, state=State.STALE))
    assert aged == PERSONAL.replace("keep me\n", "keep me\nstate: stale\n")
    assert read(aged, "wiki/facts/x.md").handwritten
    assert update(aged, replace(read(aged, "wiki/facts/x.md"), extra={"rating": "2"})).count("note") == 0


@settings(max_examples=200, deadline=None)
@given(RECORDS, RECORDS)
def test_an_update_reads_as_the_record(old, new):
    new = replace(new, id=old.id)
    assert read(update(render(old), new)) == normal(new)


def test_an_edit_that_would_break_the_page_is_refused():
    with pytest.raises(BadPage, match="by hand"):
        edit("---\n\ntitle: x\n'what is left': looks like text\n---\ntext", {"title": REMOVE})
    with pytest.raises(BadPage):
        edit("---\ntitle: 'open\n---\n", {"state": "stale"})


def test_the_body_has_its_place_in_the_file():
    lines = PERSONAL.split("\n")
    assert lines[markdown.body_line(PERSONAL) - 1] == "    Body [[x]]"
    assert markdown.body_line("\n\ntext") == 3


@pytest.mark.parametrize("body", ["a\r\r\nb", "a\r\r\r\n", "\r\r\n"])
def test_line_ends_of_any_kind_read_back_as_they_were_read(body):
    record = replace(read(PERSONAL, "wiki/facts/x.md"), body=body)
    assert normal(normal(record)) == normal(record) and "\r" not in normal(record).body
