"""The command tree, built one command at a time: only what is called is imported."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from llmwiki.cli import COMMANDS
from llmwiki.cli.options import SHARED
from llmwiki.errors import WikiError

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
NAMES = [name for group in COMMANDS.values() for name in group]
START = """
\b
To begin:
  llmwiki init              a wiki for this repository
  llmwiki sync              read your sessions
  llmwiki context "fix the login test"
"""


class Command(TyperCommand):
    """One command. Its help shows its own options first, then those that every command shares."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread(args))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        shown = [(param, param.get_help_record(ctx)) for param in self.get_params(ctx)]
        sections: dict[str, list[Any]] = {"Arguments": [], "Options": [], "Options of every command": []}
        for param, line in shown:
            if line is not None:
                shared = "Options of every command" if param.name in SHARED else "Options"
                sections["Arguments" if param.param_type_name == "argument" else shared].append(line)
        for title, lines in sections.items():
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)


class Commands(TyperGroup):
    """The table of commands as a group that imports a command when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(NAMES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return build(cmd_name) if cmd_name in NAMES else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in NAMES and not args[0].startswith("-"):
            close = get_close_matches(args[0], NAMES, n=1, cutoff=0.5)
            raise WikiError(f"there is no command '{args[0]}'; {nearest(close)}llmwiki --help lists them all")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, commands in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(max(map(len, NAMES))), text) for name, text in commands.items()])


def spread(args: Sequence[str]) -> list[str]:
    """`--files a b --tool x` as `--files a --files b --tool x`: Typer's options take one value each.

    >>> spread(["fix it", "--files", "a", "b", "--json"])
    ['fix it', '--files', 'a', '--files', 'b', '--json']
    """
    found: list[str] = []
    many = first = False
    for arg in args:
        if arg.startswith("-"):
            many = first = arg == "--files"
        elif many and not first:
            found.append("--files")
        else:
            first = False
        found.append(arg)
    return found


def nearest(close: Sequence[str] | None) -> str:
    """The beginning of a cure that names what was probably meant, "" when nothing is near."""
    return f"the nearest is '{close[0]}', and " if close else ""


def build(name: str) -> TyperCommand:
    """The command of this name, from its own module: `command` is its body, EXAMPLES and LEGEND the end of its help."""
    module = import_module(f"llmwiki.cli.{name}")
    app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=SETTINGS)
    examples = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in module.EXAMPLES.strip().splitlines())
    legend = "\n\n\b\n" + module.LEGEND if hasattr(module, "LEGEND") else ""
    app.command(name, cls=Command, epilog=examples + legend)(module.command)
    built = typer.main.get_command(app)
    assert isinstance(built, TyperCommand)
    return built


def whole() -> TyperGroup:
    """The group of all commands, none of them imported yet."""
    app = typer.Typer(
        cls=Commands, add_completion=False, rich_markup_mode=None, context_settings=SETTINGS, epilog=START
    )
    app.callback(invoke_without_command=True)(root)
    built = typer.main.get_command(app)
    assert isinstance(built, TyperGroup)
    return built


def root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Compile the sessions of your coding agents into a wiki, and get back what helps with the next task.

    Every command takes --wiki DIR, --json and --quiet; a command that changes files takes --dry-run.
    """
    if version:
        from llmwiki import __version__

        print(f"llmwiki {__version__}")
    elif ctx.invoked_subcommand is None:
        print(ctx.get_help())


def run(argv: list[str]) -> int:
    """Runs the command that the arguments name and returns its exit code. Raises WikiError for a wrong request."""
    try:
        with whole().make_context("llmwiki", argv) as ctx:
            return int(ctx.command.invoke(ctx) or 0)
    except typer.Exit as end:
        return end.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as trouble:
        if not hasattr(trouble, "format_message"):  # Typer's usage errors; their class moves from release to release
            raise
        raise WikiError(_sentence(trouble)) from None


def _sentence(usage: Any) -> str:
    """What is wrong with the arguments, in one sentence that ends with where to look."""
    ctx = getattr(usage, "ctx", None)
    where = ctx.command_path if ctx is not None else "llmwiki"
    close = getattr(usage, "possibilities", None)
    said = (usage.message if close else usage.format_message()).rstrip(".")
    cure = (
        f"{nearest(close)}{where} --help lists them all" if hasattr(usage, "possibilities") else f"see {where} --help"
    )
    return f"{said[:1].lower()}{said[1:]}; {cure}"
