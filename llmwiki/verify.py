"""Whether the claims of a record stand in the turns that they cite. Words are compared, nothing is judged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from llmwiki.model import Claim, Evidence, Record, RecordType, Turn
from llmwiki.prose import claims, plain
from llmwiki.rawpage import turn_text

PASSED, FAILED, UNVERIFIABLE, UNREACHABLE = "passed", "failed", "unverifiable", "unreachable"
UNCITED = ("Links", "Contradictions", "Exceptions")  # sections that speak of pages, not of turns
PLACES = ("Held in",)  # sections whose lines begin with a project and a colon: that is where, not what was said
_WHOLE = re.compile(r"(?<!`)(?P<tick>`+)(?!`)(?P<code>.+?)(?<!`)(?P=tick)(?!`)|[\"“](?P<said>[^\"“”]{2,})[\"”]")
_TOKEN = re.compile(
    r"https?://\S+"
    r"|(?:[~.\w@-]{0,80}/){1,40}[\w.@+-]+"  # paths
    r"|\b\w[\w-]{0,80}\.(?:\w{1,80}\.){0,20}[A-Za-z_]\w*\b"  # dotted names and files
    r"|--?[A-Za-z][\w-]+"  # options
    r"|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*"  # snake_case, camelCase
    r"|(?<![\d.])\d+(?:\.\d+){2,}"  # versions of three parts
    r"|\b\d{4,}\b"
)
_TURNS = re.compile(
    r"\b(?:never|always|don'?t|nie|niemals|immer|jamais|toujours|nunca|siempre)\b|永远|不要|总是|決して|必ず|никогда|всегда",
    re.I,
)
_TURN = re.compile(r"\[\[[^\[\]\n]*#\^[^\[\]\n]*\]\]")  # a link to a turn, where a person wrote on behind it
_ENDING = ".,;:!?)]}'\""
Reader = Callable[[str, str], Turn | None]


@dataclass(frozen=True, slots=True)
class Verification:
    """passed, failed, unverifiable (nothing distinctive) or unreachable (no raw page here), and what failed. `own` are
    the lines that a person put on the page: they cite nothing, and are true without a turn."""

    status: str
    failed: tuple[tuple[Claim, tuple[str, ...]], ...] = ()
    own: tuple[Claim, ...] = ()


def told(record: Record) -> bool:
    """Whether a person wrote the page or said it outright: it cites no session, and there is nothing to check."""
    return record.handwritten or (record.evidence is Evidence.USER_SAID and not record.sources)


def tokens(text: str) -> tuple[str, ...]:
    """The distinctive tokens of a claim line: code, quotes, identifiers, paths, options, numbers of four digits,
    versions of three parts.

    What opens first counts: a quote is looked for as it stands, code marks inside it included.
    """
    found: list[str] = []

    def take(match: re.Match[str]) -> str:
        found.append((match["code"] or match["said"]).strip())
        return " "

    rest = _WHOLE.sub(take, plain(_TURN.sub(" ", text)))
    found.extend(m[0].rstrip(_ENDING) for m in _TOKEN.finditer(rest))
    return tuple(dict.fromkeys(p for token in found for p in _pieces(token)))


def _pieces(token: str) -> list[str]:
    """What of a token must occur: all of it, or what stands before and after an ellipsis."""
    return [p.strip() for p in re.split(r"…|\.\.\.$", token) if len(p.strip()) > 1]


def searchable(turn: Turn) -> str:
    """A turn's citable text in the form in which tokens are looked for: arguments decoded, white space single."""
    text = turn_text(turn)
    if turn.role == "tool":
        text = "\n".join((text, turn.tool, *_strings(turn.text), *_strings(turn.result)))
    return even(text)


def _strings(text: str) -> Iterable[str]:
    """Every string inside a JSON text: a command reads there as it was typed."""
    if text.lstrip()[:1] not in ("{", "["):
        return ()
    try:
        return _walk(json.loads(text))
    except (ValueError, RecursionError):
        return ()


def _walk(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [s for v in value.values() for s in _walk(v)]
    if isinstance(value, list):
        words = [str(v) for v in value if isinstance(v, (str, int))]
        return [s for v in value for s in _walk(v)] + ([" ".join(words)] if words else [])
    return [str(value)] if isinstance(value, int) else []


def even(text: str) -> str:
    return " ".join(text.replace("\\", "/").split()).casefold()


def verify(record: Record, turn: Reader, by_person: Callable[[Record], bool] = lambda record: False) -> Verification:
    """Checks every claim line against the turns that it cites; `turn(stem, anchor)` is None when there is none here.

    A line without a turn fails, but on a page that a person has changed (`by_person`, asked only then): nothing of ours
    ever writes such a line.
    """
    failed: list[tuple[Claim, tuple[str, ...]]] = []
    own: list[Claim] = []
    checked = unreachable = False
    cache: dict[tuple[str, str], str | None] = {}

    def look(stem: str, anchor: str) -> str | None:
        if (stem, anchor) not in cache:
            found = turn(stem, anchor)
            cache[stem, anchor] = None if found is None else searchable(found)
        return cache[stem, anchor]

    for claim in claims(record.body):
        if claim.section in UNCITED:
            continue
        wanted = tokens(claim.text.partition(": ")[2] if claim.section in PLACES else claim.text)
        texts = [look(c.stem, c.anchor) for c in claim.cites if c.anchor]
        known = [t for t in texts if t is not None]
        missing = _missing(wanted, known) + (_turned(claim.text, known) if claim.section == "Rule" else ())
        if not texts:
            if record.type is RecordType.TRACE:
                pass
            elif by_person(record):
                own.append(claim)
                continue
            else:
                failed.append((claim, wanted))
        elif None in texts and (missing or not wanted):
            unreachable = True
        elif missing:
            failed.append((claim, missing))
        checked = checked or (bool(wanted) and not missing)
    failed += _unsaid(record, turn)
    if failed:
        return Verification(FAILED, tuple(failed), tuple(own))
    return Verification(UNREACHABLE if unreachable else PASSED if checked else UNVERIFIABLE, own=tuple(own))


def _turned(text: str, texts: list[str]) -> tuple[str, ...]:
    """The words of a rule that make it its own opposite, and stand in none of the turns."""
    said = "\n".join(texts).lower()
    return tuple(w for w in _TURNS.findall(text) if w.lower() not in said)


def _missing(wanted: Iterable[str], texts: list[str]) -> tuple[str, ...]:
    # A turn's text is as it was said; a claim's may be escaped, but not where it stands between backticks.
    text = "\n".join(texts)
    return tuple(w for w in wanted if even(w) not in text and even(plain(w)) not in text)


def _unsaid(record: Record, turn: Reader) -> list[tuple[Claim, tuple[str, ...]]]:
    """The quotes of a preference that stand in no turn of its user: only a person's own words make a rule."""
    if record.type is not RecordType.PREFERENCE or record.evidence is not Evidence.USER_SAID:
        return []
    out: list[tuple[Claim, tuple[str, ...]]] = []
    for claim in claims(record.body):
        if claim.section == "Said":
            turns = [t for c in claim.cites if c.anchor and (t := turn(c.stem, c.anchor)) is not None]
            if turns and not any(_by_user(t) for t in turns):
                out.append((claim, ("said by nobody",)))
    return out


def _by_user(turn: Turn) -> bool:
    """Whether a turn holds a person's words: a prompt, a reason, an answer."""
    return turn.role == "user"
