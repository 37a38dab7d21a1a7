#!/usr/bin/env bash
# format.sh [--check]: brings every source file into the shape of .clang-format, or says which is out of it.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[ "${1-}" != --check ] || mode=(--dry-run -Werror)
folders=()
for folder in include src cli redis bench fuzz tests examples; do
  [ ! -d "$folder" ] || folders+=("$folder")
done
find "${folders[@]}" -name '*.[ch]pp' -print0 -o -name '*.cc' -print0 | xargs -0 clang-format "${mode[@]}"
