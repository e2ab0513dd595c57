"""What went wrong, as one line that is the same wherever it happens: no paths, numbers, hashes."""

from __future__ import annotations

import re

SCAN = 60_000  # characters of an output that are searched: its head and its tail
# Forms of an error line, from the most telling to the least; the first form found names the trouble.
FORMS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(p, re.M)
    for p in (
        r"^.{0,160}?\b(?:command not found|not recognized as (?:an internal|the name)|is not recognized|"
        r"commande introuvable|Befehl nicht gefunden)\b.{0,160}$",
        r"^.{0,200}?(?:bad interpreter|: [Nn]o such file or directory\b).{0,80}$",
        r"^(?:Killed|Segmentation fault|Bus error|Aborted|signal: \d+).{0,80}$|^.{0,120}?\b(?:OOMKilled|"
        r"out of memory|core dumped)\b.{0,80}$",
        r"^(?:Task|Project|Module|Target|Could not (?:find|determine|resolve)|Cannot (?:find|resolve|"
        r"locate)) .{0,40}['\"`].{4,240}$",
        r"^[^\S\n]*(?:E\s+)?(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Interrupt|NotFound|Failure|Warning): \S.{0,240}$",
        r"^[^\S\n]*(?:error|ERROR)(?:\[[\w-]+\]|\s+TS\d+)?\s*:\s?\S.{0,240}$",
        r"^.{0,120}?\berror (?:TS\d+|[A-Z]{1,4}\d{3,5}|CS\d+)\b:? .{0,200}$",
        r"^.{0,120}?(?<![\w/.-])[A-Z]{1,4}\d{3,4} (?:\[\*\] )?[A-Z`].{0,160}$",
        r"^.{0,120}?\b(?:Host key verification failed|Permission denied|Operation not permitted|Connection "
        r"refused|already exists|"
        r"address already in use|out of memory|No space left|Access is denied|requires approval|timed "
        r"out)\b.{0,160}$",
        r"^(?:[^\S\n]*fatal|FATAL|panic|npm ERR!|ERR_\w+|✗|❌|×)[: ].{0,240}$",
        r"^\S{8,32} (?:\S{8,20} )?\[?(?:FATAL|PANIC|CRITICAL|ERROR)\b.{3,240}$",
        r"^[\w./\\-]{1,160}\.\w{1,5}:\d+(?::\d+)?: (?![Ww]arning|note|info|\d)\S.{4,240}$",
        r"^(?:FAIL|FAILED|ERROR)\b.{3,240}$",
        r"^.{0,160}?(?:\b(?:[Ee]rror|[Ff]ailed|[Uu]nable to|[Cc]annot|[Cc]ould not|[Uu]ndefined|"
        r"[Uu]nresolved|[Ii]nvalid|[Uu]nexpected|"
        r"[Bb]locked because|[Mm]ismatch|[Mm]issing|[Ff]ehler|[Ee]rreur|[Ee]chec|[Nn]o se pudo)\b|错误|失败|无法|"
        r"找不到|エラー|失敗|오류).{0,200}$",
    )
)
_WRAPPER = re.compile(  # what a runner says of the program that it ran: that it failed, not why
    r"ERR_PNPM_\w*FAIL|ELIFECYCLE|\bCommand failed\b|\bmake(?:\[\d+\])?: \*\*\*|could not compile `|"
    r"\bbuilder for .* failed|\bbuild of .* failed|exited with (?:exit )?(?:code|status)|with exit code \d|"
    r"subprocess-exited-with-error|build stopped|^BUILD FAILED|Execution failed for task|^npm (?:ERR!|error)|"
    r"^error: recipe|build backend returned an error|CalledProcessError|returned non-zero exit",
    re.I,
)
_PLACE = re.compile(r"^(?:\S*(?:/bin/)?(?:ba|z|da)?sh|\S+\.(?:sh|py|js|ts|rb|go|rs))(?::? ?(?:line )?\d+)*: ")
_QUOTED_PATH = re.compile(r"(['\"`‘])(?=[^'\"`’]*[/\\\d])[\w@./\\:+-]{2,}['\"`’]")
_FIRST = re.compile(r"^(.{12}[^.]*\w{3})\. [A-Z].*$", re.S)  # of two sentences the second one tells what varies
_CODE = re.compile(r"\b(?:[A-Z]{1,4}\d{3,5}|TS\d{3,5})\b")
_NOISE = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b|[A-Za-z]:\\\S+|https?://\S+|"
    r"(?<![\w`])[~.]{0,2}/?(?:[\w@.+-]{1,80}/)+[\w@.+-]*|\b\d[\d.,:]*(?:ms|s|MB|GB|KB|%)?\b"
)
_HINT = re.compile(
    r"\b(?:should|must|use|try|run|hint|help|did you mean|you can|expected|instead|named like|install)\b", re.I
)
HARNESS = re.compile(
    r"File has not been read yet|String to replace not found|has been modified since (?:it was )?read|"
    r"old_string|No such tool available"
    r"|InputValidationError|Found \d+ matches of the string|exceeds maximum allowed tokens|apply_patch "
    r"verification failed|tool_use_error"
    r"|is not running, so cannot be killed|No files? found|\bhunk\b|Failed to find (?:expected lines|context)|"
    r"requested permissions to|requires approval|haven't granted it"
)
TRIVIAL = re.compile(  # what every agent knows to handle
    r"a branch named .* already exists|nothing (?:added )?to commit|pathspec .* did not match|no upstream "
    r"branch|not a git repository"
    r"|no changes added|Already up to date|File exists$"
)
TRANSIENT = re.compile(
    r"rate.?limit|overloaded|\b(?:429|502|503|504|529)\b|ECONNRESET|ETIMEDOUT|EAI_AGAIN|temporary failure|"
    r"try again later"
    r"|Could not resolve host|network is unreachable|API Error|Internal server error|socket hang up|connection reset",
    re.I,
)


def error_line(output: str) -> str:
    """The line of an output that names what went wrong, as it stands, trimmed; "" when none does."""
    text = output if len(output) <= SCAN else output[: SCAN // 2] + "\n" + output[-SCAN // 2 :]
    wrapper = ""
    for form in FORMS:
        for found in form.finditer(text):
            line = found[0].strip()
            if not _WRAPPER.search(line):
                return _announced(text, found.end()) if line.endswith(":") and len(line) > 1 else line
            wrapper = wrapper or line
    return wrapper


def _announced(text: str, end: int) -> str:
    """The line that one with a colon at its end announces, or that one itself where nothing like a sentence follows."""
    line = text[:end].rpartition("\n")[2].strip()
    following = next((x.strip() for x in text[end : end + 600].split("\n") if x.strip()), "")
    return following if len(following.split()) > 2 and len(following) <= 240 else line


_MORE = re.compile(
    r"\b\w*(?:Error|Exception|NotFound|Failure)\b|\b(?:is|are) (?:ambiguous|missing|required|not (?:found|"
    r"set|defined|"
    r"supported|valid|allowed))\b|\b(?:could|can|did|does|was) ?n(?:o|')t\b|\bunknown\b|\bunsupported\b|"
    r"\boverflowed\b|"
    r"\bexpected\b.{0,60}\b(?:got|found|but|received)\b",
    re.I,
)


def generic(line: str) -> bool:
    """Whether an error line only says that some program failed: many errors end in it, so it names none."""
    return _WRAPPER.search(line) is not None


def further(output: str, line: str) -> str:
    """Another line of the output that says more of what went wrong than `line`, as it stands; "" when there is none."""
    for other in output[:SCAN].split("\n"):
        other = other.strip()
        fresh = other not in line and line not in other and not _named(other) & _named(line)
        if 12 <= len(other) <= 240 and fresh and _MORE.search(other) and not _COUNT.match(other):
            return other
    return ""


_COUNT = re.compile(r"\W*(?:Found )?\d+ |FAILED |FAIL\b|.*\b\d+ (?:failed|errors?|problems?|warnings?)\b", re.I)


def _named(line: str) -> set[str]:
    """The errors that a line names."""
    return set(re.findall(r"\b\w*(?:Error|Exception|NotFound|Failure)\b", line))


def signature(line: str) -> str:
    """The error line without what varies. Rule codes such as `SIM115` stay: they are names.

    >>> signature("bash: line 1: pytest: command not found")
    'pytest: command not found'
    >>> signature("ModuleNotFoundError: No module named 'left_pad' (0x7f3a9911)")
    "ModuleNotFoundError: No module named 'left_pad'"
    """
    line = _FIRST.sub(r"\1", _QUOTED_PATH.sub("", _PLACE.sub("", line.strip()[:400])))
    codes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        codes.append(found[0])
        return chr(0xE000 + len(codes) - 1)  # for private use: no digit in it that is taken for what varies

    line = _NOISE.sub(" ", re.sub(r"\b0x[0-9a-fA-F]+\b", " ", _CODE.sub(keep, line)))
    line = "".join(codes[ord(c) - 0xE000] if 0 <= ord(c) - 0xE000 < len(codes) else c for c in line)
    line = re.sub(r"\(\s*\)|\[\s*\]|\{\s*\}|(['\"`‘])\s*['\"`’]", " ", line)
    return " ".join(line.split()).strip(" :;,.-–—>|")[:160]


def hint(output: str, line: str) -> str:
    """The line behind an error line when it says what to do, as it stands; "" otherwise."""
    after = output.partition(line)[2].lstrip("\n").split("\n", 1)[0].strip() if line else ""
    return after if 8 <= len(after) <= 200 and after[-1] != ":" and _HINT.search(after) else ""


def noise(output: str, line: str) -> str:
    """Why an error teaches nothing: `harness`, `transient` or `platitude`; "" when it may."""
    if HARNESS.search(output):
        return "harness"
    if TRANSIENT.search(line):
        return "transient"
    return "platitude" if TRIVIAL.search(line) else ""
