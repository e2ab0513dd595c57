"""`when:`: the files, the tool and the error at hand, as they are given, against what records know."""

import pytest
from wikis import NOW, make, record

from llmwiki import context_when, recall
from llmwiki.context_when import Situation
from llmwiki.indexes import reading
from llmwiki.rules import conditions


def ask(root, task, **flags):
    return recall.block(root, recall.Asked(task, now=NOW, **flags))


def holds(when, **given):
    return Situation(**given).holds(reading.of_record(record("id-1a2b", "x", when=when)))


def test_a_tool_that_runs_anything_says_nothing_of_a_program():
    assert holds({"tools": ["npm"]}, tool="Bash") is None
    assert holds({"tools": ["npm"]}, tool="Bash(npm install)") is True
    assert holds({"tools": ["npm"]}, tool="Bash(uv sync)") is False and holds({"tools": ["npm"]}, tool="Edit") is False


KNOWN = [
    (
        "E sqlite3.OperationalError: no such table: tags",
        'Traceback (most recent call last):\n  File "/home/kim/app/store.py", line 88, in read\n'
        "E       sqlite3.OperationalError: no such table: notes\n1 failed in 0.41s",
    ),
    (
        "make: *** [ : : installcheck] Error",
        "make: *** [/usr/lib/postgresql/15/lib/pgxs/src/makefiles/pgxs.mk:420: installcheck] Error 2",
    ),
    ("go: command not found", "/usr/bin/zsh: line 12: go: command not found\n"),
    ("go: command not found", "zsh: command not found: go"),
    ("E sqlite3.OperationalError: no such table: tags", "sqlite3.OperationalError: no such table: notes"),
    (
        "error[E0463]: can't find crate for `test`",
        "   Compiling core v0.3.1\nerror[E0463]: can't find crate for `test`",
    ),
    (
        "FATAL: role does not exist on server",
        "psql: error: connection failed: FATAL:  role  does not exist on server\r\n",
    ),
    (
        "bind(/run/app/4711.sock): address already in use 0x7f3a9911",  # as a person pasted it
        "bind(/run/app/9002.sock): address already in use 0x55aa0102",
    ),
    (
        "Loading module from “ was blocked because of a disallowed MIME type (“ ”)",
        "Loading module from “https://x.example/a.js” was blocked because of a disallowed MIME type (“text/html”).",
    ),
    (
        "= note: rust-lld: error: section '.text' will not fit in region 'FLASH': overflowed by bytes",
        "section '.text' will not fit in region 'FLASH': overflowed by 100 bytes",
    ),
    (
        "PHP Parse error: syntax error, unexpected '=>' (T_DOUBLE_ARROW), expecting ',' in class-installer.php",
        "PHP Parse error: syntax error, unexpected '=>'",
    ),
    ("EADDRINUSE", "Error: listen EADDRINUSE: address already in use :::3000"),
]


@pytest.mark.parametrize(("known", "given"), KNOWN)
def test_an_error_is_known_whatever_varies_in_it(known, given):
    assert holds({"errors": [known]}, error=given) is True
    assert holds({"errors": ["something else", known]}, error="x\n" * 3000 + given) is True


@pytest.mark.parametrize(
    ("known", "given"),
    [
        ("go: command not found", "bash: line 1: pytest: command not found"),
        ("E sqlite3.OperationalError: no such table: tags", "E   sqlite3.OperationalError: unterminated string"),
        ("Host key verification failed", "npm ERR! 404 Not Found"),
        ("error: cannot open the file notes.db: it is locked", "it is locked"),
        ("   ", "anything"),
    ],
)
def test_another_error_is_another(known, given):
    assert holds({"errors": [known]}, error=given) is False


def test_what_is_not_given_is_ignored():
    every = {"errors": ["boom"], "tools": ["npm"], "paths": ["src/**"]}
    assert holds(every) is None and holds(every, error=" \n\t") is None
    assert holds(every, error="boom", tool="npm", files=["src/a"]) is True
    assert holds(every, error="boom", tool="pip", files=["src/a"]) is False
    assert holds({}, error="boom") is None


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/deep/er/a.py", True),
        ("docs/", "/home/kim/app/docs/guide/a.md", True),
        ("db/**", ".\\db\\x\\1.sql", True),
        ("*.SQL", "db/1.sql", True),
        ("db/**", "src/db.py", False),
        ("[", "src/db.py", False),
    ],
)
def test_paths_are_shell_patterns(pattern, path, fits):
    assert holds({"paths": [pattern]}, files=[path]) is fits


@pytest.mark.parametrize("tool", ["npm", "NPM", "npm install x", "/usr/bin/npm", "Bash(npm install x)", "bash(npm)"])
def test_a_tool_is_known_by_its_command(tool):
    assert holds({"tools": ["npm"]}, tool=tool) is True
    assert holds({"tools": ["pip*"]}, tool=tool) is False


def test_a_failure_whose_error_is_given_stands_first_whatever_the_task_is(tmp_path):
    sign = "E sqlite3.OperationalError: no such table: tags"
    cure = record("cure-1a2b", "no such table", "failure", section="Symptom", when={"errors": [sign]}, project="depot")
    others = [record(f"test-{n:04x}", f"The tests of the api number {n} take long", project="shop") for n in range(12)]
    root = make(tmp_path, cure, *others)
    raw = "/tmp/x/test_a.py:12: in f\nE   sqlite3.OperationalError: no such table: notes\n" * 3
    for task in ("fix it", "", "why do the tests of the api take long", "bake a cake"):
        answer = recall.block(root, recall.Asked(task, now=NOW, error=raw, project="shop"))
        assert answer["records"][0]["id"] == "cure-1a2b", task
    assert len(answer["records"]) <= 8
    assert recall.block(root, recall.Asked("fix it", now=NOW, error="something else", project="shop"))["abstained"]


def test_a_huge_error_is_read_at_its_ends(tmp_path):
    root = make(tmp_path, record("cure-1a2b", "boom", "failure", section="Symptom", when={"errors": ["boom: no zorb"]}))
    for error in ("boom: no zorb\n" + "log\n" * 50_000, "log\n" * 50_000 + "boom: no zorb\n"):
        assert not recall.block(root, recall.Asked("fix", now=NOW, error=error))["abstained"]


def test_what_is_compared_with_what_is_bounded_and_a_cut_is_told(tmp_path):
    many = [f"docs/{n}/*.md" for n in range(context_when.MOST_PATTERNS)]
    made = record("far-1a2b", "Guides end with a summary", when={"paths": [*many, "src/a.py"]})
    near = record("near-3c4d", "Modules begin with a docstring", when={"paths": [*many[1:], "src/a.py"]})
    root = make(tmp_path, made, near)
    files = ["src/a.py"] + [f"src/b{n}.py" for n in range(context_when.MOST_FILES)]
    told = ask(root, "x", files=files, explain=True)
    assert [r["id"] for r in told["records"]] == ["near-3c4d"]
    assert f"only the first {context_when.MOST_FILES} files were looked at" in told["text"]
    assert not ask(root, "x", files=files[1:])["records"]
    assert conditions.MOST == context_when.MOST_PATTERNS


@pytest.mark.parametrize("flag", [{"files": ["src/a.py"]}, {"tool": "Bash(npm test)"}, {"error": "Error: EPIPE 32"}])
def test_a_condition_lifts_without_a_task(tmp_path, flag):
    when = {"paths": ["src/*.py"], "tools": ["npm"], "errors": ["Error: EPIPE"]}
    root = make(tmp_path, record("it-1a2b", "Mind the step", when=when), record("no-3c4d", "Feed the zebra"))
    assert [r["id"] for r in ask(root, "", **flag)["records"]] == ["it-1a2b"]
