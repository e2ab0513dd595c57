"""What records and their files are called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Container

ARCHIVE = "wiki/archive/"
_ID = re.compile(r"[a-z0-9][a-z0-9-]{2,79}")
# Names that a Windows disk refuses, whatever the ending, and pages that mean something else in a wiki.
_TAKEN = frozenset(
    "con prn aux nul index log _context agents claude readme".split()
    + [f"{port}{n}" for port in ("com", "lpt") for n in range(10)]
)


def is_id(text: str) -> bool:
    return bool(_ID.fullmatch(text))


def _digits(text: str, length: int) -> str:
    from hashlib import sha256  # OpenSSL costs a hook milliseconds

    return sha256(text.encode("utf-8", "replace")).hexdigest()[:length]


def _cut(text: str, limit: int) -> str:
    """At most `limit` characters of a slug, cut between words where that keeps at least half of them."""
    if len(text) <= limit:
        return text
    whole = text[: limit + 1].rsplit("-", 1)[0]
    return (whole if len(whole) >= limit // 2 else text[:limit]).rstrip("-")


def id_slug(title: str) -> str:
    """Up to 40 characters of `[a-z0-9-]`: accents are dropped, and a title without any such letter gives `x` and
    eight hex digits of its hash."""
    plain = unicodedata.normalize("NFKD", title.replace("ß", "ss")).casefold()
    words = re.findall(r"[a-z0-9]+", "".join(c for c in plain if not unicodedata.combining(c)))
    return _cut("-".join(words), 40) or f"x{_digits(title, 8)}"


def record_id(title: str, agent: str, session: str, anchor: str) -> str:
    """The id of a record: the slug of its title, `-`, four hex digits of (agent, session, first cited turn).

    The same lesson of the same turn gets the same id again; another turn's lesson of the same title another one.
    """
    return f"{id_slug(title)}-{_digits(chr(0).join((agent, session, anchor)), 4)}"


def free_id(wanted: str, taken: Container[str]) -> str:
    """An id, with a number behind it where another record has it."""
    found, number = wanted, 2
    while found in taken:
        found, number = f"{wanted[:76]}-{number}", number + 1
    return found


def handwritten_id(title: str, path: str) -> str:
    """The id of a page that has none: the slug of its title, `-`, four hex digits of its path.

    It lasts as long as title and path do; whoever wants to rename the page writes the `id` down. Going to
    `wiki/archive/` changes nothing.
    """
    return f"{id_slug(title)}-{_digits(living_path(path), 4)}"


def archived_path(path: str) -> str:
    """Where a page lies once it is withdrawn: in the same folder and under the same name below `wiki/archive/`."""
    return f"{ARCHIVE}{living_path(path).removeprefix('wiki/')}"


def living_path(path: str) -> str:
    """Where a page lay before it was withdrawn; the path itself when it is in no archive."""
    return f"wiki/{path.removeprefix(ARCHIVE)}" if path.startswith(ARCHIVE) else path


def slug(title: str, limit: int = 60) -> str:
    """A file name without its ending, for people: lower case, letters of any script, legal on every disk."""
    letters = "".join(c if _in_word(c) else " " for c in unicodedata.normalize("NFC", title).lower())
    text = _cut("-".join(word for word in letters.split() if any(map(str.isalnum, word))), limit)
    while len(text.encode("utf-8", "replace")) > 180:
        text = text[:-1]
    text = text.strip("-") or f"x{_digits(title, 8)}"
    return f"{text}-page" if taken(text) else text


def taken(stem: str) -> bool:
    """Whether a page may not be called so: a Windows disk refuses it, or it means something else in a wiki."""
    return stem.casefold() in _TAKEN


def _in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")  # vowel signs belong to their letter


def page_stem(title: str, record: str, stems: Collection[str]) -> str:
    """The stem of a new page, unlike every one of `stems` in whatever case: links use stems, and some disks fold case.

    The title's slug; when that is in use, with the last four characters of the record's id, then with a number.
    """
    used = {stem.casefold() for stem in stems}
    stem = first = slug(title)
    if stem.casefold() in used:
        stem = first = f"{first}-{record[-4:]}"
    number = 2
    while stem.casefold() in used:
        stem, number = f"{first}-{number}", number + 1
    return stem


def title_line(text: str, limit: int = 100) -> str:
    """A title made of a sentence: one line without wikilinks, cut between words with `…` at `limit` characters."""
    line = " ".join(re.sub(r"!?\[\[[^\[\]]*\]\]", "", text).split()).rstrip(" .")
    if len(line) <= limit:
        return line
    whole = line[:limit].rpartition(" ")[0]
    return (whole if len(whole) >= limit // 2 else line[: limit - 1]).rstrip(" ,;:.") + "…"
