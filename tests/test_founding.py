"""`init` beside what a person has already."""

from __future__ import annotations

import pytest

from llmwiki import cli
from llmwiki.workspace import Workspace


def test_a_guide_that_points_to_a_persons_own_file_is_not_ours(tmp_path):
    (tmp_path / "CLAUDE.md").write_text("See @AGENTS.md\n")
    (tmp_path / "AGENTS.md").write_text("# How we work\n")
    assert any("llmwiki context" in line for line in Workspace.init(tmp_path)["lines"])
    Workspace.init(tmp_path, adopt=True)
    assert "llmwiki context" in (tmp_path / "CLAUDE.md").read_text()
    assert "lines" not in Workspace.init(tmp_path)
    assert (tmp_path / "AGENTS.md").read_text() == "# How we work\n"


def test_a_guide_that_points_to_ours_needs_nothing(tmp_path):
    (tmp_path / "CLAUDE.md").write_text("See @AGENTS.md\n")
    assert "lines" not in Workspace.init(tmp_path)
    assert "lines" not in Workspace.init(tmp_path)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_adopted_lines_have_the_line_ends_of_the_file(tmp_path, end):
    (tmp_path / "CLAUDE.md").write_bytes(f"# Mine{end}{end}".encode())
    Workspace.init(tmp_path, adopt=True)
    text = (tmp_path / "CLAUDE.md").read_bytes().decode()
    assert text.startswith(f"# Mine{end}{end}<!-- llmwiki:begin -->{end}")
    assert text.count("\n") == text.count(end)


def said(capsys, *argv):
    assert cli.main(["init", *map(str, argv)]) == 0
    return capsys.readouterr().out


def test_the_lines_that_are_printed_can_be_copied(tmp_path, capsys):
    guide = tmp_path / "CLAUDE.md"
    guide.write_text("# Mine\n")
    out = said(capsys, tmp_path)
    copied = out[out.index("<!-- llmwiki:begin -->\n") : out.index("<!-- llmwiki:end -->\n")] + "<!-- llmwiki:end -->\n"
    assert "‹" not in out and "\n# Memory\n" in copied
    by_hand = f"# Mine\n\n{copied}"
    said(capsys, tmp_path, "--adopt")
    assert guide.read_text() == by_hand
    assert "tells of this wiki already" in said(capsys, tmp_path, "--adopt")
    assert guide.read_text() == by_hand
    assert "already" not in said(capsys, tmp_path)


@pytest.mark.parametrize("indent", ["", "    "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_that_are_visible_text_are_mended_and_it_is_said(tmp_path, capsys, indent, end):
    guide = tmp_path / "CLAUDE.md"
    guide.write_text("# Mine\n")
    lines = Workspace.init(tmp_path)["lines"]
    copied = [indent + line.replace("<!", "‹!") if line else "" for line in lines]
    text = end.join(["# Mine", "", *copied, "", "    code of mine", ""])
    guide.write_bytes(text.encode())
    assert "llmwiki init --adopt mends them" in said(capsys, tmp_path)
    assert "they become comments" in said(capsys, tmp_path, "--adopt", "--dry-run")
    assert guide.read_bytes().decode() == text
    assert "they become comments" in said(capsys, tmp_path, "--adopt")
    assert guide.read_bytes().decode() == end.join(["# Mine", "", *lines, "", "    code of mine", ""])


def test_what_agents_are_told_is_true_of_a_wiki_in_no_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    Workspace.init(tmp_path, default=True)
    for name in ("AGENTS.md", "CLAUDE.md"):
        assert "repository" not in (tmp_path / name).read_text()
