from __future__ import annotations

from pathlib import Path

import pytest

from llmwiki.errors import WikiError
from llmwiki.root import find_root, write_default


def wiki(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "llmwiki.toml").write_text("")
    return folder


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def test_the_order(tmp_path: Path, environ: dict[str, str]) -> None:
    named, variable, above, default = (wiki(tmp_path / name) for name in ("named", "variable", "above", "default"))
    below = above / "src" / "deep"
    below.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    write_default(default, environ)
    assert find_root(None, environ, elsewhere) == default
    assert find_root(None, environ, below) == above
    environ["LLMWIKI_ROOT"] = str(variable)
    assert find_root(None, environ, below) == variable
    assert find_root(str(named), environ, below) == named
    assert find_root("../named", environ, above) == named, "relative to the folder that the command runs in"


def test_the_nearest_of_two_wins(tmp_path: Path, environ: dict[str, str]) -> None:
    wiki(tmp_path)
    inner = wiki(tmp_path / "a" / "b")
    (inner / "c").mkdir()
    assert find_root(None, environ, inner / "c") == inner


def test_a_folder_of_that_name_is_no_wiki(tmp_path: Path, environ: dict[str, str]) -> None:
    outer = wiki(tmp_path / "a")
    (outer / "b" / "llmwiki.toml").mkdir(parents=True)
    assert find_root(None, environ, outer / "b") == outer


def test_none_at_all_names_the_cure(tmp_path: Path, environ: dict[str, str]) -> None:
    with pytest.raises(WikiError, match="llmwiki init"):
        find_root(None, environ, tmp_path)


@pytest.mark.parametrize("said", ["--wiki", "LLMWIKI_ROOT"])
def test_what_was_named_is_never_replaced_by_another(tmp_path: Path, environ: dict[str, str], said: str) -> None:
    here, gone = wiki(tmp_path / "here"), str(tmp_path / "gone")
    environ |= {"LLMWIKI_ROOT": gone} if said == "LLMWIKI_ROOT" else {}
    with pytest.raises(WikiError, match=f"no wiki at .*gone.*{said}.*llmwiki init"):
        find_root(gone if said == "--wiki" else None, environ, here)


def test_a_default_that_is_gone(tmp_path: Path, environ: dict[str, str]) -> None:
    write_default(tmp_path / "gone", environ)
    with pytest.raises(WikiError, match=r"no wiki at .*gone.*init --default"):
        find_root(None, environ, tmp_path)


def test_the_default_without_xdg(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "relative/is/ignored"}
    root = wiki(tmp_path / "größe wiki")
    assert write_default(root, environ) == tmp_path / ".config/llmwiki/default"
    assert find_root(None, environ, Path("/")) == root
    assert [p.name for p in (tmp_path / ".config/llmwiki").iterdir()] == ["default"]


def test_a_config_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file")
    with pytest.raises(WikiError, match="LLMWIKI_ROOT"):
        write_default(tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path)})
