"""Claims against turns."""

from dataclasses import replace

import pytest

from llmwiki.model import Evidence, Record, RecordType, Turn
from llmwiki.verify import tokens, verify

TURNS = {
    "t1": Turn(1, "user", 'Never use npm here, "pnpm dev" starts it on port 5173', origin="typed"),
    "t2": Turn(2, "tool", "cat src\\app_config.ts", tool="Bash", outcome="ok", result="MAX_ITEMS = 1200\nuse   strict"),
    "t3": Turn(3, "summary", "the port is 5173"),
    "t4": Turn(4, "tool", '{"command": "echo \\"a b\\""}', tool="Bash", outcome="ok", result="a b"),
}


def check(body, kind=RecordType.FACT, evidence=Evidence.TEST_PROVED):
    record = Record("x-0001", kind, "x", body=body, evidence=evidence)
    return verify(record, lambda stem, anchor: TURNS.get(anchor) if stem == "s" else None)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("- `pnpm dev` on 5173 [[s#^t1]]", "passed"),
        ("- `pnpm build` [[s#^t1]]", "failed"),
        ('- `src/app_config.ts` says `MAX_ITEMS = 1200` and "use strict" [[s#^t2]]', "passed"),
        ("- port 5174 [[s#^t1]]", "failed"),
        ("- pnpm 9.15.2 starts it [[s#^t1]]", "failed"),
        ("- the port is 5173 [[s#^t3]]", "failed"),
        ('- `echo "a b"` [[s#^t4]]', "passed"),
        ("- `MAX_ITEMS = …` [[s#^t2]]", "passed"),
        ("- it is so [[s#^t1]]", "unverifiable"),
        ("- `pnpm dev` [[elsewhere#^t1]]", "unreachable"),
        ("- `pnpm dev`", "failed"),
        ("- it is so", "failed"),
        ("- `pnpm dev` [[s#^t1]] my own words", "passed"),
        ("- `pnpm dev` [[2026-03-01-some_stem#^t9]] and [[s#^t1]] too", "passed"),
        ("- `pnpm dev` and `MAX_ITEMS` [[s#^t1]] [[s#^t2]]", "passed"),
    ],
)
def test_statuses(line, status):
    assert check(f"## Statement\n\n{line}\n").status == status


def test_a_line_without_a_turn_is_a_persons_word_where_a_person_changed_the_page():
    body = "## Statement\n\n- `pnpm dev` [[s#^t1]]\n\nSee `bun.lock` too.\n"
    record = Record("x-0001", RecordType.FACT, "x", body=body, evidence=Evidence.TEST_PROVED)
    found = verify(record, lambda stem, anchor: TURNS.get(anchor), lambda asked: asked is record)
    assert found.status == "passed" and [c.text for c in found.own] == ["See `bun.lock` too."]
    wrong = replace(record, body=body.replace("pnpm", "bun"))
    found = verify(wrong, lambda stem, anchor: TURNS.get(anchor), lambda asked: True)
    assert found.status == "failed" and [c.text for c, _ in found.failed] == ["`bun dev`"], "what is learned is checked"


def test_one_bad_line_fails_the_record_and_is_named():
    found = check("## Statement\n\n- `pnpm dev` [[s#^t1]]\n- `bun dev` [[s#^t1]]\n")
    assert found.status == "failed" and [(c.text, m) for c, m in found.failed] == [("`bun dev`", ("bun dev",))]


def test_only_a_person_says_a_preference():
    said = '## Rule\n\n- Use it [[s#^t2]]\n\n## Said\n\n- "use strict" [[s#^t2]]\n'
    assert check(said, RecordType.PREFERENCE, Evidence.USER_SAID).status == "failed"
    assert (
        check(said.replace("t2", "t1").replace("use strict", "Never use npm here"), RecordType.PREFERENCE).status
        == "passed"
    )


def test_tokens():
    found = tokens('Run `make -j4 all` as "the docs say", not --force; src/a_b.py, v2.10, v9.15.2. and 12345 \\[[x]]')
    assert found == ("make -j4 all", "the docs say", "--force", "src/a_b.py", "9.15.2", "12345")


def test_a_windows_path_is_found_in_either_spelling():
    turn = Turn(1, "tool", "file_path: ~\\.claude\\settings.json", tool="Edit", outcome="ok")
    record = Record("x-0001", RecordType.TRACE, "x", body="## Touched\n\n- `~/.claude/settings.json` [[s#^t1]]\n")
    assert verify(record, lambda stem, anchor: turn).status == "passed"


def test_a_rule_that_was_turned_round_is_found():
    said = '\n\n## Said\n\n- "Never use npm here" [[s#^t1]]\n'
    rules = ("never use npm", "Always use npm")
    kept, turned = (check(f"## Rule\n\n- {rule} [[s#^t1]]{said}", RecordType.PREFERENCE) for rule in rules)
    assert kept.status == "passed" and turned.status == "failed" and turned.failed[0][1] == ("Always",)
