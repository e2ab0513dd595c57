"""The `sync` command: discovery, reading, raw pages in batches, then learning, ageing and the index.

Everything is one operation of the journal in several batches: a run that is killed keeps the batches that were done,
and the next run goes on from there. A source that fails costs that source.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki import adapters, cache, ingest, intake, pending, rawpage, sources, tombstones
from llmwiki.adapters import ownership
from llmwiki.adapters.base import Head
from llmwiki.batches import Buffer
from llmwiki.errors import WikiError
from llmwiki.intake import Read, Seen
from llmwiki.lifecycle import moment, stamp
from llmwiki.model import Change, Session, Source, stem_of
from llmwiki.navigation import CONTEXT, INDEX, log_line
from llmwiki.tally import Options, Report
from llmwiki.tombstones import Tombstones

if TYPE_CHECKING:
    from llmwiki.batches import Writing
    from llmwiki.workspace import Workspace


def sync(wiki: Workspace, options: Options) -> dict[str, Any]:
    """Carries out a sync; the promised document, with `waiting`, `projects` and `quarantine` beside it."""
    started = time.perf_counter()
    since = _since(options.since)
    if options.commit:
        from llmwiki import commits

        commits.check(wiki.root)
    with wiki.operation("sync", "sessions to pages and records", options.dry_run) as operation:
        run = _Run(wiki, operation, options, since)
        run.take_in()
        learned = pending.Learned()
        if options.synthesize and (due := run.due()):
            from llmwiki import learning

            learned = learning.learn(wiki, operation, due, progress=options.progress)
        aged = finish(wiki, operation, run, learned)
        run.tell_others()
    document = run.report.document() | {"records": learned.document(), "aged": aged, "waiting": pending.waiting(wiki)}
    document["quarantine"] = _quarantine(wiki, options)
    if options.commit and not options.dry_run:
        document["commit"] = commits.commit(wiki.root, learned.sentence(run.report.new, run.report.updated))
    return document | {"seconds": round(time.perf_counter() - started, 3)}


class _Nowhere:
    """Where a survey puts its pages: it only counts."""

    def apply(self, changes: Iterable[Change]) -> list[Change]:
        return []

    def settle(self) -> None: ...

    def flush(self) -> None: ...


def survey(wiki: Workspace, options: Options) -> dict[str, Any]:
    """What a sync would take in, by project: `{projects: {name: sessions}, new}`. Holds and writes nothing."""
    run = _Run(wiki, _Nowhere(), replace(options, dry_run=True), _since(options.since))
    run.buffer = _Nowhere()
    run.take_in()
    return {key: run.report.document()[key] for key in ("projects", "new")}


def finish(wiki: Workspace, operation: Writing, run: _Run, learned: Any) -> dict[str, int]:
    """What every sync ends with: age, navigation, a line in the log, the index. Returns how many aged, by kind."""
    from llmwiki import ageing, asking

    due = learned.changed or ageing.due(wiki)
    loaded = (learned.wiki or wiki.load()) if due else None
    aged = {}
    if loaded and (loaded.records or CONTEXT in (wiki.read(INDEX) or "")):
        plan = ageing.apply(wiki, operation, loaded)
        aged = {kind: n for kind, n in plan.counts.items() if n}
        learned.supersede(plan.superseded)
        if learned.changed:
            from llmwiki import evolving

            evolving.weekly(wiki, operation, loaded)
        operation.apply(wiki.navigation(["wiki/"]))  # a person's edits show there too
    changes = [*_memory(wiki, run)]
    if said := learned.sentence(run.report.new, run.report.updated):
        changes.append(log_line(wiki.read("wiki/log.md"), f"{stamp(wiki.now)} sync: {said}"))
    operation.apply(changes)
    indexed = asking.indexed(wiki)
    wanted = indexed is not None or any(wiki.store.pages())  # an empty wiki needs no index
    behind = due or (wanted and not indexed)
    if behind and not run.options.dry_run and (not wanted or asking.refresh(wiki)):
        ageing.remember_due(wiki)
    return aged


def _quarantine(wiki: Workspace, options: Options) -> dict[str, Any]:
    """What waits in quarantine: as it was last counted; counted anew in a dry run, and where nobody could note it."""
    known = cache.get(wiki.root, "due").get("quarantine")
    if known is not None and not options.dry_run:
        return dict(known)
    from llmwiki import ageing

    return ageing.quarantine(wiki.load())


def _memory(wiki: Workspace, run: _Run) -> list[Change]:
    """What `status` tells of the last sync that did something: when, and which sources failed."""
    before = wiki.state("sync").get("failed", [])
    failed = intake.still_failed(before, run.looked_at) + run.report.failed
    if not (run.report.new or run.report.updated) and before == failed:
        return []
    return [wiki.store.state_change("sync", {"at": stamp(wiki.now), "failed": failed})]


def _since(text: str) -> str:
    found = moment(text) if text else None
    if text and found is None:
        raise WikiError(f"--since {text!r} is no date; write it as 2026-03-01")
    return stamp(found) if found else ""


class _Run:
    """The first half of a sync: sources to raw pages."""

    def __init__(self, wiki: Workspace, operation: Writing, options: Options, since: str) -> None:
        self.wiki, self.operation, self.options = wiki, operation, options
        self.report = Report()
        self.seen = {} if options.force else intake.remembered(wiki.root, self._rules())
        self.projects: dict[str, str] = dict(wiki.state("projects"))
        self.named = dict(self.projects)
        self.pages = self._known_pages()
        self.families: dict[str, ownership.Ownership] = {}
        self.filter = intake.filter_of(wiki, options, since)
        self.buffer: Buffer | _Nowhere = Buffer(wiki, operation, self._describe)
        self.ended: dict[str, dict[str, str]] = {}
        self.links: list[tuple[str, str]] = []
        self.givers: dict[str, str] = {}
        self.twins: set[tuple[str, str]] = set()
        self.looked_at: set[str] | None = None
        self.forgotten = Tombstones(wiki.read(tombstones.PATH))

    def _rules(self) -> str:
        return repr((self.wiki.config.redact_rules, self.wiki.config.aliases))

    def tell_others(self) -> None:
        """Says how many sessions came in that are not of the wiki's own repository: a backup holds every project."""
        if not (n := self.report.others):
            return
        own = ingest.name_project(self.filter.repository, self.named, self.wiki.config.aliases)
        taken = "would be" if self.options.dry_run else "were"
        cure = f"`--project {own}` takes this repository's alone, and `llmwiki undo` takes the sync back"
        self.wiki.notice(f"{n} of the new sessions {taken} taken from other projects, as --source asks; {cure}")

    def _known_pages(self) -> dict[str, str]:
        """`agent/native id` -> path of its page, from the cache where it names every page that exists."""
        existing = set(self.wiki.raw_stems.values())
        known = {f"{_agent(s.page)}/{s.id}": s.page for s in self.seen.values() if s.page in existing}
        rest = pending.keyed(self.wiki, sorted(existing - set(known.values())))
        return known | {key: path for key, path, _ in rest}

    def take_in(self) -> None:
        """Every source becomes a page, or a count."""
        found = sources.find(self.wiki, self.options.agents, self.options.sources)
        self._report_barren(found)
        self.report.discovered += len(found.sources)
        if self.options.agents or self.options.sources or self.options.session:
            self.looked_at = {s.path for s in found.sources if not self.filter.before(s)} | set(self.options.sources)
        self.sayable = intake.sayable([s.path for s in found.sources], self.wiki.config.redact_rules)
        self.seen = intake.renamed(self.seen, {said: path for path, said in self.sayable.items()})
        self.kept = dict(self.seen)
        self._find_families(found.sources)
        counts = Counter((s.agent, s.key) for s in found.sources)
        self.twins = {key for key, n in counts.items() if n > 1}
        wanted = [s for s in found.sources if self._wanted(s)]
        reading = intake.read_all(
            ((s, self.families[s.agent].claims(s)) for s in wanted),
            frozenset(s.key for s in found.sources),
            self.wiki.config,
            str(Path.home()),
            self.options.jobs,
        )
        for done in range(1, len(wanted) + 1):
            self._take(next(reading))  # not bound to a name: a long session is gone before its page is written
            self.buffer.settle()
            if self.options.progress:
                self.options.progress("reading", done, len(wanted))
        self._link()
        self.buffer.flush()
        named = self.options.session
        report, met = self.report, self.report.skipped["ignored"]
        if named and not (report.new or report.updated or report.unchanged or report.failed or met):
            self.wiki.notice(f"no session is called {named!r}; give its id, or the start of it")
        self.wiki.forget_caches()
        self._remember()

    def _report_barren(self, found: sources.Found) -> None:
        for path, why in found.barren:
            if path in self.options.sources:
                self.report.discovered += 1
                self.report.failed.append({"source": path, "error": why})
            else:
                self.wiki.notice(f"{path}: {why}; `llmwiki agents` shows where sessions are looked for")

    def _find_families(self, found: Sequence[Source]) -> None:
        """Which sources may hold copies of each other's records, by their heads, most of them from the cache."""
        for name in sorted({s.agent for s in found}):
            adapter, mine = adapters.load(name), [s for s in found if s.agent == name]
            cached = {s.path: h for s in mine if (h := self._head(s))}
            heads = ownership.heads(adapter, mine, cached)
            self.families[name] = ownership.Ownership(adapter, mine, heads)
            for path, head in ((p, h) for p, h in heads.items() if p not in cached):
                known = self.kept.get(path) or Seen(-1, -1)
                self.kept[path] = replace(known, keys=head.keys, wanted=head.wanted, complete=head.complete)

    def _head(self, source: Source) -> Head | None:
        seen = self.seen.get(source.path)
        if seen is None or not (seen.complete or (seen.size, seen.mtime_ns) == (source.size, source.mtime_ns)):
            return None
        return Head(seen.keys, seen.wanted, True)

    def _wanted(self, source: Source) -> bool:
        """Whether a source has to be read; counts it when not."""
        if reason := self.filter.before(source):
            self.report.skipped[reason] += 1
            return False
        if self._forgotten(source.agent, source.key, source.parent, source.path):
            return False
        seen = self.seen.get(source.path)
        if seen is None or not seen.fits(source, self.families[source.agent].signature(source)):
            return True
        if seen.outcome:
            self.report.skipped[seen.outcome] += 1
            return False
        project = ingest.name_project(seen.root, self.named, self.wiki.config.aliases)
        if reason := self.filter.after(project, seen.root, seen.ended):
            self.report.skipped[reason] += 1
            return False
        if self.pages.get(f"{source.agent}/{seen.id}"):
            self.report.unchanged += 1
            return False
        return True

    def _forgotten(self, agent: str, native: str, parent: str, path: str) -> bool:
        """Whether a person wants this session forgotten, or the one that it came from. Counted then, and not even
        remembered: the path of a source names its session."""
        if not self.forgotten.session(agent, native, parent):
            return False
        self.report.skipped["ignored"] += 1
        self.kept.pop(path, None)
        if page := self.pages.get(f"{agent}/{native}"):
            stem = stem_of(page)
            self.wiki.notice(f"{stem} is forgotten and still has a page here; `llmwiki forget {stem}` removes it")
        return True

    def _take(self, result: Read) -> None:
        """One source that was read: counted, remembered, and turned into a page when it is wanted."""
        source, report = result.source, self.report
        report.bytes += result.bytes
        report.unknown.update(result.unknown)
        if result.error:
            report.failed.append({"source": self.sayable.get(source.path, source.path), "error": result.error})
            return
        report.bad_lines += result.bad_lines
        seen = replace(
            self.kept.get(source.path) or Seen(-1, -1),
            size=source.size,
            mtime_ns=source.mtime_ns,
            family=self.families[source.agent].signature(source),
            root=result.root,
            outcome=result.outcome,
        )
        if result.session is None:
            report.skipped[result.outcome] += 1
            self.kept[source.path] = seen
            return
        session = result.session
        if self._forgotten(session.agent, session.id, session.parent, source.path):
            return
        if known := [id for id in session.offered if self.forgotten.id(id)]:
            session = replace(session, offered=tuple(id for id in session.offered if id not in known))
        seen = replace(seen, id=session.id, ended=session.ended)
        project = ingest.name_project(result.root, self.named, self.wiki.config.aliases)
        if reason := self.filter.after(project, result.root, session.ended):
            report.skipped[reason] += 1
            self.kept[source.path] = seen
            return
        if self._is_copy(source, session):
            report.skipped["copy"] += 1
            self.kept[source.path] = replace(seen, outcome="copy")
            return
        self.named.setdefault(project, result.root)
        shrank = source.path in self.seen and source.size < self.seen[source.path].size
        before = report.new
        path = self._write(replace(session, project=project), shrank)
        report.others += report.new > before and not self.filter.ours(result.root)
        self.kept[source.path] = replace(seen, page=path)

    def _is_copy(self, source: Source, session: Session) -> bool:
        """Whether another file gives this session's page, and this one has no turn that it lacks (a backup, a sync
        tool's duplicate). The file that says more becomes the one that gives the page."""
        if (source.agent, source.key) not in self.twins:
            return False
        key = f"{session.agent}/{session.id}"
        giver = self.givers.get(key, source.path)
        text = self.wiki.raw(self.pages[key]) if key in self.pages else None
        before = {t.anchor for t in rawpage.parse(text).turns} if text and rawpage.head(text) else set()
        now = {t.anchor for t in session.turns}
        if now < before or (now == before and giver != source.path):
            return True
        self.givers[key] = source.path
        return False

    def _write(self, session: Session, shrank: bool) -> str:
        """Puts a session's page into the batch, carrying over the links that it has; the page's path."""
        key = f"{session.agent}/{session.id}"
        present = self.pages.get(key, "")
        old_text = self.wiki.raw(present) if present else None
        old = rawpage.parse(old_text) if old_text and rawpage.head(old_text) else None
        was = present
        if old:
            present, project = ingest.settled(present, old, session)
            offered = tuple(dict.fromkeys([*old.offered, *session.offered]))
            session = replace(session, project=project, children=old.children, parent_page=old.parent_page)
            session = replace(session, offered=offered)
        page = ingest.page(session, present, self._taken(session))
        text = rawpage.render(page.session)
        report = self.report
        if not ingest.grown(page.session, old, shrank):
            report.unchanged += 1
            return was
        report.projects[page.session.project] += 1
        if session.parent:
            self.links.append((page.path, f"{session.agent}/{session.parent}"))
        if text == old_text:
            report.unchanged += 1
            return page.path
        report.new, report.updated = report.new + (old is None), report.updated + (old is not None)
        report.turns += len(session.turns)
        report.prompts += session.prompts
        self.pages[key] = page.path
        self.ended[key] = {"raw": page.path, "ended": session.ended}
        moved = [Change(was, None, "its project is known now")] if was and was != page.path else []
        self.buffer.apply([*moved, Change(page.path, text, "a session" if old is None else "a session went on")])
        return page.path

    def _taken(self, session: Session) -> dict[str, str]:
        path = rawpage.path_for(session)
        text = self.wiki.raw(path)
        return {path: str(rawpage.head(text).get("session", ""))} if text else {}

    def _link(self) -> None:
        """Children and parents name each other's pages, whichever of them was written first."""
        children: dict[str, list[str]] = {}
        for path, parent in self.links:
            parent_path = self.pages.get(parent)
            if parent_path and parent_path != path:
                self._relink(path, parent=stem_of(parent_path))
                children.setdefault(parent_path, []).append(stem_of(path))
        for path, stems in sorted(children.items()):
            self._relink(path, children=stems)

    def _relink(self, path: str, parent: str = "", children: Iterable[str] = ()) -> None:
        text = self.wiki.raw(path)
        linked = rawpage.linked(text, parent, children) if text else None
        if linked and linked != text:
            self.buffer.apply([Change(path, linked, "linked to its parent" if parent else "linked to its children")])

    def _describe(self) -> Iterable[Change]:
        """What goes into a batch with its pages: that they wait to be learned from, and the names of projects."""
        if self.ended:
            yield self.wiki.store.state_change("pending", {**self.wiki.state("pending"), **self.ended})
        if self.named != self.projects:
            yield self.wiki.store.state_change("projects", self.named)

    def _remember(self) -> None:
        if not self.options.dry_run and self.kept != self.seen:
            kept = intake.renamed(self.kept, self.sayable)
            intake.remember(self.wiki.root, self._rules(), kept, self.wiki.config.redact_rules)

    def due(self) -> dict[str, str]:
        """Which sessions to learn from now: the named one, and what waits and is finished."""
        wanted = self.options.session
        named = {k: p for k, p in self.pages.items() if wanted and k.split("/", 1)[1].startswith(wanted)}
        return pending.ready(self.wiki, named)


def _agent(path: str) -> str:
    return path.split("/")[1] if path.startswith("raw/") and path.count("/") > 1 else ""
