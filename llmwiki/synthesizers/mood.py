"""The mood of a sentence: does it order, or does it tell what happens, wish, joke, or deny that it is an order?

"Never" and "always" stand in both. English orders are told by what follows: a verb in its base form, without a subject
or behind a modal. Other languages inflect, so there the forms of a report are listed. What is neither an order nor a
report for sure is doubtful, and waits for a person.
"""

from __future__ import annotations

import re
from enum import Enum

from llmwiki.synthesizers import mood_forms as forms
from llmwiki.synthesizers import phrases


class Mood(Enum):
    """How a clause is meant. NONE: it holds no word that could make it a rule."""

    NONE = 0
    ORDER = 1
    DOUBTFUL = 2
    REPORT = 3


def told(sentence: str, beside: str = "") -> str:
    """The sentence without the clauses that only report; "" when it, or the sentence behind it, denies to be an order.

    >>> told("foo.py always fails, so never use it")
    ', so never use it'
    """
    if forms.TO_WRITE.search(sentence):
        return ""  # the words of a text that is to be made
    if forms.DENIED.search(sentence) or forms.DENIED_BEHIND.match(beside[len(sentence) :].strip()):
        return ""
    parts = _BREAK.split(sentence)
    kept = "".join("" if _mood(part) is Mood.REPORT else part for part in parts)
    if forms.WHENEVER.search(sentence) and not any(_directs(part) for part in parts):
        return ""
    return kept


def doubtful(sentence: str) -> bool:
    """Whether a sentence may be a joke, or no clause that makes it a rule is an order for sure."""
    moods = {_mood(part) for part in _BREAK.split(sentence)}
    only = phrases.marks(sentence).keys() <= _WEAK
    return bool(forms.JOKE.search(sentence)) or (only and Mood.DOUBTFUL in moods and Mood.ORDER not in moods)


_WEAK = frozenset(("standing", "prohibition", "obligation", "narrowing", "condition", "correction"))
_BREAK = re.compile(
    r"([,;:!?–—(]+\s*|\.\s+|\s(?:so|but|because|since|and|aber|denn|weil|und|mais|car|et|pero|porque|y)\s|[，。；：！？])"
)


_WORD = re.compile(r"[a-z][\w-]*")


def _mood(clause: str) -> Mood:
    clause = " ".join(clause.split())
    if any(pattern.search(clause) for pattern in forms.REPORTS) and not forms.OBLIGES.search(clause):
        return Mood.REPORT
    if frequency := forms.FREQUENCY.search(clause):
        return _frequency(forms.LINK.sub("", clause[: frequency.start()]).strip(), clause[frequency.end() :].strip())
    if wish := forms.WISHED.search(clause):
        return Mood.REPORT if wish[2].lower() in forms.HAPPENING else Mood.ORDER
    if missing := forms.NO.match(clause):
        return Mood.ORDER if forms.PLACED & set(_WORD.findall(missing[1].lower())[:4]) else Mood.DOUBTFUL
    if forms.USUAL.search(clause):
        return Mood.REPORT
    if forms.DISLIKED.search(clause):
        return Mood.DOUBTFUL
    return Mood.NONE


def _frequency(before: str, after: str) -> Mood:
    """The mood of "<before> always <after>", or with "never"."""
    after = forms.ADVERB.sub("", after)
    orders = _orders(after)
    if forms.BINDING.search(before):
        done = after.startswith("be ") and forms.PARTICIPLE.match(after[3:])
        expected = _happens(after) and not done and not forms.ADDRESSED.match(before)
        return Mood.REPORT if expected or forms.UNREAL.match(after) else Mood.ORDER if orders else Mood.DOUBTFUL
    if modal := forms.MODAL.search(before):
        ours = re.match(r"(?:we|you)\b", before, re.I) and modal[0].lower() in ("will", "'ll", "do", "n't")
        return Mood.ORDER if ours and orders and not _happens(after) else Mood.REPORT
    if state := forms.STATE.search(before):
        return _state((state[1] or state[2]).lower(), after)
    if subject := forms.SUBJECT.search(before):
        return _with_subject(subject[1].lower(), after)
    if not after:
        return Mood.ORDER if _orders(before) or not before else Mood.DOUBTFUL
    if not before or forms.WHERE.match(before) or _orders(before):
        return Mood.ORDER if orders or forms.ELLIPTICAL.match(after) else _bare(after)
    plural = before.endswith("s") and not before.endswith("ss")
    return Mood.ORDER if plural and orders and not _happens(after) else Mood.REPORT


def _state(verb: str, after: str) -> Mood:
    """The mood of "is never <after>": many things that are never done are a convention, one thing may be a finding."""
    if verb not in ("was", "were", "been", "am") and forms.HERE.search(after):
        return Mood.ORDER  # "money is never decimal here"
    if verb in ("was", "were", "been", "am") or not forms.PARTICIPLE.match(after):
        return Mood.REPORT
    return Mood.ORDER if verb in ("are", "'re", "aren't") else Mood.DOUBTFUL


def _with_subject(who: str, after: str) -> Mood:
    if who == "i":
        return Mood.ORDER if re.match(r"(?:want|expect|prefer|like|need)\b", after) else Mood.DOUBTFUL
    return Mood.ORDER if who == "we" and _orders(after) and not _happens(after) else Mood.REPORT


def _bare(after: str) -> Mood:
    return Mood.REPORT if forms.BARE_REPORT.match(after) or forms.IDIOM.match(after) else Mood.DOUBTFUL


def _orders(text: str) -> bool:
    """Whether a text begins with the base form of a verb of work, or with code in its place."""
    first = re.match(r"`|[\w-]+", text)
    if first is None or forms.IDIOM.match(text):
        return False
    word = first[0].lower()
    return (
        word == "`"
        or word in forms.VERBS
        or word.rsplit("-", 1)[-1] in forms.VERBS
        or re.fullmatch(r"\w+(?:ify|ize|ise)", word) is not None
    )


def _happens(text: str) -> bool:
    return text.split()[0].strip(".,").lower() in forms.HAPPENING if text.split() else False


def _directs(clause: str) -> bool:
    """Whether a clause beside "every time you …" says what to do then."""
    bare = forms.LINK.sub("", clause.strip())
    practice = re.match(r"(?:we|you) (?:also |first |then )?(?=\w)", bare, re.I)
    rest = bare[practice.end() :] if practice else bare
    if practice and (_happens(rest) or not _orders(rest)):
        rest = ""
    return _orders(rest) or forms.DIRECTING.search(bare) is not None
