"""The edge where a question meets the disk: opens the index, retrieves, composes. The one answer behind the hook, the
commands and the Python door. Writes nothing but one appended line when a session is named.
"""

from __future__ import annotations

import os
import time

from llmwiki import context, retrieve, retrieve_floor
from llmwiki.indexes import settings
from llmwiki.indexes.entries import Scored
from llmwiki.indexes.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from llmwiki.context import Line
    from llmwiki.indexes.entries import Entry
    from llmwiki.indexes.scan import Scan

TASK_CHARS = 100_000  # of a task; what is beyond is a paste
SPARE = 10  # hits more where the index is trusted: some of their pages may have fallen silent
DEEPEST = 40  # candidates that are weighed against each other


def project_of(folder: str, aliases: dict[str, str] | None = None) -> str:
    """The project that a working folder belongs to: the base name of its git common root, else its own."""
    here, name = os.path.abspath(folder), ""
    at = here
    while not name:
        git = os.path.join(at, ".git")
        if os.path.isdir(git):
            name = os.path.basename(at)
        elif os.path.isfile(git):
            name = os.path.basename(_common_root(git) or at)
        elif os.path.dirname(at) == at:
            name = os.path.basename(here)
            break
        at = os.path.dirname(at)
    return (aliases or {}).get(name, name)


def _common_root(git_file: str) -> str:
    """The main checkout of a linked worktree, from its `.git` file; "" for anything else (a submodule)."""
    try:
        with open(git_file, encoding="utf-8", errors="surrogateescape") as file:
            target = file.read(4096).partition("gitdir:")[2].strip()
    except OSError:
        return ""
    target = os.path.normpath(os.path.join(os.path.dirname(git_file), target))
    root, found, _ = target.partition(f"{os.sep}.git{os.sep}worktrees{os.sep}")
    return root if found else ""


class Asked:
    """What somebody wants to know: the task, every flag of `context` (None: the setting decides), and `now` in seconds
    since 1970."""

    def __init__(self, task: str, **flags: Any) -> None:
        self.task = task[:TASK_CHARS]
        self.budget: int | None = flags.pop("budget", None)
        self.limit: int | None = flags.pop("limit", None)
        self.project: str = flags.pop("project", "") or ""
        self.folder: str = flags.pop("folder", "") or ""
        self.scope: str = flags.pop("scope", "") or ""
        self.files: Sequence[str] = tuple(flags.pop("files", ()))
        self.tool: str = flags.pop("tool", "") or ""
        self.error: str = flags.pop("error", "") or ""
        self.explain: bool = bool(flags.pop("explain", False))
        self.exact: bool = bool(flags.pop("exact", True))  # whether `tokens` is asked for, or only a text that fits
        self.now: int = flags.pop("now")
        if flags:
            raise TypeError(f"unknown flags: {', '.join(sorted(flags))}")

    def texts(self) -> list[str]:
        return [text for text in (f"{self.task} {' '.join(self.files)}".strip(), self.error) if text]


def block(root: str, asked: Asked, ahead: Scan | None = None) -> dict[str, Any]:
    """The memory block for a task: the document that `context --json` promises, with `plan` and every `rejected` one.

    `tokens` is at least what `text` counts. Nothing relevant: `text` is "", `abstained` true.
    """
    snapshot = Snapshot(root, ahead)
    try:
        found = settings.known(root, snapshot.about)
        if found.broken:
            snapshot.notes.append("llmwiki.toml cannot be read, defaults used")
        project = asked.project or (project_of(asked.folder, found.aliases) if asked.folder else "")
        return snapshot.answer(lambda: _Answer(snapshot, asked, found, project).document())
    finally:
        snapshot.close()


class _Answer:
    """One block in the making."""

    def __init__(self, snapshot: Snapshot, asked: Asked, found: settings.Settings, project: str) -> None:
        self._snapshot, self._asked, self._settings, self._project = snapshot, asked, found, project
        self._budget = found.budget if asked.budget is None else asked.budget
        self._limit = found.limit if asked.limit is None else asked.limit
        self._rejected: list[tuple[Scored, str]] = []

    def document(self) -> dict[str, Any]:
        asked = self._asked
        kind, domains = context.classify(asked.task, asked.files, self._project)
        numbers = context.plan(kind, self._limit)
        limits = self._limits()
        taken = self._taken(numbers) if asked.texts() and self._limit > 0 else []
        made = self._composed(taken, context.limits_line(limits))
        self._rejected += [(s, "does not fit the budget") for s in made.left_out]
        spoken = {line.scored.entry.key for line in made.lines}  # one that always speaks may have been refused before
        return {
            "mode": made.mode,
            "tokens": made.tokens,
            "budget": self._budget,
            "abstained": not made.text,
            "records": [_told(line) for line in made.lines],
            "limits": limits,
            "text": made.text,
            "plan": {"type": kind, "domains": domains, "numbers": numbers},
            **(
                {"rejected": [_refused(s, why) for s, why in self._rejected if s.entry.key not in spoken]}
                if asked.explain
                else {}
            ),
        }

    def _limits(self) -> dict[str, Any]:
        stale, waiting = self._snapshot.silent(self._asked.now)
        absent = str(self._snapshot.about.get("no_adapter") or "").split()
        return {
            "stale": stale,
            "waiting": waiting,
            "no_adapter": absent,
            "newest": self._snapshot.newest(),
            "notes": list(self._snapshot.notes),
        }

    def _taken(self, numbers: dict[str, int]) -> list[Scored]:
        """The records that are let in, in rank order, and those that join any block."""
        asked = self._asked
        query = retrieve.Query(asked.texts(), self._snapshot)
        scopes = (asked.scope,) if asked.scope else ()
        allowed = retrieve.Allowed(asked.now, scopes, silent=("trace",), loaded=False)
        entries = retrieve.candidates(self._snapshot, query, allowed, 3 * self._limit)
        conditional = [e for e in self._snapshot.conditional() if allowed(e)]
        lifted = [e for e in conditional if context.matches(e, asked.files, asked.tool, asked.error)]
        known = {e.key for e in entries}
        scored = retrieve.ranked(query, [*entries, *(e for e in lifted if e.key not in known)], self._snapshot.average)
        floor = self._settings.floor or retrieve_floor.FLOOR
        kept = self._let_in(query, scored, floor)
        if asked.explain:
            self._explain_loaded(query, retrieve.Allowed(asked.now, scopes, silent=("trace",), loaded=True), floor)
        offers = self._snapshot.offers(s.entry.id for s in kept)
        retrieve.weighed(kept, asked.now, self._settings.weekly, offers)
        ours = retrieve.diverse([s for s in kept if not s.foreign], self._limit + 4)
        theirs = retrieve.diverse([s for s in kept if s.foreign], self._limit)
        ranked = [s for s in ours + theirs if self._still(s, allowed)]
        taken = context.chosen(ranked, numbers, self._limit)
        self._rejected += [(s, "over the limit") for s in ranked if s not in taken]
        return self._with_always(taken, conditional, allowed)

    def _explain_loaded(self, query: retrieve.Query, allowed: retrieve.Allowed, floor: float) -> None:
        """Notes what would have been let in, had the agent not loaded its file by itself."""
        found = retrieve.candidates(self._snapshot, query, allowed, 3 * self._limit)
        scored = retrieve.ranked(query, found, self._snapshot.average)[:DEEPEST]
        for s in scored:
            query.relevance.judge(s, floor)
        self._rejected += [(s, "the agent loads its file by itself") for s in scored if s.coverage >= s.least]

    def _let_in(self, query: retrieve.Query, scored: Sequence[Scored], floor: float) -> list[Scored]:
        """Those that clear the floor on similarity and whose `when:` holds. Each other is noted with its reason."""
        asked, fitting, kept = self._asked, [], []
        for s in scored[:DEEPEST]:
            s.foreign = bool(self._project and s.entry.project and s.entry.project != self._project)
            holds = context.matches(s.entry, asked.files, asked.tool, asked.error)
            query.relevance.judge(s, floor)
            if holds is False:
                self._rejected.append((s, "its `when:` does not hold"))
            else:
                fitting.append((s, bool(holds)))
        best = max((s.coverage for s, _ in fitting), default=0.0)
        beside = {retrieve.session_of(s.entry) for s, _ in fitting if s.coverage >= s.least} - {""}
        home = any(s.coverage >= s.least and s.entry.project == self._project for s, _ in fitting)
        for s, holds in fitting:
            stranger = s.foreign and home  # where its own project knows nothing, others' records are what there is
            joins = not stranger and retrieve.session_of(s.entry) in beside
            least = s.least * retrieve.JOINING if joins else max(s.least, retrieve.BEHIND * best)
            least = max(least, retrieve.FOREIGN) if stranger else least
            if holds or (s.coverage >= least and not (stranger and s.evidence < retrieve.KNOWN)):
                s.reason = "its `when:` holds" if holds else f"speaks of {s.coverage:.2f} of the task"
                kept.append(s)
            else:
                self._rejected.append((s, f"speaks of {s.coverage:.2f} of the task, below {least:.2f}"))
        return kept

    def _still(self, s: Scored, allowed: retrieve.Allowed) -> bool:
        """Whether the page still says so, to this reader, where the index was trusted without a look."""
        now = self._snapshot.checked(s.entry)
        if now is not s.entry:
            s.entry = now
        return bool(now.id) and allowed(now)

    def _with_always(
        self, taken: list[Scored], conditional: Sequence[Entry], allowed: retrieve.Allowed
    ) -> list[Scored]:
        """The block, and at most three records that join any block of their project; alone they make none."""
        known = {s.entry.key for s in taken}
        joining = [e for e in conditional if "always" in e.conditions and e.key not in known]
        joining = [e for e in joining if not e.project or not self._project or e.project == self._project]
        if not taken:
            return []
        still = (
            s for s in map(Scored, sorted(joining, key=lambda e: (-e.confidence, e.id))) if self._still(s, allowed)
        )
        extra = [s for _, s in zip(range(context.ALWAYS), still, strict=False)]
        for s in extra:
            s.effective, s.reason = s.entry.effective(self._asked.now, self._settings.weekly), "always"
        room = max(1, self._limit - len(extra))
        self._rejected += [(s, "gave way to a record that always speaks") for s in taken[room:]]
        return (extra + taken[:room])[: self._limit]

    def _composed(self, taken: list[Scored], limits: str) -> context.Composed:
        """The block. A page that changed since it was indexed has no counts: its bytes, of which no token has less than
        one, bound them, and only where that bound would leave something out is the tokenizer worth its 60 ms."""
        made = None if self._asked.exact else context.compose(taken, self._budget, limits, self._bounds)
        return context.compose(taken, self._budget, limits, self._costs) if made is None or made.tight else made

    def _bounds(self, entry: Entry) -> list[int]:
        if entry.costs:
            return [int(n) for n in entry.costs.split()]
        from llmwiki.indexes import reading

        return [int(n) for n in reading.costs(entry, lambda text: len(text.encode("utf-8", "replace"))).split()]

    def _costs(self, entry: Entry) -> list[int]:
        if not entry.costs:
            from llmwiki import tokens
            from llmwiki.indexes import reading

            entry.costs = reading.costs(entry, tokens.count)
        return [int(n) for n in entry.costs.split()]


def _told(line: Line) -> dict[str, Any]:
    s = line.scored
    entry = s.entry
    return {
        "id": entry.id,
        "type": entry.type,
        "title": entry.title,
        "path": entry.path,
        "score": round(s.score, 4),
        "confidence": round(s.effective, 4),
        "state": entry.state,
        "text": line.text.rstrip("\n"),
        "reason": s.reason,
    }


def _refused(s: Scored, why: str) -> dict[str, Any]:
    return {"id": s.entry.id, "reason": why, "score": round(s.score, 4), "coverage": round(s.coverage, 4)}


def search(
    root: str,
    text: str,
    limit: int,
    kind: str,
    state: str,
    everything: bool,
    scopes: Sequence[str],
    now: int,
    ahead: Scan | None = None,
) -> list[dict[str, Any]]:
    """The records that answer a question best: the document that `search --json` promises."""
    snapshot = Snapshot(root, ahead)
    try:
        allowed = retrieve.Allowed(now, scopes, kind, state, everything)

        def ask() -> list[Scored]:
            spare = SPARE if snapshot.trusted else 0
            return retrieve.search(snapshot, text[:TASK_CHARS], allowed, limit + spare if limit > 0 else 0)

        return [_hit(s) for s in snapshot.answer(ask) if allowed(snapshot.checked(s.entry))][: max(limit, 0)]
    finally:
        snapshot.close()


def _hit(s: Scored) -> dict[str, Any]:
    entry, parts = s.entry, s.entry.parts()
    best = next((parts[i] for _, i in s.best if i < len(parts) and parts[i]), "") or next(
        filter(None, parts), entry.title
    )
    return {
        "id": entry.id,
        "type": entry.type,
        "title": entry.title,
        "path": entry.path,
        "score": round(s.score, 4),
        "state": entry.state,
        "snippet": best,
    }


def note_offer(root: str, session: str, ids: Sequence[str], now: int) -> None:
    """Appends to `.llmwiki/state/offers.jsonl` what a session was given. A disk that refuses stops nothing."""
    import json

    try:
        folder = os.path.join(root, ".llmwiki", "state")
        os.makedirs(folder, exist_ok=True)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        with open(os.path.join(folder, "offers.jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps({"at": at, "session": session, "records": list(ids)}) + "\n")
    except OSError:
        pass
