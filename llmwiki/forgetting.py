"""The `forget` command: the one deletion there is.

Everything is decided before anything is written. Then one batch of the journal changes every page, with it the
tombstones (`tombstones`) and what is to be done yet; and `purge` takes what is forgotten out of the journal, the index
and the caches. A run that is killed before the batch did nothing; after it, the next writer ends it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llmwiki import (
    adapters,
    commits,
    erasure,
    intake,
    markdown,
    navigation,
    purge,
    rawpage,
    registry,
    reinforcing,
    tombstones,
)
from llmwiki import reports as asked
from llmwiki import store_templates as templates
from llmwiki.errors import WikiError
from llmwiki.gone import Gone, native
from llmwiki.journal import is_log
from llmwiki.learning import edited, page_hash
from llmwiki.lifecycle import stamp
from llmwiki.model import Change, Record, Wiki, stem_of

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace


@dataclass(slots=True)
class _Plan:
    """What is forgotten and what that changes. `heads` is stem -> frontmatter of every raw page, `sessions` of those
    that go; `kept` are the records that stay, as they shall be."""

    asked: str
    project: str = ""
    heads: dict[str, dict[str, Any]] = field(default_factory=dict)
    sessions: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    marks: list[tombstones.Mark] = field(default_factory=list)
    gone: Gone = field(default_factory=Gone)
    kept: dict[str, Record] = field(default_factory=dict)
    changes: dict[str, Change] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def forget(wiki: Workspace, name: str = "", project: str = "", dry_run: bool = False) -> dict[str, Any]:
    """`{removed: [path]}`, and beside it `changed`, `sessions` (stems) and `records` (ids). `sources` are files in the
    agents' stores, `stays` raw pages that taught a record which goes: neither is touched. `history`, `staged`,
    `rewritten` and `lines` are what git still has of it, see `commits.remembered`."""
    if bool(name) == bool(project):
        raise WikiError("name one thing to forget: a session, a record's id, or --project P")
    if dry_run:
        return _document(wiki, _planned(wiki, name, project))
    with wiki.store.lock("forget") as recovered:
        wiki.notices += recovered
        return _forget(wiki, name, project)


def _forget(wiki: Workspace, name: str, project: str) -> dict[str, Any]:
    from llmwiki import ageing, asking

    plan = _planned(wiki, name, project)
    document = _document(wiki, plan)
    if not plan.changes:
        return document
    with wiki.operation("forget", "it cannot be taken back") as operation:
        operation.apply(plan.changes.values())
    wiki.store.purge()
    wiki.forget_caches()
    asking.refresh(wiki)
    ageing.remember_due(wiki)
    return document


# -- what is meant


def _planned(wiki: Workspace, name: str, project: str) -> _Plan:
    heads = {stem: rawpage.head(wiki.raw(path) or "") for stem, path in wiki.raw_stems.items()}
    loaded = wiki.load()
    plan = _Plan(name or project, project, heads)
    stems, named = _of_project(heads, loaded, project) if project else _named(wiki, heads, loaded, name)
    if not stems and not named:
        return _nothing(wiki, plan, loaded)
    plan.sessions = {stem: heads[stem] for stem in sorted(_with_children(heads, stems))}
    if more := len(plan.sessions) - len(stems):
        plan.notes.append(f"with it go the sessions that came out of it (subagents, forks): {more}")
    _decide_records(wiki, plan, loaded, named)
    _find_former(wiki, plan)
    _change(wiki, plan, loaded)
    return plan


def _of_project(heads: Mapping[str, Mapping[str, Any]], loaded: Wiki, project: str) -> tuple[set[str], list[Record]]:
    stems = {stem for stem, head in heads.items() if head.get("project") == project}
    return stems, [record for record in loaded.records.values() if record.project == project]


def _named(
    wiki: Workspace, heads: Mapping[str, Mapping[str, Any]], loaded: Wiki, name: str
) -> tuple[set[str], list[Record]]:
    """The session or the record that a person means. What is called so outright comes before the start of an id."""
    wanted = stem_of(name.strip("[] "))
    exact = {stem for stem, head in heads.items() if stem == wanted or head.get("session") == name}
    if exact:
        return exact, []
    try:
        found = asked.named(loaded, name)
    except WikiError as no_record:
        if "several records" in str(no_record):
            raise
    else:
        if _gone_into(found, wanted) and wanted not in (found.id, found.stem):
            return set(), []
        return set(), [asked.chosen(loaded, found.id)]
    try:
        return {wiki.find_session(name)}, []
    except WikiError as no_session:
        if "several" in str(no_session):
            raise
        return set(), []


def _gone_into(record: Record, name: str) -> bool:
    """Whether a name is that of a page that was merged into a record: it does not mean all that the record says."""
    return name in record.aliases and name in record.supersedes


def _nothing(wiki: Workspace, plan: _Plan, loaded: Wiki) -> _Plan:
    """A plan that changes nothing, when all that was asked for is gone already. WikiError when it never was."""
    if heir := next((r for r in loaded.records.values() if _gone_into(r, plan.asked)), None):
        cure = f"take its lines out of {heir.path}, or `llmwiki forget {heir.id}`"
        plan.notes.append(
            f"the page of {plan.asked} is gone; {heir.id} took its lines over when they were merged; {cure}"
        )
        return plan
    known = tombstones.Tombstones(wiki.read(tombstones.PATH))
    agents = registry.names("adapters", adapters.ADAPTERS)
    if known.name(plan.asked) or any(known.session(agent, plan.asked) for agent in agents):
        plan.notes.append("that is forgotten already")
        return plan
    if plan.project:
        raise WikiError(f"no session and no record is of the project {plan.project!r}; check how it is written")
    said = "is no session and no record of this wiki; `llmwiki search WORDS` and `search --raw WORDS` find them"
    raise WikiError(f"{plan.asked!r} {said}")


def _with_children(heads: Mapping[str, Mapping[str, Any]], stems: Iterable[str]) -> set[str]:
    """The sessions, and those that came out of them (subagents, forks), however far down."""
    below: dict[tuple[str, str], list[str]] = {}
    for stem, head in heads.items():
        if head.get("parent"):
            below.setdefault((head["agent"], head["parent"]), []).append(stem)
    found, waiting = set(stems), list(stems)
    while waiting:
        head = heads[waiting.pop()]
        new = [s for s in below.get((head.get("agent", ""), head.get("session", "")), ()) if s not in found]
        found.update(new)
        waiting += new
    return found


# -- what that changes


def _decide_records(wiki: Workspace, plan: _Plan, loaded: Wiki, named: Iterable[Record]) -> None:
    """Which records go, and what is left of the others."""
    sessions = Gone(sessions=plan.sessions)
    # The next text of an imported file is another page, and would say it all again.
    files = Gone(sessions=(stem for stem, head in plan.sessions.items() if head.get("kind") == "file"))
    plan.records = {record.id: record for record in named}
    plan.marks = [mark for record in plan.records.values() for mark in tombstones.of_lesson(record)]
    plan.marks += [tombstones.of_session(str(h["agent"]), str(h["session"])) for h in plan.sessions.values()]
    plan.marks += [tombstones.of_name(name) for name in {plan.asked, *plan.sessions, *plan.records}]
    for record in loaded.records.values():
        rest = None if record.id in plan.records else erasure.left(record, sessions)
        if rest is None:
            plan.records[record.id] = record
            plan.marks += tombstones.of_lesson(record) if erasure.rests(record, files) else []
        else:
            plan.kept[record.id] = rest
    _part(plan)
    heads = plan.sessions.values()
    plan.gone = Gone(
        sessions=plan.sessions,
        natives=(native(str(h["agent"]), str(h["session"])) for h in heads),
        records=(name for r in plan.records.values() for name in (r.id, r.stem)),
        titles=[*(r.title for r in plan.records.values()), *(str(h.get("title") or "") for h in heads)],
        paths=[*(r.path for r in plan.records.values()), *(wiki.raw_stems[stem] for stem in plan.sessions)],
    )


def _part(plan: _Plan) -> None:
    """Pages into which a record that goes was merged, without what they took over from it."""
    for id, record in list(plan.kept.items()):
        heard = [r for r in plan.kept.values() if r.id != id and erasure.took_over(record, r)]
        rest: Record | None = record
        for gone in [r for r in plan.records.values() if erasure.took_over(record, r)]:
            rest = rest and erasure.parted(rest, gone, heard)
        if rest is not None:
            plan.kept[id] = rest
            continue
        plan.notes.append(f"{id} goes too: it said nothing else than what was merged into it")
        del plan.kept[id]
        plan.records[id] = record
        plan.marks += [*tombstones.of_lesson(record), tombstones.of_name(id)]


def _find_former(wiki: Workspace, plan: _Plan) -> None:
    """What the journal still knows of it under other names: pages that were moved, lessons that were taken back."""
    gone = plan.gone
    more: dict[str, set[str]] = {"records": set(), "titles": set(), "paths": set()}
    for path, text in purge.former(wiki.store.journal):
        leads = path == navigation.INDEX or path.endswith(f"/{navigation.CONTEXT}")
        if is_log(path) or leads or not gone.named(text):
            continue
        if path.startswith("raw/"):
            head = rawpage.head(text)
            if native(str(head.get("agent")), str(head.get("session"))) in gone.natives:
                more["paths"].add(path)
            continue
        try:
            record = markdown.read(text, path)
        except markdown.BadPage:
            continue
        if record.id in plan.records or (erasure.rests(record, gone) and record.id not in plan.kept):
            more["records"] |= {record.id, record.stem}
            more["titles"].add(record.title)
            more["paths"].add(path)
    alive = {name for r in plan.kept.values() for name in (r.id, r.stem)}
    more["records"] -= alive
    more["paths"] -= {r.path for r in plan.kept.values()}
    if plan.project:  # where it lay names it too
        folders = {path.rpartition("/")[0] for path in gone.paths if path.startswith("raw/")}
        more["paths"] |= {".llmwiki/state/projects.json", *folders}
    plan.gone = gone.with_more(**more)


def _change(wiki: Workspace, plan: _Plan, loaded: Wiki) -> None:
    gone = plan.gone
    removed = [*(r.path for r in plan.records.values()), *(wiki.raw_stems[stem] for stem in plan.sessions)]
    found = [Change(path, None, "forgotten") for path in removed]
    found += _pages(wiki, plan, loaded)
    found += _raw_pages(wiki, plan, loaded)
    found += _logs(wiki, plan)
    found += _state(wiki, plan, {change.path: change.text for change in found if change.text})
    stones = tombstones.added(wiki.read(tombstones.PATH), plan.marks, secrets.token_hex(16))
    found.append(Change(tombstones.PATH, stones, "what is kept out"))
    found.append(wiki.store.state_change(purge.STATE, {"asked": plan.asked, "gone": gone.dump()}))
    plan.changes = {change.path: change for change in found if wiki.read(change.path) != change.text}


def _pages(wiki: Workspace, plan: _Plan, loaded: Wiki) -> Iterator[Change]:
    """The records that stay, without what they say of the forgotten, and the index."""
    by_person = edited(wiki, loaded)
    for id, rest in sorted(plan.kept.items()):
        plan.kept[id] = now = erasure.unnamed(rest, plan.gone, id not in by_person)
        if now == loaded.records[id]:
            continue
        text = wiki.read(now.path) or ""
        yield Change(now.path, markdown.update(text, now), "without what is forgotten")

    def read(path: str) -> str | None:
        text = wiki.read(path)
        return erasure.unlinked(text, plan.gone, ours=False) if text else text

    kept = Wiki(plan.kept)
    yield from navigation.pages(kept, lambda name: templates.find(name, wiki.root), read, wiki.now, wiki.numbers)


def _raw_pages(wiki: Workspace, plan: _Plan, loaded: Wiki) -> Iterator[Change]:
    """Other sessions' pages without links to what goes. What their turns say is theirs: it is told, not touched."""
    naming = []
    for stem, path in wiki.raw_stems.items():
        text = wiki.raw(path) or ""
        if stem in plan.sessions or not plan.gone.named(text):
            continue
        now = rawpage.unlinked(text, plan.gone.names) if rawpage.head(text) else text
        if now != text:
            yield Change(path, now, "without what is forgotten")
        if plan.gone.named(now):
            naming.append(path)
    naming += [r.path for r in plan.kept.values() if plan.gone.named(markdown.render(r))]
    naming += [d.path for d in loaded.diagnostics if plan.gone.named(wiki.raw(d.path) or "")]
    if naming:
        plan.notes.append(f"look there yourself, other sessions or you still name it: {', '.join(sorted(naming))}")


def _logs(wiki: Workspace, plan: _Plan) -> Iterator[Change]:
    for path in sorted({navigation.LOG, *wiki.store.logs()}):
        text = erasure.log(wiki.read(path) or "", plan.gone)
        if path == navigation.LOG:
            counts = f"{len(plan.sessions)} sessions, {len(plan.records)} records"
            yield navigation.log_line(text, f"{stamp(wiki.now)} forget: {counts}")
        else:
            yield Change(path, text, "log")


def _state(wiki: Workspace, plan: _Plan, pages: Mapping[str, str]) -> Iterator[Change]:
    """What is remembered of sessions and pages, without those that go; `pages` are those that are written now."""
    keys = {f"{h['agent']}/{h['session']}" for h in plan.sessions.values()}
    if learned := wiki.state("learned"):
        sessions = {
            key: _lessons(one, plan.gone) for key, one in learned.get("sessions", {}).items() if key not in keys
        }
        written = _written(wiki, plan, pages, learned)
        yield wiki.store.state_change("learned", {**learned, "sessions": sessions, "written": written})
    if imported := wiki.state("imported"):
        files = {f: sha for f, sha in imported.get("files", {}).items() if not plan.gone.named(f"{f}@{sha}")}
        written = _written(wiki, plan, pages, imported)
        yield wiki.store.state_change("imported", {**imported, "files": files, "written": written})
    if uses := wiki.state("uses"):
        yield wiki.store.state_change("uses", reinforcing.without(uses, plan.gone.records, plan.sessions))
    waits = wiki.state("pending")
    yield wiki.store.state_change("pending", {key: one for key, one in waits.items() if key not in keys})
    last = wiki.state("sync")
    if failed := last.get("failed"):
        said = [one for one in failed if not plan.gone.named(f"{one.get('source')} {one.get('error')}")]
        yield wiki.store.state_change("sync", {**last, "failed": said})
    left = {str(h.get("project")) for h in plan.sessions.values()} | {plan.project}
    left -= {str(head.get("project")) for stem, head in plan.heads.items() if stem not in plan.sessions}
    projects = wiki.state("projects")
    yield wiki.store.state_change("projects", {name: root for name, root in projects.items() if name not in left})


def _written(wiki: Workspace, plan: _Plan, pages: Mapping[str, str], memory: Mapping[str, Any]) -> dict[str, str]:
    """What a command wrote on which page: our own pages stay our own."""
    written = {path: sha for path, sha in memory.get("written", {}).items() if path not in plan.gone.paths}
    ours = {p: page_hash(text) for p, text in pages.items() if written.get(p) == page_hash(wiki.read(p))}
    return written | ours


def _lessons(one: Mapping[str, Any], gone: Gone) -> dict[str, Any]:
    return {**one, "records": [id for id in one.get("records", ()) if id not in gone.records]}


# -- what is said


def _document(wiki: Workspace, plan: _Plan) -> dict[str, Any]:
    for note in plan.notes:
        wiki.notice(note)
    removed = sorted(path for path, change in plan.changes.items() if change.text is None and path.endswith(".md"))
    changed = sorted(
        path for path, c in plan.changes.items() if c.text is not None and path.endswith(".md") and wiki.read(path)
    )
    former = sorted(path for path in plan.gone.paths if path.endswith(".md"))

    def names(path: str, line: str) -> bool:
        return plan.gone.told(line) if is_log(path) else plan.gone.named(line)

    return {
        "removed": removed,
        "changed": changed,
        "sessions": sorted(plan.sessions),
        "records": sorted(plan.records),
        "sources": _sources(wiki, plan),
        "stays": sorted(path for stem, path in wiki.raw_stems.items() if stem in _taught(plan)),
        **commits.remembered(wiki.root, former, changed if former else (), names, plan.records),
    }


def _taught(plan: _Plan) -> set[str]:
    """The sessions that stay although a record that goes rests on them: their turns still say it."""
    stems = {stem_of(source.strip("[]").partition("#")[0]) for r in plan.records.values() for source in r.sources}
    return stems - plan.sessions.keys()


def _sources(wiki: Workspace, plan: _Plan) -> list[str]:
    """The files in the agents' own stores that hold the sessions, as the last sync remembers them."""
    return intake.paths_of(wiki.root, {str(head["session"]) for head in plan.sessions.values()})
