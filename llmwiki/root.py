"""Which wiki a command means."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from llmwiki.errors import WikiError

SETTINGS = "llmwiki.toml"


def is_wiki(folder: Path) -> bool:
    """Whether a wiki's settings lie in this folder. A folder that may not be read is none."""
    return os.path.isfile(folder / SETTINGS)  # noqa: PTH113 - Path.is_file raises where permission is denied


def default_file(environ: Mapping[str, str]) -> Path:
    """The file in the user's config folder that names the default wiki."""
    configured = environ.get("XDG_CONFIG_HOME", "")
    home = Path(environ.get("HOME") or Path.home())
    base = Path(configured) if configured.startswith("/") else home / ".config"
    return base / "llmwiki" / "default"


def write_default(root: Path, environ: Mapping[str, str]) -> Path:
    """Records `root` as the default wiki; the file that says so."""
    file = default_file(environ)
    new = file.with_name(f".default.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(f"{root.resolve()}\n", encoding="utf-8", errors="surrogateescape")
        new.replace(file)
    except OSError as cause:
        raise WikiError(f"{file} cannot be written ({cause.strerror}); set LLMWIKI_ROOT instead") from cause
    return file


def find_root(explicit: str | Path | None, environ: Mapping[str, str], cwd: Path) -> Path:
    """The wiki that is meant: `--wiki`, else LLMWIKI_ROOT, else the nearest folder above, else the default one.

    What a person named is never replaced by another: a name that leads to no wiki is a WikiError.
    """
    if explicit:
        return _named(explicit, "--wiki", cwd)
    if environ.get("LLMWIKI_ROOT"):
        return _named(environ["LLMWIKI_ROOT"], "LLMWIKI_ROOT", cwd)
    here = cwd.absolute()
    for folder in (here, *here.parents):
        if is_wiki(folder):
            return folder
    return _default(environ)


def at_home(name: str | Path) -> Path:
    """The path with a home folder for its `~`; where nobody is called so, `~` is a letter like any other."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def _named(name: str | Path, said_by: str, cwd: Path) -> Path:
    try:
        folder = (cwd.absolute() / at_home(name)).resolve()
    except ValueError as cause:  # a NUL, or half a character
        raise WikiError(f"{str(name)!a} ({said_by}) is no path ({cause}); give the folder of a wiki") from cause
    if not is_wiki(folder):
        raise WikiError(f"there is no wiki at {folder} ({said_by}); make one with `llmwiki init {folder}`")
    return folder


def _default(environ: Mapping[str, str]) -> Path:
    file = default_file(environ)
    try:
        name = file.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        name = ""
    if not name:
        raise WikiError("there is no wiki here or above; make one with `llmwiki init`, or name one with --wiki DIR")
    if not is_wiki(Path(name)):
        raise WikiError(
            f"there is no wiki at {name}, the default; make one with `llmwiki init --default`, or remove {file}"
        )
    return Path(name)
