"""An embedder that knows a few words: two that mean the same lie on one axis, all others say next to nothing."""

from __future__ import annotations

NEEDS: tuple[str, ...] = ()
MEANINGS = (("car", "automobile", "vehicle"), ("cat", "feline"), ("ship", "vessel", "boat"), ("gone", "vanished"))
ASKED: list[str] = []  # every text that was embedded


class Fake:
    """The contract of `embedders.base.Embedder`, four numbers a text."""

    model = "fake-1"
    least = 0.5

    def passages(self, texts):
        ASKED.extend(texts)
        return [vector(text) for text in texts]

    def question(self, text):
        return vector(text)


def vector(text):
    words = text.lower().replace(".", " ").split()
    return [float(sum(word in meaning for word in words)) for meaning in MEANINGS]


def open_embedder():
    return Fake()
