"""Small wikis for tests: pages as a person or `sync` would have written them."""

from pathlib import Path

from llmwiki import markdown
from llmwiki.indexes.refresh import refresh
from llmwiki.model import Record, RecordType, State
from llmwiki.schema import TYPES

NOW = 1_772_668_800  # 2026-03-05T00:00:00Z
CREATED = "2026-03-01T10:00:00Z"
STEM = "2026-03-01-a-session-0badcafe"


def record(id, text="", kind="fact", **more):
    """A record with one claim a line under the section that its type speaks with."""
    section = more.pop("section", TYPES[RecordType(kind)].sections[0])
    lines = [f"- {line} [[{STEM}#^t{n}]]" for n, line in enumerate(filter(None, text.split("\n")), 3)]
    given = {
        "title": id.replace("-", " "),
        "state": State.ACTIVE,
        "created": CREATED,
        "reinforced": CREATED,
        "confidence": 0.8,
        "sources": (f"[[{STEM}]]",),
        "body": f"## {section}\n\n" + "\n".join(lines) + "\n",
        "path": f"wiki/{TYPES[RecordType(kind)].folder}/{id}.md",
    }
    return Record(id=id, type=RecordType(kind), **(given | more))


def write(root, *records):
    for r in records:
        page = Path(root, r.path)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(markdown.render(r), "utf-8")


def make(root, *records, backend="sqlite"):
    """A wiki of these records, indexed."""
    Path(root, "llmwiki.toml").write_text(f'[index]\nbackend = "{backend}"\n', "utf-8")
    write(root, *records)
    refresh(root, backend)
    return str(root)
