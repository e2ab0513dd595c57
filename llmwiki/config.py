"""A wiki's settings: `llmwiki.toml` read into a Config, the file that `init` writes, and one key set in place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from llmwiki.config_keys import AGENT, DAYS, KEYS, NUMBERS, RULE, Key
from llmwiki.errors import WikiError
from llmwiki.model import Config, Diagnostic
from llmwiki.schema import AGENTS

Found = tuple[dict[str, Any], list[Diagnostic]]


class _Notes:
    """Warnings about one file, each with the line that it is about."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path
        self.list: list[Diagnostic] = []

    def add(self, dotted: str, message: str) -> None:
        line = _line(self.text, dotted)
        self.list.append(Diagnostic("config", "config", self.path, message, "warning", line))

    def unknown(self, dotted: str, known: Iterable[str]) -> None:
        near = _nearest(dotted, known, 0.0)
        self.add(dotted, f"unknown setting {dotted}" + (f"; did you mean {near}?" if near else ""))

    def value(self, dotted: str, key: Key, value: Any) -> Any:
        """The value that counts: the one given, or the default with a warning."""
        try:
            return key.read(value)
        except ValueError:
            default = list(key.default) if isinstance(key.default, tuple) else key.default
            self.add(dotted, f"{dotted} must be {key.wanted}, not {value!r}; {default!r} is used")
            return key.default


def parse(text: str, path: str = "llmwiki.toml") -> tuple[Config, tuple[Diagnostic, ...]]:
    """The settings, and a warning for each key that is unknown or has a value it cannot have (its default stays).

    `lifecycle` and `ttl` hold only what the file says. Raises WikiError with the line when the file is no TOML.
    """
    import tomllib

    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as cause:  # a number of thousands of digits is a bare ValueError
        where = str(cause).replace("at end of document", f"at line {text.rstrip().count(chr(10)) + 1}, the last one")
        raise WikiError(f"{path} is no TOML: {where}; mend that line") from cause
    notes = _Notes(text, path)
    fields: dict[str, Any] = {}
    for name, section in table.items():
        reader = _SECTIONS.get(name)
        if reader is None:
            notes.unknown(name, _known())
        elif not isinstance(section, dict):
            notes.add(name, f"{name} must be a table; write [{name}]")
        else:
            fields.update(reader(name, section, notes))
    return Config(**fields), tuple(notes.list)


def _known() -> list[str]:
    tables = [*(f"lifecycle.{name}" for name in NUMBERS), *(f"ttl.{name}" for name in DAYS)]
    return [*_SECTIONS, *KEYS, *tables]


def _simple(name: str, section: Mapping[str, Any], notes: _Notes) -> dict[str, Any]:
    found = {}
    for key, value in section.items():
        dotted = f"{name}.{key}"
        if dotted not in KEYS:
            notes.unknown(dotted, [known for known in _known() if "." in known])
            continue
        field, setting = KEYS[dotted]
        found[field] = notes.value(dotted, setting, value)
        if dotted == "sync.agents":
            _check_agents(dotted, found[field], notes)
    return found


def _check_agents(dotted: str, agents: Iterable[str], notes: _Notes) -> None:
    """Warns of a name that looks like one of ours misspelt; any other may belong to a plug-in."""
    for agent in agents:
        near = _nearest(agent, AGENTS, 0.75) if agent not in AGENTS else ""
        if near:
            notes.add(dotted, f"unknown agent {agent}; did you mean {near}?")


def _nearest(word: str, known: Iterable[str], least: float) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), 1, least)), "")


def _agents(name: str, section: Mapping[str, Any], notes: _Notes) -> dict[str, Any]:
    roots: dict[str, tuple[str, ...]] = {}
    disabled = []
    for agent, settings in section.items():
        _check_agents(f"{name}.{agent}", [agent], notes)
        if not isinstance(settings, dict):
            notes.add(f"{name}.{agent}", f"{name}.{agent} must be a table; write [{name}.{agent}]")
            continue
        found = dict(_keyed(f"{name}.{agent}", settings, AGENT, notes))
        if found.get("roots"):
            roots[agent] = found["roots"]
        if found.get("enabled") is False:
            disabled.append(agent)
    return {"roots": roots, "disabled": tuple(sorted(disabled))}


def _keyed(
    prefix: str, section: Mapping[str, Any], table: Mapping[str, Key], notes: _Notes
) -> Iterator[tuple[str, Any]]:
    for key, value in section.items():
        if key in table:
            yield key, notes.value(f"{prefix}.{key}", table[key], value)
        else:
            notes.unknown(f"{prefix}.{key}", [f"{prefix}.{known}" for known in table])


def _lifecycle(name: str, section: Mapping[str, Any], notes: _Notes) -> dict[str, Any]:
    return {"lifecycle": dict(_keyed(name, section, NUMBERS, notes))}


def _ttl(name: str, section: Mapping[str, Any], notes: _Notes) -> dict[str, Any]:
    return {"ttl": dict(_keyed(name, section, DAYS, notes))}


def _projects(name: str, section: Mapping[str, Any], notes: _Notes) -> dict[str, Any]:
    key = Key("", "")
    for alias, project in section.items():
        if not isinstance(project, str):
            notes.value(f"{name}.{alias}", key, project)
    return {"aliases": {alias: project for alias, project in section.items() if isinstance(project, str)}}


def _redact(name: str, section: Mapping[str, Any], notes: _Notes) -> dict[str, Any]:
    rules = section.get("rules", [])
    for key in section:
        if key != "rules":
            notes.unknown(f"{name}.{key}", [f"{name}.rules"])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        notes.add(f"{name}.rules", f"{name}.rules must be tables; write [[{name}.rules]]")
        return {}
    read = [dict(_keyed(f"{name}.rules", rule, RULE, notes)) for rule in rules]
    for rule in read:
        if not rule.get("name") or not rule.get("pattern"):
            notes.add(f"{name}.rules", "a redact rule needs a name and a pattern")
    # A rule that cannot work stays: the redactor then refuses to run, where leaving it out would let secrets through.
    return {"redact_rules": tuple(read)}


_SECTIONS = {
    **{dotted.split(".")[0]: _simple for dotted in KEYS},
    "agents": _agents,
    "lifecycle": _lifecycle,
    "ttl": _ttl,
    "redact": _redact,
    "projects": _projects,
}


def _line(text: str, dotted: str) -> int:
    """The 1-based line on which a key or its table stands; 0 when it is written in some other way."""
    section, best = "", 0
    table, _, _ = dotted.rpartition(".")
    for number, line in enumerate(text.split("\n"), 1):
        header = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]", line)
        if header:
            section = header[1].replace('"', "")
            best = best or (number if section in (dotted, table) else 0)
        name = re.match(r"\s*\"?([\w.-]+)\"?\s*=", line)
        if name and dotted == ".".join(part for part in (section, name[1]) if part):
            return number
    return best


# --- writing

_INTRO = """# The settings of this wiki. Every key stands here with its default: take the # away to change one.
# Patterns of files and projects that are never read belong into .llmwikiignore.
"""
_ABOUT = {
    "lifecycle": "How memory ages and how far one use moves it.",
    "ttl": "How long each type of record lasts without being used.",
    "agents": """# Where an agent's sessions lie, when not in its usual place; one table an agent.
# [agents.claude-code]
# roots = ["~/elsewhere/projects"]
# enabled = true
""",
    "redact": """# Your own secrets, beside the built-in rules; one table a rule. `hint` is a text that all contain.
# [[redact.rules]]
# name = "intranet-token"
# pattern = "itk_[A-Za-z0-9]{24}"
# hint = "itk_"
""",
    "projects": """# Projects that have two names: the one found = the one meant.
[projects]
# "old-name" = "new-name"
""",
}


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _table(name: str, keys: Mapping[str, Key]) -> str:
    lines = [f"# {key.doc}\n# {leaf} = {_toml(key.default)}\n" for leaf, key in keys.items()]
    about = f"# {_ABOUT[name]}\n" if name in _ABOUT else ""
    return f"{about}[{name}]\n" + "".join(lines)


def _document() -> str:
    tables: dict[str, dict[str, Key]] = {}
    for dotted, (_, key) in KEYS.items():
        section, leaf = dotted.split(".")
        tables.setdefault(section, {})[leaf] = key
    tables |= {"lifecycle": NUMBERS, "ttl": DAYS}
    order = ["wiki", "sync", "agents", "index", "context", "lifecycle", "ttl", "llm", "redact", "projects"]
    return "\n".join([_INTRO, *(_table(name, tables[name]) if name in tables else _ABOUT[name] for name in order)])


DEFAULT_TOML = _document()


def set_value(text: str, dotted: str, value: Any) -> str:
    """The settings file with one key set, or taken out with None; every other line stays as it is.

    A commented default of that key is replaced where it stands. Raises WikiError when the file is no TOML, or the key
    cannot be there.
    """
    parse(text)
    section, _, leaf = dotted.rpartition(".")
    lines = text.split("\n")
    at = _commented(lines, section, leaf) if value is not None and not _is_set(text, dotted) else None
    if at is not None:
        ending = "\r" if lines[at].endswith("\r") else ""
        lines[at] = f"{leaf} = {_toml(value)}{ending}"
        return "\n".join(lines)
    return _edited(text, dotted.split("."), value)


def _is_set(text: str, dotted: str) -> bool:
    import tomllib

    found: Any = tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    for name in dotted.split("."):
        if not isinstance(found, dict) or name not in found:
            return False
        found = found[name]
    return True


def _commented(lines: list[str], section: str, leaf: str) -> int | None:
    """The line of `# leaf = …` within a live section."""
    here = ""
    for number, line in enumerate(lines):
        header = re.match(r"\s*\[++([^\]]+)\]", line)
        here = header[1].strip() if header else here
        if here == section and re.match(rf"#\s?{re.escape(leaf)}\s*=", line):
            return number
    return None


def _edited(text: str, names: list[str], value: Any) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    bom, text = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    try:
        document = tomlkit.parse(text)
        table: Any = document
        for name in names[:-1]:
            if name not in table:
                if value is None:
                    return bom + text
                table[name] = tomlkit.table()
            table = table[name]
        if value is None:
            table.pop(names[-1], None)
        else:
            table[names[-1]] = list(value) if isinstance(value, tuple) else value
        return bom + tomlkit.dumps(document)
    except (TOMLKitError, TypeError, AttributeError) as cause:
        raise WikiError(f"{'.'.join(names)} cannot be set in llmwiki.toml: {cause}") from cause
