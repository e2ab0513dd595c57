"""Facts that the user states: what was deleted, renamed or moved, where things live, what is not supported."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmwiki.model import Claim, Evidence, Record, RecordType, Session, Turn
from llmwiki.prose import code, inert
from llmwiki.synthesizers import gate, phrases
from llmwiki.synthesizers.base import Gathering, cite, draft, shorten
from llmwiki.synthesizers.weighing import CONCRETE

STATED = re.compile(
    r"\b(?:i|we) (?:have |just |already )*(?:deleted|removed|renamed|moved|replaced|created|cloned|"
    r"switched|migrated|upgraded|host(?:ed)?|deploy(?:ed)?)\b"
    r"|\b(?:is|are|lives?|sits?|runs?|it'?s|hosted|deployed|served|stored|found) (?:at|in|under|on) "
    r"(?=\S*[/.:]\S)|\b(?:not|isn'?t|only) supported (?:by|in|on)\b|\bonly works? (?:in|on|with)\b|"
    r"\bdoes(?:n'?t| not) work (?:in|on|with)\b"
    r"|\bwe(?:'re| are) (?:still |now )?on (?=\w)|\b(?:is|are) (?:just |only |all |now )?(?:leftovers?|legacy|obsolete|"
    r"dead|unused|deprecated|generated|vendored|(?:owned|maintained|managed|written|filled|made) by)\b"
    r"|\b(?:only|never|nobody|nothing) (?:builds|runs|reads|writes|uses|checks|tests|installs|deploys)\b"
    r"|\b(?:takes|needs) (?:about |up to |at least )?\d+ ?(?:s|sec\w*|min\w*|hours?|GB)\b"
    r"|\b(?:do|does|are|is|did)(?:n'?t| not) (?:run|start|build|deploy|exist|happen|apply|trigger|update|checked|"
    r"tracked|"
    r"committed)\b.*\b(?:here|on purpose|by design|deliberately|in this (?:repo\w*|project))\b"
    r"|\b(?:tests?|builds?|ci|app|server|suite|jobs?|scripts?) (?:also )?(?:needs?|requires?|expects?) (?:the |a |an )?"
    r"(?=.{0,80}(?:`|--|\bport\b|\d{4}))"
    r"|\b(?:liegt|läuft|steht) (?:in|unter|auf|bei)\b|\bse trouve\b|\bestá en\b|位于|放在|部署在"
    r"|不支持|にあります|サポートされ",
    re.I,
)
DEFINED = re.compile(  # "odd minor = prerelease, even = stable"
    r"(?:^|[,:;] ?)[\w][\w ]{0,24} = [a-z][\w ]{2,30}(?:,|;|\.|$)|(?:はつまり|=つまり)", re.I
)
_PLACE = re.compile(
    r"`[^`]+`|https?://\S+|\b\w+_\w+\b|(?:[~.]|[A-Za-z]:)?[/\\][\w.@~/\\-]+|\b[\w-]{1,80}\.\w{2,5}\b|\bport \d+|"
    r"\b[A-Z][a-z]+(?:\.\w+)?\b(?<!^)"
)


def gather(found: Gathering, turns: Sequence[Turn]) -> None:
    """Adds what the user says is so in these turns."""
    session = found.session
    for turn in turns:
        if turn.origin not in ("typed", "queued", "refusal") or gate.template(turn.text):
            continue
        for sentence in _told_in(gate.sentences(gate.own_words(turn.text))):
            if gate.refusal(sentence) or len(sentence) > 320:
                found.refuse(gate.refusal(sentence) or "narration")
                continue
            found.records.append(_statement(session, turn, sentence))


def _told_in(said: Sequence[str]) -> list[str]:
    """What is stated, each with the sentence behind it that says what to do about that ("run them by hand: …")."""
    found = []
    for sentence, following in zip(said, [*said[1:], ""], strict=False):
        told = _told(sentence)
        to_do = _ABOUT_IT.match(following) and CONCRETE.search(following) and not phrases.QUESTION.search(following)
        if told:
            found.append(f"{told} {following}" if to_do and len(following) <= 160 else told)
    return found


_ABOUT_IT = re.compile(
    r"(?:so |just |please |always |then )*(?:run|use|start|call|build|do|put|get|make) (?:them|it|that)\b", re.I
)
_TURNS = re.compile(  # where a sentence goes over from what is so to what the user wants, or does not know
    r"(?<![,;:–—-])[,;:–—-]+\s+(?:(?:and|so|but|then|now) )*(?:as a (?:first|next) step|let'?s|lets|can you|could "
    r"you|please|"
    r"not sure|I(?:'m| am) not sure|what|which|how|do you|should (?:I|we)|I(?:'d| would)? (?:want|like|need))\b.*$"
    r"|[,，]\s*(?:请|帮我|能不能|不知道).*$",
    re.I | re.S,
)


def _told(sentence: str) -> str:
    """What a sentence states of how things are, without a wish or a doubt beside it; "" when it states nothing.

    >>> _told("I deleted setup.cfg, as a next step let's see what breaks")
    'I deleted setup.cfg'
    >>> _told("run the iOS tests before you say done, CI only builds Android")
    'CI only builds Android'
    """
    if phrases.QUESTION.search(sentence) or phrases.QUOTING.search(sentence):
        return ""
    line = _TURNS.sub("", sentence)
    parts = re.split(r",\s+(?:so |then |and )?|(?<!\s)\s+so\s+", line)
    if any(map(phrases.REQUEST.search, parts)):
        parts = line.split(", ")
        told = [i for i, p in enumerate(parts) if i and _states(p) and not phrases.marks(p).keys() & _WANTED]
        line = ", ".join(parts[told[0] : told[-1] + 1]) if told else ""
    return line if _states(line) and not phrases.REQUEST.search(line) else ""


_WANTED = frozenset(("obligation", "decision", "prohibition", "suggestion", "order"))


def _states(text: str) -> bool:
    named = any(len(w) > 2 for w in _PLACE.findall(text))
    return bool(DEFINED.search(text) or (named and STATED.search(text)))


def _statement(session: Session, turn: Turn, sentence: str) -> Record:
    claims = [Claim("Statement", inert(sentence), cite(session, turn))]
    pasted = _pasted(turn.text, sentence)
    if pasted:
        claims.append(Claim("Evidence", f"Beside it stood {code(pasted)}.", cite(session, turn)))
    title = re.sub(r"^(?:(?:ok(?:ay)?|so|oh|well|and|but|also|btw|fyi|by the way)\b[\s,:]*)+", "", sentence, flags=re.I)
    title = re.sub(
        r"^I (?:just )?(?:found out|noticed|saw|realized|realised|learned) (?:that )?", "", title, flags=re.I
    )
    title = re.sub(r"(?<!\s)\s*[:;]-?[()DP]+\s*$", "", title)
    title = re.sub(r"^I (?:have |just |already )*(?=\w+ed\b)", "the user ", title)
    if pasted and re.match(r"(?:this|it|that)\b", title, re.I):
        title = f"{shorten(title, 50)}: {pasted}"
    return draft(
        session,
        RecordType.FACT,
        shorten(title[:1].upper() + title[1:]),
        "Said by the user.",
        claims,
        Evidence.USER_SAID,
        tags=["stated"],
        held=gate.held(sentence),
    )


def _pasted(text: str, sentence: str) -> str:
    """What was pasted behind a sentence that only points at it ("this is not supported")."""
    if not re.search(r"\b(?:this|these|das|dies|ceci|esto)\b|这|これ", sentence, re.I):
        return ""
    rest = text.partition(sentence[-24:])[2]
    lines = [x.strip().rstrip("\\") for x in rest.split("\n")]
    first = next((i for i, x in enumerate(lines) if re.search(r"[;{]\s*$|^\s*[$<]", x)), None)
    return " ".join(x for x in lines[first : first + 8] if x)[:240] if first is not None else ""
