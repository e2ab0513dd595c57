"""Home folders, the user's name, and a person's own rules."""

from __future__ import annotations

import pytest

from llmwiki.errors import WikiError
from llmwiki.redact import Redactor


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("cd /Users/ada/code/x && ls", "cd ~/code/x && ls"),
        ("/home/ada", "~"),
        ("see /home/grace/notes.txt.", "see ~/notes.txt."),
        ("file:///home/grace/a b", "file://~/a b"),
        ('"cwd": "/home/grace.h/x"', '"cwd": "~/x"'),
        (r"C:\Users\grace\code\a.py", r"~\code\a.py"),
        (r"C:\\Users\\grace\\code", r"~\\code"),
        (r"C:\Users\Grace Hopper\code", r"~\code"),
        ("C:/Users/grace/code", "~/code"),
        ("/mnt/c/Users/grace/code", "~/code"),
        ("/c/Users/grace/code", "~/code"),
        ("~/.claude/projects/-Users-ada-code-x/s.jsonl", "~/.claude/projects/~-code-x/s.jsonl"),
        ("projects/-home-grace-work/", "projects/~-work/"),
        ("ada@box:~$ ls", "user@box:~$ ls"),
        ("-rw-r--r--  1 ada  staff  12 Jan  1 a", "-rw-r--r--  1 user  staff  12 Jan  1 a"),
        ("drwxr-xr-x 2 ada ada 4096 Jan 1 b", "drwxr-xr-x 2 user user 4096 Jan 1 b"),
        ("USER=ada", "USER=user"),
        ("ada   123  0.0  python", "user   123  0.0  python"),
        ("git clone ssh://ada@box/notes.git", "git clone ssh://user@box/notes.git"),
        (r'{"out": "USER=ada\nUID=1000"}', r'{"out": "USER=user\nUID=1000"}'),
        ("the file's owner is not the user ada.", "the file's owner is not the user user."),
        ("chown ada.staff notes.db", "chown user.staff notes.db"),
    ],
)
def test_home_folders_become_a_tilde_and_count_for_nothing(text: str, after: str) -> None:
    assert Redactor(home="/Users/ada", user="ada").text(text) == (after, 0)


@pytest.mark.parametrize(
    "text",
    [
        "/home/runner/code/x",
        "/Users/Shared/a",
        "/home/",
        "https://x.test/home/grace",
        "src/Users/model.py",
        "a/home/b",
        "the ada compiler",
        "canada@home",
        "--home-dir",
        "my-home-page",
        "/root/x",
        "/usr/home.txt",
    ],
)
def test_what_names_no_person_stays(text: str) -> None:
    assert Redactor(home="/Users/ada", user="ada").text(text) == (text, 0)


def test_the_given_home_folder_goes_wherever_it_lies() -> None:
    assert Redactor(home="/root").text("/root/x /rooted/y /root") == ("~/x /rooted/y ~", 0)
    assert Redactor(home="/srv/people/ada").text("/srv/people/ada/x -srv-people-ada-x")[0] == "~/x ~-x"
    assert Redactor(home=r"D:\homes\ada").text(r"D:\homes\ada\x D:\\homes\\ada\\x")[0] == r"~\x ~\\x"


def test_a_name_with_a_dot_goes_from_an_agents_folder_too() -> None:
    redactor = Redactor(home="/Users/ada.l+x", user="ada.l+x")
    assert redactor.text("projects/-Users-ada-l-x-code/s.jsonl")[0] == "projects/~-code/s.jsonl"
    assert redactor.text("/Users/ada.l+x/code, then ada.l+x@box")[0] == "~/code, then user@box"


def test_own_rules() -> None:
    redactor = Redactor(
        [{"name": "ticket", "pattern": r"TCK-(?P<secret>\d+)", "hint": "tck-"}, {"name": "w", "pattern": "w.rd"}]
    )
    assert redactor.text("TCK-123 word") == ("TCK-[redacted:ticket] [redacted:w]", 2)
    assert redactor.text("TCK-[redacted:ticket] [redacted:w]")[1] == 0
    everything = Redactor([{"name": "all", "pattern": ".+"}])
    assert everything.text("a [redacted:x] b") == ("[redacted:all][redacted:x][redacted:all]", 2)
    assert everything.text("[redacted:all][redacted:x][redacted:all]")[1] == 0
    assert Redactor([{"name": "nothing", "pattern": "q*"}]).text("abc") == ("abc", 0)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({"name": "bad", "pattern": "("}, "'bad'"),
        ({"name": "no", "pattern": ""}, "'no'"),
        ({"pattern": "x"}, "needs a name"),
        ({"name": "a b", "pattern": "x"}, "'a b'"),
    ],
)
def test_a_bad_rule_is_named(rule: dict[str, str], says: str) -> None:
    with pytest.raises(WikiError, match=says):
        Redactor([rule])
