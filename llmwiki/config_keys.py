"""The table of settings: what `llmwiki.toml` may say, what each key means and what it is when nothing is said."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from llmwiki.model import Config, RecordType
from llmwiki.schema import LIFECYCLE, SCOPES, TYPES


@dataclass(frozen=True, slots=True)
class Key:
    """One setting. `kind` is the type of its default; `choices` or `low` and `high` bound it. `doc` is for a person."""

    default: Any
    doc: str
    low: float = -inf
    high: float = inf
    choices: tuple[str, ...] = ()

    @property
    def wanted(self) -> str:
        """What a value must be, for a message."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, int | float):
            number = "a whole number" if isinstance(self.default, int) else "a number"
            return number + (f" from {self.low:g}" if self.high == inf else f" from {self.low:g} to {self.high:g}")
        return "a list of texts" if isinstance(self.default, tuple) else "a text"

    def read(self, value: Any) -> Any:
        """The value as a field holds it. Raises ValueError when it is not what the key wants."""
        if isinstance(self.default, tuple):
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                return tuple(value)
        elif isinstance(self.default, float) and isinstance(value, int | float) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not type(self.default):
            raise ValueError
        if self.choices and value not in self.choices:
            raise ValueError
        if isinstance(value, int | float) and not self.low <= value <= self.high:
            raise ValueError
        return value


_C = Config()

# Dotted key -> (field of Config, what it is).
KEYS: dict[str, tuple[str, Key]] = {
    "wiki.root": (
        "repository",
        Key(
            _C.repository,
            'The git repository whose sessions are taken, seen from here (".": this folder). Empty: all sessions. '
            "`sync --source` takes all that it finds, whatever stands here.",
        ),
    ),
    "wiki.scope": (
        "scope",
        Key(_C.scope, "Who may read what is learned here: user (only me), team, public (anybody).", choices=SCOPES),
    ),
    "sync.agents": ("agents", Key(_C.agents, "Agents whose sessions are read. Empty: every agent that is found.")),
    "sync.projects": ("projects", Key(_C.projects, 'Projects that are taken, as patterns ("web-*"). Empty: all.')),
    "sync.exclude": ("exclude", Key(_C.exclude, "Projects that are left out, as patterns.")),
    "sync.idle_minutes": (
        "idle_minutes",
        Key(_C.idle_minutes, "A session that was silent for this long is finished.", 0),
    ),
    "index.backend": ("backend", Key(_C.backend, "The search index: whoosh, or sqlite for big wikis.")),
    "index.vectors": (
        "vectors",
        Key(
            _C.vectors, "Ranking by meaning too, where the extra `vectors` is installed: auto, off, or a model's name."
        ),
    ),
    "context.budget": ("budget", Key(_C.budget, "Tokens that a memory block may cost.", 0)),
    "context.limit": ("limit", Key(_C.limit, "Records that a memory block may hold.", 0)),
    "context.floor": (
        "floor",
        Key(_C.floor, "Similarity below which a record stays out of a block. 0: the index's own floor.", 0, 1),
    ),
    "llm.backend": (
        "llm_backend",
        Key(_C.llm_backend, "What makes records: extractive (no model), ollama, delegated (the agent itself)."),
    ),
    "llm.model": ("llm_model", Key(_C.llm_model, "The model's name at the backend.")),
    "llm.escalate": (
        "llm_escalate",
        Key(_C.llm_escalate, "Whether a model is asked where the extractive backend finds nothing."),
    ),
    "llm.host": ("llm_host", Key(_C.llm_host, "Where the model server listens. Empty: the backend's own default.")),
}

# Keys of [agents.NAME].
AGENT = {
    "roots": Key((), "Folders to look in, in place of the agent's own."),
    "enabled": Key(True, "Whether sync reads this agent."),
}

_LIFECYCLE: dict[str, tuple[str, float, float]] = {
    "weekly_decay": ("What a week leaves of a confidence.", 0.5, 1),
    "minimum_confidence": ("Below this a record does not speak.", 0, 1),
    "quarantine_hours": ("How long a new record waits before it may be released.", 0, inf),
    "stale_days": ("How long a stale record waits before it is archived.", 0, inf),
    "step": ("How far one use moves a confidence.", 0, 1),
    "ceiling": ("The confidence that use alone can reach.", 0, 1),
    "good_score": ("The score from which a session ended well.", 0, 5),
    "guard_share": ("The share of records that must not be withdrawn at once without --yes.", 0, 1),
    "guard_least": ("The number of records from which that guard counts.", 0, inf),
}
NUMBERS: dict[str, Key] = {name: Key(LIFECYCLE[name], doc, low, high) for name, (doc, low, high) in _LIFECYCLE.items()}
DAYS: dict[str, Key] = {
    kind.value: Key(TYPES[kind].ttl_days, f"Days without use after which a {kind.value} is stale. 0: never.", 0, 36500)
    for kind in RecordType
}
RULE = {"name": Key("", "What the secret is called in `[redacted:name]`."), "pattern": Key("", "A regular expression."),
        "hint": Key("", "A literal text that every such secret lies near: it keeps the search fast.")}  # fmt: skip
