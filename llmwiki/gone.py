"""What names the things that are forgotten: by these marks every text that still speaks of them is found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

SHORTEST = 6  # characters of a native id that is looked for by itself; a shorter one with its agent in front
FEW = 20  # names that are looked for one by one; more of them word by word
_WORD = re.compile(r"[\w-]+")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
_PARTS = ("sessions", "natives", "records", "titles", "paths")


class Gone:
    """The names of what is forgotten: stems of raw pages, native ids of sessions (`agent/id` when they are short), ids
    and stems of records, titles of both, and paths where any of them ever lay."""

    def __init__(self, **parts: Iterable[str]) -> None:
        given = {name: frozenset(filter(None, parts.get(name, ()))) for name in _PARTS}
        self.sessions, self.natives, self.records = given["sessions"], given["natives"], given["records"]
        self.titles, self.paths = given["titles"], given["paths"]
        self.names = self.sessions | self.natives | self.records
        self._odd = sorted(name for name in self.names if not _WORD.fullmatch(name))

    @classmethod
    def load(cls, value: Mapping[str, Any]) -> Gone:
        return cls(**{name: value.get(name, ()) for name in _PARTS})

    def dump(self) -> dict[str, list[str]]:
        return {name: sorted(getattr(self, name)) for name in _PARTS}

    def with_more(self, **parts: Iterable[str]) -> Gone:
        return Gone(**{name: {*getattr(self, name), *parts.get(name, ())} for name in _PARTS})

    def named(self, text: str) -> bool:
        """Whether a name stands in a text as a whole word: `use-npm` does not stand in `never-use-npm`.

        What JSON escapes is read as the characters it means.
        """
        if "\\u" in text:
            text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
        if len(self.names) <= FEW and not any(name in text for name in self.names):
            return False
        return any(name in text for name in self._odd) or any(w in self.names for w in _WORD.findall(text))

    def told(self, line: str) -> bool:
        """Whether a line of a log or a journal names any of it, by name or by title."""
        return self.named(line) or any(_stands(title, line) for title in self.titles if title in line)

    def path(self, path: str) -> bool:
        """Whether a path leads to any of it."""
        return path in self.paths or self.named(path)


def _stands(title: str, line: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(title)}(?!\w)", line) is not None


def native(agent: str, id: str) -> str:
    """The name by which a session's native id is looked for in any text.

    >>> native("codex", "7"), native("codex", "0195f3a0-7c1e")
    ('codex/7', '0195f3a0-7c1e')
    """
    return id if len(id) >= SHORTEST else f"{agent}/{id}"
