"""Why a record is told or not, with every number that decided; and what else only `--explain` and `--plan` ask for."""

from __future__ import annotations

from pathlib import Path

from llmwiki import block, retrieve
from llmwiki.indexes import scan
from llmwiki.indexes.entries import DAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from llmwiki.indexes.entries import Entry, Scored
    from llmwiki.indexes.snapshot import Snapshot
    from llmwiki.recall import Asked


def numbers(s: Scored, asked: Asked, weekly: float, snapshot: Snapshot) -> dict[str, Any]:
    """`{numbers: {…}}`: similarity 0–1 within this answer; coverage of the task, the least of it that lets this record
    in, and the evidence (natural logarithm) that the wiki is about it; then the factors of the score. `like` is how
    near it is to the nearest one told before it, 0–1."""
    entry = s.entry
    offers = snapshot.offers([entry.id]).get(entry.id, 0)
    days = max(0, asked.now - entry.since) / DAY if entry.since else 0.0
    holds = asked.situation.holds(entry)
    return {
        "numbers": {
            "similarity": round(s.similarity, 4),
            "coverage": round(s.coverage, 4),
            "least": round(s.least, 4),
            "evidence": round(s.evidence, 2),
            "confidence": round(entry.effective(asked.now, weekly), 4),
            "recency": round(0.9 + 0.1 * 2 ** (-days / 90), 4),
            "reuse": round(retrieve.reuse(entry.uses, offers, entry.id, asked.now // DAY), 4),
            "like": round(s.like, 4),
            "project": entry.project,
            "foreign": s.foreign,
            "scope": entry.scope,
            "when": {True: "holds", False: "does not hold", None: ""}[holds],
        }
    }


def refused(s: Scored, why: str) -> dict[str, Any]:
    """What `rejected` holds of a record: `{id, reason, score, type, coverage}`; nothing that the page says."""
    entry = s.entry
    return {
        "id": entry.id,
        "reason": why,
        "score": round(s.score, 4),
        "type": entry.type,
        "coverage": round(s.coverage, 4),
    }


def silence(entry: Entry, allowed: retrieve.Allowed) -> str:
    """Why a page that would answer does not speak."""
    if entry.waits:
        return "waits for review"
    if entry.state != "active":
        return f"is {entry.state}"
    if entry.loaded:
        return "the agent loads its file by itself"
    if allowed.now < entry.speaks_from:
        return "is superseded" if entry.speaks_until == 0 else "is not released yet"
    return "is past its time: too old, or no longer sure enough"


def tags(root: str, path: str) -> list[str]:
    """The tags and domains of a page, as a person reads them; [] when it cannot be read."""
    from llmwiki import markdown

    try:
        if scan.page_at(root, path) is None:
            return []
        record = markdown.read(Path(root, path).read_text("utf-8"), path, "user")
    except (OSError, UnicodeDecodeError, markdown.BadPage):
        return []
    return list(dict.fromkeys((*record.domains, *record.tags)))


def shown(answer: dict[str, Any]) -> str:
    """Everything that was looked at, for a person: what is told, then what is not, a line and its numbers each."""
    kept = "".join(_line("kept", r, r["reason"]) for r in answer["records"])
    left = "".join(_line("refused", r, r["reason"]) for r in answer.get("rejected", ()))
    vectors = f"vectors   {block.quote(answer['limits']['vectors'])}\n" if "vectors" in answer["limits"] else ""
    return (kept + left or "nothing was found that shares a telling word with the task\n") + vectors


def planned(plan: dict[str, Any]) -> str:
    """What kind of task it is, what it is about, and how many of each type were looked for at first; three lines."""
    domains = ", ".join(f"{block.quote(name)} {weight:.2f}" for name, weight in plan["domains"].items()) or "none"
    numbers = ", ".join(f"{name} {n}" for name, n in plan["numbers"].items())
    return f"task type: {plan['type']}\ndomains: {domains}\nat first: {numbers}\n"


def _line(what: str, r: dict[str, Any], why: str) -> str:
    """Quoted: what is refused was not looked at on its page, and may hold what a terminal obeys."""
    n = r["numbers"]
    id, why, project, scope = map(block.quote, (r["id"], why, n["project"], n["scope"]))
    factors = f"similarity {n['similarity']:.2f}, confidence {n['confidence']:.2f}, recency {n['recency']:.2f}"
    covers = f"speaks of {n['coverage']:.2f} of the task (least {n['least']:.2f}, evidence {n['evidence']:.1f})"
    of = f"project {project}{', another one' if n['foreign'] else ''}" if project else "any project"
    more = f"like another {n['like']:.2f}, {of}, scope {scope}" + (f", when {n['when']}" if n["when"] else "")
    return (
        f"{what:9} {id}  score {r['score']:.3f}  {why}\n          {factors}, reuse {n['reuse']:.2f}; {covers}; {more}\n"
    )
