"""The shell by itself: a wiki that answers from a table stands behind it, so that only the shell can fail."""

import json
import re
import subprocess
import sys

import pytest

from llmwiki import asking, fast, rawpage, recall
from llmwiki.cli.group import build, spread
from llmwiki.cli.plain import clean, json_text
from llmwiki.errors import WikiError
from llmwiki.model import Session, Turn
from tests.answering import (  # noqa: F401 - fixtures
    ANSWERS,
    ARGUMENTS,
    CHANGERS,
    FINDING,
    HOSTILE,
    INIT,
    SLOW,
    SYNCED,
    WAITS,
    environment,
    run,
    told,
    wiki,
)


@pytest.mark.parametrize("name", SLOW)
def test_json_is_one_document_and_nothing_else(wiki, capsys, name):
    code, out, _ = run(capsys, name, *ARGUMENTS.get(name, []), "--json", "--quiet")
    document = json.loads(out)
    assert code == 0
    expected = INIT if name == "init" else ANSWERS[name]
    assert document == expected


def test_context_and_search_give_the_promised_keys_in_order(told, capsys):
    _, out, _ = run(capsys, "context", "pnpm", "or", "npm", "--json")
    document = json.loads(out)
    keys = ["mode", "tokens", "budget", "abstained", "records", "limits", "text"]
    assert [key for key in document if key != "rejected"] == keys
    assert "pnpm" in document["text"] and "rejected" not in document
    _, out, _ = run(capsys, "context", "pnpm", "--json", "--explain")
    assert "rejected" in json.loads(out)
    _, out, _ = run(capsys, "--json", "search", "pnpm")
    assert list(json.loads(out)[0]) == ["id", "type", "title", "path", "score", "state", "snippet"]
    code, out, err = run(capsys, "search", "nothing-like-this")
    assert (code, out) == (0, "") and "nothing found" in err


def test_a_list_and_turns_keep_to_a_project(told, capsys):
    for project in ("shop", "blog"):
        run(capsys, "remember", f"Deploy {project} with make", "--project", project)
        turn = Turn(1, "user", "Deploy with make, please", origin="typed")
        page = told / f"raw/codex/{project}/page.md"
        page.parent.mkdir(parents=True)
        page.write_text(rawpage.render(Session("codex", project, project=project, turns=(turn,))), "utf-8")
    _, out, err = run(capsys, "search", "--project", "shop", "--json")
    assert sorted(hit["title"] for hit in json.loads(out)) == ["Deploy shop with make", "Use pnpm here, never npm"]
    assert err == ""
    _, out, err = run(capsys, "search", "--project", "shop", "--type", "fact")
    assert out == "" and recall.UNKNOWN not in err
    for flags in (["--raw"], ["--raw", "--json"]):
        _, out, _ = run(capsys, "search", "deploy", "--project", "shop", *flags)
        assert "raw/codex/shop/page.md" in out and "blog" not in out
        _, out, err = run(capsys, "search", "deploy", "--project", "lost", *flags)
        assert out.strip() in ("", "[]") and asking.NO_SESSION in err
    _, out, err = run(capsys, "search", "--project", "lost")
    assert "pnpm" in out and "shop" not in out and recall.UNKNOWN in err


def test_the_shell_and_the_fast_path_know_the_same_flags_and_say_the_same(told, capsys):
    for name, flags in fast.FLAGS.items():
        options = {option for param in build(name).params for option in param.opts if option.startswith("--")}
        assert options == {*flags, "--wiki", "--json", "--quiet"}
    for argv in (["search", "pnpm"], ["context", "pnpm", "or", "npm"], ["search", "pnpm", "--json"]):
        done = subprocess.run(
            [sys.executable, "-c", "from llmwiki.fast import main; main()", *argv],
            env=environment(HOME=str(told)),
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout) == run(capsys, *argv)[:2]


def test_turns_that_are_not_found_are_told_and_what_turns_do_not_have_is_refused(told, capsys):
    assert run(capsys, "search", "zzzqqq", "--raw") == (
        0,
        "",
        "llmwiki: nothing found in the turns; try other words, or search without --raw\n",
    )
    assert run(capsys, "search", "zzzqqq", "--raw", "--quiet") == (0, "", "")
    assert run(capsys, "search", "zzzqqq", "--raw", "--json")[1] == "[]\n"
    with pytest.raises(SystemExit) as left:
        fast.main(["search", "port", "--raw", "--state", "active"])
    assert left.value.code == 2 and "have no --state" in capsys.readouterr().err


def test_a_session_that_was_given_something_is_noted(told, capsys):
    run(capsys, "context", "pnpm", "--session", "s1")
    assert "s1" in (told / ".llmwiki/state/offers.jsonl").read_text()


@pytest.mark.parametrize("name", SLOW)
def test_plain_output_has_text_and_no_control_characters(wiki, capsys, name):
    code, out, err = run(capsys, name, *ARGUMENTS.get(name, []))
    assert code == 0
    assert out.strip() and not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out + err)


@pytest.mark.parametrize("name", CHANGERS)
def test_a_dry_run_is_asked_for_and_said(wiki, capsys, name):
    _, out, _ = run(capsys, name, *ARGUMENTS.get(name, []), "--dry-run", "--quiet")
    asked = [named["dry_run"] for called, _, named in wiki.asked if called.rstrip("_") == name]
    assert asked == [True]
    assert "dry run: nothing was written" in out


def test_quiet_changers_are_silent_and_readers_answer(wiki, capsys):
    wiki.notices.append("a page is broken")
    assert run(capsys, "sync", "--quiet") == (0, "", "")
    assert run(capsys, "show", "use-tabs-1a2b", "--quiet")[1]


def test_notices_go_to_stderr(wiki, capsys):
    wiki.notices.append("a page is broken\x1b[2J")
    _, out, err = run(capsys, "status")
    assert err == "llmwiki: a page is broken\n" and "broken" not in out


def test_writers_say_that_the_clock_is_replaced(wiki, capsys, monkeypatch):
    monkeypatch.setenv("LLMWIKI_NOW", "2026-03-01T12:00:00Z")
    assert "LLMWIKI_NOW=2026-03-01T12:00:00Z" in run(capsys, "decay")[2]
    assert "LLMWIKI_NOW=2026-03-01T12:00:00Z" in run(capsys, "init")[2]
    wiki.notices.clear()
    assert run(capsys, "status")[2] == ""


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("verify", {**ANSWERS["verify"], "failed": [{"id": "a", "claim": "runs make", "missing": ["make"]}]}),
        ("doctor", {"checks": [{"name": "index", "ok": False, "message": "old", "cure": "llmwiki index"}]}),
        ("sync", {**SYNCED, "failed": [{"source": "a.jsonl", "error": "permission denied"}]}),
        ("decay", {**ANSWERS["decay"], "held": ["a", "b", "c"]}),
        ("lint", {"diagnostics": [FINDING], "checked": {"LW201": 2}}),
    ],
)
def test_findings_give_1_and_are_named(wiki, capsys, name, answer):
    wiki.answers[name] = answer
    code, out, _ = run(capsys, name)
    assert code == 1
    assert re.search("make|llmwiki index|permission denied|a, b, c|leads nowhere", out)


def test_a_refusal_gives_2_and_one_clean_sentence(wiki, capsys):
    wiki.answers["show"] = WikiError("there is no record 'x\x1b[2J'; see\nllmwiki search")
    assert run(capsys, "show", "x") == (2, "", "llmwiki: there is no record 'x'; see llmwiki search\n")


def test_our_bug_gives_70_and_a_traceback(wiki, capsys):
    wiki.answers["status"] = ZeroDivisionError("oops")
    code, out, err = run(capsys, "status")
    assert (code, out) == (70, "") and "Traceback" in err and "ZeroDivisionError: oops" in err


def test_a_full_disk_is_not_our_bug(wiki, capsys):
    wiki.answers["decay"] = OSError(28, "No space left on device", "/w/wiki/log.md")
    code, _, err = run(capsys, "decay")
    assert code == 2 and "No space left on device (/w/wiki/log.md)" in err and "Traceback" not in err


def test_an_interrupt_gives_130(wiki, capsys):
    wiki.answers["sync"] = KeyboardInterrupt()
    code, out, err = run(capsys, "sync")
    assert (code, out) == (130, "") and "interrupted" in err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["synk"], "no command 'synk'; the nearest is 'sync', and llmwiki --help lists them all"),
        (["serach", "x"], "the nearest is 'search'"),
        (["zzzzz"], "there is no command 'zzzzz'; llmwiki --help lists them all"),
        (["search", "x", "--typ", "fact"], "the nearest is '--type', and llmwiki search --help lists them all"),
        (["search"], "search needs a question: llmwiki search QUERY"),
        (["search", "x", "--type", "fuct"], "'fuct' is not one of"),
        (["search", "x", "--raw", "--type", "fact"], "--raw searches turns, which have no --type; leave that out"),
        (["search", "x", "--raw", "--scope", "user", "--all"], "--raw searches turns, which have no --scope, --all;"),
        (["feedback", "s", "--score", "9"], "9.0 is not in the range"),
        (["status", "--dry-run"], "no such option: --dry-run"),
        (["--wiki"], "--wiki alone does nothing, name a command"),
        (["status", "--wiki"], "requires an argument"),
        (["--bogus"], "no such option: --bogus"),
    ],
)
def test_a_wrong_request_gives_2_and_what_was_meant(wiki, capsys, argv, said):
    code, out, err = run(capsys, *argv)
    assert (code, out) == (2, "")
    assert err.startswith("llmwiki: ") and err.count("\n") == 1 and said in err


def test_shared_options_may_stand_before_the_command(wiki, capsys):
    assert run(capsys, "--json", "--wiki", "w", "decay", "--yes")[0] == 0
    assert run(capsys, "--wiki=w", "status")[0] == 0
    assert [given for name, given, _ in wiki.asked if name == "find"] == [("w",), ("w",)]
    assert ("decay", (), {"yes": True, "dry_run": False}) in wiki.asked


def test_version_and_bare_call(capsys):
    assert run(capsys, "--version")[1].startswith("llmwiki ")
    code, out, _ = run(capsys)
    assert code == 0 and out == run(capsys, "--help")[1]


def test_options_reach_the_wiki(wiki, capsys):
    run(
        capsys,
        "sync",
        "--agent",
        "codex",
        "--agent",
        "pi",
        "--source",
        "x",
        "--jobs",
        "2",
        "--no-synthesize",
        "--force",
    )
    ((_, _, named),) = [asked for asked in wiki.asked if asked[0] == "sync"]
    progress = named.pop("progress")
    assert progress is not None
    assert named == {
        "agents": ["codex", "pi"],
        "sources": ["x"],
        "since": "",
        "project": "",
        "session": "",
        "synthesize": False,
        "jobs": 2,
        "force": True,
        "commit": False,
        "dry_run": False,
    }
    run(capsys, "remember", "use", "tabs", "--type", "fact", "--project", "shop")
    options = {"type": "fact", "project": "shop", "scope": "", "dry_run": False}
    assert wiki.asked[-1] == ("remember", ("use tabs",), options)


def test_files_take_several_values():
    assert spread(["t", "--files", "a", "b", "--files=c", "d"]) == [
        "t",
        "--files",
        "a",
        "--files",
        "b",
        "--files=c",
        "d",
    ]
    assert spread(["--files"]) == ["--files"]


def test_sync_tells_what_happened_and_ends_with_what_waits(wiki, capsys):
    _, out, _ = run(capsys, "sync")
    lines = out.splitlines()
    assert lines[0] == "sessions: 6 found: 2 new, 0 updated, 1 unchanged, 2 skipped, 0 failed"
    assert "skipped: 1 no-prompt, 1 own" in lines
    assert "records: 5 created (2 quarantined), 1 reinforced" in lines
    assert "refused: 3 one-off" in lines
    wiki.answers["sync"] = {**SYNCED, "quarantine": {"timed": 2, "until": "2026-03-02T13:00:00Z", "person": 1}}
    assert run(capsys, "sync")[1].endswith("; 1 record for you to decide; next: llmwiki review\n")
    assert lines[-1].startswith("waits: 1 session ") and "2026-03-01T13:00:00Z" in lines[-1]


def test_a_sync_that_finds_nothing_names_the_cure(wiki, capsys):
    assert "llmwiki agents" not in run(capsys, "sync")[2]
    wiki.answers["sync"] = {**SYNCED, "discovered": 0}
    assert "llmwiki agents" in run(capsys, "sync")[2] and "--source" in run(capsys, "sync")[2]
    assert not run(capsys, "sync", "--quiet")[2]


def test_review_lists_what_waits_and_how_to_decide(wiki, capsys):
    for argv in (["review"], ["review", "list"]):
        code, out, _ = run(capsys, *argv)
        assert code == 0 and out.startswith("2 d  preference  use-tabs-1a2b") and "llmwiki review promote" in out
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out)
    assert len(run(capsys, "review", "--quiet")[1].splitlines()) == 1
    assert json.loads(run(capsys, "review", "--json", "--project", "shop")[1]) == [WAITS]
    assert wiki.asked[-1] == ("waiting", ("shop",), {})
    wiki.answers["waiting"] = []
    assert run(capsys, "review")[1] == "nothing waits\n"
    assert run(capsys, "review", "list", "--json")[1] == "[]\n"
    assert run(capsys, "review", "list", "use-tabs-1a2b")[0] == 2


def test_review_says_what_was_decided_and_what_still_waits(wiki, capsys):
    out = run(capsys, "review", "discard", "a", "--reason", "no use")[1]
    assert out.splitlines()[0] == "discarded use-tabs-1a2b (wiki/archive/a.md)"
    assert out.splitlines()[1] == "unchanged, it is so already: use-x-3c4d"
    options = {"into": "", "reason": "no use", "verified": False, "project": "", "dry_run": False}
    assert wiki.asked[-1] == ("review", ("discard", ("a",)), options)
    wiki.answers["review"] |= {"action": "promote", "unchanged": [], "waiting": [WAITS]}
    out = run(capsys, "review", "promote", "--verified", "--dry-run")[1].splitlines()
    assert out[0].startswith("would promote use-tabs-1a2b") and "would promote 1 record; 1 record waiting" in out
    assert out[2].startswith("waits  use-tabs-1a2b  ared") and out[-1] == "dry run: nothing was written"
    stays = {**wiki.answers["review"]["changed"][0], "id": "use-spaces-5e6f"}
    changed = [*wiki.answers["review"]["changed"], stays]
    wiki.answers["review"] = {"action": "merge", "changed": changed, "unchanged": [], "rewritten": ["wiki/facts/a.md"]}
    out = run(capsys, "review", "merge", "use-tabs-1a2b", "--into", "use-spaces-5e6f")[1].splitlines()
    assert out == ["merged use-tabs-1a2b into use-spaces-5e6f (wiki/archive/a.md)", "links: rewritten in 1 page"]


def test_clean_leaves_no_sequence_and_keeps_every_letter():
    assert clean(HOSTILE) == "ared [bold]x[/bold] 2Jend"
    assert clean("naïve 日本語 \U0001f600\n\ttab") == "naïve 日本語 \U0001f600\n\ttab"
    assert clean("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1bPq#\x1b\\ \x1b") == "link  "


def test_json_text_reads_back_and_holds_nothing_a_terminal_obeys():
    text = json_text({"b": HOSTILE + "\udc80", "a": "é"})
    assert json.loads(text) == {"b": HOSTILE + "\udc80", "a": "é"}
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", text) and "é" in text
    assert text.index('"b"') < text.index('"a"')


def test_the_package_runs_as_a_module_too():
    called = subprocess.run([sys.executable, "-m", "llmwiki", "--version"], capture_output=True, text=True)
    assert (called.returncode, called.stdout.split()[0]) == (0, "llmwiki")
