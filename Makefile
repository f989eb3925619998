# `make` alone lists the targets. Two are all a newcomer needs: `make run` and `make test`.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
IMAGE  ?= fusionlab
# Tests that need the machine to themselves run after the others, one at a time.
WORKERS ?= 2

# Installed once per change of what is listed before the colon's right-hand side.
INSTALLED := constraints.txt pyproject.toml scripts/setup.sh
RUN_READY := $(VENV)/.ready-run
DEV_READY := $(VENV)/.ready-dev

$(RUN_READY): requirements.txt $(INSTALLED)
	@PYTHON="$(PYTHON)" scripts/setup.sh $(VENV) requirements.txt
	@touch $@

$(DEV_READY): requirements-dev.txt requirements.txt requirements-redis.txt $(INSTALLED)
	@PYTHON="$(PYTHON)" scripts/setup.sh $(VENV) requirements-dev.txt
	@touch $(RUN_READY) $@

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

.PHONY: run
run: $(RUN_READY) ## start the app and print its address (PORT=… to choose one)
	@exec $(BIN)/streamlit run app.py $(if $(PORT),--server.port $(PORT))

.PHONY: test
test: lint ## every check of the project: style, types, imports, all tests, a real browser
	@scripts/services.sh; \
	export CHROMIUM="$$(scripts/browser.sh)"; \
	$(BIN)/pytest -n $(WORKERS) -m "not browser and not alone"; \
	$(BIN)/pytest -m "browser or alone"

.PHONY: check
check: lint ## the fast part: style, types, imports, and the tests without a browser
	@$(BIN)/pytest -n $(WORKERS) -m "not browser and not alone"

.PHONY: mutation
mutation: $(DEV_READY) ## change one rule of the engine at a time: the recorded programs must notice
	@$(BIN)/pytest -n $(WORKERS) tests/mutation

.PHONY: lint
lint: $(DEV_READY) ## style, types and the import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy fusionlab $(wildcard app.py pages)
	@$(BIN)/lint-imports

.PHONY: fix
fix: $(DEV_READY) ## let ruff repair and format what it can
	@$(BIN)/ruff check --fix . || true
	@$(BIN)/ruff format .

.PHONY: golden
golden: $(DEV_READY) ## rewrite the golden files from the engine, then review the diff
	@$(BIN)/pytest tests/test_golden.py --update-golden
	@git --no-pager diff --stat -- tests/golden

.PHONY: bench
bench: $(RUN_READY) ## fused kernels against NumPy and others, and the engine's overhead
	@$(BIN)/python -m fusionlab bench

.PHONY: docs
docs: $(RUN_READY) ## print the module map: each module's first docstring line, in station order
	@$(BIN)/python scripts/module_map.py

.PHONY: lock
lock: $(DEV_READY) ## refresh constraints.txt after a requirement changed
	@scripts/lock.sh $(VENV)

.PHONY: image
image: ## build the container image
	@scripts/image.sh $(IMAGE)

.PHONY: image-test
image-test: ## build the image and prove that it runs read-only, offline and without root
	@scripts/image-test.sh $(IMAGE)

.PHONY: clean
clean: ## remove the environment and everything generated
	@rm -rf $(VENV) build dist test-report *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
