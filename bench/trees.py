"""Session trees to measure with: made up, the same at every run, in Claude Code's shape on disk."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

WORDS = """
server port build cache index token branch merge column query limit retry
worker queue schema field timeout header cookie route parser module fixture commit
deploy release backup shard quota stream buffer socket signal
""".split()


def sentence(rnd: random.Random, length: int) -> str:
    return " ".join(rnd.choice(WORDS) for _ in range(length))


def native(number: int) -> str:
    """The native id of a session."""
    return str(UUID(int=random.Random(-1 - number).getrandbits(128), version=4))


def session(number: int, turns: int, output: int, project: str) -> Iterator[dict[str, object]]:
    """The records of one session: `turns` prompts, each with a reply, a command and `output` words of result."""
    rnd = random.Random(number)
    parent = None
    day, minute = 1 + number % 28, 0
    for turn in range(turns):
        call = f"toolu_{number:06}{turn:06}"
        reply = {"type": "text", "text": sentence(rnd, 30)}
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"make {rnd.choice(WORDS)}"}}
        result = {"type": "tool_result", "tool_use_id": call, "content": sentence(rnd, output)}
        for role, content in (
            ("user", sentence(rnd, 20)),
            ("assistant", [reply, use]),
            ("user", [result]),
            ("assistant", [{"type": "text", "text": sentence(rnd, 12)}]),
        ):
            minute += 1
            own = str(UUID(int=rnd.getrandbits(128), version=4))
            message: dict[str, object] = {"role": role, "content": content}
            if role == "assistant":
                message |= {"id": f"msg_{number:06}{minute:06}", "model": "claude-sonnet-4-6", "type": "message"}
            yield {
                "parentUuid": parent,
                "isSidechain": False,
                "type": role,
                "message": message,
                "uuid": own,
                "timestamp": f"2026-03-{day:02}T{8 + minute // 60 % 12:02}:{minute % 60:02}:00.000Z",
                "cwd": f"/home/dev/{project}",
                "sessionId": native(number),
                "version": "2.1.92",
                "gitBranch": "main",
            }
            parent = own


def write(root: Path, sessions: int, turns: int = 3, output: int = 60) -> int:
    """Writes a tree that `--source` takes; its size in bytes."""
    size = 0
    for number in range(sessions):
        project = f"project-{number % 7}"
        folder = root / "projects" / f"-home-dev-{project}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{native(number)}.jsonl"
        with path.open("w", encoding="utf-8") as file:  # line by line: a child's peak memory counts its parent's
            file.writelines(json.dumps(record) + "\n" for record in session(number, turns, output, project))
        size += path.stat().st_size
    return size


def write_huge_line(root: Path, megabytes: int) -> int:
    """One small session in which one tool result is a single line of this many megabytes; its size in bytes."""
    folder = root / "projects" / "-home-dev-huge"
    folder.mkdir(parents=True, exist_ok=True)
    records = list(session(0, 2, 20, "huge"))
    path = folder / f"{native(0)}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, record in enumerate(records):
            line = json.dumps(record)
            if number == 2:
                head, mark, tail = line.partition('"content": "')
                file.write(head + mark)
                for _ in range(megabytes):
                    file.write("port 8087 open " * 69905)  # a megabyte
                line = tail
            file.write(line + "\n")
    return path.stat().st_size
