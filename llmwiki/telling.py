"""What a person tells the wiki: a thing to remember, a word on a session, to take something back."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from llmwiki import (
    asking,
    authorship,
    block,
    lifecycle,
    markdown,
    markdown_links,
    names,
    prose,
    rawpage,
    related,
    similar,
)
from llmwiki.errors import WikiError
from llmwiki.lifecycle import stamp
from llmwiki.model import Change, Claim, Evidence, Record, RecordType, State, Wiki
from llmwiki.navigation import log_line
from llmwiki.schema import CONFIDENCE, SCOPES, TYPES
from llmwiki.similar import Neighbours
from llmwiki.synthesize_opposites import Pages, contradict
from llmwiki.synthesizers import gate
from llmwiki.synthesizers.folding import LONGEST, combined, room
from llmwiki.undo import FORGET

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace

FEWEST = 4  # words that tell something beside a secret's mark: fewer are no rule without the secret
_MARK = re.compile(r"(?<![!-~])[!-~]{0,200}?\[redacted:[^\[\]]{0,40}\][!-~]*")
FIRST_SECTION = {kind: spec.sections[0] for kind, spec in TYPES.items()}


def remember(wiki: Workspace, text: str, kind: str, project: str | None, scope: str, dry_run: bool) -> dict[str, Any]:
    """One page from a person's words: `{id, path, project}`, the last None where it holds for every project. The same
    thing said again strengthens the page it has."""
    record = _told(wiki, text, kind, project, scope)
    with wiki.operation("remember", record.title, dry_run) as operation:
        loaded = wiki.load()
        if record.project and not _is_project(wiki, loaded, record.project):
            wiki.notice(
                f"no page and no session is of a project {record.project!r} yet; is it written as it should be?"
            )
        known = _known(wiki, loaded, record)
        if known:
            record, others = _contradicted(wiki, loaded, _again(wiki, known, record))
            page = markdown.update(wiki.read(known.path) or "", record)
        else:
            taken = [r.path for r in loaded.records.values()] + [d.path for d in loaded.diagnostics]
            record = replace(record, id=names.free_id(record.id, loaded.records))
            record = replace(record, path=markdown.page_path(record, taken))
            record, others = _contradicted(wiki, loaded, record)
            stems = related.Related(loaded.records.values()).stems(record, loaded.records)
            record = replace(record, body=markdown_links.with_links(record.body, stems))
            page = markdown.render(record)
        said = f"{stamp(wiki.now)} remember: {record.title}"
        log = log_line(wiki.read("wiki/log.md"), said)
        operation.apply([Change(record.path, page, "a person said it"), *others, log])
        operation.apply(wiki.navigation([record.path, *(change.path for change in others)]))
        if not dry_run:
            asking.refresh(wiki)  # at once: the next hook need not read what changed
    return {"id": record.id, "path": record.path, "project": record.project}


def _is_project(wiki: Workspace, loaded: Wiki, name: str) -> bool:
    """Whether any page is of a project, or any session, of which another clone may have but the raw page."""
    if name in wiki.state("projects") or any(r.project == name for r in loaded.records.values()):
        return True
    heads = (rawpage.head(wiki.raw(path) or "") for path in wiki.raw_stems.values())
    return any(head.get("project") == name for head in heads)


def _known(wiki: Workspace, loaded: Wiki, record: Record) -> Record | None:
    """The page that takes what is said: one that speaks and has every word of it; else one that has them and was
    silenced by the opposite, which it now silences; else one that speaks and can take what it lacks."""
    alike = [r for r in loaded.records.values() if similar.same(r, record)]
    speaking = [r for r in alike if _speaks(r)]
    whole = [r for r in speaking if not similar.adds(r, record)]
    for known in alike if not whole else ():
        by = loaded.records.get(known.superseded_by)
        lives = known.state in (State.ACTIVE, State.STALE) and not similar.adds(known, record)
        if by is not None and lives and similar.opposite(by, record):
            whole.append(known)
    closed = authorship.by_people(wiki, speaking) if speaking and not whole else set()
    return next(iter((*whole, *(r for r in speaking if r.id not in closed and room(r, record)))), None)


def _again(wiki: Workspace, known: Record, record: Record) -> Record:
    """The page that was there, surer, and with what is new in what is said."""
    took = similar.adds(known, record)
    said = f"{known.id} speaks again" if known.superseded_by else f"that was known: {known.id} is surer now"
    wiki.notice(f"that says more than {known.id}: it stands there now" if took else said)
    record = combined(known, record, LONGEST) if took else known
    record = lifecycle.reinforced(record, wiki.now, CONFIDENCE[Evidence.USER_SAID], wiki.numbers)
    created = known.created if known.handwritten else stamp(wiki.now)
    return replace(record, evidence=Evidence.USER_SAID, state=State.ACTIVE, superseded_by="", created=created)


def _contradicted(wiki: Workspace, loaded: Wiki, record: Record) -> tuple[Record, list[Change]]:
    """The new record, and the pages that say the opposite: those that a person said before are superseded, one that
    nobody said waits, and one that a person wrote by hand stays as it is. Each is told, and where it is in doubt
    whether two say the opposite, that is told and both speak."""
    near = Neighbours(loaded.records.values())
    against = [r for r in near.opposites(record, loaded.records) if _speaks(r) and r.scope == record.scope]
    doubts = [r for r in near.doubts(record, loaded.records) if _speaks(r) and r.scope == record.scope]
    edited = authorship.by_people(
        wiki, [*against, *([record] if record.id in loaded.records else [])] if against else []
    )
    pages = Pages(records={r.id: r for r in (*against, record)}, near=near, edited=edited)
    contradict(pages, record)
    found = []
    for before in against:
        after = pages.records[before.id]
        cure = f"`llmwiki review archive {before.id}` when it no longer holds"
        if after.superseded_by == record.id:
            cure = f"that one no longer speaks; `llmwiki review restore {before.id}` lets it"
        elif not _speaks(after):
            cure = "that one waits for you in `llmwiki review` now"
        wiki.notice(f"this says the opposite of {before.id}, {before.title!r}: {cure}")
        if after != before:
            page = markdown.update(wiki.read(before.path) or "", after)
            found.append(Change(before.path, page, f"contradicted by {record.id}"))
    for other in doubts:
        cure = f"both speak; `llmwiki review archive {other.id}` when that one no longer holds"
        wiki.notice(f"this sounds contrary to {other.id}, {other.title!r}, but one of them says when or where: {cure}")
    return pages.records[record.id], found


def _seen(text: str) -> str:
    """What a person sees of a text: what hides in it could cut a secret in two, and nobody would find it."""
    return rawpage.clean(text).translate(dict.fromkeys(block.HIDDEN))


def _speaks(record: Record) -> bool:
    return record.state in (State.ACTIVE, State.STALE) and not record.superseded_by


def _told(wiki: Workspace, text: str, kind: str, project: str | None, scope: str) -> Record:
    if kind not in TYPES or kind == "trace":
        known = ", ".join(t for t in TYPES if t != "trace")
        raise WikiError(f"{kind!r} is no type of record that a person writes; take one of {known}")
    if scope and scope not in SCOPES:
        raise WikiError(f"{scope!r} is no scope; take one of {', '.join(SCOPES)}")
    said, secrets = wiki.redactor.text(_seen(text).strip())
    if _husk(said):
        raise WikiError("without the secret that was in it this says nothing; say what is to be done, and no secret")
    if secrets:
        wiki.notice("a secret was taken out of what you said; it is nowhere in the wiki")
    lines = [prose.inert(line) for line in said.splitlines() if line.strip()]
    if not lines:
        raise WikiError('there is nothing to remember; say it: `llmwiki remember "use tabs in Makefiles"`')
    title = names.title_line(prose.plain(lines[0]), 90)
    known = RecordType(kind)
    section = FIRST_SECTION[known]
    at = stamp(wiki.now)
    digest = hashlib.sha256(f"{said}\n{project or ''}".encode()).hexdigest()
    reason = gate.held(said)
    held = reason == gate.CREDENTIALS  # no block prints them before a person has looked again
    if held:
        wiki.notice("it speaks of credentials, so it waits: `llmwiki review` lets it speak")
    return Record(
        id=names.record_id(title, "person", digest, ""),
        type=known,
        title=title,
        confidence=CONFIDENCE[Evidence.USER_SAID],
        scope=scope or wiki.config.scope,
        project=project or None,
        created=at,
        reinforced=at,
        ttl_days=wiki.config.ttl.get(kind, TYPES[known].ttl_days),
        evidence=Evidence.USER_SAID,
        state=State.QUARANTINED if held else State.ACTIVE,
        reason=reason if held else "",
        quarantine_until=None if held else "",
        body=prose.body({section: [Claim(section, line) for line in lines]}),
    )


def _husk(said: str) -> bool:
    """Whether what is left beside a secret's mark tells nothing: `The API key is [redacted:openai]`."""
    rest = _MARK.sub(" ", said)
    # A name that is bound to the secret (`API_KEY=…`) went with it. Where no spaces part words, pairs of letters count.
    found = ((word, gate.distinctive(word)) for word in rest.split())
    words = {w for word, terms in found for w in ({word} if word.isascii() and terms else terms) if len(w) > 1}
    return rest != said and len(words) < FEWEST


def feedback(wiki: Workspace, session: str, score: float, note: str, dry_run: bool) -> dict[str, Any]:
    """Writes a person's score of a session, and the note, into its trace."""
    from llmwiki import learning

    if not 0 <= score <= 5:
        raise WikiError(f"{score} is no score; give one from 0 (useless) to 5 (just what I wanted)")
    stem = wiki.find_session(session)
    said = wiki.redactor.text(_seen(note))[0]
    with wiki.operation("feedback", f"{stem}: {score:g}", dry_run) as operation:
        if learning.judge(wiki, operation, stem, score, " ".join(said.split())):
            log = log_line(wiki.read("wiki/log.md"), f"{stamp(wiki.now)} feedback: {stem} {score:g}")
            operation.apply([log])
            if not dry_run:
                asking.refresh(wiki)
    return {"session": stem, "score": score}


def undo(wiki: Workspace, n: int, redo: bool, dry_run: bool) -> dict[str, Any]:
    """Takes back the last `n` operations, or the last undo: `{reverted: [{op, paths}], kept: [path]}`."""
    if n < 1:
        raise WikiError(f"{n} operations cannot be taken back; give a number from 1 up")
    n = _reachable(wiki, n) if not redo else n
    if dry_run:
        return wiki.store.would_reverse(n, redo)
    with wiki.store.lock("undo"):
        done = wiki.store.redo(log_text) if redo else wiki.store.undo(n, log_text)
        if done["reverted"]:
            asking.refresh(wiki)
    return done


def _reachable(wiki: Workspace, n: int) -> int:
    """How many operations go back when `n` are asked for. More than there are is a slip: nobody means everything."""
    meant, there = _but_for_a_forget(wiki, n), _since_the_beginning(wiki)
    if meant > max(there, 1):
        most = there + n - meant
        what = f"`llmwiki undo {most}` takes back all that can be" if there else "there is nothing to take back"
        raise WikiError(f"{n} operations are more than there are; {what}")
    return min(meant, there)


def _but_for_a_forget(wiki: Workspace, n: int) -> int:
    """How many operations are meant, when the newest one is a forget: that one counts, and stays as it is."""
    newest = [past.name for past in wiki.store.history()][-1:]
    if newest != [FORGET]:
        return n
    if n == 1:
        raise WikiError("what is forgotten cannot be brought back; `llmwiki undo 2` takes back what was done before it")
    wiki.notice("the newest operation, forget, cannot be taken back; only what was done before it is")
    return n - 1


def _since_the_beginning(wiki: Workspace) -> int:
    """How many operations there are since `init`. That one stays: without its settings there is no wiki to redo in."""
    count = 0
    for past in reversed(wiki.store.history()):
        if past.name == "init":
            break
        count += past.name not in ("undo", "redo", FORGET) and not past.undone
    return count


def log_text(text: str | None, told: str) -> str:
    """The log with one line more, for the store, which writes the line of an undo itself."""
    return log_line(text, told).text or ""
