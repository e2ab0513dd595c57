"""The house rules of DESIGN.md, held by reading the source: rows, heavy imports, I/O, the clock, side effects, size.

A module stands in the first row with a pattern that fits, and imports from rows above. Within a row it may import its
own *part* only: a group of ROWS (a module and what was split off from it), or its folder, where two parts of the
folder's table (two adapters, two indexes) still never import each other. Nothing imports in a circle.
"""

import ast
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from statistics import median

import pytest

PACKAGE = Path(__file__).parent.parent / "llmwiki"
# `hook_files` stands beside the store: what it writes, an agent's settings, lies in no wiki.
STORE = "store* shapes disk journal lock root operation undo purge cache hook_files"
# One class, with its methods' work in a file for each kind of work.
DOOR = """workspace* batches founding sources sync* tally intake learning pending asking ageing reports telling
reinforcing importing given linting reviewing evolving authorship forgetting graphs embedding checkup wiring"""
SHELL = "cli/* decorator fast fast_flags __main__ mcp_server agent"
STEPS = "hooks history erasure tombstones navigation rawsearch evaluate decay reinforce lint site ask"
ROWS: list[list[str]] = [
    ["model", "errors"],
    [
        "schema",
        "redact redact/*",
        "tokens",
        "registry",
        "diff",
        "words lexicon/* kin compounds vocabulary alternatives polarity contrary",
        "clock",
        "names gone",
        "block",
        "yaml_subset",
    ],
    ["config*", "lifecycle", "markdown* frontmatter_text prose", "rawpage*", "template"],
    ["verify", "graph graph_*", "similar", "related"],
    ["adapters/*", "synthesizers/*", "rules/*", "indexes/*", "llm/*", "embedders/*", "exporters/*"],
    [
        *STEPS.split(),
        "ingest*",
        "synthesize*",
        "review merging promotion beside variants evolve",
        "retrieve* context*",
        "commits",
        STORE,
    ],
    ["recall*"],
    [DOOR],
    [SHELL],
    ["__init__"],
]
# `recall` reads the index for the fast path and the door alike; `commits` runs git; `founding` makes the first folder.
IO_ROWS = f"{STORE} recall* commits founding lexicon adapters/* indexes/* llm/* embedders/* {SHELL}"
CLOCKS = f"clock {STORE} recall {SHELL}"
HEAVY = """typer rich networkx whoosh jinja2 ollama mcp markdown_it frontmatter yaml tomlkit rs_bpe Stemmer httpx
numpy onnxruntime tokenizers""".split()
# Where a heavy package may stand at the top of a module.
AT_HOME = {"typer": "cli/*", "rich": "cli/*", "whoosh": "indexes/whoosh*"}
TOUCHING = """open read_text write_text read_bytes write_bytes mkdir rmdir unlink touch symlink_to hardlink_to rename
chmod rmtree""".split()
ASKING = """iterdir glob rglob stat lstat exists is_file is_dir is_symlink resolve home cwd expanduser environ access
W_OK disk_usage""".split()
EDGES = "os shutil subprocess socket sqlite3 tempfile urllib http mmap fcntl".split()
PURE = "os.path.join os.path.basename os.path.splitext os.path.normpath os.fspath sqlite3.Error os.PathLike".split()
NOW = "datetime.now datetime.utcnow datetime.today date.today time.time".split()
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
EFFECTS = "print exec eval import_module register setattr install getenv now load".split()


def fits(name: str, patterns: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns.split())


def place(name: str) -> tuple[int, str]:
    """Row and part of a module, (-1, "") when no row knows it. A package stands where its modules stand."""
    found = ((n, part) for n, parts in enumerate(ROWS) for part in parts if fits(name, part) or fits(f"{name}/", part))
    return next(found, (-1, ""))


def member(name: str) -> str:
    """Which part of its folder's table a module is, or was split off from: `adapters/codex_items` -> `codex`."""
    folder, _, leaf = name.partition("/")
    table = PACKAGE / folder / "__init__.py"
    text = table.read_text("utf-8") if leaf and table.exists() else ""
    names = {n.value.split(":")[0].rpartition(".")[2] for n in ast.walk(ast.parse(text)) if is_target(n, folder)}
    return max((n for n in names if leaf == n or leaf.startswith(f"{n}_")), key=len, default="")


def is_target(node: ast.AST, folder: str) -> bool:
    return isinstance(node, ast.Constant) and str(node.value).startswith(f"llmwiki.{folder}.")


def dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def root(node: ast.AST) -> str:
    """The name that a chain of calls and attributes begins with."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return dotted(node)


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def ours(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name (`cli/app`) of each import of ours, wherever it stands."""
    for line, module in imported(tree):
        package, _, rest = module.partition(".")
        if package == "llmwiki" and rest:
            first, _, deeper = rest.partition(".")
            inside = deeper.partition(".")[0]
            yield line, f"{first}/{inside}" if inside and is_folder(first) else first


def at_top(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Imports of ours that run when the module is imported."""
    nodes = [n for n in outside_functions(running(tree)) if isinstance(n, ast.Import | ast.ImportFrom)]
    return ours(ast.Module(nodes, []))


def is_folder(name: str) -> bool:
    return (PACKAGE / name).is_dir() or any(f"{name}/" in part for parts in ROWS for part in parts)


def running(tree: ast.Module) -> list[ast.stmt]:
    """The statements that run at import: neither `if TYPE_CHECKING` nor `if __name__ == …`."""
    guards = ("TYPE_CHECKING", "__name__")
    return [n for n in tree.body if not (isinstance(n, ast.If) and any(g in ast.dump(n.test) for g in guards))]


def outside_functions(nodes: list[ast.stmt]) -> Iterator[ast.AST]:
    queue: list[ast.AST] = list(nodes)
    while queue:
        node = queue.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.Lambda)):
            queue += ast.iter_child_nodes(node)


def rows(name: str, tree: ast.Module) -> Iterator[str]:
    row, part = place(name)
    if row < 0:
        yield "no row knows this module"
    for line, other in ours(tree):
        its_row, its_part = place(other)
        if its_row > row:
            yield f"{line}: row {row} imports {other} from row {its_row} below"
        elif its_row == row and part != its_part:
            yield f"{line}: imports {other} of its own row {row}"
        elif its_row == row and member(name) and member(other) and member(name) != member(other):
            yield f"{line}: {member(name)} imports {member(other)}: parts of one table know nothing of each other"


def heavy(name: str, tree: ast.Module) -> Iterator[str]:
    for node in running(tree):
        for line, module in imported(ast.Module([node], [])) if isinstance(node, ast.Import | ast.ImportFrom) else ():
            package = module.partition(".")[0]
            if package in HEAVY and not fits(name, AT_HOME.get(package, "-")):
                yield f"{line}: {package} is imported at the top; import it in the function that uses it"


def disk(name: str, tree: ast.Module) -> Iterator[str]:
    """Files are read and written at the edges only. The door may ask where things lie; nothing else even asks."""
    for node in ast.walk(tree):
        called = dotted(node.func) if isinstance(node, ast.Call) else ""
        edge = dotted(node) if isinstance(node, ast.Attribute) else ""
        used = edge.split(".")[0] in EDGES and edge not in PURE and not edge.startswith("os.path")
        if called == "open" or called.rpartition(".")[2] in [*TOUCHING[1:], *ASKING] or used:
            allowed = f"{IO_ROWS} {DOOR}" if (called or edge).rpartition(".")[2] in ASKING else IO_ROWS
            if edge not in ("os.environ.get",) and not fits(name, allowed):
                yield f"{node.lineno}: {called or edge} outside the modules that may touch the disk"


def clock(name: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        called = ".".join(dotted(node.func).split(".")[-2:]) if isinstance(node, ast.Call) else ""
        if called in NOW and not fits(name, CLOCKS):
            yield f"{node.lineno}: {called}: the time is an argument"


def effects(name: str, tree: ast.Module) -> Iterator[str]:
    body = list(outside_functions(running(tree)))
    yield from (f"{n.lineno}: a `with` at the top of a module" for n in body if isinstance(n, ast.With))
    own = {dotted(n) for n in body if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in body:
        if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant) and root(node.value) not in own:
            yield f"{node.lineno}: a statement that does something when the module is imported"
        called = dotted(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if called in EFFECTS or called in [*TOUCHING, *ASKING]:
            yield f"{node.lineno}: {called}() runs when the module is imported"


def size(name: str, tree: ast.Module) -> Iterator[str]:
    last = max((getattr(n, "end_lineno", 0) or 0 for n in ast.walk(tree)), default=0)
    if last > 400:
        yield f"{last} lines; split it at 400"


def circle(parsed: dict[str, ast.Module]) -> list[str]:
    """Modules that import each other when they are imported; [] when there are none."""
    graph = {name: {other for _, other in at_top(tree)} & set(parsed) for name, tree in parsed.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        return list(found.args[1])
    return []


def typical_length(parsed: dict[str, ast.Module]) -> float:
    functions = (n for tree in parsed.values() for n in ast.walk(tree) if isinstance(n, FUNCTIONS))
    return median((n.end_lineno or 0) - n.lineno + 1 for n in functions)


RULES: list[Callable[[str, ast.Module], Iterator[str]]] = [rows, heavy, disk, clock, effects, size]


def modules() -> dict[str, ast.Module]:
    found = sorted(p for p in PACKAGE.rglob("*.py") if "templates" not in p.parts)
    names = {p: p.relative_to(PACKAGE).with_suffix("").as_posix() for p in found}
    return {
        n if n == "__init__" else n.removesuffix("/__init__"): ast.parse(p.read_text("utf-8")) for p, n in names.items()
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_package_keeps_the_rule(rule):
    broken = [f"llmwiki/{name}.py:{text}" for name, tree in modules().items() for text in rule(name, tree)]
    assert not broken, "\n" + "\n".join(broken)


def test_the_map_names_every_module():
    """AGENTS.md is where an engineer begins: a module that it does not name is not found."""
    guide = (PACKAGE.parent / "AGENTS.md").read_text("utf-8")
    named = {name.partition("/")[2] or name for name in modules() if not name.startswith("cli/") and name != "__init__"}
    family = ("claude_", "codex_")
    assert {n for n in named if f"`{n}`" not in guide and f"`{n}/`" not in guide and not n.startswith(family)} == set()


def test_nothing_imports_in_a_circle():
    assert circle(modules()) == []
    assert circle({"a": ast.parse("from llmwiki import b"), "b": ast.parse("import llmwiki.a")})
    assert not circle({"a": ast.parse("from llmwiki import b"), "b": ast.parse("def f():\n    import llmwiki.a")})


def test_functions_are_short():
    assert typical_length(modules()) < 15
    assert typical_length({"a": ast.parse("def f():\n" + "    x = 1\n" * 14)}) == 15


PLANTED = [
    (rows, "model", "from llmwiki.schema import TYPES"),
    (rows, "lifecycle", "import llmwiki.store"),
    (rows, "verify", "def f():\n    from llmwiki import graph"),
    (rows, "decay", "from llmwiki.store import Store"),
    (rows, "adapters/codex", "from llmwiki.adapters.claude_code import read"),
    (rows, "adapters/codex", "from llmwiki.indexes import memory"),
    (rows, "workspace", "import llmwiki.cli.app"),
    (rows, "somewhere", "x = 1"),
    (heavy, "graph", "import networkx as nx"),
    (heavy, "cli/app", "from whoosh.fields import Schema"),
    (heavy, "context", "import typer"),
    (disk, "ingest", "def f(p):\n    return p.read_text()"),
    (disk, "config", "def f():\n    return open('x')"),
    (disk, "decay", "import os\ndef f():\n    os.replace('a', 'b')"),
    (disk, "retrieve", "def f(p):\n    return p.exists()"),
    (disk, "workspace", "def f(p):\n    return p.write_text('x')"),
    (disk, "workspace", "import subprocess\ndef f():\n    subprocess.run(['git'])"),
    (clock, "decay", "def f():\n    return datetime.now(UTC)"),
    (clock, "retrieve", "import time\ndef f():\n    return time.time()"),
    (effects, "words", "print('hello')"),
    (effects, "rules/orphans", "from llmwiki import rules\nregister = rules.register('orphans')"),
    (effects, "schema", "from llmwiki.model import TABLE\nfor x in range(3):\n    TABLE.append(x)"),
    (effects, "tokens", "TABLE = open('table').read()"),
    (size, "words", "x = 1\n" * 401),
]


@pytest.mark.parametrize(("rule", "name", "source"), PLANTED)
def test_a_planted_violation_is_found(rule, name, source):
    assert list(rule(name, ast.parse(source)))


CLEAN = [
    (rows, "schema", "from llmwiki.model import State"),
    (rows, "store", "from llmwiki import journal"),
    (rows, "adapters/codex", "from llmwiki.adapters.base import Parsed"),
    (heavy, "graph", "def f():\n    import networkx"),
    (heavy, "graph", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import networkx"),
    (disk, "store", "def f(p):\n    return p.read_text()"),
    (disk, "ingest", "import os.path\ndef f(a):\n    return os.path.join(a, 'b')"),
    (clock, "clock", "def now():\n    return datetime.now(UTC)"),
    (disk, "workspace", "import os\ndef f(p):\n    return p.exists() or os.environ['HOME']"),
    (effects, "redact", "TABLE = []\nfor x in range(3):\n    TABLE.append(x)"),
    (effects, "words", "import re\nWORD = re.compile('x')\nif __name__ == '__main__':\n    print(WORD)"),
    (size, "words", "x = 1\n" * 400),
]


@pytest.mark.parametrize(("rule", "name", "source"), CLEAN)
def test_what_is_allowed_is_not_reported(rule, name, source):
    assert not list(rule(name, ast.parse(source)))
