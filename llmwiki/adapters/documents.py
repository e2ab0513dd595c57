"""Files of Markdown that a person names: found on the disk, read, told where they belong. What `import` takes in.

No store of an agent: nothing here is discovered by `sync`. A folder gives its `*.md` and the files that agents load by
themselves; what git ignores, hidden and vendored folders, changelogs, and the pages of a wiki stay out, unless a person
names the file itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki.adapters import repository
from llmwiki.errors import WikiError

if TYPE_CHECKING:
    from pathspec import PathSpec

    Rules = list[tuple[Path, PathSpec[Any]]]

# What an agent loads by itself when it works where the file lies. Such a file is a person's word to agents.
LOADED = frozenset(
    "claude.md claude.local.md agents.md gemini.md memory.md .cursorrules copilot-instructions.md".split()
)
# What holds prose that a person wrote. Settings, code and data read as Markdown would only give chaff.
_PROSE = frozenset(("", ".md", ".markdown", ".mdown", ".mkd", ".mdx", ".mdc", ".txt", ".text", ".rst", ".adoc", ".org"))
LARGEST = 1_000_000  # bytes: what a person wrote for reading is far below
_VENDORED = frozenset("node_modules vendor third_party site-packages venv env dist build target __pycache__".split())
_TOLD = frozenset("changelog history changes license licence copying code_of_conduct authors".split())
_HIDDEN = ((".github", "copilot-instructions.md"), (".claude", "CLAUDE.md"))  # the hidden files that a folder gives
_HOMES = (".claude", ".codex", ".gemini", ".config")  # where an agent keeps what holds in every project
_SLUG = re.compile(r"[^A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Document:
    """One file. `name` is its path inside its project, `root` the folder that the project is known by, "" for a file
    of a home folder, which holds in every project. `named`: a person named it, or the repository that it is part of."""

    path: Path
    name: str
    root: str = ""
    named: bool = True

    @property
    def loaded(self) -> bool:
        return self.path.name.lower() in LOADED

    @property
    def memory_of(self) -> str:
        """The folder of Claude Code's store that this file is the memory of, "" for every other file."""
        parts = self.path.parts
        at = parts.index("projects") if "projects" in parts[:-2] and ".claude" in parts else -1
        return parts[at + 1] if at > 0 and parts[at - 1] == ".claude" else ""


@dataclass(slots=True)
class Found:
    """The files in order, each once, and the names of those that a folder held and nobody asked for."""

    documents: list[Document] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def find(given: Sequence[Path], wiki: Path, ignored: PathSpec[Any] | None = None) -> Found:
    """Every file that is meant. WikiError for a path that does not exist, is no document, lies in the wiki, or gives
    nothing."""
    found, seen = Found(), set[str]()
    for path in given:
        if not path.exists():
            raise WikiError(f"there is nothing at {path}; give a file or a folder that exists")
        if path.is_file() and path.suffix.lower() not in _PROSE and path.name.lower() not in LOADED:
            raise WikiError(f"{path} is no document; give Markdown or plain text, or save what it says as .md")
        if _inside(path, wiki):
            raise WikiError(f"{path} is a page of this wiki; import what stands outside of it")
        folder = path if path.is_dir() else None
        for file in _below(path, wiki, found) if folder else (path,):
            real = os.path.realpath(file)
            if real not in seen and not (folder and ignored and ignored.match_file(str(file.absolute()).lstrip("/"))):
                seen.add(real)
                found.documents.append(document(file, folder))
    if not found.documents:
        raise WikiError(f"there is no Markdown file below {', '.join(map(str, given))}; name a file")
    return found


def _inside(path: Path, wiki: Path) -> bool:
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(wiki / own) for own in ("wiki", "raw", ".llmwiki"))


def document(file: Path, folder: Path | None = None) -> Document:
    """A file with the project that it belongs to: its repository, else the folder that was named, else its own."""
    path = Path(os.path.normpath(file.absolute()))
    home = next((Path.home() / h for h in _HOMES if path.is_relative_to(Path.home() / h)), None)
    if home:
        made = Document(path, path.relative_to(home.parent).as_posix())
        parts = path.parts  # the name of its folder would tell where its project lies on this machine
        return replace(made, name="/".join(parts[parts.index(made.memory_of) + 1 :])) if made.memory_of else made
    top = _top(path.parent)
    base = top or Path(os.path.normpath((folder or path.parent).absolute()))
    root = (repository.root(str(top)) or str(top)) if top else str(base)
    return Document(path, path.relative_to(base).as_posix(), root, folder is None or _top(folder.absolute()) == top)


def _top(folder: Path) -> Path | None:
    """The working tree around a folder, a linked one as itself."""
    return next((f for f in (folder, *folder.parents) if (f / ".git").exists()), None)


# -- folders


def _below(folder: Path, wiki: Path, found: Found) -> Iterator[Path]:
    rules: Rules = []
    top = _top(folder.absolute())
    for above in reversed(folder.absolute().parents) if top else ():
        if above.is_relative_to(top or above):
            _add_rules(rules, above)
    yield from _walk(folder, wiki, rules, found)


def _walk(folder: Path, wiki: Path, rules: Rules, found: Found) -> Iterator[Path]:
    """The files of a folder by name, then those of its folders. Links to folders are not followed, nor are links to
    files that lead out of it; a folder that may not be listed is named."""
    rules = list(rules)
    _add_rules(rules, folder)
    try:
        entries = sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as cause:
        found.left_out.append(f"{folder} ({cause.strerror})")
        return
    is_wiki = (folder / "llmwiki.toml").is_file()
    for path in entries:
        if path.is_dir() or not _wanted(path) or _ignored(path, rules):
            continue
        if path.stem.lower() in _TOLD:
            found.left_out.append(str(path))
        elif not path.is_symlink() or Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
            yield path
    for hidden, name in _HIDDEN:
        if (folder / hidden / name).is_file() and not _ignored(folder / hidden / name, rules):
            yield folder / hidden / name
    for path in entries:
        out = path.name.startswith(".") or path.name.lower() in _VENDORED or path.is_symlink()
        ours = is_wiki and path.name in ("wiki", "raw", "templates")
        if path.is_dir() and not out and not ours and not _inside(path, wiki) and not _ignored(path, rules, "/"):
            yield from _walk(path, wiki, rules, found)


def _wanted(path: Path) -> bool:
    shown = path.suffix.lower() == ".md" and not path.name.startswith(".")
    return (shown or path.name.lower() in LOADED) and path.is_file()


def _add_rules(rules: Rules, folder: Path) -> None:
    """The `.gitignore` of a folder, which holds for everything below it."""
    import pathspec

    try:
        text = (folder / ".gitignore").read_text("utf-8", "replace")
    except OSError:
        return
    rules.append((folder, pathspec.GitIgnoreSpec.from_lines(text.splitlines())))


def _ignored(path: Path, rules: Rules, end: str = "") -> bool:
    """Whether git would ignore it: the last rule that speaks of it decides."""
    verdict = False
    for folder, spec in rules:
        base = folder if path.is_relative_to(folder) else folder.absolute()
        at = path if path.is_relative_to(base) else path.absolute()
        said = spec.check_file(at.relative_to(base).as_posix() + end).include
        verdict = verdict if said is None else said
    return verdict


# -- reading


def read(document: Document) -> tuple[str, int]:
    """The text of a file with single line ends, and when it was last written, in seconds. WikiError says why not."""
    try:
        stat = document.path.stat()
        if stat.st_size > LARGEST:
            raise WikiError(f"is larger than {LARGEST // 1_000_000} MB; import the part that states something")
        content = document.path.read_bytes()
    except OSError as cause:
        raise WikiError(f"cannot be read ({cause.strerror}); check its permissions") from cause
    return _decoded(content).replace("\r\n", "\n").replace("\r", "\n"), int(stat.st_mtime)


def _decoded(content: bytes) -> str:
    utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\0" in content and not utf16:
        raise WikiError("is no text; import Markdown files")
    try:
        return content.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as cause:
        raise WikiError(f"is not UTF-8 (byte {cause.start}); save it as UTF-8") from cause


def slug_of(root: str) -> str:
    """What Claude Code calls the folder of a project in its store: compared, and never decoded."""
    return _SLUG.sub("-", root)
