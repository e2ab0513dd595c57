"""The bundled sessions, and the repository's own wiki that the product makes of them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "samples"


def tree(root: Path) -> dict[str, str]:
    """Every page below raw/ and wiki/, by path."""
    found = (p for folder in ("raw", "wiki") for p in (root / folder).rglob("*") if p.is_file())
    return {p.relative_to(root).as_posix(): p.read_bytes().decode("utf-8") for p in found}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    for name in ("llmwiki.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    environ = {**os.environ, "HOME": str(folder)}
    run = [sys.executable, SAMPLES / "generate.py", folder]
    subprocess.run(run, cwd=folder, env=environ, check=True, capture_output=True)
    return tree(folder) | {"README.md": (folder / "README.md").read_text("utf-8")}


def test_the_repository_s_own_wiki_is_what_the_product_makes_of_the_samples(fresh):
    committed = tree(ROOT) | {"README.md": (ROOT / "README.md").read_text("utf-8")}
    assert sorted(committed) == sorted(fresh), "run make wiki"
    assert [path for path in fresh if committed[path] != fresh[path]] == [], "run make wiki"


def test_the_samples_hold_what_the_demo_needs(fresh):
    """The cases that a newcomer shall see: a lesson that came back, a correction, a secret gone, a bad line."""
    raw = "\n".join(text for path, text in fresh.items() if path.startswith("raw/"))
    assert "· user · refusal" in raw and "· user · interrupt" in raw
    assert "· user · queued" in raw and "· user · answer" in raw
    assert "notarealkey0000" not in raw and "not-a-real-password" not in raw
    assert "[redacted:" in raw and "bad_lines: 1" in raw and 'kind: "subagent"' in raw
    assert all(f"make {target}" in fresh["README.md"] for target in ("demo", "test"))
    failures = [text for path, text in fresh.items() if path.startswith("wiki/failures/")]
    twice = [text for text in failures if "no such table" in text and text.count('"[[') == 2]
    assert len(twice) == 1, "the lesson of two sessions stands on one page, with both as its sources"


def test_nobody_is_named_in_the_samples():
    text = "\n".join(p.read_text("utf-8") for p in SAMPLES.rglob("*.jsonl"))
    homes = {word.split("/")[2] for word in text.replace('"', " ").split() if word.startswith("/home/")}
    assert homes == {"dev"}


def test_one_line_of_the_samples_is_broken_on_purpose():
    bad = 0
    for path in SAMPLES.rglob("*.jsonl"):
        for line in path.read_text("utf-8").split("\n"):
            try:
                json.loads(line or "{}")
            except ValueError:
                bad += 1
    assert bad == 1
