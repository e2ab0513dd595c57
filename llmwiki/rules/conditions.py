"""`when:`, the conditions under which a record speaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from llmwiki.model import Wiki
from llmwiki.rules.base import Findings, Found, Seen, living, some

LISTS = ("paths", "tools", "errors")
KNOWN = (*LISTS, "always")
MOST = 100  # patterns of one list that a reader compares: context_when.MOST_PATTERNS


def when(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A condition of `when:` is unknown, empty, or can never hold: a key other than `paths`, `tools`, `errors`,
    `always`, a list without words, or longer than what is looked at, `always` that is neither true nor false, a path
    from the root of a disk, a name of an error so short that it stands in every text.

    A condition that no reader knows is ignored, and the record speaks where it should not; one that never holds
    silences it.
    """
    for record in living(wiki):
        if record.when:
            wrong = tuple(_wrong(record.when))
            line = seen.key_line(record, "when")
            yield tuple(Found(record.path, said, line) for said in wrong)


def _wrong(conditions: Mapping[str, Any]) -> Iterator[str]:
    for key, value in conditions.items():
        if key not in KNOWN:
            yield f"when: {key!r} is no condition; there are {', '.join(KNOWN)}"
        elif key == "always":
            if value not in (True, False, "true", "false", "yes", "no"):
                yield f"when: always must be true or false, not {str(value)[:40]!r}"
        else:
            yield from _words(key, list(value) if isinstance(value, list | tuple) else [value])


def _words(key: str, words: list[Any]) -> Iterator[str]:
    if not any(str(word).strip() for word in words if word is not None):
        yield f"when: {key} names nothing"
        return
    if len(words) > MOST:
        yield f"when: {key} names {len(words)}; only the first {MOST} are looked at"
    bad = [str(word) for word in words if not _can_hold(key, str(word))]
    if bad:
        why = {
            "paths": "is no path inside a project",
            "errors": "stands in every text",
            "tools": "is no name of a tool",
        }[key]
        yield f"when: {key}: {some((repr(word[:40]) for word in bad), 2)} {why}"


def _can_hold(key: str, word: str) -> bool:
    """Whether a pattern can ever match, and not always: paths are compared as globs from a project's root."""
    word = word.strip()
    if key == "paths":
        return bool(word) and not word.startswith(("/", "~", "./", "../")) and "\\" not in word and word[1:3] != ":/"
    return len(word) >= (3 if key == "errors" else 1)
