"""What a person installs is what works here: the wheel, in an environment of its own, used from another folder."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run(*args: str | Path, cwd: Path, **environ: str) -> str:
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("LLMWIKI", "PYTHON", "VIRTUAL_ENV", "XDG_"))}
    done = subprocess.run(args, cwd=cwd, env={**keep, **environ}, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{args}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def built(folder: Path) -> Path:
    """The wheel of this checkout. hatchling comes from the registry when it is not installed."""
    alone = () if find_spec("hatchling") is None else ("--no-build-isolation",)
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", *alone, "--wheel-dir", folder, ROOT, cwd=folder)
    return next(folder.glob("llmwiki_compiler-*.whl"))


def installed(wheel: Path, folder: Path) -> Path:
    """The folder of programs of a clean environment that has the wheel, and the dependencies of this environment."""
    venv.create(folder, with_pip=False)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    python = programs / Path(sys.executable).name
    python = python if python.exists() else programs / "python"
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", python)
    run(*pip, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    # As a path only: the editable install beside the dependencies is a .pth file, which a path entry does not run.
    (Path(packages) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    where = run(python, "-c", "import llmwiki; print(llmwiki.__file__)", cwd=folder)
    assert Path(where.strip()).is_relative_to(folder), "the wheel itself must answer, not the checkout"
    return programs


def test_the_wheel_works_in_a_clean_environment(tmp_path):
    wheel = built(tmp_path)
    inside = set(zipfile.ZipFile(wheel).namelist())
    templates = {f"llmwiki/templates/{p.name}" for p in (ROOT / "templates").iterdir() if p.is_file()}
    assert templates and templates <= inside
    assert not any(name.startswith(("tests/", "samples/", "raw/", "wiki/")) for name in inside)

    llmwiki = installed(wheel, tmp_path / "clean") / "llmwiki"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environ = {"HOME": str(tmp_path), "LLMWIKI_NOW": "2026-04-20T09:00:00Z"}
    run(llmwiki, "init", "memory", cwd=elsewhere, **environ)
    sources = ["--source", ROOT / "samples/claude-code", "--source", ROOT / "samples/codex"]
    run(llmwiki, "sync", "--wiki", "memory", *sources, cwd=elsewhere, **environ)
    task = "the tests fail with no such table in a fresh checkout"
    block = run(llmwiki, "context", "--wiki", "memory", task, cwd=elsewhere, **environ)
    assert "notes_api.migrate" in block
