"""`llmwiki import`: which files are taken in, whose they are, and what is said of those that are not."""

import json

import pytest

from llmwiki import cli
from llmwiki.model import Session, State, Turn
from llmwiki.synthesizers import imported
from llmwiki.workspace import Workspace
from tests.shop import found, records, shop, take, titles, write  # noqa: F401 - fixtures


def test_a_folder_gives_its_markdown_and_nothing_that_is_not_its_own(shop, tmp_path):
    line = "- The {} service listens on port 80{}\n"
    for n, name in enumerate(["docs/a.md", "b/AGENTS.md", ".github/copilot-instructions.md", ".cursorrules"], 10):
        write(shop, name, line.format(f"name{n}", n))
    for n, name in enumerate(
        [
            "node_modules/x/README.md",
            ".hidden/y.md",
            "built/z.md",
            "wiki/notes/q.md",
            "CHANGELOG.md",
            "raw/r.md",
            "a.txt",
        ],
        30,
    ):
        write(shop, name, line.format(f"name{n}", n))
    write(shop, ".gitignore", "built/\n.llmwiki/\n")
    write(shop, ".llmwikiignore", "secret.md\n")
    write(shop, "docs/secret.md", line.format("secret", 99))
    (shop / "CLAUDE.md").unlink()
    (shop / "CLAUDE.md").symlink_to(shop / "docs/a.md")
    write(tmp_path, "outside.md", line.format("outside", 98))
    (shop / "link.md").symlink_to(tmp_path / "outside.md")
    wiki = Workspace(shop)
    wiki.import_([str(shop)])
    assert [t for t in titles(shop) if "service" in t] == [
        f"The name{n} service listens on port 80{n}" for n in (10, 11, 12, 13)
    ]
    assert any("CHANGELOG.md was left out" in n for n in wiki.notices)


def test_advice_of_another_repository_below_a_folder_waits(shop):
    write(shop, "clone/CLAUDE.md", "- Always push to main\n")
    (shop / "clone/.git").mkdir()
    take(shop, ".")
    record = found(shop, "Always push")
    assert (record.state, record.quarantine_until, record.project) == (State.QUARANTINED, None, "clone")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"- caf\xe9 uses `a`\n", "is not UTF-8"),
        (b"\0\1binary", "is no text"),
        (b"x" * 1_000_001, "is larger than 1 MB"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_the_others_are_taken(shop, capsys, content, said):
    write(shop, "docs/bad.md", content)
    assert cli.main(["import", "docs/bad.md", "CLAUDE.md", "--json"]) == 1
    done = json.loads(capsys.readouterr().out)
    assert len(done["created"]) == 8 and [said in f["error"] for f in done["failed"]] == [True]


def test_byte_order_marks_and_line_ends_are_no_part_of_a_statement(shop):
    write(shop, "CLAUDE.md", b"\xef\xbb\xbf# A\r\n\r\n- Use tabs in Makefiles\r\n")
    write(shop, "AGENTS.md", "- Prefer uv over pip\n".encode("utf-16"))
    take(shop, "CLAUDE.md", "AGENTS.md")
    assert titles(shop) == ["Prefer uv over pip", "Use tabs in Makefiles"]
    assert "#^t3]]" in found(shop, "Use tabs").body


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere.md", "there is nothing at"),
        ("empty", "no Markdown file"),
        ("wiki/index.md", "a page of this wiki"),
        ("llmwiki.toml", "is no document"),
        ("src.py", "is no document"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_the_cure(shop, capsys, name, said):
    (shop / "empty").mkdir()
    (shop / "src.py").write_text("# Always use `uv`\n")
    Workspace(shop).remember("x y z")
    assert cli.main(["import", name]) == 2
    assert said in capsys.readouterr().err


def test_what_stands_in_a_home_folder_holds_everywhere_and_is_for_its_owner(shop, tmp_path):
    home = tmp_path / "home/.claude"
    write(home, "CLAUDE.md", "- Answer in English\n")
    write(home, "projects/-code-other/memory/MEMORY.md", "- The queue is `redis-7`\n")
    done = take(shop, home / "CLAUDE.md", home / "projects/-code-other/memory/MEMORY.md")
    record = found(shop, "English")
    assert (record.project, record.scope, record.extra["imported"]) == (None, "user", "home/.claude/CLAUDE.md")
    assert "--project" in done["failed"][0]["error"] and len(records(shop)) == 1
    take(shop, home / "projects/-code-other/memory/MEMORY.md", project="other")
    assert found(shop, "redis-7").project == "other"
    assert str(tmp_path) not in str([r.extra for r in records(shop).values()])


def test_the_command_tells_what_came_of_it(shop, capsys):
    assert cli.main(["import", "CLAUDE.md"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "imported 8 records from 1 file"
    assert out[1] == "stays out of blocks: 8, which the agent loads by itself"
    assert out[2].startswith("refused: 2 link, 1 code")


@pytest.mark.parametrize(
    "text", ["[" * 50_000, " ` `` " * 10_000, "- Use `a` in b\n" * 3_000, "https://a," * 20_000 + "x y"]
)
def test_hostile_repetition_costs_no_more_than_its_length(text):
    from llmwiki.synthesizers.statements import statements

    made = statements(text)
    turns = tuple(Turn(s.line, "user", s.text, origin="file") for s in made.found)
    assert not imported.drafts(Session("markdown", "shop/x@1", turns=turns, stem="s"), "x", True, True).records[1:]
