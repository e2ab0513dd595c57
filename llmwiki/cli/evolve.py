"""llmwiki evolve: near-duplicates as one page, what recurs as a rule, better variants of skills."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import plural, rows
from llmwiki.cli.screen import Screen

EXAMPLES = """
llmwiki evolve --dry-run       the plan, nothing is written
llmwiki evolve                 carries it out; llmwiki undo takes it back
llmwiki evolve --trials 6      compares more variants of each skill
"""
COLUMNS = ("seen", "failed", "cured", "lines", "score")


def command(
    trials: Annotated[int, typer.Option("--trials", metavar="N", help="Variants of a skill at least, from 3.")] = 3,
    yes: Annotated[bool, typer.Option("--yes", help="Go on when more than a fifth of the records would go.")] = False,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Make one page of near-duplicates, propose what recurs as a heuristic, and better variants of skills.

    The plan comes first. Pages that you wrote or changed stay; the others' sources and lines go into the page that
    stays. Proposals are quarantined until you promote or discard them with llmwiki review. Exit code 1 when records
    were held back: then nothing was written.
    """
    screen = Screen(json, quiet)

    def show(plan: dict[str, Any]) -> None:
        if not json and (dry_run or not quiet):
            screen.result(plan, planned(plan))

    with screen.wiki(wiki, writes=True) as found:
        done = found.evolve(trials=trials, yes=yes, dry_run=dry_run, show=show)
    screen.summary(done, summary(done), dry_run=dry_run)
    return 1 if done["held"] else 0


def planned(plan: dict[str, Any]) -> Iterator[str]:
    """What would be done, and the table of each skill's variants."""
    for merge in plan["merges"]:
        yield f"merge into {merge['into']}: {', '.join(merge['ids'])}"
    for rule in plan["heuristics"]:
        yield f"propose {rule['id']}: {rule['title']}"
        yield f"  for {rule['project'] or 'every project'}, from {', '.join(rule['parents'])}"
    for table in plan["tables"]:
        yield f"variants of {table['skill']}"
        cells = [(row["variant"], *(f"{row[key]:g}" for key in COLUMNS)) for row in table["rows"]]
        yield from (f"  {line}" for line in rows([("variant", *COLUMNS), *cells]))
        if table["joined"]:
            yield f"  propose {table['joined']}: {'; '.join(table['parts'])}"
        else:
            yield "  none is better than what there is"


def summary(done: dict[str, Any]) -> Iterator[str]:
    joined = sum(one["state"] == "quarantined" for one in done["variants"])
    yield (
        f"evolve: {plural(done['clusters'], 'cluster')}, {done['merged']:,} merged, {done['promoted']:,} promoted, "
        f"{plural(joined, 'variant')} proposed"
    )
    if done["held"]:
        yield f"held: {', '.join(done['held'])}"
        yield "so many at once is unusual: look at them with llmwiki show, then run llmwiki evolve --yes"
