#!/usr/bin/env bash
# prefetch_check.sh OBJECT...: fails if the compiled unit of a family has no prefetch instruction. g++ drops calls of functions
# that only prefetch, so that batches of a family can lose their speed without any other sign (docs/performance-history.md).
set -euo pipefail
[ "$(uname -m)" = x86_64 ] || { echo "not an x86-64 machine: nothing checked"; exit 0; }
seen=0 lost=0
for object in "$@"; do
  case $object in *_family.cpp.o) ;; *) continue ;; esac
  seen=$((seen + 1))
  if [ "$(objdump -d "$object" | grep -c prefetch)" = 0 ]; then
    echo "$(basename "$object"): no prefetch instruction. Mark the functions that only prefetch [[gnu::always_inline]]"
    lost=1
  fi
done
[ $seen -gt 0 ] || { echo "prefetch_check.sh: no family among the objects"; exit 1; }
exit $lost
