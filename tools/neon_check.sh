#!/usr/bin/env bash
# Compiles the vector kernels for 64-bit ARM and sees to it that NEON code came out. Needs a cross compiler
# (Debian: g++-aarch64-linux-gnu) and Highway's headers, which are the same for every machine; without the compiler it says so and ends well.
set -euo pipefail
cd "$(dirname "$0")/.."
compiler=$(command -v aarch64-linux-gnu-g++ aarch64-linux-gnu-g++-12 | head -n 1 || true)
if [ -z "$compiler" ]; then
  echo "neon_check.sh: no aarch64-linux-gnu-g++ here, nothing was checked" >&2
  exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/include"
ln -s /usr/include/hwy "$scratch/include/hwy" # and nothing else of this machine's headers
for kernel in block_kernels pair_kernels one_key_kernels age_kernels mix_kernel; do
  "$compiler" -std=c++20 -O2 -Wall -Wextra -Iinclude -I. -isystem "$scratch/include" -c "src/$kernel.cpp" -o "$scratch/$kernel.o"
  grep -q N_NEON "$scratch/$kernel.o" || { echo "neon_check.sh: src/$kernel.cpp has no NEON form" >&2; exit 1; }
done
echo "neon_check.sh: the kernels compile for NEON"
