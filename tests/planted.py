"""A wiki in which each way of being withdrawn has a page with words of its own, and every reader that might say them.

`WAYS` are the pages, `READERS` what prints records, by command, and `NO_READERS` the commands that show what is
withdrawn on purpose or print no record at all. A new command has to be in one of the two.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from llmwiki import cli
from llmwiki.decorator import remembering
from llmwiki.markdown_links import with_links
from llmwiki.model import State
from llmwiki.workspace import Workspace
from tests.wikis import record, write

NOW = "2026-03-05T00:00:00Z"
YESTERDAY, TOMORROW, LONG_AGO = "2026-03-04T00:00:00Z", "2026-03-06T00:00:00Z", "2024-03-01T00:00:00Z"
CONTROL, SCOPED = "speaks", "of a scope that the reader may not see"
ARCHIVE = "wiki/archive/facts/"
WAYS: dict[str, dict[str, Any]] = {
    CONTROL: {},
    "quarantined until tomorrow": {"state": State.QUARANTINED, "quarantine_until": TOMORROW},
    "quarantined until yesterday, not released": {"state": State.QUARANTINED, "quarantine_until": YESTERDAY},
    "quarantined for a person": {"state": State.QUARANTINED, "quarantine_until": None},
    "active, with a day to come": {"quarantine_until": TOMORROW},
    "archived": {"state": State.ARCHIVED, "path": ARCHIVE},
    "archived where it stood": {"state": State.ARCHIVED},
    "in the archive, active by its key": {"path": ARCHIVE},
    "superseded": {"superseded_by": "page-0-0000"},
    "past its TTL": {"ttl_days": 2},
    "of little confidence": {"confidence": 0.29},
    "faded": {"ttl_days": 9_000, "reinforced": LONG_AGO, "created": LONG_AGO},
    "stale": {"state": State.STALE},
    SCOPED: {"scope": "user"},
}
STEMS = "bax cof dul fep gim hov jik kuz lam myr nop pux qet rud".split()


class Planted(NamedTuple):
    """A page by its id, and the word that its title and the word that its body has alone."""

    id: str
    title: str
    body: str

    @property
    def question(self) -> str:
        return f"{self.title} {self.body}"


PAGES = {
    way: Planted(f"page-{n}-{n:04d}", f"zor{stem}title", f"wib{stem}body")
    for n, (way, stem) in enumerate(zip(WAYS, STEMS, strict=True))
}


def plant(root: Path, backend: str) -> Path:
    """A wiki with all those pages, indexed, its navigation written; nothing has aged. Each withdrawn page would join
    any block (`always`) if it spoke, and the one that speaks links to all of them."""
    Workspace.init(root)
    settings = (root / "llmwiki.toml").read_text("utf-8")
    (root / "llmwiki.toml").write_text(settings.replace('backend = "whoosh"', f'backend = "{backend}"'), "utf-8")
    write(root, *map(page, WAYS))
    Workspace(root).remember("Use tabs in every Makefile", scope="public")
    return root


def page(way: str) -> Any:
    planted, given = PAGES[way], {"scope": "public", **WAYS[way]}
    if given.get("path"):
        given["path"] += f"{planted.id}.md"
    if way != CONTROL:
        given["when"] = {"always": True}
    made = record(planted.id, f"It says {planted.body} here", title=f"About {planted.title}", **given)
    if way == CONTROL:
        import dataclasses

        others = [PAGES[other].id for other in WAYS if other != CONTROL]
        made = dataclasses.replace(made, body=with_links(made.body, others), supersedes=tuple(others))
    return made


class Reader(NamedTuple):
    """Something that prints records. `ask(root, words)` is all that it says; `scope`: it is told to be of the public;
    `ids`: it may name records; `speaks`: it says what may be said, so that its silence means something; `asked`: what
    it says depends on the words."""

    name: str
    ask: Callable[[Path, Planted], str]
    scope: bool = False
    ids: bool = False
    speaks: bool = True
    asked: bool = False


def shell(*argv: str, **more: Any) -> Reader:
    """A command line as a reader; QUESTION stands for the words that are looked for."""

    def ask(root: Path, planted: Planted) -> str:
        given = [planted.question if arg == "QUESTION" else arg for arg in argv]
        said = json.dumps({"prompt": planted.question, "cwd": str(root)}) if "--hook" in argv else ""
        return spoken([*given, "--wiki", str(root)], said)

    return Reader(
        " ".join(argv), ask, **{"scope": "public" in argv, "asked": bool({"QUESTION", "--hook"} & {*argv}), **more}
    )


def spoken(argv: list[str], given: str = "") -> str:
    """What a command says on both streams; the test fails where it breaks."""
    with streams(given) as (out, err):
        code = cli.main(argv)
        said = [stream.buffer.getvalue().decode() for stream in (out, err) if not stream.flush()]
    assert code in (0, 1), (argv, said)
    return "".join(said)


@contextmanager
def streams(given: str) -> Any:
    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8")
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    try:
        yield sys.stdout, sys.stderr
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept


def _decorated(root: Path, planted: Planted) -> str:
    given = []
    remembering(Workspace(root), scope="public")(lambda task, context="": given.append(context))(planted.question)
    return "".join(given)


def _navigation(root: Path, planted: Planted) -> str:
    return "".join(path.read_text("utf-8") for path in sorted((root / "wiki").rglob("*")) if _leads(path))


def _leads(path: Path) -> bool:
    return path.is_file() and not path.name.startswith("page-")


PUBLIC = ("--scope", "public")
READERS: dict[str, list[Reader]] = {
    "context": [
        shell("context", "QUESTION", *PUBLIC),
        shell("context", "QUESTION"),
        shell("context", "QUESTION", "--json", *PUBLIC),
        shell("context", "QUESTION", "--explain", *PUBLIC, ids=True),
        shell("context", "QUESTION", "--json", "--explain", "--plan", *PUBLIC, ids=True),
        shell("context", "--error", "QUESTION", *PUBLIC),
        shell("context", "--hook", "claude-code", *PUBLIC),
    ],
    "search": [
        shell("search", "QUESTION", *PUBLIC),
        shell("search", "QUESTION"),
        shell("search", "QUESTION", "--json", *PUBLIC),
        shell("search", "QUESTION", "--type", "fact", *PUBLIC),
        shell("search", "--type", "fact", "--limit", "99", *PUBLIC),
        shell("search", "--type", "fact", "--limit", "99", "--json"),
    ],
    "graph": [
        *(shell("graph", "--format", form) for form in ("json", "mermaid", "dot", "html")),
        shell("graph", "neighbors", PAGES[CONTROL].id, "--depth", "9"),
    ],
    # What counts and checks, and has no reason to say what a page says.
    "status": [shell("status", speaks=False), shell("status", "--json", speaks=False)],
    "doctor": [shell("doctor", "--json", speaks=False)],
    "agents": [shell("agents", "--json", speaks=False)],
    "index": [shell("index", "--json", speaks=False)],
}
DOOR = [
    Reader(
        "Workspace.context", lambda root, p: str(Workspace(root).context(p.question, scope="public")), True, asked=True
    ),
    Reader(
        "Workspace.search", lambda root, p: str(Workspace(root).search(p.question, scope="public")), True, asked=True
    ),
    Reader("Workspace.graph", lambda root, p: str(Workspace(root).graph())),
    Reader("@llmwiki.agent", _decorated, True, asked=True),
    Reader("wiki/index.md, _context.md", _navigation),
]
NO_READERS = {
    "hooks": "names settings files of an agent; what its hooks print is `context`",
    "init": "makes an empty wiki",
    "sync": "tells counts of what it wrote, and who waits",
    "remember": "names the page that it wrote for the person who said it",
    "import": "tells counts of what it wrote",
    "review": "is where a person decides on what is withdrawn",
    "feedback": "takes a person's word on a session",
    "show": "prints the one record that a person names, whatever its state, and tells the state",
    "why": "tells of the one record that a person names why it does not speak",
    "diff": "tells a person what was withdrawn, from what git has",
    "synthesize": "tells counts of what it wrote",
    "verify": "checks what waits too: that is what releases it",
    "lint": "finds what is wrong on every page",
    "decay": "tells counts of what it withdrew and released",
    "evolve": "shows a person which pages it would unite and what it proposes for review",
    "undo": "names the pages that it took back",
    "forget": "names what it removed",
}


def everyone() -> list[Reader]:
    return [*(reader for readers in READERS.values() for reader in readers), *DOOR]


def told(reader: Reader, said: str) -> set[str]:
    """The ways whose page is told of in what a reader said."""
    return {
        way
        for way, planted in PAGES.items()
        if planted.title in said or planted.body in said or (planted.id in said and not reader.ids)
    }


def may_speak(reader: Reader) -> set[str]:
    """Whoever reads on a person's own machine sees all scopes, unless one is named."""
    return {CONTROL} if reader.scope else {CONTROL, SCOPED}
