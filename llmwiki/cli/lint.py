"""llmwiki lint: what is wrong in the wiki."""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from llmwiki.cli import lint_formats
from llmwiki.cli.options import DryRunOption, JsonOption, QuietOption, WikiOption
from llmwiki.cli.plain import one_line, plural
from llmwiki.cli.screen import Screen
from llmwiki.errors import WikiError

EXAMPLES = """
llmwiki lint                        everything, a few findings of each rule
llmwiki lint --rule dead-link       all that one rule finds; a code like LW201 will do
llmwiki lint --fix --dry-run        what would be mended
llmwiki lint --deep                 also prove that index, graph and files agree
llmwiki lint --format github        annotations for a pull request
"""
SHOWN = {"error": 10, "warning": 5, "info": 2}


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    GITHUB = "github"
    SARIF = "sarif"


def command(
    fix: Annotated[bool, typer.Option("--fix", help="Mend what is safe to mend; llmwiki undo takes it back.")] = False,
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="CODE", show_default=False, help="Only this rule, by code or name; repeatable."),
    ] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Also prove that index, graph and files agree.")] = False,
    format: Annotated[
        Format, typer.Option("--format", help="How findings are printed: for people, GitHub, or code scanning.")
    ] = Format.TEXT,
    wiki: WikiOption = "",
    json: JsonOption = False,
    quiet: QuietOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Say what is wrong in the wiki, and how many things each rule examined. docs/rules.md explains the rules.

    Exit code 1 when there is an error or a warning; what is only info is told and gives 0.
    """
    if json and format is not Format.TEXT:
        raise WikiError(f"--json and --format {format} are two answers to one question; give one of them")
    screen = Screen(json, quiet)
    with screen.wiki(wiki, writes=fix) as found:
        report = found.lint(fix=fix, rules=tuple(rule or ()), deep=deep, dry_run=dry_run)
        root = found.root if format is not Format.TEXT else Path()
    if format is Format.TEXT:
        plan = ["dry run: nothing was written"] if dry_run else []
        screen.result(report, [*text(report, bool(rule), dry_run), *plan])
    elif format is Format.GITHUB:
        screen.write("\n".join(lint_formats.github(report, _prefix(root))))
    else:
        screen.write(lint_formats.sarif(report, _prefix(root)))
    return 1 if any(d["severity"] != "info" for d in report["diagnostics"]) else 0


def _prefix(root: Path) -> str:
    """What leads from here to the wiki, "" when it is here or elsewhere: a pipeline names files from its checkout."""
    way = os.path.relpath(root, Path.cwd())
    return "" if way == "." or way.startswith("..") else f"{Path(way).as_posix()}/"


def text(report: dict[str, Any], everything: bool = False, plan: bool = False) -> Iterator[str]:
    """The report for a person: each rule with its first findings, what was mended (or would be), then what was examined
    without any finding."""
    by_code: dict[str, list[dict[str, Any]]] = {}
    for d in report["diagnostics"]:
        by_code.setdefault(d["code"], []).append(d)
    order = {severity: n for n, severity in enumerate(SHOWN)}
    for found in sorted(by_code.values(), key=lambda f: min((order[d["severity"]], d["code"]) for d in f)):
        yield from _rule(sorted(found, key=lambda d: order[d["severity"]]), report["checked"], everything)
    for one in report.get("fixed", ()):
        yield f"{'would mend' if plan else 'mended'}: {one_line(one['path'])}: {_short(one['why'])}"
    yield from _examined(report, by_code)


def _rule(found: list[dict[str, Any]], checked: dict[str, int], everything: bool) -> Iterator[str]:
    first = found[0]
    code, severity = first["code"], first["severity"]
    yield f"{code} {one_line(first['rule'])}: {len(found):,} of {checked.get(code, 0):,}"
    shown = found if everything else found[: SHOWN[severity]]
    for d in shown:
        where = f"{one_line(d['path'])}:{d['line']}" if d["line"] else one_line(d["path"])
        fixable = " (--fix)" if d["fixable"] else ""
        yield f"  {d['severity']}: {where}: {_short(d['message'])}{fixable}"
    if len(found) > len(shown):
        yield f"  and {len(found) - len(shown):,} more: llmwiki lint --rule {code}"


def _short(message: str) -> str:
    said = one_line(message)
    return said if len(said) <= 200 else said[:199].rstrip() + "…"


def _examined(report: dict[str, Any], by_code: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    checked = report["checked"]
    fine = [f"{code} {n:,}" for code, n in checked.items() if n and code not in by_code]
    idle = [code for code, n in checked.items() if not n]
    if fine:
        yield f"nothing wrong: {', '.join(fine)}"
    if idle:
        yield f"nothing to examine: {', '.join(idle)}"
    numbers = dict.fromkeys(SHOWN, 0)
    for d in report["diagnostics"]:
        numbers[d["severity"]] += 1
    said = ", ".join(plural(n, severity) for severity, n in numbers.items() if n) or "nothing wrong"
    fixable = sum(d["fixable"] for d in report["diagnostics"])
    more = f", {fixable:,} can be mended with --fix" if fixable else ""
    yield f"lint: {plural(len(checked), 'rule')} examined {plural(sum(checked.values()), 'thing')}: {said}{more}"
