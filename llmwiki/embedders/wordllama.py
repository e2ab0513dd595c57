"""WordLlama's static vectors (MIT): a table of 32,000 tokens, a hundred times as quick as MiniLM and less of a gain.

Its wheel carries the table (16 MB) and the tokenizer; both files are read as they lie, and none of its code is run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

from llmwiki.embedders.base import folder

CURE = "pip install wordllama"
NEEDS = ("numpy", "tokenizers", "wordllama")
TABLE, TOKENIZER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"
TYPES = {"F16": "<f2", "F32": "<f4"}


class WordLlama:
    """The contract of `base.Embedder`: the mean of the vectors of a text's tokens, 256 numbers."""

    model = "wordllama-l2-supercat-256"
    least = 0.35  # nineteen of twenty tasks about something else are less near to all of a wiki
    opens = 2.0  # no cosine: of the records that it would let in by itself two in three were the wrong ones

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(os.path.join(folder("wordllama"), *TOKENIZER.split("/")))
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _table(self) -> Any:
        return _tensor(os.path.join(folder("wordllama"), *TABLE.split("/")), "embedding.weight")

    def passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [self._table[one.ids or [0]].astype("f4").mean(0) for one in encoded]

    def question(self, text: str) -> Sequence[float]:
        return self.passages([text])[0]


def _tensor(path: str, name: str) -> Any:
    """One tensor of a safetensors file, mapped: eight bytes of length, that much JSON, then the numbers."""
    import numpy

    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        said = json.loads(file.read(length))[name]
    start = 8 + length + said["data_offsets"][0]
    return numpy.memmap(path, TYPES[said["dtype"]], "r", start, tuple(said["shape"]))


@cache
def open_embedder() -> WordLlama:
    """One for the whole process: a program that asks often loads the model once."""
    return WordLlama()
