"""Text -> terms: one analysis for pages and for questions, so that every index ranks the same words.

This module runs in the hook that answers every prompt: it imports nothing at load time, not even `re`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

TERM_CHARS = 64  # a longer run is a blob (base64, a hash list): its beginning says as much
WHOLE_CHARS = 120
JOINERS = "_-./\\:@+#"
STOP = frozenset(  # words and their stems
    "a about abov above after again all also am an and ani any are as at be becaus because been befor before "
    "being below between both but by can could d did do doe does doing don done down dure during each few for "
    "from further get got had has have having he her here hers him his how i if in into is it its itself just ll "
    "me more most my myself no nor not now of off on onc once onli only or other our ours out over own pleas "
    "please re s same shall she should so some such t than that the their theirs them then there these they this "
    "those through to too under until up us ve veri very was we were what when where whi which while who whom why "
    "will with would you your yours".split()
)


class _Folding(dict[int, str]):
    """Character -> what analysis sees of it, found once: letters, digits and joiners stay, all else is a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in JOINERS or char.isalnum():
            kept = _unaccented(char)
        elif code in (0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xAD) or (code < 32 and char not in "\t\n\r\x0b\x0c"):
            kept = ""  # invisible: it may not split a word to hide it
        elif code > 127 and _is_mark(char):
            kept = (
                "" if code < 0x370 else char
            )  # a loose accent goes; a vowel sign of another script is part of its word
        else:
            kept = " "
        self[code] = kept
        return kept


def _unaccented(char: str) -> str:
    if ord(char) < 128:
        return char
    import unicodedata

    if 0x3000 <= ord(char) < 0xFF00:
        return char  # CJK: taking a syllable or a kana apart would make another one of it
    return "".join(c for c in unicodedata.normalize("NFKD", char) if c.isalnum())


def _is_mark(char: str) -> bool:
    import unicodedata

    return unicodedata.category(char)[0] == "M"


_FOLDING = _Folding()


class _Stems(dict[str, str]):
    """Lower-case word -> its stem, each found once: a wiki has few words, often."""

    def __init__(self) -> None:
        self._find: Callable[[str], str] | None = None

    def __missing__(self, word: str) -> str:
        if self._find is None:
            from Stemmer import Stemmer

            self._find = Stemmer("english", 0).stemWord
        if len(self) > 200_000:
            self.clear()
        self[word] = found = self._find(word)
        return found


_STEMS = _Stems()


def stem(word: str) -> str:
    """The Snowball English stem of a lower-case word: `running` and `runs` give `run`."""
    return _STEMS[word]


def folded(text: str) -> str:
    """A text in lower case and without accents, as its terms are; what stands in no term is a space."""
    return text.translate(_FOLDING).lower()


def terms(text: str) -> list[str]:
    """The terms of a text in order, repeats kept. Linear in its length.

    Words are lower-case stems without accents; `camelCase`, `snake_case`, `dotted.names`, paths and error codes give
    their parts and the whole; Chinese, Japanese and Korean runs give pairs of characters and
    each character.
    """
    found: list[str] = []
    for chunk in text.translate(_FOLDING).split():
        if chunk.isascii() and chunk.isalpha() and (chunk.islower() or chunk.istitle()):
            found.append(_STEMS[chunk.lower()[:TERM_CHARS]])  # the plain word: nine in ten
        else:
            _chunk(chunk.strip(JOINERS), found)
    return found


def plain(text: str) -> list[str]:
    """The words of a text in order, lower-case and without accents, neither stemmed nor taken apart but at joiners."""
    text = text.translate(_FOLDING)
    for joiner in JOINERS:
        text = text.replace(joiner, " ")
    return text.lower().split()


def _chunk(chunk: str, found: list[str]) -> None:
    parts = _split(chunk)
    if len(parts) > 1:
        found.append(chunk.lower()[:WHOLE_CHARS])
        name = chunk.rsplit("/", 1)[-1]
        if name != chunk and len(_split(name)) > 1:  # a file is asked for by its name, without its folders
            found.append(name.lower()[:WHOLE_CHARS])
    for part in parts:
        _part(part, found)


def _split(chunk: str) -> list[str]:
    for joiner in JOINERS[1:]:
        chunk = chunk.replace(joiner, "_")
    return [part for part in chunk.split("_") if part]


def _part(part: str, found: list[str]) -> None:
    if not part.isascii():
        _foreign(part.lower(), found)
        return
    humps = [part] if part.islower() or part.isupper() or part.isdigit() else _humps(part)
    if len(humps) > 1:
        found.append(part.lower()[:TERM_CHARS])
    found.extend(stem(hump.lower()[:TERM_CHARS]) for hump in humps)


def _humps(part: str) -> list[str]:
    """`parseHTTPHeader` -> parse, HTTP, Header."""
    humps, start = [], 0
    for i in range(1, len(part)):
        upper, before = part[i].isupper(), part[i - 1].isupper()
        opens = upper and not before
        closes = upper and before and i + 1 < len(part) and part[i + 1].islower()
        if opens or closes:
            humps.append(part[start:i])
            start = i
    return [*humps, part[start:]]


def _is_cjk(char: str) -> bool:
    return (
        "\u3040" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u9fff"
        or "\uac00" <= char <= "\ud7af"
        or char >= "\U00020000"
    )


def _foreign(part: str, found: list[str]) -> None:
    """A part with letters beyond ASCII: runs of CJK as pairs, a lone character as itself, other words stemmed whole."""
    start = 0
    for i in range(1, len(part) + 1):
        if i == len(part) or _is_cjk(part[i]) != _is_cjk(part[start]):
            run = part[start:i]
            if not _is_cjk(run[0]):
                found.append(stem(run[:TERM_CHARS]))
            else:
                found.extend(run[j : j + 2] for j in range(len(run) - 1))
                found.extend(run)
            start = i


def query_terms(text: str, most: int = 256) -> dict[str, int]:
    """`asked` of a text that nobody has analysed yet."""
    return asked(terms(text), most)


def asked(found: Sequence[str], most: int = 256) -> dict[str, int]:
    """Distinct terms of an analysed question -> how often each stands in it, in order of first use, at most `most`.

    Stop words, and single characters of CJK runs, are dropped only when other terms remain: a question of nothing
    but stop words is still a question.
    """
    counted = count(found)
    kept = {term: n for term, n in counted.items() if term not in STOP} or counted
    kept = {term: n for term, n in kept.items() if len(term) > 1 or not _is_cjk(term)} or kept
    if len(kept) > most:  # a pasted log: what it repeats, then what comes first
        kept = dict(sorted(kept.items(), key=lambda pair: -pair[1])[:most])
    return kept


def phrases(found: Iterable[str]) -> set[tuple[str, str]]:
    """The pairs of terms that stand beside each other in an analysed text, as if it had no stop words."""
    from itertools import pairwise

    return {pair for pair in pairwise(term for term in found if term not in STOP) if pair[0] != pair[1]}


def count(found: Iterable[str]) -> dict[str, int]:
    """Term -> how often, in order of first use."""
    counted: dict[str, int] = {}
    for term in found:
        counted[term] = counted.get(term, 0) + 1
    return counted


# Stems of the words of any task: that a record has one of them says little about whether it belongs to this one.
COMMON = frozenset(
    "add ask bad best better bug build call chang check code come command configur correct creat current day "
    "debug deploy differ edit ensur error everi exampl explain fail featur file find first fix function get give "
    "go good great help implement improv instal issu keep know last let like line list littl look lot make mani "
    "may method modul much must need new next number old one open option part peopl plan pleas point possibl "
    "problem project put question read realli refactor remov result review right run say script see set show "
    "small someth start still stop sure take tell test thing think time today tool tri two updat use user valu "
    "veri want way well word work write wrong year yes yet".split()
)


def is_common(term: str) -> bool:
    """Whether a term is a word of any task."""
    return term in COMMON
