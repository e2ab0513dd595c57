# Everything a person or a machine runs here. Needs Python 3.11 or newer, git and make; the rest is installed into .venv.
#   make demo | test | lint | bench | wiki | clean          another Python: make test PYTHON=python3.12

PYTHON ?= python3
BIN    := .venv/bin
DEMO   := build/demo
PIP    := $(BIN)/python -m pip -qq --disable-pip-version-check
FILES   = $(shell git ls-files '*.py')

.PHONY: demo test lint bench wiki clean
.DELETE_ON_ERROR:

# The product, installed from this checkout. Made again when pyproject.toml changes.
.venv/installed: pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is not here: install Python 3.11 or newer, or name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$$($(PYTHON) --version) is too old: llmwiki needs 3.11 or newer; name one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up .venv with $$($(PYTHON) --version) (once) …"
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "$(PYTHON) cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(PIP) install --editable .
	@touch $@

# What tests need beside it: the group `dev` of pyproject.toml (read here, as older pips do not know groups).
.venv/dev: .venv/installed
	@$(BIN)/python -c 'import tomllib; print("\n".join(tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["dev"]))' > .venv/dev.txt
	@$(PIP) install --requirement .venv/dev.txt
	@touch $@

# One step of the demo: says the command as a person would type it, then runs it (a later clock may be given).
step = @printf '\n$$ llmwiki %s\n' '$(1)'; $(2) $(BIN)/llmwiki $(1) </dev/null

# The main job on the bundled sessions: sync → records → context. The clock is pinned, so that everybody sees the same.
demo: export LLMWIKI_ROOT = $(DEMO)
demo: export LLMWIKI_NOW = 2026-04-20T09:00:00Z
demo: LATER = LLMWIKI_NOW=2026-04-21T10:00:00Z
demo: .venv/installed
	@rm -rf $(DEMO) && mkdir -p $(DEMO)
	$(call step,init $(DEMO))
	$(call step,sync --source samples/claude-code --source samples/codex)
	@printf '\n# A day later: facts that hold up are released from quarantine.\n'
	$(call step,decay,$(LATER))
	$(call step,status,$(LATER))
	$(call step,search "no such table" --limit 2,$(LATER))
	@printf '\n# The wiki is in $(DEMO): plain Markdown, for your editor, Obsidian or git.\n'
	@printf '\n# Nothing relevant: nothing printed.\n'
	$(call step,context "bake a cake" --project notes-api,$(LATER))
	$(call step,context "the tests fail in a fresh checkout: no such table" --project notes-api,$(LATER))

lint: .venv/dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

test: lint
	@$(BIN)/python -m pytest -n auto

bench: .venv/dev
	@$(BIN)/python -m compileall -q llmwiki
	@$(BIN)/python bench/bench_sync.py
	@$(BIN)/python bench/bench_context.py
	@$(BIN)/python bench/bench_index.py
	@$(BIN)/python bench/bench_vectors.py
	@$(BIN)/python bench/memory.py
	@$(BIN)/python bench/abstention.py
	@$(BIN)/python bench/fuzz_block.py --rounds 3000
	@LLMWIKI_NOW=2026-06-01T12:00:00Z $(BIN)/python bench/gold.py --left-out $(if $(GOLD),--gold $(GOLD)) $(if $(SESSIONS),--sessions $(SESSIONS))
	@$(if $(LOCOMO),$(BIN)/python bench/retrieval.py --data $(LOCOMO) --ablations,echo "retrieval: make bench LOCOMO=locomo10.json (see bench/README.md)")

# The repository's own wiki (raw/ and wiki/), made again from samples/ by the product.
wiki: .venv/installed
	@$(BIN)/python samples/generate.py .

clean:
	@rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .llmwiki
