# Reclaim: what one needs day to day. Needs Rust, Python 3.11 or newer, gcc and make; everything else goes to .venv/.

PYTHON ?= python3
RUNS ?= 2000
SEED ?= 1000
BIN := .venv/bin
export PIP_QUIET := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests whose assertions are rewritten would be compiled anew by every process of every run.
unexport PYTHONDONTWRITEBYTECODE
# tests/python/test_readme.py runs the same.
DEMO := examples/experiments/papers.toml

CARGO_MUTANTS := 27.1.0

.PHONY: help install wheel demo papers check test test-all lint-rust test-rust lint-python test-python fixtures pictures renew differential rules ties networks networks-figures networks-cost placement controls planted drives order-of-replay pages site sensitivity-example league baselines tidy bench mutants mutants-listed stand-in-error clean

help:
	@echo "After a change:"
	@echo "make check                   formats, lints, types, and the tests of what changed; minutes"
	@echo
	@echo "Before a commit:"
	@echo "make test                    lints, and all tests but those that take long"
	@echo
	@echo "Before a push:"
	@echo "make test-all                what takes long, and more random drives; after make test"
	@echo
	@echo "To run Reclaim:"
	@echo "make demo                    five papers, each over its own baseline, on a real trace; leaves out/demo/report.html"
	@echo "make install                 the command reclaim and the Python package, in .venv/"
	@echo "make wheel                   a wheel for every Python from 3.11 on and glibc from 2.28 on, and the sources as an sdist: dist/"
	@echo "make papers                  every figure of the papers beside ours, in out/papers; minutes"
	@echo "make site                    the docs site, in out/site; a warning is an error"
	@echo
	@echo "When a test says that a file is out of date:"
	@echo "make renew                   whatever tests compare with what the program says, anew; half an hour"
	@echo "make fixtures                the results files that Python tests read, anew; part of renew"
	@echo "make pages                   README, pages of papers, tables of docs/papers.md, anew; part of renew"
	@echo "make pictures                the picture of the tutorial, anew; part of renew"
	@echo
	@echo "When you change the model:"
	@echo "make differential RUNS=2000  random drives and traces on which the reference model must agree to the nanosecond"
	@echo "make rules                   how many random runs exercise each rule of docs/model.md; minutes"
	@echo "make ties                    whether every chip, plane and channel does its share: docs/ties.md, anew; a minute"
	@echo
	@echo "When you want to know how good it is:"
	@echo "make bench                   speed on this machine; MQSIM=FOLDER (its source): by turns with MQSim"
	@echo "make mutants                 how many small faults the tests notice; an hour or more. DIFF=main: in changed lines"
	@echo "make mutants-listed          the same on a list that stays, of Rust and of Python: tests/mutants.json"
	@echo "make tidy                    what breaks the rules of tests/tidy.toml: who may use whom, text, lengths; seconds"
	@echo "make stand-in-error          how far stand-ins made of published figures fall from them; minutes"
	@echo
	@echo "Studies, each with its page and pictures anew:"
	@echo "make networks                docs/networks.md from stored figures"
	@echo "make networks-figures        those figures; half an hour of a processor"
	@echo "make networks-cost           instructions for a page operation on each network; minutes"
	@echo "make baselines               what the rivals of reclaim judge reach: docs/judge.md; an hour, half of it tuning"
	@echo "make drives                  real drives beside their data sheets: docs/drives.md; some ten minutes"
	@echo "make order-of-replay         what the order of replay does to every trace that ships; minutes"
	@echo "make placement               docs/placement.md from stored figures"
	@echo "make controls                known results and measured drives, predicted anew: docs/controls.md; ten minutes"
	@echo "make planted                 whether studies of sensitivity find planted keys, and name no others; half an hour"
	@echo "make sensitivity-example     the example of docs/sensitivity.md; minutes"
	@echo "make league                  every scheme tuned on five drives: papers/league; hours. SMALL=1: a check, minutes"
	@echo
	@echo "To begin anew:"
	@echo "make clean                   remove everything that was built"

.venv/created:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install "maturin>=1.16,<2"
	touch $@

# How Rust is compiled for Python: quick by default. Tests take the profile of Rust's own, whose parts are then built once.
PROFILE ?= dev-install

# What Python needs beside the extension: lints do with it, while Rust is still being compiled.
.venv/packages: .venv/created pyproject.toml
	$(BIN)/python -c 'import tomllib; about = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
		print(*about["dependencies"], *about["optional-dependencies"]["dev"], sep="\n")' | $(BIN)/pip install -r /dev/stdin
	touch $@

# Dependencies are looked at again only when pyproject.toml changes; the extension every time (cargo knows what is new).
.venv/dependencies: .venv/packages
	. $(BIN)/activate && maturin develop --quiet --profile $(PROFILE) --locked
	touch $@

# All that the demo needs, without what checks and tests need beside it.
.venv/runtime: .venv/created pyproject.toml
	. $(BIN)/activate && maturin develop --quiet --profile $(PROFILE) --locked
	touch $@

# The extension anew, whatever is installed: cargo knows what has changed.
extension := . $(BIN)/activate && maturin develop --quiet --profile $(PROFILE) --locked --skip-install

install: .venv/dependencies
	$(extension)

.venv/zig: .venv/created
	$(BIN)/pip install "maturin[zig]>=1.16,<2"
	touch $@

# The wheel is built from the sdist, so that neither can lack what the other has. Zig links against the glibc that is
# named, whatever this machine has; maturin refuses a wheel that needs a newer one. The commit is that of the checkout.
# The sdist lacks the packages of tests and benches, which Cargo takes out of its lock file: offline, it changes nothing else.
# WHEEL_FOR=aarch64-unknown-linux-gnu makes one for arm64 on another machine.
wheel: .venv/zig
	cargo fetch --locked --quiet
	. $(BIN)/activate && export CARGO_TARGET_DIR="$${CARGO_TARGET_DIR:-$(CURDIR)/target}" && \
		RECLAIM_COMMIT="$$(git rev-parse HEAD)$$(git diff --quiet HEAD -- crates Cargo.lock || echo ' and changes')" \
		maturin build --release --offline --sdist --zig --compatibility manylinux_2_28 --out dist \
		$(if $(WHEEL_FOR),--target $(WHEEL_FOR))

demo: .venv/runtime
	$(extension)
	$(BIN)/reclaim sweep $(DEMO) -o out/demo --force
	@echo
	@echo "Open out/demo/report.html in a browser."

# Every paper at its own level; `reclaim reproduce PAPER --full` judges one in full.
papers: install
	$(BIN)/reclaim reproduce all -o out/papers

# After every change: formats, lints, types, and the tests that the names of the changed files point to.
check:
	$(MAKE) PROFILE=dev --jobs 2 --output-sync=target lint-rust lint-python
	$(BIN)/python tools/changed_tests.py

# Before a commit.
test:
	$(MAKE) PROFILE=dev --jobs 2 --output-sync=target test-rust lint-python
	$(MAKE) PROFILE=dev test-python
	@echo "The extension is that of the tests, which checks itself and is slower: make install builds the quick one."

# Before a push, beside `make test`: what takes long, and more of what that tries.
test-all:
	$(MAKE) PROFILE=dev install
	RECLAIM_FUZZ_DRIVES=4000 cargo test --locked --quiet --test sim fuzz::hostile_drives
	$(BIN)/pytest $(PYTEST) -m slow
	PYTHONPATH=tests $(BIN)/python -m differential --runs 400 --seed 50000

lint-rust:
	rustfmt --check --edition 2024 $$(git ls-files --cached --others --exclude-standard '*.rs')
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

# Side by side with clippy, both would only wait for one another.
test-rust: lint-rust
	cargo test --locked --quiet --test trace --test sim
	cargo units
	MAKEFLAGS= cargo test --locked --quiet --doc

PYTHON_CODE := python tests tools papers benches examples
lint-python: .venv/packages
	$(BIN)/ruff format --check $(PYTHON_CODE)
	$(BIN)/ruff check $(PYTHON_CODE)
	PYTHONPATH=python $(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/mypy

PYTEST := --quiet --numprocesses auto --dist loadfile --no-loadscope-reorder
test-python: install
	$(BIN)/pytest $(PYTEST) -m "not slow"

# Results that tests read without running anything. Renew them with the change that makes them differ.
fixtures: install
	$(BIN)/python tests/python/fixtures/make.py

# Every file that tests compare with what the program says, and every page that is made from it; the cheapest first, so
# that most is done after minutes. What differs afterwards is what the change does: look at it before it is committed.
renew: install
	RECLAIM_UPDATE_DOCS=1 cargo test --locked --quiet --test sim docs::
	$(BIN)/reclaim device schema > docs/device.schema.json
	$(BIN)/reclaim check --schema > docs/experiment.schema.json
	$(MAKE) fixtures
	RECLAIM_UPDATE_DOCS=1 $(BIN)/pytest --quiet tests/python/study/test_broken.py tests/python/study/test_keys_page.py tests/python/test_concepts.py \
		tests/python/study/test_docs.py tests/python/test_tutorial.py
	$(MAKE) pages networks ties rules
	RECLAIM_UPDATE_DOCS=1 $(BIN)/pytest --quiet tests/python/test_stand_in_docs.py
	$(MAKE) sensitivity-example pictures

# The picture of the tutorial, from its first command.
pictures: install
	$(BIN)/reclaim compare bundled/dbench -d small --output out/first --force
	cp out/first/figures/latency_tail.png docs/images/tutorial-latency-tail.png

differential: install
	PYTHONPATH=tests $(BIN)/python -m differential --runs $(RUNS) --seed $(SEED) $(addprefix --only ,$(ONLY))

# How many of the runs of `make test` exercise each rule of docs/model.md: docs/rules-exercised.md, anew.
rules: install
	PYTHONPATH=tests $(BIN)/python -m differential --rules

# What tests/python/test_symmetry.py checks, as a page.
ties: install
	$(BIN)/python tests/python/symmetry.py

# Nothing is run: studies/networks/figures/ has what was measured.
networks: install
	PYTHONPATH=tools $(BIN)/python -m network_study.page

# Nothing is run: studies/placement has what was measured.
placement: install
	PYTHONPATH=tools $(BIN)/python -m placement_study.page

controls: install
	PYTHONPATH=tools $(BIN)/python -m controls_study.cachelib
	PYTHONPATH=tools $(BIN)/python -m controls_study.lfs
	PYTHONPATH=tools $(BIN)/python -m controls_study.page

# Needs valgrind.
networks-cost: install
	cargo build --release --locked --quiet -p reclaim-sim --example network_cost
	PYTHONPATH=tools $(BIN)/python -m network_study.cost

# What studies/networks/study.toml asks for; points that are in out/networks already are not run again.
networks-figures: install
	PYTHONPATH=tools $(BIN)/python -m network_study.run --output out/networks

# 20 comparisons in which one key decides, and 20 in which none does; what is done is kept in out/planted.
planted: install
	$(BIN)/python tools/planted.py

# Pages of papers and the tables of docs/papers.md: nothing is run, and twice gives the same bytes.
pages: install
	$(BIN)/python tools/pages.py
	$(BIN)/python tools/league_page.py
	$(BIN)/python tools/readme.py
	$(BIN)/python tools/validation_picture.py

# Every page, and the reference made from the program; links that lead nowhere stop it.
site: install
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "Open out/site/index.html in a browser."

# Two metrics of the same runs: docs/sensitivity.md and its picture, anew.
sensitivity-example: install
	$(BIN)/python tools/sensitivity_example.py

# Goes on where it was stopped: what is done is kept in out/league. SMALL=1 checks the machinery and writes no page.
LEAGUE_DRIVES = tlc.toml qlc.toml many-chips.toml $(addprefix ../../examples/devices/,intel-p4500-1tb.toml samsung-pm9a3.toml)
league: install
	$(BIN)/python tools/league.py $(if $(SMALL),papers/league/small.toml,papers/league/league.toml --page --drives $(LEAGUE_DRIVES) --after half faster same-start first-come hard-off ablate sensitivity)

# What the rivals of `reclaim judge` reach, and docs/judge.md; what is done is kept in out/baselines.
baselines: install
	PYTHONPATH=tools $(BIN)/python tools/baselines.py

drives: install
	$(BIN)/python tools/drives.py

# Reads the sources; nothing is built.
tidy: .venv/packages
	$(BIN)/python tools/tidy.py

# Stand-ins made of published figures beside the traces at hand, for docs/collecting-stand-ins.md.
stand-in-error: install
	$(BIN)/python tools/stand_in_error.py

# Whole drives first: they are what counts, and the parts explain them. MQSIM= names a folder with MQSim's source: it is
# built from a copy and measured by turns; without it, its stored figures are told.
bench: install
	$(PYTHON) benches/run.py
	$(PYTHON) benches/beside_mqsim.py $(if $(MQSIM),"$(MQSIM)")
	cargo bench --locked --quiet -p reclaim-micro
	$(BIN)/python benches/own_policies.py
	$(BIN)/python benches/workers.py
	cargo run --release --locked --quiet -p reclaim-trace --example reader_throughput

target/tools/bin/cargo-mutants:
	cargo install cargo-mutants --version $(CARGO_MUTANTS) --locked --quiet --root target/tools

# A fixed random sample, or changed lines, all or so many: make mutants DIFF=main N=150
mutants: target/tools/bin/cargo-mutants .venv/dependencies
	$(BIN)/python tools/mutants.py $(if $(DIFF),--diff $(DIFF)) $(if $(N),--mutants $(N)) $(if $(DIFF),$(if $(N),--suites),--suites)

# The same mutants every time: those of tests/mutants.json.
mutants-listed: target/tools/bin/cargo-mutants .venv/dependencies
	$(BIN)/pip install "mutmut==3.8.1"
	$(BIN)/python tools/mutants.py --listed
	$(BIN)/python tools/python_mutants.py

# What ships, on one drive: nothing of ../shared.
order-of-replay: install
	$(BIN)/python tools/order_of_replay.py

clean:
	rm -rf target .venv out dist .pytest_cache .mypy_cache .ruff_cache .hypothesis python/reclaim/_core*.so
	find python tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
