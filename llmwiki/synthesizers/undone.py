"""What a session took back: cures that were replaced, procedures that the user forbade afterwards.

Proof has to hold to the end of the session. A check may pass after a change that the next command shows to be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from llmwiki.model import Claim, Record, RecordType
from llmwiki.prose import body, claims, plain
from llmwiki.synthesizers import gate, mood, phrases
from llmwiki.synthesizers.base import Gathering
from llmwiki.synthesizers.events import Edit, Event, Run, Said
from llmwiki.synthesizers.failures import telling
from llmwiki.synthesizers.folding import anchors, by_section, combined
from llmwiki.synthesizers.weighing import FILLER
from llmwiki.words import terms

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
    added = [_bare(" ".join(e.added)) for e in edits]
    back = _put_back(happened)
    said = _said(found, happened) if found.records else []
    kept: list[Record] = []
    moved: list[tuple[Record, Edit]] = []
    for record in found.records:
        later = _replacement(record, edits, added) if record.type is RecordType.FAILURE else None
        if later is not None:
            moved.append((record, later))
        elif _retracted(record, found.order, said) or _forbidden(record, found.order, said):
            found.refuse("discarded")
        else:
            kept.append(_without(record, back) if record.type is RecordType.FAILURE else record)
    for record, later in moved:
        at = next((i for i, r in enumerate(kept) if later.turn.anchor in anchors(r, "Cure")), None)
        if at is None:
            found.refuse("discarded")
        else:
            kept[at] = combined(kept[at], _avoided(record), 2)
    found.records[:] = kept


def _said(found: Gathering, happened: Sequence[Event]) -> list[tuple[int, list[str]]]:
    """The place of each turn in which the user spoke freely, and its sentences: taken apart once for all records."""
    turns = [e.turn for e in happened if isinstance(e, Said) and e.turn.origin in ("typed", "queued", "refusal")]
    return [(found.order[t.anchor], gate.sentences(gate.own_words(t.text))) for t in turns]


def _replacing(edit: Edit, later: Sequence[Edit], added: Sequence[str]) -> Edit | None:
    """The last edit that took out again most of what an edit had put in; None when it stayed, in whatever form: wrapped
    otherwise, with more on its line, under another name, in another file, or put back afterwards."""
    came = {x.strip() for x in edit.added if telling(x)}
    out: dict[str, int] = {}
    for at, other in enumerate(later):
        if other.path == edit.path:
            out.update(dict.fromkeys(came & {x.strip() for x in other.removed}, at))
    if not out or len(out) * 2 < len(came):
        return None
    gone = [
        at
        for line, at in out.items()
        if not _stays(_bare(line), at, edit.path, later, added) and not _renamed(line, later[at])
    ]
    return later[max(gone)] if gone and len(gone) * 2 >= len(came) else None


def _stays(bare: str, at: int, path: str, later: Sequence[Edit], added: Sequence[str]) -> bool:
    """Whether a line that the edit `at` took out was put in again by it or afterwards, or into another file."""
    return any(bare in text for n, text in enumerate(added) if n >= at or later[n].path != path)


def _bare(text: str) -> str:
    """The words and signs of code, each with a mark on both sides, without what only closes or divides at the end."""
    found = re.findall(r"\w+(?:[.-]\w+)*|[^\w\s\"'`,;]", text)
    while found and found[-1] in ")]}>":
        found.pop()
    return "".join(f"\0{x}\0" for x in found)


def _renamed(line: str, edit: Edit) -> bool:
    """Whether an edit only gave a thing of this line another name: a name that stood in several of its lines, or was
    set in one, stands in none that came, and with the new name the line is there."""
    removed, added = " ".join(edit.removed), " ".join(edit.added)
    fresh = set(_NAME.findall(added)) - set(_NAME.findall(removed))
    for old in set(_NAME.findall(line)) - set(_NAME.findall(added)):
        again = len(re.findall(rf"\b{old}\b", removed)) > 1 or re.search(rf"\b{old}\b *(?::=|=(?!=)|:)", removed)
        if again and any(_bare(re.sub(rf"\b{old}\b", new, line)) in _bare(added) for new in sorted(fresh)):
            return True
    return False


_NAME = re.compile(r"\b[A-Za-z_]\w*\b")


def _replacement(record: Record, edits: Sequence[Edit], added: Sequence[str]) -> Edit | None:
    """What replaced the edits of a cure; None when one of them stayed, or when it had none."""
    cured = anchors(record, "Cure")
    made = [i for i, e in enumerate(edits) if e.turn.anchor in cured]
    found = [
        later
        for i in made
        if (later := _replacing(edits[i], edits[i + 1 :], added[i + 1 :])) and later.turn.anchor not in cured
    ]
    return found[-1] if found and len(found) == len(made) else None


def _put_back(happened: Sequence[Event]) -> list[Edit]:
    """The edits whose file got its old content again later, by `git checkout FILE` or `git restore FILE`, unless they
    were committed before, which keeps them."""
    back: list[Edit] = []
    waiting: list[Edit] = []
    for event in happened:
        if isinstance(event, Edit):
            waiting.append(event)
        elif isinstance(event, Run) and event.ok is not False:
            for call in event.parts:
                if call.words[:2] == ("git", "commit"):
                    waiting.clear()
                elif call.words[:2] in (("git", "checkout"), ("git", "restore")) and "--staged" not in call.words:
                    gone = [e for e in waiting if any(_is_file(e.path, word) for word in call.words[2:])]
                    waiting = [e for e in waiting if e not in gone]
                    back += gone
    return back


def _is_file(path: str, word: str) -> bool:
    return word == "." or path == word or path.endswith("/" + word.removeprefix("./"))


def _without(record: Record, back: Sequence[Edit]) -> Record:
    """The failure with those of its edits under Avoid that were put back; when all were, nothing of it is a cure."""
    gone = {e.turn.anchor for e in back}
    sections = by_section(record)
    taken = [c for c in sections.get("Cure", ()) if plain(c.text).startswith("In ") and _rests_on(c, gone)]
    if not taken:
        return record
    cure = [c for c in sections["Cure"] if c not in taken]
    avoid = _taken_back(taken)
    rest = {**sections, "Cure": cure, "Avoid": [*sections.get("Avoid", ()), *avoid]}
    if any(not plain(c.text).startswith("Then ") for c in cure):
        return replace(record, body=body(rest))
    error, mended, _ = record.title.rpartition(": mended in ")
    title = f"{error}: what seemed to mend it was taken back" if mended else record.title
    said = "What was changed before it was gone was put back in the same session."
    return replace(record, title=title, description=said, body=body({**rest, "Cure": []}))


def _rests_on(claim: Claim, anchors_: set[str]) -> bool:
    return bool(claim.cites) and all(cite.anchor in anchors_ for cite in claim.cites)


def _avoided(record: Record) -> Record:
    """The failure with its symptom, and what had seemed to cure it under Avoid."""
    sections = by_section(record)
    tried = [c for c in sections.get("Cure", ()) if plain(c.text).startswith("In ")][:1]
    return replace(record, body=body({"Symptom": sections.get("Symptom", []), "Avoid": _taken_back(tried)}))


def _taken_back(tried: Sequence[Claim]) -> list[Claim]:
    return [Claim("Avoid", f"{c.text.rstrip('.')}: it was taken back later.", c.cites) for c in tried]


def _retracted(record: Record, order: Mapping[str, int], said: Sequence[tuple[int, list[str]]]) -> bool:
    """Whether the user took a rule or a decision back: by its name ("then forget md5, scratch that") at any time, or at
    once by a word that stands for it ("no wait, forget that")."""
    rule = next((c for c in claims(record.body) if c.section == "Rule"), None)
    if record.type is not RecordType.PREFERENCE or rule is None:
        return False
    last = max((order.get(c.anchor, 0) for c in rule.cites), default=0)
    words = gate.distinctive(plain(rule.text))
    for n, (place, sentences) in enumerate((place, sentences) for place, sentences in said if place >= last):
        if place == last:  # what stands behind the rule itself
            at = next((i for i, s in enumerate(sentences) if words <= gate.distinctive(s)), len(sentences))
            sentences = sentences[at + 1 :]
        elif n <= 1 and sentences and phrases.TAKES_BACK.search(sentences[0]):
            return True
        if any(words & gate.distinctive(dropped[1]) for s in sentences for dropped in phrases.DROPS.finditer(s)):
            return True
        if place == last and any(map(phrases.TAKES_BACK.search, sentences)):
            return True
    return False


def _forbidden(record: Record, order: Mapping[str, int], said: Sequence[tuple[int, list[str]]]) -> bool:
    """Whether the user forbade what a procedure or a cure tells to run, after it had been run. Of a procedure a
    complaint is enough: a cure is told with its error, and a complaint may be of that."""
    skill = record.type is RecordType.SKILL
    section = "Steps" if skill else "Cure" if record.type is RecordType.FAILURE else ""
    told = [c for c in claims(record.body) if c.section == section]
    if not told or any(plain(c.text).startswith("In ") for c in told):
        return False
    last = max((order.get(c.anchor, 0) for claim in told for c in claim.cites), default=0)
    steps = [_words(plain(c.text)) for c in told if not plain(c.text).startswith("Then ")]
    return any(_against(sentence, steps, skill) for place, sentences in said if place > last for sentence in sentences)


def _against(sentence: str, steps: Sequence[Sequence[str]], skill: bool) -> bool:
    """Whether a sentence forbids one of the steps, or says that it did harm. Naming its words is not enough: "never
    commit uv sync logs" forbids a commit, and not `uv sync`."""
    named = set(_words(sentence))
    if not any(named & set(step) for step in steps):
        return False
    told = mood.told(sentence)
    if forbids := _FORBIDS.search(told):
        objects = (_words(_ENDS.split(x, maxsplit=1)[0]) for x in _OR.split(told[forbids.end() :]))
        return any(_forbids(words, step) for words in objects for step in steps if words)
    if "prohibition" in phrases.marks(FILLER.sub("", told)) or _NEVER.search(told):
        shared = ((len(named & set(step)), bool(named & set(step[:2]))) for step in steps)
        return any(called and (n > 1 or n * 2 >= len(named)) for n, called in shared)  # an operand alone is no action
    harmed = skill and _AGAIN.search(sentence) and not _UNHARMED.search(sentence)
    return bool(harmed) and any(step and len(named & set(step[:4])) >= min(2, len(step)) for step in steps)


def _forbids(words: Sequence[str], step: Sequence[str]) -> bool:
    """Whether what is forbidden, as an action and its object, is what a step does: the action is its command, and the
    object, if there is one, is in it."""
    return words[0] in step and (len(words) == 1 or bool(set(words[1:]) & set(step)))


def _words(text: str) -> list[str]:
    """The terms of a text that carry meaning, in order."""
    kept = gate.distinctive(text)
    return [term for term in dict.fromkeys(terms(text)) if term in kept]


_FORBIDS = re.compile(
    r"\b(?:never|do not|don'?t|dont|stop|avoid|quit|refrain from|must not|mustn'?t|should not|shouldn'?t|no more|"
    r"can'?t|cannot)\b(?: (?:again|ever|want you to|want to))*",
    re.I,
)
_OR = re.compile(r"\b(?:and|or|nor)\b", re.I)
_ENDS = re.compile(  # where what an order is about ends, and its circumstances begin
    r"[,.;:!?()–—]|\b(?:to|from|on|in|into|at|by|for|with|without|before|after|until|unless|while|when|if|because|since|as|"
    r"but|so|here|again|ever|anymore)\b",
    re.I,
)
_UNHARMED = re.compile(
    r"(?:\b(?:never|not|no longer|nothing|without|isnt|wasnt|didnt)|n't)\b (?!again)(?:\w+ ){0,2}(?:red|"
    r"broken?|fail\w*|wrong|revert\w*)",
    re.I,
)
