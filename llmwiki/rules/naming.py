"""What pages are called: names that mean two pages, and names that some disk or program cannot hold."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from llmwiki import names
from llmwiki.model import Wiki, stem_of
from llmwiki.rules.base import Findings, Found, Seen, folded, living

# Windows refuses these in a name, and a link cannot say them.
_REFUSED = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')
_UNLINKABLE = re.compile(r"[#^\[\]|]")
_LONGEST = 240  # bytes of a name; disks end at 255, and a temporary name needs some


def ambiguous(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """One name means two pages: file names that differ in their folder, in case or in Unicode form only, or an alias
    that is another record's name.

    A link by that name leads to one of them, and not to the same one everywhere; a disk that folds case loses one of
    the files. Rename the page that fewer link to, or take the alias out.
    """
    pages: dict[str, list[str]] = defaultdict(list)
    for path in sorted((*seen.pages, *seen.raw), key=lambda p: (p.startswith("wiki/archive/"), p)):
        pages[folded(stem_of(path))].append(path)
    for paths in pages.values():
        for number, path in enumerate(paths):
            clash = number and not (path.startswith("wiki/archive/") and paths[0].startswith("wiki/archive/"))
            yield (Found(path, f"has the name of {paths[0]}; a link by name cannot tell them apart"),) if clash else ()
    yield from _aliases(wiki, seen, pages)


def _aliases(wiki: Wiki, seen: Seen, pages: dict[str, list[str]]) -> Iterator[Findings]:
    owner = {folded(r.id): r.path for r in living(wiki)} | {name: paths[0] for name, paths in pages.items()}
    for record in living(wiki):
        for alias in record.aliases:
            other = owner.setdefault(folded(alias), record.path)
            clash = other != record.path
            said = f"has the alias {alias!r}, which also means {other}"
            yield (Found(record.path, said, seen.key_line(record, "aliases")),) if clash else ()


def files(wiki: Wiki, seen: Seen) -> Iterator[Findings]:
    """A file name cannot exist on every disk, or no link can say it: characters that Windows refuses, reserved names, a
    space or full stop at its end, `#`, `^`, `|` or brackets, more than 240 bytes.

    Rename the page; its id stays.
    """
    for path in seen.pages:
        said = _wrong(path.rsplit("/", 1)[-1])
        yield (Found(path, said),) if said else ()


def _wrong(name: str) -> str:
    stem = name.removesuffix(".md")
    if found := _REFUSED.search(name):
        return f"has {found[0]!r} in its name, which some disks refuse"
    if found := _UNLINKABLE.search(stem):
        return f"has {found[0]!r} in its name, which no link can say"
    if stem != stem.strip(" ."):
        return "has a space or a full stop at an end of its name, which some disks drop"
    if names.taken(stem):
        return "has a name that some disks reserve, or that means another page"
    return "has a name that is too long for some disks" if len(name.encode("utf-8", "replace")) > _LONGEST else ""
