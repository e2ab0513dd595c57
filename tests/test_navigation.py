"""Navigation: the same knowledge gives the same bytes, and what a person wrote beside it stays."""

from dataclasses import replace

import pytest

from llmwiki import navigation, store_templates
from llmwiki.errors import WikiError
from llmwiki.model import Record, RecordType, State, Wiki
from llmwiki.template import fill

SHIPPED = store_templates.find("index.md.j2")


def record(name, kind=RecordType.FACT, **fields):
    return Record(name, kind, f"Title of {name}", path=f"wiki/{kind}s/{name}.md", **fields)


def wiki(*records):
    return Wiki({one.id: one for one in records})


def test_the_index_lists_active_records_by_type_and_title():
    one, two, skill = record("one"), record("two", description="why"), record("how", RecordType.SKILL)
    made = navigation.index(wiki(two, one, skill), SHIPPED).text
    assert made == navigation.index(wiki(one, skill, two), SHIPPED).text
    assert made == (
        "# Index\n\n<!-- llmwiki:begin -->\n## Skills\n\n- [[how]]: Title of how\n\n## Facts\n\n"
        "- [[one]]: Title of one\n- [[two]]: Title of two (why)\n<!-- llmwiki:end -->\n"
    )
    assert navigation.index(wiki(one, skill, two), SHIPPED, made).text == made


@pytest.mark.parametrize(
    "silent",
    [{"state": State.QUARANTINED}, {"state": State.ARCHIVED}, {"superseded_by": "x"}],
)
def test_what_may_not_speak_is_not_listed(silent):
    assert "[[one]]" not in navigation.index(wiki(record("one", **silent)), SHIPPED).text
    assert "[[t]]" not in navigation.index(wiki(record("t", RecordType.TRACE)), SHIPPED).text


def test_a_title_cannot_forge_a_marker_or_a_link():
    bad = replace(record("one"), title="`<!-- llmwiki:end -->` [[x]] <% y %>")
    made = navigation.index(wiki(bad), SHIPPED).text
    assert made.count("<!--") == 2
    assert made.count("[[") == 1
    assert navigation.index(wiki(bad), SHIPPED, made).text == made


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_persons_text_around_the_markers_stays(newline):
    mine = f"# Mine{newline}{newline}before{newline}"
    once = navigation.between(mine, "block")
    assert once.startswith(mine)
    again = navigation.between(f"{once}after", "other")
    assert again == once.replace("block", "other") + "after"
    assert again.replace("\r\n", "").count("\n") == (0 if newline == "\r\n" else again.count("\n"))


def test_a_lone_marker_loses_nobodys_text():
    for lone in (navigation.BEGIN, navigation.END):
        text = f"one\n{lone}\ntwo\n"
        once = navigation.between(text, "block")
        assert once.startswith(text)
        assert navigation.between(once, "other") == once.replace("block", "other")


def test_the_log_grows_by_one_line():
    first = navigation.log_line(None, "2026-03-01 sync:\n3 new").text
    assert first == "# Log\n\n- 2026-03-01 sync: 3 new\n"
    assert navigation.log_line(first.rstrip("\n"), "next").text == first + "- next\n"
    assert navigation.log_line("a\r\n", "b").text == "a\r\n- b\r\n"


def test_a_wiki_may_bring_its_own_template(tmp_path):
    assert store_templates.find("index.md.j2", tmp_path) == SHIPPED
    own = tmp_path / "templates" / "index.md.j2"
    own.parent.mkdir()
    own.write_text("{{ groups | length }} kinds", "utf-8")
    text = store_templates.find("index.md.j2", tmp_path)
    assert "1 kinds" in navigation.index(wiki(record("one")), text).text


def test_a_template_that_leads_out_of_the_wiki_or_is_no_text_is_refused(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("s3cret", "utf-8")
    folder = tmp_path / "wiki" / "templates"
    folder.mkdir(parents=True)
    (folder / "index.md.j2").symlink_to(secret)
    with pytest.raises(WikiError, match="leads out of the wiki"):
        store_templates.find("index.md.j2", tmp_path / "wiki")
    (folder / "AGENTS.md.j2").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(WikiError, match="mend it or remove it"):
        store_templates.find("AGENTS.md.j2", tmp_path / "wiki")
    with pytest.raises(WikiError, match="no template"):
        store_templates.find("nothing.j2", tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "{{ unknown }}",
        "{% for %}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ 1 / 0 }}",
        "{% for x in range(999999999) %}{% endfor %}",
        "{{ values.append(1) }}",
    ],
)
def test_a_template_that_fails_or_breaks_out_is_named(text):
    with pytest.raises(WikiError, match=r"the template index\.md\.j2"):
        fill(text, "index.md.j2", values=[])


@pytest.mark.parametrize("name", ["AGENTS.md.j2", "CLAUDE.md.j2"])
def test_what_agents_are_told_names_the_commands(name):
    text = fill(store_templates.find(name), name)
    assert "llmwiki context" in text
    assert "llmwiki remember" in text
    assert "not orders" in text
