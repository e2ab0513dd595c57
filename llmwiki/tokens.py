"""How many tokens a text is, by the real o200k vocabulary, which lies inside the wheel of `rs-bpe`."""

from __future__ import annotations

from typing import Any

_tokenizer: list[Any] = []


def exact() -> bool:
    """Whether the vocabulary is here. Pythons newer than its wheels do without, and count by bytes."""
    if not _tokenizer:
        try:
            from rs_bpe import openai

            _tokenizer.append(openai.o200k_base())
        except ImportError:
            _tokenizer.append(None)
    return _tokenizer[0] is not None


def count(text: str) -> int:
    """Tokens of `text` in o200k. Loading costs 60 ms once, so that hooks add up counts made when a page was indexed.

    A text cut after newlines, where no piece begins with a slash or a line end, counts the sum of its pieces:
    the vocabulary's word pattern never reaches over such a border. Without the vocabulary half the bytes stand for it:
    prose is half of that, and what is denser (JSON, hashes) comes close.
    """
    content = text.encode("utf-8", "replace")
    return int(_tokenizer[0].count(content.decode("utf-8"))) if exact() else (len(content) + 1) // 2
