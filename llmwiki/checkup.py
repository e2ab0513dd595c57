"""The `doctor` command: what is wrong with the set-up, what will be lost, and how to mend each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from llmwiki import adapters, cache, intake, lifecycle, sources
from llmwiki.errors import WikiError
from llmwiki.importing import AGENT
from llmwiki.redact import Redactor

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace

RETENTION = {"claude-code": 30, "gemini": 30}  # days after which an agent deletes its own transcripts
BIG = 20_000  # pages from which the sqlite index is the better one


def check(name: str, ok: bool, message: str, cure: str = "") -> dict[str, Any]:
    return {"name": name, "ok": ok, "message": message, "cure": "" if ok else cure}


def doctor(wiki: Workspace) -> dict[str, Any]:
    """`{checks: [{name, ok, message, cure}]}`; a check that cannot be made is one that failed."""
    checks = []
    for name, look in CHECKS.items():
        try:
            checks += list(look(wiki))
        except (WikiError, OSError) as cause:
            checks.append(check(name, False, str(cause), "mend that first, then run `llmwiki doctor` again"))
    return {"checks": checks}


def _settings(wiki: Workspace) -> Iterator[dict[str, Any]]:
    settings, diagnostics = wiki.settings
    Redactor(settings.redact_rules)  # a rule that cannot work stops every sync
    for d in diagnostics:
        yield check("settings", False, f"{d.path}:{d.line}: {d.message}", "mend that line of llmwiki.toml")
    if not diagnostics:
        yield check("settings", True, "llmwiki.toml is understood")
    above = [p for p in wiki.root.parents if (p / "llmwiki.toml").is_file()]
    if above:
        cure = "move one of them, or name the one you mean with --wiki"
        yield check("one wiki", False, f"another wiki lies above this one: {above[0]}", cure)


def _writable(wiki: Workspace) -> Iterator[dict[str, Any]]:
    ok = os.access(wiki.root, os.W_OK)
    yield check(
        "disk", ok, f"{wiki.root} can {'' if ok else 'not '}be written", "give yourself the right to write there"
    )
    free = shutil.disk_usage(wiki.root).free
    yield check("space", free > 100_000_000, f"{free // 1_000_000:,} MB are free", "make room before the next sync")


def _stores(wiki: Workspace) -> Iterator[dict[str, Any]]:
    """What each agent keeps, and what will be lost: some delete their transcripts."""
    found_any = False
    for row in sources.agents(wiki):
        if not row["enabled"]:
            continue
        found_any = found_any or bool(row["sessions"])
        yield from _store(wiki, row)
    cure = "give folders in llmwiki.toml under [agents.NAME] roots, or with `llmwiki sync --source PATH`"
    given = sum(not path.startswith(f"raw/{AGENT}/") for path in wiki.raw_stems.values())
    told = "sessions were found" if found_any else "no agent's sessions were found"
    if given and not found_any:  # which is how it is where sessions only ever come by --source, or from another machine
        told += f" where agents keep them; {given:,} stand in this wiki"
    yield check("sessions", found_any or bool(given), told, cure)


def _store(wiki: Workspace, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    name, count = row["name"], row["sessions"]
    where = ", ".join(row["roots"])
    if not count:
        yield check(name, True, f"no sessions in {where}")
        return
    oldest = lifecycle.moment(row["oldest"])
    age = (wiki.now - oldest).days if oldest else 0
    days = RETENTION.get(name)
    told = f"{count} sessions in {where}, the oldest {age} days old"
    if not days:
        yield check(name, True, told)
        return
    new = _unsynced(wiki, name)
    lost = wiki.now + timedelta(days=max(0, days - age))
    told += f"; {name} deletes transcripts after {days} days unless told otherwise"
    cure = f"run `llmwiki sync` before {lost:%Y-%m-%d}, and raise the agent's retention (cleanupPeriodDays)"
    yield check(
        name, not new, f"{told}; {new} of them are not in this wiki" if new else f"{told}; all are kept here", cure
    )


def _unsynced(wiki: Workspace, name: str) -> int:
    seen = cache.get(wiki.root, "sources").get("seen", {})
    agent = adapters.load(name)
    paths = [s.path for root in sources.roots(wiki, name) for s in agent.discover(root)]
    said = intake.sayable(paths, wiki.config.redact_rules)
    return sum(said.get(path, path) not in seen for path in paths)


def _failed(wiki: Workspace) -> Iterator[dict[str, Any]]:
    failed = wiki.state("sync").get("failed", [])
    for one in failed:
        yield check("source", False, f"{one['source']}: {one['error']}", "mend it; every sync tries again")
    if not failed:
        yield check("sources", True, "no source failed at the last sync")


def _pages(wiki: Workspace) -> Iterator[dict[str, Any]]:
    loaded = wiki.store.load()
    for d in loaded.diagnostics:
        yield check("page", False, f"{d.path}:{d.line}: {d.message}", "mend the page; it is not read until then")
    count = len(loaded.records)
    if not loaded.diagnostics:
        yield check("pages", True, f"{count:,} records, all readable")
    small = count < BIG or wiki.config.backend == "sqlite"
    cure = 'set [index] backend = "sqlite" in llmwiki.toml'
    yield check("index backend", small, f"{wiki.config.backend} for {count:,} records", cure)


def _index(wiki: Workspace) -> Iterator[dict[str, Any]]:
    from llmwiki.indexes import catalogue, refresh, scan

    if wrong := refresh.misplaced(wiki.root):
        said, _, cure = wrong.partition("; ")
        yield check("index", False, said, cure)
        return
    if not catalogue.signs(str(wiki.root / catalogue.CACHE)):
        many = scan.count(scan.packed(str(wiki.root)))
        told = f"there is none, and to read {many:,} pages takes longer than a prompt waits"
        yield check("index", many <= scan.SLOW, told if many > scan.SLOW else "none yet", "run `llmwiki index`")
        return
    wrong = refresh.damage(wiki.root, wiki.numbers)
    if wrong == refresh.COPIED:  # it says what the pages say, and readers look at each page that they print
        yield check("index", True, f"sound, though {wrong}; the next sync makes it anew, or `llmwiki index` now")
        return
    yield check("index", not wrong, f"the index is broken: {wrong}" if wrong else "sound", "run `llmwiki index`")


def _vectors(wiki: Workspace) -> Iterator[dict[str, Any]]:
    from llmwiki import embedding

    yield check("vectors", *embedding.state(wiki))


def _privacy(wiki: Workspace) -> Iterator[dict[str, Any]]:
    """Raw pages hold whole conversations: git should not have them unless a person decided so."""
    if not any((p / ".git").exists() for p in (wiki.root, *wiki.root.parents)):
        yield check("git", True, "no git repository around this wiki")
        return
    ignored = [line.strip() for line in (wiki.read(".gitignore") or "").splitlines()]
    local = any(line in (".llmwiki/", "/.llmwiki/", ".llmwiki") for line in ignored)
    yield check(
        "git", local, f"local state is {'' if local else 'not '}ignored by git", "add `.llmwiki/` to .gitignore"
    )


def _waiting(wiki: Workspace) -> Iterator[dict[str, Any]]:
    waiting = wiki.pending()
    yield check("waiting", True, f"{len(waiting)} sessions wait to be learned from")


CHECKS: dict[str, Callable[[Workspace], Iterator[dict[str, Any]]]] = {
    "settings": _settings,
    "disk": _writable,
    "stores": _stores,
    "sources": _failed,
    "pages": _pages,
    "index": _index,
    "vectors": _vectors,
    "git": _privacy,
    "waiting": _waiting,
}
