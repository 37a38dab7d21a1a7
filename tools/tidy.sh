#!/usr/bin/env bash
# tidy.sh BUILD JOBS [FOLDER...]: clang-tidy over the units of the compile database that lie in the folders (src, cli, redis, bench,
# fuzz, tests and examples if none is named); headers are looked at through them.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 jobs=$2
shift 2
[ $# -gt 0 ] || set -- src cli redis bench fuzz tests examples

units=()
for folder in "$@"; do
  while IFS= read -r unit; do units+=("$unit"); done < <(
    sed -nE 's/^ *"file": "(.*)",?$/\1/p' "$build/compile_commands.json" | grep -F "$PWD/$folder/" | sort -u)
done
if [ ${#units[@]} -eq 0 ]; then
  echo "tidy.sh: $build/compile_commands.json has no unit of: $*" >&2
  exit 1
fi
# How many warnings of system headers were suppressed is noise.
printf '%s\0' "${units[@]}" | xargs -0 -n 1 -P "$jobs" clang-tidy -p "$build" --quiet 2> >(grep -vE '^[0-9]+ warnings?' >&2)
echo "clang-tidy: ${#units[@]} units clean"
