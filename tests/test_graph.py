from llmwiki import graph
from llmwiki.model import Record, RecordType, Wiki

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
            {"id": "a", "type": "fact", "title": "A", "state": "active"},
            {"id": "b", "type": "fact", "title": "B", "state": "active"},
        ],
        "edges": [{"source": "b", "target": "a", "kind": "link"}],
    }
