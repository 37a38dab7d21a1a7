#!/usr/bin/env bash
# fuzz.sh BUILD SECONDS JOBS: each libFuzzer program of BUILD/fuzz for SECONDS. New inputs that reach new code stay in
# BUILD/fuzz/found/NAME for the next time; an input that breaks something is left as BUILD/fuzz/NAME-crash-...: put it into
# fuzz/corpus/NAME together with the fix, and the tests replay it for ever.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 seconds=$2 jobs=$3
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1

one() {
  local program=$1 name folders
  name=$(basename "$program")
  name=${name#fuzz_}
  folders=("$build/fuzz/found/$name")
  mkdir -p "${folders[0]}"
  [ ! -d "fuzz/corpus/$name" ] || folders+=("fuzz/corpus/$name")
  [[ $name != load_* ]] || folders+=("$build/fuzz/golden")
  if "$program" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=10 -artifact_prefix="$build/fuzz/$name-" \
    -print_final_stats=1 "${folders[@]}" >"$build/fuzz/$name.log" 2>&1; then
    echo "fuzz $name: $(sed -nE 's/^stat::number_of_executed_units: *//p' "$build/fuzz/$name.log") inputs, nothing found"
  else
    tail -n 60 "$build/fuzz/$name.log"
    echo "fuzz $name: FAILED, see above and $build/fuzz/$name.log"
    return 1
  fi
}
export -f one
export build seconds

# Files of every family, for the programs that read files: a name is not found by chance. Large ones would slow them down.
rm -rf "$build/fuzz/golden"
mkdir -p "$build/fuzz/golden"
find tests/golden/v1 tests/golden/near/v1 -name '*.hortus' -size -4k | while read -r file; do
  cp "$file" "$build/fuzz/golden/$(basename "$(dirname "$file")")_$(basename "$file")"
done

shopt -s nullglob
programs=("$build"/fuzz/fuzz_*)
if [ ${#programs[@]} -eq 0 ]; then
  echo "fuzz.sh: no fuzz target in $build/fuzz" >&2
  exit 1
fi
printf '%s\0' "${programs[@]}" | xargs -0 -n 1 -P "$jobs" bash -c 'set -euo pipefail; one "$1"' one
