"""The contract of an embedder, and which one is meant by a setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from llmwiki import registry
from llmwiki.embedders import EMBEDDERS
from llmwiki.errors import WikiError

AUTO, OFF = "auto", "off"
CURE = "pip install 'llmwiki-compiler[vectors]'"


class Embedder(Protocol):
    """Text -> vectors of one length, whose cosine tells how near two texts are in meaning.

    `model` names everything that the numbers depend on: vectors of another model are made again. `least` is the cosine
    below which two texts have nothing to do with each other, and `opens` the one from which a record of the task's own
    project may enter a block whatever its words; without it none does. Nothing is fetched from a network. The model is
    loaded when it is asked first: where nothing is to be embedded, nobody waits for it.
    """

    model: str
    least: float
    opens: float

    def passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector a text; the same one whatever else is asked at the same time."""
        ...

    def question(self, text: str) -> Sequence[float]: ...


def part_of(setting: str) -> str:
    """The name of the part that a setting means; "" for `off`, and for `auto` where none is installed.

    Raises WikiError, with the cure, when an embedder is named that is unknown or not installed.
    """
    if setting == OFF:
        return ""
    if setting == AUTO:
        return next((name for name in EMBEDDERS if not _missing(_module(name))), "")
    _check(setting, _module(setting))
    return setting


def load(part: str) -> Embedder:
    """The embedder itself. Raises WikiError when it cannot be had, whatever the reason."""
    module = _module(part)
    _check(part, module)
    try:
        embedder: Embedder = module.open_embedder()
    except Exception as cause:
        raise WikiError(f"the embedder {part!r} cannot be loaded: {cause}; {_cure(module)}") from cause
    return embedder


def _module(name: str) -> Any:
    return registry.load("embedders", EMBEDDERS, name)


def _check(name: str, module: Any) -> None:
    if missing := _missing(module):
        raise WikiError(f"the embedder {name!r} needs {', '.join(missing)}, which is not installed; {_cure(module)}")


def _cure(module: Any) -> str:
    return str(getattr(module, "CURE", CURE))


def _missing(module: Any) -> list[str]:
    """What of its `NEEDS` is not installed. Looked for, not imported: that would cost what loading the model does."""
    from importlib.util import find_spec

    return [name for name in getattr(module, "NEEDS", ()) if find_spec(name) is None]


def folder(package: str) -> str:
    """Where an installed package lies, found without running it."""
    from importlib.util import find_spec

    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise WikiError(f"{package} is not installed; {CURE}")
    return str(spec.submodule_search_locations[0])
