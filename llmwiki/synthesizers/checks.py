"""Which programs prove something: tests, linters, type checks, builds, servers, migrations. A table, by tool."""

from __future__ import annotations

import re

from llmwiki.synthesizers.shell import Simple

_RUNNERS = frozenset(
    "npm pnpm yarn bun deno make just task rake gradle gradlew ./gradlew mvn mvnw ./mvnw composer mix "
    "cargo go dotnet swift tox nox hatch invoke sbt flutter dart rails dbt west sail artisan bazel bazelisk".split()
)
_GOALS = frozenset("mvn mvnw ./mvnw gradle gradlew ./gradlew".split())
KINDS: dict[str, frozenset[str]] = {
    kind: frozenset(programs.split())
    for kind, programs in {
        "test": "pytest py.test unittest jest vitest mocha ava karma playwright cypress rspec phpunit ctest tox nox "
        "behave karate minitest bats molecule pg_prove busted prove",
        "lint": "ruff eslint flake8 pylint golangci-lint rubocop stylelint shellcheck clippy biome oxlint standard "
        "hadolint ktlint detekt credo yamllint markdownlint vale pre-commit sqlfluff tflint ansible-lint phpcs "
        "swiftlint buf phpstan psalm",
        "types": "mypy pyright ty tsc pyre basedpyright flow sorbet vue-tsc svelte-check",
        "format": "black prettier gofmt rustfmt isort autopep8 yapf clang-format dprint pint",
        "build": "webpack rollup esbuild cmake ninja tsup latexmk pdflatex xelatex lualatex tectonic typst xcodebuild",
        "serve": "vite uvicorn gunicorn hypercorn flask runserver rackup http.server nodemon live-server serve "
        "streamlit",
        "migrate": "alembic flyway liquibase knex",
    }.items()
}
# Subcommands of runners (`npm test`, `cargo clippy`, `make lint`) -> kind.
SUBCOMMANDS: dict[str, re.Pattern[str]] = {
    "test": re.compile(r"^(?:(?:[\w:-]*:)?test\w*|tests?|check|verify|e2e|spec|coverage|unit|test[:-][\w:-]+|t)$"),
    "lint": re.compile(r"^(?:lint|clippy|vet|lint[:-][\w:-]+)$"),
    "types": re.compile(r"^(?:type-?check|types|check-types|typecheck[:-]\w+)$"),
    "format": re.compile(r"^(?:fmt|format|format[:-]\w+)$"),
    "build": re.compile(r"^(?:build|compile|package|assemble|dist|build[:-][\w:-]+)$"),
    "serve": re.compile(r"^(?:dev|start|serve|server|run-dev|develop|watch|preview|up|dev[:-]\w+|start[:-]\w+)$"),
    "migrate": re.compile(r"^(?:migrate|db:migrate|migrations?|ecto\.migrate)$"),
}


def kind_of(call: Simple) -> str:
    """What a call proves when it passes: test, lint, types, format, build, serve, migrate, or ""."""
    program = call.program.rsplit("/", 1)[-1].lower()
    words = [w.lower() for w in call.key[1:]]
    if (program, words[:1]) in _LAUNCHED or (program == "sail" and words[:1] and words[0] in _IN_SAIL):
        return kind_of(Simple(call.key[1:]))  # what it launches tells
    if program == "ruff":
        return "format" if words[:1] == ["format"] else "lint"
    if program in ("vite", "next", "astro", "nuxt") and words[:1] == ["build"]:
        return "build"
    if program in ("next", "astro", "nuxt") and words[:1] in (["dev"], ["start"]):
        return "serve"
    if program in ("playwright", "cypress") and words[:1] not in (["test"], ["run"]):
        return ""
    if program == "uv" and words[:1] == ["build"]:
        return "build"
    for kind, programs in KINDS.items():
        if program in programs:
            return kind
    if program in _RUNNERS:
        words = words[1:] if words[:1] == ["run"] and program in ("npm", "pnpm", "yarn", "bun") else words
        named = words if program in _GOALS else words[:1]  # a goal may stand behind modules and profiles
        goals = [w.split()[0] for w in named if w.strip()]
        return next((kind for kind, pattern in SUBCOMMANDS.items() if any(map(pattern.match, goals))), "")
    if program in ("manage.py", "django-admin") or (program.startswith("python") and words[:1] == ["manage.py"]):
        return next(
            (k for k, w in (("test", "test"), ("serve", "runserver"), ("migrate", "migrate")) if w in words), ""
        )
    own = _OWN.fullmatch(program)  # a script of the project: `bin/migrate`, `scripts/run-tests.sh`
    return next((kind for kind, pattern in SUBCOMMANDS.items() if own and pattern.match(own[1])), "")


_LAUNCHED = (("php", ["artisan"]),)
_IN_SAIL = frozenset(("artisan", "composer", "npm", "php", "yarn", "pnpm"))
_OWN = re.compile(
    r"(?:run[-_])?(tests?|lint|migrate|build|check|verify|typecheck|format|e2e)(?:\.(?:sh|py|rb|js|ps1))?"
)
PASSED = re.compile(
    r"\b\d+ (?:passed|passing|tests? (?:passed|ok))\b[^\n=]*|^All checks passed!?.*$|^Success: no issues "
    r"found.*$|^0 errors?\b.*$|^Tests:\s+.*\d+ passed.*$|^ok\s+\S+\s+[\d.]+s|^test result: ok.*$|^OK(?: "
    r"\(.*\))?$|^BUILD SUCCESSFUL.*$|\bBuild succeeded\b.*|\bbuilt in [\d.]+ ?m?s\b|\bCompiled "
    r"successfully\b.*|^Found 0 errors.*$|^\d+ files? (?:reformatted|left unchanged|already formatted).*$|"
    r"\bready in \d+ ?m?s\b",
    re.M | re.I,
)
ADDRESS = re.compile(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?::\d{2,5})?(?:/[\w./-]*)?")
