"""A page's text -> the Entry that the index keeps of it. Loads the model and the parser: never at a hook's start."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import blake2b
from math import ceil

from llmwiki import block, lifecycle, markdown, words
from llmwiki.indexes.entries import COLUMNS, FIELD, GROUP, NEVER, PASSAGES, UNIT, Entry, ending
from llmwiki.model import Record, RecordType, State
from llmwiki.schema import LIFECYCLE

BadPage = markdown.BadPage
# That a cure worked, and where else the trouble was seen, is for the page: a line tells one symptom and what to do.
_PROOF = re.compile(r"Then `[^`]*`+ passed\.|The user's next words no longer show it.*", re.S)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
PART_CHARS = 320  # of one part of a line: a pasted log is no advice
# What a line of a block says of each type: section -> the word before it.
SAYS: dict[str, dict[str, str]] = {
    "preference": {"Rule": ""},
    "heuristic": {"Rule": "", "Exceptions": "except: "},
    "failure": {"Symptom": "", "Cause": "because: ", "Cure": "cure: ", "Avoid": "avoid: "},
    "skill": {"When": "when: ", "Steps": "", "Checks": "check: ", "Pitfalls": "pitfall: "},
    "fact": {"Statement": ""},
    "strategy": {"Goal": "", "Phases": "then: ", "Why": "because: "},
    "trace": {"Goal": "", "Outcome": "outcome: "},
}


ENDED_WELL = "had ended well"  # what a failure begins with that no command saw: no symptom, where there is another
WHOLE = ("skill", "strategy")  # told with their title anyway


def digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=12).digest()


def broken(path: str) -> Entry:
    """The Entry of a page that cannot be read: it has no id, no words, and never speaks."""
    made = of_record(Record(id="", type=RecordType.FACT, title="", superseded_by="-", path=path))
    made.said = made.passages = made.state = ""
    made.chars = 0
    return made


def entry(
    text: str,
    path: str,
    scope: str,
    numbers: Mapping[str, float] = LIFECYCLE,
    count: Callable[[str], int] | None = None,
) -> Entry:
    """The Entry of a page, with key 0 and no stat. Raises markdown.BadPage when the page does not parse.

    `scope` is that of a page that names none. `count` counts tokens; without it the costs stay empty, and are counted
    when the page is printed.
    """
    return of_record(markdown.read(text, path, scope), numbers, count)


def of_record(
    record: Record, numbers: Mapping[str, float] = LIFECYCLE, count: Callable[[str], int] | None = None
) -> Entry:
    lines = body_lines(record.body)[:PASSAGES]
    starts, until, stale = speaks(record, numbers)
    since = lifecycle.since(record)
    made = Entry([0, record.path, 0, 0, b"", *[None] * (len(COLUMNS) - 5)])
    made.id, made.type, made.state = record.id, str(record.type), str(record.state)
    made.title, made.scope, made.project = _title(record), record.scope, record.project or ""
    made.evidence, made.confidence = str(record.evidence), record.confidence
    made.created = record.created if _DAY.match(record.created) else ""  # it is told: no other text passes for a day
    made.since = _seconds(since) if since else 0
    made.speaks_from, made.speaks_until, made.stale_from = starts, until, stale
    made.loaded = int(record.extra.get("loaded") is True)
    made.waits = int(record.state is State.QUARANTINED)
    made.uses, made.offers = record.uses, " ".join(record.offered)
    made.conditions = _conditions(record.when)
    made.spoken = UNIT.join(_parts(record, lines))
    made.costs = costs(made, count) if count else ""
    made.said = UNIT.join(
        (_terms(record.title), _terms(" ".join((record.description, *record.tags, *record.domains, *record.aliases))))
    )
    made.passages = UNIT.join(_terms(text) for _, text, _ in lines)
    made.lines, made.chars = len(lines), len(made.said) + len(made.passages)
    made.cites = _cites(record, lines)
    return made


def _title(record: Record) -> str:
    """Never empty: some titles hold nothing that may be seen."""
    return _clipped(block.quote(record.title)) or record.id


def _terms(text: str) -> str:
    return " ".join(words.terms(text))


def _seconds(at: datetime) -> int:
    return ceil(at.timestamp())


def speaks(record: Record, numbers: Mapping[str, float] = LIFECYCLE) -> tuple[int, int, int]:
    """(from, until, stale from) in seconds: the interval in which `lifecycle.retrievable` holds, and where age begins.

    It is asked once, when the page is indexed, so that a hook compares two numbers instead of loading the rules.
    """
    ends = [at for at in (lifecycle.expires(record), lifecycle.fades(record, numbers)) if at]
    until = min(map(_seconds, ends)) if ends else NEVER
    stale = until if record.state is State.ACTIVE else (0 if record.state is State.STALE else NEVER)
    release = record.quarantine_until
    if record.state is not State.ACTIVE or record.superseded_by:
        return NEVER, 0, stale
    if not lifecycle.lasting(record) and record.confidence < numbers["minimum_confidence"]:
        return NEVER, 0, stale  # it never spoke: there is no week in which it was surer
    start = lifecycle.moment(release) if release else None
    return (_seconds(start) if start else NEVER if release else 0), until, stale


def body_lines(body: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Each thing that a body says: (section, its words without links to turns and escapes, what it cites)."""
    found = []
    for claim in markdown.claims(body):
        text = markdown.plain(_unlinked(claim.text)) if "[" in claim.text or "\\" in claim.text else claim.text
        if text.strip():
            found.append(
                (claim.section, text, tuple(f"{c.stem}#{c.anchor}" if c.anchor else c.stem for c in claim.cites))
            )
    return found


def _unlinked(text: str) -> str:
    """The text with links to turns taken out, and other links as their words."""
    kept, *rest = text.split("[[")
    for part in rest:
        target, closed, after = part.partition("]]")
        if not closed or kept.endswith("\\"):
            kept += "[[" + part
        else:
            kept += ("" if "#^" in target else target.rpartition("|")[2]) + after
    return kept


def _parts(record: Record, lines: list[tuple[str, str, tuple[str, ...]]]) -> list[str]:
    """What the record would say of each of its lines, safe for a block; "" for a line that it keeps to itself."""
    before = SAYS[str(record.type)]
    if any(section in before for section, _, _ in lines):
        seen = [i for i, line in enumerate(lines) if line[0] == "Symptom"]
        first = next((i for i in seen if ENDED_WELL not in lines[i][1]), seen[0] if seen else -1)
        return [
            _clipped(block.quote(_titled(record, i, before[section] + text)))
            if section in before and not (section == "Symptom" and i != first) and not _PROOF.fullmatch(text)
            else ""
            for i, (section, text, _) in enumerate(lines)
        ]
    return [_clipped(block.quote(_titled(record, i, text))) for i, (_, text, _) in enumerate(lines)]


def _titled(record: Record, line: int, text: str) -> str:
    """The first line of a page that a person wrote, with its title before it: there the title says what is meant."""
    title = record.title.rstrip(".…")
    if line or record.sources or not title or str(record.type) in WHOLE or text.startswith(title[:60]):
        return text
    return f"{title}: {text}"


def _clipped(text: str) -> str:
    if len(text) <= PART_CHARS:
        return text
    text = text[:PART_CHARS].rsplit(" ", 1)[0] + " …"
    return text + "`" if text.count("`") % 2 else text  # what stands behind an open code span would be read as code


def costs(made: Entry, count: Callable[[str], int]) -> str:
    """Tokens of each part, of the title and of the id after a space, then of the ending at home and elsewhere, line
    end included."""
    numbers = [count(" " + part) if part else 0 for part in (*made.parts(), made.title, made.id)]
    numbers += [count(ending(made, foreign) + "\n") for foreign in (False, True)]
    return " ".join(map(str, numbers))


def _conditions(when: Mapping[str, object]) -> str:
    """`when:` as text: `paths` GROUP pattern UNIT pattern FIELD `tools` … in a fixed order."""
    found = []
    for name in ("paths", "tools", "errors"):
        value = when.get(name)
        patterns = (
            [value] if isinstance(value, str) else [str(v) for v in value] if isinstance(value, (list, tuple)) else []
        )
        if patterns:
            found.append(name + GROUP + UNIT.join(patterns))
    if when.get("always") in (True, "true", "yes"):
        found.append("always" + GROUP)
    return FIELD.join(found)


def _cites(record: Record, lines: list[tuple[str, str, tuple[str, ...]]]) -> str:
    cites = [cite for _, _, found in lines for cite in found]
    whole = [source.strip("[]").replace("#^", "#") for source in record.sources]
    return " ".join(dict.fromkeys(cite for cite in (*cites, *whole) if " " not in cite))
