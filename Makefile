# Two commands do everything: `make run` and `make test`. Only Python 3.11+ and make are needed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PAGE   := src/workcell/workbench/app
STATIC := src/workcell/workbench/static/index.html
PAGE_SOURCES := $(shell find $(PAGE) -type f -not -path '*/node_modules/*' 2>/dev/null)
NPM    := $(BIN)/python tools/npm.py

# Some environments ask for no bytecode; then every process that a test starts would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup run test check check-style check-types check-page installed page bench soak pictures sheets samples size clean docs
.DELETE_ON_ERROR:

installed: $(VENV)/.testing $(PAGE)/node_modules/.testing $(STATIC)

setup: installed $(VENV)/.warm                       ## everything needed to run and test

$(VENV)/.running: pyproject.toml constraints.txt tools/install.py
	@$(PYTHON) tools/install.py $(VENV) run
	@touch $@

$(VENV)/.testing: $(VENV)/.running
	@$(PYTHON) tools/install.py $(VENV) check test peers
	@touch $@

$(VENV)/.peers: $(VENV)/.running
	@$(PYTHON) tools/install.py $(VENV) peers
	@touch $@

$(STATIC): $(PAGE_SOURCES) tools/page.py | $(VENV)/.running
	@$(BIN)/python tools/page.py

$(PAGE)/node_modules/.testing: $(PAGE)/package.json $(PAGE)/package-lock.json | $(VENV)/.running
	@echo "Installing what the page is checked and tested with …"
	@$(NPM) install --no-save --no-fund --no-audit --loglevel=error  # `npm ci` wants addresses in the lock file
	@touch $@

$(VENV)/.warm: $(VENV)/.running $(shell find src -name '_kernels*.py')
	@$(BIN)/python tools/warm.py
	@touch $@

page: $(STATIC)                                      ## build the web page

run: $(VENV)/.running $(STATIC)                      ## open the workbench on the sample cell
	@test -e $(VENV)/.warm || (nice $(MAKE) --silent $(VENV)/.warm >/dev/null 2>&1 &)  # the first checks come sooner
	@$(BIN)/workcell

check: $(VENV)/.testing $(PAGE)/node_modules/.testing  ## style, types, import contract, side by side
	@$(MAKE) --silent --no-print-directory -j 2 --output-sync=target check-page check-types check-style

check-style:
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@PYTHONPATH=src $(BIN)/lint-imports

check-types:
	@$(BIN)/mypy

check-page:
	@$(NPM) run --silent check
	@$(NPM) run --silent lint

test: installed                                      ## everything that must pass
	@echo "Checking style and types, and compiling the inner loops …"
	@$(MAKE) --silent --no-print-directory -j 2 --output-sync=target $(VENV)/.warm check-page check-types check-style
	@$(NPM) test --silent
	@$(BIN)/python tools/browser.py
	@$(BIN)/pytest -n 3 --dist worksteal -m "not soak and not alone"
	@$(BIN)/pytest tests/browser -m "alone and not soak"

soak: setup                                          ## every figure in full length
	@failed=0; $(BIN)/pytest -n 2 -m "soak" -rP || failed=1; \
	WORKCELL_EXAMPLES=1 $(BIN)/pytest -n 2 --dist worksteal -m "(hypothesis or sampled) and not soak" || failed=1; exit $$failed

bench: $(VENV)/.peers $(STATIC) $(VENV)/.warm        ## all benchmarks, with ratios
	@for script in bench/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

samples: setup                                       ## the sample cells of the gallery, from the examples
	@$(BIN)/python tools/samples.py

pictures: setup                                      ## the images that README and docs show
	@$(BIN)/python tools/pictures.py

sheets: setup                                        ## the page in every state, size and theme, to look at, in out/sheets
	@PYTHONPATH=tests/browser $(BIN)/python tools/sheets.py

docs: $(VENV)/.running                               ## the generated reference pages and types
	@$(BIN)/python tools/generate.py

size: $(VENV)/.running                               ## what an install takes on disk
	@$(BIN)/python tools/size.py

clean:                                               ## back to a fresh clone
	rm -rf $(VENV) $(PAGE)/node_modules src/workcell/workbench/static out .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
