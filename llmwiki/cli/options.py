"""The options that every command shares."""

from __future__ import annotations

from typing import Annotated

import typer

WikiOption = Annotated[
    str,
    typer.Option(
        "--wiki",
        metavar="DIR",
        show_default=False,
        help="The wiki to use. Else $LLMWIKI_ROOT, the nearest folder above with an llmwiki.toml, or the default wiki.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Say nothing but results and errors.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Print what would happen, and touch nothing.")]
SHARED = ("wiki", "json", "quiet", "dry_run", "help")
