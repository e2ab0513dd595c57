"""What a person asks the wiki about itself: a record, its history, whether its claims hold, how things stand."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from llmwiki import authorship, lifecycle, markdown, rawpage, reinforcing, review
from llmwiki import verify as verifying
from llmwiki.errors import WikiError
from llmwiki.model import Record, RecordType, State, Wiki
from llmwiki.store import taken

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace

QUOTE = 400


def find(wiki: Workspace, name: str) -> Record:
    """The record that a person means: an id or the start of one, an alias, the stem or path of its page. WikiError when
    it is none, or more than one."""
    return named(wiki.load(), name)


def named(loaded: Wiki, name: str) -> Record:
    """The record of a wiki that a person means, as `find`."""
    wanted = name.strip().removeprefix("[[").removesuffix("]]").removesuffix(".md").rsplit("/", 1)[-1]
    if wanted in loaded.records:
        return loaded.records[wanted]
    found = [r for r in loaded.records.values() if wanted and (r.stem == wanted or wanted in r.aliases)]
    found = found or [r for r in loaded.records.values() if len(wanted) > 3 and r.id.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        ids = sorted(r.id for r in found)
        more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
        raise WikiError(f"{name!r} means several records: {', '.join(ids[:5])}{more}; give an id")
    import difflib

    near = difflib.get_close_matches(wanted, loaded.records, 3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`llmwiki search WORDS` finds ids"
    raise WikiError(f"there is no record {name!r}; {hint}")


def chosen(loaded: Wiki, name: str) -> Record:
    """The record that a person decides about, as `named`. WikiError when another page has its id too: a decision would
    reach one of the two, and the other would go on to speak."""
    record = named(loaded, name)
    twins = [d.path for d in loaded.diagnostics if d.code == "id" and d.message.startswith(taken(record.id))]
    if twins:
        where = f"the id {record.id} stands on {len(twins) + 1} pages, {', '.join([record.path, *twins])}"
        raise WikiError(f"{where}; give each an id of its own in an editor, or remove one, then try again")
    return record


def show(wiki: Workspace, name: str) -> dict[str, Any]:
    """`{record: {…frontmatter, effective, retrievable, silent, body}, sources: [{raw, turn, quote}], events}`, as in
    `why`; `silent` is why it does not speak, beside its state."""
    record = find(wiki, name)
    found = {**front(record), **_today(wiki, record), "body": record.body}
    return {"record": found, "sources": _quotes(wiki, record), "events": _events(wiki, record)}


def front(record: Record) -> dict[str, Any]:
    """A record's frontmatter as plain values, its path beside it."""
    values = asdict(record)
    for key in ("body", "handwritten"):
        values.pop(key)
    extra = values.pop("extra")
    plain = {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}
    return {**plain, "type": str(record.type), "state": str(record.state), "evidence": str(record.evidence), **extra}


def _today(wiki: Workspace, record: Record) -> dict[str, Any]:
    speaks = lifecycle.retrievable(record, wiki.now, wiki.reader(), wiki.numbers)
    return {
        "effective": round(lifecycle.effective(record, wiki.now, wiki.numbers), 4),
        "retrievable": speaks,
        "silent": "" if speaks else _silent(wiki, record),
    }


def _silent(wiki: Workspace, record: Record) -> str:
    """What keeps a record from speaking, beside its state; "" where the state says it all."""
    over, until = lifecycle.expires(record), lifecycle.moment(record.quarantine_until)
    said = [record.reason]
    if record.superseded_by and record.superseded_by not in record.reason:
        said.append(f"superseded by {record.superseded_by}")
    elif until and until > wiki.now and record.state in (State.QUARANTINED, State.ACTIVE):
        said.append(f"waits until {lifecycle.stamp(until)}")
    elif record.state is State.ACTIVE and over and over <= wiki.now:
        said.append(f"its time was over at {lifecycle.stamp(over)}")
    elif record.state is State.ACTIVE and not record.superseded_by:
        said.append("its confidence is too low")
    return "; ".join(filter(None, said))


def _quotes(wiki: Workspace, record: Record) -> list[dict[str, Any]]:
    """The cited turns, each once, in the order of the page; "" as quote where the raw page is not on this machine."""
    cites = dict.fromkeys(c for claim in markdown.claims(record.body) for c in claim.cites if c.anchor)
    out = []
    for c in cites:
        turn = wiki.turn(c.stem, c.anchor)
        text = rawpage.turn_text(turn).strip() if turn else ""
        quote = text if len(text) <= QUOTE else text[:QUOTE].rstrip() + " …"
        out.append({"raw": wiki.raw_stems.get(c.stem, c.stem), "turn": c.anchor, "quote": quote})
    return out


def why(wiki: Workspace, name: str) -> dict[str, Any]:
    """The document of `show`; what it is asked for are its `events`: `[{at, kind, change, session?, turn?, note?}]`."""
    return show(wiki, name)


def _events(wiki: Workspace, record: Record) -> list[dict[str, Any]]:
    """What made the record's confidence and state what they are, the oldest first."""
    told = reinforcing.story(wiki, record)
    counted = {e["session"] for e in told if e["kind"] != "learned"}
    offers = [e for e in _outcomes(wiki, record) if e["session"] not in counted]
    events = [*_learned(wiki, record), *offers, *(e for e in told if e["kind"] != "learned"), *_written(wiki, record)]
    events += [{"at": record.reinforced, "kind": "reinforced", "change": f"confidence {record.confidence:.2f}"}]
    if record.reason:
        events.append({"at": "", "kind": str(record.state), "change": record.reason})
    if record.superseded_by:
        events.append({"at": "", "kind": "superseded", "change": f"by {record.superseded_by}"})
    return sorted((e for e in events if e["at"] or e["kind"]), key=lambda e: (e["at"] or "9999", e["kind"]))


def _learned(wiki: Workspace, record: Record) -> list[dict[str, Any]]:
    """One event a source session: when its first cited turn was spoken."""
    first: dict[str, str] = {}
    for claim in markdown.claims(record.body):
        for c in claim.cites:
            first.setdefault(c.stem, c.anchor)
    out: list[dict[str, Any]] = []
    for stem, anchor in first.items():
        turn = wiki.turn(stem, anchor)
        kind = "learned again" if out else "learned"
        at = turn.at if turn else record.created
        out.append({"at": at, "kind": kind, "change": str(record.evidence), "session": stem, "turn": anchor})
    if not out:
        at = record.created
        out.append({"at": at, "kind": "told", "change": f"a person said it: confidence {record.confidence:.2f}"})
    return out


def _outcomes(wiki: Workspace, record: Record) -> list[dict[str, Any]]:
    """Sessions in which the record was offered or used, from the traces that name it."""
    out = []
    for trace in wiki.load().records.values():
        if trace.type is not RecordType.TRACE or record.id not in (*trace.offered, *trace.used):
            continue
        kind = "used" if record.id in trace.used else "offered"
        score = "how it ended is unknown" if trace.score is None else f"it ended with {trace.score:g} of 5"
        stem = trace.sources[0].strip("[]") if trace.sources else trace.stem
        out.append({"at": trace.created, "kind": kind, "change": score, "session": stem})
    return out


def _written(wiki: Workspace, record: Record) -> list[dict[str, Any]]:
    """What the journal still knows of the page."""
    return [
        {"at": past.at, "kind": past.name, "change": past.why, **({"note": "taken back"} if past.undone else {})}
        for past in wiki.store.history()
        if record.path in past.paths
    ]


def verify_records(wiki: Workspace, names: list[str]) -> list[Record]:
    records = [find(wiki, name) for name in names] if names else list(wiki.load().records.values())
    live = [r for r in records if names or r.state is not State.ARCHIVED]
    return sorted((r for r in live if not verifying.told(r)), key=lambda r: r.id)


def verify_all(wiki: Workspace, names: list[str]) -> dict[str, Any]:
    """`{checked, passed, failed: [{id, claim, missing}], unverifiable, unreachable}`, and `own: [{id, claim}]`, the
    lines that a person put on learned pages: nothing has to prove them."""
    counts: Counter[str] = Counter()
    failed, own = [], []
    unverifiable: list[str] = []
    authors = authorship.Authors(wiki)
    by_source: dict[str, list[Record]] = defaultdict(list)
    for record in verify_records(wiki, names):
        by_source[record.sources[0] if record.sources else ""].append(record)
    for source in sorted(by_source):  # one raw page at a time: each is parsed once
        for record in by_source[source]:
            found = verifying.verify(record, wiki.turn, authors.person)
            counts[found.status] += 1
            if found.status == verifying.UNVERIFIABLE:
                unverifiable.append(record.id)
            failed += [{"id": record.id, "claim": c.text, "missing": list(missing)} for c, missing in found.failed]
            own += [{"id": record.id, "claim": c.text} for c in found.own]
    return {
        "checked": sum(counts.values()),
        "passed": counts["passed"],
        "failed": failed,
        "unverifiable": counts["unverifiable"],
        "unreachable": counts["unreachable"],
        "unverifiable_ids": sorted(unverifiable),
        "own": own,
    }


def status(wiki: Workspace) -> dict[str, Any]:
    """How things stand. `waiting` counts unfinished sessions, and records that wait for release or a person."""
    from llmwiki import embedding, reviewing

    loaded = wiki.load()
    records: dict[str, dict[str, int]] = {}
    for record in sorted(loaded.records.values(), key=lambda r: (r.type, r.state)):
        states = records.setdefault(str(record.type), {})
        states[str(record.state)] = states.get(str(record.state), 0) + 1
    release, person = review.counted(reviewing.queue(wiki, loaded))
    pending = wiki.pending()
    memory = wiki.state("sync")
    offered, used = _earned(loaded)
    return {
        "root": str(wiki.root),
        "records": records,
        "waiting": release + person + len(pending),
        "waiting_for": {"release": release, "you": person, "sessions": len(pending)},
        "failed_sources": memory.get("failed", []),
        "last_sync": memory.get("at", ""),
        "offered": offered,
        "used": used,
        "ended_well": _ended_well(loaded, wiki.numbers["good_score"]),
        **embedding.counted(wiki),
        "unreadable": [{"path": d.path, "line": d.line, "message": d.message} for d in loaded.diagnostics],
    }


def diff(wiki: Workspace, revision: str) -> dict[str, Any]:
    """`{learned, withdrawn: [{id, reason}], changed}` between a commit and the pages as they are now; see
    `history.compare`. What git ignores (traces, as a rule) is left out on both sides. WikiError without git."""
    from llmwiki import commits, history

    commit = commits.revision(wiki.root, revision)
    if not commit:
        wiki.notice("nothing has been committed yet: everything is new")
    listed = commits.present(wiki.root)
    now = {path: text for path in wiki.store.page_paths(listed) if (text := _readable(wiki, path)) is not None}
    then = commits.pages_of(wiki.root, commit)
    before = {path: then[path] for path in wiki.store.page_paths(then)}
    (old, bad_then), (new, bad_now) = history.read(before, wiki.config.scope), history.read(now, wiki.config.scope)
    unread = {*bad_then, *bad_now}  # what is not known is no news: neither learned nor withdrawn
    old, new = ({id: r for id, r in records.items() if r.path not in unread} for records in (old, new))
    for path in bad_now:
        wiki.notice(f"{path} cannot be read as a record and is left out; `llmwiki doctor` says why")
    if missed := len(set(bad_then) - set(bad_now)):
        wiki.notice(f"{missed} pages could not be read as they were in {revision}")
    return {"revision": commit, **history.compare(old, new)}


def _readable(wiki: Workspace, path: str) -> str | None:
    try:
        return wiki.read(path)
    except WikiError as cause:
        wiki.notice(str(cause))
        return None


def _ended_well(loaded: Wiki, good: float) -> dict[str, list[int]]:
    """[sessions that ended well, sessions of which it is known how they ended], with a record used and without."""
    out = {"with": [0, 0], "without": [0, 0]}
    for trace in loaded.records.values():
        if trace.type is RecordType.TRACE and trace.score is not None:
            counts = out["with" if trace.used else "without"]
            counts[0] += trace.score >= good
            counts[1] += 1
    return out


def _earned(loaded: Wiki) -> tuple[int, int]:
    traces = [r for r in loaded.records.values() if r.type is RecordType.TRACE]
    return sum(len(t.offered) for t in traces), sum(len(t.used) for t in traces)
