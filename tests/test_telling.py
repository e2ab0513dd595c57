"""A person changes their mind: what is said now stands against what was said before."""

from __future__ import annotations

import pytest

from llmwiki import cli, rawpage
from llmwiki.model import Session, State, Turn
from llmwiki.workspace import Workspace
from tests.test_workspace import LATER, clock, files, folder  # noqa: F401 - fixtures

BEFORE, NOW = "Always use pnpm for installs, never npm", "Always use npm for installs, never pnpm"


@pytest.fixture
def told(folder, monkeypatch):
    first = Workspace(folder).remember(BEFORE, project="shop")
    monkeypatch.setenv("LLMWIKI_NOW", LATER)
    return folder, first


def test_of_opposite_rules_that_a_person_gave_the_newer_one_speaks_and_it_is_said(told):
    folder, first = told
    wiki = Workspace(folder)
    second = wiki.remember(NOW, project="shop")
    assert any(first["id"] in said and "review restore" in said for said in wiki.notices)
    one, two = (folder.joinpath(r["path"]).read_text() for r in (first, second))
    assert f'superseded_by: "{second["id"]}"' in one and "says the opposite" in one
    assert f'supersedes: ["{first["id"]}"]' in two and "says the opposite" in two
    found = [r["id"] for r in wiki.context("pnpm or npm for installs", project="shop").records]
    assert found == [second["id"]]


def test_what_is_superseded_is_shown_so_with_the_page_that_did_it(told, capsys):
    folder, first = told
    second = Workspace(folder).remember(NOW, project="shop")
    assert cli.main(["show", first["id"], "--wiki", str(folder)]) == 0
    assert f"does not speak (superseded by {second['id']})" in capsys.readouterr().out
    assert cli.main(["why", first["id"], "--wiki", str(folder)]) == 0
    assert f"superseded  by {second['id']}" in capsys.readouterr().out
    assert Workspace(folder).show(second["id"])["record"]["silent"] == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ttl_days: 365": "ttl_days: 2"}, "its time was over at "),
        (
            {"confidence: 0.8": "confidence: 0.1", "evidence: user-said": "evidence: inferred"},
            "its confidence is too low",
        ),
        ({"state: active": "state: quarantined\nquarantine_until: 2027-01-01T00:00:00Z"}, "waits until 2027-01-01"),
        ({"state: active": "state: archived\nreason: the port is free"}, "the port is free"),
    ],
)
def test_whatever_silences_a_page_is_shown(told, changes, said):
    folder, first = told
    page = folder / first["path"]
    for before, after in changes.items():
        assert before in page.read_text()
        page.write_text(page.read_text().replace(before, after))
    shown = Workspace(folder).show(first["id"])["record"]
    assert not shown["retrievable"] and shown["silent"].startswith(said)


def test_an_undo_lets_the_older_one_speak_again(told):
    folder, first = told
    before = files(folder)
    wiki = Workspace(folder)
    wiki.remember(NOW, project="shop")
    wiki.undo()
    log = folder / "wiki" / "log.md"
    assert {k: v for k, v in files(folder).items() if k != log} == {k: v for k, v in before.items() if k != log}
    assert wiki.context("pnpm for installs", project="shop").records[0]["id"] == first["id"]


def test_what_a_person_edited_keeps_its_text(told):
    folder, first = told
    page = folder / first["path"]
    page.write_text(page.read_text().replace(BEFORE + "\n", BEFORE + ", my dear\n"))
    Workspace(folder).remember(NOW, project="shop")
    kept = page.read_text()
    assert "my dear" in kept and "says the opposite" not in kept and "superseded_by" in kept


def speaking(folder):
    """What the rules that speak say, by title."""
    found = Workspace(folder).load().records.values()
    return {r.title: r.body for r in found if r.state is State.ACTIVE and not r.superseded_by}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("the API is at http://a:1", "the API is at http://b:2"),
        ("the port is 3000", "use port 4000 for it, not 3000"),
        ("Always use npm", "Never use npm"),
        ("Never use npm", "Always use npm"),
    ],
)
@pytest.mark.parametrize("kind", ["preference", "heuristic"])
def test_of_two_things_told_in_one_second_the_one_told_last_speaks(folder, one, two, kind):
    for text in (one, two):
        Workspace(folder).remember(text, kind)
    assert [title.lower() for title in speaking(folder)] == [two.lower()]
    assert len(Workspace(folder).load().records) == 2


def test_a_fact_that_was_told_is_replaced_by_a_later_one(folder):
    for text in ("the API is at http://a:1", "the API is at http://b:2"):
        Workspace(folder).remember(text, "fact")
    assert list(speaking(folder)) == ["the API is at http://b:2"]


def test_what_says_more_is_added_and_nothing_told_is_lost(folder):
    wiki = Workspace(folder)
    first = wiki.remember("Never push to main")
    assert wiki.remember("never push to main without a review")["id"] == first["id"]
    assert "without a review" in folder.joinpath(first["path"]).read_text()
    assert any("says more than" in said for said in wiki.notices)
    wiki.remember("Always run with 4 workers")
    wiki.remember("Always run with 8 workers on CI")
    assert len(speaking(folder)) == 3
    for n in range(12):
        wiki.remember(f"never push to main without asking colleague{'abcdefghijklmn'[n]}")
    told = " ".join(speaking(folder).values())
    assert all(f"colleague{letter}" in told for letter in "abcdefghijkl")


def test_what_says_more_than_a_page_of_a_persons_gets_a_page_of_its_own(folder):
    first = Workspace(folder).remember("Never push to main")
    page = folder / first["path"]
    page.write_text(page.read_text().replace("main\n", "main, my dear\n"))
    second = Workspace(folder).remember("never push to main without a review")
    assert second["id"] != first["id"] and "review" not in page.read_text()
    assert Workspace(folder).remember("never push to main without a review")["id"] == second["id"]


def test_back_and_forth_is_two_pages_and_the_last_word_speaks(folder, monkeypatch):
    one, two = "Always use npm", "Never use npm"
    told = [Workspace(folder).remember(text)["id"] for text in (one, two, one)]
    assert list(speaking(folder)) == [one] and told[0] == told[2]
    monkeypatch.setenv("LLMWIKI_NOW", LATER)
    Workspace(folder).remember(two)
    assert list(speaking(folder)) == [two]
    records = Workspace(folder).load().records
    assert len(records) == 2 and {r.supersedes for r in records.values()} == {(), (told[0],)}
    assert not [d for d in Workspace(folder).lint()["diagnostics"] if d["severity"] != "info"]


def test_a_page_that_was_put_away_keeps_its_id(folder):
    first = Workspace(folder).remember("Always use npm")
    Workspace(folder).review("archive", [first["id"]])
    assert Workspace(folder).remember("Always use npm")["id"] == f"{first['id']}-2"


def test_another_condition_is_no_opposite_and_nothing_is_told(folder):
    one = Workspace(folder).remember("Deploys go out through 'just ship', never with kubectl directly")["id"]
    wiki = Workspace(folder)
    wiki.remember("Never deploy on Fridays")
    assert len(speaking(folder)) == 2 and not [said for said in wiki.notices if one in said]


@pytest.mark.parametrize("turned", [False, True])
def test_of_a_doubt_a_person_is_told_and_both_speak(folder, turned):
    first, second = ("Use docker compose", "Never use docker compose in CI")[:: -1 if turned else 1]
    one = Workspace(folder).remember(first)["id"]
    wiki = Workspace(folder)
    wiki.remember(second)
    assert len(speaking(folder)) == 2
    (told,) = (said for said in wiki.notices if one in said)
    assert "both speak" in told and f"review archive {one}" in told
    (found,) = Workspace(folder).lint()["diagnostics"]
    assert (found["code"], found["severity"]) == ("LW302", "info") and "sounds contrary" in found["message"]


def test_another_projects_rule_is_no_opposite(told):
    folder, first = told
    wiki = Workspace(folder)
    wiki.remember(NOW, project="attic")
    assert not any("opposite" in said for said in wiki.notices)
    assert "superseded_by" not in folder.joinpath(first["path"]).read_text()


KEY = "sk-" + "ant-api03-" + "Qr7Zt2Lm9Kd4Vx8Bn3Hs"


@pytest.mark.parametrize(
    "husk",
    [
        f"The API key is {KEY}",
        f"export ANTHROPIC_API_KEY={KEY}",
        f"remember my token: {KEY}, please",
        f"{KEY}",
        f"密钥是 {KEY}",
        "The password is [redacted:password]",
    ],
)
def test_what_says_nothing_without_its_secret_is_refused(folder, husk, capsys):
    before = files(folder)
    assert cli.main(["remember", husk, "--wiki", str(folder)]) == 2
    out, err = capsys.readouterr()
    assert "says nothing" in err.splitlines()[-1] and "taken out" not in err and not out and KEY not in err
    assert files(folder) == before


def test_what_says_something_beside_its_secret_is_kept_without_it(folder):
    wiki = Workspace(folder)
    told = wiki.remember(f"Staging deploys read the key {KEY} from vault, never from .env files")
    page = (folder / told["path"]).read_text()
    assert "[redacted:anthropic]" in page and KEY not in page
    assert any("a secret was taken out" in said for said in wiki.notices)
    assert wiki.remember("把部署脚本放到仓库根目录并且先运行测试 " + KEY)["id"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Prefer rebase over merge", "Prefer merge over rebase"),
        ("Run lint before tests", "Run tests before lint"),
        ("Copy staging data to prod", "Copy prod data to staging"),
        ("Log to stdout, errors to stderr", "Log to stderr, errors to stdout"),
        ("Lieber Rebase als Merge", "Lieber Merge als Rebase"),
    ],
)
def test_a_rule_the_other_way_round_is_another_one(folder, first, second):
    one, two = (Workspace(folder).remember(said, project="shop") for said in (first, second))
    assert one["id"] != two["id"] and f'superseded_by: "{two["id"]}"' in folder.joinpath(one["path"]).read_text()


def test_the_same_rule_in_other_words_is_known(folder):
    one = Workspace(folder).remember("Use pnpm in the frontend", project="shop")
    assert Workspace(folder).remember("In the frontend use pnpm", project="shop") == one


def test_what_speaks_of_credentials_waits(folder):
    wiki = Workspace(folder)
    told = wiki.remember("the password for staging is Tr0ub4dor&3", project="shop")
    assert any("waits" in said for said in wiki.notices)
    assert Workspace(folder).show(told["id"])["record"]["state"] == "quarantined"
    assert not wiki.context("the password for staging", project="shop").records


def test_where_a_new_page_holds_is_said_and_a_project_that_nobody_knows(folder, capsys):
    def said(*argv):
        assert cli.main(["remember", *argv, "--wiki", str(folder)]) == 0
        out, err = capsys.readouterr()
        return out.splitlines()[1], "no page and no session is of a project" in err

    assert said("Water the figs on Mondays") == ("it holds for every project; --project NAME for one", False)
    assert said("Water the figs on Tuesdays", "--project", "orchard", "--dry-run") == (
        "it holds for the project orchard alone",
        True,
    )
    assert said("Water the figs on Fridays", "--project", "orchard")[1]
    assert not said("Prune the pears in winter", "--project", "orchard")[1]
    turn = Turn(1, "user", "Water the figs", origin="typed")
    page = folder / "raw/codex/grove/page.md"
    page.parent.mkdir(parents=True)
    page.write_text(rawpage.render(Session("codex", "grove", project="grove", turns=(turn,))), "utf-8")
    assert not said("Rake the leaves in autumn", "--project", "grove")[1]
