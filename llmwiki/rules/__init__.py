"""The table of lint rules: code -> its name, how bad a finding is, where it stands. To add one: a function, a line.

Codes are promises and are never used again; hundreds are families (1 pages, 2 links and names, 3 what is known, 4 what
is dangerous, 5 places, 6 conditions, 7 what is derived, 8 proofs of `--deep`). Another package adds a rule by an entry
point in the group `llmwiki.rules` whose name is its code; the function may carry NAME, SEVERITY, FIXABLE and DEEP.
"""

from __future__ import annotations

from llmwiki.rules.base import Rule

RULES: dict[str, Rule] = {
    "LW101": Rule("unreadable-page", "error", "llmwiki.rules.pages:unreadable"),
    "LW102": Rule("missing-key", "warning", "llmwiki.rules.pages:missing", fixable=True),
    "LW103": Rule("bad-date", "warning", "llmwiki.rules.pages:dates"),
    "LW104": Rule("bad-sections", "warning", "llmwiki.rules.pages:sections", also="info"),
    "LW105": Rule("duplicate-id", "error", "llmwiki.rules.pages:identities"),
    "LW201": Rule("dead-link", "warning", "llmwiki.rules.links:dead", fixable=True, also="info"),
    "LW202": Rule("dead-anchor", "warning", "llmwiki.rules.links:anchors"),
    "LW203": Rule("ambiguous-name", "warning", "llmwiki.rules.naming:ambiguous"),
    "LW204": Rule("bad-file-name", "warning", "llmwiki.rules.naming:files"),
    "LW205": Rule("orphan", "info", "llmwiki.rules.links:orphans"),
    "LW301": Rule("duplicate", "warning", "llmwiki.rules.alike:duplicates"),
    "LW302": Rule("contradiction", "warning", "llmwiki.rules.alike:contradictions", also="info"),
    "LW303": Rule("expired", "info", "llmwiki.rules.aged:expired"),
    "LW304": Rule("stale", "info", "llmwiki.rules.aged:stale"),
    "LW305": Rule("unverified", "error", "llmwiki.rules.grounds:unverified", also="info"),
    "LW306": Rule("source-gone", "info", "llmwiki.rules.grounds:gone"),
    "LW307": Rule("silenced", "warning", "llmwiki.rules.alike:silenced"),
    "LW401": Rule("secret", "error", "llmwiki.rules.hostile:secrets"),
    "LW402": Rule("instruction", "warning", "llmwiki.rules.hostile:instructions"),
    "LW403": Rule("hidden-text", "warning", "llmwiki.rules.hostile:hidden", also="info"),
    "LW501": Rule("wrong-folder", "warning", "llmwiki.rules.places:folders", fixable=True, also="info"),
    "LW601": Rule("bad-when", "warning", "llmwiki.rules.conditions:when"),
    "LW701": Rule("old-index", "info", "llmwiki.rules.derived:index", fixable=True, also="warning"),
    "LW702": Rule("old-navigation", "warning", "llmwiki.rules.derived:navigation", fixable=True),
    "LW801": Rule("index-proof", "error", "llmwiki.rules.proofs:index", fixable=True, deep=True),
    "LW802": Rule("graph-proof", "error", "llmwiki.rules.proofs:graph_agrees", deep=True),
}
