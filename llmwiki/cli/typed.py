"""Words as a person typed them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def phrase(words: Sequence[str]) -> str:
    """The arguments as one text. Quotes are not needed, and a `-` alone stands for standard input.

    Where the locale is not UTF-8 Python hides the bytes of an argument in surrogates; they are made whole again.
    """
    if list(words) == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return os.fsencode(" ".join(words)).decode("utf-8", "replace") if _hidden(words) else " ".join(words)


def _hidden(words: Sequence[str]) -> bool:
    return any("\udc80" <= char <= "\udcff" for word in words for char in word)
