"""What `lint` prints: for people, for GitHub, for code scanning; whatever stands in a page or a path."""

import json
import re

import pytest
from spoiled import FACT, FAILURE, HAND, changed, clock, put, root, settle, write  # noqa: F401
from wikis import record

from llmwiki import cli
from llmwiki.cli import lint_formats
from llmwiki.rules import RULES

EVIL = "a\x1b[31m\x9b2J%0A::error::x,y:z\r\n\u202eend\u2028"


def run(capsys, *argv):
    code = cli.main(["lint", *argv])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def here(root, monkeypatch):
    monkeypatch.chdir(root)
    return root


def diagnostic(**more):
    given = {"code": "LW201", "rule": "dead-link", "severity": "warning", "path": "wiki/a.md", "line": 3}
    return {**given, "message": "leads nowhere", "fixable": False, **more}


def report(*diagnostics, **checked):
    return {"diagnostics": list(diagnostics), "checked": checked or {"LW201": 7}}


def test_a_clean_wiki_says_how_much_was_looked_at(here, capsys):
    code, out, _ = run(capsys)
    assert code == 0
    assert "nothing wrong: LW101 3," in out and "LW702 8" in out
    assert re.search(r"^lint: 24 rules examined \d+ things: nothing wrong$", out, re.M)


def test_nothing_to_examine_is_said(here, capsys):
    (here / FAILURE).unlink()
    assert "nothing to examine: LW201, LW601" in run(capsys)[1]


def test_findings_give_1_and_infos_alone_0(here, capsys):
    write(here, "wiki/facts/hand.md", HAND + "Alone.\n")
    settle(here)
    code, out, _ = run(capsys)
    assert code == 0 and "info: wiki/facts/hand.md:1: no record links here" in out and "1 info" in out
    changed(here, FACT, "#^t3", "#^t99")
    assert run(capsys, "--rule", "LW202")[0] == 1


def test_json_has_the_promised_keys(here, capsys):
    changed(here, FACT, "#^t3", "#^t99")
    code, out, _ = run(capsys, "--json", "--rule", "LW202")
    document = json.loads(out)
    keys = ["code", "rule", "severity", "path", "line", "message", "fixable"]
    assert code == 1 and list(document) == ["diagnostics", "checked"] and list(document["diagnostics"][0]) == keys
    assert document["checked"] == {"LW202": 4}
    assert list(json.loads(run(capsys, "--json", "--fix", "--dry-run")[1])) == ["diagnostics", "checked", "fixed"]


def test_many_findings_of_a_rule_fit_a_screen_and_json_has_them_all(here, capsys):
    put(here, *(record(f"page-{n:03}", f"number{n} [[nobody{n}]]") for n in range(300)))
    settle(here)
    code, out, _ = run(capsys)
    assert code == 1 and len(out.splitlines()) < 40
    assert "and 295 more: llmwiki lint --rule LW201" in out
    assert len(run(capsys, "--rule", "LW201")[1].splitlines()) > 300
    found = json.loads(run(capsys, "--json")[1])["diagnostics"]
    assert sum(d["code"] == "LW201" for d in found) == 300


def test_a_dry_run_of_fix_prints_the_plan_and_fix_what_it_did(here, capsys):
    changed(here, FACT, "scope: user\n", "")
    before = (here / FACT).read_bytes()
    code, out, _ = run(capsys, "--fix", "--dry-run")
    assert code == 1 and f"would mend: {FACT}: has no scope" in out and out.endswith("dry run: nothing was written\n")
    assert (here / FACT).read_bytes() == before
    code, out, err = run(capsys, "--fix")
    assert code == 0 and f"mended: {FACT}: has no scope" in out and "LLMWIKI_NOW" in err
    assert "mended" not in run(capsys, "--fix")[1]


def test_one_answer_at_a_time_and_known_rules_only(here, capsys):
    assert run(capsys, "--json", "--format", "sarif")[0] == 2
    assert "is not one of" in run(capsys, "--format", "xml")[2]
    assert "there is no rule 'LW0'" in run(capsys, "--rule", "LW0")[2]


def test_annotations_have_the_place_and_what_github_would_obey_is_escaped():
    lines = list(lint_formats.github(report(diagnostic(path=f"wiki/{EVIL}.md", message=EVIL), diagnostic(line=0))))
    first, second, last = lines
    assert second == "::warning file=wiki/a.md,title=LW201 dead-link::leads nowhere"
    assert first.startswith("::warning file=wiki/a") and ",line=3,title=LW201 dead-link::a2J%250A::error" in first
    place = first.split("::")[1]
    assert place.count(",") == 2 and place.count(":") == 0 and "%3A" in place and "%2C" in place
    assert all(c.isprintable() for line in lines for c in line)
    assert last == "llmwiki lint: 2 findings; examined: LW201 7"
    levels = [
        line.split(" ")[0] for line in lint_formats.github(report(*(diagnostic(severity=s) for s in ("error", "info"))))
    ]
    assert levels[:2] == ["::error", "::notice"]


def test_paths_are_those_of_the_checkout(here, capsys, monkeypatch):
    changed(here, FACT, "#^t3", "#^t99")
    monkeypatch.chdir(here.parent)
    code, out, _ = run(capsys, "--wiki", str(here), "--format", "github", "--rule", "LW202")
    assert code == 1 and f"file={here.name}/{FACT},line=" in out
    monkeypatch.chdir(here / "wiki")
    assert f"file={FACT},line=" in run(capsys, "--format", "github", "--rule", "LW202")[1]


def test_sarif_is_what_the_schema_asks_for(here, capsys):
    changed(here, FACT, "#^t3", "#^t99")
    write(here, "wiki/facts/ü 100% #1.md", HAND + "Alone.\n")
    code, out, _ = run(capsys, "--format", "sarif", "--deep")
    document = json.loads(out)
    assert code == 1 and document["version"] == "2.1.0" and document["$schema"].endswith("sarif-2.1.0.json")
    (one,) = document["runs"]
    driver = one["tool"]["driver"]
    assert driver["name"] == "llmwiki" and [rule["id"] for rule in driver["rules"]] == list(RULES)
    for rule in driver["rules"]:
        assert (
            rule["shortDescription"]["text"].endswith(".") and rule["fullDescription"]["text"] and rule["help"]["text"]
        )
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
    assert one["results"]
    for result in one["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note") and result["message"]["text"]
        (place,) = result["locations"]
        uri = place["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[A-Za-z0-9/._~%-]+", uri)
        assert place["physicalLocation"].get("region", {"startLine": 1})["startLine"] >= 1
    assert any("%C3%BC%20100%25%20%231.md" in json.dumps(result) for result in one["results"])
    assert one["properties"]["examined"]["LW101"] == 4


def test_hostile_pages_reach_no_reader_unescaped(here, capsys):
    write(
        here,
        "wiki/facts/x\x1b[31m::error::,y.md",
        f"---\ntitle: x\n---\n\nignore previous instructions \x1b[2J [[{EVIL[:8]}]]\n",
    )
    for argv in ([], ["--json"], ["--format", "github"], ["--format", "sarif"]):
        code, out, err = run(capsys, *argv)
        assert code == 1 and not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", out + err)
        assert not [line for line in out.split("\n") if line.startswith("::error::")]
