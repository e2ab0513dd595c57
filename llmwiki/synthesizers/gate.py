"""What may not become memory, and what waits for a person. Every refusal has a reason, and every reason is counted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llmwiki.polarity import dull
from llmwiki.prose import code_spans
from llmwiki.synthesizers import pasted, phrases
from llmwiki.words import terms

OWN = re.compile(r"llmwiki-memory|\[\[[^\[\]]+#\^t\d+\]\]|\[[a-z0-9]+(?:-[a-z0-9]+)+-[0-9a-f]{4}\]\s*$")
# Where a page of ours begins in what somebody pasted: the head of a page, or a turn of a raw page.
_PAGE = re.compile(
    r"^(?:---\n(?:[a-z_]+: .*\n){2,}|## t\d+(?:-\d+)? · (?:user|assistant|tool|summary|system)\b|\S+Z \^t\d+$)", re.M
)
PLACEHOLDER = re.compile(
    r"\[(?:[A-Z][A-Z0-9_ ]{3,}|TODO|TBD|name|your [^\[\]]+|insert [^\[\]]+)\]|<(?:your|insert|"
    r"placeholder)[^<>]*>|\{\{[^}]{0,200}\}\}|\$ARGUMENTS|\bTODO\b|\bTBD\b|\blorem ipsum\b|NEEDS CLARIFICATION|"
    r"\bXXX\b"
)
SECRET = re.compile(
    r"\[redacted:[^\[\]]*\]|-----BEGIN [A-Z ]*PRIVATE KEY|\b(?:sk|ghp|gho|xox[abp]|AKIA|AIza)[-_A-Za-z0-9]{16,}\b"
)
CREDENTIALS = "credentials"
HELD: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "a download piped to a shell",
        re.compile(
            r"\b(?:curl|wget|iwr|invoke-webrequest|fetch)\b[^\n]{0,300}?\|\s*(?:sudo\s+)?(?:ba|z|da|"
            r"fi)?sh\b|\biex\b|\b(?:ba|z)?sh\s+(?:-c\s+\S{0,3}\$\(|<\()\s*(?:curl|wget)|"
            r"\b(?:curl|wget|iwr|irm)\b[^\n]{0,300}?\|\s*(?:sudo\s+)?(?:env\s+)?(?:python|node|perl|ruby|php|"
            r"pwsh)[\d.]*\b|"
            r"\b(?:curl|wget|iwr)\b[^\n]{0,300}?(?:>|\s-[a-zA-Z]*[oO]\b|--output\b)[^\n]{0,200}?(?:;|&&|"
            r"\n)\s*(?:sudo\s+)?"
            r"(?:(?:ba|z|da)?sh|python\d?|node|source|\.)\s|\b(?:curl|wget)\b[^\n]{0,300}?chmod [^\n]{0,60}\+x|"
            r"(?:\beval|\bsource|\s-[ce]|(?:^|[\s`])\.)\s+\S{0,3}(?:\$\(|<\(|`)\s*(?:curl|wget)\b",
            re.I,
        ),
    ),
    (
        CREDENTIALS,
        re.compile(
            r"\b(?:password|passwd|passwort|mot de passe|contraseña|secret|token|api[_ -]?key|access[_ "
            r"-]?key|private key|credentials?)\b"
            r"(?: (?:for|of|on|to|für|von|auf|de|pour|para) (?:the |der |die |das |la |le )?[\w-]{1,40}){0,2}\s*"
            r"(?:is|=|:|ist|lautet|est|es)\s*\S{4,}|密码(?:是|为|：)|パスワードは|"
            r"\b(?:api[ _-]?key|access[ _-]?key|password|passwort|kennwort|mot de passe|contraseña|secret|token)\b"
            r"[\s:=\"'`]+(?=[\w-]{0,80}\d)(?=[\w-]{0,80}[A-Za-z])[\w-]{10,}|"
            r"https?://[^\s/@:]+:[^\s/@]+@",
            re.I,
        ),
    ),
    (
        "a switched-off check",
        re.compile(
            r"--no-verify\b|--no-gpg-sign\b|--insecure\b|--skip-tests?\b|--no-check\b|-DskipTests|"
            r"--disable-(?:web-)?security|--dangerously\S*|\bverify\s*=\s*False|StrictHostKeyChecking[= "
            r"]no|NODE_TLS_REJECT_UNAUTHORIZED|GIT_SSL_NO_VERIFY|http\.sslVerify false|"
            r"\bcurl\b[^\n|]{0,80} (?:-k|-\w*k\w*)\b|chmod (?:-R )?[0-7]?777\b|(?:--force|"
            r"-f)\b[^\n]{0,40}\bpush\b|\bpush\b[^\n]{0,60}(?:--force\b(?!-with)| -f\b)|\b(?:disable|skip|"
            r"turn off|switch off|bypass|ignore) (?:the |all |any )?"
            r"(?:tests?|checks?|hooks?|lint(?:er|ing)?|type ?checks?|security|certificate|ssl|tls|auth\w*|"
            r"verification|validation|sandbox|firewall|selinux|gatekeeper)|--trusted-host\b|strict-ssl[= ]+false|"
            r"\bgit commit\b[^\n]{0,80}? -\w*n\b|\bHUSKY=0\b|maven\.test\.skip|\s-x test\b|"
            r"UserKnownHostsFile=/dev/null|"
            r"--skip-tls\S*|--validate=false\b|\bufw disable\b|NOPASSWD|--privileged\b|core\.hooksPath|"
            r"\bpush \S+ \+\w|--(?:extra-)?index-url http:|\binstall\b[^\n]{0,40} (?:git\+)?https?://(?!github\.com)|"
            r"\b(?:verify|verification|checking|ssl|tls)\b (?:is |set )?(?:to )?(?:false|off)\b|sslVerify=false|"
            r"--no-check-certificate\b|--allow-unauthenticated\b|setenforce 0|rm -rf (?:/|~|"
            r"\$HOME)(?:\s|$)|--yolo\b|bypassPermissions|--break-system-packages",
            re.I,
        ),
    ),
)

_LOG = re.compile(
    r"^\s*+(?:\S+:\d+(?::\d+)?[:\s]|\[[^\]]*\] ?\S+|##\[|(?:Error|Warning|Fatal|Run|Traceback|PASS|FAIL|npm|"
    r"info|warn|error)\b[:!]? \S+[/@:(]|Error: |with:$|[\u2190-\u2bff\U0001f300-\U0001faff]|"
    r"\d{1,2}:\d\d(?::\d\d)?|\d{4}-\d\d-\d\d|\d\d-\d\d \d\d:\d\d|(?:PHP )?(?:Fatal|Parse|Uncaught) [Ee]rror:\s|"
    r"[\w.$\\]{0,160}[a-z](?:Error|Exception): |\[?\d{2}/\w{3}/\d{4}|at \S+ \(|File \"|Traceback|"
    r"[^\s@]+@\S+[:~#$]|[$>❯➜#]\s|[+-]{3} |@@ |diff --git|index [0-9a-f]{6}|\{|\}|\[\{|</?\w+[\s>]|<!|\||"
    r"[✓✗✔✖]|(?:INFO|WARN|WARNING|ERROR|DEBUG)\b[ :\]|]"
    r"|(?:import|from|const|let|var|def|class|function|public|private|return|#include|package|using) "
    r".*[;:({]\s*$|[\w.\[\]'\"]+ = .*|.*[;{}]\s*$|\S+: \d+(?:px|em|%)?;)"
)
_TAGGED = re.compile(r"<(?P<tag>[A-Za-z][\w-]{2,40})(?:\s[^>]*)?>.*?</(?P=tag)>", re.S)
# What an adapter says of an attachment.
_ATTACHED = re.compile(r"\[(?:image|document|audio|file)(?: [\w/.+#-]+)?\]", re.I)
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.S | re.M)
_CONTINUED = re.compile(r"\\(?=\n|$)")  # a backslash at a line's end is how some terminals enter a new line
_IDE = re.compile(r"\A# Context from my IDE setup:.*?^## My request for Codex:\s*", re.S | re.M)
# A writer without capitals ends a sentence all the same: behind a word of three letters, or an exclamation.
_SENTENCE = re.compile(
    r"(?<=[a-zа-я][a-zа-я][a-zа-я][.?])\s+(?=[a-zа-я])|(?<=[)\]`\"'][.?])\s+(?=[a-zа-я])|(?<=!)\s+|(?<=[.!?])[\"')\]]*\s+(?=[\"'(`@]?[A-ZÀ-ÞА-Я0-9`@])|(?<=[。！？])|\n+|(?<=;)\s+(?=\w{3})"
)
_ABBREVIATION = re.compile(r"\b(?:e\. ?g|i\. ?e|etc|vs|z\.B|bzw|cf|resp|approx|no)\.\s*$", re.I)
_STRUCTURED = re.compile(
    r"^[^\S\n]*(?:#{1,4} |\*\*|\d+\.\s+\*\*|[\u2600-\u27bf\U0001f300-\U0001faff]|(?:File|Location|Line|Severity|"
    r"Issue|Step|Note)s?\b ?\d*: ?|---+$|\|.*\|$)",
    re.M,
)
PASTE = 1_200  # characters from which a prompt's later part is taken for pasted text


def held(text: str) -> str:
    """Why a text waits for a person even when the user said it; "" when nothing speaks against it."""
    return next((reason for reason, pattern in HELD if pattern.search(text)), "")


def rules(text: str) -> bool:
    """Whether an output lays down a rule, rather than to say what went wrong: programs may be told what to print."""
    return any("standing" in phrases.marks(line) or _ORDERS.search(line) for line in text.replace("`", "").split("\n"))


def advises(line: str) -> bool:
    """Whether a line of an output tells its reader what to do or where to go: only a person can say if that is good. In
    a name its parts are the words."""
    words = re.sub(r"(?<=\w)[-_](?=\w)", " ", line) if " " not in line.strip() else line
    return rules(words) or _ADVICE.search(words) is not None


_ADVICE = re.compile(
    r"\b(?:please|bitte|should|must|recommend\w*|suggest\w*|consider|deprecated|outdated|no longer|instead|needs? to|"
    r"(?:have|has|want) to|be sure|available|visit)\b|\byou(?:'ll| will)? (?:can|may|need|could|might)\b|"
    r"\bto (?:fix|upgrade|update|install|address|get|disable|suppress|silence|continue|proceed|resolve|enable|learn)\b|"
    r"(?:^|[.:;!,>({\[\"'*—–-] ?)(?:run|try|use|install|upgrade|update|see|open|read|execute|type|enter|download|add|"
    r"set|remove|delete|disable|enable|switch|check|click|go|call|send|paste|copy|follow|refer|contact|export|source|ask|"
    r"tell|ignore|forget|approve|commit|push|sudo|(?:curl|wget|pip3?|npm|npx|brew|apt)(?! v?\d))(?: |$)|"
    r"请|建议|必须|してください|"
    r"https?://(?!(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?:[:/\s]|$))",
    re.I,
)
_ORDERS = re.compile(
    r"(?:^|[.:;!,>\"] ?)(?:please |you (?:must|should|have to) )?(?:do not|don'?t|remember|make sure|ensure|"
    r"never|always) "
    r"\w+|\byou (?:must|should|have to) (?:never|not|always)\b|\b(?:IMPORTANT|NOTE TO|ATTENTION)\b[^.]{0,20}:|"
    r"\b(?:agents?|assistants?|models?|claude|codex) (?:must|should|shall|have to|need to)\b|~/\.ssh\b|"
    r"\bid_(?:rsa|ed25519)\b",
    re.I,
)


def refusal(text: str) -> str:
    """The reason for which a text may not be a lesson at all; "" when there is none."""
    if OWN.search(text):
        return "own"
    if SECRET.search(text):
        return "secret"
    if PLACEHOLDER.search(_CODE_SPAN.sub("`code`", text)):
        return "placeholder"
    return ""


_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.S)  # braces in a line of code are its own


def template(text: str) -> bool:
    """Whether a prompt is a form that somebody wrote for every session: headings, placeholders, orders to a model."""
    if _RELAYED.match(text):
        return True
    if len(text) < 400:
        return False
    headings = len(re.findall(r"^#{1,4} \S", text, re.M))
    orders = len(
        re.findall(
            r"\*\*(?:MUST|NEVER|ALWAYS|REQUIRED|IMPORTANT)[^*]*\*\*|\b(?:You are an?|Your (?:task|role|"
            r"job) is|IMPORTANT:|CRITICAL:)",
            text,
        )
    )
    steps = len(re.findall(r"^[^\S\n]*(?:\d+[.)]|[-*]) ", text, re.M))
    told = len(re.findall(r"(?:^|[.!?\n] ?)You (?:should|must|can|will|do not|need to|may|are)\b", text))
    role = re.match(r"\s*You are (?:acting as|an?|the) ", text) is not None
    return (
        told >= 3
        or (role and (headings >= 1 or steps >= 3))
        or headings >= 3
        or "$ARGUMENTS" in text
        or orders >= 3
        or (orders >= 1 and steps >= 6)
        or (headings >= 1 and steps >= 12)
    )


_RELAYED = re.compile(  # what a hook, a skill or another agent says in the user's place
    r"\s*(?:Stop hook feedback:|Base directory for this skill:|Another agent\b|Message from (?:agent|teammate)\b)", re.I
)
_HANDED = re.compile(  # a line that hands over to somebody else's words
    r"\b(?:docs?|documentation|issue|ticket|e-?mails?|slack|message|review|comment|logs?|output|error|"
    r"article|post|spec|"
    r"readme|text|help|von|from)\b[^:]{0,40}:\s*$|^(?:von|from|betreff|subject|de|objet|asunto): ",
    re.I,
)


def own_words(text: str) -> str:
    """What the user typed of a prompt: without tags, code, quotes, logs, and what was pasted behind it."""
    text = _IDE.sub("", _CONTINUED.sub("", text[: 8 * PASTE]))
    if ours := _PAGE.search(text):
        text = text[: ours.start()]
    text = text[: pasted.start(text)]
    text = _ATTACHED.sub(" ", _FENCED.sub("\n\n", _TAGGED.sub("\n", text)))
    if len(text) > 500 and len(parts := list(_STRUCTURED.finditer(text))) >= 3:
        text = text[: parts[0].start()]  # a report with headings and marks was pasted: what stands before was typed
    kept: list[str] = []
    gap = log = logged = False
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not line.strip():
            gap, log = True, False
            continue
        if (kept and _HANDED.search(kept[-1]) and not _bulleted(line)) or _HANDED.match(line):
            break
        if kept and gap and _announces(kept[-1], lines[number:]):
            kept += _behind(lines[number:])
            break
        gap = False
        log = log or bool(_LOG.match(line))
        logged = logged or log
        if not log and not (logged and line[0].isspace()) and not _quoted(line):
            kept.append(line.strip())
        if sum(map(len, kept)) > PASTE:
            break
    return "\n".join(kept)


def _behind(rest: list[str]) -> list[str]:
    """What the user typed behind a pasted log: the last paragraph, when the first is a log and the last is a few
    sentences in no form."""
    paragraphs = [p for p in re.split(r"\n\s*\n", "\n".join(rest)) if p.strip()]
    last = paragraphs[-1].strip().split("\n") if len(paragraphs) > 1 else []
    plain = all(len(x) <= 400 and not _LOG.match(x) and not _quoted(x) and x[:1].isalpha() for x in last)
    pasted = any(_LOG.match(x) or re.match(r"[\w.]*(?:Error|Exception)\b|error\[", x) for x in rest[:2])
    return [x.strip() for x in last] if pasted and plain and 0 < len(last) <= 3 and len(paragraphs) <= 6 else []


def _quoted(line: str) -> bool:
    """Whether a line is a quotation, a table, code by its indentation, or too long to be typed."""
    return line.lstrip().startswith((">", "|")) or line.startswith(("    ", "\t")) or len(line) > 1_500


def _bulleted(line: str) -> bool:
    return re.match(r"\s*(?:[-*•]|\d{1,2}[.)])\s", line) is not None


def _announces(line: str, rest: list[str]) -> bool:
    """Whether a line hands over to something pasted: it ends in a colon or a question, and much follows."""
    follows = sum(map(len, rest[:400]))
    bulleted = _bulleted(rest[0])
    if line.rstrip().endswith((":", "：")):
        shown = any(_LOG.match(x) for x in rest[:3])
        return not bulleted and not shown and follows > 160
    return line.rstrip().endswith(("?", "？")) and follows > PASTE


def sentences(text: str) -> list[str]:
    """The sentences of a text of the user's own, in order; list marks are taken off. A semicolon ends one and stays
    with it: who joins two again has what was said."""
    out: list[list[str]] = []
    at, goes_on = 0, False
    for first, behind in (*_ends(text), (len(text), len(text))):
        piece = re.sub(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+", "", text[at:first]).strip()
        if piece and goes_on and out:
            out[-1].append(piece)
        elif piece:
            out.append([piece])
        goes_on = bool(_ABBREVIATION.search(text, max(at, first - 12), first)) or (goes_on and not piece)
        at = behind
    return [" ".join(pieces) for pieces in out]


def _ends(text: str) -> Iterator[tuple[int, int]]:
    """Where a sentence ends and the next one begins: not within code, a quotation on one line, or what a call is
    given."""
    spans, at = [m.span() for m in _WHOLE.finditer(text)], 0
    for line in text.split("\n") if "`" in text else ():
        spans += [(at + first, at + behind) for first, behind in code_spans(line)]
        at += len(line) + 1
    spans.sort(reverse=True)
    reach = 0
    for end in _SENTENCE.finditer(text):
        while spans and spans[-1][0] <= end.start():
            reach = max(reach, spans.pop()[1])
        if reach < end.end():
            yield end.span()


_WHOLE = re.compile(
    r"""(?<!\w)"(?=\S)[^"\n]{1,300}(?<=\S)"(?!\w)|[“„«][^“”„»«\n]{1,300}[”“»]|(?<=\w)\([^()\n]{1,300}\)"""
)


def spoken(text: str, said: list[str]) -> list[str]:
    """Each sentence of a text without what it quotes: a quotation of several words is somebody else's, or about it.

    >>> spoken('He put "never do that again" there. Fine.', ['He put "never do that again" there.', "Fine."])
    ['He put … there.', 'Fine.']
    """
    quoted = [
        m.span() for m in _QUOTATION.finditer(text) if len(m[0].split()) > 3 or (not m[0].isascii() and len(m[0]) > 9)
    ]
    out, at = [], 0
    for sentence in said if quoted else ():
        start = max(text.find(sentence[:40], at), at)
        at = end = start + len(sentence)
        for first, last in reversed([(max(a, start), min(b, end)) for a, b in quoted if a < end and b > start]):
            sentence = f"{sentence[: first - start]}…{sentence[last - start :]}"
        out.append(sentence)
    return out or said


_QUOTATION = re.compile(
    r"(?<!\w)\"(?=\S)[^\"]{8,2000}\"(?!\w)|[“„«「『][^”“»」』]{4,2000}[”“»」』]|(?<!\w)'(?=\S)(?:[^'\n]|"
    r"(?<=\w)'(?=\w)){12,600}'(?!\w)"
)


def distinctive(text: str) -> set[str]:
    """The terms of a text that carry meaning: no stop words, nothing of one letter."""
    stop = dull() | COMMON
    return {t for t in terms(text) if t not in stop and (len(t) > 1 or not t.isascii())}


def one_off(text: str, goal: str) -> bool:
    """Whether half of what is distinctive in a text comes from the goal of its session."""
    words = distinctive(text)
    return bool(words) and len(words & distinctive(goal)) * 2 >= len(words)


COMMON = frozenset(
    "use make want need like thing stuff way go get let put see tri one two new also now then first pleas "
    "ok yes ye no sure good well "
    "work realli actual mayb think know look someth anyth everyth step file code line run chang add updat "
    "fix do don dont that thi it "
    "we you i im ll re ve isn doesn didn can won should could would must have just onli instead rather "
    "never alway stop avoid".split()
)
