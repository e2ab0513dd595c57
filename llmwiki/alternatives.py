"""What a statement sets: its numbers and addresses, and which of several alternatives of a kind it names. Two sentences
that are alike but for such a value do not say the same. And the little words of other languages, which say nothing.
"""

from __future__ import annotations

import re
from functools import cache

from llmwiki.words import stem

Values = frozenset[tuple[str, str]]  # (kind, value)
CJK = "\u3000"  # from here on there are no spaces between words

# One kind a line: what it is called, then its alternatives; what is written with `=` is the same one.
_TABLE = """
package manager installer: npm pnpm yarn bun
packaging: pip uv poetry pipenv conda pdm
indent indentation: tabs=tab spaces=space
quote quotes quotation: single double
integrate: merge rebase squash
test runner: jest vitest mocha jasmine ava
runner: pytest unittest nose
formatter: black yapf autopep8
linter: eslint biome tslint flake8 pylint
checker: mypy pyright
bundler: webpack vite rollup parcel esbuild
database: postgres=postgresql mysql mariadb sqlite mongodb
container: docker podman
shell: bash zsh fish powershell
branch: main master develop trunk
api: rest graphql grpc
format: json yaml=yml toml xml csv
protocol: ssh https
style: camelcase snake_case kebab-case pascalcase
browser: chrome firefox safari
system: linux macos windows
theme: dark light
license: mit apache gpl bsd
ending: lf crlf
time: utc local
language: english=englisch=anglais=inglés=inglese=英文=英语=英語 german=deutsch=allemand=alemán=tedesco=德语
language: french=französisch=français=francés spanish=spanisch=espagnol=español italian=italienisch=italiano
language: portuguese=português russian=russisch chinese=chinesisch=中文 japanese=日本語=日语=日文 korean=한국어
written: typescript javascript
order: before after
turned: enable=enabled disable=disabled
truth: true false
length: short=brief long=detailed
number: 2=two 3=three 4=four 5=five 6=six 8=eight 10=ten
"""
_UNITS = "[kmgt]i?b|ms|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|weeks?|months?|px|r?em|[smhd%]"
_TOPS = "com|org|net|io|dev|app|ai|co|edu|gov|eu|de|fr|es|uk|ch|at|it|local|internal|localhost|lan|example|test|invalid"
_LIMIT = re.compile(
    r"\b(?:than|over|above|below|under|beyond|exceed\w{0,3}|als|über|unter|plus de|moins de|más de|menos de)\W{1,3}\d"
)


@cache
def _kinds() -> tuple[dict[str, tuple[str, str]], dict[str, frozenset[str]]]:
    """Word -> (kind, value); kind -> what that is called, which says nothing beside a value of it."""
    words: dict[str, tuple[str, str]] = {}
    called: dict[str, frozenset[str]] = {}
    for line in _TABLE.strip().splitlines():
        kind, _, values = line.partition(": ")
        called[kind] = frozenset(map(stem, kind.split()))
        for names in (value.split("=") for value in values.split()):
            words.update((name, (kind, names[0])) for name in names)
    return words, called


@cache
def _pattern() -> re.Pattern[str]:
    words = sorted((w for w in _kinds()[0] if not w.isdigit()), key=lambda w: (-len(w), w))
    spaced = "|".join(re.escape(w) for w in words if w[0] < CJK)
    joined = "|".join(w for w in words if w[0] >= CJK)
    return re.compile(
        r"(?P<address>\b[a-z][a-z0-9+.-]{0,20}://[^\s\"'<>`，。]+"
        rf"|(?<![\w.@/+-])(?:[\w.+-]{{1,64}}@)?(?:localhost|(?:[\w-]{{1,63}}\.){{1,6}}(?:{_TOPS}))(?![\w-])(?::\d{{1,5}})?"
        r"|(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.]))"
        rf"|(?P<number>(?<![\w.#-])v?\d+(?:[.,:_/-]\d+)*(?: ?(?:{_UNITS}))?(?!\w))"
        r"|(?<![^\W_])(?P<name>[a-z]{1,20})(?P<version>\d+(?:\.\d+)*)(?!\w)"
        rf"|(?P<word>(?<![\w-])(?:{spaced})(?![\w-])|{joined})",
        re.I,
    )


def parted(text: str) -> tuple[Values, str, frozenset[str]]:
    """The values that a text names, the text without them, and the terms that only say what kind of value they are.

    >>> sorted(parted("Run with 4 workers, install by npm")[0])
    [('npm', 'npm'), ('number', '4')]
    """
    words, called = _kinds()
    found: set[tuple[str, str]] = set()

    def out(match: re.Match[str]) -> str:
        kind, value = match.lastgroup or "", match[0].casefold()
        if kind == "version":  # of `python3.11` the name is not what differs
            found.add(("number", match["version"]))
            return match["name"]
        if kind == "number":
            value = value.removeprefix("v").replace(" ", "")
        elif kind == "address":
            value = value.rstrip(".,;:!?)/")
        else:
            kind, value = words[value]
        found.add((kind, value))
        return " "

    rest = _pattern().sub(out, text)
    return frozenset(found), rest, frozenset().union(*(called.get(kind, ()) for kind, _ in found))


def limits(text: str) -> bool:
    """Whether a prohibition sets a number all the same: "never more than 4"."""
    return bool(_LIMIT.search(text))


def apart(one: Values, two: Values) -> bool:
    """Whether of one kind each names a value that the other one does not."""
    mine, theirs = {kind for kind, _ in one - two}, {kind for kind, _ in two - one}
    return bool(mine & theirs)


def beside(barred: Values, given: Values) -> bool:
    """Whether what is forbidden and what is ordered are two values of one kind: both may be meant."""
    kinds = {kind for kind, _ in barred} & {kind for kind, _ in given}
    return any(not {v for v in barred if v[0] == kind} & given for kind in kinds)


# Words of other languages, and of English, that stand in any order to an agent and tell none from another.
LITTLE = frozenset(
    "always ever hence forth henceforth onward everywhere "
    "immer stets bitte benutze benutzen benutzt verwende verwenden verwendet nutze nutzen nimm ab jetzt sofort künftig "
    "zukünftig nur auch mal doch soll sollen muss müssen wir ich du der das den dem ein eine einen und oder für von zu "
    "auf ist sind "
    "de en siempre usa usar usas usen uses utiliza utilizar favor ahora adelante el los las un una y para por del que "
    "toujours utilise utiliser utilisez utilisons désormais maintenant svp le la les et ou avec pour dans du "
    "sempre usare usate usi ora poi il gli lo per con agora um uma em "
    "всегда используй используйте использовать пожалуйста теперь для".split()
)
_PARTICLES = re.compile(
    "从现在(?:开始|起)|今后|以后|总是|永远|一直|始终|一律|必须|应该|一定|使用|请|是|都|了|吧|"
    "これから|今後|常に|いつも|必ず|絶対に?|使用|して|ください|下さい|使って|使う|使い|使わ|ます|です|を|は|が|で|に|"
    "앞으로|항상|언제나|반드시|절대로?|사용|쓰|하세요|하십시오|해주세요|해|세요|으로|을|를|은|는|지|로"
)
# What goes with a value of any kind in an order and is no circumstance of it.
LIGHT = frozenset(
    map(
        stem,
        "switch change move migrate wrap limit cap keep set pin stay run write prefer choose default max maximum "
        "minimum length width size wide project repo repository codebase instead character char column".split(),
    )
)


def without_particles(text: str) -> str:
    """A text without the little words of languages that put no spaces between words."""
    return text if text.isascii() else _PARTICLES.sub(" ", text)
