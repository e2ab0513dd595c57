"""The nouns: frozen values that every step takes and returns. Standard library only, and nothing of ours.

Times are strings, UTC to the second with a `Z` (`2026-03-01T14:03:22Z`), or "" when unknown: they sort as they stand,
and a page reads back exactly what was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


def stem_of(path: str) -> str:
    """The name that links to a page: the last part of its path, without `.md`."""
    return path.rsplit("/", 1)[-1].removesuffix(".md")


class RecordType(StrEnum):
    SKILL = "skill"
    FACT = "fact"
    FAILURE = "failure"
    STRATEGY = "strategy"
    PREFERENCE = "preference"
    HEURISTIC = "heuristic"
    TRACE = "trace"


class State(StrEnum):
    QUARANTINED = "quarantined"
    ACTIVE = "active"
    STALE = "stale"
    ARCHIVED = "archived"


class Evidence(StrEnum):
    """What a record rests on, from the strongest to the weakest."""

    USER_SAID = "user-said"
    TEST_PROVED = "test-proved"
    REPEATED = "repeated"
    INFERRED = "inferred"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a session.

    `number` is the 1-based line of the source that opens the turn (messages are counted where a store has no lines);
    `part` is 2, 3, … for a further turn opened by the same line. `role` is user, assistant, tool, summary or system.
    `origin` says how a user turn came: typed, queued, command, answer, refusal, interrupt or plan. A tool turn has
    `tool` (its name), `outcome` (`ok`, `error N`, `error`, `refused`, `lost`), the arguments in `text` and the
    output in `result`. `thinking` is an assistant's reasoning, and is never citable.
    """

    number: int
    role: str
    text: str = ""
    at: str = ""
    part: int = 1
    origin: str = ""
    thinking: str = ""
    tool: str = ""
    outcome: str = ""
    result: str = ""

    @property
    def anchor(self) -> str:
        """The block id without its caret: `t47`, `t47-2`."""
        return f"t{self.number}" if self.part == 1 else f"t{self.number}-{self.part}"


@dataclass(frozen=True, slots=True)
class Session:
    """One session of one agent, as a raw page holds it. Its identity is (`agent`, `id`), never a path or a title.

    `cwd` has the home folder as `~`. `parent` is the native id of the session that this one came from (a subagent's
    caller, a fork's origin); `parent_page` and `children` are the stems of raw pages, for links in both directions.
    `offered` are the ids of the records that our own block told this session; the block itself is cut out.
    `stem` is the name of its own raw page without `.md`, "" before it has one.
    """

    agent: str
    id: str
    title: str = ""
    parent: str = ""
    kind: str = "main"
    project: str = ""
    cwd: str = ""
    git_branch: str = ""
    models: tuple[str, ...] = ()
    started: str = ""
    ended: str = ""
    bad_lines: int = 0
    redactions: int = 0
    parent_page: str = ""
    children: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    stem: str = field(default="", compare=False)

    @property
    def prompts(self) -> int:
        """How many turns are a genuine prompt: words that a person sent to set the agent to work."""
        return sum(1 for t in self.turns if t.role == "user" and t.origin in ("typed", "queued", "plan"))

    @property
    def tool_calls(self) -> int:
        return sum(1 for t in self.turns if t.role == "tool")


@dataclass(frozen=True, slots=True, order=True)
class Cite:
    """A turn that a claim rests on: the stem of a raw page and the anchor of a turn (`t47`), "" for the whole page."""

    stem: str
    anchor: str = ""

    def __str__(self) -> str:
        return f"[[{self.stem}#^{self.anchor}]]" if self.anchor else f"[[{self.stem}]]"


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of a record that says something: its section, its text without list mark and links, what it cites.

    `line` is the 1-based line of the body it stands on, 0 before it stands anywhere.
    """

    section: str
    text: str
    cites: tuple[Cite, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """One thing the wiki knows: one page. Fields in the order of the frontmatter.

    `quarantine_until` has three values: "" (not set), None (waits for a person), or the time of release.
    `extra` holds the keys that a person added; `path` is where the page lies, relative to the wiki's root.
    """

    id: str
    type: RecordType
    title: str
    description: str = ""
    state: State = State.ACTIVE
    confidence: float = 0.8
    scope: str = "user"
    project: str | None = None
    domains: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    created: str = ""
    reinforced: str = ""
    quarantine_until: str | None = ""
    ttl_days: int = 180
    uses: int = 0
    successes: int = 0
    evidence: Evidence = Evidence.USER_SAID
    sources: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    reason: str = ""
    evolution_gen: int = 0
    parents: tuple[str, ...] = ()
    when: Mapping[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    score: float | None = None
    score_by: str = ""
    offered: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""
    path: str = ""
    handwritten: bool = field(default=False, compare=False)

    @property
    def stem(self) -> str:
        return stem_of(self.path)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something wrong in what a person, a model or another program wrote. `severity` is error, warning or info."""

    code: str
    rule: str
    path: str
    message: str
    severity: str = "warning"
    line: int = 0
    fixable: bool = False


@dataclass(frozen=True, slots=True)
class Wiki:
    """Every record of a wiki by id, and what could not be read. Raw turns are not in it: a step gets a reader."""

    records: Mapping[str, Record] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """A file as it shall be: `path` relative to the wiki's root with `/`, its whole text, or None to remove it."""

    path: str
    text: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who is asking: a project ("" when unknown) and the scopes that may be seen."""

    project: str = ""
    scopes: frozenset[str] = frozenset({"user", "team", "public"})


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that was found. `score` ranks within one answer only."""

    id: str
    score: float
    path: str
    title: str
    type: str
    state: str
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """What an agent is told. `tokens` counts `text` as it stands; `records` are dictionaries of the promised keys."""

    text: str = ""
    tokens: int = 0
    budget: int = 1200
    mode: str = "exploratory"
    abstained: bool = True
    records: tuple[dict[str, Any], ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)
    rejected: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """One file or folder in an agent's store that holds a session.

    `key` is the native id as discovery can tell it from the path; parsing has the last word. `size` is in bytes.
    """

    agent: str
    path: str
    key: str
    size: int
    mtime_ns: int
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Config:
    """A wiki's settings, complete: every key has its default here, and `llmwiki.toml` overrides."""

    scope: str = "user"
    repository: str = ""
    agents: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    idle_minutes: int = 60
    roots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    disabled: tuple[str, ...] = ()
    backend: str = "whoosh"
    vectors: str = "auto"
    budget: int = 1200
    limit: int = 8
    floor: float = 0.0
    lifecycle: Mapping[str, float] = field(default_factory=dict)
    ttl: Mapping[str, int] = field(default_factory=dict)
    llm_backend: str = "extractive"
    llm_model: str = ""
    llm_escalate: bool = False
    llm_host: str = ""
    redact_rules: tuple[Mapping[str, str], ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
