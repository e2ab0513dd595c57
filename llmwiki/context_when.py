"""Whether a record's `when:` holds for what is being done: the files, the tool, the error at hand. Pure.

Loaded by the hook: what costs (`re`, by way of the error forms) is imported where an error was given.
"""

from __future__ import annotations

import os

from llmwiki.indexes.entries import FIELD, GROUP, UNIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.indexes.entries import Entry

ERROR_LINES, ERROR_CHARS = 400, 400  # of an output, head and tail, that may be the line a record knows
MOST_FILES, MOST_PATTERNS = 64, 100  # of a task; of one condition of a page: each is compared with each
PATH_CHARS = 4096  # no file has a longer path
# A known error line that differs in a name is the same trouble as long as most of its words are there.
SAME_WORDS, LEAST_WORDS = 0.8, 4
MARKS = "e bash zsh sh line".split()  # who reports an error, and where: no part of it
# Tools that run whatever they are given: their name says nothing about a program.
CARRIERS = frozenset("bash shell sh zsh exec terminal powershell local_shell run_command execute_command".split())
LEAST_CHARS = 8  # of a known line after what varies was taken out


class Situation:
    """What is being done: `files` that are touched, the `tool` about to be used, an `error` as it was printed."""

    def __init__(self, files: Sequence[str] = (), tool: str = "", error: str = "") -> None:
        self._files = [_told(path).lower() for path in files[:MOST_FILES] if 0 < len(path) <= PATH_CHARS]
        self._tools = _tools(tool)
        self._error = Trouble(error) if error.strip() else None

    def holds(self, entry: Entry) -> bool | None:
        """True lifts the record, False silences it, None says nothing. A condition whose flag was not given is
        ignored."""
        verdict: bool | None = None
        for condition in entry.conditions.split(FIELD) if entry.conditions else ():
            name, _, listed = condition.partition(GROUP)
            fits = self._any(name, listed)
            if fits is False:
                return False
            verdict = fits or verdict
        return verdict

    def _any(self, name: str, listed: str) -> bool | None:
        """Whether one of the listed patterns fits what was given of this kind; None when nothing was."""
        patterns = [pattern[:ERROR_CHARS] for pattern in listed.split(UNIT, MOST_PATTERNS)[:MOST_PATTERNS]]
        if name == "paths" and self._files:
            return any(_path_fits(pattern, path) for pattern in patterns for path in self._files)
        if name == "tools" and self._tools:
            fits = any(_tool_fits(pattern, tool) for pattern in patterns for tool in self._tools)
            return fits or (None if CARRIERS.issuperset(self._tools) else False)
        if name == "errors" and self._error:
            return any(map(self._error.fits, patterns))
        return None

    def knows_error(self, entry: Entry) -> bool:
        """Whether the record names the very error that was given."""
        return self._error is not None and any(
            self._any("errors", condition.partition(GROUP)[2])
            for condition in entry.conditions.split(FIELD)
            if condition.startswith(f"errors{GROUP}")
        )

    def error(self) -> str:
        """What of the error is worth a search: its telling lines; "" when none was given."""
        return "\n".join(self._error.telling) if self._error else ""


class Trouble:
    """An error as it was printed: `telling` are the lines of it that say what went wrong, as they stand."""

    def __init__(self, output: str) -> None:
        from llmwiki.synthesizers import signatures

        lines = [line[:ERROR_CHARS] for line in output.replace("\r", "\n").split("\n") if line.strip()]
        lines = lines if len(lines) <= ERROR_LINES else lines[: ERROR_LINES // 2] + lines[-ERROR_LINES // 2 :]
        named = signatures.error_line(output)
        self.telling = list(dict.fromkeys(filter(None, (named, signatures.further(output, named), lines[-1]))))
        self._text = _bare("\n".join(lines))
        self._known = "\n".join(_bare(signatures.signature(line)) for line in lines)
        self._words = [_words(signatures.signature(line)) for line in self.telling]

    def fits(self, pattern: str) -> bool:
        """Whether a known error line, or a part of one that a person wrote, is in this output: as it stands, without
        what varies, or as a telling line with most of its words in order."""
        if not (wanted := _bare(pattern)):
            return False
        if wanted in self._text or wanted in self._known:
            return True
        if any(c.isdigit() or c in "/\\" for c in wanted):
            from llmwiki.synthesizers.signatures import signature

            wanted = _bare(signature(pattern))
            if len(wanted) >= LEAST_CHARS and wanted in self._known:
                return True
        known = _words(wanted)  # a person pastes the end of a long line as often as all of it
        return any(_alike(known, line) or _alike(line, known) for line in self._words)


def _slashed(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def _told(path: str) -> str:
    """A path without the detours that lead out of a folder again: `web/../src/x.py` is `src/x.py`."""
    return os.path.normpath(_slashed(path)) if "/.." in path or "\\.." in path else _slashed(path)


def _path_fits(pattern: str, path: str) -> bool:
    """Shell patterns over the whole path or its end; `**/` may stand for no folder at all, `docs/` for all in it."""
    from fnmatch import fnmatchcase

    pattern = _slashed(pattern).lower()
    whole = pattern + "*" if pattern.endswith("/") else pattern
    return any(fnmatchcase(f"/{path}", f"*/{form}") for form in {whole, whole.replace("**/", "")})


def _tools(tool: str) -> list[str]:
    """The names by which a tool may be known: `Bash(/usr/bin/npm install)` is Bash, the whole, and npm."""
    named, _, inside = tool.strip().lower().partition("(")
    commands = [words[0].rsplit("/", 1)[-1] for part in (named, inside) if (words := part.rstrip(")").split())]
    return list(dict.fromkeys([tool.strip().lower(), *commands])) if tool.strip() else []


def _tool_fits(pattern: str, tool: str) -> bool:
    from fnmatch import fnmatchcase

    return fnmatchcase(tool, pattern.strip().lower())


def _bare(text: str) -> str:
    return " ".join(text.lower().split())


def _words(line: str) -> list[str]:
    """The words of an error line: `zsh: command not found: go` has those of `go: command not found`."""
    bare = (word.strip(":,;.'\"`()[]") for word in _bare(line).split())
    return [word for word in bare if word and word not in MARKS]


def _alike(wanted: Sequence[str], have: Sequence[str]) -> bool:
    if len(wanted) >= LEAST_WORDS and set(wanted) == set(have):
        return True
    least = SAME_WORDS * len(wanted)
    if (
        len(wanted) < LEAST_WORDS
        or len(have) > 4 * len(wanted)
        or len({*wanted} & {*have}) < SAME_WORDS * len({*wanted})
    ):
        return False
    row = [0] * (len(have) + 1)  # the longest run of words in common, gaps allowed
    for word in wanted:
        before = 0
        for i, other in enumerate(have, 1):
            row[i], before = (before + 1 if word == other else max(row[i], row[i - 1])), row[i]
    return row[-1] >= least
