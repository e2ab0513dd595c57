"""Our hooks in an agent's settings: what is put in, what is taken out, and that nothing else moves."""

import json
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmwiki import cli, hook_files, hooks, wiring
from llmwiki.errors import WikiError

COMMANDS = {event: f"/opt/llmwiki {command} {hooks.MARK}" for event, (command, _) in hooks.EVENTS.items()}
THEIRS = {"hooks": [{"type": "command", "command": "say --hook claude-code"}]}
SETTINGS = {
    "model": "opus",
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}],
        "UserPromptSubmit": [THEIRS],
    },
    "permissions": {"allow": ["Bash(ls:*)", "Bash(é)"]},
}


def put_in(text):
    return hooks.installed(text, COMMANDS, "settings.json")


def taken_out(text):
    return hooks.removed(text, "settings.json")


def ours(text):
    return [tuple(entry) for entry in hooks.entries(text)]


def test_each_event_calls_its_command_with_a_bound_in_seconds():
    groups = json.loads(put_in("{}"))["hooks"]
    assert {e: g[0]["hooks"][0]["command"] for e, g in groups.items()} == COMMANDS
    assert all(0 < g[0]["hooks"][0]["timeout"] <= 15 for g in groups.values())


@pytest.mark.parametrize("indent", [2, 4, "\t"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_in_and_out_again_gives_the_bytes_of_before(indent, end):
    for settings in (SETTINGS, {"model": "x"}, {"hooks": {"Stop": [THEIRS]}, "model": "x"}):
        before = json.dumps(settings, indent=indent, ensure_ascii=False) + end
        there = put_in(before)
        assert sorted(ours(there)) == sorted(COMMANDS.items())
        assert there == json.dumps(json.loads(there), indent=indent, ensure_ascii=False) + end
        assert taken_out(there) == before


PERSONAL = """
{ "permissions": {"allow": ["a", "b"],
                  "deny": []},
  "hooks": {"UserPromptSubmit": [ {"hooks":[{"type":"command","command":"x"}]} ]}   ,
  "z":1e3}
"""


@pytest.mark.parametrize("before", [PERSONAL, PERSONAL.replace("\n", "\r\n"), '{"a":1}', '{"a": {"b": [1, 2]}}\n\n'])
def test_a_layout_of_ones_own_is_kept(before):
    there = put_in(before)
    assert sorted(ours(there)) == sorted(COMMANDS.items())
    assert taken_out(there) == before
    rest = iter(there)
    assert all(char in rest for char in before)  # each character of before, in its order


def test_a_second_install_changes_no_byte_and_a_moved_program_is_replaced():
    once = put_in(json.dumps(SETTINGS, indent=2))
    assert put_in(once) == once
    moved = once.replace("/opt/llmwiki", "'/old place/llmwiki'")
    assert sorted(ours(put_in(moved))) == sorted(COMMANDS.items()) and "old place" not in put_in(moved)
    halved = once.replace("sync --hook", "sync --hok")
    assert [c for e, c in ours(put_in(halved)) if e == "SessionEnd"] == [COMMANDS["SessionEnd"]]


def test_what_a_person_put_beside_ours_stays():
    there = json.loads(put_in("{}"))
    there["hooks"]["SessionEnd"][0]["hooks"].insert(0, {"type": "command", "command": "mine"})
    there["hooks"]["UserPromptSubmit"].append(THEIRS)
    left = json.loads(taken_out(json.dumps(there)))["hooks"]
    assert left == {
        "UserPromptSubmit": [THEIRS],
        "SessionEnd": [{"hooks": [{"type": "command", "command": "mine"}]}],
    }


@pytest.mark.parametrize(
    ("command", "is_ours"),
    [
        ("/opt/llmwiki context --hook claude-code", True),
        ("'/a b/llmwiki' sync --hook claude-code --wiki /w", True),
        ("timeout 3 llmwiki context --budget 300 --hook claude-code", True),
        ("/opt/llmwiki context --hook claude-code-next", False),
        ("/opt/llmwiki lint --hook claude-code", False),
        ("other sync --hook claude-code --out /llmwiki", False),
        ("llmwiki sync", False),
        (None, False),
    ],
)
def test_our_commands_are_known_and_no_others(command, is_ours):
    assert hooks.is_ours(command) is is_ours


@pytest.mark.parametrize(
    "text", ["", "{", "// mine\n{}", "[]", "1", '{"hooks": []}', '{"hooks": {"SessionEnd": {}}}', "[" * 100_000]
)
def test_what_the_agent_could_not_read_is_refused(text):
    with pytest.raises(WikiError, match=r"settings\.json.*not touched"):
        put_in(text)


def test_hooks_of_an_odd_form_are_nobodys_and_stay():
    odd = '{"hooks": {"Stop": 5, "X": [1, {"hooks": 2}, {"hooks": [3]}], "hooks": null}}'
    assert taken_out(put_in(odd)) == odd


PLAIN = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=12
)
GROUPS = st.lists(VALUES, min_size=1, max_size=3)
HOOKS = st.dictionaries(st.sampled_from(["UserPromptSubmit", "SessionEnd", "Stop"]), GROUPS, min_size=1)


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.none() | HOOKS, st.sampled_from([None, 0, 2, "\t"]))
def test_any_settings_come_back_as_they_were(settings, hooked, indent):
    settings = {k: v for k, v in settings.items() if k != "hooks"} | ({"hooks": hooked} if hooked else {})
    before = json.dumps(settings, indent=indent)
    there = put_in(before)
    assert sorted(ours(there)) == sorted(COMMANDS.items()) and put_in(there) == there
    assert taken_out(there) == before


# -- the files


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder with a program in it, and a project as working folder; the user's settings file."""
    program = tmp_path / "my bin" / "llmwiki"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(program)])
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_CONFIG_DIR", "LLMWIKI_ROOT", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "shop/.git").mkdir(parents=True)
    (tmp_path / "shop/src").mkdir()
    monkeypatch.chdir(tmp_path / "shop/src")
    return tmp_path / "home/.claude/settings.json"


def act(action, **options):
    return wiring.act(action, "claude-code", **options)


def test_a_file_that_did_not_exist_is_gone_again(home):
    assert act("status")["installed"] is False
    assert act("install", dry_run=True)["installed"] and not home.exists()
    assert act("install")["changed"] == [str(home)]
    before = home.read_bytes(), home.stat().st_mtime_ns
    assert act("install")["changed"] == [] and (home.read_bytes(), home.stat().st_mtime_ns) == before
    status = act("status")
    assert {k: status[k] for k in ("agent", "installed", "files")} == {
        "agent": "claude-code",
        "installed": True,
        "files": [str(home)],
    }
    assert act("uninstall")["installed"] is False and not home.parent.exists()


def test_a_folder_that_holds_more_or_is_a_link_stays(home, tmp_path):
    act("install")
    (home.parent / "CLAUDE.md").write_text("mine")
    act("uninstall")
    assert [p.name for p in home.parent.iterdir()] == ["CLAUDE.md"]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "shop/.claude").symlink_to(tmp_path / "elsewhere")
    act("install", local=True)
    act("uninstall", local=True)
    assert list((tmp_path / "shop/.claude").iterdir()) == []


def test_a_dry_run_shows_what_would_stand_where(home, capsys):
    def plan(action):
        assert cli.main(["hooks", action, "claude-code", "--dry-run"]) == 0
        return capsys.readouterr().out.splitlines()

    first = plan("install")
    assert first[:5] == [
        f"would be added to {home}",
        "claude-code: would be installed",
        "--- /dev/null",
        f"+++ {home}",
        first[4],
    ]
    shown = "\n".join(line[1:] for line in first[5:] if line.startswith("+"))
    assert not home.exists()
    act("install")
    assert home.read_text() == f"{shown}\n"
    assert plan("install")[:2] == ["nothing to do", "claude-code: installed"]
    home.write_text(json.dumps(json.loads(home.read_text()) | {"env": {"A": "1", "B": "2"}}, indent=2))
    last = plan("uninstall")
    assert last[0] == f"would be taken out of {home}" and '-  "hooks": {' in last
    assert not any(line.startswith("+ ") for line in last) and "installed" not in "".join(last[1:2])


def test_the_folder_that_the_environment_names_is_taken(home, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "conf"))
    assert act("install")["files"] == [str(tmp_path / "conf/settings.json")]
    assert not home.exists()


def test_local_is_the_project_and_uninstall_finds_it(home, tmp_path):
    local = tmp_path / "shop/.claude/settings.local.json"
    assert act("install", local=True)["files"] == [str(local)]
    act("install")
    assert act("uninstall", local=True)["files"] == [str(home)] and not local.exists()
    act("install", local=True)
    assert act("uninstall")["files"] == [] and not home.exists()


def test_a_link_stays_a_link_and_the_mode_is_kept(home, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text('{"model": "x"}')
    real.chmod(0o600)
    home.parent.mkdir(parents=True)
    home.symlink_to(real)
    act("install")
    assert home.is_symlink() and ours(real.read_text()) and stat.S_IMODE(real.stat().st_mode) == 0o600
    act("uninstall")
    assert home.is_symlink() and real.read_text() == '{"model": "x"}'
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dotfiles.json", "home", "my bin", "shop"]


def test_a_broken_file_is_named_and_not_touched(home):
    home.parent.mkdir(parents=True)
    for broken in (b"{", b"\xff{}"):
        home.write_bytes(broken)
        with pytest.raises(WikiError, match=str(home)):
            act("install")
        assert home.read_bytes() == broken
        assert any(str(home) in problem for problem in act("status")["problems"])


def test_a_change_in_between_is_not_lost(home):
    home.parent.mkdir(parents=True)
    home.write_text("{}")
    with pytest.raises(WikiError, match="another program"):
        hook_files.write(home, '{"a": 1}', "new")
    assert home.read_text() == "{}" and len(list(home.parent.iterdir())) == 1


def test_a_wiki_is_named_only_when_a_person_named_one(home, tmp_path):
    made = tmp_path / "the wiki"
    made.mkdir()
    with pytest.raises(WikiError, match="no wiki"):
        act("install", wiki=str(made))
    (made / "llmwiki.toml").write_text("")
    assert "--wiki" not in str(act("install")["hooks"])
    named = act("install", wiki=str(made))
    assert [h["command"].endswith(f"--wiki '{made}'") for h in named["hooks"]] == [True, True]
    assert named["problems"] == []


def test_one_hook_that_finds_its_wiki_is_enough_and_two_of_them_are_told_with_the_cure(home, tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made/llmwiki.toml").write_text("")
    assert act("install", wiki=str(tmp_path / "made"), local=True)["problems"] == []
    (told,) = act("install")["problems"]
    assert "two blocks" in told and str(home) in told and "settings.local.json" in told
    assert "no wiki" not in told, "the project's own finds one"
    assert "hooks uninstall claude-code --local" in told
    left = act("uninstall", local=True)
    assert left["files"] == [str(home)] and "two blocks" not in str(left["problems"])


def test_status_tells_what_makes_the_hooks_silent(home, tmp_path):
    assert any("no wiki here" in problem for problem in act("install")["problems"])
    (tmp_path / "llmwiki.toml").write_text("")
    assert act("status")["problems"] == []
    (tmp_path / "my bin/llmwiki").unlink()
    assert any("there is no program" in problem for problem in act("status")["problems"])
    settings = json.loads(home.read_text())
    del settings["hooks"]["SessionEnd"]
    home.write_text(json.dumps(settings | {"disableAllHooks": True}))
    status = act("status")
    assert status["installed"] is False and status["files"] == [str(home)]
    assert any("SessionEnd" in p for p in status["problems"]) and any(
        "disableAllHooks" in p for p in status["problems"]
    )


def test_other_agents_and_other_verbs_are_refused_with_the_cure(home):
    with pytest.raises(WikiError, match=r"no hooks for codex yet.*claude-code"):
        wiring.act("install", "codex")
    with pytest.raises(WikiError, match="install, status, uninstall"):
        wiring.act("remove", "claude-code")
    with pytest.raises(WikiError, match="hooks install needs an agent: llmwiki hooks install claude-code"):
        wiring.act("install", "")
    with pytest.raises(WikiError, match="install, status, uninstall"):
        wiring.act("claude-code", "status")


def test_status_without_an_agent_tells_of_every_one(home, capsys):
    assert cli.main(["hooks", "status"]) == 0
    assert capsys.readouterr().out == "claude-code: not installed\n"
    act("install")
    assert cli.main(["hooks", "status"]) == 0
    assert capsys.readouterr().out.startswith(f"claude-code: installed\nfile: {home}\n")
    assert cli.main(["hooks", "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [act("status")]
    assert cli.main(["hooks", "install"]) == 2
