"""A task -> the block that an agent is told: classify, plan, choose, compose (MEMORY.md, "Speaking"). Pure.

Loaded by the hook: no imports that cost. Tokens are never counted here. Each part of a line was counted when its page
was indexed, and the sum of the parts is at least what the text is; the tests hold that against the real tokenizer.
"""

from __future__ import annotations

from llmwiki import block, words
from llmwiki.indexes.entries import ending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from llmwiki.indexes.entries import Entry, Scored

LINE_CHARS = 500  # of one record's line; a skill that is told whole has one for each step
JOINT = 2  # tokens between two parts of a line, at most
ALWAYS, JOINS = 3, "always"  # records that join any block; the reason of those
LAYERS = (
    ("Rules", ("preference", "heuristic")),
    ("Known failures", ("failure",)),
    ("How to", ("skill",)),
    ("Facts", ("fact",)),
    ("Strategy", ("strategy",)),
)
WHOLE = ("skill", "strategy")  # their title is part of what they say
# Task type -> stems of the words that make it, so that no hook stems them again. In the order of schema.TASK_TYPES;
# the first of equals wins.
SIGNS = {
    "debug": "broken bug crash debug error except fail failur fix flaki hang panic regress segfault traceback wrong",
    "build": "add build compil creat featur generat implement make new port support write",
    "test": "assert benchmark coverag fixtur jest mock pytest spec test unittest",
    "refactor": "clean dedup extract migrat move refactor remov renam restructur simplifi split upgrad",
    "explain": "describ document explain mean summar understand what where",
    "configure": "config configur depend disabl enabl environ instal option set setup variabl version",
    "deploy": "ci deploy docker kubernet pipelin product publish releas rollout ship stage",
    "review": "approv audit check critiqu diff feedback inspect pull pull-request request review secur",
}
# What answers tells what is asked where the words do not: type of record -> task type, and how much of one word all of
# them weigh together.
VOTES = {"failure": "debug", "skill": "build", "fact": "explain", "strategy": "build"}
VOTE = 0.9
DOMAINS, DEEPEST = 16, 24  # that are named; records that are asked for theirs
# Task type -> how many of each type at first; places that stay empty go to whatever scores best.
PLANS = {
    "debug": {"failure": 3, "fact": 2, "skill": 1, "preference": 2, "heuristic": 1, "strategy": 1},
    "build": {"preference": 3, "skill": 2, "failure": 2, "fact": 2, "heuristic": 1, "strategy": 1},
    "test": {"preference": 2, "skill": 2, "failure": 2, "fact": 2, "heuristic": 1, "strategy": 1},
    "refactor": {"preference": 3, "heuristic": 2, "failure": 2, "skill": 1, "fact": 1, "strategy": 1},
    "explain": {"fact": 4, "preference": 1, "failure": 1, "heuristic": 1, "skill": 1, "strategy": 1},
    "configure": {"fact": 3, "preference": 2, "failure": 2, "skill": 2, "heuristic": 1, "strategy": 1},
    "deploy": {"skill": 2, "failure": 3, "fact": 2, "preference": 2, "heuristic": 1, "strategy": 1},
    "review": {"preference": 3, "heuristic": 2, "failure": 2, "fact": 2, "skill": 1, "strategy": 1},
}


class Classified:
    """What a task is, by its words and by what the wiki knows about it: `type`, one of schema.TASK_TYPES, and its
    domains. Deterministic, and trained on nothing but the wiki: `found` are the records that answer, best first."""

    def __init__(self, task: str, files: Sequence[str], found: Sequence[Scored]) -> None:
        self._found = found
        self._words = words.count([*words.terms(task), *words.terms(" ".join(files))])
        scores = {kind: _hits(self._words, signs) for kind, signs in SIGNS.items()}
        for s in found:
            if s.entry.type in VOTES:
                scores[VOTES[s.entry.type]] += VOTE * s.similarity * s.coverage / len(found)
        best = max(scores, key=lambda name: scores[name])
        self.type = best if scores[best] else "build"

    def domains(self, project: str, tags: Callable[[Entry], Sequence[str]] | None = None) -> dict[str, float]:
        """Domain -> weight, the heaviest first; the weights sum to 1. A domain is a project, a type of record or a tag
        of this wiki, and weighs what its records answer of the task; the project at hand weighs as one of them."""
        weights: dict[str, float] = {f"project:{project}": 1.0} if project else {}
        for s in self._found[:DEEPEST]:
            worth = s.similarity * s.coverage
            named = [f"project:{s.entry.project}"] if s.entry.project else []
            for name in (*named, f"type:{s.entry.type}", *(tags(s.entry) if tags else ())):
                weights[name] = weights.get(name, 0.0) + worth * (2 if name in self._words else 1)
        total = sum(weights.values()) or 1.0
        heavy = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:DOMAINS]
        return {name: round(weight / total, 2) for name, weight in heavy if weight / total >= 0.005}


def _hits(counts: Mapping[str, int], signs: str) -> float:
    return sum(min(counts.get(term, 0), 3) for term in signs.split())


def plan(kind: str, limit: int) -> dict[str, int]:
    """Record type -> how many of it, at first, for this type of task."""
    return {name: min(n, max(limit, 0)) for name, n in PLANS[kind].items()}


def chosen(found: Sequence[Scored], numbers: Mapping[str, int], limit: int) -> list[Scored]:
    """At most `limit` of the ranked ones: first what the plan asks for, then whatever is left, in rank order."""
    left = dict(numbers)
    taken: list[Scored] = []
    for s in found:
        if len(taken) < limit and left.get(s.entry.type, 0) > 0:
            left[s.entry.type] -= 1
            taken.append(s)
    for s in found:
        if len(taken) < limit and s not in taken:
            taken.append(s)
    return sorted(taken, key=found.index)


def mode(taken: Sequence[Scored]) -> str:
    """How firmly the block speaks: by the surest skill in it."""
    best = max((s.effective for s in taken if s.entry.type == "skill"), default=0.0)
    return "prescriptive" if best >= 0.90 else "guided" if best >= 0.70 else "exploratory"


class Line:
    """What a record says in a block: its text, line end included, and a bound on its tokens."""

    __slots__ = ("cost", "scored", "text")

    def __init__(self, scored: Scored, text: str, cost: int) -> None:
        self.scored, self.text, self.cost = scored, text, cost


def told(scored: Scored, costs: Sequence[int], whole: bool = False) -> Line:
    """The record as one line, or, when `whole`, its title in one and each further part in a line of its own."""
    entry = scored.entry
    parts = entry.parts()
    end = ending(entry, scored.foreign)
    cost = costs[-1 if scored.foreign else -2] + 2
    titled = entry.type in WHOLE or not any(parts)
    if whole:
        below = [(part, n) for part, n in zip(parts, costs, strict=False) if part]
        text = f"- {entry.title}{end}\n" + "".join(f"  - {part}\n" for part, _ in below)
        return Line(scored, text, cost + costs[-4] + sum(n + 4 for _, n in below))
    picked = _picked(scored, parts, LINE_CHARS)
    texts = ([entry.title] if titled else []) + [parts[i] for i in picked]
    cost += (costs[-4] if titled else 0) + sum(costs[i] for i in picked) + JOINT * len(texts)
    return Line(scored, f"- {_joined(texts)}{end}\n", cost)


def _picked(scored: Scored, parts: Sequence[str], room: int) -> list[int]:
    """Which parts fit into a line: those that answer best, then in order; told in the order of the page."""
    spoken = [i for i, part in enumerate(parts) if part]
    order = [i for _, i in scored.best if i < len(parts) and parts[i]]
    if scored.entry.type == "failure":
        order = _sickness(parts, order, spoken) + order
    picked: list[int] = []
    for i in dict.fromkeys([*order, *spoken]):
        if not picked or sum(len(parts[j]) + 2 for j in picked) + len(parts[i]) <= room:
            picked.append(i)
    return sorted(picked)


def _sickness(parts: Sequence[str], order: Sequence[int], spoken: Sequence[int]) -> list[int]:
    """What is told of a failure first: the symptom that answers best, the cure and the cause. None says much alone; a
    cure that only tells that it passed is none."""
    seen = [i for i in (*order, *spoken) if not parts[i].startswith(("because: ", "cure: ", "avoid: "))]
    cures = [i for i in spoken if parts[i].startswith("cure: ") and not parts[i].startswith("cure: Then ")]
    causes = [i for i in spoken if parts[i].startswith("because: ")]
    return (seen or list(spoken))[:1] + cures[:1] + causes[:1]


def _joined(texts: Sequence[str]) -> str:
    return "".join(t + ("" if i == len(texts) - 1 else " " if t[-1] in ".!?;:," else "; ") for i, t in enumerate(texts))


class Composed:
    """A block: `text`, `tokens` (a bound on it, by the sum of its parts), `mode`, and the lines that are in it.
    `tight`: the budget was felt, and with smaller counts more might have been told."""

    __slots__ = ("left_out", "lines", "mode", "text", "tight", "tokens")

    def __init__(
        self, text: str, tokens: int, mode: str, lines: list[Line], left_out: list[Scored], tight: bool = False
    ) -> None:
        self.text, self.tokens, self.mode, self.lines, self.left_out = text, tokens, mode, lines, left_out
        self.tight = tight


def compose(taken: Sequence[Scored], budget: int, limits: str, costs: Callable[[Entry], list[int]]) -> Composed:
    """The block of these records, within `budget` tokens whatever they hold; empty when not even one fits.

    The best skill is told whole when it fits, the others in a line; what does not fit is left out, and the next tried.
    """
    spent, lines, left_out = _frame(limits), [], []
    best_skill = next((s for s in taken if s.entry.type == "skill"), None)
    headed: set[str] = set()
    tight = False
    for s in taken:
        counted = costs(s.entry)
        layer = next(name for name, types in LAYERS if s.entry.type in types)
        extra = counted[-3] + 1 + (0 if layer in headed else bound(f"## {layer}\n"))
        forms = [told(s, counted, whole=True)] if s is best_skill else []
        for line in (*forms, told(s, counted)):
            if spent + extra + line.cost <= budget:
                spent += extra + line.cost
                lines.append(line)
                headed.add(layer)
                break
            tight = True
        else:
            left_out.append(s)
    if all(line.scored.reason == JOINS for line in lines):  # alone they make no block
        return Composed("", 0, "exploratory", [], left_out, tight)
    return Composed(_text(lines, limits), spent, mode([line.scored for line in lines]), lines, left_out, tight)


def _frame(limits: str) -> int:
    return (
        bound(block.BLOCK_OPEN)
        + bound(block.NOTICE)
        + bound(limits)
        + bound("Mode: prescriptive.")
        + bound(block.BLOCK_CLOSE)
        + 4
    )


def _text(lines: Sequence[Line], limits: str) -> str:
    ordered = [(name, line) for name, types in LAYERS for line in lines if line.scored.entry.type in types]
    ids = " ".join(line.scored.entry.id for _, line in ordered)
    out, layer = [block.BLOCK_OPEN % ids + "\n", block.NOTICE + "\n"], ""
    for name, line in ordered:
        if name != layer:
            out.append(f"## {name}\n")
            layer = name
        out.append(line.text)
    manner = mode([line.scored for line in lines])
    return "".join([*out, f"Mode: {manner}. {limits}\n", block.BLOCK_CLOSE + "\n"])


def bound(text: str) -> int:
    """A bound on the tokens of a text of our own words, ids, numbers and dates, without the tokenizer."""
    total = 0
    for word in text.split():
        letters = sum(c.isalpha() for c in word)
        total += 1 + (letters + 2) // 3 + (len(word) - letters)
    return total


def limits_line(limits: Mapping[str, object]) -> str:
    """The block's last line: what was not searched, and how new the newest source is."""
    missing = [f"{limits['stale']} stale", f"{limits['waiting']} waiting for review"]
    absent = limits.get("no_adapter")
    if isinstance(absent, list) and absent:
        missing.append(f"sessions of {len(absent)} agents without an adapter")
    notes = limits.get("notes")
    found = [f"Not searched: {', '.join(missing)}."]
    if isinstance(notes, list) and notes:
        found.append(f"Note: {'; '.join(map(str, notes))}.")
    found.append(f"Newest source: {block.quote(str(limits['newest'])) or 'none'}.")
    return " ".join(found)
