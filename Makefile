# The front door. CMake does the work (see CMakePresets.json); these are the words for it.
#   make build     install what is missing, compile the command: build/hortus
#   make tour      compare all families on one set of keys, leave the page build/tour.html
#   make quick     some tests of every kind, in three minutes once they are compiled
#   make test      every test, once, with g++;  FAMILY=cuckoo: only what belongs to that family
#   make test-times       where the time of the last run went
#   make test-sanitized   the laws and units again, with clang under ASan+UBSan
#   make redis     the Redis module: build/hortus_redis.so
#   make redis-test       its tests, with real servers on this machine;  REDIS_TESTS='keys replication' chooses,
#                         REDIS_SERVER=valkey-server takes that server in place of redis-server
#   make redis-test-sanitized  those about memory again, with the module under ASan+UBSan and failing allocations
#   make systems   on each system of tools/systems.txt: make tour, make test, and make redis-test with each of its servers;
#                  SYSTEMS='debian-13' chooses, FRESH=yes makes the chroots below build-systems/ anew before they are a day old
#   make systems-quick    on Debian 13: reads all headers and sources, and the Redis module's most telling tests with its servers
#   make bench     the speed table;  BENCH='--families bloom -n 1M' chooses
#   make lint      format, include arrows, every header alone, clang-tidy of all but the tests
#   make nightly   everything slow, in one piece; or one part of it, each less than an hour on two cores:
#                  nightly-lint nightly-lint-tests nightly-clang nightly-libcxx nightly-laws nightly-asan nightly-tsan
#                  nightly-fuzz (FUZZ_SECONDS a target) nightly-sweeps nightly-redis (REDIS_SECONDS of damaged payloads,
#                  REDIS_COMMANDS beside a model) nightly-seeded nightly-seeded-headers nightly-systems-NAME for each system
#   make seeded-bugs   put realistic bugs into a copy of the source, one at a time: each must be noticed;  BUGS='lock_*' chooses
#   make install   to PREFIX, below DESTDIR
#   make clean
JOBS ?= $(shell nproc)
WERROR ?= OFF
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
REDIS_SECONDS ?= 300
REDIS_COMMANDS ?= 1000000
REDIS_TESTS ?=
FAMILY ?=
BENCH ?=
BUGS ?=
FRESH ?=

all_systems := $(shell awk '$$1 ~ /^[a-z]/ { print $$1 }' tools/systems.txt)
SYSTEMS ?= $(all_systems)

# Of the Redis module's tests those that notice first what another server does differently.
quick_redis_tests = administration elsewhere hortus_background hortus_commands keys listeners replication

# Ninja where it is, asked for when it is needed: the line before may have installed it. An existing build tree keeps the
# generator it was made with.
configure = CMAKE_GENERATOR="$${CMAKE_GENERATOR:-$$(command -v ninja >/dev/null && echo Ninja || echo Unix Makefiles)}" cmake --preset
export JOBS FRESH
export CTEST_PARALLEL_LEVEL ?= $(JOBS)

# In this order: what is quick to fail comes first.
nightly_parts = nightly-lint nightly-lint-tests nightly-clang nightly-libcxx nightly-laws nightly-asan nightly-tsan nightly-fuzz \
  nightly-sweeps nightly-redis nightly-seeded nightly-seeded-headers $(all_systems:%=nightly-systems-%)

.PHONY: build tour redis redis-asan redis-test redis-test-sanitized quick test test-times test-sanitized bench lint tidy-tree nightly \
  $(nightly_parts) neon fuzz seeded-bugs systems $(all_systems:%=system-%) systems-quick install clean need-build need-test \
  need-libcxx need-lint need-redis need-systems
.NOTPARALLEL:

# Only the command is compiled, and a new tree is set up without tests, which need more packages. `make test` adds them.
build: need-build
	@test -f build/CMakeCache.txt || $(configure) release -DHORTUS_TESTS=OFF -DHORTUS_WERROR=$(WERROR)
	@cmake --build --preset release --target hortus_cli -j $(JOBS)

tour: build
	build/hortus tour -o build/tour.html

bench: build
	build/hortus bench $(BENCH)

# As with `make build`, a new tree is set up without tests.
redis: need-build
	@$(configure) release $(if $(wildcard build/CMakeCache.txt),,-DHORTUS_TESTS=OFF) -DHORTUS_REDIS=ON -DHORTUS_WERROR=$(WERROR)
	@cmake --build --preset release --target hortus_redis hortus_redis_taken_names example_redis_filter -j $(JOBS)

# Files of filters go to the command and back.
redis-test: build redis need-redis
	@python3 tests/redis/run.py build/hortus_redis.so build/redis-test $(JOBS) $(REDIS_TESTS)

# The tree of `make test-sanitized`, whose library this module contains.
redis-asan: need-test need-redis
	@$(configure) asan $(if $(wildcard build-asan/CMakeCache.txt),,-DHORTUS_TESTS=OFF $(options_of_asan)) -DHORTUS_REDIS=ON -DHORTUS_REDIS_FAULTS=ON
	@cmake --build --preset asan --target hortus_redis -j $(JOBS)

redis-test-sanitized: redis-asan
	@python3 tests/redis/run.py build-asan/hortus_redis.so build-asan/redis-test $(JOBS) \
	  $(or $(REDIS_TESTS),allocation elsewhere golden_objects golden_replies hortus_background keys listeners model payload persistence)

# Which tests are in it: tools/some_tests.py.
quick: need-test
	$(configure) release -DHORTUS_TESTS=ON -DHORTUS_WERROR=$(WERROR)
	@python3 tools/some_tests.py --jobs $(JOBS) $(or $(FAMILY),quick)

ifdef FAMILY
test: quick
else
test: leg-release
	@grep 'tests passed' build/release.log
endif

test-times:
	@python3 tools/test_times.py build

# What is about the code and not about the machine, under other eyes: another compiler, sanitizers.
test-sanitized: leg-asan
	@grep 'tests passed' build-asan/asan.log

# Configure, build and test one preset. The release tree is shared with `make build`.
leg-%: need-test
	$(configure) $* -DHORTUS_TESTS=ON $(if $(filter release,$*),-DHORTUS_WERROR=$(WERROR)) $(options_of_$*)
	cmake --build --preset $* -j $(JOBS)
	ctest --preset $* --output-log $(tree_of_$*)/$*.log

# The command is half of what there is to compile, and sanitizers double that: `make nightly` does it.
options_of_asan = -DHORTUS_BUILD_COMMAND=OFF

tree_of_release = build
tree_of_clang = build-clang
tree_of_libcxx = build-libcxx
tree_of_asan = build-asan
tree_of_tsan = build-tsan

lint: tidy-tree
	bash tools/format.sh --check
	bash tools/include_arrows.sh .
	cmake --build build-tidy --target hortus_headers_alone -j $(JOBS)
	bash tools/tidy.sh build-tidy $(JOBS) src cli redis bench fuzz examples

# What clang-tidy needs to know: how every unit is compiled.
tidy-tree: need-lint
	$(configure) clang -B build-tidy -DHORTUS_TESTS=ON -DHORTUS_REDIS=ON -DHORTUS_UNITY=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON

nightly: $(nightly_parts)
nightly-lint: lint
nightly-lint-tests: tidy-tree
	bash tools/tidy.sh build-tidy $(JOBS) tests
nightly-clang: neon leg-clang
# The newest libc++ there is, with its clang: older ones lack parts of C++20.
nightly-libcxx: options_of_libcxx = -DCMAKE_CXX_COMPILER=$(shell ls -d /usr/lib/llvm-*/include/c++/v1 | sort -V | tail -n 1 | sed 's:include/.*:bin/clang++:')
nightly-libcxx: need-libcxx leg-libcxx
nightly-laws: need-test
	bash tools/laws_for.sh -mavx2 avx2
	bash tools/laws_for.sh -march=x86-64-v4 avx512f avx512bw avx512cd avx512dq avx512vl
nightly-asan: options_of_asan = -DHORTUS_BUILD_COMMAND=ON
nightly-asan: leg-asan
nightly-tsan: options_of_tsan = -DHORTUS_BUILD_COMMAND=OFF
nightly-tsan: leg-tsan
nightly-fuzz: fuzz
nightly-sweeps: leg-release
	ctest --preset nightly
nightly-redis: export HORTUS_REDIS_SECONDS = $(REDIS_SECONDS)
nightly-redis: export HORTUS_REDIS_COMMANDS = $(REDIS_COMMANDS)
nightly-redis: export HORTUS_REDIS_ROUNDS = 50
nightly-redis: export HORTUS_REDIS_EACH = 500
nightly-redis: export HORTUS_REDIS_LISTENED = 100000
nightly-redis: redis-test redis-test-sanitized
nightly-seeded: need-test need-redis
	python3 tools/seeded_bugs.py --jobs $(JOBS) --under src --under cli --under redis --under cmake --under CMakeLists.txt
nightly-seeded-headers: need-test
	python3 tools/seeded_bugs.py --jobs $(JOBS) --under include

neon:
	@bash tools/neon_check.sh

fuzz: need-test
	$(configure) fuzz
	cmake --build --preset fuzz -j $(JOBS)
	bash tools/fuzz.sh build-fuzz $(FUZZ_SECONDS) $(JOBS)

seeded-bugs: need-test need-redis
	python3 tools/seeded_bugs.py --jobs $(JOBS) $(BUGS)

systems: $(SYSTEMS:%=system-%)

$(all_systems:%=system-%): system-%: need-systems
	@bash tools/system.sh $* bash tools/in_system.sh $* all

$(all_systems:%=nightly-systems-%): nightly-systems-%: system-%

# The module is this machine's: a server loads what was compiled elsewhere too, and compiling it there takes longer than all the rest.
systems-quick: redis need-systems
	@bash tools/system.sh --with build/hortus_redis.so debian-13 bash tools/in_system.sh debian-13 quick $(quick_redis_tests)

install: build
	cmake --install build --prefix $(PREFIX)

need-build:
	@bash tools/install_dependencies.sh build
need-test:
	@bash tools/install_dependencies.sh build test
need-redis:
	@bash tools/install_dependencies.sh build redis clients
need-systems:
	@bash tools/install_dependencies.sh systems
need-libcxx: need-test
	@bash tools/install_dependencies.sh libcxx
need-lint:
	@bash tools/install_dependencies.sh build test lint

clean:
	@bash tools/system.sh --remove
	rm -rf build build-*
