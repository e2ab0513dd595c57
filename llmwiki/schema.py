"""The table of record types, and every number of the domain in one place; a wiki's `llmwiki.toml` may change them."""

from __future__ import annotations

from dataclasses import dataclass

from llmwiki.model import Evidence, RecordType, State


@dataclass(frozen=True, slots=True)
class TypeSpec:
    """What one record type has of its own: its folder, its sections in order, its TTL in days, how it starts."""

    folder: str
    sections: tuple[str, ...]
    ttl_days: int
    starts: State


TYPES: dict[RecordType, TypeSpec] = {
    RecordType.SKILL: TypeSpec("skills", ("When", "Steps", "Checks", "Pitfalls"), 180, State.QUARANTINED),
    RecordType.FACT: TypeSpec("facts", ("Statement", "Evidence"), 180, State.QUARANTINED),
    RecordType.FAILURE: TypeSpec("failures", ("Symptom", "Cause", "Cure", "Avoid"), 270, State.ACTIVE),
    RecordType.STRATEGY: TypeSpec("strategies", ("Goal", "Phases", "Why"), 180, State.QUARANTINED),
    RecordType.PREFERENCE: TypeSpec("preferences", ("Rule", "Said"), 365, State.QUARANTINED),
    RecordType.HEURISTIC: TypeSpec("heuristics", ("Rule", "Exceptions", "Held in"), 270, State.QUARANTINED),
    RecordType.TRACE: TypeSpec("traces", ("Goal", "Outcome", "Touched", "Links"), 30, State.ACTIVE),
}
FOLDERS: dict[str, RecordType] = {spec.folder: kind for kind, spec in TYPES.items()}
SCOPES = ("user", "team", "public")
TASK_TYPES = ("debug", "build", "test", "refactor", "explain", "configure", "deploy", "review")

# What a record starts with, by what it rests on.
CONFIDENCE: dict[Evidence, float] = {
    Evidence.USER_SAID: 0.80,
    Evidence.TEST_PROVED: 0.75,
    Evidence.REPEATED: 0.60,
    Evidence.INFERRED: 0.50,
}

LIFECYCLE: dict[str, float] = {
    "weekly_decay": 0.98,
    "minimum_confidence": 0.30,
    "quarantine_hours": 24,
    "stale_days": 60,
    "step": 0.15,
    "ceiling": 0.95,
    "good_score": 3.5,
    "guard_share": 0.20,
    "guard_least": 3,
}

# Why something became no record: the word that is counted under `refused`, and what it means to a person.
REFUSALS = {
    "one-off": "of this one task, in the words of its prompt",
    "platitude": "true anywhere: nobody needs to be told",
    "narration": "tells what is going on, and neither a rule nor a fact",
    "transient": "trouble or work of the moment",
    "placeholder": "a blank that somebody was to fill in",
    "template": "a prompt or text written for every session",
    "quoted": "somebody else's words, or about them",
    "harness": "the agent's own program speaks: no trouble of the project",
    "own": "llmwiki's own words, which came back",
    "secret": "holds a secret, or where one stood",
    "discarded": "you discarded or forgot it, or the session itself took it back",
    "known": "the wiki says it already",
    "held": "waits for you, and may not strengthen what speaks",
    "unverified": "does not stand in the turns that it cites",
    "unreadable": "its page cannot be read; `llmwiki lint` names it",
    "too long": "longer than a statement is",
    "markup": "HTML, which says nothing to a reader",
    "link": "only points elsewhere",
    "code": "a listing that is no command",
    "table": "a table that states nothing row by row",
    "schema": "a model's answer in another form than was asked for",
    "incomplete": "a model's answer without a part that its type needs",
    "unearned": "a model's answer of a type that this session does not allow",
}

AGENTS = (
    "claude-code codex gemini copilot-cli copilot-chat opencode cursor cline aider goose qwen kimi continue amp pi "
    "specstory swe-agent chatgpt claude-ai markdown"
).split()


def starts_as(kind: RecordType, evidence: Evidence) -> State:
    """The state that a new record of this type starts in: a preference is active when a person said it."""
    if kind is RecordType.PREFERENCE and evidence is Evidence.USER_SAID:
        return State.ACTIVE
    return TYPES[kind].starts
