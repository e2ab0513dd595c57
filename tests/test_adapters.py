"""One contract over every adapter: goldens, line numbers, discovery, files that cannot be read, clipped texts."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from spoken import (
    GOLDEN,
    MAIN,
    SESSIONS,
    claude,
    found,
    lines,
    read_all,
    said,
    session,
    shown,
    turns,
)

from llmwiki import adapters
from llmwiki.adapters import base, claude_text
from llmwiki.adapters.base import Alone
from llmwiki.model import Source

# -- the contract


@pytest.mark.parametrize("agent", adapters.ADAPTERS)
def test_every_adapter_reads_its_sample_sessions_as_written_down(agent: str, update: bool) -> None:
    sources = found(agent, SESSIONS / agent)
    assert sources, f"no sample session in tests/sessions/{agent}"
    for key, parsed in read_all(agent, sources).items():
        golden = GOLDEN / agent / f"{key.replace('/', '_')}.json"
        text = json.dumps(shown(parsed), ensure_ascii=False, indent=1) + "\n"
        if update:
            golden.parent.mkdir(parents=True, exist_ok=True)
            golden.write_text(text, encoding="utf-8")
        assert text == golden.read_text(encoding="utf-8"), key


@pytest.mark.parametrize("agent", adapters.ADAPTERS)
def test_discovery_is_sorted_repeatable_and_gives_each_file_once(agent: str) -> None:
    first = found(agent, SESSIONS / agent)
    assert first == found(agent, SESSIONS / agent)
    assert len({s.path for s in first}) == len({s.key for s in first}) == len(first)


@pytest.mark.parametrize("agent", adapters.ADAPTERS)
def test_turn_numbers_are_lines_of_the_source_and_anchors_are_unique(agent: str) -> None:
    for parsed in read_all(agent, found(agent, SESSIONS / agent)).values():
        if parsed.session:
            anchors = [t.anchor for t in parsed.session.turns]
            assert len(set(anchors)) == len(anchors)
            assert anchors == sorted(anchors, key=lambda a: [int(x) for x in a[1:].split("-")])


@pytest.mark.parametrize("agent", adapters.ADAPTERS)
def test_a_prefix_of_a_session_gives_the_first_turns_of_the_whole(agent: str, tmp_path: Path) -> None:
    """A live session is read again and again; what was told once may be added to, never renumbered."""
    compared = 0
    for source in found(agent, SESSIONS / agent):
        data = Path(source.path).read_bytes()
        cut = tmp_path / Path(source.path).name
        cut.write_bytes(data[: len(data) // 2])
        whole = adapters.load(agent).read(source, Alone())
        part = adapters.load(agent).read(dataclasses.replace(source, path=str(cut)), Alone())
        if part.session is None or whole.session is None:
            continue
        compared += 1
        withdrawn = {"never mind this one", "and keep the old signature of notes()", "this prompt was a mistake"}
        told = {(t.anchor, t.role) for t in whole.session.turns}
        assert {(t.anchor, t.role) for t in session(part).turns if t.text not in withdrawn} <= told
    assert compared >= 2


# -- where sessions are


def test_a_variable_replaces_the_usual_folders(tmp_path: Path) -> None:
    claude_roots, codex_roots = adapters.load("claude-code").roots, adapters.load("codex").roots
    assert claude_roots({}, tmp_path) == [tmp_path / ".claude", tmp_path / ".config" / "claude"]
    assert codex_roots({}, tmp_path) == [tmp_path / ".codex"]
    several = f"/a, ~/b{os.pathsep}/c"
    assert claude_roots({"CLAUDE_CONFIG_DIR": several}, tmp_path) == [Path("/a"), tmp_path / "b", Path("/c")]
    assert codex_roots({"CODEX_HOME": "/z"}, tmp_path) == [Path("/z")]


def test_a_store_is_found_from_any_folder_around_or_inside_it(tmp_path: Path) -> None:
    home = tmp_path / "trees" / "one" / ".claude"
    shutil.copytree(SESSIONS / "claude-code", home)
    (tmp_path / "trees" / "one" / "projects" / "code").mkdir(parents=True)
    project = home / "projects" / "-code-notes-api"
    wanted = {Path(s.path).name for s in found("claude-code", home)}
    assert len(wanted) == 9
    for root in (tmp_path / "trees", tmp_path / "trees" / "one", home / "projects"):
        assert {Path(s.path).name for s in found("claude-code", root)} == wanted
    inside = {Path(p).name for p in project.rglob("*.jsonl")}
    assert {Path(s.path).name for s in found("claude-code", project)} == inside
    assert [s.key for s in found("claude-code", project / f"{MAIN}.jsonl")] == [MAIN]
    assert found("claude-code", tmp_path / "nowhere") == found("codex", tmp_path / "nowhere") == []
    assert found("claude-code", SESSIONS / "codex") == [], "another agent's files are not taken for transcripts"
    assert found("codex", SESSIONS / "claude-code") == []


def test_links_are_followed_once_and_a_loop_ends(tmp_path: Path) -> None:
    project = tmp_path / "elsewhere"
    project.mkdir()
    (project / "s1.jsonl").write_bytes(lines(said("hello")))
    projects = tmp_path / "home" / "projects"
    projects.mkdir(parents=True)
    (projects / "linked").symlink_to(project)
    (projects / "again").symlink_to(project)
    (projects / "loop").symlink_to(projects)
    (projects / "dead").symlink_to(tmp_path / "gone")
    (project / "up").symlink_to(projects)
    (project / "dead.jsonl").symlink_to(tmp_path / "gone.jsonl")
    assert [s.key for s in found("claude-code", tmp_path / "home")] == ["s1"]


def test_a_folder_where_a_file_should_be_is_found_and_fails(tmp_path: Path) -> None:
    (tmp_path / "projects" / "p" / "s1.jsonl").mkdir(parents=True)
    (source,) = found("claude-code", tmp_path)
    with pytest.raises(IsADirectoryError, match="a folder, not a session file"):
        adapters.load("claude-code").read(source, Alone())


def test_a_folder_that_may_not_be_listed_fails_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("open", "shut"):
        (tmp_path / "projects" / name).mkdir(parents=True)
        (tmp_path / "projects" / name / "s1.jsonl").write_bytes(lines(said("hello")))
    listed = Path.iterdir

    def refuse(self: Path) -> Any:
        if self.name == "shut":
            raise PermissionError(13, "Permission denied", str(self))
        return listed(self)

    monkeypatch.setattr(Path, "iterdir", refuse)
    readable, shut = found("claude-code", tmp_path)
    assert len(turns(adapters.load("claude-code").read(readable, Alone()))) == 1
    with pytest.raises(PermissionError):
        adapters.load("claude-code").read(shut, Alone())


@pytest.mark.parametrize("agent", adapters.ADAPTERS)
def test_a_file_that_may_not_be_read_and_a_folder_in_its_place_fail(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "s1.jsonl"
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        adapters.load(agent).read(Source(agent, str(folder), "s1", 0, 0), Alone())

    def refuse(self: Path, *args: Any, **more: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PermissionError):
        adapters.load(agent).read(Source(agent, str(tmp_path / "s2.jsonl"), "s2", 0, 0), Alone())


# -- texts


def test_clipping_keeps_head_errors_and_tail_and_counts_what_is_gone() -> None:
    rows = [f"row {n}" for n in range(4000)]
    rows[2000] = "Error: the disk is full"
    text = "\n".join(rows)
    short = base.clip(text, 1000)
    assert len(short) < 1200 and short.startswith("row 0\n") and short.endswith("row 3999")
    assert "\nError: the disk is full\n" in short
    told = [int(line.split()[1].replace(",", "")) for line in short.split("\n") if line.startswith("[… ")]
    shown_rows = sum(1 for line in short.split("\n") if line in set(rows))
    assert len(told) == 2 and abs(sum(told) + shown_rows - 4000) <= 2
    assert base.clip(text, 1000) == short and base.clip("short", 1000) == "short"


def test_results_are_clipped_harder_in_a_monster_and_prompts_never(tmp_path: Path) -> None:
    clipper = base.Clipper(total=5_000)
    sizes = [len(clipper("x" * 9_000)) for _ in range(4)]
    assert sizes[0] > 3_000 and sizes[3] < 600
    prompt = "a prompt\n" * 40_000
    assert turns(claude(tmp_path / "s1.jsonl", lines(said(prompt))))[0].text == prompt


def test_reminders_go_only_where_they_stand_on_lines_of_their_own() -> None:
    text = "keep\n<system-reminder>\na\n</system-reminder>\nthis\n<system-reminder>never closed"
    assert claude_text.strip_reminders(text) == "keep\n\nthis\n<system-reminder>never closed"
