"""Raw pages to records: one session after the other into the wiki.

`state/learned.json` keeps, for each session, which records it gave, and for each record page the hash of what we wrote,
so that a person's edit is seen and never written over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from llmwiki import evaluate, prose, rawpage, registry, store_templates, synthesizers, tombstones
from llmwiki import synthesize as step
from llmwiki.batches import Buffer
from llmwiki.errors import WikiError
from llmwiki.lifecycle import stamp
from llmwiki.model import Change, Record, RecordType, Session, Wiki, stem_of
from llmwiki.pending import Learned, keyed, pending, ready
from llmwiki.reinforcing import Reinforcer
from llmwiki.synthesizers.base import Verdict
from llmwiki.tombstones import Tombstones

if TYPE_CHECKING:
    from llmwiki.batches import Writing
    from llmwiki.workspace import Progress, Workspace


class Edited:
    """The ids of records that a person changed since we wrote them, looked up one by one: `written` are tables of page
    and the hash of what a command wrote there."""

    def __init__(self, wiki: Workspace, loaded: Wiki, *written: Mapping[str, str]) -> None:
        self._wiki, self._loaded, self._written = wiki, loaded, written

    def __contains__(self, name: object) -> bool:
        record = self._loaded.records.get(str(name))
        if record is None:
            return False
        known = {table[record.path] for table in self._written if record.path in table}
        return record.handwritten or page_hash(self._wiki.read(record.path)) not in known


def edited(wiki: Workspace, loaded: Wiki) -> Container[str]:
    """The ids of the records that a person wrote, or changed since any command wrote them."""
    return Edited(wiki, loaded, *(wiki.state(name).get("written", {}) for name in ("learned", "imported")))


def page_hash(text: str | None) -> str:
    """What tells one text of a page from another."""
    return hashlib.sha256((text or "").encode("utf-8", "replace")).hexdigest()[:16]


# -- learning


class Learner:
    """Learns from one session after the other, in batches: a killed run keeps what it learned."""

    def __init__(self, wiki: Workspace, operation: Writing) -> None:
        self.wiki = wiki
        self.out = Learned(wiki=wiki.load())
        self.buffer = Buffer(wiki, operation, self._describe)
        self._memory = {"sessions": {}, "written": {}, **wiki.state("learned")}
        self._imported = wiki.state("imported").get("written", {})
        self._pending = pending(wiki)
        self._touched = False
        self._near: Any = None
        self._ties: Any = None
        self._forgotten = Tombstones(wiki.read(tombstones.PATH))
        self._uses = Reinforcer(wiki)

    def _describe(self) -> Iterator[Change]:
        if self._touched:
            yield self.wiki.store.state_change("learned", self._memory)
            yield self.wiki.store.state_change("pending", self._pending)
        if self._uses.touched:
            yield self.wiki.store.state_change("uses", self._uses.memory)

    def learn(self, keys: Mapping[str, str], backend: str = "", progress: Progress | None = None) -> Learned:
        """Learns from sessions, given as key -> raw page, in their order."""
        name = backend or self.wiki.config.llm_backend
        if not keys or name == "delegated":
            return self.out  # the agent's answers come in through `synthesize --complete`
        part = registry.load("synthesizers", synthesizers.SYNTHESIZERS, name)
        ask = part.asker(self.wiki.config) if hasattr(part, "asker") else None
        try:
            for done, (key, path) in enumerate(keys.items(), 1):
                self._one(key, path, part, ask)
                self.buffer.settle()
                if progress:
                    progress("learning", done, len(keys))
        finally:  # a model that went away takes nothing with it that was learned before
            self.buffer.flush()
        return self.out

    def _one(self, key: str, path: str, part: Any, ask: Any) -> None:
        session = _session(self.wiki, path)
        if session is None or self._forgotten.session(session.agent, session.id, session.parent):
            self._done(key)
            return
        try:
            verdict = _verdict(self._loaded, session)
            self.absorb(key, session, verdict, part.synthesize(session, verdict, ask))
        except WikiError:
            raise
        except Exception as cause:
            # A bug of ours costs this session its lessons for now, not every other session of theirs.
            what = f"{type(cause).__name__}: {cause}"
            self.wiki.notice(f"nothing was learned from {session.stem} ({what}); it waits, please report this")

    @property
    def _loaded(self) -> Wiki:
        return self.out.wiki or Wiki()

    def _done(self, key: str) -> None:
        self._touched = True
        self._pending.pop(key, None)

    def absorb(self, key: str, session: Session, verdict: Any, drafts: Any, whole: bool = True) -> None:
        """Merges the drafts of one session into the wiki, and remembers what it gave.

        `whole`: these are all its lessons, so that what it gave before and does not give now is taken back.
        """
        sessions, written = self._memory["sessions"], self._memory["written"]
        session, before = self._uses.offered(session), self._loaded.records
        provisional = tuple(sessions.get(key, {}).get("records", ())) if whole else ()
        edited = Edited(self.wiki, self._loaded, written, self._imported)
        config = self.wiki.config
        outcome = step.merge(
            drafts,
            self._loaded,
            session,
            verdict,
            self.wiki.now,
            config,
            config.scope,
            provisional,
            edited,
            self.wiki.read,
            self._near,
            self._ties,
            self._forgotten.lesson,
        )
        self._near, self._ties = outcome.near, outcome.related
        for change in outcome.changes:
            written.pop(change.path, None)
            if change.text is not None:
                written[change.path] = page_hash(change.text)
        self.buffer.apply(outcome.changes)
        self.out.wiki = self._reinforce(before, outcome.wiki, session, verdict)
        sessions[key] = {"records": sorted(outcome.records)}
        self._touched = True
        if whole:
            self._done(key)
        self.out.sessions += 1
        self.out.add(outcome.counts, outcome.changes)
        self.out.supersede(outcome.superseded, outcome.wiki.records)

    def _reinforce(self, before: Mapping[str, Record], loaded: Wiki, session: Session, verdict: Verdict) -> Wiki:
        """Counts what the session used. A page that a person edited stays theirs, whatever is counted on it."""
        changes, after = self._uses.count(before, loaded, session, verdict)
        written = self._memory["written"]
        ours = [c.path for c in changes if written.get(c.path) == page_hash(self.wiki.read(c.path))]
        self.buffer.apply(changes)
        written.update({c.path: page_hash(c.text) for c in changes if c.path in ours})
        self.out.paths += [c.path for c in changes]
        return replace(loaded, records=after.records)


def learn(
    wiki: Workspace,
    operation: Writing,
    keys: Mapping[str, str],
    backend: str = "",
    progress: Progress | None = None,
) -> Learned:
    """What a run over these sessions learned; nothing is loaded when there are none."""
    return Learner(wiki, operation).learn(keys, backend, progress) if keys else Learned()


def _session(wiki: Workspace, path: str) -> Session | None:
    return wiki.session(stem_of(path)) if path else None


def _verdict(loaded: Wiki, session: Session) -> Verdict:
    """How a session ended: what a person said of it before, with their note, else what the session itself tells."""
    link = f"[[{session.stem}]]"
    traces = (r for r in loaded.records.values() if r.type is RecordType.TRACE and link in r.sources)
    judged = next((t for t in traces if t.score_by == "feedback"), None)
    if judged is None:
        return evaluate.evaluate(session)
    said = [prose.plain(c.text) for c in prose.claims(judged.body) if c.section == "Outcome" and not c.cites]
    return evaluate.evaluate(session, feedback=judged.score, note=said[1] if len(said) > 1 else "")


# -- commands


def synthesize(
    wiki: Workspace, names: Sequence[str], backend: str, dry_run: bool, progress: Progress | None
) -> dict[str, Any]:
    """`{sessions, records: {…}, pending}`, and `requests` (stem -> prompt) where an agent is to do the reading."""
    from llmwiki import ageing, asking

    if (backend or wiki.config.llm_backend) == "delegated":
        keys = _named(wiki, names) if names else ready(wiki)
        requests = {stem_of(path): request(wiki, stem_of(path)) for path in keys.values()}
        return {"sessions": 0, "records": Learned().document(), "pending": len(pending(wiki)), "requests": requests}

    with wiki.operation("synthesize", "raw pages to records", dry_run) as operation:
        learned = learn(wiki, operation, _named(wiki, names) if names else ready(wiki), backend, progress)
        if learned.changed:
            learned.supersede(ageing.apply(wiki, operation, learned.wiki or wiki.load()).superseded)
            operation.apply(_log(wiki, learned))
        operation.apply(wiki.navigation(["wiki/"]))  # a run that was killed may have left it behind
        if learned.changed and not dry_run:
            asking.refresh(wiki)
    return {"sessions": learned.sessions, "records": learned.document(), "pending": len(pending(wiki))}


def request(wiki: Workspace, name: str) -> str:
    """The prompt that tells the agent which raw page to read, and what to hand in with `synthesize --complete`."""
    part = registry.load("synthesizers", synthesizers.SYNTHESIZERS, "delegated")
    session = _page(wiki, stem := wiki.find_session(name))
    text = store_templates.find("synthesize.md.j2", wiki.root)
    return str(part.request(session, evaluate.evaluate(session), text, wiki.raw_stems[stem]))


def _log(wiki: Workspace, learned: Learned) -> list[Change]:
    from llmwiki.navigation import log_line

    said = learned.sentence(0, 0)
    return [log_line(wiki.read("wiki/log.md"), f"{stamp(wiki.now)} synthesize: {said}")] if said else []


def _named(wiki: Workspace, names: Sequence[str]) -> dict[str, str]:
    """Key -> raw page of the sessions that a person named, whatever was learned from them before."""
    paths = [wiki.raw_stems[_page(wiki, wiki.find_session(name)).stem] for name in names]
    return {key: path for key, path, _ in keyed(wiki, paths)}


def _page(wiki: Workspace, stem: str) -> Session:
    session = wiki.session(stem)
    if session is None:
        raise WikiError(f"the raw page of {stem} cannot be read; sync it again")
    if session.kind == "file":
        raise WikiError(f"{session.title} is a file and no session; `llmwiki import` reads it again")
    return session


def judge(wiki: Workspace, operation: Writing, stem: str, score: float, note: str) -> bool:
    """Puts a person's score of a session and the note into its trace; False when that says so already. The session's
    lessons stay as they are."""
    session = _page(wiki, stem)
    verdict = evaluate.evaluate(session, feedback=score, note=note)
    part = registry.load("synthesizers", synthesizers.SYNTHESIZERS, "extractive")
    drafts = part.synthesize(session, verdict)
    traces = tuple(r for r in drafts.records if r.type is RecordType.TRACE)
    learner = Learner(wiki, operation)
    learner.absorb(f"{session.agent}/{session.id}", session, verdict, replace(drafts, records=traces), whole=False)
    changed = learner.buffer.holding
    learner.buffer.flush()
    operation.apply(wiki.navigation(learner.out.paths))
    return changed


def estimate(wiki: Workspace, names: Sequence[str], backend: str) -> dict[str, Any]:
    """What synthesizing would read: `{sessions, turns, tokens, backend}`."""
    from llmwiki import tokens

    paths = (_named(wiki, names) if names else ready(wiki)).values()
    texts = [wiki.raw(path) or "" for path in paths]
    return {
        "sessions": len(texts),
        "turns": sum(rawpage.count(rawpage.head(t).get("turns")) for t in texts),
        "tokens": sum(tokens.count(t) for t in texts),
        "backend": backend or wiki.config.llm_backend,
    }


def complete(wiki: Workspace, name: str, text: str, dry_run: bool) -> dict[str, Any]:
    """Takes in what a delegated agent answered for a session: checked like every other draft."""
    part = registry.load("synthesizers", synthesizers.SYNTHESIZERS, "delegated")
    session = _page(wiki, stem := wiki.find_session(name))
    with wiki.operation("synthesize", f"an agent's answer for {stem}", dry_run) as operation:
        learner = Learner(wiki, operation)
        verdict = _verdict(learner.out.wiki or Wiki(), session)
        drafts = part.complete(session, verdict, text)
        learner.absorb(f"{session.agent}/{session.id}", session, verdict, drafts)
        learner.buffer.flush()
        out = learner.out
        operation.apply([*wiki.navigation(out.paths), *_log(wiki, out)])
    return {"sessions": out.sessions, "records": out.document(), "pending": len(pending(wiki))}
