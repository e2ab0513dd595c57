"""The `init` command: a folder becomes a wiki. What a person wrote is never written over."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki import config, root, store_templates, template
from llmwiki.adapters import repository
from llmwiki.errors import WikiError
from llmwiki.model import Change, Wiki
from llmwiki.navigation import INDEX, pages
from llmwiki.schema import TYPES

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace

BEGIN, END = "<!-- llmwiki:begin -->", "<!-- llmwiki:end -->"
IGNORED = (".llmwiki/", "/raw/", "/wiki/traces/")
FALSE = "‹"  # for `<` in both: so `init` printed them once, and somebody copied it
CALL = "llmwiki context"
ATTRIBUTES = ("wiki/log.md merge=union", "wiki/log-*.md merge=union", "wiki/.forgotten merge=union")


def init(
    directory: Path, default: bool = False, adopt: bool = False, commit_raw: bool = False, dry_run: bool = False
) -> dict[str, Any]:
    """Makes a wiki: `{root, created: [path]}`, `updated` for files that got lines of ours, `lines` for a person to add,
    `notes` (sentences) on a `CLAUDE.md` that has them.

    Inside a git repository the wiki takes that repository's sessions (scope team); elsewhere, or as the default wiki,
    all of them (scope user). Run again, it adds only what is missing.
    """
    from llmwiki.workspace import SETTINGS, Workspace

    directory = root.at_home(directory)
    if directory.exists() and not directory.is_dir():
        raise WikiError(f"{directory} is a file; give a folder to `llmwiki init`")
    if not dry_run:
        _make(directory)
    folder = Path(os.path.realpath(directory))
    wiki = Workspace(folder)
    around = "" if default else repository.root(str(folder))
    present = {p: (folder / p).is_file() for p in (SETTINGS, "CLAUDE.md", "AGENTS.md", ".gitignore", ".gitattributes")}
    wanted = [
        *_new(present, {SETTINGS: _settings(folder, around), **_guides(folder)}),
        *_lines(wiki, ".gitignore", IGNORED[:1] if commit_raw else IGNORED),
        *_lines(wiki, ".gitattributes", ATTRIBUTES),
        *([] if wiki.read(INDEX) is not None else _navigation(wiki)),
    ]
    lines, notes, adopted = _guide(wiki, adopt) if present["CLAUDE.md"] else ("", [], [])
    wanted += adopted
    with wiki.operation("init", "a wiki begins", dry_run) as operation:
        made = operation.apply(wanted)
    if not dry_run:
        _folders(folder)
        if default:
            root.write_default(folder, os.environ)
    created = [c.path for c in made if not present.get(c.path)]
    document: dict[str, Any] = {"root": str(folder), "created": created}
    document["updated"] = [c.path for c in made if present.get(c.path)]
    document |= {"lines": lines.splitlines()} if lines else {}
    return document | ({"notes": notes} if notes else {})


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise WikiError(f"{directory} cannot be made ({cause.strerror}); choose a folder that you may write") from cause


def _folders(folder: Path) -> None:
    """The folders that a person looks for. git does not keep them while they are empty, and nothing needs them."""
    for name in ("raw", "templates", *(f"wiki/{spec.folder}" for spec in TYPES.values())):
        (folder / name).mkdir(parents=True, exist_ok=True)


def _settings(folder: Path, around: str) -> str:
    text = config.DEFAULT_TOML
    if not around:
        return text
    text = config.set_value(text, "wiki.root", os.path.relpath(around, folder))
    return config.set_value(text, "wiki.scope", "team")


def _guides(folder: Path) -> dict[str, str]:
    return {
        name: template.fill(store_templates.find(f"{name}.j2", folder), name) for name in ("AGENTS.md", "CLAUDE.md")
    }


def _new(present: dict[str, bool], texts: dict[str, str]) -> Iterable[Change]:
    return (Change(path, text, "a wiki begins") for path, text in texts.items() if not present[path])


def _lines(wiki: Workspace, path: str, lines: Iterable[str]) -> Iterable[Change]:
    """A file of git's with the lines that it lacks at its end; nothing when it has them all."""
    text = wiki.read(path) or ""
    missing = [line for line in lines if line not in text.splitlines()]
    if missing:
        gap = "\n" if text and not text.endswith("\n") else ""
        yield Change(path, f"{text}{gap}# llmwiki\n" + "".join(f"{line}\n" for line in missing), "a wiki begins")


def _appended(text: str, lines: str) -> str:
    """A person's file with our lines below an empty one, in the line ends that it has."""
    end = "\r\n" if "\r\n" in text else "\n"
    return text.rstrip("\r\n") + (f"\n\n{lines}").replace("\n", end)


def _guide(wiki: Workspace, adopt: bool) -> tuple[str, list[str], list[Change]]:
    """What is to be done about a `CLAUDE.md` that is there: lines for a person to add, what to say of it, and, to
    `adopt`, its Change."""
    text = wiki.read("CLAUDE.md") or ""
    mended = _mended(text)
    if mended != text:
        if adopt:
            note = "the marks around our lines in CLAUDE.md were visible text; they become comments"
            return "", [note], [Change("CLAUDE.md", mended, "adopted")]
        return "", ["the marks around our lines in CLAUDE.md are visible text; llmwiki init --adopt mends them"], []
    lines = _claude_lines(wiki)
    if not adopt:
        return lines, [], []
    if not lines:
        return "", ["CLAUDE.md tells of this wiki already, so nothing is added to it"], []
    return "", [], [Change("CLAUDE.md", _appended(text, lines), "adopted")]


def _mended(text: str) -> str:
    """A `CLAUDE.md` in which marks that are visible text are marks, and our lines stand no further in than those."""
    begin, end = (mark.replace("<", FALSE) for mark in (BEGIN, END))
    at, last = text.find(begin), text.rfind(end)
    if not 0 <= at < last:
        return text
    line = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    indent = text[line:at] if text[line:at].isspace() else ""
    ours = text[at - len(indent) : last + len(end)]
    ours = re.sub(f"^{indent}", "", ours, flags=re.M).replace(begin, BEGIN).replace(end, END)
    return text[: at - len(indent)] + ours + text[last + len(end) :]


def _claude_lines(wiki: Workspace) -> str:
    """What an existing `CLAUDE.md` lacks, between markers; "" when it has it."""
    text = wiki.read("CLAUDE.md") or ""
    pointed = "@AGENTS.md" in text and CALL in (wiki.read("AGENTS.md") or CALL)  # one that lacks is made in a moment
    if BEGIN in text or CALL in text or pointed:
        return ""
    return f"{BEGIN}\n{template.fill(store_templates.find('CLAUDE.md.j2', wiki.root), 'CLAUDE.md').strip()}\n{END}\n"


def navigation(wiki: Workspace, paths: Iterable[str], loaded: Wiki | None = None) -> list[Change]:
    """The pages that lead through the wiki, when one of `paths` is a page that they may show; made from the pages as
    they are by then, unless they are given."""
    shown = any(p.startswith("wiki/") and not p.startswith(("wiki/traces/", "wiki/log")) for p in paths)
    return _navigation(wiki, loaded) if shown else []


def _navigation(wiki: Workspace, loaded: Wiki | None = None) -> list[Change]:
    """Index and folders."""
    found = loaded or wiki.load()
    return pages(found, lambda name: store_templates.find(name, wiki.root), wiki.read, wiki.now, wiki.numbers)
