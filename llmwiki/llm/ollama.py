"""A model at an Ollama server. Nothing is contacted but the host that the settings or `OLLAMA_HOST` name.

No proxy of the environment is used and no redirect is followed: what a session holds goes to that host or nowhere.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from llmwiki.errors import WikiError
from llmwiki.llm.fit import unfit
from llmwiki.model import Config

HOST = "http://127.0.0.1:11434"
TIMEOUT = 600.0  # seconds for one answer: a model on an old CPU is slow, and loads first
CONNECT = 10.0
ANSWER = 1000  # tokens of an answer
CONTEXT = 4096
SEED = 7
_BAD_SHOWN = 2_000  # characters of a bad answer that go into the second question


def asker(config: Config) -> Model:
    """The model of the settings, after its server said that it has it. Raises WikiError with the cure."""
    host = config.llm_host or os.environ.get("OLLAMA_HOST", "") or HOST
    if not _local(host) and host != os.environ.get("OLLAMA_HOST", ""):
        # A wiki may be cloned: its settings are not yet this person's word that sessions may leave the machine.
        raise WikiError(f"llmwiki.toml would send session text to {host}; confirm it with OLLAMA_HOST={host}")
    model = Model(host, config.llm_model)
    model.check()
    return model


def _local(host: str) -> bool:
    """Whether a host is this machine, by its name alone."""
    name = re.sub(r"^\w+://|/.*$", "", host)
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    return name in ("localhost", "", "::1", "0.0.0.0") or name.startswith("127.")


class Model:
    """Called with (prompt, schema), gives a value that fits. The same question gives the same answer: temperature 0
    and a fixed seed."""

    def __init__(self, host: str, name: str, timeout: float = TIMEOUT) -> None:
        self.host, self.name, self._timeout = host, name, timeout
        self._made: Any = None

    def check(self) -> None:
        """Asks the server which models it has. WikiError when it does not answer, or has not the one that is meant."""
        with self._reached():
            have = sorted(m.model for m in self._client().list().models if m.model)
        listed = ", ".join(f'"{m}"' for m in have[:12]) or "none yet; `ollama pull NAME` gets one"
        if not self.name:
            raise WikiError(f"no model is named; set model under [llm] in llmwiki.toml to one of {self.host}: {listed}")
        if not {self.name, f"{self.name}:latest"} & set(have):
            raise WikiError(
                f"the model {self.name!r} is not at {self.host}; run `ollama pull {self.name}`, or set model "
                f"under [llm] in llmwiki.toml to one that is: {listed}"
            )

    def __call__(self, prompt: str, schema: Mapping[str, Any]) -> Any:
        """The value. An answer that does not fit is asked for once more; then WikiError, caused by a ValueError."""
        messages = [{"role": "user", "content": prompt}]
        wrong = ""
        for _ in range(2):
            text, whole = self._chat(messages, schema)
            try:
                return _read(text, schema, whole)
            except ValueError as cause:
                wrong = str(cause)
            messages = [
                messages[0],
                {"role": "assistant", "content": text[:_BAD_SHOWN]},
                {"role": "user", "content": f"That does not fit: {wrong}. Answer again, with that JSON and no more."},
            ]
        raise WikiError(
            f"the model {self.name!r} at {self.host} gave no answer of the form that was asked for ({wrong}); "
            "take a larger model, or `--backend extractive`"
        ) from ValueError(wrong)

    def _chat(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any]) -> tuple[str, bool]:
        """What the model said, and whether it came to its end."""
        options = {"temperature": 0, "seed": SEED, "num_predict": ANSWER, "num_ctx": CONTEXT}
        with self._reached():
            answer = self._client().chat(model=self.name, messages=messages, format=schema, options=options)
            return str(answer.message.content or ""), answer.done_reason != "length"

    def _client(self) -> Any:
        if self._made is None:
            import httpx
            import ollama

            waits = httpx.Timeout(self._timeout, connect=min(CONNECT, self._timeout))
            self._made = ollama.Client(self.host, timeout=waits, follow_redirects=False, trust_env=False)
        return self._made

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Turns every way in which a server can fail into one sentence with its cure."""
        import httpx
        import ollama

        try:
            yield
        except ollama.ResponseError as cause:
            raise WikiError(self._refused(cause.status_code, cause.error)) from None
        except httpx.TimeoutException:
            told = f"the Ollama server at {self.host} did not answer within {self._timeout:g} seconds"
            raise WikiError(f"{told}; try again when it is less busy, or take a smaller model") from None
        except (ConnectionError, httpx.HTTPError):
            told = f"no Ollama server answers at {self.host}"
            cure = "start it with `ollama serve`, set host under [llm] in llmwiki.toml, or use `--backend extractive`"
            raise WikiError(f"{told}; {cure}") from None
        except (ValueError, TypeError, httpx.InvalidURL) as cause:  # the client trusts the shape of what it gets
            said = " ".join(str(cause).split())[:120]
            told = f"{self.host} is not an Ollama server, or no address of one ({said})"
            raise WikiError(f"{told}; set host under [llm] in llmwiki.toml, such as {HOST}") from None

    def _refused(self, status: int, said: str) -> str:
        line = " ".join(said.split())[:200]
        if 300 <= status < 400:
            return f"{self.host} sends elsewhere, which is not followed; set host under [llm] to the server itself"
        if status == 404:
            return f"{self.host} does not know {self.name!r} ({line}); run `ollama pull {self.name}`"
        return f"the Ollama server at {self.host} refused ({status}: {line}); see its log, or take another model"


def _read(text: str, schema: Mapping[str, Any], whole: bool = True) -> Any:
    """The value of an answer. Raises ValueError that says what does not fit."""
    if not whole:
        raise ValueError(f"it is longer than {ANSWER} tokens: say less")
    try:
        value = json.loads(text)
    except RecursionError as cause:
        raise ValueError("it is nested too deeply") from cause
    except ValueError as cause:
        raise ValueError(f"it is no JSON ({cause})") from cause
    if wrong := unfit(value, schema):
        raise ValueError(wrong)
    return value
