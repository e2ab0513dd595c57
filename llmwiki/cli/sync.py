"""llmwiki sync: sessions to raw pages to records."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import counted, given_way, legend, megabytes, plural, rows
from llmwiki.cli.screen import Screen
from llmwiki.schema import REFUSALS

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace

EXAMPLES = """
llmwiki sync                                  everything that is new
llmwiki sync --dry-run                        what would come in
llmwiki sync --agent codex --since 2026-01-01
llmwiki sync --source ~/backup/.claude        a store that lies elsewhere
llmwiki sync --session 3f2a90c1               one session now, also when it is still going
"""
LEGEND = legend(REFUSALS)


def command(
    agent: Annotated[
        list[str] | None, typer.Option("--agent", metavar="NAME", help="Only this agent; may be repeated.")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            metavar="PATH",
            help="Read this store, folder or file instead, the sessions of every project in it; may be repeated.",
        ),
    ] = None,
    since: Annotated[
        str, typer.Option("--since", metavar="DATE", show_default=False, help="Only sessions that went on after it.")
    ] = "",
    project: Annotated[
        str, typer.Option("--project", metavar="GLOB", show_default=False, help="Only projects of this name.")
    ] = "",
    session: Annotated[
        str,
        typer.Option("--session", metavar="ID", show_default=False, help="Only this one, and now, finished or not."),
    ] = "",
    no_synthesize: Annotated[bool, typer.Option("--no-synthesize", help="Write raw pages only, no records.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="How many processes read.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Read sources again that have not changed.")] = False,
    commit: Annotated[bool, typer.Option("--commit", help="Make one git commit of what changed.")] = False,
    hook: Annotated[
        str,
        typer.Option(
            "--hook",
            metavar="AGENT",
            show_default=False,
            help="Answer this agent's hook: the session that its JSON on standard input says is over. Never fails.",
        ),
    ] = "",
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Read new sessions of your agents and learn from them.

    Finds sessions, writes a raw page for each, makes records of those that are finished (an hour without a word),
    applies age and refreshes the index. Secrets are taken out before anything is written. Nothing new changes nothing.
    Exit code 1 when a source could not be read.
    """
    if hook:
        from llmwiki.cli import session_hook

        return session_hook.answer(hook, wiki, dry_run)
    screen = Screen(json, quiet)
    wanted: dict[str, Any] = {
        "agents": agent or (),
        "sources": source or (),
        "since": since,
        "project": project,
        "session": session,
        "synthesize": not no_synthesize,
        "jobs": jobs,
        "force": force,
    }
    with screen.wiki(wiki, writes=True) as found:
        if not (json or quiet or dry_run) and not agreed(found, screen, wanted):
            screen.write("nothing was written; choose with --project, or [sync] in llmwiki.toml")
            return 0
        with screen.progress() as progress:
            done = found.sync(**wanted, commit=commit, dry_run=dry_run, progress=progress)
        if not done["discovered"]:
            screen.note("no session was found; `llmwiki agents` shows where I look, and --source reads another place")
    screen.summary(done, summary(done), dry_run=dry_run)
    return 1 if done["failed"] else 0


def agreed(found: Workspace, screen: Screen, wanted: dict[str, Any]) -> bool:
    """Whether the person at the terminal wants what the first sync would take. Asked once, and only where one sits."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or found.status().get("last_sync"):
        return True
    with screen.progress() as progress:
        plan = found.survey(**wanted, progress=progress)
    if not plan["new"]:
        return True
    print("The first sync takes the sessions of these projects into the wiki:", file=sys.stderr)
    for line in rows(sorted((plan.get("projects") or {}).items())):
        print(f"  {line}", file=sys.stderr)
    return typer.confirm(f"Take in {plural(plan['new'], 'session')}?", default=True, err=True)


def summary(done: dict[str, Any]) -> Iterator[str]:
    """The result in lines of which each begins with what it counts; the last one says what waits."""
    counts = {key: int(done[key]) for key in ("new", "updated", "unchanged")}
    skipped, failed, records = done["skipped"], done["failed"], done["records"]
    everything = {**counts, "skipped": sum(skipped.values()), "failed": len(failed)}
    said = ", ".join(f"{n:,} {name}" for name, n in everything.items())
    yield f"sessions: {done['discovered']:,} found: {said}"
    if sum(skipped.values()):
        yield f"skipped: {counted(skipped)}"
    for failure in failed:
        yield f"failed: {failure['source']}: {failure['error']}"
    if failed:
        yield "failed sources are read again at each sync; mend or move the file, or name it in .llmwikiignore"
    if done.get("projects") and done["new"]:
        yield f"projects: {counted(done['projects'])}"
    if done["turns"] or done["bad_lines"]:
        bad = f", {plural(done['bad_lines'], 'bad line')}" if done["bad_lines"] else ""
        turns = f"{plural(done['turns'], 'turn')}, {plural(done['prompts'], 'prompt')}"
        yield f"read: {turns}, {megabytes(done['bytes'])}{bad}"
    yield from records_summary(records)
    if done.get("aged"):
        yield f"aged: {counted(done['aged'])}; undo with `llmwiki undo`"
    yield f"waits: {waiting(done.get('waiting') or [], done.get('quarantine') or {})}"


def records_summary(records: dict[str, Any]) -> Iterator[str]:
    """What became of the lessons: kept, strengthened, silenced by a later one, refused and why."""
    superseded = records.get("superseded") or []
    if records["created"] or records["reinforced"] or superseded:
        held = f" ({records['quarantined']:,} quarantined)" if records["quarantined"] else ""
        gone = f", {len(superseded):,} superseded" if superseded else ""
        yield f"records: {records['created']:,} created{held}, {records['reinforced']:,} reinforced{gone}"
    yield from given_way(superseded)
    if any(records["refused"].values()):
        yield f"refused: {counted(records['refused'])}"


def waiting(sessions: list[dict[str, Any]], quarantine: dict[str, Any]) -> str:
    """What is not finished yet, and when it will be; what is finished and was not asked for; what is in quarantine."""
    ready = [one for one in sessions if one.get("ready")]
    going = [str(one["until"]) for one in sessions if not one.get("ready")]
    said = []
    if going:
        said.append(f"{plural(len(going), 'session')} still going, until {max(going)} when no word is added")
    if ready:
        said.append(f"{plural(len(ready), 'session')} ready for llmwiki synthesize")
    timed, person = quarantine.get("timed"), quarantine.get("person")
    if timed:
        said.append(
            f"{plural(timed, 'record')} in quarantine, released from {quarantine['until']} on if nobody objects"
        )
    if person:
        said.append(f"{plural(person, 'record')} for you to decide")
    if timed or person:
        said.append("next: llmwiki review")
    return "; ".join(said) or "nothing"
