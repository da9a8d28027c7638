# `make check` is what CI runs. Every target builds the environment that it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
export MPLBACKEND := Agg
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests run in as many processes as there are processors; more threads would slow each other down.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
# Every process that runs tests would otherwise compile them again, which takes half of the time of collecting them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: long check browser lint types arrows test quality readme wheel dist site bench bench-quick results docs full clean

check: browser lint types arrows dist readme bench-quick test quality

# Files that git does not know yet count, too; wildcard leaves out those that were deleted.
SOURCE := $(wildcard $(shell git ls-files --cached --others --exclude-standard arena learners adversaries reports))

# This file has the names of all sources. It is written again only if they change: make would not notice removed sources.
$(shell mkdir -p $(VENV) && echo $(SOURCE) | cmp -s - $(VENV)/sources || echo $(SOURCE) > $(VENV)/sources)

# The environment holds a regular install of the built wheel: mypy cannot see through an editable one, and users have this.
$(VENV)/installed: pyproject.toml $(VENV)/sources $(SOURCE)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip build
	rm -rf build dist *.egg-info
	$(BIN)/python -m build --wheel --outdir dist . > /dev/null
	$(BIN)/python -m pip install --quiet "$$(echo dist/*.whl)[dev]"
	$(BIN)/python -m pip install --quiet --force-reinstall --no-deps dist/*.whl
	touch $@

wheel: $(VENV)/installed

DEBIAN = command -v apt-get > /dev/null && apt-get update -qq && apt-get install -y -qq

# Programs that tests need: a browser for the HTML pages, bubblewrap for isolated learners. Elsewhere than on Debian
# install Chromium or Chrome, and bubblewrap, yourself. Chromium's headless shell, its engine without the windows, runs
# these tests in two thirds of the time.
browser:
	@command -v chromium-headless-shell > /dev/null || { $(DEBIAN) chromium-headless-shell > /dev/null 2>&1; } || \
	  command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null || \
	  { $(DEBIAN) chromium > /dev/null; } || echo "no browser found: the browser tests will be skipped, or fail in CI"
	@command -v bwrap > /dev/null || { $(DEBIAN) bubblewrap > /dev/null; } || \
	  echo "no bubblewrap found: tests of isolated learners will be skipped"

lint: wheel
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: wheel # outside the checkout, so that the installed package is what mypy reads
	cd $(VENV) && MYPYPATH= bin/mypy --config-file $(CURDIR)/pyproject.toml --cache-dir $(CURDIR)/.mypy_cache -p arena

arrows: wheel
	cd $(VENV) && bin/lint-imports --config $(CURDIR)/pyproject.toml --cache-dir $(CURDIR)/.import_linter_cache

dist: wheel # what a package index asks of the metadata and the description
	$(BIN)/twine check --strict dist/*.whl

site: wheel # into the folder site/: open site/index.html; the tests build it, too
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

test: wheel # against the installed wheel: pytest's own command does not put the checkout on the path
	$(BIN)/pytest --numprocesses 2 --dist worksteal --ignore tests/quality

# Generated bad input, endurance, mutants, strength of adversaries: a faithful part of what `make full` runs.
quality: wheel
	$(BIN)/pytest --numprocesses 2 --dist worksteal tests/quality

readme: wheel # the commands that the README promises, as written there
	$(BIN)/python tests/readme.py

bench: wheel # docs/results/speed.md and its baseline, measured again: at most 10 minutes
	$(BIN)/python -m benchmarks --write

# A minute: that everything runs and fills its table, and that no ratio fell by a factor of 4 beyond its noise.
bench-quick: wheel
	$(BIN)/python -m benchmarks --quick --check --output $(VENV)/speed.md
	grep --quiet '^## Memory' $(VENV)/speed.md

long: wheel # a match of five million rounds from CSV and Parquet, killed and continued: minutes, 6 GiB of disk
	$(BIN)/python benchmarks/long_streams.py
	$(BIN)/python benchmarks/long_streams.py --hindsight interval

results: wheel # the logs in docs/results that are measured at full size: hours
	$(BIN)/python benchmarks/adversaries.py --write
	$(BIN)/python benchmarks/growth.py --full --write
	$(BIN)/python benchmarks/planted_bugs.py --write
	$(BIN)/python -m benchmarks.mutants --fresh 40 --write
	$(BIN)/python benchmarks/sweep.py --write
	$(BIN)/python benchmarks/processors.py --write
	$(BIN)/python -m pip install --quiet -r benchmarks/wild/requirements.txt && $(BIN)/python -m benchmarks.wild

docs: wheel # the pages that commands write, and the table of promises in the package
	$(BIN)/python docs/mathml.py
	$(BIN)/arena reproduce errata --markdown > docs/errata.md
	$(BIN)/arena reproduce tightness --markdown > tightness.md && mv tightness.md docs/results/tightness.md
	$(BIN)/arena list theorems --markdown > docs/theorems.md
	$(BIN)/arena reproduce promises > promises.json && mv promises.json arena/cli/promises.json # read by `arena show`
	$(BIN)/python docs/gallery.py

full: wheel # quality suites and growth rates at their full size: hours
	REGRET_ARENA_FULL=1 $(BIN)/pytest --numprocesses 2 --dist worksteal

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache site
