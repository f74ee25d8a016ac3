# Everything a person or a machine runs here; each line of help is a target. Needs git, make, python3 and apt, and installs the
# rest by itself. Variables: PYTHON (interpreter of .venv), AREAS (what `accept` checks), JOBS, those that `bench` names.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help build demo test accept bench bench-build bench-smoke bench-kernels bench-report format format-check lint tidy asan tsan torture \
  minimal lock clean

JOBS  ?= $(shell nproc)
AREAS ?= a b
ROUNDS ?= 9
SCALE ?= 0.25
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
export CTEST_PARALLEL_LEVEL ?= $(JOBS)
# One for all targets, whatever was installed when the first of them began.
export CMAKE_GENERATOR ?= Ninja

# A clone in another folder finds what this one compiled.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

# MPI launchers refuse root and more ranks than cores unless told that both are meant.
export OMPI_ALLOW_RUN_AS_ROOT := 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1
export OMPI_MCA_rmaps_base_oversubscribe := 1

RELEASE := build/release
CPP = $$(git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp')
CLANG = CC=clang-19 CXX=clang++-19

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

# CI=true: scikit-build-core then waits 40 s for an answer of cmake, not 10, which a busy machine may need.
build:  ## .venv with the Python package, and .venv/bin/loadstone
	scripts/system-packages build
	scripts/python-environment
	CI=true .venv/bin/python -m pip install -v --no-input --disable-pip-version-check --no-index --no-deps --no-build-isolation \
	  --force-reinstall --config-settings build-dir=$(RELEASE) --config-settings cmake.define.LOADSTONE_BUILD_TESTS=ON \
	  --config-settings cmake.define.LOADSTONE_BUILD_BENCHMARKS=ON .

demo: build  ## write, inspect, plan, load and verify real files: in one process, in threads, under both MPIs
	scripts/demo

test: build  ## every test: C++, Python, the installed package
	cmake --build $(RELEASE) --target all loadstone_tests
	ctest --test-dir $(RELEASE) --output-on-failure
	.venv/bin/python -m pytest

accept: build  ## the acceptance checks of ../shared/accept, where that folder is; AREAS="a b"
	scripts/accept $(AREAS)

bench-build: build  # ceilings, patterns and contenders
	cmake --build $(RELEASE) --target loadstone_benchmarks

bench-smoke: bench-build  ## every workload once on small data: right bytes, exact counts, no clock
	benchmarks/bench smoke

bench: bench-build  ## ratios to ceilings, patterns and peers; ONLY="W1 W2/C" PEERS=numpy ROUNDS=9 SCALE=0.25 FORCE=1
	benchmarks/bench run --only "$(ONLY)" --peers "$(PEERS)" --rounds $(ROUNDS) --scale $(SCALE) $(if $(FORCE),--force)

bench-kernels: bench-build  ## copy kernels beside memcpy; fails if a threshold between two of them is off
	$(RELEASE)/benchmarks/kernels

bench-report:  ## table, plot and README numbers of a stored run: RUN=2026-01-31_...
	benchmarks/bench report "$(RUN)"

format:  ## clang-format and ruff, in place
	scripts/system-packages lint
	scripts/python-environment
	clang-format-19 -i $(CPP)
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

format-check:  ## fails if `make format` would change something
	scripts/system-packages lint
	scripts/python-environment
	clang-format-19 --dry-run -Werror $(CPP)
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .

lint: build  ## format-check, types of the Python package, every public header compiled by itself
	$(MAKE) format-check
	.venv/bin/mypy
	cmake --build $(RELEASE) --target all_verify_interface_header_sets

tidy:  ## clang-tidy over every file
	scripts/system-packages build lint
	cmake --preset tidy && cmake --build --preset tidy

asan:  ## the C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer
	scripts/system-packages build lint
	$(CLANG) cmake --preset asan-ubsan && cmake --build --preset asan-ubsan && ctest --preset asan-ubsan

tsan:  ## the tests with threads under ThreadSanitizer
	scripts/system-packages build lint
	$(CLANG) cmake --preset tsan && cmake --build --preset tsan && ctest --preset tsan

torture: build  ## what `test` samples, at full length (an hour): faults, failing, dead and stopped ranks, memory, changing files, links, headers
	cmake --build $(RELEASE) --target io_fault_loop_test io_test comm_test npy_header_dump
	LOADSTONE_FAULT_RUNS=25000 $(RELEASE)/tests/io/io_fault_loop_test
	LOADSTONE_LINK_SWAPS=100000 $(RELEASE)/tests/io/io_test --gtest_filter='*LinkSwaps*'
	LOADSTONE_TEST_CASES=10000 $(RELEASE)/tests/comm/comm_test --gtest_filter='*AgreementConformance*'
	LOADSTONE_MEMORY_CASES=2000 LOADSTONE_CHANGING_LOADS=10000 .venv/bin/python -m pytest -q \
	  python/tests/test_memory_bound.py python/tests/test_changing_files.py
	LOADSTONE_KILL_MOMENTS=500 LOADSTONE_STOP_MOMENTS=100 .venv/bin/python -m pytest -q \
	  python/tests/test_dead_rank.py python/tests/test_stopped_rank.py
	.venv/bin/python tests/formats/npy_differential.py $(RELEASE)/tests/formats/npy_header_dump 1000000

minimal:  ## the build without MPI, io_uring and Python, tested
	scripts/system-packages build
	cmake --preset minimal && cmake --build --preset minimal && ctest --preset minimal

lock:  ## requirements.lock from requirements.in (needs a package index)
	scripts/lock-requirements

clean:  ## removes build/ and .venv/
	rm -rf build .venv
