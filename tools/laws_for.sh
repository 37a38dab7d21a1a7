#!/usr/bin/env bash
# laws_for.sh FLAG FEATURE...: the laws of every family again, compiled with FLAG (-mavx2, -march=x86-64-v4), as a program of a user
# may be: headers then use wider instructions than the library was built with, and -O3 vectorises their loops. Skipped where the
# processor lacks a FEATURE, by its name in /proc/cpuinfo. One unit a family here, so that the objects can tell which family has lost its prefetches.
set -euo pipefail
cd "$(dirname "$0")/.."
flag=$1
shift
for feature; do
  grep -qw "$feature" /proc/cpuinfo || { echo "laws_for.sh: the processor lacks $feature, nothing was checked with $flag" >&2; exit 0; }
done
tree=build-laws$flag
cmake --preset release -B "$tree" -DHORTUS_TESTS=ON -DHORTUS_BUILD_COMMAND=OFF -DHORTUS_LAWS_AS_RELEASED=ON \
  -DHORTUS_UNITY=OFF -DCMAKE_CXX_FLAGS="$flag"
cmake --build "$tree" --target laws -j "$(nproc)"
ctest --test-dir "$tree" -L '^laws$' --output-on-failure --no-tests=error -j "$(nproc)"
ctest --test-dir "$tree" -R '^source.code_prefetches$' --output-on-failure --no-tests=error
