"""The edge where a question meets the disk: opens the index, retrieves, composes. The one answer behind the hook, the
commands and the Python door. Writes nothing but one appended line when a session is named.
"""

from __future__ import annotations

import os

from llmwiki import context, context_when, retrieve, retrieve_floor
from llmwiki.indexes import settings
from llmwiki.indexes.catalogue import CACHE
from llmwiki.indexes.entries import Scored
from llmwiki.indexes.snapshot import Snapshot
from llmwiki.recall_project import project_of as project_of
from llmwiki.recall_project import repository_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from llmwiki.context import Line
    from llmwiki.indexes.entries import Entry
    from llmwiki.indexes.scan import Scan
    from llmwiki.indexes.vectors import Near

TASK_CHARS = 100_000  # of a task; what is beyond is a paste
VECTORS = "vectors"  # the file of `indexes.vectors`, which is imported only where there is one
RULES = ("preference", "heuristic")  # they speak whenever their subject comes up
UNKNOWN = "no record of the project that was named speaks"
DEEPEST = 40  # candidates that are weighed against each other


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
        self.plan: bool = bool(flags.pop("plan", False))
        self.exact: bool = bool(flags.pop("exact", True))  # whether `tokens` is asked for, or only a text that fits
        self.vectors: bool = bool(flags.pop("vectors", True))  # whether there is time to load their model
        self.situation = context_when.Situation(self.files, self.tool, self.error)
        self.now: int = flags.pop("now")
        if flags:
            raise TypeError(f"unknown flags: {', '.join(sorted(flags))}")

    def texts(self) -> list[str]:
        """The task, and what of an error tells anything."""
        return [text for text in (self.task.strip(), self.situation.error()) if text]

    def names(self) -> list[str]:
        """The files that the task is about, by the names under which records speak of them: the path and its end."""
        paths = [path.replace("\\", "/").strip("/").lower() for path in self.files[: context_when.MOST_FILES]]
        return list(dict.fromkeys(name for path in paths for name in (path, path.rsplit("/", 1)[-1]) if name))


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
        near, said = nearness(snapshot, found, asked.texts(), asked.vectors)
        return snapshot.answer(lambda: _Answer(snapshot, asked, found, project, near, said).document())
    finally:
        snapshot.close()


class _Answer:
    """One block in the making."""

    def __init__(
        self, snapshot: Snapshot, asked: Asked, found: settings.Settings, project: str, near: Near | None, said: str
    ) -> None:
        self._snapshot, self._asked, self._settings, self._project = snapshot, asked, found, project
        self._near, self._vectors = near, said
        # Of the project at hand; where there are none, others' records are what there is.
        self._lessons = snapshot.lessons(project, asked.now, retrieve.MANY) if project else 0
        self._new = not (self._lessons or asked.project) and bool(asked.folder and repository_of(asked.folder))
        self._budget = found.budget if asked.budget is None else asked.budget
        self._limit = found.limit if asked.limit is None else asked.limit
        self._rejected: list[tuple[Scored, str]] = []

    def document(self) -> dict[str, Any]:
        asked = self._asked
        if len(asked.files) > context_when.MOST_FILES:
            self._snapshot.notes.append(f"only the first {context_when.MOST_FILES} files were looked at")
        limits = self._limits()
        wanted = self._limit > 0 and (asked.texts() or asked.names() or asked.tool)
        taken, found = self._taken() if wanted else ([], context.Classified(asked.task, asked.files, []))
        made = self._composed(taken, context.limits_line(limits))
        self._rejected += [(s, "does not fit the budget") for s in made.left_out]
        spoken = {line.scored.entry.key for line in made.lines}  # one that always speaks may have been refused before
        return {
            "mode": made.mode,
            "tokens": made.tokens,
            "budget": self._budget,
            "abstained": not made.text,
            "records": [_told(line) | self._numbers(line.scored) for line in made.lines],
            "limits": limits,
            "text": made.text,
            "plan": {
                "type": found.type,
                "domains": found.domains(self._project, self._tags if asked.plan else None),
                "numbers": context.plan(found.type, self._limit),
            },
            **(self._rejections(spoken) if asked.explain else {}),
        }

    def _rejections(self, spoken: set[int]) -> dict[str, Any]:
        """`rejected`: what was looked at and is not told, each with the first reason that kept it out."""
        from llmwiki import recall_explain

        refused = {s.entry.key: (s, why) for s, why in reversed(self._rejected) if s.entry.key not in spoken}
        order = sorted(refused.values(), key=lambda pair: (-pair[0].score, pair[0].entry.id, pair[0].entry.path))
        return {"rejected": [recall_explain.refused(s, why) | self._numbers(s) for s, why in order]}

    def _numbers(self, s: Scored) -> dict[str, Any]:
        if not self._asked.explain:
            return {}
        from llmwiki import recall_explain

        return recall_explain.numbers(s, self._asked, self._settings.weekly, self._snapshot)

    def _explain_silent(self, query: retrieve.Query, allowed: retrieve.Allowed) -> None:
        """Notes what would have been let in, were it not silent, by its id alone: for its age or state, which a reader
        of a narrower scope is not told, or because its agent loads it."""
        from llmwiki import recall_explain

        scopes = (self._asked.scope,) if self._asked.scope else ()
        anything = retrieve.Allowed(self._asked.now, scopes, silent=("trace",), everything=not scopes)
        found = retrieve.candidates(self._snapshot, query, anything, DEEPEST)
        for s in retrieve.ranked(query, [e for e in found if not allowed(e)], self._snapshot.average)[:DEEPEST]:
            self._judge(query, s)
            if s.coverage >= s.least:
                self._rejected.append((s, recall_explain.silence(s.entry, allowed)))

    def _tags(self, entry: Entry) -> list[str]:
        from llmwiki import recall_explain

        return recall_explain.tags(self._snapshot.root, entry.path)

    def _limits(self) -> dict[str, Any]:
        stale, waiting = self._snapshot.silent(self._asked.now)
        return {
            "stale": stale,
            "waiting": waiting,
            "no_adapter": self._snapshot.absent(),
            "newest": self._snapshot.newest(),
            "notes": [*self._snapshot.notes, *([UNKNOWN] if self._asked.project and not self._lessons else [])],
            **({"vectors": self._vectors} if self._vectors else {}),
        }

    def _taken(self) -> tuple[list[Scored], context.Classified]:
        """The records that are let in, in rank order, and those that join any block; and what kind of task it is."""
        asked = self._asked
        query = retrieve.Query(asked.texts(), self._snapshot, asked.names())
        scopes = (asked.scope,) if asked.scope else ()
        allowed = retrieve.Allowed(asked.now, scopes, silent=("trace",), loaded=False)
        entries = retrieve.candidates(self._snapshot, query, allowed, 3 * self._limit)
        conditional = [e for e in self._snapshot.conditional() if allowed(e)]
        lifted = [e for e in conditional if asked.situation.holds(e)]
        entries = retrieve.joined(self._snapshot, entries, self._near, allowed)
        known = {e.key for e in entries}
        entries += [e for e in lifted if e.key not in known]
        scored = retrieve.ranked(query, entries, self._snapshot.average, self._near)
        kept = self._let_in(query, scored)
        if asked.explain:
            self._explain_silent(query, allowed)
        offers = self._snapshot.offers(s.entry.id for s in kept)
        retrieve.weighed(kept, asked.now, self._settings.weekly, offers)
        named = [s for s in kept if asked.situation.knows_error(s.entry)]  # its cure is what is looked for
        ours = retrieve.diverse([s for s in kept if not s.foreign and s not in named], self._limit + 4)
        theirs = retrieve.diverse([s for s in kept if s.foreign and s not in named], self._limit)
        first = sorted(named, key=lambda s: (s.foreign, -s.score, s.entry.id))
        ranked = [s for s in first + ours + theirs if self._still(s, allowed, query)]
        if asked.explain:
            retrieve.liken(ranked)
        found = context.Classified(asked.task, asked.files, ranked)
        taken = context.chosen(ranked, context.plan(found.type, self._limit), self._limit)
        self._rejected += [(s, "over the limit") for s in ranked if s not in taken]
        return self._with_always(taken, conditional, allowed), found

    def _let_in(self, query: retrieve.Query, scored: Sequence[Scored]) -> list[Scored]:
        """Those that speak of enough of the task and whose `when:` holds. Each other is noted with its reason."""
        fitting, kept = list[tuple[Scored, bool]](), list[Scored]()
        for s in scored:
            holds = self._asked.situation.holds(s.entry)
            if len(fitting) >= DEEPEST and not holds:
                continue
            self._judge(query, s)
            if holds is False:
                self._rejected.append((s, "its `when:` does not hold"))
            else:
                fitting.append((s, bool(holds)))
        clear = [s for s, _ in fitting if s.coverage >= s.least]
        best = max((s.coverage for s in clear), default=0.0)
        beside = retrieve.Beside(s.entry for s in clear)
        for s, holds in fitting:
            s.least, why = self._least(s, best, s.entry in beside)
            s.reason = retrieve_floor.reason(s, holds)
            if s.reason:
                kept.append(s)
            else:
                self._rejected.append((s, f"speaks of {s.coverage:.2f} of the task, below {s.least:.2f}{why}"))
        return kept

    def _is_foreign(self, entry: Entry) -> bool:
        return bool(self._project and entry.project and entry.project != self._project)

    def _judge(self, query: retrieve.Query, s: Scored) -> None:
        s.foreign = self._is_foreign(s.entry)
        query.relevance.judge(s, self._settings.floor or retrieve_floor.FLOOR)
        at_home = bool(self._project) and s.entry.project == self._project
        if at_home and s.least < retrieve_floor.NEVER and not self._settings.floor:  # a person's floor holds anywhere
            s.least *= retrieve.at_home(self._lessons, s.matched, query.relevance.daily)
        here = at_home or not s.entry.project
        s.subject = s.entry.type in RULES and not s.foreign and query.relevance.subject(s, here)
        s.means = at_home and not self._settings.floor and bool(self._near and self._near.opens <= (s.meaning or 0.0))

    def _least(self, s: Scored, best: float, beside: bool) -> tuple[float, str]:
        """The coverage that lets this one in beside the others, and what of them decided."""
        if s.foreign and (self._lessons or self._new):
            most = retrieve.WORDS if self._lessons else retrieve.SOME
            if s.evidence < retrieve.KNOWN or s.matched < most:
                return retrieve_floor.NEVER, ": another project's, in everybody's words"
        if s.foreign and self._lessons:
            return max(s.least, retrieve.FOREIGN, retrieve.BEHIND * best), ": another project's"
        if beside:
            return s.least * retrieve.JOINING, ""
        if best and retrieve.ALIKE * best < s.least:
            return retrieve.ALIKE * best, ""
        return max(s.least, retrieve.BEHIND * best), ": too far behind the best" if s.coverage >= s.least else ""

    def _still(self, s: Scored, allowed: retrieve.Allowed, query: retrieve.Query | None = None) -> bool:
        """Whether the page still says so, to this reader, where the index was trusted without a look; and, when it says
        something else now, whether that answers the `query`."""
        indexed, s.entry = s.entry, self._snapshot.checked(s.entry)
        holds = self._asked.situation.holds(s.entry)
        if not s.entry.id or not allowed(s.entry) or holds is False:
            return False
        s.foreign = self._is_foreign(s.entry)
        if s.entry is indexed or query is None or holds:
            return True
        (now,) = retrieve.ranked(query, [s.entry], self._snapshot.average)
        self._judge(query, now)
        if s.entry.project != indexed.project:
            now.least, _ = self._least(now, 0.0, False)
        return bool(retrieve_floor.reason(now))

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
        most = min(context.ALWAYS, self._limit - 1)  # of one record that is told it is the answer
        extra = [s for _, s in zip(range(most), still, strict=False)]
        for s in extra:
            s.effective, s.reason = s.entry.effective(self._asked.now, self._settings.weekly), context.JOINS
        room = self._limit - len(extra)
        self._rejected += [(s, "gave way to a record that always speaks") for s in taken[room:]]
        return taken[:room] + extra

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


def nearness(
    snapshot: Snapshot, found: settings.Settings, texts: Sequence[str], allowed: bool
) -> tuple[Near | None, str]:
    """How near the pages are in meaning, and what `limits` says of it: "" where the wiki has no vectors."""
    folder = os.path.join(snapshot.root, CACHE)
    if found.vectors == "off" or not any(map(str.strip, texts)) or not os.path.exists(os.path.join(folder, VECTORS)):
        return None, ""
    if not allowed:
        return None, "not asked: a hook does not wait for a model"
    from llmwiki import recall_vectors

    return recall_vectors.asked(folder, "\n".join(texts), snapshot.notes)


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
