#!/usr/bin/env bash
# must_not_compile.sh SOURCE CASE COMPILER [FLAG...]: case 0 must compile; any other must fail and say what its "// CASE n: ..." line expects.
set -euo pipefail
source=$1 case=$2
shift 2

# Both lists of cases, the one in the comments and the one in the code, must agree: a case without words is never looked at.
said=$(grep -oE '// CASE [0-9]+' "$source" | grep -oE '[0-9]+' | sort -n)
coded=$(grep -oE '^ *# *(if|elif) +CASE *== *[0-9]+' "$source" | grep -oE '[0-9]+$' | sort -n)
if [ "$said" != "$coded" ]; then
  echo "$source: the '// CASE n' lines say" $said "but the code has" $coded
  exit 1
fi

# The C locale, or g++ puts words between quotation marks that no expression matches.
status=0
output=$(LC_ALL=C "$@" -fsyntax-only -DCASE="$case" "$source" 2>&1) || status=$?

if [ "$case" = 0 ]; then
  [ "$status" = 0 ] && exit 0
  printf '%s\n%s\n' "$output" "the control, case 0, should compile"
  exit 1
fi
if [ "$status" = 0 ]; then
  echo "case $case compiled; it should be refused"
  exit 1
fi
expected=$(sed -nE "s@.*// CASE $case: *@@p" "$source")
if [ -z "$expected" ]; then
  echo "case $case names no words to look for: // CASE $case: EXPRESSION"
  exit 1
fi
if ! grep -qE -- "$expected" <<<"$output"; then
  printf '%s\n%s\n' "$output" "case $case was refused, but without the words: $expected"
  exit 1
fi
