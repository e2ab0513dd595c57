"""Words as a person typed them, and the way to the one answer of `context` and `search`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any


def phrase(words: Sequence[str]) -> str:
    """The arguments as one text. Quotes are not needed, and a `-` alone stands for standard input.

    Where the locale is not UTF-8 Python hides the bytes of an argument in surrogates; they are made whole again.
    """
    if list(words) == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return os.fsencode(" ".join(words)).decode("utf-8", "replace") if _hidden(words) else " ".join(words)


def _hidden(words: Sequence[str]) -> bool:
    return any("\udc80" <= char <= "\udcff" for word in words for char in word)


def answer(command: str, words: Sequence[str], **flags: Any) -> int:
    """What `llmwiki.fast` answers to `context` or `search`, printed; the exit code. There is one answer to each."""
    from llmwiki import fast

    given = fast.Flags()
    given.words = [word if word == "-" else phrase([word]) for word in words]
    given.update({name: phrase([value]) if isinstance(value, str) else value for name, value in flags.items() if value})
    return fast._context(given) if command == "context" else fast._search(given)
