"""`init` beside what a person has already."""

from __future__ import annotations

import pytest

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
