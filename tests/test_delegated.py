"""The agent that runs anyway reads a session: what it is asked, and what its answer may look like."""

import json

import pytest

from llmwiki import evaluate, store_templates
from llmwiki.adapters.base import OWN_MARKER
from llmwiki.errors import WikiError
from llmwiki.model import RecordType, State
from llmwiki.synthesizers import delegated, extractive, proposed
from tests.lessons import STEM, agent, session, user
from tests.test_proposed import FACT, FAILURE, PREFERENCE, WORK, added, claim, record

ANSWER = json.dumps({"records": [FACT, FAILURE]}, indent=1)
RAW = f"raw/claude-code/shop/{STEM}.md"


def completed(text, made=WORK, score=None):
    return delegated.complete(made, evaluate.evaluate(made, feedback=score), text)


def request(made=WORK, score=None, text=None):
    template = store_templates.find("synthesize.md.j2") if text is None else text
    return delegated.request(made, evaluate.evaluate(made, feedback=score), template, RAW)


# -- the request


def test_the_request_names_the_page_and_how_to_answer():
    asked = request()
    assert RAW in asked and f"--complete {WORK.id} --file" in asked and '"records"' in asked
    assert all(f"`{kind}`" in asked for kind in ("preference", "failure", "fact"))
    assert "`skill`" not in asked and "`skill`" in request(score=5.0)


def test_a_headless_session_of_ours_is_never_taken_in():
    assert OWN_MARKER in request()


def test_the_request_holds_no_text_of_the_session():
    asked = request()
    assert not any(t.text and t.text in asked for t in WORK.turns)


def test_the_example_of_the_request_has_the_form_that_is_read():
    block = request().split("```")[1].replace("\n", " ")
    (found,) = proposed.form(json.loads(block))
    assert found.claims[0].cites == ["t1"]


def test_a_wiki_s_own_template():
    assert request(text="read {{ raw }}") == f"read {RAW}"
    with pytest.raises(WikiError, match=r"synthesize\.md\.j2"):
        request(text="{{ nothing_of_that_name }}")


def test_a_subagent_s_session_is_nobody_s_task():
    made = session(user("count files"), agent("7"), kind="subagent", parent="p1")
    with pytest.raises(WikiError, match="parent"):
        request(made)
    with pytest.raises(WikiError, match="parent"):
        completed(ANSWER, made)


# -- the answer


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        "\ufeff" + ANSWER + "\n",
        json.dumps([FACT, FAILURE]),
        f"Here it is:\n\n```json\n{ANSWER}\n```\n\nI left the rest out.",
        f"Here it is:\r\n\r\n```json\r\n{ANSWER}\r\n```\r\n".replace("\r", ""),
        f"~~~~\n{ANSWER}\n~~~~",
        f'As {{you}} asked {{"so": 1}}: {ANSWER} That is all {{really}}.',
        f"A first try: {json.dumps({'records': []})}\nbetter: {ANSWER}",
        json.dumps({"records": [FACT, FAILURE], "notes": "read twice", "more": [1, {"a": None}]}),
    ],
)
def test_json_alone_in_a_fence_or_among_words(text):
    found = added(WORK, completed(text))
    assert [r.type for r in found] == [RecordType.FACT, RecordType.FAILURE]


def test_nothing_to_note_is_an_answer():
    verdict = evaluate.evaluate(WORK)
    assert completed('{"records": []}') == extractive.synthesize(WORK, verdict) == delegated.synthesize(WORK, verdict)


def test_anchors_may_come_as_links():
    fact = record("fact", "x", claim("Statement", "Billing 4.2 listens on port 8443.", f"[[{STEM}#^t8]]", "^t8"))
    (found,) = added(WORK, completed(json.dumps([fact])))
    assert found.body.count("#^t8") == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("I found nothing.", "no JSON"),
        ("{", "line 1 column"),
        ('{"records": [', "line 1 column"),
        ('```json\n{"records": [}\n```', "line 1 column"),
        ('{"lessons": []}', "no `records`"),
        ("42", "no `records`"),
        ('{"records": {}}', "$.records"),
        ('{"records": [7]}', "$.records[0]"),
        ('{"records": [{"type": "fact"}]}', "title"),
        ('{"records": [{"type": "fact", "title": 7, "claims": []}]}', "$.records[0].title"),
        ('{"records": [{"type": "fact", "title": "x", "claims": [{"section": "Statement", "text": "x"}]}]}', "cites"),
        (
            '{"records": [{"type": "fact", "title": "x", "claims": [{"section": "S", "text": "x", "cites": "t8"}]}]}',
            "cites",
        ),
        ("[" * 100_000, "line"),
        ('{"a":' * 100_000, ""),
        ("{" * 300_000, ""),
        ("x" * 1_000_001, "characters"),
        ('{"records": [NaN]}', "$.records[0]"),
    ],
)
def test_a_broken_answer_says_what_is_wrong(text, why):
    with pytest.raises(WikiError) as found:
        completed(text)
    said = str(found.value)
    assert why in said or "recursion" in said
    assert STEM in said and "`records`" in said and "\n" not in said and len(said) < 400


def test_an_answer_is_believed_no_more_than_a_model():
    made_up = record("fact", "Port", claim("Statement", "Billing 4.2 listens on port 9999.", "t8"))
    found = completed(json.dumps([made_up, PREFERENCE, FACT, FACT]))
    assert found.refused["unverified"] >= 1 and found.refused["duplicate"] == 1
    assert all(r.state is State.QUARANTINED for r in added(WORK, found)) and len(added(WORK, found)) == 2


def test_lone_surrogates_and_invisible_characters_do_no_harm():
    text = "Billing 4.2 listens\\ud800 on\\u202e port 8443."
    answer = json.dumps([record("fact", "Port TEXT", claim("Statement", "TEXT", "t8"))]).replace("TEXT", text)
    for found in completed(answer).records:
        (found.title + found.body).encode("utf-8")
        assert "\u202e" not in found.title + found.body
