"""The Python door as CLI.md writes it."""

import subprocess
import sys

import pytest

import llmwiki


def test_importing_it_costs_nothing():
    asked = "import sys; before = set(sys.modules); import llmwiki; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"__future__", "llmwiki", "llmwiki.errors"}


def test_a_folder_without_a_wiki_is_an_error_that_the_door_names(tmp_path):
    with pytest.raises(llmwiki.WikiError, match="llmwiki init"):
        llmwiki.open(tmp_path)
