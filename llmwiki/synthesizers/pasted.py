"""Where in a prompt somebody else's words begin: a mail, a chat, an issue, or what a line hands over to.

What stands before may be the user's own; from there on nothing is, since no one can tell where a paste ends.
"""

from __future__ import annotations

import re

_NAME = r"[^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,3}"
_CLOCK = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?"
_TIME = r"\d{1,2}[:.]\d\d(?: ?[AaPp]\.?[Mm]\.?)?"  # of a chat; a log has seconds
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_LEVEL = r"(?:error|warn\w*|info|debug|fatal|trace|notice|critical|panic)\b"
_OTHERS = (  # who is quoted, where the name does not say it
    r"(?:he|she|they|someone|somebody|er|sie|il|elle|ella|él|他|她|他们|(?:my|our|the|a|your|mein\w*|unser\w*|der|"
    r"die|mon|ma|notre|mi|el|la) (?:\w+ ){0,2}\w+|(?-i:(?!We\b|You\b)[A-Z])[\w.-]+(?: (?-i:[A-Z])[\w.-]+)?|@[\w.-]+)"
)
_SAYS = (
    r"(?:said|says?|wrote|writes|replied|answered|posted|commented|explained|told (?:me|us)|sent(?: me| us)?|"
    r"suggested|asked|meinte|sagte?|schrieb|schreibt|antwortete|a écrit|a dit|écrit|dit|répond(?:u)?|escribió|dijo|"
    r"respondió|ha scritto|escreveu|disse|написал\w*|сказал\w*|写道|说|写)"
)
_BEGINS = re.compile(
    r"^(?:"
    # The head of a mail.
    r"(?:from|to|cc|subject|date|sent|reply-to|von|an|betreff|datum|gesendet|de|à|objet|envoyé|asunto|para|da|"
    r"oggetto|assunto|от|кому|тема|发件人|收件人|主题)[ ]?[:：] \S.*"
    r"|-+ ?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original)\b.*"
    r"|begin forwarded message:.*"
    # A line of a chat: a name with the clock, or the clock with a name.
    rf"|{_NAME}[ \t]+(?:—|-|·|\||at)?[ \t]*[\[(]?(?:(?:today|yesterday|heute|gestern)(?: at| um)? )?{_CLOCK}[\])]?"
    rf"|\[{_DAY},? {_CLOCK}\] ?{_NAME}:.*|{_DAY}, {_CLOCK} - {_NAME}:.*"
    rf"|\[{_TIME}\][ \t]+<?@?{_NAME}>?(?:: .*)?|{_TIME}[ \t]+<?@?(?!{_LEVEL}){_NAME}>?: .*"
    rf"|{_NAME}\s+APP\s+{_CLOCK}"
    # The head of a comment on an issue.
    r"|@?[\w.-]+ (?:commented|opened this (?:issue|pull request)|wrote|replied|added a comment|reviewed|requested "
    r"changes)\b.{0,60}\b(?:ago|yesterday|today|on \w+ \d.*|\d{4}|\d+ comments?)"
    # "On Monday Bob wrote:", with or without a date.
    rf"|(?:on|am|le|el|il|em)\b.{{0,120}}\b{_SAYS}(?: \S+){{0,3}} ?[:：]"
    r")\s*$",
    re.I,
)
_HANDS_OVER = re.compile(  # "here is what my colleague said:"
    rf"\b{_OTHERS} (?:just |also |once )?{_SAYS}\b[^:：]{{0,60}}[:：]\s*$"
    rf"|\b{_SAYS} {_OTHERS}[:：]\s*$|(?:他|她|他们|同事|老板|客户)(?:说|写道)[:：]?\s*$",
    re.I,
)
_TAKEN_FROM = re.compile(  # "from the coding standard of the agency", over what stands there
    r"^\W*(?:\d+[.)] )?(?:this is |here(?:'s| is) |und |and )?(?:from|out of|aus|del?|du|des|dalla?|из) (?:\S+ ){0,6}?"
    r"\S*(?:standards?|guidelines?|guide|docs?|documentation|wiki|handbook|manual|e?-?mail|thread|ticket|issue|article|"
    r"blog|readme|spec|slack|page|post|template|checklist|richtlinien?|handbuch|doku\w*|documentación|guía|manuel)\b"
    r"(?: \S+){0,10}$",
    re.I,
)
_FIELD = re.compile(  # the form of a ticket
    r"^(?:reporter|assignee|priority|status|type|issue type|labels?|sprint|story points?|epic(?: link)?|fix "
    r"versions?|components?|affects versions?|resolution|created|updated|due(?: date)?|summary|description|"
    r"environment|severity|steps to reproduce|(?:expected|actual) (?:behaviou?r|results?)|acceptance criteria|"
    r"watchers|milestone|votes)\b(?:\s*[:：].*|\s*)$",
    re.I,
)
_KEY = re.compile(r"^(?:[A-Z][A-Z0-9]{1,9}-\d{1,6}|.{3,120} #\d{1,6})\b.{0,120}$")
_LABEL = (
    r"(?:rules?|notes?|todos?|fix|add|remove|change|update|bug|task|step|feature|error|warning|file|line|test|don'?t|"
    r"do)\b"
)
_SPEAKER = re.compile(rf"^(?!{_LABEL})(?=.{{2,60}}: )({_NAME}): \S", re.I)
_GREETS = re.compile(
    r"^(?:hi|hello|hey|dear|hallo|liebe[rs]?|sehr geehrte\w*|guten (?:tag|morgen)|moin|bonjour|salut|cher|chère|hola|"
    r"estimad[oa]s?|buenos días|ciao|caro|cara|olá|здравствуйте|привет) (?!claude|codex|gemini|copilot|agent|there\b|"
    r"again\b)"
    rf"{_NAME}\s*[,!:.]?\s*$",
    re.I,
)
_SIGNS = re.compile(
    r"^(?:(?:(?:best|kind|warm|many) )?regards|best(?: wishes)?|sincerely|yours(?: \w+)?|(?:viele|liebe|beste|"
    r"schöne) grüße|mit freundlichen grüßen|mfg|lg|vg|(?:bien )?cordialement|bien à vous|saludos(?: cordiales)?|un "
    r"saludo|cordiali saluti|atenciosamente|с уважением)[\s,.!]*$|^--\s*$|^sent from my \w+|^(?:von meinem|envoyé de "
    r"mon)\b.*",
    re.I,
)


def start(text: str) -> int:
    """The offset at which somebody else's words begin, `len(text)` when all may be the user's own. Linear."""
    lines, at = text.split("\n"), [0]
    for line in lines:
        at.append(at[-1] + len(line) + 1)
    firsts = [_marked(lines), _form(lines), _dialogue(lines), _letter(lines), _document(lines)]
    told = _TOLD_ME.search(text[:4_000])
    begins = [at[n] for n in firsts if n is not None] + ([told.end()] if told else [])
    return min(begins, default=len(text))


def _marked(lines: list[str]) -> int | None:
    """The first line that only stands at the head of somebody's message, or the line behind one that hands over."""
    for number, line in enumerate(lines):
        bare = line.strip()
        if len(bare) <= 240 and _BEGINS.match(bare):
            return number
        if len(bare) <= 160 and number + 2 < len(lines) and not lines[number + 1].strip() and _TAKEN_FROM.match(bare):
            return number + 1
        if bare.endswith((":", "：")) and len(bare) <= 400 and _HANDS_OVER.search(bare):
            return number + 1
    return None


_TOLD_ME = re.compile(  # "Bob just mailed me this. …"
    r"\b(?:mailed|emailed|sent|forwarded|texted|pinged|wrote|told) (?:me|us)(?: (?:this|that|the following|a note|"
    r"just now|"
    r"this morning|yesterday|today|again))*(?:[.:!]\s|\n)",
    re.I,
)
_TO_READ = re.compile(  # what is asked of a document that stands beside it
    r"\W*(?:(?:please|pls|can you|could you|and|now)\b[\s,]*)*(?:summari[sz]e|translate|proofread|review|rewrite|"
    r"improve|"
    r"shorten|explain|analy[sz]e|fasse?|übersetze|résume|traduis|resume|traduce|总结|翻译|解释)\b.{0,20}?(?:this|these|"
    r"the following|das|dies\w*|ceci|ce texte|esto|这|以下).{0,40}",
    re.I,
)


def _document(lines: list[str]) -> int | None:
    """Where a document begins that the first or the last line asks something of; only several lines are one."""
    told = [n for n, line in enumerate(lines) if line.strip()]
    if len(told) < 3:
        return None
    first, last = told[0], told[-1]
    if len(lines[first]) <= 160 and _TO_READ.fullmatch(lines[first].strip()):
        return told[1]
    return 0 if len(lines[last]) <= 160 and _TO_READ.fullmatch(lines[last].strip()) else None


def _form(lines: list[str]) -> int | None:
    """The head of a ticket: two of its fields, and the key above them."""
    fields = [n for n, line in enumerate(lines) if len(line) <= 240 and _FIELD.match(line.strip())]
    if len(fields) < 2:
        return None
    keys = [n for n in range(max(0, fields[0] - 3), fields[0]) if len(lines[n]) <= 300 and _KEY.match(lines[n].strip())]
    return min([*keys, fields[0]])


def _dialogue(lines: list[str]) -> int | None:
    """The first line of a conversation: names with a colon, three lines at least, and one name that speaks twice. A
    list of labels ("Backend: …") names each once."""
    spoken = [(n, found[1].casefold()) for n, line in enumerate(lines) if (found := _SPEAKER.match(line[:200].strip()))]
    names = [name for _, name in spoken]
    return spoken[0][0] if len(names) >= 3 and 2 <= len(set(names)) < len(names) else None


def _signs(lines: list[str], n: int) -> bool:
    """Whether a line ends a letter. "Thanks" does where a name stands below and nothing else."""
    line = lines[n].strip()
    if not _THANKS.match(line):
        return _SIGNS.match(line) is not None
    below = [x.strip() for x in lines[n + 1 : n + 9] if x.strip()]
    ends = len(lines) <= n + 9 and len(below) == 1
    return ends and below[0].istitle() and re.fullmatch(_NAME, below[0]) is not None


_THANKS = re.compile(r"(?:thanks|thank you|thx|cheers|danke|merci|gracias)(?: \w+){0,3}[,.!]*$", re.I)


def _letter(lines: list[str]) -> int | None:
    """The greeting of what is signed at its end; without one, all but the first paragraph of a text of several."""
    signed = next((n for n, line in enumerate(lines) if n and len(line) <= 80 and _signs(lines, n)), None)
    if signed is None:
        return None
    greets = next((n for n in range(signed) if len(lines[n]) <= 80 and _GREETS.match(lines[n].strip())), None)
    if greets is not None:
        return greets
    gap = next((n for n in range(signed) if not lines[n].strip() and any(x.strip() for x in lines[:n])), None)
    return 0 if gap is None or not any(x.strip() for x in lines[gap:signed]) else gap
