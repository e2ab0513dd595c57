"""The `hooks` command: an agent calls `context` before each prompt, and `sync` after each session.

It is about an agent and not about one wiki: the hooks find the wiki from where the agent works, as every command does.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from llmwiki import hook_files, hooks, root
from llmwiki.errors import WikiError

AGENT = "claude-code"
AGENTS = (AGENT,)  # those whose settings we know
ACTIONS = ("install", "status", "uninstall")


@dataclass(slots=True)
class _Seen:
    """The settings files that hold hooks of ours, and what is wrong with them."""

    files: list[str] = field(default_factory=list)
    entries: list[hooks.Entry] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def act(action: str, agent: str, wiki: str = "", local: bool = False, dry_run: bool = False) -> dict[str, Any]:
    """`{agent, installed, files, hooks: [{event, command}], changed: [path], problems: [sentence]}`: how it is
    afterwards, or would be; then with the `diff` of the files, line by line. `local`: in the settings of the project
    around the working folder."""
    if action not in ACTIONS:
        raise WikiError(f"hooks knows no {action!r}; say one of {', '.join(ACTIONS)}")
    if not agent:
        raise WikiError(f"hooks {action} needs an agent: llmwiki hooks {action} {AGENT}")
    if agent not in AGENTS:
        cure = f"hooks are known for {AGENT} alone; any agent may run `llmwiki context` and `llmwiki sync` by itself"
        raise WikiError(f"no hooks for {agent} yet; {cure}")
    texts = _texts(action == "status")
    plan = {}
    if action == "install":
        plan = _install(texts, wiki, local)
    elif action == "uninstall":
        plan = _uninstall(texts, local)
    diff = [line for path, text in plan.items() for line in _diff(path, texts[path], text)]
    for path, text in plan.items():
        if not dry_run:
            hook_files.write(path, texts[path], text)
        texts[path] = text
    return _document(texts, [str(path) for path in plan]) | ({"diff": diff} if dry_run else {})


def _diff(path: Path, before: str | None, after: str | None) -> Iterator[str]:
    """What changes in a file, as `diff -u` tells it: little around it, for a person's settings may hold secrets."""
    import difflib

    names = ["/dev/null" if text is None else str(path) for text in (before, after)]
    old, new = ((text or "").splitlines() for text in (before, after))
    return difflib.unified_diff(old, new, fromfile=names[0], tofile=names[1], n=1, lineterm="")


def _texts(lenient: bool) -> dict[Path, str | None]:
    """Every file in which hooks for the working folder may stand, the user's first, with its text."""
    found: dict[Path, str | None] = {}
    for path in (hook_files.user_file(os.environ), *hook_files.project_files(Path.cwd())):
        try:
            found[path] = hook_files.read(path)
        except WikiError:
            if not lenient:
                raise
            found[path] = ""
    return found


def _install(texts: dict[Path, str | None], wiki: str, local: bool) -> dict[Path, str | None]:
    """The file to write with its new text; nothing when it holds these hooks already."""
    path = _local() if local else hook_files.user_file(os.environ)
    text = texts[path]
    new = hooks.installed(f"{hooks.EMPTY}\n" if text is None else text, _commands(wiki), str(path))
    return {} if new == text else {path: new}


def _commands(wiki: str) -> dict[str, str]:
    """Event -> what the shell is to run at it. A wiki is named only when a person named one."""
    named = f" --wiki {shlex.quote(str(root.find_root(wiki, os.environ, Path.cwd())))}" if wiki else ""
    program = shlex.quote(hook_files.program())
    return {event: f"{program} {command} {hooks.MARK}{named}" for event, (command, _) in hooks.EVENTS.items()}


def _uninstall(texts: dict[Path, str | None], local: bool) -> dict[Path, str | None]:
    """Each file that holds hooks of ours, without them; None for one that held nothing else."""
    plan: dict[Path, str | None] = {}
    for path, text in texts.items():
        if text is None or hooks.MARK not in text or (local and path not in hook_files.project_files(Path.cwd())):
            continue
        new = hooks.removed(text, str(path))
        if new != text:
            plan[path] = None if new == f"{hooks.EMPTY}\n" else new
    return plan


def _local() -> Path:
    return hook_files.project_files(Path.cwd())[0]


def _document(texts: dict[Path, str | None], changed: list[str]) -> dict[str, Any]:
    seen = _Seen()
    for path, text in texts.items():
        if text is not None:
            _look(seen, str(path), text)
    present = {entry.event for entry in seen.entries}
    if present:
        absent = [event for event in hooks.EVENTS if event not in present]
        seen.problems += [f"nothing is called at {event}; run `llmwiki hooks install {AGENT}`" for event in absent]
        seen.problems += _twice(seen)
        seen.problems += dict.fromkeys(p for entry in seen.entries for p in _programless(entry))
        seen.problems += _wikiless(seen.entries)
    return {
        "agent": AGENT,
        "installed": present >= set(hooks.EVENTS),
        "files": seen.files,
        "hooks": [entry._asdict() for entry in seen.entries],
        "changed": changed,
        "problems": seen.problems,
    }


def _look(seen: _Seen, path: str, text: str) -> None:
    """Notes what one file holds."""
    try:
        found, off = hooks.entries(text), hooks.are_off(text)
    except (ValueError, RecursionError):
        seen.problems.append(f"{path} is not valid JSON, so no hook of it runs; mend it")
        return
    if found:
        seen.files.append(path)
        seen.entries += found
    if off:
        seen.problems.append(f"{path} switches every hook off; take disableAllHooks out of it")


def _twice(seen: _Seen) -> Iterator[str]:
    """What is wrong when one event calls us more than once: the agent would be told everything twice."""
    events = [entry.event for entry in seen.entries]
    more = [event for event in hooks.EVENTS if events.count(event) > 1]
    if more:
        cure = f"`llmwiki hooks uninstall {AGENT} --local` takes the project's out and leaves your own"
        if len(seen.files) == 1:
            cure = f"run `llmwiki hooks install {AGENT}` again"
        where = " and ".join(seen.files)
        yield f"{', '.join(more)}: called more than once, by {where}, so that a prompt gets two blocks; {cure}"


def _words(entry: hooks.Entry) -> list[str]:
    try:
        return shlex.split(entry.command)
    except ValueError:
        return [entry.command]


def _programless(entry: hooks.Entry) -> Iterator[str]:
    program = _words(entry)[0]
    if not hook_files.is_program(program):
        yield f"there is no program {program}; run `llmwiki hooks install {AGENT}` again"


def _wikiless(entries: list[hooks.Entry]) -> Iterator[str]:
    """Why nothing is said here: no hook of an event finds a wiki. One that does is enough."""
    said = dict[str, None]()
    for event in hooks.EVENTS:
        mine = [_no_wiki(entry) for entry in entries if entry.event == event]
        said |= dict.fromkeys(mine) if all(mine) else {}
    for why in said:
        yield f"{why}; until then the hooks say nothing here"


def _no_wiki(entry: hooks.Entry) -> str:
    """Why a hook finds no wiki from here, "" when it finds one."""
    words = _words(entry)
    named = words[words.index("--wiki") + 1 :][:1] if "--wiki" in words else []
    try:
        root.find_root(named[0] if named else None, os.environ, Path.cwd())
    except WikiError as cause:
        return str(cause)
    return ""
