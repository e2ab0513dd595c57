"""The page of an imported file -> drafts: one record a statement, citing its line.

A file that tells agents what to do (`CLAUDE.md` and its kind), which a person named, is that person's word: its records
are active and user-said, as if told to `remember`. Of any other file what is so waits a day like every fact, and what
it advises waits for a person. What the gate holds (a download piped to a shell, credentials, switched-off checks)
waits for a person wherever it stands.

A command without more around it is a fact, an order or a prohibition a preference. A statement that says little alone
("`make test`" under "Tests") takes the words of its heading, and cites its line too; below "Don't" it keeps the no.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from llmwiki import verify
from llmwiki.model import Claim, Evidence, Record, RecordType, Session, State, Turn
from llmwiki.prose import code, folded, inert
from llmwiki.schema import TYPES
from llmwiki.synthesizers import gate, mood, phrases
from llmwiki.synthesizers.base import Drafts, Gathering, cite, draft, shorten
from llmwiki.synthesizers.statements import ITEM, names_what_follows, parser

ADVICE = "advice from a file; confirm it"
_LONG, _SENTENCES = 320, 3  # a paragraph beyond these is taken sentence by sentence
_MOST = 600  # characters of one sentence or item that may be a statement
_QUOTE, _LINES = 420, 12
_BINDING = frozenset(("standing", "prohibition", "contrast", "obligation", "order", "reversal"))
_ALWAYS_RULE = frozenset(("standing", "prohibition", "contrast", "order"))
_LEAD = re.compile(r"^(?:[\w`][^:.!?]{0,40}: +|(?:please|also|then|and|so|but|now) +|[^\w`]+(?=\w))+", re.I)
_ORDER = re.compile(
    r"(?:add|adhere|aim|align|annotate|apply|ask|assume|avoid|break|bump|call|catch|check|choose|clean|commit|confirm|"
    r"consult|convert|copy|create|declare|default|define|delete|document|don'?t|do not|do|edit|enable|ensure|escape|"
    r"explain|export|extract|favou?r|fix|follow|format|generate|group|handle|ignore|implement|import|include|indent|"
    r"inject|install|keep|leave|limit|log|make|match|mark|mention|merge|minimi[sz]e|mock|move|name|never|no|note|only|"
    r"open|order|organi[sz]e|pass|pin|place|prefer|prefix|preserve|pull|push|put|quote|raise|rebase|refer|reference|"
    r"remember|remove|rename|replace|report|return|reuse|review|run|separate|set|sort|split|squash|start|stay|stick|"
    r"stop|store|structure|tag|test|throw|treat|try|update|use|validate|verify|wait|wrap|write|"
    r"always)\b(?! (?:is|are|was|were)\b)",
    re.I,
)
_RUNS = re.compile(r"(?:run|execute|start|launch|build|test|type|install|do|lint|format|check|deploy|migrate)\b", re.I)
_ON = re.compile(
    r"\b(?:before|after|on) (?:\w+ )?(?:commit|push|merg|deploy|chang|edit|pull|releas)\w*|\b(?:before|after) you\b|"
    r"\b(?:every|each) (?:time|commit|change|push|session)\b",
    re.I,
)
_SO = re.compile(
    r"\b(?:is|are|was|were|has|have|lives?|runs?|uses?|sits?|stands?|stores?|stored|requires?|needs?|depends?|supports?|"
    r"contains?|holds?|handles?|returns?|reads?|writes?|listens?|serves?|deploys?|deployed|hosted|generated|expects?|"
    r"means?|points?|goes|go|can(?:not|'t)?|ist|sind|liegt|läuft|est|sont|es|son|está)\b|[:=→–—]|是|在|使用|です|ます",
    re.I,
)
_CONCRETE = re.compile(
    r"`[^`]+`|https?://\S|(?:[~.\w@-]{0,80}/)[\w.@+-]+|\b[\w-]{1,80}\.[a-z]{2,5}\b|--?[a-z][\w-]+|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*|"
    r"\b[A-Z]{2,}\w*\b|\b\d[\d.]*\b|(?<=\w )[A-Z]\w+"
)
_NARRATION = re.compile(
    r"^(?:this (?:document|guide|section|page|file|readme|repository|repo|project|directory|folder) (?:describes?|"
    r"explains?|contains? (?:notes|guid|instruct|information|everything)|covers?|provides?|documents?|lists?|shows?|"
    r"is intended)|welcome to|in this (?:section|guide|document)|below (?:is|are)|the following|here (?:is|are)|"
    r"(?:see|refer to|read|check out|visit)(?: also)? (?:the |our )?[\[\w`]|"
    r"for (?:more|further|details|a list)|(?:i|we) (?:just |then |also |have )*(?:added|fixed|implemented|updated|"
    r"refactored|created|noticed|found|tried|wrote|built)\b|(?:added|fixed|implemented|updated|refactored|changed) )",
    re.I,
)
_BOILERPLATE = re.compile(r"provides? guidance to (?:claude|codex|gemini|ai|coding|agents?)\b", re.I)
_PLATITUDE = re.compile(
    r"^\W*(?:(?:always|please|make sure to|ensure|try to|you should)\s+)*(?:write|keep|produce|ensure|follow|use|"
    r"maintain|strive for|aim for|apply)\s+(?:(?:the|your|clean|readable|maintainable|good|high[- ]quality|quality|"
    r"well[- ]structured|well[- ]tested|best|robust|efficient|scalable|simple|clear|elegant|industry|"
    r"standard|and|of)[\s,]+)*"
    r"(?:code|code ?base|practices?|quality|standards?|principles?|readable|clean|maintainable|simple|solutions?)\W*$",
    re.I,
)
_OWN = re.compile(
    r"\bllmwiki (?:context|remember|search|sync|show|why)\b|^Quoted notes from earlier sessions:|"
    r"^Mode: \w+\. Not searched:"
)
_NEGATIVE = re.compile(
    r"^\W*(?:do ?n[o']?t'?s?|do not|don'?ts?|avoid|never|forbidden|prohibited|anti-?patterns?|not allowed|bad|"
    r"what not to do|things to avoid|out of scope)\b|❌|🚫", re.I
)  # fmt: skip
_DULL = frozenset("overview introduction general misc notes contents readme other about".split())


@dataclass(slots=True)
class _Page:
    """One pass over a page: what stands above the statement at hand."""

    found: Gathering
    file: str
    named: bool
    loaded: bool
    ours: Collection[str]
    headings: list[tuple[int, Turn]] = field(default_factory=list)
    labels: list[tuple[int, Turn]] = field(default_factory=list)

    def above(self) -> Turn | None:
        """The line that names what stands below it: the nearest label, else heading."""
        return self.labels[-1][1] if self.labels else self.headings[-1][1] if self.headings else None


@dataclass(frozen=True, slots=True)
class _Said:
    """A statement in words: its first line, the lines below it, and whether it is commands of a shell."""

    head: str
    below: tuple[str, ...] = ()
    shell: bool = False
    label: str = ""


def drafts(session: Session, file: str, named: bool, loaded: bool, ours: Collection[str] = ()) -> Drafts:
    """The records that a file's page gives. `named`: a person named a file that tells agents what to do; `loaded`: an
    agent loads it by itself; `ours`: statements that we wrote into such files, folded."""
    page = _Page(Gathering(session), file, named, loaded, ours)
    for turn in session.turns:
        _turn(page, turn)
    return Drafts(tuple(page.found.records), dict(page.found.refused))


def _turn(page: _Page, turn: Turn) -> None:
    text = turn.text
    if heading := re.match(r"(#{1,6}) ", text):
        level = len(heading[1])
        page.headings = [*(h for h in page.headings if h[0] < level), (level, turn)]
        page.labels = []
        return
    indent = len(text) - len(text.lstrip())
    item = ITEM.match(text)
    inside = item or text.startswith(("```", "~~~"))
    page.labels = [(depth, label) for depth, label in page.labels if depth < indent or (depth < 0 and inside)]
    bare = text[item.end() :] if item else text
    if "\n" not in bare and not inside and bare.rstrip().endswith((":", "：")) and len(bare.split()) <= 14:
        page.labels = [(-1, turn)]  # a line before a list or a block of code
    elif item and "\n" not in bare and names_what_follows(bare):
        page.labels.append((indent, turn))
    elif folded(text) in page.ours or _OWN.search(folded(text)):
        page.found.refuse("own")
    else:
        for said in _told(text, page.named):
            _statement(page, turn, said)


# -- what a part of a file says


def _told(text: str, whole: bool) -> Iterator[_Said]:
    """The statements of one part: all of an item or a short paragraph, each sentence of a long one."""
    if text.startswith(("```", "~~~")):
        yield _shell(text)
    elif text.startswith("|"):
        yield _row(text)
    elif ITEM.match(text):
        numbered = re.match(r"\s*\d", text) is not None
        lines = spoken(text)
        if lines:
            steps = numbered and len(lines) > 1
            yield _Said("" if steps else lines[0], tuple(lines if steps else lines[1:])[:_LINES])
    else:
        lines = _joined(gate.sentences(" ".join(spoken(text))))
        if whole and len(lines) <= _SENTENCES and sum(map(len, lines)) <= _LONG:
            lines = [" ".join(lines)]
        yield from (_Said(line) for line in lines)


def _joined(lines: Sequence[str]) -> list[str]:
    """The sentences with the halves of one that has a semicolon put together: what not to do, and what instead."""
    out: list[str] = []
    for line in lines:
        if out and out[-1].endswith(";") and len(out[-1]) + len(line) <= _MOST:
            out[-1] += f" {line}"
        else:
            out.append(line)
    return out


def spoken(text: str) -> list[str]:
    """The words of a Markdown text, a line for each of its parts: without emphasis, images and HTML, code as code."""
    lines = []
    for token in parser().parse(text):
        if token.type == "inline":
            lines.append(folded("".join(_words(token.children or ()))))
        elif token.type == "fence" and len(said := token.content.strip().split("\n")) <= 3:
            lines += [code(line) for line in said if line.strip()]
    return [line for line in lines if line]


def _words(tokens: Sequence[object]) -> Iterator[str]:
    href = ""
    for token in tokens:
        kind, content = getattr(token, "type", ""), getattr(token, "content", "")
        if kind == "text":
            yield content
        elif kind == "code_inline":
            yield code(content)
        elif kind in ("softbreak", "hardbreak"):
            yield " "
        elif kind == "link_open":
            href = str(getattr(token, "attrs", {}).get("href", ""))
        elif kind == "link_close" and href.startswith("http"):
            yield f" ({href})"


def _shell(text: str) -> _Said:
    """Commands, joined where they go on, and what their comment says they do."""
    label, ran = "", list[str]()
    for line in re.sub(r"\\\n\s*", "", "\n".join(text.split("\n")[1:-1])).split("\n"):
        said = re.sub(r"^[$❯] ", "", line.strip())
        if said.startswith("#"):
            label = label or said.lstrip("# ").rstrip(":. ")
            continue
        command, _, comment = said.partition(" # ")
        label = label or comment.strip().rstrip(":. ")
        ran.append(code(command.strip()))
    return _Said(ran[0], tuple(ran[1:_LINES]), True, label) if ran else _Said("")


def _row(text: str) -> _Said:
    cells = [" ".join(spoken(cell)) for cell in _cells(text.strip("| "))]
    first, *rest = [cell.strip() for cell in cells if cell.strip()] or [""]
    return _Said(f"{first}: {'; '.join(rest)}" if rest else first)


def _cells(row: str) -> list[str]:
    """The cells of a table's row: a bar behind a backslash, or with an odd number of backticks behind it, is text."""
    left, start, cells = row.count("`"), 0, list[str]()
    for mark in re.finditer(r"`|(?<!\\)\|", row):
        left -= mark[0] == "`"
        if mark[0] == "|" and left % 2 == 0:
            cells.append(row[start : mark.start()])
            start = mark.end()
    return [*cells, row[start:]]


# -- a statement becomes a record


def _statement(page: _Page, turn: Turn, said: _Said) -> None:
    above = page.above()
    name = _name(above)
    whole = " ".join([said.label, said.head, *said.below]).strip()
    if len(said.head) > _MOST or len(whole) > 4 * _MOST:
        page.found.refuse("too long")  # before any pattern looks at it
        return
    labelled = bool(page.labels and page.labels[-1][0] >= 0)
    lead, cited = _lead(said, name, labelled)
    if reason := _refused(page, turn, said, whole, name):
        page.found.refuse(reason)
        return
    advises = _advises(said, lead)
    kind = RecordType.PREFERENCE if advises else RecordType.FACT
    turns = [turn, *([above] if cited and above else [])]
    section, proof = (TYPES[kind].sections[0], "Said" if advises else "Evidence")
    below = () if said.shell else said.below if said.head else said.below[1:]
    claims = [Claim(section, inert(_held_by(lead, turns)), cite(page.found.session, *turns))]
    claims += [Claim(section, inert(_held_by(line, [turn])), cite(page.found.session, turn)) for line in below]
    claims.append(Claim(proof, f'"{inert(_verbatim(turn))}"', cite(page.found.session, turn)))
    page.found.records.append(_record(page, kind, shorten(lead.rstrip(" .:：")), claims, whole, advises))


def _record(page: _Page, kind: RecordType, title: str, claims: list[Claim], whole: str, advises: bool) -> Record:
    """The draft. A person's word is active at once, a fact as well; what another file says waits."""
    held = gate.held(whole) or ("" if page.named or not advises else ADVICE)
    evidence = Evidence.USER_SAID if page.named else Evidence.INFERRED
    named = [_name(turn) for level, turn in page.headings if level > 1]
    tags = [t.lower()[:40] for t in named[-1:] if t.lower() not in _DULL]
    under = f", under {named[-1]}" if named else ""
    record = draft(page.found.session, kind, title, f"In {page.file}{under}.", claims, evidence, tags=tags, held=held)
    if page.named and not held and not record.reason:
        record = replace(record, state=State.ACTIVE, quarantine_until="")
    return record


def _name(above: Turn | None) -> str:
    """What a heading or a label is called, without its marks."""
    if above is None:
        return ""
    lines = spoken(above.text)
    return lines[0].strip(" :：*_#") if lines else ""


def _lead(said: _Said, name: str, labelled: bool) -> tuple[str, bool]:
    """The first line of a statement, and whether the line above it is part of what it says."""
    if said.shell:
        ran = ", then ".join([said.head, *said.below])
        label = said.label or name
        return (f"{label}: {ran}" if label else ran), not said.label and bool(name)
    if not said.head:
        first = said.below[0] if said.below else ""
        return (f"{name}: {first}" if name else first), bool(name)
    negative = _NEGATIVE.search(name) or said.head.startswith(("❌", "🚫"))
    if (
        negative
        and "prohibition" not in phrases.marks(said.head)
        and not said.head.lower().startswith(("never", "no "))
    ):
        words = name if name and _NEGATED.match(name) else "Avoid"
        return f"{words} – {said.head.lstrip('❌🚫 ')}", bool(name)
    without_code = re.sub(r"`[^`]*`", " ", said.head)
    bare = len(gate.distinctive(without_code)) < 2 and ": " not in said.head and not _ORDER.match(said.head)
    return (f"{name}: {said.head}", True) if (bare or labelled) and name else (said.head, False)


_NEGATED = re.compile(r"^(?:avoid|never|do not|don'?t)$", re.I)


def _advises(said: _Said, lead: str) -> bool:
    """Whether a statement tells somebody what to do, rather than what is so or how something is run."""
    if said.shell:
        return False
    text = said.head or " ".join(said.below)
    if not re.search(r"\w", mood.told(lead)):
        return False  # "the build never takes longer" is so, and orders nothing
    body = _LEAD.sub("", text) or text
    marks = phrases.marks(" ".join([lead, *said.below]))
    ran = "`" in text and (_RUNS.match(body) or body.startswith("`"))
    if ran and not marks.keys() & _ALWAYS_RULE and not _ON.search(text):
        return False
    decided = "decision" in marks and not re.match(r"(?:the|this|it|our|we) ", body, re.I)
    return bool(_ORDER.match(body) or marks.keys() & _BINDING or decided or _NEGATIVE.match(lead))


def _refused(page: _Page, turn: Turn, said: _Said, whole: str, name: str) -> str:
    """Why a statement becomes no record; "" when it does."""
    words = f"{name} {whole}" if said.shell or not said.head else whole
    if reason := gate.refusal(turn.text if said.shell or ITEM.match(turn.text) else whole):
        return reason
    if _BOILERPLATE.search(whole):
        return "template"
    if re.match(r"\[[ xX]\] ", said.head):
        return "transient"
    if phrases.PLATITUDE.search(whole) or _PLATITUDE.match(whole):
        return "platitude"
    advises = _advises(said, said.head)
    if phrases.QUESTION.search(said.head) or (_NARRATION.match(whole) and not _told_firmly(whole)):
        return "narration"
    if not gate.distinctive(words) or (len(words.split()) < 2 and words.isascii()):
        return "narration"
    if said.shell or (page.named and ITEM.match(turn.text)) or turn.text.startswith("|"):
        return ""
    firm = advises if page.named else _told_firmly(whole)
    so = _CONCRETE.search(whole) and (_SO.search(whole) or "`" in whole)
    return "" if firm or (so and not advises) else "narration"


def _told_firmly(text: str) -> bool:
    return bool(phrases.marks(text).keys() & (_ALWAYS_RULE | {"obligation"}))


def _held_by(line: str, turns: Sequence[Turn]) -> str:
    """The line, or, where its names read otherwise in the file (escapes, entities), the words as they stand there."""
    there = "\n".join(verify.searchable(t) for t in turns)
    even = (" ".join(t.replace("\\", "/").split()).casefold() for t in verify.tokens(inert(line)))
    return line if all(token in there for token in even) else _verbatim(turns[0])


def _verbatim(turn: Turn) -> str:
    """The words of a turn as they stand in the file, without its list mark or fence."""
    text = "\n".join(turn.text.split("\n")[1:-1]) if turn.text.startswith(("```", "~~~")) else turn.text
    return shorten(ITEM.sub("", folded(text), count=1).strip("| "), _QUOTE)
