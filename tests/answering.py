"""What the tests of the shell share: a wiki that answers from a table, and a small real one."""

import os
from pathlib import Path

import pytest

from llmwiki import cli
from llmwiki.cli.group import NAMES
from llmwiki.model import Block, Hit

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "cli.md"
HOSTILE = "a\x1b[31mred\x1b[0m \x1b]0;title\x07[bold]x[/bold] \x9b2J\u202eend"
SYNCED = {
    "discovered": 6,
    "new": 2,
    "updated": 0,
    "unchanged": 1,
    "skipped": {"own": 1, "no-prompt": 1},
    "failed": [],
    "bad_lines": 1,
    "turns": 40,
    "prompts": 4,
    "bytes": 2_100_000,
    "records": {"created": 5, "reinforced": 1, "quarantined": 2, "refused": {"one-off": 3}},
    "seconds": 0.1,
    "waiting": [{"session": "s1", "until": "2026-03-01T13:00:00Z"}],
    "projects": {"shop": 2},
}
RECORD = {
    "id": "use-tabs-1a2b",
    "type": "preference",
    "title": HOSTILE,
    "state": "active",
    "confidence": 0.8,
    "effective": 0.78,
    "retrievable": True,
    "evidence": "user-said",
    "project": None,
    "scope": "user",
    "reinforced": "2026-01-01T00:00:00Z",
    "body": "## Rule\n\n- Use tabs [[s1#^t3]]\n",
}
EVENT = {"at": "2026-01-01T00:00:00Z", "kind": "created", "change": "0.80", "session": "s1", "turn": "t3"}
WAITS = {
    "id": "use-tabs-1a2b",
    "type": "preference",
    "title": HOSTILE,
    "state": "quarantined",
    "reason": HOSTILE,
    "age_days": 2,
    "sources": ["[[s1]]"],
    "path": "wiki/preferences/use-tabs.md",
}
ANSWERS = {
    "sync": SYNCED,
    "survey": {"projects": SYNCED["projects"], "new": SYNCED["new"]},
    "agents": [{"name": "codex", "roots": ["~/.codex"], "sessions": 2, "oldest": "", "newest": "", "enabled": True}],
    "synthesize": {"sessions": 1, "records": SYNCED["records"], "pending": 0},
    "remember": {"id": "use-tabs-1a2b", "path": "wiki/preferences/use-tabs.md", "project": None},
    "import_": (IMPORTED := {"created": ["use-tabs-1a2b"], "refused": {"known": 2}}),
    "import": IMPORTED,
    "context": Block(
        text="> use tabs\n", tokens=4, abstained=False, rejected=({"id": "x", "reason": "floor", "score": 0.1},)
    ),
    "search": [Hit("use-tabs-1a2b", 0.5, "wiki/preferences/use-tabs.md", HOSTILE, "preference", "active", "tabs")],
    "search_raw": [{"raw": "s1", "turn": "t3", "role": "user", "at": "", "score": 1.0, "snippet": "tabs"}],
    "show": {"record": RECORD, "sources": [{"raw": "s1", "turn": "t3", "quote": "use tabs\nplease"}]},
    "why": {"record": RECORD, "events": [EVENT]},
    "graph": {"nodes": [{"id": "a", "type": "fact", "title": HOSTILE, "state": "active", "path": "a.md"}], "edges": []},
    "verify": {"checked": 2, "passed": 2, "failed": [], "unverifiable": 0, "unreachable": 0},
    "lint": {"diagnostics": [], "checked": {"LW101": 3, "LW305": 0}},
    "decay": {"released": 1, "staled": 0, "archived": 0, "expired": 0, "unchanged": 3, "held": []},
    "evolve": {
        "clusters": 1,
        "merged": 2,
        "promoted": 1,
        "variants": [{"id": "ship-it-1a2b", "parents": ["ship-it-3c4d"], "generation": 1, "state": "quarantined"}],
        "held": [],
    },
    "status": {
        "records": {"fact": {"active": 2, "stale": 1}},
        "waiting": 1,
        "failed_sources": [{"source": "a.jsonl", "error": "permission denied"}],
        "last_sync": "2026-03-01T12:00:00Z",
        "offered": 3,
        "used": 1,
    },
    "doctor": {"checks": [{"name": "index", "ok": True, "message": "fresh", "cure": ""}]},
    "index": {"pages": 3, "added": 1, "updated": 0, "removed": 0, "seconds": 0.1},
    "undo": {"reverted": [{"op": "sync", "paths": ["wiki/facts/a.md"]}], "kept": ["wiki/facts/b.md"]},
    "feedback": {"session": "s1", "score": 4.0},
    "forget": {
        "removed": ["raw/codex/p/s1.md", "wiki/facts/a.md"],
        "changed": ["wiki/log.md"],
        "sessions": ["s1"],
        "records": ["a-1234"],
        "sources": ["/s/s1.jsonl"],
        "stays": [],
        "history": ["wiki/facts/a.md"],
        "staged": [HOSTILE],
        "rewritten": ["wiki/log.md"],
        "lines": [HOSTILE],
    },
    "diff": {
        "revision": "abc",
        "learned": [{"id": "a-1", "type": "fact", "title": HOSTILE, "path": "", "state": "active", "evidence": "x"}],
        "withdrawn": [{"id": "b-1", "type": "fact", "title": HOSTILE, "path": "", "reason": HOSTILE}],
        "changed": [{"id": "c-1", "type": "fact", "title": HOSTILE, "path": "", "changes": [HOSTILE]}],
    },
    "review": {
        "action": "discard",
        "changed": [{"id": "use-tabs-1a2b", "title": HOSTILE, "state": "archived", "path": "wiki/archive/a.md"}],
        "unchanged": ["use-x-3c4d"],
        "rewritten": [],
    },
    "waiting": [WAITS],
    "waiting_page": {
        **WAITS,
        "project": None,
        "scope": "user",
        "evidence": "user-said",
        "checked": "every claim stands in its turns",
        "sections": [("Rule", [(HOSTILE, [1])])],
        "quotes": [
            {"number": 1, "who": HOSTILE, "at": "2026-01-01T00:00:00Z", "raw": "s1", "turn": "t3", "text": HOSTILE}
        ],
    },
    "alike": [{"id": "use-spaces-5e6f", "title": HOSTILE}],
    "hooks": {
        "agent": "claude-code",
        "installed": True,
        "files": ["/h/.claude/settings.json"],
        "hooks": [{"event": "SessionEnd", "command": HOSTILE}],
        "changed": ["/h/.claude/settings.json"],
        "problems": [HOSTILE],
    },
}
FINDING = {
    **{"code": "LW201", "rule": "dead-link", "severity": "warning", "path": "wiki/facts/a.md", "line": 3},
    **{"message": "leads nowhere", "fixable": False},
}
INIT = {"root": "/w", "created": ["llmwiki.toml"]}
ARGUMENTS = {
    "remember": ["use", "tabs"],
    "import": ["CLAUDE.md"],
    "context": ["fix", "it"],
    "search": ["tabs"],
    "show": ["use-tabs-1a2b"],
    "why": ["use-tabs-1a2b"],
    "feedback": ["s1", "--score", "4"],
    "review": ["discard", "use-tabs-1a2b"],
    "forget": ["s1"],
    "hooks": ["install", "claude-code"],
}
FAST = ("context", "search")
SLOW = [name for name in NAMES if name not in FAST]
CHANGERS = [
    *(
        "init",
        "sync",
        "synthesize",
        "remember",
        "lint",
        "decay",
        "evolve",
        "index",
        "undo",
        "feedback",
        "import",
        "review",
        "forget",
        "hooks",
    ),
]


class Answering:
    """A Workspace that answers from a table and notes what it was asked."""

    def __init__(self):
        self.notices = []
        self.asked = []
        self.answers = dict(ANSWERS)

    def notice(self, sentence):
        self.notices.append(sentence)

    def __getattr__(self, name):
        def method(*given, **named):
            self.asked.append((name, given, named))
            answer = self.answers[name]
            if isinstance(answer, BaseException):
                raise answer
            return answer

        return method


@pytest.fixture
def wiki(monkeypatch):
    found = Answering()

    class Door:
        @staticmethod
        def find(explicit=None):
            found.asked.append(("find", (explicit,), {}))
            return found

        @staticmethod
        def open(path):
            return found

        @staticmethod
        def init(directory, **options):
            found.asked.append(("init", (directory,), options))
            return INIT

    monkeypatch.setattr("llmwiki.workspace.Workspace", Door)
    monkeypatch.setattr("llmwiki.wiring.act", found.hooks)
    return found


def run(capsys, *argv):
    code = cli.main(list(argv))
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """A real wiki that was told one thing, as working folder: `context` and `search` are answered from the disk."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["init", "--quiet"]) == cli.main(["remember", "Use pnpm here, never npm", "--quiet"]) == 0
    capsys.readouterr()
    return tmp_path


def environment(**extra):
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "PYTHONUTF8", "LC_ALL", "LANG")}
    return {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": "100", **extra}
