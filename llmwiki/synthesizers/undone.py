"""What a session took back: cures that were replaced, procedures that the user forbade afterwards.

Proof has to hold to the end of the session. A check may pass after a change that the next command shows to be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from llmwiki.model import Claim, Record, RecordType, Turn
from llmwiki.prose import body, claims, plain
from llmwiki.synthesizers import gate, phrases
from llmwiki.synthesizers.base import Gathering
from llmwiki.synthesizers.events import Edit, Event, Said
from llmwiki.synthesizers.failures import telling
from llmwiki.synthesizers.folding import anchors, by_section, combined
from llmwiki.synthesizers.weighing import FILLER

_NEVER = re.compile(r"\b(?:never|niemals|nie|jamais|nunca|jamás|mai più|никогда)\b|从不|永远不|決して|절대", re.I)
_AGAIN = re.compile(
    r"\b(?:red|broken|failing|fails?|wrong|revert\w*|undo|rolled? back|never again)\b|возвра|откат|сломал|снова"
    r"|rückgängig|kaputt|annule|casse|rompe|roto|回滚|撤销|又(?:坏|挂)|戻して|壊れ",
    re.I,
)


def sift(found: Gathering, happened: Sequence[Event]) -> None:
    """Takes out of what was gathered what the session itself took back, and counts it as discarded. A failure whose
    cure was replaced joins the one that tells of the replacement: its symptom was cured in the end."""
    edits = [e for e in happened if isinstance(e, Edit)]
    replaced = {e.turn.anchor: later for i, e in enumerate(edits) if (later := _replacing(e, edits[i + 1 :]))}
    said = [e.turn for e in happened if isinstance(e, Said)]
    kept: list[Record] = []
    moved: list[tuple[Record, Edit]] = []
    for record in found.records:
        later = _replacement(record, edits, replaced) if record.type is RecordType.FAILURE else None
        if later is not None:
            moved.append((record, later))
        elif _forbidden(record, found.order, said):
            found.refuse("discarded")
        else:
            kept.append(record)
    for record, later in moved:
        at = next((i for i, r in enumerate(kept) if later.turn.anchor in anchors(r, "Cure")), None)
        if at is None:
            found.refuse("discarded")
        else:
            kept[at] = combined(kept[at], _avoided(record), 2)
    found.records[:] = kept


def _replacing(edit: Edit, later: Sequence[Edit]) -> Edit | None:
    """The last edit that took out again what an edit had put in; None when it stayed."""
    came = {x.strip() for x in edit.added if telling(x)}
    for other in reversed(later):
        stays = {x.strip() for x in other.added}
        if other.path == edit.path and came & ({x.strip() for x in other.removed} - stays):
            return other
    return None


def _replacement(record: Record, edits: Sequence[Edit], replaced: Mapping[str, Edit]) -> Edit | None:
    """What replaced the edits of a cure; None when one of them stayed, or when it had none."""
    cured = anchors(record, "Cure")
    made = [e.turn.anchor for e in edits if e.turn.anchor in cured]
    found = [replaced[a] for a in made if a in replaced and replaced[a].turn.anchor not in made]
    return found[-1] if found and len(found) == len(made) else None


def _avoided(record: Record) -> Record:
    """The failure with its symptom, and what had seemed to cure it under Avoid."""
    sections = by_section(record)
    tried = [c for c in sections.get("Cure", ()) if plain(c.text).startswith("In ")][:1]
    avoid = [Claim("Avoid", f"{c.text.rstrip('.')}: it was taken back later.", c.cites) for c in tried]
    return replace(record, body=body({"Symptom": sections.get("Symptom", []), "Avoid": avoid}))


def _forbidden(record: Record, order: Mapping[str, int], said: Sequence[Turn]) -> bool:
    """Whether the user forbade what a procedure or a cure tells to run, after it had been run. Of a procedure a
    complaint is enough: a cure is told with its error, and a complaint may be of that."""
    skill = record.type is RecordType.SKILL
    section = "Steps" if skill else "Cure" if record.type is RecordType.FAILURE else ""
    told = [c for c in claims(record.body) if c.section == section]
    if not told or any(plain(c.text).startswith("In ") for c in told):
        return False
    last = max((order.get(c.anchor, 0) for claim in told for c in claim.cites), default=0)
    steps = gate.distinctive(" ".join(plain(c.text) for c in told if not plain(c.text).startswith("Then ")))
    for turn in said:
        if order[turn.anchor] <= last or turn.origin not in ("typed", "queued", "refusal"):
            continue
        for sentence in gate.sentences(gate.own_words(turn.text)):
            forbids = "prohibition" in phrases.marks(FILLER.sub("", sentence)) or _NEVER.search(sentence)
            against = forbids or (skill and _AGAIN.search(sentence))
            if against and steps & gate.distinctive(sentence):
                return True
    return False
