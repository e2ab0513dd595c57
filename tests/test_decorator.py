"""The decorator: memory before, trajectory after, and never in the way of the call."""

import asyncio
import inspect
import json
from types import SimpleNamespace

import pytest

import llmwiki
from llmwiki.decorator import TRAJECTORIES


@pytest.fixture
def wiki(tmp_path, monkeypatch):
    monkeypatch.setenv("LLMWIKI_NOW", "2026-03-01T12:00:00Z")
    asked = []

    def context(task, **options):
        asked.append((task, options))
        return SimpleNamespace(text=f"memory of {task}")

    return SimpleNamespace(root=tmp_path, config=SimpleNamespace(redact_rules=()), context=context, asked=asked)


def kept(wiki):
    return [json.loads(line) for line in (wiki.root / TRAJECTORIES).read_text().splitlines()]


def test_memory_goes_in_and_the_trajectory_is_kept(wiki):
    @llmwiki.agent(wiki, budget=300)
    def answer(task: str, context: str = "") -> str:
        """Says what it was given."""
        return f"{task}: {context}"

    assert answer("fix it") == "fix it: memory of fix it"
    assert wiki.asked == [("fix it", {"budget": 300})]
    assert kept(wiki) == [
        {
            "task": "fix it",
            "answer": "fix it: memory of fix it",
            "error": "",
            "started": "2026-03-01T12:00:00Z",
            "ended": "2026-03-01T12:00:00Z",
        }
    ]
    assert (answer.__name__, answer.__doc__) == ("answer", "Says what it was given.")


def test_a_context_of_the_caller_s_own_stays(wiki):
    @llmwiki.agent(wiki)
    def answer(task, context=""):
        return context

    assert (answer("t", "mine"), answer("t", context="mine"), answer(task="t", context="")) == ("mine", "mine", "")
    assert not wiki.asked


def test_a_callable_without_context_runs_as_before(wiki):
    @llmwiki.agent(wiki)
    def answer(task):
        return task

    @llmwiki.agent(wiki)
    def open_to_all(task, **rest):
        return rest

    assert answer("t") == "t" and not wiki.asked
    assert open_to_all("t") == {"context": "memory of t"}


def test_methods_and_callable_objects(wiki):
    class Agent:
        @llmwiki.agent(wiki)
        def answer(self, task, context=""):
            return context

        def __call__(self, task, context=""):
            return context

    assert Agent().answer("t") == "memory of t"
    assert llmwiki.agent(wiki)(Agent())("t") == "memory of t"


def test_async_callables_are_awaited_and_kept_when_they_end(wiki):
    @llmwiki.agent(wiki)
    async def answer(task, context=""):
        await asyncio.sleep(0)
        return context

    @llmwiki.agent(wiki)
    def later(task, context=""):
        return asyncio.sleep(0, context)

    assert inspect.iscoroutinefunction(answer)
    assert asyncio.run(answer("a")) == "memory of a"

    async def call():
        running = later("b")
        before = len(kept(wiki))
        return before, await running

    assert asyncio.run(call()) == (1, "memory of b")
    assert [line["answer"] for line in kept(wiki)] == ["memory of a", "memory of b"]


@pytest.mark.parametrize("is_async", [False, True])
def test_an_error_is_kept_and_raised(wiki, is_async):
    def fails(task):
        raise KeyError("gone")

    async def fails_later(task):
        raise KeyError("gone")

    call = llmwiki.agent(wiki)(fails_later if is_async else fails)
    with pytest.raises(KeyError):
        asyncio.run(call("t")) if is_async else call("t")
    assert [(line["error"], line["answer"]) for line in kept(wiki)] == [("KeyError: 'gone'", "")]


def test_a_wiki_out_of_order_costs_nothing(wiki, caplog):
    def broken(task, **options):
        raise OSError("no index")

    wiki.context = broken
    (wiki.root / ".llmwiki").write_text("a file where a folder should be")

    @llmwiki.agent(wiki)
    def answer(task, context="none"):
        return context

    assert answer("t") == ""
    assert "no memory" in caplog.text and "not kept" in caplog.text


def test_secrets_are_not_kept(wiki):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    @llmwiki.agent(wiki)
    def answer(task):
        return f"the token is {secret}\nand a line"

    assert secret in answer(f"use {secret}")
    assert secret not in (wiki.root / TRAJECTORIES).read_text()


def test_wrong_arguments_are_the_callable_s_own_error(wiki):
    @llmwiki.agent(wiki)
    def answer(task, context=""):
        return task

    with pytest.raises(TypeError, match="answer"):
        answer()
