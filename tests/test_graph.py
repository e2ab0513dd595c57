import base64
import hashlib
import json
import re

from llmwiki import graph, graph_formats, store_templates
from llmwiki.cli import main
from llmwiki.model import Record, RecordType, State, Wiki
from tests import wikis

STEM = "2026-01-02-a-session-0badcafe"


def record(id, body="", path="", **more):
    return Record(id=id, type=RecordType.FACT, title=id.title(), body=body, path=path or f"wiki/facts/{id}.md", **more)


def wiki(*records):
    return Wiki({r.id: r for r in records})


def test_every_kind_of_edge_is_found_once():
    found = wiki(
        record("new", f"- see [[old]] and [[old]] [[{STEM}#^t3]]\n", sources=(f"[[{STEM}]]",), supersedes=("old",)),
        record("old", "", parents=("new",)),
    )
    assert list(graph.edges(found)) == [
        ("new", "old", "link"),
        ("new", "old", "supersedes"),
        ("new", f"raw:{STEM}", "source"),
        ("old", "new", "parent"),
    ]


def test_a_link_that_leads_nowhere_gives_no_edge():
    assert list(graph.edges(wiki(record("a", "- [[nobody]] and [[a]]\n")))) == []


def test_a_target_is_an_id_a_stem_a_path_or_an_alias():
    found = wiki(record("a-1234", path="wiki/facts/Some File.md", aliases=("the a",)), record("b-1234"))
    for target in ("a-1234", "Some File", "facts/some file", "THE A", "Some File.md"):
        assert graph.resolve(found, target).id == "a-1234"
    assert graph.resolve(found, "c") is None


def test_an_id_outranks_a_stem_and_a_stem_an_alias():
    found = wiki(record("a", path="wiki/facts/b.md", aliases=("c",)), record("b"), record("d", path="wiki/facts/c.md"))
    assert graph.resolve(found, "b").id == "b"
    assert graph.resolve(found, "c").id == "d"


def test_neighbours_count_steps_in_both_directions():
    built = graph.build(wiki(record("a", "- [[b]]\n"), record("b", "- [[c]]\n"), record("c"), record("far")))
    assert graph.neighbours(built, "b") == {"b": 0, "a": 1, "c": 1}
    assert graph.neighbours(built, "a", depth=2) == {"a": 0, "b": 1, "c": 2}
    assert graph.neighbours(built, "nobody") == {}


def test_two_records_of_one_session_are_two_steps_apart():
    built = graph.build(wiki(record("a", sources=(f"[[{STEM}]]",)), record("b", f"- x [[{STEM}#^t9]]\n")))
    assert graph.neighbours(built, "a", depth=2)["b"] == 2


def test_orphans_are_tied_by_nothing_but_sources():
    built = graph.build(wiki(record("a", "- [[b]]\n"), record("b"), record("c", sources=(f"[[{STEM}]]",))))
    assert graph.orphans(built) == ["c"]


def test_the_document_is_sorted_and_names_kinds():
    built = graph.build(wiki(record("b", "- [[a]]\n"), record("a")))
    assert graph.document(built) == {
        "nodes": [
            {"id": "a", "type": "fact", "title": "A", "state": "active", "path": "wiki/facts/a.md"},
            {"id": "b", "type": "fact", "title": "B", "state": "active", "path": "wiki/facts/b.md"},
        ],
        "edges": [{"source": "b", "target": "a", "kind": "link"}],
    }


def test_an_opposite_is_no_mere_link():
    body = "## Rule\n\n- x [[c]]\n\n## Contradictions\n\n- [[b]] says the opposite.\n"
    found = wiki(record("a", body), record("b"), record("c"))
    assert list(graph.edges(found)) == [("a", "b", "contradicts"), ("a", "c", "link")]


def test_records_of_one_session_can_be_tied_and_are_orphans_all_the_same():
    one, two, far = record("a", sources=(f"[[{STEM}]]",)), record("b", sources=(f"[[{STEM}]]",)), record("c")
    built = graph.build(wiki(one, two, far))
    assert graph.orphans(built) == ["a", "b", "c"]
    graph.tie_sessions(built)
    assert graph.neighbours(built, "a") == {"a": 0, "b": 1, f"raw:{STEM}": 1}
    assert [edge for edge in graph.document(built)["edges"] if edge["kind"] == "same-session"] == [
        {"source": "a", "target": "b", "kind": "same-session"}
    ]


def test_a_part_has_the_raw_pages_that_it_rests_on_and_no_others():
    other = "2026-01-03-other-0badcaff"
    built = graph.build(
        wiki(record("a", "- [[b]]\n", sources=(f"[[{STEM}]]",)), record("b", sources=(f"[[{other}]]",)))
    )
    assert sorted(graph.within(built, ["a"])) == ["a", f"raw:{STEM}"]


# -- as text for other programs

HOSTILE = '</script><script>alert(1)</script> "]; x --> y" \\" #35; `a` [[b]] <!-- \u2028 é'
SHOWN = {
    "nodes": [
        {"id": "a", "type": "fact", "title": HOSTILE, "state": "active", "path": 'wiki/facts/"><img src=x>.md'},
        {"id": "b", "type": "fact", "title": "", "state": "active", "path": "javascript:alert(1)"},
    ],
    "edges": [{"source": "a", "target": "b", "kind": "link"}, {"source": "a", "target": "b", "kind": "same-session"}],
}


def test_mermaid_holds_titles_as_text():
    lines = graph_formats.mermaid(SHOWN).split("\n")
    assert lines[0] == "flowchart LR" and lines[3:] == ["  n0 -->|link| n1", "  n0 -.->|same-session| n1"]
    assert re.fullmatch(r'  n0\["[\w .,:/()\'+#;-]*"\]', lines[1]) and "#60;/script#62;" in lines[1]
    assert lines[2] == '  n1["b"]'


def test_dot_holds_titles_as_text():
    lines = graph_formats.dot(SHOWN).split("\n")
    quoted = r'"(?:[^"\\]|\\["\\])*"'
    assert re.fullmatch(rf"  {quoted} \[label={quoted}\];", lines[3])
    assert lines[-2] == '  "a" -> "b" [label="same-session", style=dotted];' and lines[-1] == "}"


def test_the_page_runs_its_own_script_and_nothing_else():
    script = store_templates.find("graph.js")
    page = graph_formats.html(SHOWN, store_templates.find("graph.html.j2"), script)
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
    assert [attributes for attributes, _ in scripts] == [' type="application/json" id="graph"', ""]
    assert json.loads(scripts[0][1]) == SHOWN and "<" not in scripts[0][1]
    assert scripts[1][1] == script
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}';" in page
    assert not re.search(r"https?://|\bsrc=|\bhref=", page.replace(scripts[0][1], ""))
    for forbidden in ("innerHTML", "eval(", "document.write", "fetch(", "import("):
        assert forbidden not in script


# -- the command


def graphed(root, *arguments, capsys):
    code = main(["graph", *arguments, "--wiki", str(root)])
    return code, capsys.readouterr()


def test_the_command_shows_what_may_speak_unless_asked_for_all(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("LLMWIKI_NOW", wikis.CREATED)
    root = wikis.make(
        tmp_path,
        wikis.record("one-0001", "as [[two-0001]] says\nas [[old-0001]] said"),
        wikis.record("two-0001", "it is so"),
        wikis.record("old-0001", "it was so", state=State.QUARANTINED),
    )
    code, told = graphed(root, capsys=capsys)
    document = json.loads(told.out)
    assert code == 0 and [node["id"] for node in document["nodes"]] == ["one-0001", f"raw:{wikis.STEM}", "two-0001"]
    assert document["nodes"][0] == {
        "id": "one-0001", "type": "fact", "title": "one 0001", "state": "active", "path": "wiki/facts/one-0001.md",
    }  # fmt: skip
    assert {"source": "one-0001", "target": "two-0001", "kind": "link"} in document["edges"]
    assert "old-0001" in graphed(root, "--all", "--json", capsys=capsys)[1].out
    _, told = graphed(root, "neighbors", "two-0001", capsys=capsys)
    distances = {node["id"]: node["distance"] for node in json.loads(told.out)["nodes"]}
    assert distances == {"two-0001": 0, "one-0001": 1, f"raw:{wikis.STEM}": 1}
    for form, begin in (("html", "<!doctype html>"), ("mermaid", "flowchart LR"), ("dot", "digraph llmwiki {")):
        assert graphed(root, "neighbors", "two-0001", "--depth", "0", "--format", form, capsys=capsys)[
            1
        ].out.startswith(begin)


def test_a_wrong_request_names_the_cure(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("LLMWIKI_NOW", wikis.CREATED)
    root = wikis.make(tmp_path, wikis.record("old-0001", "it was so", state=State.QUARANTINED))
    for arguments, said in (
        (["neighbors"], "llmwiki graph neighbors ID"),
        (["around", "old-0001"], "llmwiki graph neighbors ID"),
        (["neighbors", "nobody"], "there is no record"),
        (["neighbors", "old-0001"], "--all"),
    ):
        code, told = graphed(root, *arguments, capsys=capsys)
        assert code == 2 and said in told.err and not told.out
