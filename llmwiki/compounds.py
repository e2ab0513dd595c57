"""What is one word here and two there: `lock file` and `lockfile`, `Datenbankmigration` and `Datenbank`, `Migration`.

Which of them are words only a wiki can tell, so these are candidates, to be held against it. Pure; loaded by the hook.
"""

from __future__ import annotations

from itertools import pairwise

from llmwiki import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

READ = 4000  # characters of a question that are looked at
PART, LONGEST = 4, 32  # letters of the shorter half of a word that is taken apart; of the whole
WHOLE = 5  # letters of two words that may be one, of two each


def joined(text: str) -> dict[str, list[str]]:
    """What two neighbours make when written as one -> the terms that it may say: the two, but for stop words (`log in`
    is `login`), and both with what joins them."""
    found: dict[str, list[str]] = {}
    for one, other in pairwise(_plain(text)):
        if min(len(one), len(other)) > 1 and WHOLE <= len(one) + len(other) <= LONGEST:
            said = [term for term in map(words.stem, (one, other)) if term not in words.STOP]
            if said:
                found.setdefault(words.stem(one + other), [*said, f"{one}-{other}", f"{one}_{other}"])
    return found


def apart(text: str) -> dict[str, list[tuple[str, str]]]:
    """A long word's term -> the pairs of terms that it may be made of, the longest beginning first."""
    return {
        words.stem(word): [(words.stem(word[:i]), words.stem(word[i:])) for i in range(len(word) - PART, PART - 1, -1)]
        for word in _plain(text)
        if 2 * PART <= len(word) <= LONGEST
    }


def _plain(text: str) -> Iterator[str]:
    """The words of letters alone, in order, without accents; what stands between others, as "" each."""
    for word in words.plain(text[:READ]):
        yield word if word.isascii() and word.isalpha() else ""
