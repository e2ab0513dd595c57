"""Navigation: the same knowledge gives the same bytes, and what a person wrote beside it stays."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from llmwiki import navigation, store_templates
from llmwiki.errors import WikiError
from llmwiki.model import Record, RecordType, State, Wiki
from llmwiki.schema import TYPES
from llmwiki.template import fill

FACTS = "wiki/facts/_context.md"
NOW = datetime(2026, 3, 5, tzinfo=UTC)
SHIPPED = store_templates.find("index.md.j2")


def record(name, kind=RecordType.FACT, **fields):
    return Record(name, kind, f"Title of {name}", path=f"wiki/{kind}s/{name}.md", **fields)


def wiki(*records):
    return Wiki({one.id: one for one in records})


def pages(found, **now):
    """Path -> text of all pages that lead through a wiki."""
    made = navigation.pages(found, store_templates.find, now.get, NOW)
    return {change.path: change.text for change in made}


def facts(found, now=None):
    return navigation.pages(found, store_templates.find, lambda p: now if p == FACTS else None, NOW)[2].text


def test_a_folder_lists_active_records_by_title_and_the_index_leads_to_the_folders():
    one, two, skill = record("one"), record("two", description="why", project="shop"), record("how", RecordType.SKILL)
    made = pages(wiki(two, one, skill))
    assert made == pages(wiki(one, skill, two))
    assert made[FACTS] == (
        "# Facts\n\nWhat is so, as an output proved it.\n\n<!-- llmwiki:begin -->\n"
        "- [[one]]: Title of one\n- [[two]]: Title of two (why) · shop\n<!-- llmwiki:end -->\n"
    )
    assert "[[how]]" in made["wiki/skills/_context.md"]
    assert sorted(made) == sorted(["wiki/index.md", *(f"wiki/{spec.folder}/_context.md" for spec in TYPES.values())])
    assert "- [Facts](facts/_context.md): What is so" in made["wiki/index.md"] and "[[" not in made["wiki/index.md"]
    assert pages(wiki(one, skill, two), **made) == made


def test_one_more_lesson_is_one_more_line():
    before = pages(wiki(record("one")))
    for more in (record("two"), record("how", RecordType.SKILL)):
        after = pages(wiki(record("one"), more), **before)
        lines = [set(after[path].splitlines()) ^ set(before[path].splitlines()) for path in after]
        assert sum(len(changed) for changed in lines) == 1


def test_nothing_leads_to_folders_before_anything_speaks_and_what_leads_there_is_emptied():
    empty = pages(wiki(record("one", state=State.QUARANTINED)))
    assert list(empty) == ["wiki/index.md"] and "Nothing is known yet" in empty["wiki/index.md"]
    after = pages(wiki(), **pages(wiki(record("one"))))
    assert "[[one]]" not in after[FACTS] and "Nothing is known yet" in after["wiki/index.md"]


def test_a_persons_words_in_a_folder_s_page_stay():
    mine = "# What we know\n\n<!-- llmwiki:begin -->\n<!-- llmwiki:end -->\n\nSee also the handbook.\n"
    made = facts(wiki(record("one")), mine)
    assert made == mine.replace("begin -->\n", "begin -->\n- [[one]]: Title of one\n")


@pytest.mark.parametrize(
    "silent",
    [
        {"state": State.QUARANTINED},
        {"state": State.ARCHIVED},
        {"superseded_by": "x"},
        {"confidence": 0.2},
        {"quarantine_until": "2026-03-06"},
        {"created": "2025-01-01"},
    ],
)
def test_what_may_not_speak_is_not_listed(silent):
    assert "[[one]]" not in facts(wiki(record("one", **silent), record("two")))
    assert not any("[[t]]" in text for text in pages(wiki(record("t", RecordType.TRACE), record("two"))).values())


def test_a_title_cannot_forge_a_marker_or_a_link():
    bad = replace(record("one"), title="`<!-- llmwiki:end -->` [[x]] <% y %>")
    made = facts(wiki(bad))
    assert made.count("<!--") == 2
    assert made.count("[[") == 1
    assert facts(wiki(bad), made) == made


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
    assert "1 kinds" in navigation.index(wiki(record("one")), text, NOW).text


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


# -- the log rolls over


def log(*years, size=100):
    lines = (f"- {year}-03-{n % 28 + 1:02d}T10:00:00Z sync: {n} {'x' * size}\n" for year in years for n in range(300))
    return "# Log\n\nkept by us\n\n" + "".join(lines)


def test_a_short_log_stays_as_it_is():
    assert navigation.rolled(None, {}.get) == navigation.rolled(log(2026)[:49_000], {}.get) == []


def test_the_oldest_lines_go_to_their_years_and_none_is_lost():
    text = log(2025, 2026)
    older, newest = {"wiki/log-2025.md": "# Log of 2025\n\n- 2025-01-01T00:00:00Z sync: before"}, {}
    for change in navigation.rolled(text, older.get):
        newest[change.path] = change.text
    assert sorted(newest) == ["wiki/log-2025.md", "wiki/log-2026.md", "wiki/log.md"]
    assert newest["wiki/log.md"].startswith("# Log\n\nkept by us\n\n- 2026-")
    assert 20_000 < len(newest["wiki/log.md"]) <= navigation.LOG_KEPT + 100
    assert newest["wiki/log-2025.md"].startswith("# Log of 2025\n\n- 2025-01-01T00:00:00Z sync: before\n- 2025-03-01")
    everything = newest["wiki/log-2025.md"] + newest["wiki/log-2026.md"] + newest["wiki/log.md"]
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert [line for line in everything.splitlines() if line in set(lines)] == lines
    assert navigation.rolled(newest["wiki/log.md"], newest.get) == []


def test_two_machines_that_roll_the_same_log_write_each_line_once():
    first = {c.path: c.text for c in navigation.rolled(log(2026, size=200), {}.get)}
    again = {c.path: c.text for c in navigation.rolled(log(2026, size=200), first.get)}
    assert again == first


def test_a_line_without_a_date_goes_where_its_neighbour_goes_and_one_huge_line_stays():
    text = log(2026, size=200).replace("sync: 3 ", "sync: 3\n  more of it\n- a person's own line\n- 2026-03-04 ")
    year = {c.path: c.text for c in navigation.rolled(text, {}.get)}["wiki/log-2026.md"]
    assert "sync: 3\n  more of it\n- a person's own line\n- 2026-03-04 " in year
    assert navigation.rolled("# Log\n\n" + "x" * 60_000, {}.get) == []
    assert navigation.rolled("# Log\n\n- 2026-01-01 " + "x" * 60_000, {}.get) == []


def test_a_wiki_whose_log_rolled_over_has_no_page_more(tmp_path):
    from llmwiki.workspace import Workspace

    Workspace.init(tmp_path)
    (tmp_path / "wiki/log.md").write_text(log(2026, size=200))
    Workspace(tmp_path).remember("Use tabs in Makefiles, never spaces")
    assert len((tmp_path / "wiki/log.md").read_bytes()) < 30_000
    assert "sync: 0 " in (tmp_path / "wiki/log-2026.md").read_text()
    found = Workspace(tmp_path).load()
    assert [r.title for r in found.records.values()] == ["Use tabs in Makefiles, never spaces"]
    assert found.diagnostics == ()
    assert Workspace(tmp_path).search("sync") == []
    assert Workspace(tmp_path).index()["pages"] == 1
    union = (tmp_path / ".gitattributes").read_text().splitlines()
    assert {"wiki/log.md merge=union", "wiki/log-*.md merge=union"} < set(union)
    Workspace(tmp_path).undo()
    assert "sync: 0 " in (tmp_path / "wiki/log-2026.md").read_text(), "an undo takes nothing out of a log"
