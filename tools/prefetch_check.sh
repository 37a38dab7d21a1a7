#!/usr/bin/env bash
# prefetch_check.sh OBJECT...: fails if compiled code has lost its prefetch instructions. g++ drops calls of functions that only
# prefetch, so that batches can lose their speed without any other sign (docs/performance-history.md). Looks at the units of
# families (not at prefetch() itself, which programs do not call one by one), and in those of kernels at every function that
# takes the keys of this block and of the next.
set -euo pipefail
[ "$(uname -m)" = x86_64 ] || { echo "not an x86-64 machine: nothing checked"; exit 0; }

family_without() {
  objdump -dC --no-show-raw-insn "$1" | awk -v unit="$(basename "$1")" '
    /^[0-9a-f]+ <.*>:$/ { itself = /any_family::body<.*>::prefetch\(/ }
    /\tprefetch/ && !itself { found = 1 }
    END { if (!found) print unit }'
}
# A kernel may be several functions of one name: one that chooses, and one for each choice.
kernels_without() {
  objdump -dC --no-show-raw-insn "$1" | awk '
    /^[0-9a-f]+ <.*>:$/ {
      kernel = ""
      if (!/\[clone \.cold\]/ && match($0, /N_[A-Z0-9_]+::[a-z0-9_]+/)) {
        name = substr($0, RSTART, RLENGTH)
        if (gsub(/span<hortus::digest const/, "&") >= 2) seen[kernel = name]
      }
    }
    /\tprefetch/ && kernel != "" { has[kernel] }
    END { for (name in seen) print (name in has ? "ok" : "lost"), name }'
}

seen=0 lost=0
for object in "$@"; do
  case $object in
    *_family.cpp.o)
      seen=$((seen + 1))
      without=$(family_without "$object")
      ;;
    *_kernels.cpp.o)
      found=$(kernels_without "$object")
      seen=$((seen + $(grep -c . <<< "$found" || true)))
      without=$(sed -n 's/^lost //p' <<< "$found")
      ;;
    *) continue ;;
  esac
  [ -z "$without" ] && continue
  echo "no prefetch instruction in $without. Mark the functions that only prefetch [[gnu::always_inline]]"
  lost=1
done
[ $seen -gt 0 ] || { echo "prefetch_check.sh: neither families nor kernels among the objects"; exit 1; }
echo "$seen families and kernels looked at"
exit $lost
