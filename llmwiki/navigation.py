"""The pages that lead through a wiki: `wiki/index.md`, `wiki/<folder>/_context.md` and `wiki/log.md`.

The index leads to the folders and a folder's page lists what speaks there, so that one more lesson is one more line in
one place. No counts, no dates and no traces (git ignores those): two machines that know the same write the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from llmwiki.lifecycle import Numbers, retrievable
from llmwiki.model import Change, Record, RecordType, Wiki
from llmwiki.prose import folded, inert
from llmwiki.schema import LIFECYCLE, TYPES
from llmwiki.template import fill

INDEX, LOG, CONTEXT = "wiki/index.md", "wiki/log.md", "_context.md"
BEGIN, END = "<!-- llmwiki:begin -->", "<!-- llmwiki:end -->"
TEMPLATE, FOLDER = "index.md.j2", "_context.md.j2"
LOG_BYTES, LOG_KEPT = 50_000, 25_000  # a log that is longer than the one keeps its newest lines, as many as the other
_YEAR = re.compile(r"- (\d{4})-\d\d-\d\d")
HOLDS = {  # what a folder holds, for its page and for the index
    RecordType.SKILL: "How things are done here: when, the steps, the checks.",
    RecordType.FACT: "What is so, as an output proved it.",
    RecordType.FAILURE: "What went wrong, and what cured it.",
    RecordType.STRATEGY: "Which plan fits which kind of goal, and why.",
    RecordType.PREFERENCE: "What the people want, in their words.",
    RecordType.HEURISTIC: "Rules that held in several places.",
    RecordType.TRACE: "What each session did, how it ended and what it taught. They age soon, and nothing lists them.",
}


def pages(
    wiki: Wiki,
    template: Callable[[str], str],
    read: Callable[[str], str | None],
    at: datetime,
    numbers: Numbers = LIFECYCLE,
) -> list[Change]:
    """The index and the pages of the folders as they shall be `at` a moment, made from the pages as they are (`read`):
    what a person wrote around the markers stays. `template(name)` is the text of a template. A folder has no page
    before anything speaks.
    """
    listed = _listed(wiki, at, numbers)
    made = [index(wiki, template(TEMPLATE), at, read(INDEX), numbers)]
    for kind in TYPES:
        path = context_path(kind)
        now = read(path)
        if listed or now is not None:
            made.append(context(kind, (r for r in listed if r.type is kind), template(FOLDER), now))
    return made


def index(wiki: Wiki, template: str, at: datetime, now: str | None = None, numbers: Numbers = LIFECYCLE) -> Change:
    """`wiki/index.md` as it shall be `at` a moment, made from the page as it is `now`.

    The template is given `folders` (`folder`, `name`, `holds`), none while nothing speaks, and `groups`: `name`, and
    `records` with stem, title, project and description of what speaks, all of it harmless Markdown.
    """
    groups = list(_groups(_listed(wiki, at, numbers)))
    folders = [_about(kind) for kind in TYPES] if groups else []
    block = fill(template, TEMPLATE, groups=groups, folders=folders)
    return Change(INDEX, between(now or "# Index\n", block), "navigation")


def context(kind: RecordType, records: Iterable[Record], template: str, now: str | None = None) -> Change:
    """`_context.md` of a type's folder: what it holds, which a person may say better, and between markers a line for
    each of these records, in their order. The template is given `folder` and `records`, as that of the index."""
    about = _about(kind)
    block = fill(template, FOLDER, folder=about, records=[_line(record) for record in records])
    return Change(context_path(kind), between(now or f"# {about['name']}\n\n{about['holds']}\n", block), "navigation")


def context_path(kind: RecordType) -> str:
    return f"wiki/{TYPES[kind].folder}/{CONTEXT}"


def _about(kind: RecordType) -> dict[str, str]:
    return {"folder": TYPES[kind].folder, "name": TYPES[kind].folder.capitalize(), "holds": HOLDS[kind]}


def _groups(listed: Sequence[Record]) -> Iterator[dict[str, Any]]:
    for kind in TYPES:
        lines = [_line(r) for r in listed if r.type is kind]
        if lines:
            yield {**_about(kind), "records": lines}


def _line(record: Record) -> dict[str, str]:
    shown = {"title": record.title, "description": record.description, "project": record.project or ""}
    return {"stem": record.stem, **{key: inert(text) for key, text in shown.items()}}


def _listed(wiki: Wiki, at: datetime, numbers: Numbers) -> list[Record]:
    """What may speak, by title. Whoever has the pages may see them all, so no scope is asked for."""
    found = (r for r in wiki.records.values() if r.type is not RecordType.TRACE and retrievable(r, at, None, numbers))
    return sorted(found, key=lambda r: (r.title.casefold(), r.id))


def between(text: str, block: str) -> str:
    """A page with `block` between our markers, in place of what stood there; at its end when it has no markers.

    What stands outside does not move by a byte. A marker without its partner is text like any other.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    block = f"{block.strip()}\n" if block.strip() else ""
    ours = f"{BEGIN}\n{block}{END}".replace("\r\n", "\n").replace("\n", newline)
    end = text.find(END)
    while end >= 0:
        begin = text.rfind(BEGIN, 0, end)
        if begin >= 0:
            return text[:begin] + ours + text[end + len(END) :]
        end = text.find(END, end + 1)
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{ours}{newline}"


def log_line(now: str | None, line: str) -> Change:
    """`wiki/log.md` with one more line at its end. Git merges it by union, so a line is never changed again."""
    text = now or "# Log\n\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if text.endswith("\n") else newline
    return Change(LOG, f"{text}{gap}- {folded(line)}{newline}", "log")


def rolled(log: str | None, read: Callable[[str], str | None]) -> list[Change]:
    """A log that grew too long and the years that its oldest lines go to, `wiki/log-YYYY.md`; [] when it is short.

    `read(path)` gives a year's text, None when it has none yet. What a person wrote above the first line stays where
    it is, what stands below a line goes with it. A line that its year has already is not written twice: another
    machine rolled the same log, and git united both.
    """
    if not log or len(log.encode("utf-8", "replace")) <= LOG_BYTES:
        return []
    head, entries = _entries(log)
    first, size = len(entries), 0
    while first and (size := size + len(entries[first - 1].encode("utf-8", "replace"))) <= LOG_KEPT:
        first -= 1
    first = min(first, max(len(entries) - 1, 0))  # the newest stays, however long it is
    years = _by_year(entries[:first])
    if not years:
        return []  # not one line of ours in it: a person keeps something else there
    changes = [Change(LOG, head + "".join(entries[first:]), "log")]
    for year, lines in years.items():
        path = f"wiki/log-{year}.md"
        present = read(path) or f"# Log of {year}\n\n"
        gap = "" if present.endswith("\n") else "\n"
        known = set(_entries(present)[1])
        changes.append(Change(path, present + gap + "".join(line for line in lines if line not in known), "log"))
    return changes


def _entries(log: str) -> tuple[str, list[str]]:
    """What stands above the first entry, and each entry with its line end and the lines below it."""
    head, *entries = re.split(r"^(?=- )", log, flags=re.MULTILINE)
    return head, entries


def _by_year(entries: Iterable[str]) -> dict[str, list[str]]:
    """Year -> its entries. One without a date was written between its neighbours, and goes with the one before it."""
    found: dict[str, list[str]] = {}
    waiting: list[str] = []
    year = ""
    for entry in entries:
        dated = _YEAR.match(entry)
        year = dated[1] if dated else year
        waiting.append(entry)
        if year:
            found.setdefault(year, []).extend(waiting)
            waiting = []
    return found
