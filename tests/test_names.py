"""Ids last and fit their pattern; file names are for people and never collide."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from llmwiki import markdown
from llmwiki.model import State
from llmwiki.names import handwritten_id, is_id, page_stem, record_id, slug, title_line
from tests.test_markdown import PAGE


@given(st.text(max_size=80))
def test_any_title_gives_a_legal_id_and_file_name(title):
    made = record_id(title, "codex", "s", "t4")
    assert is_id(made)
    assert len(made) <= 45
    name = slug(title)
    assert name
    assert len(name.encode()) <= 200
    assert not set(name) & set('<>:"/\\|?*#^[]. \n\0')


def test_an_id_names_the_lesson_of_a_turn():
    one = record_id("Use pnpm, never npm", "codex", "s1", "t4")
    assert one == record_id("Use pnpm, never npm", "codex", "s1", "t4")
    assert one.startswith("use-pnpm-never-npm-")
    assert (
        len({one, *(record_id("Use pnpm, never npm", *x) for x in (("codex", "s1", "t5"), ("codex", "s2", "t4")))}) == 3
    )
    assert record_id("Über den Fluß", "a", "b", "c").startswith("uber-den-fluss-")
    assert record_id("使用", "a", "b", "c") != record_id("不用", "a", "b", "c")


def test_a_handwritten_id_outlives_the_way_into_the_archive():
    assert handwritten_id("T", "wiki/facts/t.md") == handwritten_id("T", "wiki/archive/facts/t.md")
    assert handwritten_id("T", "wiki/facts/t.md") != handwritten_id("T", "wiki/skills/t.md")


def test_file_names_keep_letters_and_avoid_what_disks_refuse():
    assert slug("Use pnpm, never npm!") == "use-pnpm-never-npm"
    assert slug("हिन्दी पाठ") == "हिन्दी-पाठ"
    assert slug("CON") == "con-page"
    assert slug("index") == "index-page"
    assert len(slug("word " * 40)) <= 60
    assert slug("...").startswith("x")


def test_stems_differ_in_more_than_case():
    assert page_stem("Use pnpm", "use-pnpm-0123", []) == "use-pnpm"
    assert page_stem("Use pnpm", "use-pnpm-0123", ["Use-PNPM"]) == "use-pnpm-0123"
    assert page_stem("Use pnpm", "use-pnpm-0123", ["use-pnpm", "use-pnpm-0123"]) == "use-pnpm-0123-2"


def test_a_title_line_is_cut_between_words():
    assert title_line("Fix it. [[s#^t4]]") == "Fix it"
    assert title_line("word " * 30, 20) == "word word word word…"
    assert len(title_line("x" * 300, 50)) == 50


def test_a_page_goes_to_the_folder_of_its_type():
    record = markdown.read(PAGE)
    assert markdown.page_path(record) == "wiki/preferences/use-pnpm-never-npm.md"
    taken = ["wiki/facts/Use-pnpm-never-npm.md"]
    assert markdown.page_path(record, taken) == "wiki/preferences/use-pnpm-never-npm-12ab.md"
    assert markdown.page_path(replace(record, state=State.ARCHIVED)).startswith("wiki/archive/preferences/")
