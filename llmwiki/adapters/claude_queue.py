"""Prompts that were typed while Claude Code worked. Some come back as user records, some exist in the queue alone."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass(slots=True)
class _Waiting:
    number: int
    at: str
    text: str
    origin: str


class Queue:
    """What was entered and not yet heard elsewhere. Holds the few prompts that are open, nothing else."""

    def __init__(self) -> None:
        self.pending: deque[_Waiting] = deque()
        self.delivered: list[_Waiting] = []
        self.late: set[str] = set()

    def enter(self, number: int, at: str, text: str, origin: str) -> None:
        """A text enters; one that nobody typed enters as "", so that the order of leaving stays true."""
        self.pending.append(_Waiting(number, at, text, origin))

    def leave(self, number: int, operation: str, text: str) -> None:
        """The oldest text is handed over (dequeue), taken back (remove), or all go back to be edited (popAll)."""
        if not self.pending:
            return
        if operation == "dequeue":
            left = self.pending.popleft()
            if left.text:
                self.delivered.append(left)
                if number > left.number + 1:
                    self.late.add(left.text.strip())
        elif operation in ("remove", "popAll"):
            same = next((w for w in self.pending if text and w.text.strip() == text.strip()), None)
            if same is not None:
                self.pending.remove(same)
            elif operation == "popAll" and not text:
                self.pending.clear()
            else:
                self.pending.popleft()

    def heard(self, text: str) -> None:
        """A user text was read: what it contains is not to be told a second time."""
        if self.delivered:
            self.delivered = [w for w in self.delivered if not _within(w.text, text)]
        for waiting in self.pending:
            if waiting.text and _within(waiting.text, text):
                waiting.text = ""

    def waited(self, text: str) -> bool:
        """Whether a prompt had to wait in the queue: it was not handed over at once."""
        return text.strip() in self.late

    def unheard(self) -> list[tuple[int, str, str, str]]:
        """(line, time, text, origin) of what was typed and appears nowhere else."""
        return [(w.number, w.at, w.text, w.origin) for w in [*self.delivered, *self.pending] if w.text]


def _within(short: str, text: str) -> bool:
    """Whether a text repeats a queued one. A word like "yes" must stand on lines of its own to be a repetition."""
    short, text = short.strip(), text.strip()
    if short not in text:
        return False
    return len(short) >= 16 or f"\n{short}\n" in f"\n{text}\n"
