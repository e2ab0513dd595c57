"""A session of Claude Code with our hooks, as the agent runs them: a shell, JSON on standard input, an exit code."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from wikis import make, record

from llmwiki import fast, lock
from llmwiki.adapters.base import title_line
from llmwiki.hooks import EVENTS
from llmwiki.workspace import Workspace
from tests.spoken import came_back, claude, lines, ran, said, session

ID = "5c1d0e2f-1111-4222-8333-944455566677"
TASK = "how are uploads retried"
BLOCK = '<llmwiki-memory records="use-uv-1a2b">\n- use uv (use-uv-1a2b)\n</llmwiki-memory>'
OURS = "import sys; sys.argv[0] = 'llmwiki'; from llmwiki.fast import main; main()"


@pytest.fixture
def place(tmp_path):
    """A wiki in the project where the agent works, the agent's own folder, and this program as an executable."""
    project = tmp_path / "shop"
    project.mkdir()
    make(project, record("retry-uploads-1a2b", "Uploads are retried three times"))
    program = tmp_path / "bin/llmwiki"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nimport sys\nfrom llmwiki.fast import main\nmain()\n")
    program.chmod(0o755)
    return tmp_path


def environment(place):
    env = {"PATH": "/usr/bin:/bin", "HOME": str(place / "home"), "CLAUDE_CONFIG_DIR": str(place / "claude")}
    return env | {"PYTHONPATH": str(Path(fast.__file__).parent.parent), "LLMWIKI_NOW": "2026-03-05T00:00:00Z"}


def call(place, event, given=None, cwd="/", **more):
    """What the agent gets of its hook: it runs the command of its settings in a shell, with this JSON."""
    settings = json.loads((place / "claude/settings.json").read_text())
    [group] = settings["hooks"][event]
    [hook] = group["hooks"]
    document = {"session_id": ID, "cwd": str(place / "shop"), "hook_event_name": event, **(given or {})}
    env = environment(place) | more
    return subprocess.run(
        ["/bin/sh", "-c", hook["command"]],
        input=json.dumps(document).encode(),
        cwd=cwd,
        env=env,
        capture_output=True,
        timeout=hook["timeout"],
    )


def llmwiki(place, *args, stdin=b"", program=(), **more):
    command = [*(program or [str(place / "bin/llmwiki")]), *args]
    env = environment(place) | more
    return subprocess.run(command, input=stdin, cwd=place / "shop", env=env, capture_output=True, timeout=60)


def transcript(place, *records):
    store = place / "claude/projects/-shop"
    store.mkdir(parents=True, exist_ok=True)
    file = store / f"{ID}.jsonl"
    file.write_bytes(lines(*records))
    return str(file)


def talk(place):
    """A small session that went on a minute ago and taught something."""
    told = {"session_id": ID, "cwd": str(place / "shop")}
    return transcript(
        place,
        said("always run the tests with uv run pytest, never with plain pytest", **told),
        ran("t1", command="uv run pytest -q") | {"sessionId": ID},
        came_back("t1", "3 passed", session_id=ID),
    )


def left(place):
    """Processes of this test that still run, as far as this machine can tell."""
    if not shutil.which("pgrep"):
        return []
    return subprocess.run(["pgrep", "-f", str(place)], capture_output=True, text=True).stdout.split()


def test_a_session_asks_and_is_learned_from_by_itself(place):
    done = llmwiki(place, "hooks", "install", "claude-code", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["installed"] is True
    asked = call(place, "UserPromptSubmit", {"prompt": TASK})
    assert asked.returncode == 0 and asked.stdout.startswith(b"<llmwiki-memory ") and asked.stderr == b""
    offers = (place / "shop/.llmwiki/state/offers.jsonl").read_text()
    assert ID in offers and "retry-uploads-1a2b" in offers
    path = talk(place)
    ended = call(place, "SessionEnd", {"transcript_path": path, "reason": "prompt_input_exit"})
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    pages = [p for p in (place / "shop/raw").rglob("*.md") if ID in p.read_text()]
    assert len(pages) == 1 and "uv run pytest" in pages[0].read_text()
    assert "uv run pytest" in "".join(p.read_text() for p in (place / "shop/wiki/preferences").glob("*.md"))
    assert left(place) == []
    assert llmwiki(place, "hooks", "uninstall", "claude-code").returncode == 0
    assert not (place / "claude/settings.json").exists()


def test_only_the_session_that_ended_is_taken_in(place):
    llmwiki(place, "hooks", "install", "claude-code")
    talk(place)
    other = place / "claude/projects/-shop/0d0d0d0d-1111-4222-8333-944455566677.jsonl"
    other.write_bytes(lines(said("something else", "0d0d0d0d-1111-4222-8333-944455566677")))
    call(place, "SessionEnd")
    assert [ID in p.read_text() for p in (place / "shop/raw").rglob("*.md")] == [True]


@pytest.mark.parametrize("event", list(EVENTS))
def test_without_a_wiki_the_agent_hears_nothing(place, event):
    llmwiki(place, "hooks", "install", "claude-code")
    done = call(place, event, {"prompt": TASK, "cwd": str(place / "home"), "reason": "clear"})
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize(
    "stdin", [b"", b"{", b"[1]", b"null", b'{"session_id": 5}', b'{"session_id": ""}', b"\xff" * 9]
)
@pytest.mark.parametrize("command", ["context", "sync"])
def test_nonsense_is_answered_with_nothing(place, command, stdin):
    talk(place)
    done = llmwiki(place, command, "--hook", "claude-code", stdin=stdin)
    assert (done.returncode, done.stdout) == (0, b"")
    assert not (place / "shop/raw").exists() or not list((place / "shop/raw").rglob("*.md"))


def test_a_broken_index_costs_no_prompt(place):
    llmwiki(place, "hooks", "install", "claude-code")
    for file in (place / "shop/.llmwiki/cache").rglob("*"):
        if file.is_file():
            file.write_bytes(b"no database")
    done = call(place, "UserPromptSubmit", {"prompt": TASK})
    assert done.returncode == 0 and (not done.stdout or done.stdout.startswith(b"<llmwiki-memory "))


def test_a_prompt_as_long_as_a_log_is_answered_in_time(place):
    llmwiki(place, "hooks", "install", "claude-code")
    long = " ".join(f"line{n}" for n in range(400_000))
    assert call(place, "UserPromptSubmit", {"prompt": long}).returncode == 0


SLOW = f"import time\nfrom llmwiki import recall\nrecall.block = lambda *a: time.sleep(60)\n{OURS}"


@pytest.mark.parametrize("fault", ["slow", "silent"])
def test_a_prompt_waits_two_seconds_at_most(place, fault):
    argv = [sys.executable, "-c", SLOW if fault == "slow" else OURS, "context", "-", "--hook", "claude-code"]
    started = time.monotonic()
    process = subprocess.Popen(
        [*argv, "--wiki", str(place / "shop")],
        env=environment(place),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if fault == "slow":  # else standard input is never closed
        process.stdin.write(json.dumps({"prompt": TASK, "session_id": ID}).encode())
        process.stdin.close()
    assert process.wait(timeout=20) == 0
    assert process.stdout.read() == b"" and process.stderr.read() == b""
    assert fast.PATIENCE - 0.5 < time.monotonic() - started < EVENTS["UserPromptSubmit"][1] + 10
    assert left(place) == []
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


def test_a_session_hook_gives_up_and_the_next_sync_takes_over(place):
    talk(place)
    planted = (
        "import time\nfrom llmwiki import learning\nfrom llmwiki.cli import session_hook\n"
        "session_hook.SECONDS = 1.0\nlearning.learn = lambda *a, **k: time.sleep(60)\n"
    )
    program = [sys.executable, "-c", planted + OURS]
    done = llmwiki(
        place, "sync", "--hook", "claude-code", program=program, stdin=json.dumps({"session_id": ID}).encode()
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    after = llmwiki(place, "sync", "--session", ID, "--json", "--quiet")
    assert json.loads(after.stdout)["failed"] == [] and json.loads(after.stdout)["records"]["created"] > 0


def test_another_writer_is_not_waited_for(place):
    talk(place)
    wiki = Workspace(place / "shop")
    with wiki.store.lock("a long sync"):
        started = time.monotonic()
        done = llmwiki(place, "sync", "--hook", "claude-code", stdin=json.dumps({"session_id": ID}).encode())
        assert time.monotonic() - started < lock.WAIT / 2
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_settings_may_switch_the_agent_off(place):
    talk(place)
    (place / "shop/llmwiki.toml").write_text('[agents.claude-code]\nenabled = false\n[index]\nbackend = "sqlite"\n')
    assert (
        llmwiki(place, "sync", "--hook", "claude-code", stdin=json.dumps({"session_id": ID}).encode()).returncode == 0
    )
    assert not list((place / "shop").glob("raw/**/*.md"))


def test_a_broken_settings_file_gives_2_and_one_sentence(place):
    (place / "claude").mkdir()
    (place / "claude/settings.json").write_text("{")
    done = llmwiki(place, "hooks", "install", "claude-code")
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"not valid JSON" in done.stderr
    assert (place / "claude/settings.json").read_text() == "{"


ATTACHED = [
    {"type": "hook_additional_context", "hookName": "UserPromptSubmit", "content": [BLOCK]},
    {"type": "hook_success", "hookName": "UserPromptSubmit", "content": BLOCK, "stdout": BLOCK, "exitCode": 0},
    {"type": "hook_success", "hookName": "UserPromptSubmit", "stdout": BLOCK + "\n", "stderr": ""},
]
WRAPPED = [
    f"<user-prompt-submit-hook>\n{BLOCK}\n</user-prompt-submit-hook>",
    f"<system-reminder>\nUserPromptSubmit hook success: {BLOCK}\n</system-reminder>",
    f"fix it\n<system-reminder>\nUserPromptSubmit hook additional context: {BLOCK}\n</system-reminder>",
]


@pytest.mark.parametrize("attached", ATTACHED)
def test_what_the_hook_said_is_known_from_its_attachment(tmp_path, attached):
    hook = said("", attachment=attached) | {"type": "attachment"}
    read = session(claude(tmp_path / "s1.jsonl", lines(said("go on"), hook)))
    assert read.offered == ("use-uv-1a2b",) and [t.text for t in read.turns] == ["go on"]


@pytest.mark.parametrize("text", WRAPPED)
@pytest.mark.parametrize("meta", [True, False])
def test_what_the_hook_said_is_known_where_it_stands_in_the_text(tmp_path, text, meta):
    from llmwiki import ingest
    from llmwiki.redact import Redactor

    read = session(claude(tmp_path / "s1.jsonl", lines(said("go on"), said(text, isMeta=meta))))
    page = ingest.prepare(read, Redactor())
    assert page.offered == ("use-uv-1a2b",)
    assert "llmwiki-memory" not in str(page.turns) and "use uv" not in str(page.turns)


@pytest.mark.parametrize("more", [0, 8])
def test_no_mark_of_a_block_stands_in_a_title(tmp_path, more):
    given = BLOCK.replace('1a2b"', "1a2b" + "".join(f" a-rule-of-the-shop-{n:04d}" for n in range(more)) + '"')
    read = session(claude(tmp_path / "s1.jsonl", lines(said(f"{given}\nMend the login form"))))
    assert read.title == "Mend the login form"


@pytest.mark.parametrize("given", [BLOCK[:29], BLOCK[:29] + "…", f"{BLOCK[:36]}...", BLOCK[:38]])
def test_a_title_that_another_program_shortened_has_no_torn_mark(given):
    assert title_line(f"Mend it {given}") == "Mend it"


def test_the_hook_needs_no_path(place):
    llmwiki(place, "hooks", "install", "claude-code")
    done = call(place, "UserPromptSubmit", {"prompt": TASK}, PATH="/nowhere")
    assert done.returncode == 0 and done.stdout.startswith(b"<llmwiki-memory ")
