"""Parts are found by name, imported late, and named when they fail."""

from __future__ import annotations

from importlib import metadata

import pytest

from llmwiki import registry
from llmwiki.errors import WikiError

BUILTIN = {"one": "json", "two": "json:dumps", "broken": "llmwiki.no_such_module"}


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """Entry points as other packages would add them: group -> (name, value)."""
    table: dict[str, list[tuple[str, str]]] = {}

    def entry_points(group: str):
        return [metadata.EntryPoint(name, value, group) for name, value in table.get(group, ())]

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    registry._added.cache_clear()
    yield table
    registry._added.cache_clear()


def test_a_part_is_a_module_or_something_in_it():
    import json

    assert registry.load("parts", BUILTIN, "one") is json
    assert registry.load("parts", BUILTIN, "two") is json.dumps


def test_another_package_adds_a_part(installed):
    installed["llmwiki.parts"] = [("three", "textwrap:dedent")]
    assert registry.load("parts", BUILTIN, "three")("  x") == "x"
    assert list(registry.names("parts", BUILTIN)) == ["one", "two", "broken", "three"]


def test_two_parts_of_one_name_are_refused(installed):
    installed["llmwiki.parts"] = [("one", "textwrap")]
    with pytest.raises(WikiError, match=r"two parts of parts are called 'one'.*textwrap"):
        registry.names("parts", BUILTIN)


def test_an_unknown_part_names_the_known_ones():
    with pytest.raises(WikiError, match=r"unknown part 'four'; known: broken, one, two"):
        registry.load("parts", BUILTIN, "four")


def test_a_part_that_cannot_be_imported_is_named():
    with pytest.raises(WikiError, match=r"'broken' cannot be loaded \(llmwiki.no_such_module\)") as failed:
        registry.load("parts", BUILTIN, "broken")
    assert isinstance(failed.value.__cause__, ImportError)
