"""The Python door's decorator: memory before a callable, its trajectory kept afterwards."""

from __future__ import annotations

import functools
import inspect
import json
import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki import clock, given
from llmwiki.lifecycle import stamp

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace

TRAJECTORIES = ".llmwiki/state/trajectories.jsonl"
MEMORY = "context"
log = logging.getLogger("llmwiki")


def remembering(wiki: Workspace, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator for `answer(task, context="")`, or for an async one.

    Before a call, the block that the wiki has for the task is passed as `context`, when the callable takes one and
    the caller gave none. After it, one JSON line `{task, answer, error, started, ended}` is appended to
    `.llmwiki/state/trajectories.jsonl`. `options` go to `Workspace.context` (budget, limit, project, …). The wiki
    being out of order never costs the call: that is logged, and the callable runs without memory. What can never work
    is said before any call: TypeError and WikiError.
    """
    if not hasattr(wiki, "context"):
        raise TypeError(f"agent needs a wiki, as in @llmwiki.agent(llmwiki.open(path)), not {given.shown(wiki)}")
    given.context(options)

    def around(answer: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(answer):
            raise TypeError(f"agent decorates what can be called, not {given.shown(answer)}")
        signature = inspect.signature(answer)

        def prepared(given: tuple[Any, ...], named: dict[str, Any]) -> tuple[str, dict[str, Any]]:
            task = task_of(signature, given, named)
            if wants_memory(signature, given, named):
                named = {**named, MEMORY: memory(wiki, task, options)}
            return task, named

        @functools.wraps(answer)
        def called(*given: Any, **named: Any) -> Any:
            task, named = prepared(given, named)
            kept = Trajectory(wiki, task)
            with kept:
                result = answer(*given, **named)
                if inspect.isawaitable(result):
                    return kept.awaited(result)
                kept.answer = result
            return result

        @functools.wraps(answer)
        async def awaited(*given: Any, **named: Any) -> Any:
            task, named = prepared(given, named)
            with Trajectory(wiki, task) as kept:
                kept.answer = await answer(*given, **named)
            return kept.answer

        return awaited if inspect.iscoroutinefunction(answer) else called

    return around


def task_of(signature: inspect.Signature, given: tuple[Any, ...], named: dict[str, Any]) -> str:
    """The task of a call: the argument `task`, else the first one that is a text, of a method the one after self."""
    try:
        arguments = signature.bind_partial(*given, **named).arguments
    except TypeError:  # the callable itself will say what is wrong with its arguments
        arguments = {}
    if isinstance(arguments.get("task"), str):
        return str(arguments["task"])
    return next((value for name, value in arguments.items() if isinstance(value, str) and name != MEMORY), "")


def wants_memory(signature: inspect.Signature, given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether the callable takes `context` and the caller gave none."""
    taken = signature.parameters.get(MEMORY)
    anything = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    if taken is None or taken.kind is taken.POSITIONAL_ONLY:
        return anything and taken is None and MEMORY not in named
    try:
        return MEMORY not in signature.bind_partial(*given, **named).arguments
    except TypeError:
        return False


def memory(wiki: Workspace, task: str, options: dict[str, Any]) -> str:
    """The block for a task, "" when there is none or the wiki is out of order."""
    try:
        return wiki.context(task, **options).text if task else ""
    except Exception as trouble:
        log.warning("no memory for this call: %s", trouble)
        return ""


class Trajectory:
    """One call, from its beginning to its end, kept whether it answered or raised."""

    def __init__(self, wiki: Workspace, task: str) -> None:
        self.wiki = wiki
        self.task = task
        self.answer: Any = None
        self.started = ""
        self._later = False

    def __enter__(self) -> Trajectory:
        self.started = moment()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not self._later or error:
            self.keep(error)

    async def _finish(self, result: Awaitable[Any]) -> Any:
        try:
            self.answer = await result
        except BaseException as error:
            self.keep(error)
            raise
        self.keep(None)
        return self.answer

    def awaited(self, result: Awaitable[Any]) -> Awaitable[Any]:
        """The awaitable that a plain callable returned, kept when it ends and not before."""
        self._later = True
        return self._finish(result)

    def keep(self, error: BaseException | None) -> None:
        """Appends the line. Whatever goes wrong here is logged: the call is worth more than its memory."""
        try:
            append(self.wiki, self._line(error))
        except Exception as trouble:
            log.warning("the trajectory was not kept: %s", trouble)

    def _line(self, error: BaseException | None) -> str:
        from llmwiki.redact import Redactor

        redactor = Redactor(self.wiki.config.redact_rules, home=str(Path.home()))
        said = {
            "task": self.task,
            "answer": "" if self.answer is None else str(self.answer),
            "error": f"{type(error).__name__}: {error}" if error else "",
        }
        kept = {name: redactor.text(text)[0] for name, text in said.items()}
        return json.dumps({**kept, "started": self.started, "ended": moment()})


def moment() -> str:
    """Now, "" when LLMWIKI_NOW is no time: not the moment to fail."""
    try:
        return stamp(clock.now())
    except Exception:
        return ""


def append(wiki: Workspace, line: str) -> None:
    """One write of one whole line, so that calls of several threads and processes do not tear each other's apart."""
    file = wiki.root / TRAJECTORIES
    file.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, f"{line}\n".encode())
    finally:
        os.close(handle)
