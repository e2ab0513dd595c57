"""`llmwiki review` at a terminal: a page, a key, the next page, through a pseudo terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time

import pytest

from llmwiki.model import State
from llmwiki.workspace import Workspace
from tests.answering import ROOT, environment
from tests.test_workspace import clock, files, folder  # noqa: F401 - fixtures
from tests.wikis import STEM, record, write

PROGRAM = "import sys; from llmwiki.fast import main; sys.exit(main())"
HOSTILE = "red \x1b[31mink\x1b[0m \x1b]0;title\x07 \x9b2J\u202eend"
BAR = "? help"
RAW = f"""---
format: 1
agent: "claude-code"
session: "0badcafe"
kind: main
title: "A session"
project: "shop"
started: "2026-03-01T10:00:00Z"
ended: "2026-03-01T10:05:00Z"
turns: 1
prompts: 1
tool_calls: 0
bad_lines: 0
redactions: 0
---

## t3 · user · typed

2026-03-01T10:00:00Z ^t3

Always use pnpm here, never npm. {HOSTILE}
"""


class Sitting:
    """A person at a terminal: waits for words, then types."""

    def __init__(self, *argv, **extra):
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell starts what runs in its background without it
            environ = environment(LLMWIKI_NOW="2026-05-01T12:00:00Z", PYTHONPATH=str(ROOT), **extra)
            os.execve(sys.executable, [sys.executable, "-c", PROGRAM, *argv], environ)
        self.seen = ""
        self.at = 0

    def wait(self, words):
        """Reads until the words have come since the last time; the test fails after half a minute."""
        end = time.monotonic() + 30
        while words not in self.seen[self.at :]:
            assert time.monotonic() < end, self.seen
            if not self.read():
                raise AssertionError(self.seen)
        self.at = self.seen.index(words, self.at) + len(words)
        return self

    def read(self):
        if not select.select([self.terminal], [], [], 1)[0]:
            return True
        try:
            got = os.read(self.terminal, 65536)
        except OSError:  # the other end is closed
            return False
        self.seen += got.decode("utf-8", "replace")
        return bool(got)

    def type(self, keys):
        time.sleep(0.1)  # the terminal is set to single keys just behind the words that ask for one
        os.write(self.terminal, keys.encode())
        return self

    def end(self):
        """The exit code, and all that was seen."""
        while self.read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), self.seen


def waits(id, title, text, **more):
    given = {"kind": "preference", "section": "Rule", "state": State.QUARANTINED, "quarantine_until": None}
    return record(id, text, **(given | {"title": title, "reason": f"confirm {HOSTILE}", "project": "shop"} | more))


@pytest.fixture
def wiki(folder):
    raw = folder / "raw/claude-code/shop" / f"{STEM}.md"
    raw.parent.mkdir(parents=True)
    raw.write_text(RAW, "utf-8")
    write(
        folder,
        waits("pnpm-one", "Use pnpm here, never npm", f'"Always use pnpm here, never npm." {HOSTILE}'),
        waits("pnpm-two", "Use pnpm, never npm", "Use `pnpm` here, never `npm`"),
        waits("tabs-one", "Use tabs in Makefiles", "Use tabs in Makefiles"),
        record("pnpm-old", "Packages: use pnpm here, never npm", kind="preference", project="shop",
               title="Packages: use pnpm here, never npm", reinforced="2026-04-30T00:00:00Z"),
    )  # fmt: skip
    return folder


def test_a_queue_is_emptied_with_one_key_each(wiki):
    person = Sitting("review", "--wiki", str(wiki))
    person.wait("1 of 3").wait(BAR).type("?").wait("sync will not learn it again").wait(BAR).type("p")
    person.wait("promoted pnpm-one").wait("2 of 3").wait(BAR).type("m").wait("1  pnpm-o").wait("back)?").type("1\r")
    person.wait("merged pnpm-two into pnpm-o").wait("3 of 3").wait(BAR).type("d").wait("back)?").type("we use spaces\r")
    code, seen = person.wait("discarded tabs-one").end()
    assert code == 0 and "1 discarded, 1 merged, 1 promoted; 0 records waiting" in seen
    found = Workspace(wiki).load().records
    assert found["pnpm-one"].state is State.ACTIVE and found["pnpm-two"].superseded_by.startswith("pnpm-o")
    assert found["tabs-one"].reason == "we use spaces"
    for _ in range(3):  # each key was an operation of its own
        assert [one["op"] for one in Workspace(wiki).undo()["reverted"]] == ["review"]
    assert len(Workspace(wiki).waiting()) == 3


def test_a_page_shows_why_it_waits_who_said_it_and_nothing_that_a_terminal_obeys(wiki):
    person = Sitting("review", "--wiki", str(wiki))
    code, seen = person.wait(BAR).type("q").end()
    assert code == 0 and "nothing decided; 3 records waiting" in seen
    shown = re.sub(r"\s+", " ", re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen))
    assert "waits: confirm red ink 2Jend" in shown and "you (typed), 2026-03-01" in shown
    assert "Always use pnpm here, never npm. red ink" in shown and f"{STEM} ^t3" in shown
    assert "\x1b[31m" not in seen and "\x1b]0" not in seen and "\x9b" not in seen and "\u202e" not in seen


def test_ctrl_c_quits_with_130_and_changes_nothing_more(wiki):
    before = files(wiki)
    for keys in ("", "d"):
        person = Sitting("review", "--wiki", str(wiki)).wait(BAR)
        if keys:
            person.type(keys).wait("back)?")
        code, seen = person.type("\x03").end()
        assert code == 130 and "interrupted; nothing is half-written" in seen
    assert files(wiki) == before


def test_a_decision_can_be_taken_back_before_it_is_made_and_other_keys_do_nothing(wiki):
    before = files(wiki)
    person = Sitting("review", "--wiki", str(wiki)).wait(BAR).type("d").wait("back)?").type("\x04")
    person.wait(BAR).type("\x1b[A").wait(BAR).type("m").wait("back)?").type("\r")
    person.wait(BAR).type("m").wait("back)?").type("nothing-like-it\r").wait("there is no record").wait(BAR).type("s")
    person.wait("2 of 3").wait(BAR).type("s").wait("3 of 3").wait(BAR).type("s")
    code, seen = person.end()
    assert code == 0 and "3 skipped; 3 records waiting" in seen and "llmwiki undo" not in seen
    assert files(wiki) == before


def test_no_reason_is_one_too_and_what_another_hand_decided_is_not_asked_again(wiki):
    person = (
        Sitting("review", "--wiki", str(wiki)).wait(BAR).type("d").wait("back)?").type("\r").wait("2 of 3").wait(BAR)
    )
    Workspace(wiki).review("discard", ["tabs-one"])
    code, seen = person.type("a").wait("archived pnpm-two").end()
    found = Workspace(wiki).load().records
    assert code == 0 and "3 of 3" not in seen and "1 archived, 1 discarded; 0 records waiting" in seen
    assert [found[id].reason for id in ("pnpm-one", "pnpm-two")] == ["discarded", "archived by a person"]


@pytest.mark.parametrize("argv", [["review", "list"], ["review", "--json"], ["review", "--dry-run"]])
def test_only_a_bare_review_asks(wiki, argv):
    code, seen = Sitting(*argv, "--wiki", str(wiki)).end()
    assert code == 0 and BAR not in seen and "pnpm-one" in seen
