"""The pages that lead through a wiki: `wiki/index.md` and `wiki/log.md`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from llmwiki.model import Change, Record, RecordType, State, Wiki
from llmwiki.prose import folded, inert
from llmwiki.schema import TYPES
from llmwiki.template import fill

INDEX, LOG = "wiki/index.md", "wiki/log.md"
BEGIN, END = "<!-- llmwiki:begin -->", "<!-- llmwiki:end -->"
TEMPLATE = "index.md.j2"
LOG_BYTES, LOG_KEPT = 50_000, 25_000  # a log that is longer than the one keeps its newest lines, as many as the other

_YEAR = re.compile(r"- (\d{4})-\d\d-\d\d")


def index(wiki: Wiki, template: str, now: str | None = None) -> Change:
    """`wiki/index.md` as it shall be, made from the page as it is `now`: what a person wrote around the markers stays.

    It lists active records by type and title. No counts, no dates and no traces (git ignores those), so that two
    machines that know the same write the same. The template is given `groups`: name, and records with stem, title and
    description, all of it harmless Markdown.
    """
    block = fill(template, TEMPLATE, groups=list(_groups(wiki.records.values())))
    return Change(INDEX, between(now or "# Index\n", block), "navigation")


def _groups(records: Iterable[Record]) -> Iterable[dict[str, Any]]:
    listed = sorted((r for r in records if _listed(r)), key=lambda r: (r.title.casefold(), r.id))
    for kind, spec in TYPES.items():
        lines = [
            {"stem": r.stem, "title": inert(r.title), "description": inert(r.description)}
            for r in listed
            if r.type is kind
        ]
        if lines:
            yield {"name": spec.folder.capitalize(), "records": lines}


def _listed(record: Record) -> bool:
    return record.state is State.ACTIVE and not record.superseded_by and record.type is not RecordType.TRACE


def between(text: str, block: str) -> str:
    """A page with `block` between our markers, in place of what stood there; at its end when it has no markers.

    What stands outside does not move by a byte. A marker without its partner is text like any other.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    ours = f"{BEGIN}\n{block.strip()}\n{END}".replace("\r\n", "\n").replace("\n", newline)
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
