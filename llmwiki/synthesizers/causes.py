"""Which sentences of an agent explain why something was so, and which words of a user say that something is not.

Every table is data, in the languages that sessions are held in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmwiki.model import Session, Turn
from llmwiki.synthesizers import gate, phrases
from llmwiki.synthesizers.base import shorten
from llmwiki.synthesizers.events import arguments, is_shell
from llmwiki.synthesizers.shell import SOURCE

SHOWN = 80  # outputs that are looked through for what an explanation names
FAR = 400  # turns between an error and its cure that are read for its cause
NAMED = re.compile(
    r"`[^`\n]{2,}`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*|(?:[\w@.-]{1,80}/){1,40}[\w.-]+|"
    r"\b[\w-]{1,80}\.(?:[a-z]{1,4}|toml|yaml|json|lock)\b|--[a-z][\w-]+|\b[A-Z][A-Z0-9_]{3,}\b"
)
FOUND = re.compile(
    r"\b(?:I (?:can )?(?:see|found|understand|know|spotted)(?: now)? (?:the|what|why|that|it)|found (?:it|the)|"
    r"now I (?:see|understand)|there'?s (?:the|our|your) (?:bug|issue|problem|culprit)|caused by|because|turns out|"
    r"that'?s (?:the|why|it\b|because)|this (?:explains|is why|is because|means)|it seems|due to|"
    r"the (?:real |actual |root |underlying |main )*(?:issue|problem|bug|cause|culprit|reason|error|failure) "
    r"(?:is|was|here|comes|lies))\b"
    r"|(?:原因|问题)(?:是|在于|出在|就)|因为|由于|原因は|ため|ので"
    r"|\bweil\b|\b(?:das|der|die) (?:problem|liegt|grund|fehler|ursache)"
    r"|\b(?:le|la) (?:problème|souci|cause)\b|parce que|c'est (?:parce|pourquoi)|\b(?:el|la) (?:problema|"
    r"causa|fallo)\b"
    r"|\bporque\b|se debe|así que|donc\b|\balso muss\b",
    re.I,
)
ADMITTED = re.compile(  # an agent that names its own mistake says how a thing works here
    r"\b(?:culprit|my (?:mistake|change|fault|own|bad|`)|is mine|was mine|(?:I|I'd|I had) (?:overlooked|"
    r"missed|misread|"
    r"assumed|forgot|broke|confused|mixed up)|should(?:n'?t| not) have|I was wrong|wrongly|you'?re right|"
    r"my (?:version|code|edit|patch|rewrite|refactor\w*|first (?:try|attempt)))\b"
    r"|^(?:careful|caution|attention|achtung|watch out|heads[- ]up|warning|atención|cuidado|注意)\b ?[:,!—–]"
    r"|c'est ma faute|ma faute|culpa mía|meine schuld|我(?:忽略|搞错|误)|mein fehler|habe ich übersehen|"
    r"je me suis trompé|me equivoqué|見落と",
    re.I,
)
EXPLAINS = re.compile(
    r"\b(?:because|since|caused by|due to|instead of|rather than|no longer|never|only|missing|mismatch\w*|expects?|"
    r"expected|assumes?|overrid\w+|shadow\w+|ignor\w+|wrong|stale|already|without|lacks?|before|after|cannot|"
    r"not|no|but|"
    r"(?:does|is|was|are|were|do|did|has|have|had|could|can)(?:n'?t| not)|so|should be|needs? to be|always|"
    r"still|twice|"
    r"default(?:s|ed)?|fails?|breaks?|broke|conflicts?|drags?|pulls?|moved|kept?|keeps|strips?|drops?|"
    r"skip\w*|until)\b"
    r"|因为|由于|没有|不会|不是|缺少|默认|错误|ない|ません|そのまま|だけ|\b(?:nicht|kein\w*|sondern|ohne|erwartet|fehl\w+|löscht|nimmt|"
    r"braucht)\b"
    r"|\b(?:ne|pas|aucun\w*|sans|attend|manque)\b|\b(?:no|sin|falta|espera|cierra|nunca|mientras)\b",
    re.I,
)
OFFERED = re.compile(  # what could be done explains nothing
    r"\b(?:we|I|you) (?:can|could|should|might|may|need|want|will|would|'ll)\b|\bI'(?:d|ll)\b|\b(?:better|elegant\w*|"
    r"cleaner|simpler|approach|option|recommend\w*|suggest\w*)\b|可以|建议",
    re.I,
)
NARRATED = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|now|so|great|good|perfect|excellent|next|first|then|and|also|wait|actually|ah|hmm|right|"
    r"alright)\b[\s,.!:—-]*)*(?:let(?:'s| me| us)\b|I'?(?:ll| will| need| am going| want| have to|'?m going|'d)\b|"
    r"I should|we (?:can|need to|should|will)\b|to (?:fix|solve|do)|this (?:will|should)|(?:all|both|the) .{0,40}\b"
    r"(?:pass(?:es|ed|ing)?|fixed|works?|working)\b|fixed\b|done\b|updat\w+|add(?:ed|ing)\b|我(?:来|先|需要|将)|让我|现在"
    r"|ich (?:werde|stelle|baue|füge|mache)|je vais|voy a|vamos a|compris|entendu|d'accord|verstanden|entendido|"
    r"understood|got it|noted|了解|明白)",
    re.I,
)
BROKEN = re.compile(
    r"\b(?:fail(?:s|ed|ing|ures?)?|errors?|broken?|breaks?|bugs?|wrong|crash\w*|stuck|hangs?|issues?|problems?|"
    r"regression|exceptions?|weird|strange|unexpected\w*|missing|incorrect\w*|why (?:is|are|does|do|did)|"
    r"is red|(?:is|are|was|stays?|came up|comes up) (?:empty|blank)|nothing (?:happens|shows up|comes)|"
    r"[45]\d\d(?:s| on| for| errors?)|"
    r"(?:not|n'?t|stopped|no longer|never) (?:\w+ )?(?:work|show|load|updat|render|run|start|appear|pick|happen|find|"
    r"connect|build|compile|save)\w*|\d00ing|oom\w*|times? out|timing out|flaky|leaks?)\b"
    r"|报错|失败|错误|不对|没有?(?:生效|反应|显示)|エラー|動かない|失敗|おかしい|落ちる|されない|できない|出ない|なんで|오류"
    r"|\b(?:funktioniert nicht|fehler|kaputt|geht nicht)\b"
    r"|\b(?:ne (?:marche|fonctionne)|erreur|plante\w*|no funciona|falla|crashea\w*|error(?:es)?|roto)\b",
    re.I,
)
CLAIMED = re.compile(
    r"\b(?:done|deployed|pass(?:es|ed|ing)?|work(?:s|ing)|complete[d]?|ready|fixed|verified|flashed|in place|is in\b|"
    r"updated|committed|live|now (?:uses?|runs?|shows?|has)|excellent|success\w*|installed|applied|clean|"
    r"rolled out|green|"
    r"resolved|smaller|faster|no (?:errors|failures)|all (?:tests|good|set))\b"
    r"|完成|成功|已经?|しました|できました|erledigt|fertig|läuft|listo|hecho|terminé|c'est bon|funciona",
    re.I,
)
_OBJECTS = re.compile(
    r"\b(?:no|not|nope|still|old|though|but|only|smells?|instead|same|again|really|realy|hmm+|wait|empty|"
    r"nothing|none|"
    r"doesn'?t|isn'?t|didn'?t|don'?t|can'?t|aren'?t|wasn'?t|arent|isnt|doesnt|didnt|says?|shows?|see|"
    r"get(?:ting)?)\b|[?？]"
    r"|没|不|还是|まだ|ない|違|nicht|noch|immer|kein|toujours|encore|pas|rien|todavía|sigue|nada|aún",
    re.I,
)


_LACKS = re.compile(r"^\W*no (\w{3,})\b", re.I)


def explanations(turn: Turn, shown: Sequence[str], strict: bool = True) -> tuple[list[str], list[str]]:
    """The sentences of an agent's turn that explain something: those said as a finding, and the first of the others.

    `shown` is what tools were told and have printed: a name that stands in no output is a guess. With `strict` unset
    it is those that name nothing (somebody else's word then has to prove them).
    """
    said = gate.sentences(turn.text[:4_000])
    found_at = next((i for i, s in enumerate(said) if FOUND.search(s) or ADMITTED.search(s)), None)
    good = [
        (i, s)
        for i, s in enumerate(said)
        if explains(s, strict) and (_known(s, shown) if strict else not NAMED.search(s))
    ]
    strong = [i for i, _ in good if found_at is not None and found_at <= i <= found_at + 2]
    return [_leaning(said, i) for i in strong[:2]], [_leaning(said, i) for i, _ in good[:1]]


def _leaning(said: Sequence[str], i: int) -> str:
    """A sentence, with the one before it when it leans on it ("It is tagged slow"): alone it would say nothing."""
    before = said[i - 1] if i else ""
    own = re.match(r"(?:I|my|we)\b", said[i], re.I)  # what the agent did says little without how the thing works
    leans = _LEANS.match(said[i]) and (not own or (NAMED.search(before) and EXPLAINS.search(before)))
    fits = (
        len(before.split()) > 5
        and len(before) + len(said[i]) <= 320
        and not phrases.QUESTION.search(before)
        and not NARRATED.search(before)
    )
    return f"{before} {said[i]}" if before and leans and fits and not gate.refusal(before) else said[i]


def given(session: Session, first: int, last: int, about: Sequence[str] = ()) -> tuple[bool, list[tuple[Turn, str]]]:
    """What the agent gave as the cause of an error between the turn that showed it and another (their places), at most
    two sentences: those said as a finding anywhere, others only in its last words. And whether there was a finding.

    `about` are the error and what cured it: an explanation that has no name and no word in common with them is one of
    something else.
    """
    start = max(first + 1, last - FAR)
    between = session.turns[start:last]
    before = session.turns[max(0, first - 80) : first + 1]
    shown = [f"{t.text[:3_000]}\n{t.result[:6_000]}" for t in before if t.role == "tool"]
    told: list[tuple[Turn, str]] = []
    ending = next((t for t in reversed(between) if t.role == "assistant" and t.text.strip()), None)
    finding = False
    for at, turn in enumerate(between, start):
        if turn.role == "tool":
            shown.append(f"{turn.text[:3_000]}\n{turn.result[:6_000]}")
        elif turn.role == "assistant" and turn.text.strip():
            strong, weak = explanations(turn, shown[-SHOWN:])
            loose = explanations(turn, shown[-SHOWN:], strict=False)[0]
            heard = session.turns[max(0, at - FAR) : at]
            strong, loose, weak = (
                [s for s in group if _about(s, about) and not advises(s, heard)] for group in (strong, loose, weak)
            )
            finding = finding or bool(strong or loose)
            told += [(turn, s) for s in dict.fromkeys([*strong, *loose, *(weak if turn is ending else [])])]
    return finding, told[-2:]


def advises(sentence: str, heard: Sequence[Turn]) -> bool:
    """Whether an explanation lays down a rule, or passes on advice that stood in what the agent had read: `heard` are
    the turns before it. Nobody knows whether such advice is good; what only says what was wrong may speak."""
    return gate.rules(sentence) or any(_passes_on(sentence, t) for t in heard[-FAR:] if _from_outside(t))


def hearsay(session: Session, told: Sequence[tuple[Turn, str]]) -> str:
    """Why a record waits that rests on explanations which pass on advice; "" when none does."""
    at = {t.anchor: i for i, t in enumerate(session.turns)}
    heard = any(advises(text, session.turns[: at[turn.anchor]]) for turn, text in told)
    return "the cause repeats advice that a tool brought; confirm it" if heard else ""


def _from_outside(turn: Turn) -> bool:
    """Whether a tool brought text that somebody wrote: not the error of a command that failed, not code."""
    code = SOURCE.search(str(arguments(turn).get("file_path") or "")) if turn.role == "tool" else None
    return turn.role == "tool" and not code and not (turn.outcome.startswith("error") and is_shell(turn))


def _passes_on(sentence: str, turn: Turn) -> bool:
    """Whether a tool brought a sentence that tells its reader what to do, and this one says it after it: the same
    command, or that something must be done in a third of the same words."""
    named = [w.strip("`().:") for w in NAMED.findall(sentence)]
    commands = [name for name in named if " " in name]
    obliges = bool(_OBLIGES.search(sentence)) or gate.advises(sentence)
    if not (obliges or commands) or not any(name in turn.result for name in named):
        return False
    words = gate.distinctive(sentence)
    for line in gate.sentences(turn.result[:6_000]):
        if gate.advises(line[:400]) and any(name in line for name in named):
            shared = words & gate.distinctive(line[:400])
            near = obliges and len(shared) >= 2 and len(shared) * 3 >= len(words)
            if near or any(command in line for command in commands):
                return True
    return False


_OBLIGES = re.compile(
    r"\b(?:must|should|(?:have|has|had|needs?|required|necessary|ought) to|requires?|always|never|make sure|only works|"
    r"recommend\w*)\b|必须|必要|なければ|\b(?:muss|müssen|doit|faut|debe|hay que)\b",
    re.I,
)


def _about(sentence: str, about: Sequence[str]) -> bool:
    names = [w.strip("`().:") for w in NAMED.findall(sentence)]
    if not about or any(len(n) > 2 and n in text for n in names for text in about):
        return True
    words = gate.distinctive(sentence)
    return len(words & gate.distinctive(" ".join(about)[:12_000])) >= 2


def explains(sentence: str, strict: bool = True) -> bool:
    """Whether a sentence tells why, of something that it names (with `strict`)."""
    words = sentence.split()
    return (
        (5 <= len(words) <= 60 or (not sentence.isascii() and 12 <= len(sentence) <= 300))
        and bool(NAMED.search(sentence) or not strict)
        and bool(
            EXPLAINS.search(sentence)
            or ADMITTED.search(sentence)
            or (not sentence.isascii() and FOUND.search(sentence))
        )
        and not NARRATED.search(sentence)
        and not OFFERED.search(sentence)
        and not phrases.QUESTION.search(sentence)
        and not sentence.rstrip().endswith((":", "："))
        and not gate.refusal(sentence)
    )


def titled(told: Sequence[str], about: str) -> str:
    """The last explanation that stands alone as the title of a lesson; when none does, with what it is about before
    it."""
    lines = [_bare(cause) for cause in told]
    alone = [line for line in lines if not _LEANS.match(line)]
    return shorten(alone[-1] if alone else f"{about.rsplit('/', 1)[-1]}: {lines[-1]}")


_LEANS = re.compile(  # a sentence whose subject stands in the one before it, or is the agent
    r"(?:it|(?:this|that|these|those) (?:is|was|are|were|means|has|had|can|will|would|does|makes|breaks|fails)|they|"
    r"there|nothing|none|both|neither|which|so|then|otherwise|I|my|we|our|"
    r"es|das|dies\w*|sie|ich|ça|cela|ce|il|elle|je|esto?|eso|yo|это|он|она|я|它|这|那|我|それ|これ)\b"
    r"|(?:[它这那我]|それ|これ)",
    re.I,
)


def _bare(cause: str) -> str:
    """An explanation without the words that lead to it."""
    line = re.sub(
        r"^\W*(?:(?:so|but|and|now|ah|great|good|actually|yes|wait|found it|I see|got it|you'?re right|sorry)\b"
        r"[\s,!:—-]*)+",
        "",
        " ".join(cause.split()),
        flags=re.I,
    )
    line = re.sub(
        r"^(?:the (?:issue|problem|bug|cause|reason)(?: here)?(?: is| was|:| [-–—])(?: here)?(?: that)?|"
        r"it (?:seems|turns out)(?: that)?|"
        r"I see(?: that)?)\s+",
        "",
        line,
        flags=re.I,
    )
    return line[:1].upper() + line[1:]


def _known(sentence: str, shown: Sequence[str]) -> bool:
    names = [w.strip("`().:") for w in NAMED.findall(sentence)]
    return any(name in text for text in shown for name in names)


def reports(turn: Turn) -> bool:
    """Whether the user says that something is broken."""
    if turn.origin not in ("typed", "queued") or gate.template(turn.text):
        return False
    return bool(BROKEN.search(gate.own_words(turn.text)[:1_200]) or TRACE.search(turn.text[:8_000]))


TRACE = re.compile(
    r"^(?:[\w.-]+\s*\|\s*)?(?:Traceback \(most|[\w.]+(?:Error|Exception): |error(?:\[\w+\])?: |panic: )", re.M
)


def objects(turn: Turn, before: Sequence[Turn]) -> bool:
    """Whether the user doubts in few words what the agent had just called done: not a rule, not a new task."""
    words = gate.own_words(turn.text)
    claimed = next((t for t in reversed(before) if t.role == "assistant"), None)
    if turn.origin not in ("typed", "queued") or claimed is None or not CLAIMED.search(claimed.text[-800:]):
        return False
    if len(words) > 240 or not _OBJECTS.search(words) or phrases.REQUEST.search(words):
        return False
    first = (gate.sentences(words) or [words])[0]
    lacks = _LACKS.match(words)
    if lacks and lacks[1].lower() in claimed.text.lower():
        return True  # "no flash" of what was called done with a flash
    rule = phrases.marks(first).keys() & {"standing", "prohibition", "decision", "contrast"}
    return not rule and not phrases.THANKS.search(words) and not phrases.ASSENT.match(words)
