"""Plans that were approved or laid down, with their outcome."""

from llmwiki.model import Turn
from tests.lessons import agent, edited, lessons, ran, session, user
from tests.test_failures import section

THANKS = user("great work, thank you!")
WORK = (
    edited("/code/shop/ledger.py", "pass", "def post_entry(): ..."),
    ran("pytest", "31 passed in 2s"),
    ran('git commit -am "ledger"', "[main 4444444] ledger\n 3 files changed"),
)
PLAN = """# Plan: Double-entry ledger

## Overview

Money moves get two rows each.

### 1. Add the `entries` table with a balance trigger
### 2. Write `post_entry()` and use it in checkout
### 3. Backfill from `payments`
### 4. Compare the sums nightly
"""


def test_an_approved_plan_is_kept_with_its_outcome():
    asked = user("we lose cents between orders and payouts")
    (plan,) = lessons(session(asked, Turn(0, "user", PLAN, origin="plan"), *WORK, THANKS), "strategy")
    assert plan.title == "Double-entry ledger" and "Backfill from `payments`" in section(plan, "Phases")
    assert "31 passed" in section(plan, "Why") and "4444444" in section(plan, "Why")
    assert "we lose cents" in section(plan, "Goal")


def test_a_yes_to_a_numbered_list_approves_it():
    offer = agent(
        "I would do it so:\n\n1. Freeze the old `rates` table\n2. Import the feed into `rates_v2`\n3. Flip the view"
    )
    (plan,) = lessons(
        session(user("the exchange rates are a mess"), offer, user("go ahead"), *WORK, THANKS), "strategy"
    )
    assert "Flip the view" in section(plan, "Phases") and 'The user agreed: "go ahead"' in section(plan, "Why")


def test_an_order_of_work_of_the_users_own():
    asked = user(
        "First let each worker write its chapter on a branch of its own. When all of them are done, merge the branches "
        "with one octopus merge. Then every worker reads the other chapters and adds a comparison."
    )
    merge = ran("git merge --no-ff ada bob -m round", "Merge made by the 'octopus' strategy.")
    (plan,) = lessons(session(asked, merge, THANKS), "strategy")
    assert "git merge --no-ff ada bob" in section(plan, "Phases") and "octopus" in section(plan, "Why")


def test_no_outcome_or_a_bad_one_teaches_no_plan():
    asked, plan = user("we lose cents between orders and payouts"), Turn(0, "user", PLAN, origin="plan")
    assert not lessons(session(asked, plan, agent("Started."), THANKS), "strategy")
    assert not lessons(session(asked, plan, *WORK, user("no, this is wrong, revert it")), "strategy")


def test_what_the_user_finds_broken_afterwards_takes_the_proof_away():
    asked, plan = user("we lose cents between orders and payouts"), Turn(0, "user", PLAN, origin="plan")
    found = user("the nightly sums are wrong, the report shows an error")
    assert not lessons(session(asked, plan, *WORK, found, THANKS), "strategy")
    assert lessons(session(asked, plan, *WORK, found, *WORK, THANKS), "strategy"), "proved again"


def test_offers_of_help_are_no_phases():
    offer = agent(
        "Then I can:\n\n1. Help you set the repository up\n2. Add it as a submodule\n3. Redirect the old page"
    )
    assert not lessons(session(user("move the docs out"), offer, user("go ahead"), *WORK, THANKS), "strategy")


def test_a_yes_to_prose_or_to_two_points_is_no_plan():
    offer = agent("1. Freeze the table\n2. Flip the view")
    assert not lessons(session(user("rates are a mess"), offer, user("yes"), *WORK, THANKS), "strategy")
