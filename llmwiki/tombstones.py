"""What `forget` keeps out: `wiki/.forgotten`, one salted SHA-256 a line.

It lies in `wiki/`, not in `.llmwiki/state/`: git tracks the one and ignores the other, and what one clone forgot no
clone shall learn again. It names nothing. A session stands there as its agent and native id; a lesson as its id (the
same turn of the same session gives the same id again), its title, each line that says it, and its meaning (another
session that teaches the same in the same project is refused too; of a failure its errors count, as they do when
failures are compared). All with a random salt of this wiki, so that hashes of two wikis cannot be compared; whoever has
the file can still try whether a sentence that he guesses was forgotten. Two clones that began a file each give two
salts when git unites them: both count.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator

from llmwiki import similar
from llmwiki.model import Record, RecordType
from llmwiki.prose import claims, plain

PATH = "wiki/.forgotten"
HEAD = "# What `llmwiki forget` keeps out, as salted SHA-256 hashes: nothing can be read here. Keep this file."
_SALT = re.compile(r"salt ([0-9a-f]{16,64})")
_HASH = re.compile(r"[0-9a-f]{64}")

Mark = tuple[str, ...]


class Tombstones:
    """The file as a question: was this forgotten?"""

    def __init__(self, text: str | None) -> None:
        lines = (text or "").splitlines()
        self._salts = sorted({found[1] for line in lines if (found := _SALT.fullmatch(line))})
        self._hashes = frozenset(line for line in lines if _HASH.fullmatch(line))

    def session(self, agent: str, *natives: str) -> bool:
        """Whether one of these sessions of an agent was forgotten."""
        return any(self._holds(of_session(agent, native)) for native in natives if native)

    def id(self, record: str) -> bool:
        """Whether the record of this id was forgotten."""
        return self._holds(("id", record))

    def name(self, name: str) -> bool:
        """Whether this is what a person called a thing that was forgotten, or the name of its page."""
        return self._holds(of_name(name))

    def lesson(self, record: Record) -> bool:
        """Whether this record was forgotten, or says what a forgotten one said."""
        return bool(self._hashes) and any(self._holds(mark) for mark in of_lesson(record))

    def _holds(self, mark: Mark) -> bool:
        return bool(self._hashes) and any(_hash(salt, mark) in self._hashes for salt in self._salts)


def of_session(agent: str, native: str) -> Mark:
    return "session", agent, native


def of_name(name: str) -> Mark:
    return "name", name


def of_lesson(record: Record) -> Iterator[Mark]:
    """What a record is known by. A trace is known by its session: two sessions may be asked for the same."""
    yield "id", record.id
    if record.type is RecordType.TRACE:
        yield from (("trace", source) for source in record.sources)
        return
    place = (record.type.value, record.project or "")
    yield "title", *place, _words(record.title)
    # A page that several sessions taught holds a line of each: what one of them said, it shall not say again.
    leading = [claim for claim in claims(record.body) if claim.section in similar.LEADING[record.type]]
    yield from (("said", *place, _words(plain(claim.text))) for claim in leading)
    found = similar.meaning(record)
    if found.all:
        values = (" ".join(f"{kind}={value}" for kind, value in sorted(found.sets | found.bars)),)
        said = (" ".join(sorted(found.wanted)), " ".join(sorted(found.unwanted)))
        yield "meaning", *place, *said, *(values if any(values) else ())
    if record.type is RecordType.FAILURE:
        errors = record.when.get("errors", ())
        yield from (("error", *place, str(error)) for error in ([errors] if isinstance(errors, str) else errors))


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold())) or text


def added(text: str | None, marks: Iterable[Mark], salt: str) -> str:
    """The file with these marks in it, sorted; `salt` is taken when it has none. What git left in it otherwise goes."""
    lines = {line for line in (text or "").splitlines() if _SALT.fullmatch(line) or _HASH.fullmatch(line)}
    salts = sorted(found[1] for line in lines if (found := _SALT.fullmatch(line)))
    salt = salts[0] if salts else salt
    lines |= {f"salt {salt}", *(_hash(salt, mark) for mark in marks)}
    return "\n".join([HEAD, *sorted(lines)]) + "\n"


def _hash(salt: str, mark: Mark) -> str:
    return hashlib.sha256("\0".join((salt, *mark)).encode("utf-8", "replace")).hexdigest()
