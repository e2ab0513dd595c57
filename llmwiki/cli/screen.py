"""Where a command's answer goes: results to stdout, everything else to stderr, Rich only where a person is looking."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from llmwiki.block import quote
from llmwiki.cli.plain import clean, json_text, line, one_line, rows
from llmwiki.cli.streams import silence_stdout

if TYPE_CHECKING:
    from llmwiki.workspace import Workspace

Progress = Callable[[str, int, int], None]
SECONDS_BETWEEN_LINES = 10.0


class Screen:
    """How one run of a command speaks. With `json` the document is all there is; with `quiet` stderr stays empty."""

    def __init__(self, json: bool = False, quiet: bool = False) -> None:
        self.json = json
        self.quiet = quiet
        self.terminal = sys.stdout.isatty() and not json

    @contextmanager
    def wiki(self, directory: str, writes: bool = False) -> Iterator[Workspace]:
        """The wiki that the command is about; what it noticed on the way is said when the work is over."""
        from llmwiki.workspace import Workspace

        found = Workspace.find(directory or None)
        if writes and (replaced := clock_sentence()):
            found.notice(replaced)
        try:
            yield found
        finally:
            for notice in found.notices:
                self.note(notice)

    def note(self, sentence: str) -> None:
        """One line on stderr, unless quiet."""
        if not self.quiet:
            print(f"llmwiki: {quote(clean(sentence))}", file=sys.stderr)

    def result(self, document: Any, lines: Iterable[object]) -> None:
        """The answer: the document with --json, else these lines, each of which is one."""
        self.write(json_text(document) if self.json else "\n".join(map(line, lines)))

    def summary(self, document: Any, lines: Iterable[object], dry_run: bool = False) -> None:
        """What a command did, in counts: not said when quiet. A plan (`dry_run`) is always said."""
        if self.json or dry_run or not self.quiet:
            plan = ["dry run: nothing was written"] if dry_run else []
            self.result(document, [*lines, *plan])

    def table(self, document: Any, columns: Sequence[str], cells: Sequence[Sequence[object]]) -> None:
        """The answer as a table: Rich on a terminal, else one aligned line a row without a header."""
        if self.terminal:
            self._rich_table(columns, cells)
        else:
            self.result(document, rows(cells))

    def write(self, text: str) -> None:
        """Text and a newline on stdout; nothing for nothing. A reader that has gone away is no error."""
        try:
            sys.stdout.write(f"{text}\n" if text else "")
            sys.stdout.flush()
        except BrokenPipeError:
            silence_stdout()

    @contextmanager
    def progress(self) -> Iterator[Progress | None]:
        """A callable (stage, done, total) for long work: bars on a terminal, else some lines; None when quiet."""
        if self.quiet:
            yield None
        elif sys.stderr.isatty():
            with _bars() as bars:
                yield bars
        else:
            yield _lines()

    def _rich_table(self, columns: Sequence[str], cells: Sequence[Sequence[object]]) -> None:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for column in columns:  # folded, never cut: an id or a path that ends in … is of no use
            table.add_column(column, overflow="fold")
        for row in cells:
            table.add_row(*(Text(one_line(cell)) for cell in row))
        if cells:
            Console().print(table)


def clock_sentence() -> str:
    """What a writer says when the clock is not the real one: its dates go into pages. The Workspace says the same."""
    from llmwiki import clock

    return f"the clock is replaced: LLMWIKI_NOW={os.environ[clock.VARIABLE]}" if clock.is_replaced() else ""


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    text = TextColumn("{task.description}", markup=False)
    columns = (text, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:

        def move(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(one_line(stage), total=None)
            bars.update(tasks[stage], completed=done, total=total or None)

        yield move


def _lines() -> Progress:
    """A line on stderr every ten seconds: enough to see in a log that the work goes on, nothing for short work."""
    said = monotonic()

    def move(stage: str, done: int, total: int) -> None:
        nonlocal said
        if monotonic() - said >= SECONDS_BETWEEN_LINES:
            said = monotonic()
            print(f"llmwiki: {one_line(stage)} {done:,} of {total:,}", file=sys.stderr)

    return move
