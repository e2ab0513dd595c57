"""Rules over a wiki: diagnostics, how much each rule examined, and what may be repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from llmwiki import markdown, registry
from llmwiki.errors import WikiError
from llmwiki.model import Change, Diagnostic, Wiki
from llmwiki.rules import RULES
from llmwiki.rules.base import Check, Findings, Found, Rule, Seen

SEVERITIES = ("error", "warning", "info")
ROUNDS = 5  # of repairs: a page that was moved may need its links looked at again


@dataclass(frozen=True, slots=True)
class Report:
    """What a run of rules found. `checked`: code -> how many things that rule examined."""

    diagnostics: tuple[Diagnostic, ...] = ()
    checked: Mapping[str, int] = field(default_factory=dict)
    found: tuple[Found, ...] = ()

    @property
    def bad(self) -> bool:
        """Whether something has to be done: an error or a warning. What is only told (info) is no finding."""
        return any(d.severity != "info" for d in self.diagnostics)

    def document(self) -> dict[str, Any]:
        """`{diagnostics: [{code, rule, severity, path, line, message, fixable}], checked: {code: n}}`."""
        keys = ("code", "rule", "severity", "path", "line", "message", "fixable")
        return {
            "diagnostics": [{key: getattr(d, key) for key in keys} for d in self.diagnostics],
            "checked": dict(self.checked),
        }


def table() -> dict[str, Rule]:
    """Code -> rule: ours, and those that other packages add."""
    specs = registry.names("rules", {code: rule.part for code, rule in RULES.items()})
    return {code: RULES.get(code) or _added(code, spec) for code, spec in sorted(specs.items())}


def _added(code: str, spec: str) -> Rule:
    """The line of the table for a rule of another package: what its function says of itself."""
    part = registry.load("rules", {}, code)
    severity = str(getattr(part, "SEVERITY", "warning"))
    if severity not in SEVERITIES:
        raise WikiError(f"the rule {code} ({spec}) has the severity {severity!r}; it may be {', '.join(SEVERITIES)}")
    name = str(getattr(part, "NAME", code.lower()))
    return Rule(name, severity, spec, bool(getattr(part, "FIXABLE", False)), bool(getattr(part, "DEEP", False)))


def check_of(code: str) -> Check:
    """The function of a rule."""
    check: Check = registry.load("rules", {c: rule.part for c, rule in RULES.items()}, code)
    return check


def chosen(named: Sequence[str] = (), deep: bool = False) -> dict[str, Rule]:
    """The rules that are meant: by code or name; without names all, those of `--deep` when it is asked for.

    WikiError for a name that no rule has.
    """
    known = table()
    if not named:
        return {code: rule for code, rule in known.items() if deep or not rule.deep}
    by_name = {key.casefold(): code for code, rule in known.items() for key in (code, rule.name)}
    wanted = {name: by_name.get(name.strip().casefold(), "") for name in named}
    lost = [name for name, code in wanted.items() if not code]
    if lost:
        raise WikiError(f"there is no rule {lost[0]!r}; take one of {', '.join(known)}, or its name")
    return {code: known[code] for code in sorted({*wanted.values()})}


def run(wiki: Wiki, seen: Seen, rules: Mapping[str, Rule]) -> Report:
    """What the rules find: sorted by path within each rule, no secret in a message."""
    checked: dict[str, int] = {}
    diagnostics: list[Diagnostic] = []
    everything: list[Found] = []
    for code, rule in rules.items():
        looked = _examined(code, wiki, seen)
        checked[code] = len(looked)
        found = sorted((f for some in looked for f in some), key=lambda f: (f.path, f.line, f.message))
        diagnostics += [_diagnostic(code, rule, f, seen) for f in found]
        everything += found
    return Report(tuple(diagnostics), checked, tuple(everything))


def _examined(code: str, wiki: Wiki, seen: Seen) -> list[Findings]:
    if code in RULES:
        return list(check_of(code)(wiki, seen))
    try:
        return list(check_of(code)(wiki, seen))
    except WikiError:
        raise
    except Exception as cause:
        raise WikiError(
            f"the rule {code} failed ({type(cause).__name__}: {cause}); report it to who wrote it"
        ) from cause


def _diagnostic(code: str, rule: Rule, found: Found, seen: Seen) -> Diagnostic:
    message = seen.redactor.text(found.message)[0]
    severity = found.severity or rule.severity
    return Diagnostic(code, rule.name, found.path, message, severity, found.line, found.fixable)


# -- repairs


def repairs(found: Iterable[Found], read: Callable[[str], str | None]) -> list[Change]:
    """The Changes that mend what can be mended safely: edits of a page one after another, then its move.

    A page that does not parse, or would not afterwards, is left alone.
    """
    by_path: dict[str, list[Found]] = {}
    for one in found:
        if one.edit or one.move:
            by_path.setdefault(one.path, []).append(one)
    return [change for path in sorted(by_path) for change in _mended(path, by_path[path], read)]


def _mended(path: str, found: Sequence[Found], read: Callable[[str], str | None]) -> list[Change]:
    old = text = read(path)
    if text is None:
        return []
    try:
        markdown.read(text, path)
        for edit in [f.edit for f in found if f.edit]:
            text = edit(text)
        markdown.read(text, path)
    except markdown.BadPage:
        return []
    why = "; ".join(dict.fromkeys(f.message for f in found))
    move = next((f.move for f in found if f.move and read(f.move) is None), "")
    if move:
        return [Change(path, None, f"moved to {move}"), Change(move, text, f"moved from {path}: {why}")]
    return [Change(path, text, why)] if text != old else []


# -- documentation

HEAD = """# The rules of `llmwiki lint`

Made from the rules' own words by `pytest --update`; do not edit it by hand.

`llmwiki lint` says what is wrong in a wiki and how many things each rule examined, so that "nothing wrong" and "nothing
looked at" differ. It exits with 1 when there is an **error** or a **warning**; what is an **info** is told, and is
no finding. `--rule` takes a code or a name, `--deep` adds the proofs of LW8xx, `--fix` mends what is marked so
(in one operation, which `llmwiki undo` takes back), `--fix --dry-run` prints the plan. In a pipeline:
`llmwiki lint --format github` for annotations, `llmwiki lint --format sarif > lint.sarif` for code scanning.

Another package adds a rule by an entry point in the group `llmwiki.rules`: its name is the rule's code, its value a
function as `llmwiki/rules/base.py` describes it.
"""


def documentation(rules: Mapping[str, Rule]) -> str:
    """`docs/rules.md`: the table, and each rule in its own words."""
    lines = [HEAD, "| code | rule | | `--fix` |", "|---|---|---|---|"]
    for code, rule in rules.items():
        lines.append(f"| {code} | {rule.name} | {_severities(rule)} | {'yes' if rule.fixable else ''} |")
    for code, rule in rules.items():
        marks = [_severities(rule), *(["`--fix`"] if rule.fixable else []), *(["`--deep` only"] if rule.deep else [])]
        lines.append(f"\n## {code} {rule.name}\n\n{', '.join(marks)}\n\n{described(code)}")
    return "\n".join(lines) + "\n"


def _severities(rule: Rule) -> str:
    return f"{rule.severity}, some {rule.also}" if rule.also else rule.severity


def described(code: str) -> str:
    """A rule's documentation: the docstring of its function, less the indentation."""
    from inspect import getdoc

    return (getdoc(check_of(code)) or "").strip()
