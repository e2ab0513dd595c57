"""What the tests of `import` share: a repository with a guide for agents, and a wiki in it."""

import os
from pathlib import Path

import pytest

from llmwiki.workspace import Workspace

GUIDE = """\
---
owner: "me"
---
# Shop

This file provides guidance to Claude Code (claude.ai/code) when working with code in this repository.

[![ci](https://ci.example/badge.svg)](https://ci.example)

- [Tests](#tests)

## Tests

Run the tests:

```
make test
```

- Lint: `make lint`
- **Always** use `pytest -q` instead of `python -m unittest`
- Write clean code
- [ ] move to httpx

### Don't

- Use default exports

## Where things are

The API lives in `src/api` and listens on port 8001.

- **Frontend**:
  - React with Vite, in `web/`
- If the build fails with `EACCES`, delete `node_modules`:
  - then run `npm ci`

| Variable | Meaning |
|---|---|
| `DATABASE_URL` | where the database is |

<p align="center">hello</p>

```python
print("no shell")
```
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A repository with a guide for agents, and a wiki in it."""
    monkeypatch.setenv("LLMWIKI_NOW", "2026-04-20T09:00:00Z")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    Workspace.init(root)
    write(root, "CLAUDE.md", GUIDE)
    return root


def write(root, name, text, when=1_776_000_000):
    path = Path(root, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (when, when))
    return path


def take(root, *names, **more):
    return Workspace(root).import_([str(Path(root, name)) for name in names], **more)


def records(root):
    return Workspace(root).load().records


def titles(root, state=None):
    return sorted(r.title for r in records(root).values() if state is None or r.state is state)


def found(root, words):
    return next(r for r in records(root).values() if words in r.title)


def everything(root):
    return {p: p.read_bytes() for p in sorted(Path(root).rglob("*")) if p.is_file()}
