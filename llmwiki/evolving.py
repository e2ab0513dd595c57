"""The `evolve` command: a plan that is shown first, then one operation. `sync` makes a fresh plan once a week."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from llmwiki import authorship, lifecycle, markdown, registry, review, variants
from llmwiki import evolve as step
from llmwiki.errors import WikiError
from llmwiki.lifecycle import stamp
from llmwiki.model import Change, Wiki
from llmwiki.navigation import log_line

if TYPE_CHECKING:
    from llmwiki.batches import Writing
    from llmwiki.workspace import Workspace

MERGED, HEURISTIC, VARIANT = "near-duplicates made one page", "proposed: it recurs", "proposed: a variant of a skill"
Show = Callable[[dict[str, Any]], None]


def evolve(
    wiki: Workspace,
    trials: int = variants.LEAST,
    yes: bool = False,
    dry_run: bool = False,
    show: Show | None = None,
    propose: variants.Propose | str | None = None,
) -> dict[str, Any]:
    """`{clusters, merged, promoted, variants, held, merges, heuristics, tables}`.

    `show` gets the plan before anything is written. `propose` is a model that makes variants too: a callable as
    `variants.Propose`, or the name of a part of the group `llmwiki.variants`; none is asked by itself.
    """
    if trials < variants.LEAST:
        raise WikiError(f"{trials} variants are too few to compare; give --trials {variants.LEAST} or more")
    model = registry.load("variants", variants.VARIANTS, propose) if isinstance(propose, str) else propose
    with wiki.operation("evolve", "merged, promoted, varied", dry_run) as operation:
        loaded = wiki.load()
        plan = _plan(wiki, loaded, trials=trials, yes=yes, propose=model)
        document = plan.document()
        if show:
            show(document)
        if changes := _changes(wiki, loaded, plan):
            state = wiki.store.state_change("evolve", {"at": stamp(wiki.now)})
            line = log_line(wiki.read("wiki/log.md"), f"{stamp(wiki.now)} evolve: {_said(plan)}")
            operation.apply([*changes, state, line])
            operation.apply(wiki.navigation([c.path for c in changes]))
            if not dry_run:
                from llmwiki import asking

                asking.refresh(wiki)
    if plan.held:
        wiki.notice(f"{len(plan.held)} records are too many to merge at once; look, then `llmwiki evolve --yes`")
    return document


def _plan(wiki: Workspace, loaded: Wiki, **options: Any) -> step.Plan:
    return step.plan(
        loaded,
        wiki.now,
        step.Sources(wiki.session, wiki.turn),
        lambda records: authorship.by_people(wiki, records),
        numbers=wiki.numbers,
        ttl=wiki.config.ttl,
        **options,
    )


def _said(plan: step.Plan) -> str:
    """What was done, for the log."""
    joined = sum(f.joined is not None for f in plan.families)
    gone = sum(len(losers) for _, losers in plan.groups) if plan.merges.steps else 0
    parts = [(gone, "record merged", "records merged"), (len(plan.heuristics), "heuristic", "heuristics")]
    parts += [(joined, "variant of a skill", "variants of skills")]
    return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in parts if n)


# -- writing


def _changes(wiki: Workspace, loaded: Wiki, plan: step.Plan) -> list[Change]:
    """What the plan writes, and with it what learning remembers of the pages: ours stay ours."""
    merged = review.changes(plan.merges, wiki.read, MERGED)
    new = [Change(r.path, markdown.render(r), HEURISTIC) for r in plan.heuristics]
    new += [Change(f.joined.path, markdown.render(f.joined), VARIANT) for f in plan.families if f.joined]
    changes = [*merged, *new]
    return [*changes, *_remembered(wiki, changes, {c.path for c in new})] if changes else []


def _remembered(wiki: Workspace, changes: Iterable[Change], new: set[str]) -> Iterator[Change]:
    """`state/learned.json` with the hashes of pages that were as we wrote them, and are again."""
    learned = wiki.state("learned")
    written = dict(learned.get("written", {}))
    for change in changes:
        known = written.pop(change.path, None)
        ours = known is not None and known == authorship.digest(wiki.read(change.path) or "")[: len(known)]
        if change.text is not None and (ours or change.path in new):
            written[change.path] = authorship.digest(change.text)[:16]
        elif change.text is not None and known is not None:
            written[change.path] = known
    if learned and written != learned.get("written"):
        yield wiki.store.state_change("learned", {**learned, "written": written})


# -- once a week


def weekly(wiki: Workspace, operation: Writing, loaded: Wiki) -> None:
    """A fresh plan inside a sync that learned something, when the last one is a week old: what recurs and the variants
    are put into review; what would be merged is only named. The caller brings navigation and index up to date."""
    if not _due(wiki, loaded):
        return
    plan = _plan(wiki, loaded, merge=False)
    changes = _changes(wiki, loaded, plan)
    if plan.fresh:
        line = f"{stamp(wiki.now)} evolve: {_said(plan)}"
        changes.append(log_line(wiki.read("wiki/log.md"), line))
        wiki.notice(f"proposals that wait for you: {len(plan.fresh)}; llmwiki review shows them")
    operation.apply([*changes, wiki.store.state_change("evolve", {"at": stamp(wiki.now)})])
    if gone := sum(len(losers) for _, losers in plan.groups):
        wiki.notice(f"near-duplicates that could be one page: {gone}; llmwiki evolve --dry-run shows them")


def _due(wiki: Workspace, loaded: Wiki) -> bool:
    """Whether a week has gone by since the last plan, or since the first record when there was none."""
    last = wiki.state("evolve").get("at") or min(
        (r.reinforced for r in loaded.records.values() if r.reinforced), default=""
    )
    at = lifecycle.moment(last)
    return at is not None and at + step.WEEK <= wiki.now
