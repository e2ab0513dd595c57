"""The edge to an agent's own settings: which files they are, read, and written whole. They lie outside of every wiki,
so the store and its journal know nothing of them.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from llmwiki import disk
from llmwiki.errors import WikiError


def user_file(environ: Mapping[str, str]) -> Path:
    """The settings that Claude Code reads in every project."""
    configured = environ.get("CLAUDE_CONFIG_DIR", "").strip()
    folder = Path(configured).expanduser() if configured else Path(environ.get("HOME") or Path.home()) / ".claude"
    return folder.absolute() / "settings.json"


def project_files(folder: Path) -> tuple[Path, Path]:
    """The settings of the project around `folder`: a person's own, which git ignores, and those that all share."""
    here = folder.absolute()
    top = next((f for f in (here, *here.parents) if (f / ".git").exists()), here)
    return top / ".claude" / "settings.local.json", top / ".claude" / "settings.json"


def read(path: Path) -> str | None:
    """A settings file's exact text, None when there is none. WikiError when it cannot be read."""
    try:
        content = disk.contents(str(path))
        return None if content is None else content.decode("utf-8")
    except UnicodeDecodeError:
        raise WikiError(f"{path} is not valid UTF-8; mend it, it was not touched") from None
    except OSError as cause:
        raise WikiError(
            f"{path} cannot be read ({cause.strerror}); check what lies there and its permissions"
        ) from None


def write(path: Path, before: str | None, text: str | None) -> None:
    """Puts `text` in the place of `before`, whole or not at all; None removes the file, and its folder when that is
    empty then: it is as it was before there was a file. Nobody can tell who made an empty one, and nobody needs it.

    A link stays one: the file that it leads to is replaced. WikiError when somebody wrote in between.
    """
    full = os.path.realpath(path)
    new = os.path.join(os.path.dirname(full), f"{disk.TEMP}{os.getpid()}")
    try:
        os.makedirs(os.path.dirname(full), exist_ok=True)
        if text is not None:
            mode = os.stat(full).st_mode & 0o7777 if before is not None else None
            disk.write_new([(new, text.encode, mode)])
        if read(path) != before:
            raise WikiError(f"{path} was changed by another program just now; run it again")
        if text is None:
            os.unlink(full)
        else:
            os.replace(new, full)
        disk.sync_folder(os.path.dirname(full))
        if text is None:
            with suppress(OSError):  # what is not empty, and a link to a folder, stays
                os.rmdir(path.parent)
    except OSError as cause:
        raise WikiError(
            f"{path} cannot be written ({cause.strerror}); give yourself the right to write there"
        ) from None
    finally:
        with suppress(OSError):
            os.unlink(new)


def program() -> str:
    """The absolute path of this `llmwiki`: a hook finds it whatever its PATH is. WikiError when there is none."""
    beside = str(Path(sys.executable).parent / "llmwiki")
    for called in (sys.argv[0], shutil.which("llmwiki") or "", beside):
        if os.path.basename(called) == "llmwiki" and is_program(called):
            return os.path.abspath(called)
    raise WikiError("the program llmwiki is not found; install it with `pipx install llmwiki-compiler`")


def is_program(path: str) -> bool:
    """Whether there is a program at this path."""
    return os.path.isfile(path) and os.access(path, os.X_OK)
