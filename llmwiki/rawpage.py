"""Raw pages: a Session as Markdown, and back. `parse(render(s)) == s` for every tidy session.

A turn's text stands in the page as the person wrote it. Only what could be taken for the page's own structure gets one
backslash in front (a turn heading, a block id, a fence or comment that is never closed, the thinking callout), and
whatever already had backslashes there gets one more, so that reading takes away exactly what writing added.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Container, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from llmwiki.model import Session, Turn

FORMAT = 1
HEADER = re.compile(r"^## (t(\d+)(?:-(\d+))?) · (\w+)(?: · ([^\n·]+?))?(?: · ([^\n·]+?))?$", re.M)
ANCHOR_LINE = re.compile(r"\n\n(?:(\S+) )?\^(t[\d-]+)\n")
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
KEYS = (
    "agent session parent kind title project cwd git_branch models started ended turns prompts tool_calls bad_lines "
    "redactions parent_page children offered"
).split()
THINKING = "> [!thinking]-"

_HEADING = re.compile(r"^( {0,3}\\*)(?=## t\d)", re.M)
_ANCHOR = re.compile(r"(?<!\S)(\\*)(?=\^t\d+(?:-\d+)?\s*$)", re.M)
_START = re.compile(
    r"^( {0,3})(\\*)(```|~~~|<!--|<!\[CDATA\[|<\?|<(?:script|pre|style|textarea)\b|%%|> \[!thinking\]|[-=]+\s*$)",
    re.M | re.I,
)
_UNHEAD = re.compile(r"^( {0,3}\\*)\\(?=## t\d)", re.M)
_UNANCHOR = re.compile(r"(?<!\S)(\\*)\\(?=\^t\d+(?:-\d+)?\s*$)", re.M)
_UNSTART = re.compile(_START.pattern.replace(r"(\\*)(", r"(\\*)\\(", 1), re.M | re.I)
_RUN = re.compile(r"`+|~+")
_CLOSERS = {"<!--": "-->", "<![cdata[": "]]>", "<?": "?>", "%%": "%%"}
_STARTS = ("```", "~~~", "<!", "<?", "<s", "<S", "<p", "<P", "<t", "<T", "%%", "[!thinking]", " · ")
_CONTROL = {c: None for c in [*range(32), *range(127, 160), 0x2028, 0x2029, 0xFEFF] if c not in (9, 10, 13)}
_CONTROL_CLASS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ud800-\udfff]")
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


def id8(native: str) -> str:
    """Eight characters that tell sessions of one day apart: the end of a UUID, else the start of the id's SHA-256."""
    if UUID.fullmatch(native):
        return native[-8:].lower()
    return hashlib.sha256(native.encode("utf-8", "replace")).hexdigest()[:8]


def slug(text: str, limit: int = 48) -> str:
    """The first words of a text as a file name's part: letters and digits of any script, joined by `-`."""
    line = next((x for x in text.splitlines() if x.strip()), "")[:400]
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", line).lower())
    out = ""
    for word in words[:9]:
        if len(out) + len(word) >= limit:
            break
        out = f"{out}-{word}" if out else word
    return out or (words[0][:limit] if words else "session")


def folder(project: str) -> str:
    """A project's name as one folder name: no separators, no leading dot, never empty."""
    name = re.sub(r"[^\w.+@ -]+", "-", unicodedata.normalize("NFC", project)).strip(" .-")
    return name[:80] or "unknown"


def path_for(session: Session) -> str:
    """Where a page goes when it is first written: `raw/<agent>/<project>/<date>-<slug>-<id8>.md`.

    `<date>` is the UTC day of the first turn, `undated` where the store keeps no times.
    """
    first = next((t for t in session.turns if t.role == "user" and t.origin in ("typed", "queued", "plan")), None)
    words = first.text if first else next((t.text for t in session.turns if t.text), session.title)
    day = next((t.at for t in session.turns if t.at), session.started)[:10] or "undated"
    return f"raw/{session.agent}/{folder(session.project)}/{day}-{slug(words)}-{id8(session.id)}.md"


def clean(text: str) -> str:
    """Text without terminal sequences, control characters and lone surrogates; tabs and line ends stay as they are."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return _CONTROL_CLASS.sub("", text) if _CONTROL_CLASS.search(text) else text


def one_line(text: str, limit: int = 200) -> str:
    """Text as one clean line for frontmatter and headers."""
    return " ".join(clean(text[: 4 * limit]).translate(_CONTROL).split())[:limit].rstrip()


def name(text: str) -> str:
    """A tool's name as a header may carry it."""
    return re.sub(r"[^\w.:/@+-]+", "_", one_line(text, 80)).strip("_") or "unknown"


def tidy(session: Session) -> Session:
    """The session as a page can hold it: clean texts, one-line names. Rendering a tidy session loses nothing."""
    turns = tuple(
        replace(
            t,
            text=clean(t.text),
            thinking=clean(t.thinking),
            result=clean(t.result),
            tool=name(t.tool) if t.role == "tool" else "",
            outcome=one_line(t.outcome, 40).replace("·", "") if t.role == "tool" else "",
        )
        for t in session.turns
    )
    return replace(
        session,
        title=one_line(session.title, 120),
        project=one_line(session.project),
        cwd=one_line(session.cwd, 400),
        git_branch=one_line(session.git_branch),
        models=tuple(one_line(m) for m in session.models),
        turns=turns,
    )


# -- text in and out of a turn


def escape(text: str) -> str:
    """A turn's prose with one backslash before each line start that the page's structure could take for its own."""
    text = escape_code(text)
    if "\\" not in text and not any(mark in text for mark in _STARTS):
        return text  # a backslash that stands there already has to be told from ours
    openers = _unclosed(text)

    def mark(found: re.Match[str]) -> str:
        needed = found[2] or found.start() in openers
        return f"{found[1]}{found[2]}\\{found[3]}" if needed else found[0]

    return _START.sub(mark, text)


def unescape(text: str) -> str:
    """What `escape` was given."""
    if "\\" not in text:
        return text
    return unescape_code(_UNSTART.sub(r"\1\2\3", text))


def escape_code(text: str) -> str:
    """The part of `escape` that holds inside fences too: headings and block ids of turns."""
    if "## t" in text:
        text = _HEADING.sub(r"\1\\", text)
    if "^t" in text:
        text = _ANCHOR.sub(r"\1\\", text)
    return text


def unescape_code(text: str) -> str:
    if "\\" not in text:
        return text
    return _UNANCHOR.sub(r"\1", _UNHEAD.sub(r"\1", text))


def _unclosed(text: str) -> set[int]:
    """Offsets of the line starts that would swallow what follows: a fence or comment without its end, our callout."""
    found: set[int] = set()
    hopeless: dict[str, int] = {}
    end = 0
    for m in _START.finditer(text):
        token = m[3].lower()
        if m.start() < end or m[2]:
            continue
        if token.startswith("> "):
            found.add(m.start())
        elif token[0] in "-=":
            before = max(m.start() - 1, 0)
            if re.match(r"\s*\\*t\d+(-\d+)? · ", text[text.rfind("\n", 0, before) + 1 : before]):
                found.add(m.start())
        elif (close := _end(text, m, token, hopeless)) < 0:
            found.add(m.start())
        else:
            end = close
    return found


def _end(text: str, opener: re.Match[str], token: str, hopeless: dict[str, int]) -> int:
    """Where the block that starts at `opener` ends, -1 when it never does.

    `hopeless` keeps, for each token, the width of an earlier block that never ends: neither does one as wide after it,
    so that a text of nothing but openers is not searched to its end for each of them.
    """
    if token in ("```", "~~~"):
        width = len(_RUN.match(text, opener.start(3))[0])  # type: ignore[index]
        close = re.compile(rf"^ {{0,3}}{re.escape(token[0])}{{{width},}}[ \t\r]*$", re.M)
        start = text.find("\n", opener.start(3)) + 1 or len(text)
    else:
        width, start = 0, opener.end(3)
        close = re.compile(re.escape(_CLOSERS.get(token) or f"</{token[1:]}>"), re.I)
    hit = None if width >= hopeless.get(token, width + 1) else close.search(text, start)
    if hit is None:
        hopeless[token] = min(width, hopeless.get(token, width))
        return -1
    return hit.end()


def _fence(text: str) -> str:
    """A fence longer than any run of backticks in `text`."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2) if "```" in text else 2
    return "`" * max(3, longest + 1)


# -- pages


def render(session: Session) -> str:
    """The page of a session, whole."""
    out = ["---\n", f"format: {FORMAT}\n"]
    for key, value in _front(session).items():
        out.append(f"{key}: {_json(value)}\n")
    out.append("---\n")
    for turn in session.turns:
        out.append("\n")
        out.extend(_render_turn(turn))
    return "".join(out)


def _front(session: Session) -> dict[str, Any]:
    values: dict[str, Any] = {key: getattr(session, key, None) for key in KEYS}
    values |= {"session": session.id, "models": list(session.models), "turns": len(session.turns)}
    values["parent_page"] = f"[[{session.parent_page}]]" if session.parent_page else ""
    values["children"] = [f"[[{stem}]]" for stem in session.children]
    values["offered"] = list(session.offered)
    return {k: v for k, v in values.items() if k not in ("parent_page", "children", "offered") or v}


def _render_turn(turn: Turn) -> list[str]:
    names = [turn.tool, turn.outcome] if turn.role == "tool" else [turn.origin]
    header = " · ".join([f"## {turn.anchor}", turn.role, *(n for n in names if n)])
    out = [header, "\n\n", f"{turn.at} " if turn.at else "", f"^{turn.anchor}\n"]
    if turn.role == "tool":
        for part in (turn.text, turn.result)[: 2 if turn.result else 1]:
            fence, part = _fence(part), escape_code(part)
            out += ["\n", fence, "\n", part, "\n", fence, "\n"]
        return out
    if turn.thinking:
        lines = escape_code(turn.thinking).split("\n")
        out += ["\n", THINKING, "\n", *(f"> {line}\n" for line in lines)]
    if turn.text:
        out += ["\n", escape(turn.text), "\n"]
    return out


def head(text: str) -> dict[str, Any]:
    """The frontmatter of a raw page as a dict; {} when the text is none of ours."""
    if not text.startswith("---\n"):
        return {}
    end = text.find("\n---\n", 3)
    out: dict[str, Any] = {}
    for line in text[4 : max(end, 0)].split("\n"):
        key, colon, value = line.partition(": ")
        if colon:
            try:
                out[key] = json.loads(value)
            except (ValueError, RecursionError):
                out[key] = value.strip().strip("\"'")
    return out if "session" in out and "agent" in out else {}


def parse(text: str, stem: str = "") -> Session:
    """The session that a page holds. Raises ValueError when the text is no raw page."""
    meta = head(text)
    if not meta:
        raise ValueError("not a raw page: no frontmatter with agent and session")
    body = text.find("\n---\n", 3) + 5
    headers = list(HEADER.finditer(text, body))
    ends = [*(h.start() - 1 for h in headers[1:]), len(text)][: len(headers)]
    turns = tuple(filter(None, (_parse_turn(text, h, e) for h, e in zip(headers, ends, strict=True))))
    values: dict[str, Any] = {k: str(meta.get(k) or "") for k in KEYS[:1] + KEYS[2:8] + KEYS[9:11]}
    values |= {k: count(meta.get(k)) for k in ("bad_lines", "redactions")}
    values |= {"models": tuple(map(str, _list(meta, "models"))), "parent_page": _unlink(meta.get("parent_page", ""))}
    values["children"] = tuple(map(_unlink, _list(meta, "children")))
    values["offered"] = tuple(map(str, _list(meta, "offered")))
    return Session(id=str(meta["session"]), turns=turns, stem=stem, **values)


def linked(text: str, parent: str = "", children: Iterable[str] = ()) -> str:
    """A page with links to its parent and its children (stems of pages) added to its frontmatter, the rest as it is."""
    end = text.find("\n---\n", 3) + 1
    meta = head(text)
    front = [line for line in text[:end].split("\n") if not line.startswith(("parent_page: ", "children: "))]
    stems = sorted({*map(_unlink, _list(meta, "children")), *children})
    parent = parent or _unlink(meta.get("parent_page", ""))
    links = [f"parent_page: {_json(f'[[{parent}]]')}"] if parent else []
    links += [f"children: {_json([f'[[{stem}]]' for stem in stems])}"] if stems else []
    at = next((i for i, line in enumerate(front) if line.startswith("offered: ")), len(front) - 1)
    return "\n".join([*front[:at], *links, *front[at:]]) + text[end:]


def unlinked(text: str, gone: Container[str]) -> str:
    """A page whose frontmatter names none of `gone`, stems of other pages and ids of records; the rest as it is."""
    end = text.find("\n---\n", 3) + 1
    meta = head(text)
    front = text[:end].split("\n")
    for n, line in enumerate(front):
        key = line.partition(": ")[0]
        if key in ("children", "offered"):
            kept = [name for name in _list(meta, key) if _unlink(name) not in gone]
            front[n] = f"{key}: {_json(kept)}" if kept else ""
        elif key == "parent_page" and _unlink(meta.get(key)) in gone:
            front[n] = ""
    return "\n".join(line for line in front[:-1] if line) + "\n" + text[end:]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def count(value: object) -> int:
    """A number of the frontmatter; 0 for what a person made of it."""
    return value if isinstance(value, int) else 0


def _list(meta: dict[str, Any], key: str) -> list[Any]:
    found = meta.get(key)
    return found if isinstance(found, list) else []


def _unlink(link: object) -> str:
    return str(link).removeprefix("[[").removesuffix("]]")


def _parse_turn(text: str, header: re.Match[str], end: int) -> Turn | None:
    line = ANCHOR_LINE.match(text, header.end())
    if line is None:
        return None  # a person broke this heading: the turn is gone, the rest of the page is not
    role = header[4]
    turn = Turn(number=int(header[2]), part=int(header[3] or 1), role=role, at=line[1] or "")
    body = text[line.end() : end]
    if role == "tool":
        arguments, at = _read_fence(body, 0)
        result, _ = _read_fence(body, at)
        return replace(turn, tool=header[5] or "", outcome=header[6] or "", text=arguments, result=result)
    thinking, at = _read_thinking(body) if body.startswith("\n" + THINKING) else ("", 0)
    prose = body[at:]
    prose = prose[1:-1] if prose.startswith("\n") and len(prose) > 1 else ""
    return replace(turn, origin=header[5] or "", thinking=thinking, text=unescape(prose))


@cache
def _closing(fence: str) -> re.Pattern[str]:
    return re.compile(rf"\n{fence}\n")


def _read_fence(body: str, at: int) -> tuple[str, int]:
    opened = re.compile(r"\n(`{3,})\n").match(body, at)
    if opened is None:
        return "", at
    closed = _closing(opened[1]).search(body, opened.end() - 1)
    if closed is None:
        return unescape_code(body[opened.end() :].rstrip("\n")), len(body)
    return unescape_code(body[opened.end() : closed.start()] if closed.start() >= opened.end() else ""), closed.end()


def _read_thinking(body: str) -> tuple[str, int]:
    found = re.compile(rf"\n{re.escape(THINKING)}\n((?:>[^\n]*\n)*)").match(body)
    if found is None:
        return "", 0
    lines = found[1].split("\n")[:-1]
    return unescape_code("\n".join(line[2:] if line.startswith("> ") else line[1:] for line in lines)), found.end()


def turn_text(turn: Turn) -> str:
    """What a claim may rest on: text and tool output. Never thinking, and nothing of a compaction summary."""
    if turn.role == "summary":
        return ""
    return f"{turn.text}\n{turn.result}" if turn.result else turn.text
