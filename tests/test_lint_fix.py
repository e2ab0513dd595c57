"""`lint --fix`: mends what is safe, once is enough, and everything can be taken back."""

from spoiled import FACT, FAILURE, HAND, changed, clock, forgotten, linted, moved, new, put, root, settle, write  # noqa: F401
from wikis import record

from llmwiki import lint
from llmwiki.rules.base import Found
from llmwiki.workspace import Workspace


def files(root):
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*.md"))}


def _broken(root):
    """Everything that can be mended, at once."""
    changed(root, FACT, "scope: user\n", "")
    changed(root, FACT, "state: active", "mine: stays # and this\nstate: active")
    moved(FACT, "wiki/skills/database-5e6f.md")(root)
    changed(root, FAILURE, "[[use-uv-1a2b]]", "[[Database 5e6f]] and [[Use UV 1a2b#Rule|that]] and `[[Database 5e6f]]`")
    write(root, "wiki/facts/new.md", HAND + "See [[missing table]].\n")


def test_fix_mends_what_is_safe_and_once_is_enough(root):
    _broken(root)
    before = files(root)
    plan = linted(root, fix=True, dry_run=True)
    assert files(root) == before and plan["diagnostics"]
    assert {FACT, FAILURE, "wiki/skills/database-5e6f.md", "wiki/facts/new.md"} <= {
        one["path"] for one in plan["fixed"]
    }
    report = linted(root, fix=True)
    assert report["diagnostics"] == [] and report["fixed"]
    assert "scope: user\n" in (root / FACT).read_text() and "mine: stays # and this\n" in (root / FACT).read_text()
    failure = (root / FAILURE).read_text()
    assert "[[database-5e6f|Database 5e6f]] and [[use-uv-1a2b#Rule|that]] and `[[Database 5e6f]]`" in failure
    assert "[[no-such-table-3c4d|missing table]]" in (root / "wiki/facts/new.md").read_text()
    after = files(root)
    again = linted(root, fix=True)
    assert again["fixed"] == [] and again["diagnostics"] == [] and files(root) == after
    assert linted(root, deep=True)["diagnostics"] == []
    Workspace(root).undo()
    assert {k: v for k, v in files(root).items() if k != "wiki/log.md"} == before


def test_fix_leaves_alone_what_it_cannot_mend(root):
    write(root, "wiki/facts/broken.md", "---\nid: x\n")
    write(root, "wiki/notes/hand.md", HAND + "[[Nobody]] knows.\n")
    write(root, "wiki/skills/twin.md", "---\nid: use-uv-1a2b\ntype: fact\n---\n")
    settle(root)
    before = files(root)
    report = linted(root, fix=True)
    assert report["fixed"] == [] and files(root) == before
    assert {d["code"] for d in report["diagnostics"] if not d["fixable"]} >= {"LW101", "LW105", "LW201", "LW501"}


def test_a_page_is_not_moved_over_another(root):
    write(root, FACT.replace("facts", "skills"), "---\nid: other-1111\ntype: fact\ntitle: Other\n---\n")
    before = files(root)[FACT]
    (one,) = linted(root, "LW501", fix=True)["diagnostics"]
    assert not one["fixable"] and files(root)[FACT] == before


def test_a_title_that_two_records_have_is_no_cure(root):
    put(root, record("twin-1111", "x", title="database 5e6f"))
    changed(root, FAILURE, "[[use-uv-1a2b]]", "[[Database 5e6f]]")
    assert [d["fixable"] for d in linted(root, "LW201")["diagnostics"]] == [False]


def test_fix_makes_the_index_again_when_only_that_is_wrong(root):
    forgotten(root)
    before = files(root)
    assert linted(root, deep=True)["diagnostics"]
    report = linted(root, fix=True, deep=True)
    assert report["diagnostics"] == [] and len(report["fixed"]) == 1 and files(root) == before
    assert linted(root, fix=True, deep=True)["fixed"] == []


def test_a_page_with_windows_line_ends_keeps_them(root):
    text = (root / FAILURE).read_text().replace("[[use-uv-1a2b]]", "[[Use UV 1a2b]]").replace("\n", "\r\n")
    write(root, FAILURE, text)
    settle(root)
    assert linted(root, fix=True)["diagnostics"] == []
    wanted = text.replace("[[Use UV 1a2b]]", "[[use-uv-1a2b|Use UV 1a2b]]")
    assert (root / FAILURE).read_bytes().decode() == wanted


def test_an_edit_that_would_break_a_page_is_not_made():
    pages = {"wiki/facts/a.md": "---\ntitle: A\n---\nx\n", "wiki/facts/b.md": "---\nid: [\n---\n"}
    spoil = Found("wiki/facts/a.md", "x", edit=lambda text: text.replace("title: A", "title: [A"))
    assert lint.repairs([spoil, Found("wiki/facts/b.md", "y", move="wiki/facts/c.md")], pages.get) == []


def test_a_missing_scope_is_the_one_of_the_wiki(root):
    write(root, "llmwiki.toml", '[wiki]\nscope = "team"\n[index]\nbackend = "sqlite"\n')
    changed(root, FACT, "scope: user\n", "")
    linted(root, "LW102", fix=True)
    assert "scope: team\n" in (root / FACT).read_text()
