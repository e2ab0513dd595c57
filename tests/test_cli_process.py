"""The shell in a process of its own: what depends on the real streams, on the locale and on what is imported."""

import os
import pty
import re
import subprocess
import sys

from llmwiki.cli.group import NAMES, build
from tests.answering import CHANGERS, DOCS, ROOT, environment, run, told  # noqa: F401 - fixtures

PROGRAM = "import sys; from llmwiki.cli import main; sys.exit(main())"
FAKE = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests")!r})
import answering, llmwiki.workspace
wiki = answering.Answering()
wiki.answers["status"] = {{**wiki.answers["status"], "last_sync": ""}}
class Door:
    find = open = staticmethod(lambda where=None: wiki)
llmwiki.workspace.Workspace = Door
from llmwiki.cli import main
code = main()
sys.stderr.write("ASKED " + " ".join(name for name, _, _ in wiki.asked) + chr(10))
sys.exit(code)
"""


def at_a_terminal(argv, answer=b"", **extra):
    """What a person at a terminal sees, and the exit code: all three streams are a pseudo terminal."""
    pid, terminal = pty.fork()
    if not pid:
        os.execve(sys.executable, [sys.executable, "-c", FAKE, *argv], environment(**extra))
    os.write(terminal, answer)
    seen = b""
    while True:
        try:
            got = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not got:
            break
        seen += got
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode()


def test_the_first_sync_asks_at_a_terminal_and_no_means_no():
    code, seen = at_a_terminal(["sync"], b"n\n")
    assert code == 0 and "shop" in seen and "Take in 2 sessions?" in seen and "nothing was written" in seen
    assert seen.rstrip().endswith("ASKED status survey")
    code, seen = at_a_terminal(["sync"], b"y\n")
    assert code == 0 and "waits: 1 session" in seen and seen.rstrip().endswith("ASKED status survey sync")
    _, seen = at_a_terminal(["sync", "--quiet"])
    assert "Take in" not in seen and seen.rstrip().endswith("ASKED sync")


def test_a_terminal_gets_a_table_and_never_the_text_s_own_escapes():
    code, seen = at_a_terminal(["search", "tabs"])
    assert code == 0 and "score" in seen and "\x1b[1m" in seen
    assert "[bold]x[/bold]" in re.sub(r"\s*\r\n\s*", "", seen) or "[bold]" in seen
    assert "\x1b[31m" not in seen and "\x9b" not in seen and "\x1b]0;" not in seen
    _, seen = at_a_terminal(["search", "tabs"], NO_COLOR="1")
    assert "\x1b[3" not in seen and "\x1b[9" not in seen
    _, seen = at_a_terminal(["status"])
    assert "quarantined" in seen and "waiting: 1" in seen


def test_a_pipe_that_closes_early_is_silent():
    script = '"$PY" -c "$PROGRAM" --help | head -1; echo "${PIPESTATUS[0]}"'
    done = subprocess.run(
        ["bash", "-c", script], env=environment(PY=sys.executable, PROGRAM=PROGRAM), capture_output=True, text=True
    )
    assert done.stderr == "" and done.stdout.startswith("Usage: llmwiki")
    closed = subprocess.Popen(
        [sys.executable, "-c", FAKE, "why", "x"], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    closed.stdout.close()
    assert closed.stderr.read().startswith(b"ASKED") and closed.wait() == 0


def test_a_c_locale_neither_fails_nor_loses_letters():
    asked = FAKE.replace('" ".join(name for name, _, _ in wiki.asked)', "ascii(wiki.asked[-1])")
    argv = [sys.executable, "-c", asked, "remember", "日本語"]
    done = subprocess.run(argv, env=environment(LC_ALL="C", PYTHONUTF8="0"), capture_output=True)
    assert done.returncode == 0 and ascii("日本語").encode() in done.stderr


def test_a_c_locale_reaches_pages_of_every_script(told):
    program = "from llmwiki.fast import main; main()"
    for argv in (["remember", "naïve 日本語"], ["search", "日本語"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *argv],
            env=environment(LC_ALL="C", PYTHONUTF8="0", HOME=str(told)),
            capture_output=True,
        )
        assert done.returncode == 0 and "日本語".encode() in done.stdout, done.stderr
    assert (told / "wiki/preferences/naïve-日本語.md").exists()


def test_help_imports_no_command_and_nothing_heavy():
    script = (
        "import sys; from llmwiki.cli import main; main(sys.argv[1:]); "
        "print(*sorted(m for m in sys.modules if m.startswith(('llmwiki.', 'rich', 'jinja2', 'whoosh', 'networkx'))),"
        " file=sys.stderr)"
    )
    shell = "llmwiki.cli llmwiki.cli.group llmwiki.cli.options llmwiki.cli.streams llmwiki.errors".split()

    def loaded(*argv):
        done = subprocess.run([sys.executable, "-c", script, *argv], env=environment(), capture_output=True, text=True)
        return done.stderr.split()

    assert loaded("--help") == shell
    assert "llmwiki.cli.sync" in loaded("sync", "--help") and "llmwiki.workspace" not in loaded("sync", "--help")


# Documentation


def reference(capsys):
    """docs/cli.md: every help text as it is printed."""
    parts = [("llmwiki", ["--help"]), *((f"llmwiki {name}", [name, "--help"]) for name in NAMES)]
    text = "# The command line\n\nMade from `--help` by `pytest --update`; do not edit it by hand.\n"
    for title, argv in parts:
        text += f"\n## {title}\n\n```text\n{run(capsys, *argv)[1].rstrip()}\n```\n"
    return text


def test_docs_are_what_help_says(capsys, update, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    text = reference(capsys)
    if update:
        DOCS.write_text(text, encoding="utf-8")
    assert DOCS.read_text("utf-8") == text, "run pytest tests/test_cli_process.py --update and read the diff"


def test_every_option_is_explained_and_every_command_has_examples(capsys, monkeypatch):
    for name in NAMES:
        command = build(name)
        assert all(param.help for param in command.params), name
        assert "Examples:" in run(capsys, name, "--help")[1]
        assert {"wiki", "json", "quiet"} <= {param.name for param in command.params}
        assert ("dry_run" in {param.name for param in command.params}) == (name in CHANGERS)
