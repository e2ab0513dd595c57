"""Models that may be asked. A table: to add one, add a module with `asker(config)` and a line here.

`ask(prompt, schema)` gives a value that fits the JSON schema, or raises WikiError; when it was the answer that did not
fit, and not the server that failed, the error's cause is a ValueError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from llmwiki import registry
from llmwiki.model import Config

Ask = Callable[[str, Mapping[str, Any]], Any]

MODELS: dict[str, str] = {
    "ollama": "llmwiki.llm.ollama",
}


def asker(name: str, config: Config) -> Ask:
    """The model of that name, ready to be asked. WikiError with the cure when it is not."""
    return cast("Ask", registry.load("llm", MODELS, name).asker(config))
