"""What a session took back teaches nothing, or what to avoid."""

import pytest

from llmwiki.synthesizers import phrases
from tests.lessons import agent, edited, lessons, ran, session, user
from tests.test_failures import section
from tests.test_skills import RELEASE, THANKS, cycle

NO_FILES = "ValueError: Unable to determine which files to ship"
NO_MODULE = "ModuleNotFoundError: No module named 'shop_cli'"
TOML = "/code/shop/pyproject.toml"


def test_a_name_beside_a_prohibition_forbids_no_command():
    missing = 'psycopg.errors.UndefinedTable: relation "carts" does not exist'
    made = session(
        user("get the tests going"),
        ran("docker compose run checks pytest apps/carts", f"1 failed\n{missing}", "error 1"),
        ran("docker compose run checks pytest apps/carts --create-db", "12 passed in 3s"),
        user("no signals in carts please, we had mails going out from one"),
    )
    assert "--create-db" in lessons(made, "failure")[0].body


def installed(*after):
    return session(
        user("make the tool installable"),
        ran("uv tool install .", NO_FILES, "error 1"),
        edited(TOML, "[build]", "[build]\nonly-include = ['shop-cli.py']"),
        ran("uv tool install .", "Installed 1 executable: shop"),
        ran("shop --help", NO_MODULE, "error 1"),
        *after,
    )


def test_a_cure_that_was_replaced_is_told_with_what_replaced_it():
    mended = edited(TOML, "only-include = ['shop-cli.py']", "force-include = {'shop-cli.py' = 'shop_cli.py'}")
    (record,) = lessons(installed(mended, ran("shop --help", "usage: shop")), "failure")
    assert NO_FILES in section(record, "Symptom") and NO_MODULE in section(record, "Symptom")
    assert "force-include" in section(record, "Cure") and "only-include" not in section(record, "Cure")
    assert "only-include" in section(record, "Avoid") and "taken back" in section(record, "Avoid")


def test_a_cure_that_was_taken_out_again_is_none():
    removed = edited(TOML, "[build]\nonly-include = ['shop-cli.py']", "[build]")
    assert not lessons(installed(removed), "failure")


PUT_BACK = ["git checkout pyproject.toml", "git restore -- pyproject.toml && git diff --stat", "git checkout ."]


@pytest.mark.parametrize("command", PUT_BACK)
def test_a_cure_whose_file_was_put_back_is_to_be_avoided(command):
    (record,) = lessons(installed(user("no, that broke the wheel"), ran(command, "Updated 1 path")), "failure")
    assert not section(record, "Cure") and "taken back" in record.title
    assert "only-include" in section(record, "Avoid") and NO_FILES in section(record, "Symptom")


@pytest.mark.parametrize(
    "commands",
    [
        ("git checkout README.md",),
        ("git restore --staged pyproject.toml",),
        ("git checkout -b wheels",),
        ("git commit -qam 'build the wheel'", "git checkout pyproject.toml"),
    ],
)
def test_a_cure_that_was_committed_or_is_in_another_file_stays(commands):
    (record,) = lessons(installed(*(ran(command, "ok") for command in commands)), "failure")
    assert "only-include" in section(record, "Cure") and not section(record, "Avoid")


def test_a_line_that_was_only_moved_stays_a_cure():
    moved = edited(TOML, "only-include = ['shop-cli.py']", "# build\nonly-include = ['shop-cli.py']")
    assert [r for r in lessons(installed(moved), "failure") if "only-include" in section(r, "Cure")]


def test_a_cure_that_the_user_forbids_afterwards_is_none():
    failed = ran("Rscript -e 'check()'", "Error: snapshot plot.svg changed", "error 1")
    accept = ran("Rscript -e 'snapshot_accept(1)'", "accepted")
    turns = (user("run the checks"), failed, accept, ran("Rscript -e 'check()'", "0 errors"))
    assert lessons(session(*turns), "failure")
    assert not lessons(session(*turns, user("pls dont accept svg snapshots locally ever")), "failure")


def test_a_procedure_that_the_user_forbids_afterwards_is_none():
    turns = (user("update the docs"), *cycle("one"), user("and the menu"), *cycle("two"))
    assert lessons(session(*turns, THANKS), "skill")
    against = user("never push the docs submodule from here again")
    assert not lessons(session(*turns, against, agent("Understood."), THANKS), "skill")


def test_an_order_not_to_touch_something_is_heard_in_portuguese():
    assert "prohibition" in phrases.marks("nao mexe no remoto, o link aqui aponta pra PRODUCAO")
    assert "prohibition" not in phrases.marks("não funciona aqui")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("only-include = ['shop-cli.py']", 'only-include = [\n    "shop-cli.py",\n]'),
        ("only-include = ['shop-cli.py']", "only-include = ['shop-cli.py', 'shop-lib.py']"),
        ("only-include = ['shop-cli.py']", "only-include = ['shop-cli.py']  # the tool"),
        ("only-include = ['shop-cli.py']", "  only-include=['shop-cli.py']"),
    ],
)
def test_a_line_in_another_form_stays_a_cure(old, new):
    assert [r for r in lessons(installed(edited(TOML, old, new)), "failure") if "only-include" in section(r, "Cure")]


def test_a_line_that_went_to_another_file_or_came_back_stays_a_cure():
    line, other = "only-include = ['shop-cli.py']", "/code/shop/hatch.toml"
    moves = [
        (edited(TOML, f"[build]\n{line}", "[build]"), edited(other, "", line)),
        (edited(other, "", line), edited(TOML, f"[build]\n{line}", "[build]")),
        (edited(TOML, f"[build]\n{line}", "[build]"), edited(TOML, "[build]", f"[build]\n{line}")),
    ]
    for moved in moves:
        assert [r for r in lessons(installed(*moved), "failure") if "only-include" in section(r, "Cure")]


def renaming(old, new):
    put = "store = open_store(path)\nstore.migrate(before_use)"
    return session(
        user("the shop does not start"),
        ran("shop serve", "sqlite3.OperationalError: no such table: carts", "error 1"),
        edited("/code/shop/app.py", "store = None", put),
        ran("shop serve", "listening"),
        edited("/code/shop/app.py", old, new),
    )


def test_a_cure_with_another_name_stays_and_with_another_value_does_not():
    put = "store = open_store(path)\nstore.migrate(before_use)"
    renamed = renaming(put, "database = open_store(path)\ndatabase.migrate(before_use)")
    assert [r for r in lessons(renamed, "failure") if "open_store" in section(r, "Cure")]
    assert not lessons(renaming(put, "store = None"), "failure")
    assert not lessons(renaming(put, "store = memory_store(path)\nstore.fill(with_carts)"), "failure")


def released(said):
    asked = user("please release the extension")
    return session(asked, agent("Releasing."), *RELEASE, user(said), agent("Understood."), THANKS)


@pytest.mark.parametrize(
    "said",
    [
        "By the way never commit vsce publish logs",
        "don't show me the output of vsce publish",
        "vsce publish was never broken",
        "please avoid publish meetings with the vsce people",
        "never touch the vsce publish page of the docs",
    ],
)
def test_a_procedure_that_is_only_named_beside_what_is_forbidden_stays(said):
    assert lessons(released(said), "skill")


@pytest.mark.parametrize(
    "said",
    [
        "never run npx vsce publish here again",
        "don't vsce publish on this machine",
        "stop using vsce, please",
        "never commit or vsce publish without asking",
        "vsce publish is broken again",
        "niemals vsce publish benutzen",
    ],
)
def test_a_procedure_that_is_forbidden_or_did_harm_is_none(said):
    assert not lessons(released(said), "skill")


RULE = "Always run the migrations before the tests."


def kept(*said):
    turns = [t for s in said for t in (user(s), agent("ok"))]
    return [r.title for r in lessons(session(user("Please fix the parser"), agent("ok"), *turns), "preference")]


@pytest.mark.parametrize(
    "said",
    [
        "no wait, forget that, I was wrong", "Scratch that.", "I take that back.", "ignore what I said about "
        "migrations",
        "that rule is void", "Vergiss das wieder.", "Nee, doch nicht.", "Non, oublie ça.", "Olvídalo",
        "算了，当我没说。",
        "then forget the migrations, we drop them",
    ],
)  # fmt: skip
def test_a_rule_that_the_user_takes_back_is_none(said):
    assert kept(RULE, said) == []
    assert kept(RULE, "now the footer", "and the header", said) == (kept(RULE) if "igrations" not in said else [])


def test_a_rule_that_is_taken_back_in_one_breath_is_none():
    assert kept("Always use yarn here. No wait, that's nonsense, forget that.") == []


@pytest.mark.parametrize(
    "said",
    [
        "You forget the migrations every time!", "Did you forget the migrations?", "Don't you ever forget the "
        "migrations!",
        "put it in the scratch migrations folder", "never mind migrations for now, show me the log",
        "he said forget migrations, but I disagree", "don't forget the migrations",
    ],
)  # fmt: skip
def test_words_of_forgetting_that_take_nothing_back(said):
    assert RULE in kept(RULE, said)


def test_two_rules_in_one_prompt_are_two_records():
    assert kept("Always run the migrations first. Never use npm.") == [
        "Always run the migrations first.",
        "Never use npm.",
    ]
