#!/usr/bin/env bash
# include_arrows.sh [ROOT]: who may include whom. Low rooms know nothing of families, families know nothing of each other,
# applications know families only through any/; no header includes itself by way of others; no folder inside a room.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

low="hash index cells io maths plan"
families="bloom counting aging growing fingerprint frozen map sketch sets near"
applications="cli bench fuzz redis python"

# A room is a folder of include/hortus; "top" is what lies in include/hortus itself, but for the front (of_keys.hpp) and the
# umbrella (hortus.hpp), which are rooms of their own here.
may_include() {
  case $1 in
    maths) echo "maths top" ;;
    hash | index | cells | io | plan) echo "$low top" ;;
    top) echo "$low top" ;;
    front) echo "$low top front" ;;
    counting) echo "$low top front counting bloom" ;;    # projects to bloom filters, and is made of levels of them
    map) echo "$low top front map frozen fingerprint bloom" ;;  # values in the cells of filters
    aging | growing) echo "$low top front $families" ;;  # wrappers: their default layer is another family
    sets) echo "$low top front sets message bloom" ;;    # bytes as messages have them; Bloom filters as messages
    facets) echo "$low top facets" ;;
    message) echo "$low top message" ;;
    any | umbrella) echo "$low top front facets message $families any umbrella" ;;
    src) echo "$low top front facets message $families any umbrella redis" ;;
    redis) echo "$low top front message any redis" ;;  # the client in include/hortus/redis, and the module
    cli | bench | fuzz | python) echo "$low top front sets message any redis" ;;
    *) for family in $families; do
         [ "$1" != "$family" ] || echo "$low top front $family"
       done ;;
  esac
}

room_of_header() {
  case $1 in
    hortus/hortus.hpp) echo umbrella ;;
    hortus/of_keys.hpp | hortus/concurrent.hpp | hortus/parallel.hpp | hortus/owned.hpp) echo front ;;
    hortus/*/*/*) echo deep ;;
    hortus/*/*) local rest=${1#hortus/} && echo "${rest%%/*}" ;;
    *) echo top ;;
  esac
}

wrong=0
complain() {
  echo "$1"
  wrong=1
}

sources=()
for folder in include src $applications; do
  [ ! -d "$folder" ] || while IFS= read -r file; do sources+=("$file"); done < <(find "$folder" -name '*.[ch]pp' | sort)
done
[ ${#sources[@]} -gt 0 ] || complain "include_arrows.sh: nothing to look at in $PWD"

edges=""
for file in "${sources[@]}"; do
  case $file in
    include/*) room=$(room_of_header "${file#include/}") ;;
    *) room=${file%%/*} ;;
  esac
  allowed=$(may_include "$room")
  if [ "$room" = deep ]; then
    complain "$file: rooms have no folders inside"
    continue
  elif [ -z "$allowed" ]; then
    complain "$file: the room '$room' is not known to tools/include_arrows.sh; say there what it may include"
    continue
  fi
  while IFS=: read -r line header; do
    target=$(room_of_header "$header")
    [[ " $allowed " == *" $target "* ]] || complain "$file:$line: $room may not include $target (<$header>); it may: $allowed"
    [ -e "include/$header" ] || complain "$file:$line: there is no include/$header"
    edges+="${file#include/} $header"$'\n'
  done < <(sed -nE 's/^ *# *include *[<"](hortus\/[^>"]*)[>"].*/\1/; t say; b; :say; =; p' "$file" | paste -d: - -)
done

cycles=$(tsort <<<"$edges" 2>&1 >/dev/null) || complain "headers that include themselves by way of others: $cycles"
exit $wrong
