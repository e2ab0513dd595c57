"""The `import` command: files that a person already has become records, one a statement, each citing its line.

A file becomes a raw page of agent `markdown` and kind `file`: one turn a heading or statement, its number the line of
the file. A page belongs to one text of a file (its native id ends in the text's hash), so what was cited stays as it
was when the file goes on: the new text gets a page of its own, and what is new in it is learned from there.

Records say where they come from in two keys of their own: `imported: <project>/<file>`, and `loaded: true` where an
agent loads the file by itself; those are found by `search` and stay out of blocks (`retrieve.Allowed`). Take the key
out of a page to let it speak. A statement that the file no longer has is archived, unless a person edited its page or a
session taught it too (then it only loses the two keys). What a person discarded or deleted stays away; a statement that
comes back to the file, and one that only age put aside, comes back to life.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from llmwiki import (
    ingest,
    intake,
    lifecycle,
    markdown,
    names,
    pending,
    rawpage,
    similar,
    synthesize,
    tombstones,
    verify,
)
from llmwiki import store_templates as templates
from llmwiki.adapters import documents
from llmwiki.adapters.documents import Document
from llmwiki.batches import Buffer
from llmwiki.errors import WikiError
from llmwiki.learning import Edited, page_hash
from llmwiki.lifecycle import stamp
from llmwiki.model import Change, Evidence, Record, Session, State, Turn, Wiki, stem_of
from llmwiki.navigation import log_line
from llmwiki.pending import given_way
from llmwiki.prose import folded
from llmwiki.related import Related
from llmwiki.schema import CONFIDENCE
from llmwiki.similar import Neighbours
from llmwiki.synthesizers import imported
from llmwiki.synthesizers.base import Drafts, Verdict
from llmwiki.synthesizers.statements import Statements, statements
from llmwiki.tombstones import Tombstones

if TYPE_CHECKING:
    from llmwiki.batches import Writing
    from llmwiki.workspace import Progress, Workspace

AGENT = "markdown"
EVERYWHERE = "home"  # the folder of raw pages that hold in every project
GONE = "no longer in "
SAYING = ("Rule", "Statement", "Said", "Evidence")


def take_in(
    wiki: Workspace, paths: Sequence[str], project: str, dry_run: bool, progress: Progress | None
) -> dict[str, Any]:
    """`{created: [id], refused: {reason: n}}`, with the `titles` of the created, `files`, `archived` and `restored`
    ids, `waiting` (how many of the created wait for a person, how many for their day), and `failed: [{source, error}]`.
    """
    from llmwiki import asking
    from llmwiki.root import at_home

    if not paths or not all(str(path).strip() for path in paths):  # "" would be the working folder
        raise WikiError("name what to import: llmwiki import CLAUDE.md docs/")
    ignored = intake.ignore_file(wiki.read(".llmwikiignore"))
    found = documents.find([at_home(path) for path in paths], wiki.root, ignored)
    with wiki.operation("import", "files to records", dry_run) as operation:
        run = _Run(wiki, operation, project)
        for done, document in enumerate(found.documents, 1):
            if not (ignored and ignored.match_file(run.project(document))):
                run.take(document)
            run.buffer.settle()
            if progress:
                progress("importing", done, len(found.documents))
        run.finish()
        if run.touched and not dry_run:
            asking.refresh(wiki)
    for name in found.left_out:
        wiki.notice(f"{wiki.redactor.text(name)[0]} was left out; name the file to import it")
    return run.document()


def project_of(wiki: Workspace, document: Document, named: dict[str, str]) -> str:
    """The project of a file, "" when it holds in every one. WikiError when only a person can say."""
    if slug := document.memory_of:
        root = next((root for root in sorted(named.values()) if documents.slug_of(root) == slug), "")
        if not root:
            raise WikiError("is the memory of a project that the wiki does not know; say which with --project")
        return ingest.name_project(root, named, wiki.config.aliases)
    return ingest.name_project(document.root, named, wiki.config.aliases) if document.root else ""


def session_of(document: Document, project: str, text: str, at: str, made: Statements) -> Session:
    """The raw page of one text of a file, before it is redacted: a turn for each heading and statement."""
    role = "user" if document.loaded and document.named else "system"
    turns: dict[tuple[int, int], Turn] = {}
    for statement in made.found:
        part = next(n for n in range(1, len(made.found) + 2) if (statement.line, n) not in turns)
        turns[statement.line, part] = Turn(statement.line, role, statement.text, at=at, part=part, origin="file")
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    key = f"{project or EVERYWHERE}/{document.name}"
    return Session(
        AGENT, f"{key}@{digest}", document.name, kind="file", project=project, started=at, ended=at,
        turns=tuple(turns.values()),
    )  # fmt: skip


@dataclass(slots=True)
class _Before:
    """What earlier pages of a file hold: their stems and the texts of their statements."""

    stems: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)


class _Run:
    """One import: file after file into the wiki."""

    def __init__(self, wiki: Workspace, operation: Writing, project: str) -> None:
        self.wiki, self.operation, self.asked = wiki, operation, rawpage.folder(project) if project else ""
        self.buffer = Buffer(wiki, operation, self._describe)
        self.loaded = wiki.load()
        self.near = Neighbours(self.loaded.records.values())
        self.merged: Neighbours | None = None
        self.ties: Related | None = None
        self.named: dict[str, str] = dict(wiki.state("projects"))
        self.forgotten = Tombstones(wiki.read(tombstones.PATH))
        self.memory = {"files": {}, "written": {}, **wiki.state("imported")}
        self.stored = {key: dict(value) for key, value in self.memory.items()}
        self.pages = {key: path for key, path, _ in pending.keyed(wiki, self._raw())}
        self.ours = frozenset(_own_statements(wiki))
        self.created: list[str] = []
        self.archived: list[str] = []
        self.restored: list[str] = []
        self.superseded: list[dict[str, str]] = []
        self.touched: list[str] = []
        self.failed: list[dict[str, str]] = []
        self.refused: Counter[str] = Counter()
        self.files = 0

    def _raw(self) -> list[str]:
        return [path for path in self.wiki.raw_stems.values() if path.startswith(f"raw/{AGENT}/")]

    def project(self, document: Document) -> str:
        """The project that a file's records hold in; "" for every one, and where it cannot be told."""
        try:
            return self.asked or project_of(self.wiki, document, self.named)
        except WikiError:
            return ""

    # One file

    def take(self, document: Document) -> None:
        """Learns from one file. What goes wrong with it is its own affair, and is told."""
        try:
            text, written = documents.read(document)
            project = self.asked or project_of(self.wiki, document, self.named)
        except WikiError as cause:
            source = self.wiki.redactor.text(str(document.path))[0]
            self.failed.append({"source": source, "error": str(cause)})
            return
        self.files += 1
        at = stamp(min(datetime.fromtimestamp(written, UTC), self.wiki.now))
        made = statements(text)
        self.refused.update(made.refused)
        session = ingest.prepare(session_of(document, project, text, at, made), self.wiki.redactor)
        if self.forgotten.session(AGENT, session.id):
            self.refused["discarded"] += len(session.turns)
            return
        self._learn(document, self._placed(session, document.name))
        if project and document.root and not self.asked:
            self.named.setdefault(project, document.root)

    def _placed(self, session: Session, name: str) -> Session:
        """The session with the stem of its page: the one it has, else one named after the file."""
        path = self.pages.get(f"{AGENT}/{session.id}")
        if path is None:
            day, slug = session.started[:10], rawpage.slug(self.wiki.redactor.text(name)[0])
            folder = rawpage.folder(session.project or EVERYWHERE)
            path = f"raw/{AGENT}/{folder}/{day}-{slug}-{rawpage.id8(session.id)}.md"
        return replace(session, stem=stem_of(path))

    def _learn(self, document: Document, session: Session) -> None:
        key = session.id.rpartition("@")[0]
        named = document.loaded and document.named
        found = imported.drafts(session, session.title, named, document.loaded, self.ours)
        self.refused.update(found.refused)
        marks = {"imported": key, **({"loaded": True} if document.loaded else {})}
        drafts = [replace(r, extra=marks) for r in found.records]
        changed = self.memory["files"].get(key) != session.id.rpartition("@")[2]
        if changed:
            self._withdraw(key, drafts, session.title)
        before = self._before(key)
        mine = {_said(r): r for r in sorted(self._of(key), key=lambda r: r.state is not State.ARCHIVED)}
        fresh = [r for r in drafts if self._new(r, mine.get(_said(r)), _text(r, session) in before.texts)]
        scope = "user" if document.name.lower().endswith("claude.local.md") or not document.root else ""
        self._merge(fresh, session, scope or self.wiki.config.scope)
        if changed and self._of(key):
            self.memory["files"][key] = session.id.rpartition("@")[2]

    def _of(self, key: str) -> list[Record]:
        """The records of a file that nobody wrote by hand."""
        known = self.loaded.records.values()
        return [r for r in known if r.extra.get("imported") == key and not r.handwritten]

    def _before(self, key: str) -> _Before:
        out = _Before()
        for known, path in self.pages.items():
            if known.rpartition("@")[0] == f"{AGENT}/{key}" and (page := self.wiki.session(stem_of(path))):
                out.stems.add(page.stem)
                out.texts |= {folded(turn.text) for turn in page.turns}
        return out

    def _new(self, record: Record, mine: Record | None, seen: bool) -> bool:
        """Whether a statement is to become a record; counted, or its record brought back to life, when not. `mine` is
        the record that this file gave for it, `seen` whether an earlier text of the file had it."""
        twin = mine or self._twin(record)
        if mine and (mine.state is State.STALE or (mine.state is State.ARCHIVED and _put_aside(mine))):
            if mine.id not in self.restored:
                self._restore(mine)
        elif twin and twin.state is not State.ARCHIVED:
            self.refused["known"] += 1
        elif (twin and not _put_aside(twin)) or seen:
            self.refused["discarded"] += 1  # with a reason, or by removing its page
        else:
            return True
        return False

    def _twin(self, record: Record) -> Record | None:
        """The record that says what this one says, with every name, path and command that is in it."""
        twin = self.near.same(record, self.loaded.records)
        return twin if twin and _holds(twin, record) else None

    def _merge(self, fresh: Sequence[Record], session: Session, scope: str) -> None:
        """Writes what is new, and the page that it cites."""
        kept: dict[str, Record] = {}
        within = Neighbours()
        for record in fresh:
            twin = within.same(record, kept)
            if twin and _holds(twin, record):
                self.refused["known"] += 1
            else:
                kept[f"{record.id}{len(kept)}"] = record
                within.add(replace(record, id=f"{record.id}{len(kept) - 1}"))
        if not kept:
            return
        known = self.loaded.records
        done = synthesize.merge(
            Drafts(tuple(kept.values())), self.loaded, session, Verdict(), self.wiki.now, self.wiki.config, scope, (),
            self._edited(), self.wiki.read, self.merged, self.ties, self.forgotten.lesson,
        )  # fmt: skip
        self.merged, self.ties, self.loaded = done.near, done.related, done.wiki
        self.refused.update(done.counts["refused"])
        self.superseded += map(given_way, done.superseded)
        new = sorted(done.wiki.records.keys() - known.keys())
        for name in new:
            self.near.add(done.wiki.records[name])
        self.created += new
        changes = list(done.changes)
        if new and f"{AGENT}/{session.id}" not in self.pages:
            path = f"raw/{AGENT}/{rawpage.folder(session.project or EVERYWHERE)}/{session.stem}.md"
            self.pages[f"{AGENT}/{session.id}"] = path
            changes.append(Change(path, rawpage.render(session), "an imported file"))
        self._apply(changes)

    # What was imported before

    def _edited(self) -> Edited:
        written = self.wiki.state("learned").get("written", {})
        return Edited(self.wiki, self.loaded, self.memory["written"], written)

    def _restore(self, record: Record) -> None:
        """The file still says it: what age or an earlier text of the file put aside speaks again."""
        waits = record.evidence is not Evidence.USER_SAID
        again = lifecycle.reinforced(record, self.wiki.now, CONFIDENCE[record.evidence], self.wiki.numbers)
        until = stamp(self.wiki.now + lifecycle.DAY) if waits else ""
        state = State.QUARANTINED if waits else State.ACTIVE
        path = record.path.replace("wiki/archive/", "wiki/", 1)
        self._rewrite(record, replace(again, state=state, quarantine_until=until, reason="", path=path))
        self.restored.append(record.id)

    def _withdraw(self, key: str, drafts: Sequence[Record], name: str) -> None:
        """Archives what the file no longer says."""
        said, quoted = {_said(r) for r in drafts}, {_said(r)[-1] for r in drafts}
        edited = self._edited()
        for record in self._of(key):
            if record.state is State.ARCHIVED or _said(record) in said:
                continue
            if record.id in edited:
                if _said(record)[-1] not in quoted:
                    self.wiki.notice(f"{record.id} is {GONE}{name}; its page was edited, so it stays")
            elif len(record.sources) > 1:
                kept = {k: v for k, v in record.extra.items() if k not in ("imported", "loaded")}
                self._rewrite(record, replace(record, extra=kept))
            else:
                gone = replace(
                    record, state=State.ARCHIVED, reason=f"{GONE}{name}", path=names.archived_path(record.path)
                )
                self._rewrite(record, gone)
                self.archived.append(record.id)

    def _rewrite(self, old: Record, new: Record) -> None:
        page = markdown.update(self.wiki.read(old.path) or markdown.render(old), replace(new, path=old.path))
        moved = [Change(old.path, None, "moved")] if new.path != old.path else []
        why = f"{new.reason or 'imported again'}: {new.title}"
        self.loaded = Wiki({**self.loaded.records, new.id: new}, self.loaded.diagnostics)
        self._apply([*moved, Change(new.path, page, why)])

    # Writing

    def _apply(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self.memory["written"].pop(change.path, None)
            if change.path.startswith("wiki/"):
                self.touched.append(change.path)
                if change.text is not None:
                    self.memory["written"][change.path] = page_hash(change.text)
        self.buffer.apply(changes)

    def _describe(self) -> Iterator[Change]:
        if self.memory != self.stored:
            yield self.wiki.store.state_change("imported", self.memory)
        if self.created and self.named != self.wiki.state("projects"):
            yield self.wiki.store.state_change("projects", self.named)

    def finish(self) -> None:
        """The rest of the batch, navigation, and one line in the log."""
        self.buffer.flush()
        self.wiki.forget_caches()
        if not self.touched:
            return
        counts = ((self.created, "new"), (self.archived, "withdrawn"), (self.restored, "restored"))
        said = ", ".join(f"{len(ids)} {what} record{'' if len(ids) == 1 else 's'}" for ids, what in counts if ids)
        log = log_line(
            self.wiki.read("wiki/log.md"), f"{stamp(self.wiki.now)} import: {said or 'pages brought up to date'}"
        )
        self.operation.apply([*self.wiki.navigation(self.touched), log])

    def document(self) -> dict[str, Any]:
        records = [self.loaded.records[name] for name in self.created]
        waiting = [r for r in records if r.state is State.QUARANTINED]
        person = sum(r.quarantine_until is None for r in waiting)
        return {
            "created": self.created,
            "titles": [record.title for record in records],
            "refused": {reason: n for reason, n in sorted(self.refused.items()) if n},
            "files": self.files,
            "archived": self.archived,
            "restored": self.restored,
            "superseded": self.superseded,
            "waiting": {"you": person, "release": len(waiting) - person},
            "silent": sum(bool(r.extra.get("loaded")) for r in records),
            "failed": self.failed,
        }


def _put_aside(record: Record) -> bool:
    """Whether age archived a record, or a file that no longer said it: no person discarded it."""
    return record.reason in lifecycle.AGED or record.reason.startswith(GONE)


def _said(record: Record) -> tuple[str, ...]:
    """The words of a record, the quotation last: what tells one statement of a file from another."""
    lines = [c.text for c in markdown.claims(record.body) if c.section in SAYING]
    return tuple(lines) or ("",)


def _text(record: Record, session: Session) -> str:
    """The statement that a draft was made of, as it stands in the file."""
    anchor = next(c.anchor for claim in markdown.claims(record.body) for c in claim.cites)
    return next((folded(t.text) for t in session.turns if t.anchor == anchor), "")


def _holds(twin: Record, record: Record) -> bool:
    """Whether a record holds every name, path, number and command of another one's first line, and its other words."""
    there = " ".join(folded(markdown.plain(twin.body)).split()).casefold()
    named = all(token.casefold() in there for token in verify.tokens(_said(record)[0]))
    return named and not similar.adds(twin, record)


def _own_statements(wiki: Workspace) -> Iterator[str]:
    """What `init` wrote into `AGENTS.md` and `CLAUDE.md`: told to agents by us, and no memory of anybody."""
    for name in ("AGENTS.md.j2", "CLAUDE.md.j2"):
        for statement in statements(templates.find(name, wiki.root)).found:
            yield folded(statement.text)
