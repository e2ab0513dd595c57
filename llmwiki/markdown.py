"""A page's text ⇄ a Record: read, rendered, and a person's page edited key by key.

`read(render(r)) == normal(r)`, always. Values stand in a Record as they stand in the frontmatter: `sources` are links
(`[[stem]]`) or whatever a person wrote, `when` and `extra` hold lists, not tuples. Claims, links and the escaping of
session text live in `prose`, names in `names`; both speak through this module too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from datetime import datetime
from enum import Enum
from typing import Any, Final

from llmwiki import prose
from llmwiki.frontmatter_text import BadPage, edited, load, split
from llmwiki.model import Evidence, Record, RecordType, State, stem_of
from llmwiki.names import handwritten_id, is_id, page_stem, record_id, slug, title_line
from llmwiki.prose import body, cite, claims, code, folded, inert, item, links, placed_links, plain
from llmwiki.schema import CONFIDENCE, FOLDERS, SCOPES, TYPES
from llmwiki.yaml_subset import Head, Plain, clean, entry, quoted, scalar

__all__ = [
    "ALWAYS", "ORDER", "REMOVE", "BadPage", "body", "body_line", "cite", "claims", "code", "edit", "folded", "inert",
    "is_id", "item", "links", "normal", "page_path", "placed_links", "plain", "read", "record_id", "relinked", "render",
    "slug", "title_line", "update",
]  # fmt: skip

ORDER = (
    "id type title description state confidence scope project domains tags created reinforced quarantine_until "
    "ttl_days uses successes evidence sources supersedes superseded_by reason evolution_gen parents when aliases "
    "score score_by offered used"
).split()
ALWAYS = frozenset("id type title description state confidence scope project ttl_days evidence sources".split())
_WORDS = frozenset(
    "type state scope project domains tags evidence score_by".split()
)  # written plain where that is safe
REMOVE: Final = object()  # as a value in `edit`: the key goes
_DEFAULTS = Record(id="", type=RecordType.FACT, title="")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


# --- reading


def read(text: str, path: str = "", scope: str = "user") -> Record:
    """The record that a page is. Raises BadPage with the line of what is wrong.

    A page without `id` or without `sources` was written by a person (our own always have both): a title, a heading or
    just a file name is enough. It is active and user-said with confidence 0.80, its type comes from `type` or its
    folder (else fact), its `scope` is the one given, its id is made from title and path; without dates it never ages.
    Every page below `wiki/archive/` is archived.
    `body` comes without the blank lines around it and ends in one line end.
    """
    parts = split(text)
    head = load(parts.head) if parts.head is not None else Head()
    body_text = _body(parts.body)
    by_hand = not head.values.get("id") or "sources" not in head.values
    known = {
        key: _FIELDS[key](_Value(key, value, head.lines[key])) for key, value in head.values.items() if key in _FIELDS
    }
    present = {key: value for key, value in known.items() if value is not _UNSET}
    kind = present.setdefault("type", _folder_type(path))
    evidence = present.setdefault("evidence", Evidence.USER_SAID if by_hand else Evidence.INFERRED)
    title = present.get("title") or _heading(body_text) or _file_title(path)
    if not title:
        raise BadPage("a record needs a title, a heading or a file name", 1)
    present["title"] = title
    present.setdefault("confidence", CONFIDENCE[evidence])
    present.setdefault("ttl_days", TYPES[kind].ttl_days)
    present.setdefault("scope", scope)
    if path.startswith("wiki/archive/"):
        present["state"] = State.ARCHIVED  # a person who moves a page there withdraws it, whatever it still says
    present.setdefault("state", State.ACTIVE)
    present.setdefault("id", handwritten_id(title, path))
    extra = {key: _natural(value) for key, value in head.values.items() if key not in _FIELDS}
    return Record(**present, extra=extra, body=body_text, path=path, handwritten=by_hand)


def body_line(text: str) -> int:
    """The 1-based line of a page on which `Record.body` begins: what to add to `Claim.line`, less one."""
    parts = split(text)
    blank = len(parts.body) - len(parts.body.lstrip("\r\n"))
    return parts.body_line + parts.body[:blank].count("\n")


def _body(text: str) -> str:
    lines = re.sub(r"(?<!\r)\r+\n", "\n", clean(text)).split("\n")
    said = [number for number, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[said[0] : said[-1] + 1]) + "\n" if said else ""


def _folder_type(path: str) -> RecordType:
    return FOLDERS.get(path.rpartition("/")[0].rpartition("/")[2], RecordType.FACT)


def _heading(body_text: str) -> str:
    match = re.search(r"^#[ \t]+(\S.*)$", body_text, re.MULTILINE)
    return folded(match[1].rstrip(" \t#")) if match else ""


def _file_title(path: str) -> str:
    return folded(re.sub(r"[-_]+", " ", path.rpartition("/")[2].removesuffix(".md")))


class _Value:
    """One value of the frontmatter on its way to a field."""

    __slots__ = ("key", "line", "value")

    def __init__(self, key: str, value: Any, line: int) -> None:
        self.key, self.value, self.line = key, value, line

    def bad(self, wanted: str) -> BadPage:
        shown = scalar(self.value) if not isinstance(self.value, str) else self.value
        return BadPage(f"{self.key} must be {wanted}, not {shown[:60]!r}", self.line)


_UNSET = object()


def _text(found: _Value) -> Any:
    if isinstance(found.value, list | dict):
        raise found.bad("text")
    return _UNSET if found.value is None else _said(found.value)


def _said(value: Any) -> str:
    """A scalar as text: what YAML would take for a truth value is the word that stands there."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _line(found: _Value) -> Any:
    text = _text(found)
    return text if text is _UNSET else folded(text)


def _id(found: _Value) -> Any:
    text = _text(found)
    if text is _UNSET or text == "":
        return _UNSET
    if not is_id(text):
        raise found.bad("3 to 80 of a-z, 0-9 and -")
    return text


def _project(found: _Value) -> Any:
    return None if found.value in (None, "") else _text(found)


def _one_of(table: Any) -> Callable[[_Value], Any]:
    def choose(found: _Value) -> Any:
        text = _text(found)
        if text is _UNSET:
            return text
        try:
            return table(text.strip().lower())
        except ValueError:
            raise found.bad("one of " + ", ".join(table)) from None

    return choose


def _scope(found: _Value) -> Any:
    text = _text(found)
    if text is not _UNSET and text not in SCOPES:
        raise found.bad("one of " + ", ".join(SCOPES))
    return text


def _number(low: float, high: float, wanted: str) -> Callable[[_Value], Any]:
    def measure(found: _Value) -> Any:
        text = _text(found)
        if text is _UNSET:
            return text
        number = float(text) if _NUMBER.fullmatch(text) else float("nan")
        if not low <= number <= high:
            raise found.bad(wanted)
        return round(number, 4)

    return measure


def _count(found: _Value) -> Any:
    text = _text(found)
    if text is not _UNSET and not re.fullmatch(r"\+?[0-9]{1,9}", text):
        raise found.bad("a whole number from 0")
    return text if text is _UNSET else int(text)


def _time(found: _Value) -> Any:
    text = _text(found)
    if text in (_UNSET, ""):
        return _UNSET
    try:
        datetime.fromisoformat(text.strip())
    except ValueError:
        raise found.bad("a date or time like 2026-03-01T14:03:22Z") from None
    return text.strip()


def _until(found: _Value) -> Any:
    return None if found.value is None else _time(found)


def _list(found: _Value) -> Any:
    values = [] if found.value is None else found.value if isinstance(found.value, list) else [found.value]
    if any(isinstance(value, list | dict) for value in values) and found.key != "sources":
        raise found.bad("a list of words")
    return tuple(_said(_unlinked(value)) for value in values if value is not None)


def _unlinked(value: Any) -> Any:
    """`[[stem]]` without quotes is a list in a list for YAML: a person meant the link."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
        if not isinstance(value, list):
            return f"[[{_said(value)}]]"
    return scalar(value) if isinstance(value, list | dict) else value


def _when(found: _Value) -> Any:
    if found.value is None:
        return _UNSET
    if not isinstance(found.value, dict):
        raise found.bad("a mapping of paths, tools, errors, always")
    lists = ("paths", "tools", "errors")
    return {
        key: list(_list(_Value(f"when.{key}", value, found.line))) if key in lists else _natural(value)
        for key, value in found.value.items()
    }


def _natural(value: Any) -> Any:
    """The value of a key that is not ours, in the shapes that a page reads back: numbers as the text they are."""
    if isinstance(value, Mapping):
        return {clean(str(key)): _natural(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_natural(inner) for inner in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Plain(value)
    return value if value is None or isinstance(value, bool | Plain) else clean(str(value))


_FIELDS: dict[str, Callable[[_Value], Any]] = {
    "id": _id, "type": _one_of(RecordType), "title": _line, "description": _line, "state": _one_of(State),
    "confidence": _number(0, 1, "a number from 0 to 1"), "scope": _scope, "project": _project, "domains": _list,
    "tags": _list, "created": _time, "reinforced": _time, "quarantine_until": _until, "ttl_days": _count,
    "uses": _count, "successes": _count, "evidence": _one_of(Evidence), "sources": _list, "supersedes": _list,
    "superseded_by": _text, "reason": _text, "evolution_gen": _count, "parents": _list, "when": _when,
    "aliases": _list, "score": _number(0, 5, "a number from 0 to 5"), "score_by": _text, "offered": _list,
    "used": _list,
}  # fmt: skip


# --- writing


def render(record: Record) -> str:
    """The page of a record: frontmatter in the order of MEMORY.md §2, an empty line, the body. Always the same bytes.

    For a page that already exists use `update`, which leaves a person's keys, comments and line ends alone.
    """
    record = normal(record)
    lines = []
    for key in ORDER:
        value = getattr(record, key)
        if key in ALWAYS or value != getattr(_DEFAULTS, key):
            lines += entry(key, _written(key, value))
    for key, value in record.extra.items():
        lines += entry(str(key), _written(str(key), value))
    head = "\n".join(lines)
    return f"---\n{head}\n---\n" + (f"\n{record.body}" if record.body else "")


def normal(record: Record) -> Record:
    """The record as it reads back: titles on one line, four decimals, no lone surrogates, the body trimmed."""
    shaped: dict[str, Any] = {
        "title": folded(record.title),
        "description": folded(record.description),
        "project": _cleaned(record.project) or None,
        "confidence": round(record.confidence, 4),
        "score": None if record.score is None else round(record.score, 4),
        "when": _natural(record.when),
        "extra": _natural(record.extra),
        "body": _body(record.body),
    }
    texts: dict[str, Any] = {
        field.name: _cleaned(getattr(record, field.name)) for field in fields(record) if field.name not in shaped
    }
    return replace(record, **texts, **shaped)


def _cleaned(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(clean(str(item)) for item in value)
    return clean(value) if type(value) is str else value


def _written(key: str, value: Any) -> str | list[str]:
    """A value as `entry` takes it: in the style of its key."""
    if isinstance(value, Enum):
        value = str(value.value)
    if key in ("confidence", "score") and isinstance(value, int | float):
        return _decimals(float(value))
    if key == "sources" and value:
        return [quoted(str(source)) for source in ([value] if isinstance(value, str) else value)]
    if key == "when" and isinstance(value, Mapping):
        pairs = (f"{scalar(str(k))}: {scalar(v, quote=k in ('paths', 'errors'))}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    return scalar(value, quote=key in _FIELDS and key not in _WORDS)


def _decimals(number: float) -> str:
    """Two to four decimals: 0.80, 0.8225."""
    text = f"{number:.4f}"
    return text[:-2] + text[-2:].rstrip("0")


def edit(text: str, changes: Mapping[str, Any], body: str | None = None) -> str:
    """A page with some keys changed in place, and its body when one is given. Nothing else moves by a byte.

    A value of REMOVE takes the key out; a new key goes to its place in ORDER; a page without frontmatter gets one.
    Raises BadPage when the page does not parse or cannot be edited without touching more.
    """
    lines = {key: None if value is REMOVE else entry(key, _written(key, value)) for key, value in changes.items()}
    text = edited(text, lines, ORDER)
    if body is None or body == _body(split(text).body):
        return text
    parts = split(text)
    gap = parts.newline if parts.head is not None and body else ""
    return replace(parts, body=gap + _body(body).replace("\n", parts.newline)).joined()


def relinked(text: str, target: Callable[[str], str]) -> str:
    """The page with other targets in the links of its body, as `prose.relinked`; nothing else moves by a byte."""
    parts = split(text)
    return replace(parts, body=prose.relinked(parts.body, target)).joined()


def update(text: str, record: Record) -> str:
    """The page as it must be to read as `record`: `edit` of what differs. The text itself when nothing does.

    The page keeps its own id while it has none: a page written by hand stays one.
    """
    record, old = normal(record), read(text, record.path, record.scope)
    changes: dict[str, Any] = {}
    for key in ORDER:
        value = getattr(record, key)
        if value != getattr(old, key):
            changes[key] = REMOVE if key not in ALWAYS and value == getattr(_DEFAULTS, key) else value
    for key in {**old.extra, **record.extra}:
        if key not in record.extra or record.extra[key] != old.extra.get(key, REMOVE):
            changes[key] = record.extra.get(key, REMOVE)
    return edit(text, changes, record.body)


def page_path(record: Record, taken: Collection[str] = ()) -> str:
    """Where a new page goes: `wiki/<folder>/<slug>.md`, below `wiki/archive/` when it is archived.

    `taken` holds the paths in use, of all folders: no two pages of a wiki share a stem.
    """
    stem = page_stem(record.title, record.id, [stem_of(path) for path in taken])
    return f"{'wiki/archive' if record.state is State.ARCHIVED else 'wiki'}/{TYPES[record.type].folder}/{stem}.md"
