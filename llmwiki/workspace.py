"""The Python door: a wiki, and one method a command. Each loads, asks a step, and applies what the step wants.

Methods return the document that the command promises with `--json`. What is only said (warnings, cures) is collected
in `notices`, one sentence each.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki import clock, given, rawpage, root
from llmwiki.batches import Dry, Writing, laid_over
from llmwiki.errors import WikiError
from llmwiki.lifecycle import Numbers
from llmwiki.model import Block, Change, Config, Diagnostic, Hit, Reader, Session, Turn, Wiki, stem_of
from llmwiki.navigation import LOG, rolled
from llmwiki.schema import LIFECYCLE
from llmwiki.store import Store

if TYPE_CHECKING:
    from llmwiki.redact import Redactor

Progress = Callable[[str, int, int], None]
SETTINGS = "llmwiki.toml"


def said(d: Diagnostic) -> str:
    """Where something is wrong and what, in one line."""
    return f"{d.path}:{d.line}: {d.message}" if d.line else f"{d.path}: {d.message}"


class Workspace:
    """One wiki on the disk. Cheap to open: settings and pages are read when a method needs them."""

    def __init__(self, folder: str | Path, wait: float | None = None) -> None:
        self.store = Store(folder) if wait is None else Store(folder, wait)
        self.notices = self.store.notices
        self.overlay: dict[str, str | None] = {}
        self._sessions: dict[str, Session] = {}

    @property
    def root(self) -> Path:
        return self.store.root

    @classmethod
    def open(cls, path: str | Path) -> Workspace:
        """The wiki in `path`. WikiError when there is none."""
        return cls(root.find_root(given.path("the folder of a wiki", path), os.environ, Path.cwd()))

    @classmethod
    def find(cls, explicit: str | Path | None = None) -> Workspace:
        """The wiki that is meant: named, of the environment, above the working folder, or the default one."""
        return cls(root.find_root(explicit, os.environ, Path.cwd()))

    @staticmethod
    def init(directory: str | Path, **options: Any) -> dict[str, Any]:
        """Makes a wiki in `directory`: `{root, created: [path]}`, and `lines` to add to a `CLAUDE.md` that exists."""
        from llmwiki import founding

        return founding.init(Path(directory), **options)

    # What every method needs

    @cached_property
    def settings(self) -> tuple[Config, tuple[Diagnostic, ...]]:
        """The settings, and what is wrong with their file."""
        from llmwiki import config

        parsed = config.parse(self.read(SETTINGS) or "", SETTINGS)
        for d in parsed[1]:
            self.notice(said(d))
        return parsed

    @property
    def config(self) -> Config:
        return self.settings[0]

    @property
    def numbers(self) -> Numbers:
        """The numbers of the domain, with what the settings change."""
        return {**LIFECYCLE, **self.config.lifecycle}

    @cached_property
    def redactor(self) -> Redactor:
        """Takes secrets, the home folder and its owner's name out of what a person tells."""
        from llmwiki.redact import Redactor

        home = Path.home()
        return Redactor(self.config.redact_rules, home=str(home), user=home.name)

    @cached_property
    def now(self) -> datetime:
        """One clock for one workspace: everything that a command does happens at one moment."""
        return clock.now()

    def read(self, path: str) -> str | None:
        """A file's exact text, as a dry run would have left it; None when there is none."""
        return self.overlay[path] if path in self.overlay else self.store.read(path)

    def state(self, name: str) -> dict[str, Any]:
        """Local memory that is not derived (what waits, what failed), as a dry run would have left it."""
        text = self.overlay.get(f".llmwiki/state/{name}.json")
        return dict(json.loads(text)) if text else self.store.state_get(name)

    def load(self) -> Wiki:
        """Every record, as a dry run would have left it. Pages that could not be read are named in `notices`."""
        wiki = self.store.load()
        for d in wiki.diagnostics:
            self.notice(said(d))
        laid = {path: text for path, text in self.overlay.items() if path.startswith("wiki/")}
        return laid_over(wiki, laid) if laid else wiki

    def notice(self, sentence: str) -> None:
        if sentence not in self.notices:
            self.notices.append(sentence)

    @contextmanager
    def operation(self, name: str, why: str = "", dry_run: bool = False) -> Iterator[Writing]:
        """Where Changes go. Says what an unfinished writer left, and that the clock is replaced."""
        if dry_run:
            yield Dry(self)
            return
        if clock.is_replaced():
            self.notice(f"the clock is replaced: LLMWIKI_NOW={os.environ.get('LLMWIKI_NOW', '')}")
        with self.store.lock(name) as recovered:
            self.notices += recovered
            with self.store.operation(name, why) as operation:
                yield operation
                if operation.began:
                    operation.apply(rolled(self.read(LOG), self.read))

    # Raw pages

    def raw(self, path: str) -> str | None:
        """The text of a raw page; bytes that are no UTF-8 are replacement characters, None when there is no page.

        A foreign file or a broken disk under `raw/` costs what it broke, and never a sync.
        """
        return self.overlay[path] if path in self.overlay else self.store.read(path, "replace")

    def session(self, stem: str) -> Session | None:
        """The session of a raw page by its stem, None when the page is not on this machine or is none."""
        if stem not in self._sessions:
            path = self.raw_stems.get(stem)
            text = self.raw(path) if path else None
            try:
                found = rawpage.parse(text, stem) if text else None
            except ValueError:
                found = None
            if len(self._sessions) >= 2:
                self._sessions.pop(next(iter(self._sessions)))
            self._sessions[stem] = found  # type: ignore[assignment]
        return self._sessions[stem]

    def turn(self, stem: str, anchor: str) -> Turn | None:
        """One turn of a raw page; None when the page or the turn is not there."""
        session = self.session(stem)
        return next((t for t in session.turns if t.anchor == anchor), None) if session else None

    @cached_property
    def raw_stems(self) -> dict[str, str]:
        """Stem -> path of every raw page."""
        paths = {*self.store.raw_pages(), *(p for p, text in self.overlay.items() if p.startswith("raw/") and text)}
        return {stem_of(path): path for path in sorted(paths)}

    def find_session(self, name: str) -> str:
        """The stem of the raw page that a person means: a stem, a native id, or the start of one.

        What begins a session's id begins those of its subagents (`<session>/<agent>`) too: the session is meant.
        WikiError when it is none, or more than one.
        """
        if name in self.raw_stems:
            return name
        found = {}
        for stem, path in self.raw_stems.items():
            native = str(rawpage.head(self.raw(path) or "").get("session", ""))
            if native == name:
                return stem
            if name and (native.startswith(name) or stem.endswith(name)):
                found[stem] = native
        main = [s for s, native in found.items() if not any(native.startswith(f"{n}/") for n in found.values())]
        if len(main) == 1:
            return main[0]
        what = "is the start of several sessions" if found else "is no session of this wiki"
        raise WikiError(f"{name!r} {what}; `llmwiki search --raw WORDS` finds sessions")

    def navigation(self, paths: Iterable[str]) -> list[Change]:
        """Index and folders as they must be once the pages of `paths` are written; nothing when they show none."""
        from llmwiki import founding

        return founding.navigation(self, paths)

    def forget_caches(self) -> None:
        """After raw pages were written: what was read of them may be old."""
        self._sessions.clear()
        self.__dict__.pop("raw_stems", None)

    # Commands, in the order of a day

    def sync(self, **options: Any) -> dict[str, Any]:
        """Finds sessions, writes raw pages, learns from what is finished, ages, indexes. See `tally.Options`."""
        from llmwiki import syncing, tally

        return syncing.sync(self, tally.Options(**options))

    def survey(self, **options: Any) -> dict[str, Any]:
        """What a sync with these options would take in, by project, without writing or keeping anything."""
        from llmwiki import syncing, tally

        return syncing.survey(self, tally.Options(**options))

    def agents(self) -> list[dict[str, Any]]:
        """Every adapter: where it looks, what it found, how old the oldest file is."""
        from llmwiki import sources

        return sources.agents(self)

    def synthesize(
        self, sessions: Sequence[str] = (), backend: str = "", dry_run: bool = False, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Raw pages to records: the named sessions, else everything that waits and is finished."""
        from llmwiki import learning

        return learning.synthesize(self, sessions, backend, dry_run, progress)

    def pending(self) -> list[dict[str, Any]]:
        """What waits to be synthesized: `[{session, raw, ended, until, ready}]`."""
        from llmwiki import pending

        return pending.waiting(self)

    def estimate(self, sessions: Sequence[str] = (), backend: str = "") -> dict[str, Any]:
        """What synthesizing would cost: `{sessions, turns, tokens, backend}`."""
        from llmwiki import learning

        return learning.estimate(self, sessions, backend)

    def complete(self, session: str, text: str, dry_run: bool = False) -> dict[str, Any]:
        """Takes in what a delegated agent answered for a session."""
        from llmwiki import learning

        return learning.complete(self, session, text, dry_run)

    def remember(
        self, text: str, type: str = "preference", project: str | None = None, scope: str = "", dry_run: bool = False
    ) -> dict[str, Any]:
        """A person tells the wiki something: one page, active, user-said."""
        from llmwiki import telling

        return telling.remember(self, text, type, project, scope, dry_run)

    def import_(
        self, paths: Sequence[str], project: str = "", dry_run: bool = False, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Files that a person has become records: `{created: [id], refused: {reason: n}}` and more."""
        from llmwiki import importing

        return importing.take_in(self, paths, project, dry_run, progress)

    def feedback(self, session: str, score: float, note: str = "", dry_run: bool = False) -> dict[str, Any]:
        """A person's word on a session; it outranks every other evidence."""
        from llmwiki import telling

        return telling.feedback(self, session, score, note, dry_run)

    def context(self, task: str, **options: Any) -> Block:
        """The memory block for a task; empty when nothing is relevant. See `asking.context`."""
        from llmwiki import asking

        return asking.context(self, task, **options)

    def search(self, query: str, **options: Any) -> list[Hit]:
        """Ranked records, retrievable ones only unless asked otherwise. See `asking.search`."""
        from llmwiki import asking

        return asking.search(self, query, **options)

    def search_raw(self, query: str, limit: int | None = 10, project: str = "") -> list[dict[str, Any]]:
        """Ranked turns of raw pages: `[{raw, turn, role, at, score, snippet}]`."""
        from llmwiki import asking

        return asking.search_raw(self, query, limit, project)

    def show(self, name: str) -> dict[str, Any]:
        """A record with its provenance: `{record, sources: [{raw, turn, quote}]}`."""
        from llmwiki import reports

        return reports.show(self, name)

    def why(self, name: str) -> dict[str, Any]:
        """Every event that made a record's confidence and state what they are."""
        from llmwiki import reports

        return reports.why(self, name)

    def graph(self, name: str = "", depth: int = 1, everything: bool = False) -> dict[str, Any]:
        """The link graph, or what is around one record: `{nodes: [{id, …}], edges: [{source, target, kind}]}`."""
        from llmwiki import graphs

        return graphs.shown(self, name, depth, everything)

    def verify(self, names: Sequence[str] = ()) -> dict[str, Any]:
        """Each claim against the turns that it cites."""
        from llmwiki import reports

        return reports.verify_all(self, list(names))

    def waiting(self, project: str = "") -> list[dict[str, Any]]:
        """What waits for a person, most urgent first: `[{id, type, title, state, reason, age_days, sources, path}]`."""
        from llmwiki import reviewing

        return reviewing.waiting(self, project)

    def waiting_page(self, path: str) -> dict[str, Any] | None:
        """A waiting record for reading, with the turns that it cites; None when it waits no longer."""
        from llmwiki import reviewing

        return reviewing.page(self, path)

    def alike(self, id: str) -> list[dict[str, str]]:
        """Pages that a record may be merged into, the likeliest first: `[{id, title}]`."""
        from llmwiki import reviewing

        return reviewing.alike(self, id)

    def review(self, action: str, ids: Sequence[str] = (), **options: Any) -> dict[str, Any]:
        """A person's decision: promote, discard, merge, archive or restore. See `reviewing.act`."""
        from llmwiki import reviewing

        return reviewing.act(self, action, ids, **options)

    def lint(self, **options: Any) -> dict[str, Any]:
        """What is wrong, and how much each rule examined: `{diagnostics, checked}`. See `linting.lint`."""
        from llmwiki import linting

        return linting.lint(self, **options)

    def decay(self, yes: bool = False, dry_run: bool = False) -> dict[str, Any]:
        """Applies age: `{released, staled, archived, expired, unchanged, held}`."""
        from llmwiki import ageing

        return ageing.decay(self, yes, dry_run)

    def evolve(self, **options: Any) -> dict[str, Any]:
        """Merges near-duplicates, proposes what recurs and variants of skills. See `evolving.evolve`."""
        from llmwiki import evolving

        return evolving.evolve(self, **options)

    def status(self) -> dict[str, Any]:
        """Counts by type and state, what waits, what failed, what memory earned."""
        from llmwiki import reports

        return reports.status(self)

    def doctor(self) -> dict[str, Any]:
        """What is wrong with the set-up, and how to mend it: `{checks: [{name, ok, message, cure}]}`."""
        from llmwiki import checkup

        return checkup.doctor(self)

    def index(self, rebuild: bool = False, progress: Progress | None = None, dry_run: bool = False) -> dict[str, Any]:
        """Makes the derived index again: `{pages, added, updated, removed, seconds}`."""
        from llmwiki import asking

        return asking.planned(self, rebuild) if dry_run else asking.index(self, rebuild, progress)

    def undo(self, n: int = 1, redo: bool = False, dry_run: bool = False) -> dict[str, Any]:
        """Takes back the last `n` operations: `{reverted: [{op, paths}], kept: [path]}`."""
        from llmwiki import telling

        return telling.undo(self, n, redo, dry_run)

    def forget(self, name: str = "", project: str = "", dry_run: bool = False) -> dict[str, Any]:
        """Removes a session, a record or a project for good: `{removed: [path]}`. See `forgetting.forget`."""
        from llmwiki import forgetting

        return forgetting.forget(self, name, project, dry_run)

    def diff(self, revision: str = "HEAD") -> dict[str, Any]:
        """What memory gained and lost since a commit: `{learned, withdrawn: [{id, reason}], changed}`."""
        from llmwiki import reports

        return reports.diff(self, revision)

    def reader(self, project: str | None = None, scope: str = "") -> Reader:
        """Who is asking: on a person's own machine every scope may be seen, unless one is named."""
        scopes = frozenset({scope}) if scope else Reader().scopes
        return Reader(project or "", scopes)
