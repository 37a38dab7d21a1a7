#!/usr/bin/env bash
# golden_check.sh [--add] [ROOT]: golden files are for ever. Each one listed in tests/golden/SHA256SUMS is there and as it was, each
# one there is listed, no line was ever taken out of the list, and each family of any/families.def has some.
# --add puts those that are not listed yet at the list's end; it changes no line.
set -euo pipefail
add=
[ "${1-}" != --add ] || { add=yes; shift; }
cd "${1:-$(dirname "$0")/..}/tests/golden"
wrong=0
complain() {
  echo "golden_check.sh: $*"
  wrong=1
}

[ -e SHA256SUMS ] || : >SHA256SUMS
unlisted=$(LC_ALL=C comm -23 <(find v* near/v* -type f -name '*.hortus' | LC_ALL=C sort) <(cut -c 67- SHA256SUMS | LC_ALL=C sort))
if [ -n "$unlisted" ] && [ -n "$add" ]; then
  tr '\n' '\0' <<<"$unlisted" | xargs -0 sha256sum >>SHA256SUMS
elif [ -n "$unlisted" ]; then
  complain "not in tests/golden/SHA256SUMS: ${unlisted//$'\n'/ }; tools/golden_check.sh --add puts them there"
fi

sha256sum --check --strict --quiet SHA256SUMS || complain "golden files changed or are missing; restore them"
[ -z "$(cut -c 67- SHA256SUMS | sort | uniq -d)" ] || complain "SHA256SUMS names a file twice"

# What history there is must not know of a line that the list has lost. A shallow clone knows less.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  while read -r line; do
    complain "a line was taken out of SHA256SUMS: $line"
  done < <(git log --format= -p --no-textconv -- SHA256SUMS 2>/dev/null | sed -nE 's/^-([0-9a-f]{64}  .*)$/\1/p' |
    grep -vxF -f SHA256SUMS -f WITHDRAWN)
fi

families=$(sed -n 's/^HORTUS_FAMILY(\([a-z_0-9]*\),.*/\1/p' ../../include/hortus/any/families.def)
[ -n "$families" ] || complain "no list of families found in include/hortus/any/families.def"
for family in $families; do
  [ "$(grep -c "  v[0-9]*/$family/[^/]*\.hortus\$" SHA256SUMS)" -ge 5 ] ||
    complain "the family $family has no golden files: build test_golden_golden and run it with" \
      "--gtest_also_run_disabled_tests --gtest_filter='*missing*', then tools/golden_check.sh --add"
done
exit $wrong
