# `make demo` and `make test` need Python 3.11+, make and the package index; the rest they set up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test nightly lint types contracts bench lock clean

demo: $(READY)
	@$(BIN)/hermes demo

test: $(READY)
	$(BIN)/pytest -n 2

# Clients that take long to install: Jupyter AI's, and Emacs where there is one.
nightly: $(READY)
	HERMES_NIGHTLY=1 $(BIN)/pytest -n 2 tests/nightly tests/e2e/test_emacs.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

contracts: $(READY)
	$(BIN)/lint-imports --no-cache

bench: $(READY)
	$(BIN)/python -m benchmarks

# The lock names versions and hashes only; the package index is whatever this machine uses.
lock: $(READY)
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url -q -o requirements.lock

$(READY): pyproject.toml requirements.lock
	@echo "Setting up $(VENV)/: Python packages from your package index, once. It takes up to a minute."
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --allow-existing --python "$(PYTHON)" $(VENV) && \
	  VIRTUAL_ENV="$(CURDIR)/$(VENV)" uv pip install -q --require-hashes -r requirements.lock && \
	  VIRTUAL_ENV="$(CURDIR)/$(VENV)" uv pip install -q --no-deps --no-build-isolation -e . ; \
	else \
	  $(PYTHON) -m venv $(VENV) && \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock && \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e . ; \
	fi
	@touch $(READY)
	@echo "$(VENV)/ is ready."

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
