"""Every figure of retrieval on LoCoMo, with what was found for each question.

    python bench/retrieval.py --data locomo10.json [--out raw.jsonl] [--protocol one|each] [--ablations]
        [--backend sqlite|whoosh|memory]        (where the extra `vectors` is installed: with it as well)

Needs the data: `data/locomo10.json` of https://github.com/snap-research/locomo (Maharana et al., ACL 2024). Its licence
is CC BY-NC 4.0, so it is not bundled. S: one record a session; T: one record a turn. R@k: the share of a question's
evidence among the first k; MRR: one divided by the place of the first, 0 beyond ten; many: R@5 of the questions whose
evidence lies in several sessions. Numbers are printed, never asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import fmean, quantiles
from typing import IO, Any
from unittest.mock import patch

import baselines
import locomo
from locomo import CATEGORIES, Page, Question

from llmwiki import kin, retrieve
from llmwiki.embedders import base as embedders
from llmwiki.indexes.snapshot import Snapshot
from llmwiki.workspace import Workspace

Search = Callable[[str], list[str]]
Opened = Callable[[list[Page], Path, ExitStack], Search]
CORPORA = {"S": locomo.sessions, "T": locomo.turns}
GET = """no data: give --data FILE, the file data/locomo10.json of https://github.com/snap-research/locomo, e.g.
    curl -LO https://raw.githubusercontent.com/snap-research/locomo/main/data/locomo10.json
It is licensed CC BY-NC 4.0 and therefore not part of this repository."""
OFFTOPIC = Path(__file__).with_name("offtopic.txt")
# What is taken out of the ranking -> (object, name, value) that take it out.
ABLATIONS: dict[str, list[tuple[Any, str, Any]]] = {
    "no passages": [(retrieve, "PARTS", retrieve.PARTS | {"window": 0, "lines": 0})],
    "no phrases": [(retrieve, "PHRASE", 0)],
    "no neighbours": [(retrieve, "NEAR", 0)],
    "no session": [(retrieve, "PARTS", retrieve.PARTS | {"session": 0})],
    "no project": [(retrieve, "ELSEWHERE", 0)],
    "no kin of words": [(kin, "of", lambda term: {})],
    "kin as good alone": [(retrieve, "ALONE", 1.0)],
    "no near words and kinds": [
        (kin, "of", lambda term, of=kin.of: {other: worth for other, worth in of(term).items() if worth == 1})
    ],
}
# The graph: a record's turns, its session and its project are the edges that nobody has to draw.
ABLATIONS["no graph"] = [change for name in ("neighbours", "session", "project") for change in ABLATIONS[f"no {name}"]]


class Bench:
    """The questions, the rows that are printed, and the file that gets what was found."""

    def __init__(self, conversations: list[dict[str, Any]], protocol: str, out: IO[str] | None, home: Path) -> None:
        self.conversations, self.protocol, self.home, self._out = conversations, protocol, home, out
        self.questions = locomo.questions(conversations)
        self._wikis: dict[tuple[str, str, str], list[Path]] = {}

    def wikis(self, corpus: str, backend: str, vectors: str = "off") -> list[tuple[list[Page], Path, list[Question]]]:
        """(pages, its root, what is asked of it) of each wiki of the protocol; made once."""
        pages = CORPORA[corpus](self.conversations)
        groups = [(pages, self.questions)]
        if self.protocol == "each":
            groups = [
                ([p for p in pages if p.conversation == c], [q for q in self.questions if q.conversation == c])
                for c in range(len(self.conversations))
            ]
        made = corpus, backend, vectors
        if made not in self._wikis:
            roots = [self.home / f"{'-'.join(made)}-{n}" for n in range(len(groups))]
            for root, (some, _) in zip(roots, groups, strict=True):
                locomo.write(root, some, backend, vectors)
            self._wikis[made] = roots
        return [(some, root, qs) for root, (some, qs) in zip(self._wikis[made], groups, strict=True)]

    def row(self, name: str, corpus: str, backend: str, opened: Opened, vectors: str = "off") -> None:
        found: list[tuple[Question, list[float]]] = []
        seconds: list[float] = []
        with ExitStack() as stack:
            for pages, root, questions in self.wikis(corpus, backend, vectors):
                search = opened(pages, root, stack)
                for q in questions:
                    start = time.perf_counter()
                    ranked = search(q.text)[:10]
                    seconds.append(time.perf_counter() - start)
                    figures = measured(ranked, q.sessions if corpus == "S" else q.turns)
                    found.append((q, figures))
                    self.note(row=name, corpus=corpus, question=q, ranked=ranked, figures=figures, took=seconds[-1])
        print(_row(name, corpus, found, seconds), flush=True)

    def note(self, question: Question, took: float, **said: Any) -> None:
        if self._out:
            about = {"question": question.number, "conversation": question.conversation, "category": question.category}
            line = {"protocol": self.protocol, **about, **said, "ms": round(took * 1000, 2)}
            self._out.write(json.dumps(line) + "\n")


def measured(ranked: list[str], evidence: tuple[str, ...]) -> list[float]:
    """[R@5, R@10, MRR@10] of one question."""
    wanted = set(evidence)
    first = next((1 / n for n, id in enumerate(ranked, 1) if id in wanted), 0.0)
    return [len(wanted & set(ranked[:5])) / len(wanted), len(wanted & set(ranked)) / len(wanted), first]


def _row(name: str, corpus: str, found: list[tuple[Question, list[float]]], seconds: list[float]) -> str:
    whole = " ".join(f"{fmean(f[i] for _, f in found):.3f}" for i in range(3))
    many = [f[0] for q, f in found if len(q.sessions) > 1]
    kinds = [[f[0] for q, f in found if q.category == c] for c in CATEGORIES]
    each = " ".join(f"{fmean(kind):.3f}" if kind else "  -  " for kind in (many, *kinds))
    ms = [n * 1000 for n in quantiles(seconds, n=20)]
    return f"{name:26} {corpus}  {whole}   {each}  {ms[9]:6.1f} {ms[18]:6.1f}"


HEAD = (
    f"{'':26}    R@5   R@10  MRR     many  "
    + "  ".join(f"{name[:4]}" for name in CATEGORIES.values())
    + "   p50 ms p95 ms"
)


def by_door(pages: list[Page], root: Path, stack: ExitStack) -> Search:
    """What a person's program calls: each question opens the index and looks at the pages."""
    wiki = Workspace.open(root)
    return lambda text: [hit.id for hit in wiki.search(text, limit=10)]


def kept_open(pages: list[Page], root: Path, stack: ExitStack) -> Search:
    """The same ranking over one reader that stays open: what the memory backend needs, and ablations are quick with."""
    snapshot = Snapshot(str(root))
    stack.callback(snapshot.close)
    allowed = retrieve.Allowed(int(Workspace.open(root).now.timestamp()))
    return lambda text: [s.entry.id for s in retrieve.search(snapshot, text, allowed, 10)]


@contextmanager
def without(changes: list[tuple[Any, str, Any]]) -> Iterator[None]:
    with ExitStack() as stack:
        for of, name, value in changes:
            stack.enter_context(patch.object(of, name, value))
        yield


def block(bench: Bench, backend: str, vectors: str = "off") -> None:
    """Whether the evidence of a single-hop question is told, and whether tasks about other things are told nothing."""
    told, empty, tokens, records, off = [], [], [], [], []
    tasks = [line for line in OFFTOPIC.read_text("utf-8").splitlines() if line.strip() and not line.startswith("#")]
    for _, root, questions in bench.wikis("T", backend, vectors):
        wiki = Workspace.open(root)
        for q in questions:
            start = time.perf_counter()
            made = wiki.context(q.text)
            told += [any(f"[{id}]" in made.text for id in q.turns)] if q.category == 4 else []
            empty.append(made.abstained)
            tokens.append(made.tokens)
            records.append(len(made.records))
            shown = [record["id"] for record in made.records]
            bench.note(q, time.perf_counter() - start, row="block", corpus="T", ranked=shown, tokens=made.tokens)
        off += [wiki.context(task).abstained for task in tasks]
    print(
        f"block, T, vectors {vectors}: {fmean(told):.3f} of {len(told)} single-hop questions have their evidence in it",
        end="; ",
    )
    print(f"at most {max(records)} records and {max(tokens)} tokens, {fmean(tokens):.0f} on average")
    print(
        f"abstains on {fmean(off):.3f} of {len(off)} tasks about other things, on {fmean(empty):.3f} of the questions"
    )


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--data", type=Path)
    options.add_argument("--out", type=Path, help="gets a line of JSON for each row and question")
    options.add_argument("--protocol", choices=("one", "each"), help="one wiki for all conversations, or each its own")
    options.add_argument("--backend", default="sqlite", choices=("sqlite", "whoosh", "memory"))
    options.add_argument("--ablations", action="store_true", help="also without each part, and with every backend")
    asked = options.parse_args()
    if asked.data is None or not asked.data.is_file():
        print(GET, file=sys.stderr)
        return 2
    os.environ["LLMWIKI_NOW"] = locomo.NOW
    conversations = locomo.read(asked.data)
    with ExitStack() as stack:
        out = stack.enter_context(asked.out.open("w", encoding="utf-8")) if asked.out else None
        for protocol in (asked.protocol,) if asked.protocol else ("one", "each"):
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            run(Bench(conversations, protocol, out, home), asked.backend, asked.ablations)
    return 0


def run(bench: Bench, backend: str, ablations: bool) -> None:
    many = len(bench.conversations)
    print(f"\n{many} conversations, {'one wiki' if bench.protocol == 'one' else 'a wiki each'}: ", end="")
    print(f"{len(bench.questions)} questions\n{HEAD}")
    model = embedders.part_of(embedders.AUTO)
    for corpus in CORPORA:
        bench.row("grep, coverage squared", corpus, "sqlite", lambda pages, *_: baselines.Grep(pages).search)
        bench.row("FTS5, porter, OR", corpus, "sqlite", lambda pages, *_: baselines.Fts(pages).search)
        bench.row(f"llmwiki, {backend}", corpus, backend, by_door if backend != "memory" else kept_open)
        if model and backend != "memory":
            bench.row(f"  with vectors, {model}", corpus, backend, by_door, model)
        for name, changes in ABLATIONS.items() if ablations else ():
            with without(changes):
                bench.row(f"  {name}", corpus, "sqlite", kept_open)
        for other in ("sqlite", "whoosh", "memory") if ablations else ():
            bench.row(f"  backend {other}, kept open", corpus, other, kept_open)
    if backend != "memory":  # which would read every page for every question
        for vectors in ("off", model) if model else ("off",):
            block(bench, backend, vectors)


if __name__ == "__main__":
    sys.exit(main())
