# The two commands are `make tour` and `make check`; each installs what is missing, first.
#
#   PYTHON=python3.12      the interpreter for a new .venv
#   TORCH_INDEX_URL=...    the index that torch comes from, instead of what pip is configured for

.DEFAULT_GOAL := build
.PHONY: help build tour check prove prove-suite web clean FORCE

help:
	@echo 'make         build assay and install it into .venv'
	@echo 'make tour    and run it on a part of the bundled suite, and on kernels that are judged and timed;'
	@echo '             with ALL=1 compile all of the suite, for all targets'
	@echo 'make check   build, and run what CI runs: of tests what the change asks for'
	@echo 'make prove   run all tests, and write the commit that passed to scripts/proved, an hour; judge the corpora'
	@echo '             under many seeds and one by one, half an hour; kill assay 50 times at random moments of'
	@echo '             real runs, minutes; kill assay write 30 times, have it ask a server of PyPI, and judge'
	@echo '             recorded answers, an hour; study how often it errs about speed, two hours and a quarter'
	@echo '             of an idle machine; all but the second go on where they were'
	@echo 'make prove-suite   verify what IREE makes of the bundled suite, hours; goes on where it was'
	@echo 'make web     build the page of `assay report --format html` from web/ into page/'
	@echo 'make clean   remove what was built; .venv and its packages stay'

# Folders too: one is newer when a file in it came or went.
sources := CMakeLists.txt pyproject.toml VERSION \
  $(shell find cmake include page policies prices prompts src python suites targets -name __pycache__ -prune -o -print)

build: .venv/bin/assay

# Runs always; the file is newer only when packages were installed.
.venv/.ready: FORCE
	@scripts/setup

# The way of `pip install .`, in the folder of `cmake --preset release`, so that nothing is compiled
# twice. A variable names the folder since the pip of a young Python 3.10 has no --config-settings.
.venv/bin/assay: .venv/.ready $(sources)
	SKBUILD_BUILD_DIR=build/release .venv/bin/python3 -m pip --disable-pip-version-check \
	  install --verbose --no-build-isolation --no-deps .
	@touch $@

tour: build
	@scripts/tour $(if $(ALL),--all)

check:
	@scripts/setup --developer
	@scripts/check

prove: build
	@scripts/setup --developer
	@scripts/check --prove
	@ASSAY=$(CURDIR)/.venv/bin/assay .venv/bin/python3 tests/corpus/seeds.py
	@ASSAY=$(CURDIR)/.venv/bin/assay .venv/bin/python3 tests/corpus/resident.py
	@PATH=$(CURDIR)/.venv/bin:$$PATH PYTHONDONTWRITEBYTECODE=1 python3 tests/cases/mcp/fish.py 200 10
	@scripts/prove
	@scripts/prove-operations
	@for target in arm_cortex_a72 rvv vulkan; do \
	  scripts/prove-operations --rows 60 --on $$target || exit $$?; done
	@scripts/prove-models
	@scripts/prove-models --threads
	@scripts/prove-write
	@scripts/prove-write --timed --kills 10
	@scripts/prove-peer
	@scripts/prove-triton
	@scripts/prove-recorded
	@scripts/prove-timing --hours 2.25 || [ $$? = 3 ]

# Not part of `prove`: it takes hours.
prove-suite: build
	@scripts/prove-suite

web:
	@scripts/setup --developer
	@cd web && npx --no tsc && node build.mjs

clean:
	rm -rf build runs/tour runs/tour-all runs/tour-verdicts runs/tour-speeds runs/tour-*.html \
	  runs/tour-search .venv/bin/assay .mypy_cache .ruff_cache
