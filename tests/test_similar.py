"""The same lesson, the opposite one, and finding either in a big wiki."""

import pytest

from llmwiki.model import Evidence, Record, RecordType
from llmwiki.similar import Neighbours, adds, keys, opposite, same


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
        ("Benutze immer npm.", "Ab jetzt bitte nie npm benutzen, sondern pnpm.", "opposite"),
        ("Benutze immer npm.", "npm bitte nie benutzen", "opposite"),
        ("总是用 npm。", "永远不要用 npm。", "opposite"),
        ("总是使用 npm。", "以后请用 npm。", "same"),
        ("いつもnpmを使ってください", "npmを使わないで", "opposite"),
        ("항상 npm을 사용하세요", "npm 말고 pnpm을 사용하세요", "opposite"),
        ("Siempre usa npm.", "De ahora en adelante usa siempre pnpm.", "opposite"),
        ("Utilise toujours npm", "N'utilise jamais npm", "opposite"),
        ("Always use npm", "use npm please", "same"),
        ("Ask me before you install packages.", "Don't ask me before you install, just do it.", "opposite"),
    ],
)
def test_polarity_comes_first(one, two, what):
    a, b = rule(one), rule(two)
    assert (same(a, b), opposite(a, b)) == (what == "same", what == "opposite")
    assert (same(b, a), opposite(b, a)) == (what == "same", what == "opposite")
    if what != "neither":
        assert keys(a) & keys(b)


@pytest.mark.parametrize(
    ("one", "two", "what"),
    [
        ("the API is at http://a:1", "the API is at http://b:2", "opposite"),
        ("the database is db1.example.com", "the database is db2.example.com", "opposite"),
        ("the database is db1", "The database moved to db2.", "opposite"),
        ("Always run with 4 workers", "Always run with 8 workers", "opposite"),
        ("Always run with 4 workers", "Always run with 8 workers on CI", "neither"),
        ("Always run with four workers", "Run with 8 workers", "opposite"),
        ("Never run more than 4 workers", "Never run more than 8 workers", "opposite"),
        ("Write commit messages in English", "Write commit messages in German", "opposite"),
        ("Use Python 3.11", "From now on use python3.12", "opposite"),
        ("Wrap lines at 80 characters", "Lines have at most 120 characters", "opposite"),
        ("Use tabs", "Use spaces for indentation", "opposite"),
        ("Use tabs", "Use spaces in YAML files", "neither"),
        ("Use single quotes", "Use double quotes", "opposite"),
        ("Use npm", "Use yarn", "opposite"),
        ("Use npm", "Use pnpm for the frontend", "neither"),
        ("Never use npm", "Never use yarn", "neither"),
        ("Never commit the lock file of npm", "Never commit the lock file of yarn", "neither"),
        ("the port is 3000", "use port 4000 for it, not 3000", "opposite"),
        ("Use npm", "Please switch from npm to yarn", "opposite"),
        ("Use yarn because it is faster", "Use pnpm, because yarn is slow", "opposite"),
        ("Never push to main", "Push to develop", "neither"),
        ("Never use port 3000", "Use port 4000", "neither"),
        ("用中文写提交信息", "用英文写提交信息", "opposite"),
        ("コミットは日本語で", "コミットは英語で", "opposite"),
        ("the port of the api is 3000", "the port of the worker is 4000", "neither"),
        ("Run the linter before a commit", "Run the linter after a commit", "opposite"),
        ("Uploads are at most 10 MB", "Uploads are at most 10 GB", "opposite"),
    ],
)
def test_another_value_is_another_statement(one, two, what):
    a, b = rule(one), rule(two)
    assert (same(a, b), opposite(a, b)) == (what == "same", what == "opposite")
    assert (same(b, a), opposite(b, a)) == (what == "same", what == "opposite")
    if what != "neither":
        assert keys(a) & keys(b)


def test_a_fact_that_the_user_stated_is_replaced_and_one_that_an_output_showed_goes_on():
    one, two = "The staging server listens on port 3000", "The staging server listens on port 4000"
    said = [rule(text, kind=RecordType.FACT, evidence=Evidence.USER_SAID) for text in (one, two)]
    assert opposite(*said) and not same(*said)
    shown = [rule(text, kind=RecordType.FACT, evidence=Evidence.TEST_PROVED) for text in (one, two)]
    assert same(*shown) and not opposite(*shown)


def test_what_one_record_says_besides():
    push = rule("Never push to main")
    assert adds(push, rule("Never push to main without a review")) and not adds(push, rule("never ever push to main"))
    assert adds(push, rule("Never push 2 times to main"))


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
