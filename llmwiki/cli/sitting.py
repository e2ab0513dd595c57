"""One sitting over the queue, at a terminal: a page, a key, the next page. A decision is written before the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from llmwiki.cli.plain import clean, counted, one_line, plural
from llmwiki.cli.typed import phrase
from llmwiki.errors import WikiError

if TYPE_CHECKING:
    from llmwiki.cli.screen import Screen
    from llmwiki.workspace import Workspace

KEYS = {
    "p": "promote: it may speak from now on",
    "d": "discard: it is wrong or of no use; asks why, and sync will not learn it again",
    "m": "merge: another page says this; asks which, and takes sources, lines and links there",
    "a": "archive: put it aside; sync will not learn it again",
    "s": "skip: leave it waiting",
    "q": "quit; what you decided is written",
    "?": "this help",
}
BAR = "p promote  d discard  m merge  a archive  s skip  q quit  ? help"
DONE = {"p": "promoted", "d": "discarded", "m": "merged", "a": "archived", "s": "skipped"}


def sit(wiki: Workspace, screen: Screen, queue: list[dict[str, Any]]) -> None:
    """Shows what waits, page by page, and carries out what a person says to each, until the end or `q`."""
    sitting = _Sitting(wiki, screen)
    for number, one in enumerate(queue, 1):
        if not sitting.one(one["id"], one["path"], f"{number} of {len(queue)}"):
            break
    sitting.end()


class _Sitting:
    """A person at a terminal, and what they have decided so far."""

    def __init__(self, wiki: Workspace, screen: Screen) -> None:
        self.wiki, self.screen = wiki, screen
        self.console = Console(highlight=False, markup=False, emoji=False)
        self.decided: dict[str, int] = {}

    def say(self, text: object, style: str = "") -> None:
        """Lines for a person: nothing that a session said reaches the terminal but its letters."""
        self.console.print(Text(clean(text), style=style), soft_wrap=False)

    def one(self, id: str, path: str, place: str) -> bool:
        """One page, and the key for it. False when the person wants to stop."""
        page = self.wiki.waiting_page(path)
        if page is None:
            return True  # decided meanwhile: merged away, or by another hand
        self.show(page, place)
        while True:
            self.say(BAR, "dim")
            key = _key()
            if key == "q":
                return False
            if key == "s" or (key in DONE and self.decide(key, id)):
                self.decided[DONE[key]] = self.decided.get(DONE[key], 0) + 1
                return True
            if key == "?":
                self.say("\n".join(f"  {name}  {text}" for name, text in KEYS.items()))

    def show(self, page: dict[str, Any], place: str) -> None:
        self.console.print(Rule(Text(f"{place} · {page['type']} · {plural(page['age_days'], 'day')}")))
        self.say(one_line(page["title"]), "bold")
        self.say(f"waits: {one_line(page['reason'])}", "yellow")
        for line, style in body(page):
            self.say(line, style)
        self.say("")

    def decide(self, key: str, id: str) -> bool:
        """Carries out a decision; False when the person took it back or it cannot be done."""
        options: dict[str, Any] = {}
        if key == "d":
            reason = self.ask("why (Enter: no reason, Ctrl-D: back)? ")
            if reason is None:
                return False
            options["reason"] = reason
        if key == "m" and not (options := self.target(id)):
            return False
        try:
            done = self.wiki.review(
                {"p": "promote", "d": "discard", "m": "merge", "a": "archive"}[key], [id], **options
            )
        except WikiError as refusal:
            self.say(one_line(refusal), "red")
            return False
        self.say(f"{DONE[key]} {id}" + (f" into {done['changed'][-1]['id']}" if key == "m" else ""), "green")
        self.notices()
        return True

    def target(self, id: str) -> dict[str, Any]:
        """Which page a record is merged into, {} for none: a number of those that are alike, or an id."""
        near = self.wiki.alike(id)
        for number, other in enumerate(near, 1):
            self.say(f"  {number}  {other['id']}: {one_line(other['title'])}")
        said = self.ask(f"into which ({'number or ' if near else ''}id, Enter: back)? ")
        if said and said.isdecimal() and 0 < int(said) <= len(near):
            said = near[int(said) - 1]["id"]
        return {"into": said} if said else {}

    def ask(self, question: str) -> str | None:
        """What a person types, None when they want back."""
        try:
            return phrase([input(question)]).strip()
        except EOFError:
            self.say("")
            return None

    def notices(self) -> None:
        """What the wiki noticed, said at once and not again at the end."""
        for notice in self.wiki.notices:
            self.screen.note(notice)
        self.wiki.notices.clear()

    def end(self) -> None:
        left = len(self.wiki.waiting())
        self.say(f"{counted(self.decided) or 'nothing decided'}; {plural(left, 'record')} waiting")
        if self.decided.keys() - {"skipped"}:
            self.say("llmwiki undo takes the last decision back", "dim")


def body(page: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Lines and their styles: what the page says, with numbers that lead to the words of the sessions below."""
    about = (page["id"], page["project"] or "every project", page["scope"], page["evidence"], page["checked"])
    yield " · ".join(map(one_line, about)), "dim"
    for name, lines in page["sections"]:
        yield "", ""
        if name:
            yield one_line(name), "bold"
        for text, numbers in lines:
            yield f"  {one_line(text)}{''.join(f' [{n}]' for n in numbers)}", ""
    for quote in page["quotes"]:
        yield "", ""
        yield f"[{quote['number']}] {source(quote)}", "dim"
        yield from ((f"    {line}", "") for line in quote["text"].splitlines())


def source(quote: dict[str, Any]) -> str:
    """Who said it, when, and where it stands."""
    who = ", ".join(filter(None, (quote["who"] or "not on this machine", quote["at"][:10])))
    return one_line(f"{who}: {quote['raw']} ^{quote['turn']}")


def _key() -> str:
    """One key, in lower case, without Enter; "" for a key that means nothing. The end of input is `q`."""
    try:
        typed = typer.getchar()
    except EOFError:
        return "q"
    return typed[:1].lower() if typed[:1].isprintable() else ""
