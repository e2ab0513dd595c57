"""One source at a time: what a sync remembers of it, whether it is wanted, reading it here or in another process."""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki import adapters, cache, ingest
from llmwiki.adapters.base import Claims, Known, Parsed
from llmwiki.model import Config, Session, Source
from llmwiki.redact import Redactor

if TYPE_CHECKING:
    from pathspec import PathSpec

    from llmwiki.tally import Options
    from llmwiki.workspace import Workspace

# Raised when a parser or a renderer changes what it makes of the same bytes: every source is then read again.
READER = 4

_HOME = re.compile(r"(?:/home|/Users)/([^/]+)|[A-Za-z]:[\\/]Users[\\/]([^\\/]+)")


@dataclass(frozen=True, slots=True)
class Seen:
    """What is remembered of a source: enough to know that nothing changed, and to filter without reading it again.

    `family` signs the sources that it may share records with, `root` is the folder that its project is known by,
    `outcome` the reason why it gave no page ("" when it gave one).
    """

    size: int
    mtime_ns: int
    family: str = ""
    id: str = ""
    root: str = ""
    ended: str = ""
    outcome: str = ""
    page: str = ""
    keys: tuple[str, ...] = ()
    wanted: str = ""
    complete: bool = False

    @classmethod
    def load(cls, value: Mapping[str, Any]) -> Seen | None:
        try:
            return cls(**{**value, "keys": tuple(value.get("keys", ()))})
        except TypeError:
            return None

    def dump(self) -> dict[str, Any]:
        return {k: v for k, v in asdict(self).items() if v}

    def fits(self, source: Source, family: str) -> bool:
        return (self.size, self.mtime_ns, self.family) == (source.size, source.mtime_ns, family)


def remembered(root: Path, rules: str) -> dict[str, Seen]:
    """Path -> what the last sync remembers of a source; nothing when it read them by other rules."""
    kept = cache.get(root, "sources")
    fits = kept.get("reader") == READER and kept.get("rules") == rules
    return {path: seen for path, v in kept.get("seen", {}).items() if (seen := Seen.load(v))} if fits else {}


def remember(root: Path, rules: str, seen: Mapping[str, Seen], secrets: Sequence[Mapping[str, str]] = ()) -> None:
    """What the next sync is to remember of the sources. One whose ids hold a secret is read again each time:
    that it was met is all that is kept."""
    ids = {path: "\n".join((*s.keys, s.wanted)) for path, s in seen.items()}
    redactor = Redactor(secrets)
    if redactor.find("\n".join(ids.values())):
        seen = {path: Seen(-1, -1) if redactor.find(ids[path]) else s for path, s in seen.items()}
    said = {path: s.dump() | {"size": s.size, "mtime_ns": s.mtime_ns} for path, s in seen.items()}
    cache.put(root, "sources", {"reader": READER, "rules": rules, "seen": said})


def paths_of(root: Path, ids: Collection[str]) -> list[str]:
    """The files in the agents' stores that gave the sessions of these native ids, as far as it is remembered. An older
    sync remembered some as they were typed, from some folder: each is named once."""
    seen = cache.get(root, "sources").get("seen", {})
    found = sorted(path for path, known in seen.items() if isinstance(known, dict) and known.get("id") in ids)
    whole = tuple(path for path in found if Path(path).is_absolute())
    typed = {p for p in found if p not in whole and any(w.endswith(f"/{Path(p).as_posix()}") for w in whole)}
    return [path for path in found if path not in typed]


def sayable(paths: Sequence[str], rules: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Path -> what may be written and printed of it, for those that hold a secret: it stays one of a kind."""
    redactor = Redactor(rules)
    if not redactor.find("\n".join(paths)):
        return {}
    return {
        path: f"{redactor.text(path)[0]}#{hashlib.sha256(path.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"
        for path in paths
        if redactor.find(path)
    }


def renamed(seen: Mapping[str, Seen], said: Mapping[str, str]) -> dict[str, Seen]:
    """The same memory with its paths said otherwise."""
    return {said.get(path, path): known for path, known in seen.items()}


@dataclass(frozen=True, slots=True)
class Read:
    """A source that was read: its session ready for a page, and what the counts need. `error` when it failed."""

    source: Source
    session: Session | None = None
    outcome: str = ""
    error: str = ""
    bad_lines: int = 0
    bytes: int = 0
    root: str = ""
    unknown: Mapping[str, int] = field(default_factory=dict)


class Redactors:
    """A Redactor for each person whose sessions are read: the name in `ls -l` and prompts is that of their home."""

    def __init__(self, rules: Sequence[Mapping[str, str]], home: str) -> None:
        self._rules, self._home = rules, home
        self._made: dict[str, Redactor] = {}

    def of(self, cwd: str = "") -> Redactor:
        """The one for whoever works in `cwd`, by default for the owner of this machine's home folder."""
        found = _HOME.match(cwd)
        user = (found[1] or found[2]) if found else Path(self._home).name
        if user not in self._made:
            self._made[user] = Redactor(self._rules, home=self._home, user=user)
        return self._made[user]


def read(source: Source, known: Known, redactors: Redactors) -> Read:
    """Reads one source; what goes wrong with it is its own affair and becomes `error`."""
    redactor = redactors.of()
    try:
        parsed: Parsed = adapters.load(source.agent).read(source, known, redactor.find)
    except OSError as cause:
        return Read(source, error=redactor.text(f"{cause.strerror or cause}; check the file and its permissions")[0])
    except MemoryError:
        return Read(source, error="too big for the memory of this machine")
    except Exception as cause:
        # A bug of ours, or of a plugged-in part: it costs this source, and the others are read.
        said = f"the adapter {source.agent} failed on it ({type(cause).__name__}: {cause}); report it"
        return Read(source, error=redactor.text(said)[0])
    session = parsed.session
    root = ingest.project_root((parsed.cwds or (session.cwd if session else "",))[0], parsed.repository)
    if redactor.find(root):  # it names the project and is remembered; a home folder in it stays, to be compared
        root = redactor.text(root)[0]
    common: dict[str, Any] = {"bad_lines": parsed.bad_lines, "bytes": parsed.bytes, "unknown": parsed.unknown}
    common["root"] = root
    if parsed.own:
        return Read(source, outcome="own", **common)
    if session is None:
        return Read(source, outcome=parsed.skipped or "empty", **common)
    return Read(source, ingest.prepare(session, redactors.of(session.cwd)), **common)


def still_failed(before: Sequence[Mapping[str, str]], looked_at: Collection[str] | None) -> list[Mapping[str, str]]:
    """The failures of earlier syncs that one which looked at these sources alone (None: at all) says nothing about."""
    if looked_at is None:
        return []
    return [f for f in before if f["source"] not in looked_at and Path(f["source"]).exists()]


# -- more than one process


@dataclass(frozen=True, slots=True)
class Given:
    """What one source needs to know of the others, as plain values that another process can be given."""

    owned: Claims
    ids: frozenset[str]

    def claims(self, source: Source) -> Claims:
        return self.owned

    def has(self, native: str) -> bool:
        return native in self.ids


_worker: dict[str, Any] = {}


def _start(rules: Sequence[Mapping[str, str]], home: str, ids: frozenset[str]) -> None:
    _worker.update(redactors=Redactors(rules, home), ids=ids)


def _work(source: Source, claims: Claims) -> Read:
    return read(source, Given(claims, _worker["ids"]), _worker["redactors"])


def read_all(
    wanted: Iterable[tuple[Source, Claims]], ids: frozenset[str], config: Config, home: str, jobs: int
) -> Iterator[Read]:
    """Every source read, in the order given, with `jobs` processes. No more than a few results wait at a time."""
    if jobs <= 1:
        redactors = Redactors(config.redact_rules, home)
        yield from (read(source, Given(claims, ids), redactors) for source, claims in wanted)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs, initializer=_start, initargs=(config.redact_rules, home, ids)) as pool:
        waiting = []
        for source, claims in wanted:
            waiting.append(pool.submit(_work, source, claims))
            if len(waiting) > 2 * jobs:
                yield waiting.pop(0).result()
        yield from (future.result() for future in waiting)


# -- filters


@dataclass(frozen=True, slots=True)
class Filter:
    """What a sync takes: the reasons of CLI.md for leaving a source out, asked before and after it is read.

    `repository` is the wiki's own, "" for none; `anywhere`: sessions of other repositories are taken too.
    """

    session: str = ""
    since: str = ""
    project: str = ""
    config: Config = field(default_factory=Config)
    repository: str = ""
    anywhere: bool = False
    ignored: PathSpec[Any] | None = None

    def before(self, source: Source) -> str:
        """The reason that its path alone gives, "" when none."""
        if self.session and not any(_named(self.session, key) for key in (source.key, source.parent)):
            return "filtered"
        return "ignored" if self.ignored and self.ignored.match_file(source.path.lstrip("/")) else ""

    def after(self, project: str, root: str, ended: str) -> str:
        """The reason that what is inside gives, "" when none."""
        if self.ignored and self.ignored.match_file(project):
            return "ignored"
        if any(fnmatch.fnmatch(project, glob) for glob in self.config.exclude):
            return "filtered"
        wanted = [*([self.project] if self.project else self.config.projects)]
        if wanted and not any(fnmatch.fnmatch(project, glob) for glob in wanted):
            return "filtered"
        if self.since and ended and ended < self.since:
            return "filtered"
        return "" if self.anywhere or self.ours(root) else "filtered"

    def ours(self, root: str) -> bool:
        """Whether a session belongs to the repository of this wiki: inside it, or a clone that lies elsewhere. A wiki
        of no repository is for all of them."""
        if not self.repository:
            return True
        here = Path(self.repository)
        inside = Path(root) == here or here in Path(root).parents
        return inside or (ingest.base_name(root) == ingest.base_name(self.repository) and not Path(root).is_dir())


def filter_of(wiki: Workspace, options: Options, since: str) -> Filter:
    """The Filter that the flags and the settings ask for."""
    config = wiki.config
    repository = str((wiki.root / config.repository).resolve()) if config.repository else ""
    ignored = ignore_file(wiki.read(".llmwikiignore"))
    # A source that a person names is wanted, whatever repository it comes from.
    return Filter(options.session, since, options.project, config, repository, bool(options.sources), ignored)


def _named(wanted: str, key: str) -> bool:
    return bool(key) and (key == wanted or key.startswith(wanted) or wanted.endswith(f"-{key}"))


def ignore_file(text: str | None) -> PathSpec[Any] | None:
    """The rules of `.llmwikiignore`, in gitignore's syntax; None when there are none."""
    if not text or not text.strip():
        return None
    import pathspec

    return pathspec.GitIgnoreSpec.from_lines(text.splitlines())
