"""A command line as the programs that it runs: wrappers, folders and environments seen through."""

from __future__ import annotations

import re
from dataclasses import dataclass

LIMIT = 4_000  # characters of a command that are read; what follows is a script's body, not a command
_TOKEN = re.compile(
    r"""(?P<quoted>'[^']*'|"(?:\\.|[^"\\])*")|(?P<join>&&|\|\||[;&\n()])|(?P<pipe>\|)|(?P<space>[^\S\n]+)|(?P<word>(?:\\.|[^\s'"\\;|&()])+)|(?P<rest>.)""",
    re.S,
)
_REDIRECT = re.compile(r"(?:\d|&)?>>?\s*(?:&\d|[^\s;|&()]+)")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1([^\n]*)\n(.*?)(?:\n\s*\2\b|\Z)", re.S)
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=")
_INLINE = re.compile(r"^\s*(?:\S*/)?(?:ba|z|k|da)?sh\s+-[a-z]*c\s+(['\"])(.*)\1\s*$", re.S)

# Words before a command that change where or how it runs, not what: wrapper -> how many words it takes with it, behind
# its options.
WRAPPERS: dict[tuple[str, ...], int] = {
    ("uv", "run"): 0, ("uvx",): 0, ("poetry", "run"): 0, ("pipenv", "run"): 0, ("pdm", "run"): 0, ("rye", "run"): 0,
    ("hatch", "run"): 0, ("pixi", "run"): 0, ("npx",): 0, ("bunx",): 0, ("pnpm", "exec"): 0, ("pnpm", "dlx"): 0,
    ("npm", "exec"): 0, ("bundle", "exec"): 0, ("sudo",): 0, ("time",): 0, ("env",): 0, ("nohup",): 0, ("exec",): 0,
    ("command",): 0, ("timeout",): 1, ("nice",): 0, ("xvfb-run",): 0, ("direnv", "exec"): 1, ("mise", "exec"): 0,
    ("mise", "x"): 0, ("asdf", "exec"): 0, ("rbenv", "exec"): 0, ("nix", "develop"): 0, ("devbox", "run"): 0,
    ("doppler", "run"): 0, ("dotenv",): 0, ("docker", "compose", "exec"): 1, ("docker", "compose", "run"): 1,
    ("docker-compose", "exec"): 1, ("docker-compose", "run"): 1, ("podman", "compose", "exec"): 1,
    ("podman", "compose", "run"): 1, ("docker", "exec"): 1, ("podman", "exec"): 1, ("kubectl", "exec"): 1,
    ("sail", "bin"): 0, ("ddev", "exec"): 0, ("setarch",): 1, ("arch",): 0, ("stdbuf",): 0,
    ("taskset",): 1, ("caffeinate",): 0,
}  # fmt: skip
_OF_CONTAINERS = frozenset(
    "-e --env -u --user -w --workdir -n --namespace --index --entrypoint -v --volume -p --publish --name --env-file "
    "-f --file --project-name --project-directory --profile".split()
)
_OF_RUNNERS = frozenset("-p --python --with --from --package --extra --group --directory --project --env-file".split())
# First word of a wrapper -> its options that stand before their value.
VALUED: dict[str, frozenset[str]] = {
    **dict.fromkeys(("docker", "docker-compose", "podman", "kubectl"), _OF_CONTAINERS),
    **dict.fromkeys(("uv", "uvx", "npx", "bunx", "pnpm", "npm", "hatch", "pixi", "dotenv"), _OF_RUNNERS),
    "env": frozenset(("-u", "--unset", "-C", "--chdir")),
    "sudo": frozenset(("-u", "--user", "-g", "--group")),
    "timeout": frozenset(("-k", "--kill-after", "-s", "--signal")),
    "nice": frozenset(("-n", "--adjustment")),
}
_KEYWORDS = frozenset(("do", "then", "else", "if", "elif", "while", "until", "!", "{"))
SILENT = frozenset(
    "for done fi esac } "
    "cd source . export set unset pushd popd echo printf true false sleep : wait conda nvm fg bg clear".split()
)
READERS = frozenset(
    "pg_lsclusters lscpu lsblk lsusb lspci "
    "ls cat head tail less more grep egrep rg ag fd wc file which type where stat tree du df printenv ps "
    "jq awk nl sort uniq "
    "diff cmp find pwd date whoami uname id hostname lsof netstat ss dir get-content get-childitem "
    "select-string test [ "
    "strings xxd od hexdump basename dirname realpath readlink man help tldr history column cut tr seq".split()
)
TELLING = frozenset(("--help", "--version", "-h", "-V"))  # options that make a call another one
GIT_READERS = frozenset(
    "status log diff show branch remote rev-parse blame ls-files describe grep reflog shortlog".split()
)
SOURCE = re.compile(r"\.(?:py|[jt]sx?|mjs|rb|go|rs|java|kt|swift|c|cc|cpp|h|hpp|cs|php|ex|exs|scala|dart|lua|vue)$")
INTERPRETERS = frozenset("python python3 node bash sh zsh ruby perl php deno bun pwsh powershell osascript".split())


@dataclass(frozen=True, slots=True)
class Simple:
    """One program with its words. `key` is what makes two calls the same: program and operands without options."""

    words: tuple[str, ...]

    @property
    def program(self) -> str:
        return self.words[0]

    @property
    def key(self) -> tuple[str, ...]:
        return (self.program, *(w for w in self.words[1:] if not w.startswith("-") or w in TELLING))

    @property
    def reads(self) -> bool:
        """Whether it only looks: such a call neither changes anything nor fails in a way worth keeping."""
        if self.program == "git":
            asks = self.key[1:2] == ("config",) and len(self.key) <= 3
            return len(self.key) < 2 or self.key[1] in GIT_READERS or asks
        if self.program == "sed":
            return not any(w.startswith(("-i", "--in-place")) for w in self.words)
        if self.program in ("gh", "docker", "kubectl"):
            return bool(
                set(self.key[1:3]) & {"view", "list", "status", "ps", "logs", "get", "describe", "diff", "checks"}
            )
        if any(w.startswith("--list") for w in self.words[1:]):
            return True
        return self.program.lower() in READERS


def unwrapped(command: str) -> str:
    """The command without the shell that was asked to run it: `bash -lc 'x'` is `x`."""
    command = command.strip()
    for _ in range(3):
        found = _INLINE.match(command[:LIMIT])
        if found is None:
            break
        command = found[2].replace('\\"', '"') if found[1] == '"' else found[2]
    return command.removeprefix("bash -lc ").strip()


def simples(command: str) -> tuple[Simple, ...]:
    """The programs that a command line runs, in order; of a pipeline the first, which is what the line is about."""
    bodies: list[str] = []

    def fold(found: re.Match[str]) -> str:
        bodies.append(found[4])
        return f" heredoc:{len(bodies) - 1} {found[3]}\n"

    text = _HEREDOC.sub(fold, unwrapped(command)[:LIMIT]) if "<<" in command else unwrapped(command)[:LIMIT]
    out: list[Simple] = []
    for words in _split(_REDIRECT.sub(" ", text)):
        words = _strip([f"<<{bodies[int(w[8:])]}" if re.fullmatch(r"heredoc:\d+", w) else w for w in words])
        if words and words[0] not in SILENT:
            out.append(Simple(tuple(words)))
    return tuple(out)


def _split(text: str) -> list[list[str]]:
    """Words of each simple command; what stands behind a pipe is left out."""
    commands: list[list[str]] = [[]]
    word, piped = "", False
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind in ("word", "rest", "quoted"):
            word += token[0][1:-1] if kind == "quoted" else token[0]
            continue
        if word and not piped:
            commands[-1].append(word)
        word = ""
        if kind == "join":
            commands.append([])
            piped = False
        elif kind == "pipe":
            piped = True
    if word and not piped:
        commands[-1].append(word)
    return [c for c in commands if c]


def _strip(words: list[str]) -> list[str]:
    """A simple command without assignments and wrappers; the interpreter of a script or module is one too."""
    valued: frozenset[str] = frozenset()
    while words and words[0] in _KEYWORDS:
        words = words[1:]
    for _ in range(8):
        words = _plain(words, valued)
        if words and re.search(r"bin/\w+$", words[0]):
            words = [words[0].rsplit("/", 1)[-1], *words[1:]]
        if words[:2] in (["docker", "compose"], ["podman", "compose"]):
            words = [*words[:2], *_plain(words[2:], _OF_CONTAINERS)]
        wrapper = next((w for w in WRAPPERS if tuple(words[: len(w)]) == w), None)
        if wrapper is None:
            break
        valued = VALUED.get(wrapper[0], frozenset())
        words = _plain(words[len(wrapper) :], valued)[WRAPPERS[wrapper] :]
    if len(words) > 2 and words[0] in INTERPRETERS and words[1] == "-m":
        words = words[2:]
    elif len(words) > 1 and words[0] in ("bash", "sh", "zsh") and not words[1].startswith(("-", "<<")):
        words = words[1:]
    if words and "/" in words[0]:
        tail = words[0].rsplit("/", 1)[-1]
        words = [tail if "bin/" in words[0] and "." not in tail else words[0].removeprefix("./"), *words[1:]]
    return words


def _plain(words: list[str], valued: frozenset[str]) -> list[str]:
    """What is left without the assignments and options before it; of `valued` options the value goes with them."""
    while words and (_ASSIGNMENT.match(words[0]) or words[0].startswith("-")):
        words = words[2 if words[0] in valued else 1 :]
    return words


def masked(command: str) -> bool:
    """Whether a command line ends well whatever its work does: `make test || true`, `pytest; echo done`."""
    return _MASKED.search(unwrapped(command)[-LIMIT:].rstrip()) is not None


_MASKED = re.compile(r"(?:\|\||;|\n)[^\S\n]*(?:(?:true|:|exit 0)[^\S\n]*|(?:echo|printf)\b[^;&|\n)]*)\)?;?$")


def folder(command: str) -> str:
    """The folder that a command line changes into first, "" when it stays."""
    into = re.match(r"\(?\s*cd\s+([^\s;&|]+)\s*(?:&&|;)", unwrapped(command[:LIMIT]))
    return into[1].strip("'\"") if into and into[1] not in (".", "-") else ""
