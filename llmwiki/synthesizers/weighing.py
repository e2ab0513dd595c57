"""How much a sentence weighs as a rule, in its place: its marks, who it answers, whether it names anything."""

from __future__ import annotations

import re

from llmwiki.synthesizers import phrases
from llmwiki.synthesizers.places import Place

ENOUGH = 2
LONGEST = 1_000  # characters of a sentence that are weighed
TRUSTED = ("refused", "interrupted", "answer")
FILLER = re.compile(
    r"^(?:(?:one (?:more|last) thing|(?:oh )?and another thing|by the way|btw|ok(?:ay)?|so|well|oh|ah|hey|hi|yes|yep|"
    r"yeah|pls|plz|no(?=[\s,.!:–—，。]*$|[,.!:–—，。]|\s+(?:use|"
    r"keep|do|don'?t|put|make|let|"
    r"let'?s|we|i|it|that|the|this|these|you|just|please|not|stop|leave|go|try|always|never|no)\b)|nope|and|"
    r"but|then|also|please|actually|hmm|"
    r"wait(?: a (?:sec|second|minute))?|hold on|great|cool|fine|right|now|just|sure|thanks|sorry|alright|"
    r"nein|ja|bitte|non|oui|vale|sí|好的|可以|嗯|不对)\b[\s,.!:–—，。、]*)+",
    re.I,
)
CONCRETE = re.compile(
    r"`[^`]+`|--?\w[\w-]+|\b[\w-]{1,80}\.(?:py|js|ts|tsx|md|json|toml|ya?ml|rs|go|java|rb|sh|css|html|sql|lock|"
    r"env)\b|@?[\w.-]{1,80}/[\w./-]+|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+|\b[A-Z]{2,}\w*\b|\b[A-Z](?=\w*[a-z])\w*+(?=\W+\w)|"
    r"(?<![a-z])[a-z]{3,}+(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])[A-Za-z]{2,}"
)

STANDING = frozenset(("standing", "contrast", "prohibition", "reversal", "order"))
MINOR = frozenset(("narrowing", "condition", "correction"))  # together they count for one point
DIRECTING = STANDING | {"obligation", "decision", "suggestion"}
REASONED = re.compile(
    r"\b(?:because|since|so that|so it|but|otherwise|impacts?|doesn'?t work|weil|damit|aber|parce "
    r"que|mais|porque|pero)\b|因为|但是|否则|ので|から",
    re.I,
)


_POINTING = re.compile(
    r"\b(?:that|this|it|these|those)\b(?=\s*(?:[.,;:!?)]|$|(?:and|to|for|then|as|so|in|with|but|please|now|too)\b))",
    re.I,
)


_WONDERED = re.compile(  # a question that leaves the choice open, or asks for a reason
    r"^\W*(?:so |but |and )?(?:why|how come|what for)\b"
    r"|\bor (?:should|shall|do|can|could|would|is|are|will) (?:we|I|it|this|that|you)\b.*[?？]\W*$"
    r"|\b(?:oder soll|ou (?:est-ce|faut-il|on)|o (?:debería|mejor))\w*\b.*[?？]\W*$|还是[^。]*[?？]\W*$",
    re.I | re.S,
)


def weigh(sentence: str, place: Place, beside: str = "") -> int:
    """Points of a sentence in its place; two make a rule. Without a mark that directs there are none."""
    sentence = sentence[:LONGEST].lstrip(" ,;:.!–—")
    if not sentence:
        return 0  # all of it was quoted or reported
    if phrases.TAKES_BACK.search(sentence):
        return 0
    found = phrases.marks(FILLER.sub("", sentence) or sentence)
    if "correction" in phrases.marks(sentence):
        found["correction"] = 1
    if phrases.FAILS.search(sentence) and not found.keys() & {"prohibition", "contrast"}:
        found.pop("standing", None)
    if phrases.SPECIFIED.search(sentence) and place.why not in TRUSTED:
        found = {k: v for k, v in found.items() if k not in ("standing", "obligation")}
    asks = bool(phrases.QUESTION.search(sentence))
    if not found.keys() & DIRECTING and (asks or place.why != "refused"):
        return 0  # the reason of a refusal directs by its place
    if len(sentence) > 160:
        found = {k: v for k, v in found.items() if k not in ("narrowing", "condition")}
    if asks and _WONDERED.search(sentence):
        return 0
    if "suggestion" in found and not REASONED.search(f"{sentence} {beside}"):
        del found["suggestion"]
    concrete = bool(CONCRETE.search(sentence))
    minor = found.keys() & MINOR
    points = (
        sum(v for k, v in found.items() if k not in MINOR) + bool(minor) + place.points + (concrete and not place.first)
    )
    if asks:
        points -= 1 if "suggestion" in found or place.why == "refused" else 4
    if place.why not in ("refused", "interrupted") and phrases.REQUEST.search(sentence) and not found.keys() & STANDING:
        points -= 3
    if place.first and not found.keys() & STANDING:
        points -= 1
    if phrases.FEATURE.search(sentence) and place.why not in TRUSTED and not found.keys() & {"standing", "prohibition"}:
        points -= 3
    if phrases.SHAPED.search(sentence) and not found.keys() & STANDING and place.why not in TRUSTED:
        points -= 2
    if phrases.MOMENTARY.search(sentence) and "standing" not in found:
        points -= 3
    if _LACKS.match(sentence) and _UNCHANGED.search(beside):
        points -= 3  # "no flash. enemies look the same": what is missing, not what is forbidden
    if sentence.rstrip().endswith((":", "：")):
        points -= 2  # it introduces what was pasted behind it
    if not concrete and _POINTING.search(sentence) and not found.keys() & STANDING:
        points -= 1
    return points


_LACKS = re.compile(r"^\W*no \w+(?: \w+)?\W*$", re.I)
_UNCHANGED = re.compile(r"\b(?:same|as before|still|nothing|looks?|see|shows?|appears?|yet)\b", re.I)
