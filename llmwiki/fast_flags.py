"""The flags of `context` and `search`, read by hand: a library for it costs more than the answer."""

from __future__ import annotations

from llmwiki.errors import WikiError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

ONE, MANY, NUMBER, SWITCH = "one", "many", "number", "switch"
_EVERYWHERE = {"--wiki": ONE, "--json": SWITCH, "--quiet": SWITCH}
FLAGS = {
    "context": {
        "--budget": NUMBER, "--limit": NUMBER, "--project": ONE, "--scope": ONE, "--files": MANY, "--tool": ONE,
        "--error": ONE, "--explain": SWITCH, "--plan": SWITCH, "--session": ONE, "--hook": ONE,
    },
    "search": {
        "--limit": NUMBER, "--type": ONE, "--state": ONE, "--project": ONE, "--scope": ONE,
        "--all": SWITCH, "--raw": SWITCH,
    },
}  # fmt: skip


class Flags(dict[str, "Any"]):
    """Flag without dashes -> value; absent flags give None. `words`: what is no flag."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def __missing__(self, key: str) -> None:
        return None


def parse(command: str, args: Sequence[str]) -> Flags:
    """The flags of a command line. WikiError, with the cure, for what is unknown, incomplete or no number."""
    known = {**FLAGS[command], **_EVERYWHERE}
    found, i, plain = Flags(), 0, False
    while i < len(args):
        arg = args[i]
        i += 1
        if plain or arg == "-" or not arg.startswith("-"):
            found.words.append(arg)
        elif arg == "--":
            plain = True
        else:
            name, equals, value = arg.partition("=")
            kind = known.get(name)
            if kind is None:
                raise WikiError(f"{command} has no flag {name}; see `llmwiki {command} --help`")
            if kind == SWITCH and equals:
                raise WikiError(f"{name} takes no value")
            if kind != SWITCH and not equals:
                if i >= len(args):
                    raise WikiError(f"{name} needs a value; see `llmwiki {command} --help`")
                value = args[i]
                i += 1
            i = _keep(found, name, kind, value, args, i)
    return found


def _keep(found: Flags, name: str, kind: str, value: str, args: Sequence[str], i: int) -> int:
    """Puts one flag in; where the next argument stands (`--files` takes all up to the next flag)."""
    key = name[2:]
    if kind == SWITCH:
        found[key] = True
    elif kind == NUMBER:
        try:
            found[key] = int(value)
        except ValueError:
            found[key] = 0
        if found[key] < 1:
            raise WikiError(f"{name} wants a whole number from 1 up, not {value!r}")
    elif kind == MANY:
        found.setdefault(key, []).append(value)
        while i < len(args) and not args[i].startswith("-") and found.words:
            found[key].append(args[i])
            i += 1
    else:
        found[key] = value
    return i
