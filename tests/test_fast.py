"""The fast path: what it loads, what it prints, and how it ends."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wikis import make, record

from llmwiki import block, fast, recall
from llmwiki.errors import WikiError
from llmwiki.indexes.entries import GROUP

TASK = "how are uploads retried"
HEAVY = (
    "typer click rich jinja2 networkx markdown_it yaml frontmatter ollama msgspec pydantic dataclasses inspect typing "
    "pathlib argparse tomllib tomlkit rs_bpe importlib.metadata logging asyncio llmwiki.model llmwiki.schema "
    "llmwiki.cli llmwiki.workspace llmwiki.markdown llmwiki.lifecycle llmwiki.store whoosh"
).split()
OFTEN = "re json enum urllib.parse fnmatch contextlib".split()


def run(*args, cwd="/", stdin=b"", code=None, **environ):
    env = {"PATH": os.environ["PATH"], "LLMWIKI_NOW": "2026-03-05T00:00:00Z", "HOME": "/nonexistent", **environ}
    env["PYTHONPATH"] = str(Path(fast.__file__).parent.parent)
    code = code or "from llmwiki.fast import main; main()"
    command = [sys.executable, "-c", code, *args]
    return subprocess.run(command, cwd=cwd, input=stdin, env=env, capture_output=True, check=False)


@pytest.fixture(scope="module", params=["sqlite", "whoosh"])
def wiki(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wiki")
    made = record("retry-uploads-1a2b", "Uploads are retried three times — “always”")
    return make(folder, made, record("green-3c4d", "The button is green"), backend=request.param), request.param


COUNTING = (
    "import os, sys\nfrom llmwiki import fast\n"
    "os._exit = lambda code: (print(' '.join(sys.modules), file=sys.stderr, flush=True), sys.exit(code))\nfast.main()"
)


@pytest.mark.parametrize("command", ["context", "search"])
def test_nothing_that_costs_is_imported(wiki, command):
    root, backend = wiki
    done = run(command, TASK, "--wiki", root, code=COUNTING)
    assert "retry-uploads-1a2b" in done.stdout.decode() or "Uploads are retried" in done.stdout.decode()
    loaded = set(done.stderr.decode().split())
    found = {name for name in [*HEAVY, *OFTEN] if name in loaded}
    assert not found
    assert len(loaded) < 93, (backend, len(loaded))
    assert len({name for name in loaded if name.startswith("llmwiki")}) < 30


def test_context_prints_the_block_and_search_the_hits(wiki):
    root, _ = wiki
    said = run("context", TASK, "--wiki", root)
    assert said.returncode == 0 and block.cut(said.stdout.decode())[1] == ["retry-uploads-1a2b"]
    assert "facts/retry-uploads-1a2b.md" in run("search", TASK, "--wiki", root).stdout.decode()


def test_the_json_documents_have_the_promised_keys(wiki):
    root, _ = wiki
    document = json.loads(run("context", TASK, "--wiki", root, "--json").stdout)
    assert {"mode", "tokens", "budget", "abstained", "records", "limits", "text"} <= set(document)
    assert "rejected" not in document and "plan" not in document
    [told] = document["records"]
    assert {"id", "type", "title", "path", "score", "confidence", "state", "text"} <= set(told)
    assert "rejected" in json.loads(run("context", TASK, "--wiki", root, "--json", "--explain").stdout)
    [hit] = json.loads(run("search", TASK, "--wiki", root, "--json").stdout)
    assert set(hit) == {"id", "type", "title", "path", "score", "state", "snippet"}
    assert json.loads(run("search", "zebra", "--wiki", root, "--json").stdout) == []


def test_search_keeps_to_a_project_and_says_when_no_record_knows_it(tmp_path):
    shop, blog = (record(f"{name}-1a2b", "Deploy with make", project=name) for name in ("shop", "blog"))
    root = make(tmp_path, shop, blog)
    done = run("search", "deploy", "--wiki", root, "--project", "shop")
    assert "shop-1a2b" in done.stdout.decode() and "blog-1a2b" not in done.stdout.decode() and not done.stderr
    for flags in (["--project", "lost", "--json"], ["--json", "--project=lost"]):
        done = run("search", "deploy", "--wiki", root, *flags)
        assert (done.returncode, json.loads(done.stdout)) == (0, [])
        assert f"note: {recall.UNKNOWN}" in done.stderr.decode()
    assert not run("search", "deploy", "--wiki", root, "--project", "lost", "--quiet").stderr


def test_an_off_topic_task_prints_nothing_and_is_no_failure(wiki):
    root, _ = wiki
    done = run("context", "compose an opera about penguins", "--wiki", root)
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_wiki_is_found_above_the_working_folder_or_named(wiki, tmp_path):
    root, _ = wiki
    deep = Path(root, "wiki", "facts")
    assert b"retry-uploads" in run("context", TASK, cwd=deep).stdout
    assert b"retry-uploads" in run("context", TASK, LLMWIKI_ROOT=root).stdout
    assert b"retry-uploads" in run("--wiki", root, "context", TASK).stdout
    for lost in (run("context", TASK, cwd=tmp_path), run("context", TASK, "--wiki", str(tmp_path))):
        assert lost.returncode == 2 and b"llmwiki init" in lost.stderr and lost.stdout == b""


@pytest.mark.parametrize(
    ("args", "cure"),
    [
        (["context", "--nope", "x"], "--nope"),
        (["context", "x", "--budget", "many"], "whole number"),
        *((["context", "x", flag, n], "from 1 up") for flag in ("--budget", "--limit") for n in ("0", "-1")),
        *((["search", "x", f"--limit={n}"], "from 1 up") for n in (0, -1)),
        (["context", "x", "--limit"], "needs a value"),
        (["context"], "needs a task"),
        (["search"], "needs a question"),
        (["search", "x", "--type", "rumour"], "one of skill"),
        (["search", "x", "--state", "gone"], "one of quarantined"),
        (["context", "x", "--scope", "all"], "one of user"),
        (["context", "x", "--hook", "emacs"], "claude-code"),
    ],
)
def test_a_request_that_cannot_be_carried_out_exits_2_with_a_cure(wiki, args, cure):
    done = run("--wiki", wiki[0], *args)
    assert done.returncode == (0 if "--hook" in args else 2)
    assert cure in done.stderr.decode() and done.stderr.count(b"\n") == 1 and b"Traceback" not in done.stderr


def test_a_bad_clock_is_named(wiki):
    done = run("context", TASK, "--wiki", wiki[0], LLMWIKI_NOW="soon")
    assert done.returncode == 2 and b"LLMWIKI_NOW" in done.stderr


def test_output_is_utf_8_whatever_the_locale(wiki):
    for environ in ({"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}):
        assert "“always”" in run("context", TASK, "--wiki", wiki[0], **environ).stdout.decode("utf-8")


def test_a_task_comes_from_standard_input(wiki):
    done = run("context", "-", "--wiki", wiki[0], stdin=TASK.encode() + b"\xff\x00")
    assert b"retry-uploads-1a2b" in done.stdout


def test_a_broken_pipe_is_silent(wiki):
    ours = "from llmwiki.fast import main; main()"
    command = f"'{sys.executable}' -c '{ours}' search uploads --json --wiki '{wiki[0]}' | true"
    env = {**os.environ, "PYTHONPATH": str(Path(fast.__file__).parent.parent)}
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], env=env, capture_output=True, check=False)
    assert done.stderr == b"" and done.returncode in (0, 141)


@pytest.mark.parametrize("command", ["context", "search"])
@pytest.mark.parametrize(("stream", "code"), [(">&-", 0), ("2>&-", 0), (">/dev/full", 2)])
def test_a_stream_that_is_closed_or_full_is_no_bug(wiki, command, stream, code):
    root, _ = wiki
    program = "from llmwiki.fast import main; main()"
    argv = [sys.executable, "-c", program, command, TASK, "--wiki", root]
    env = {**os.environ, "LLMWIKI_NOW": "2026-03-05T00:00:00Z"}
    done = subprocess.run(["sh", "-c", f'"$@" {stream}', "sh", *argv], env=env, capture_output=True, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False)


def test_our_own_bug_exits_70_and_a_hook_fails_open(wiki):
    planted = "def bug(*a):\n    raise RuntimeError('planted')\nrecall.block = bug"
    code = f"from llmwiki import fast, recall\n{planted}\nfast.main()"
    done = run("context", TASK, "--wiki", wiki[0], code=code)
    assert done.returncode == 70 and b"planted" in done.stderr
    prompt = json.dumps({"prompt": TASK, "cwd": wiki[0]}).encode()
    assert run("context", "--hook", "claude-code", code=code, stdin=prompt).returncode == 0


def test_a_session_that_is_named_is_noted(wiki):
    root, _ = wiki
    offers = Path(root, ".llmwiki/state/offers.jsonl")
    run("context", "opera", "--wiki", root, "--session", "s-1")
    assert not offers.exists()
    run("context", TASK, "--wiki", root, "--session", "s-1")
    assert json.loads(offers.read_text())["records"] == ["retry-uploads-1a2b"]
    offers.unlink()


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_hook_answers_the_prompt_in_its_json(wiki, agent):
    root, _ = wiki
    said = {"session_id": "s-2", "cwd": root, "hook_event_name": "UserPromptSubmit", "prompt": TASK}
    done = run("context", "--hook", agent, stdin=json.dumps(said).encode())
    assert done.returncode == 0 and done.stdout.decode().startswith("<llmwiki-memory ")
    Path(root, ".llmwiki/state/offers.jsonl").unlink()


@pytest.mark.parametrize("said", [b"", b"{", b"[1]", b"null", b'{"prompt": 5}', b'{"prompt": "x", "cwd": 7}', b"\xff"])
def test_a_hook_that_is_told_nonsense_says_nothing(said, tmp_path):
    done = run("context", "--hook", "claude-code", stdin=said, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")


def test_explain_and_plan_are_for_people(wiki):
    said = run("context", TASK, "--wiki", wiki[0], "--explain").stdout.decode()
    assert "kept      retry-uploads-1a2b  score 1" in said or "kept      retry-uploads-1a2b  score 0" in said
    assert run("context", "fix the bug", "--wiki", wiki[0], "--plan").stdout.decode().startswith("task type: debug\n")


@pytest.mark.parametrize(
    "given", [["--files", "a.py"], ["--error", "boom"], ["--tool", "npm"], ["--files", b"\xff.py"]]
)
def test_an_error_a_file_or_a_tool_is_enough(wiki, given):
    done = run("context", "--wiki", wiki[0], *given)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_bytes_of_no_text_are_not_printed(wiki):
    done = run(
        "context", TASK, b"\xff", "--files", b"\xff.py", "--tool", b"\xfe", "--json", "--plan", "--wiki", wiki[0]
    )
    assert done.returncode == 0 and json.loads(done.stdout)["records"]
    assert b"\\udc" not in done.stdout and not done.stderr


def test_flags_are_read_in_every_form():
    found = fast.parse("context", ["fix", "--files", "a.py", "b.py", "--budget=300", "--", "--it"])
    assert found.words == ["fix", "--it"] and found["files"] == ["a.py", "b.py"] and found["budget"] == 300
    assert fast.parse("context", ["--files", "a.py", "fix it"]).words == ["fix it"]
    assert fast.parse("search", ["x"])["limit"] is None
    with pytest.raises(WikiError):
        fast.parse("search", ["x", "--budget", "3"])


@pytest.mark.parametrize("args", [["--help"], ["context", "--help"], ["sync"], [], ["search", "x", "--raw"]])
def test_everything_else_is_left_to_the_whole_command_line(args, monkeypatch):
    seen = []
    monkeypatch.setattr(fast, "_whole_cli", lambda *args: seen.append(True))
    fast.main(args)
    assert seen == [True]


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))
def test_our_own_times_are_read_as_datetime_reads_them(at):
    said = at.strftime("%Y-%m-%dT%H:%M:%SZ").zfill(20)
    assert fast._plain_time(said) == int(at.replace(tzinfo=UTC, microsecond=0).timestamp())


@pytest.mark.parametrize(
    "said",
    ["2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01", "٢026-01-01T00:00:00Z", "0000-01-01T00:00:00Z"],
)
def test_other_forms_are_left_to_the_clock(said):
    assert fast._plain_time(said) is None


def test_broken_settings_are_told_in_the_block(tmp_path):
    from llmwiki.workspace import Workspace

    Workspace.init(tmp_path / "w")
    Workspace(tmp_path / "w").remember("Always feed the zebrafish before a release")
    (tmp_path / "w/llmwiki.toml").write_text("[wiki\n")
    found = Workspace(tmp_path / "w").context("feed the zebrafish")
    assert "llmwiki.toml cannot be read" in found.text


@pytest.mark.parametrize("args", [("context", "x", "--explain=no"), ("search", "x", "--json=1")])
def test_a_switch_takes_no_value(wiki, args):
    done = run(*args, "--wiki", wiki[0])
    assert done.returncode == 2 and b"takes no value" in done.stderr


def test_a_closed_standard_input_is_an_empty_task(wiki):
    closed = "import sys; sys.stdin = None\nfrom llmwiki.fast import main; main()"
    done = run("context", "-", "--wiki", wiki[0], code=closed)
    assert done.returncode in (0, 2) and b"Traceback" not in done.stderr


def test_a_path_is_taken_without_its_detours():
    from llmwiki.context_when import Situation

    entry = type("Entry", (), {"conditions": f"paths{GROUP}web/**"})()
    assert Situation(["web/x.py"]).holds(entry) and Situation(["src/../web/x.py"]).holds(entry)
    assert Situation(["web/../src/x.py"]).holds(entry) is False
