"""A report of `lint` for machines: annotations of GitHub's runners, and SARIF 2.1.0 for code scanning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from llmwiki.block import unmarked
from llmwiki.cli.plain import clean, json_text, one_line, plural

LEVELS = {"error": "error", "warning": "warning", "info": "notice"}
SARIF_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HOME = "https://pypi.org/project/llmwiki-compiler/"


def github(report: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """One workflow command a diagnostic, then a line that says what was examined."""
    for d in report["diagnostics"]:
        place = f"file={_property(prefix + d['path'])}" + (f",line={d['line']}" if d["line"] else "")
        title = _property(f"{d['code']} {d['rule']}")
        yield unmarked(f"::{LEVELS[d['severity']]} {place},title={title}::{_escaped(one_line(d['message']))}")
    checked = report["checked"]
    examined = ", ".join(f"{code} {n}" for code, n in checked.items())
    yield f"llmwiki lint: {plural(len(report['diagnostics']), 'finding')}; examined: {examined}"


def _escaped(text: str) -> str:
    """Text as a workflow command's message: what would end the line, or is an escape itself, is escaped."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Text as a property of a workflow command, where commas and colons end something too."""
    return _escaped(re.sub(r"[^\S ]", " ", clean(text))).replace(":", "%3A").replace(",", "%2C")


def sarif(report: dict[str, Any], prefix: str = "") -> str:
    """The report as one SARIF document: every rule that ran is described, also one that found nothing."""
    from llmwiki import __version__, lint

    table = lint.table()
    codes = list(report["checked"])
    driver = {
        "name": "llmwiki",
        "version": __version__,
        "informationUri": HOME,
        "rules": [_described(code, table[code], lint.described(code)) for code in codes],
    }
    results = [_result(d, codes, prefix) for d in report["diagnostics"]]
    examined = {"examined": report["checked"]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results, "properties": examined}
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _described(code: str, rule: Any, words: str) -> dict[str, Any]:
    first = " ".join(words.partition("\n\n")[0].split())
    return {
        "id": code,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": first or rule.name},
        "fullDescription": {"text": " ".join(words.split()) or rule.name},
        "help": {"text": words or rule.name, "markdown": words or rule.name},
        "defaultConfiguration": {"level": SARIF_LEVELS[rule.severity]},
    }


def _result(d: dict[str, Any], codes: list[str], prefix: str) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(prefix + d["path"], errors="replace")}}
    if d["line"]:
        place["region"] = {"startLine": d["line"]}
    return {
        "ruleId": d["code"],
        "ruleIndex": codes.index(d["code"]),
        "level": SARIF_LEVELS[d["severity"]],
        "message": {"text": one_line(d["message"]) or d["rule"]},
        "locations": [{"physicalLocation": place}],
    }
