"""The same lesson, the opposite one, and finding either in a big wiki."""

import pytest

from llmwiki.model import Record, RecordType
from llmwiki.similar import Neighbours, keys, opposite, same


def rule(text, project="shop", kind=RecordType.PREFERENCE, **more):
    section = {"preference": "Rule", "fact": "Statement", "failure": "Symptom"}[kind.value]
    return Record(
        f"{abs(hash(text)) % 10**8}-0001", kind, text, project=project, body=f"## {section}\n\n- {text}\n", **more
    )


@pytest.mark.parametrize(
    ("one", "two", "what"),
    [
        ("Use pnpm", "use pnpm please", "same"),
        ("Always run the linter before a commit", "Run the linter before each commit", "same"),
        ("Use npm", "Never use npm", "opposite"),
        ("Use pnpm, not npm", "Use npm, not pnpm", "opposite"),
        ("Use pnpm instead of npm", "Don't use npm, use pnpm", "same"),
        ("Use pnpm", "Use ruff", "neither"),
        ("Name branches after tickets", "Write commit messages in German", "neither"),
        ("不要用 npm", "用 npm", "opposite"),
        ("Kein npm verwenden", "npm verwenden", "opposite"),
    ],
)
def test_polarity_comes_first(one, two, what):
    a, b = rule(one), rule(two)
    assert (same(a, b), opposite(a, b)) == (what == "same", what == "opposite")
    assert (same(b, a), opposite(b, a)) == (what == "same", what == "opposite")
    if what != "neither":
        assert keys(a) & keys(b)


def test_place_and_type_part():
    assert not same(rule("Use pnpm"), rule("Use pnpm", project="other"))
    assert not same(rule("Use pnpm"), rule("Use pnpm", kind=RecordType.FACT))


def test_failures_are_the_same_by_their_error():
    one = rule("pytest is not there", kind=RecordType.FAILURE, when={"errors": ["pytest: command not found"]})
    two = rule("nothing alike", kind=RecordType.FAILURE, when={"errors": ["pytest: command not found"]})
    assert same(one, two) and keys(one) & keys(two)


def test_neighbours_compare_few_of_many():
    many = [rule(f"Keep module{n} apart from package{n * 7} and library{n * 13}") for n in range(3_000)]
    near = Neighbours(many)
    records = {r.id: r for r in many}
    wanted = rule("Keep module77 apart from package539 and library1001 please")
    assert near.same(wanted, records) is records[many[77].id]
    near.remove(many[77])
    assert near.same(wanted, records) is None
