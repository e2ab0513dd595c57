"""Home folders and the user's name out of text: paths stay readable and say nothing of the person."""

from __future__ import annotations

import re
from collections.abc import Callable

# Accounts of images, runners and manuals tell nothing about a person, and `/home/runner` says "in CI", which is worth
# keeping: their home folders stay as they are, unless the home folder is given as the person's own.
NOBODY = frozenset(
    "runner node ubuntu debian vscode user users username app circleci jovyan coder gitpod codespace vagrant ec2-user "
    "linuxbrew shared public default guest root admin you me yourname your-name name someone somebody builder build ci "
    "jenkins git www-data nobody pi container sandbox appuser xxx example".split()
)

_END = r"(?![\w.-]*[\w-])"  # `/home/al` is not the beginning of `/home/alice`; a full stop may end a sentence
# Each begins with a literal, which the regular expression engine looks for many times faster than for a class.
_NAME = r"([A-Za-z_][\w.-]{0,63}(?<![.-]))"
_UNIX = re.compile(r"/(?<![\w.~-]/)(?:home|Users)/" + _NAME)
_DRIVES = (
    re.compile(r"/mnt/[a-z]/[Uu]sers/" + _NAME),
    re.compile(r"/(?<![\w.~-]/)[a-z]/[Uu]sers/" + _NAME),
)
_WINDOWS = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]:(?P<sep>\\{1,8}|/)(?:[Uu]sers|USERS|Documents and Settings)(?P=sep)"
    r"(?P<name>[\w][\w.-]{0,63}(?: [\w.-]{1,40}){0,3}(?=\\|/)|[\w][\w.-]{0,63}(?<![.-]))"
)
_SLUG = re.compile(r"(?:(?<=[/\\\"'`])|^)(?:[A-Za-z]-)?-(?:Users|home)-([A-Za-z0-9_]{2,40})(?=[-/\\\"'`\s]|$)", re.M)
_LS = r"(?m)^([^\S\n]*(?:\d+ +)?[-dlbcps][-rwxsStTl]{9}[.+@]? +\d+ +)%s( +)(?:%s(?=\s))?"
_NAMED = (
    r"(?i)(\b(?:user(?:name)?|owner|login|logname|chown(?: -R)?)[\"']?[ \t]*(?:[:=][ \t]*)?[\"']?)"
    r"(?<![A-Za-z])%s(?![\w-])"
)


def _or_nobody(match: re.Match[str]) -> str:
    return match.group() if match.group(match.lastindex or 1).lower() in NOBODY else "~"


def _own(home: str) -> re.Pattern[str] | None:
    """Matches the given home folder in each way it is written: plain, with escaped backslashes, as an agent's slug."""
    home = home.rstrip("/\\")
    if len(home) < 2:
        return None
    parts = [re.escape(p) for p in re.split(r"[/\\]+", home)]
    slug = re.escape(re.sub(r"[^A-Za-z0-9]", "-", home))
    path = r"(?:/|\\{1,8})".join(parts)
    return re.compile(rf"(?<![\w.~-])(?:{path}{_END}|{slug}(?![A-Za-z0-9]))")


class Homes:
    """Rewrites home folders to `~` and the user's name to `user`. `home` and `user` may be unknown ("")."""

    def __init__(self, home: str = "", user: str = "") -> None:
        self._home = _own(home)
        tail = re.split(r"[/\\]", home.rstrip("/\\"))[-1]
        # What each way of writing the home folder ends with: a slug says `john-doe` where the path says `john.doe`.
        self._tails = tuple(dict.fromkeys((tail, re.sub(r"[^A-Za-z0-9]", "-", tail)))) if self._home else ()
        named = len(user) > 1 and user.lower() not in NOBODY
        self._user = user if named else ""
        name = re.escape(user)
        self._names: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
            (re.compile(rf"(?<![\w.-]){name}@(?=[\w-])"), "user@"),
            (re.compile(_LS % (name, name)), _owner),
            (re.compile(_NAMED % name), r"\1user"),
            (re.compile(rf"(?m)^{name}(?= +\d+ +\d)"), "user"),
        )

    def text(self, text: str) -> str:
        """The text with `~` for each home folder: `/Users/ada/work` is `~/work`, and so is it on another machine."""
        for tail in self._tails:
            if tail in text:
                text = _in_lines(text, tail, self._homeless)
        if "sers" in text or "home" in text or "ettings" in text:
            text = _others(text)
        return _in_lines(text, self._user, self._nameless, _as_name) if self._user and self._user in text else text

    def _homeless(self, line: str) -> str:
        return self._home.sub("~", line) if self._home else line

    def _nameless(self, line: str) -> str:
        for pattern, put in self._names:
            line = pattern.sub(put, line)
        return line


def _in_lines(
    text: str, word: str, change: Callable[[str], str], fits: Callable[[str, str], bool] | None = None
) -> str:
    """The text with the lines changed that hold `word`, where `fits` likes what stands before and behind it. Patterns
    cost, and lines are many."""
    out, at = [], 0
    found = text.find(word)
    while found >= 0:
        after = found + len(word)
        if fits and not fits(text[found - 1 : found] if found else "", text[after : after + 1]):
            found = text.find(word, after)
            continue
        start = text.rfind("\n", at, found) + 1 or at
        end = text.find("\n", found)
        end = len(text) if end < 0 else end
        out += [text[at:start], change(text[start:end])]
        at, found = end, text.find(word, end)
    return "".join([*out, text[at:]])


def _as_name(before: str, after: str) -> bool:
    """Whether a name can be a person's between these two characters: whatever else the patterns of names ask for, this
    they do. Most names in a text are parts of paths."""
    if after == "@":
        return not (before.isalnum() or before in (*"_.-",))
    return before in ("", *"\n \t\"':=") and not (after.isalnum() or after in ("_", "-"))


def _others(text: str) -> str:
    if ":\\" in text or ":/U" in text or ":/u" in text or ":/D" in text:
        text = _WINDOWS.sub(_or_nobody, text) if "sers" in text or "ettings" in text else text
    if _on_drive(text, "/Users/") or _on_drive(text, "/users/"):
        for drive in _DRIVES:
            text = drive.sub(_or_nobody, text)
    if "/home/" in text or "/Users/" in text:
        text = _UNIX.sub(_or_nobody, text)
    return _SLUG.sub(_or_nobody, text) if "-Users-" in text or "-home-" in text else text


def _on_drive(text: str, folder: str) -> bool:
    """Whether the folder stands behind a drive's letter somewhere: `/c/Users/`, `/mnt/c/Users/`."""
    found = text.find(folder)
    while found >= 0:
        if found > 1 and text[found - 2] == "/" and text[found - 1].isalpha():
            return True
        found = text.find(folder, found + 1)
    return False


def _owner(match: re.Match[str]) -> str:
    """The owner column of `ls -l`; the group goes too when it has the same name."""
    group = match.group()[len(match.group(1)) :].rstrip(" ").count(" ") > 0
    return f"{match.group(1)}user{match.group(2)}" + ("user" if group else "")
