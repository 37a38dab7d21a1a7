#!/usr/bin/env bash
# A full filter: no key is lost silently, and no file claims keys that it does not hold.
set -euo pipefail
. "$(dirname "$0")/check.sh"

can_refuse=$(hortus list --json | python3 -c '
import json, sys
print(*[f["family"] for f in json.load(sys.stdin) if f["can_be_full"]])')
[ -n "$can_refuse" ] || fail "no family can be full"

for family in $can_refuse; do
  section "$family: build says how many did not fit and what would do"
  seq 2000 >keys
  refused "of 2000 keys did not fit into an? $family filter for 1000, which is full: no file was written; -n [0-9]+ would do" \
    hortus build "$family" -n 1000 -o f keys
  needed=$(grep -o -- '-n [0-9]*' "$err" | cut -d' ' -f2)
  no_debris keys
  hortus build "$family" -n "$needed" -o f keys
  equal "all found, planned as it said" 2000 "$(count f keys)"
  refused "keys did not fit" hortus build "$family" -n 10 -o f <keys
  equal "the old file is as it was" 2000 "$(count f keys)"

  section "$family: the numbers as JSON, with status 2"
  run 2 hortus build "$family" -n 1000 --json -o f keys
  json "d['family'] == '$family'" "d['items_planned'] == 1000" "0 < d['keys_refused'] < 1000" "2000 <= d['items_needed'] <= 2200" "$out"
  said 'did not fit'

  section "$family: repeated keys need no room of their own"
  for _ in 1 2 3 4 5; do seq 1000; done >repeated
  run 0 hortus build "$family" -n 1000 -o f repeated
  equal "all found" 1000 "$(seq 1000 | count f)"

  section "$family: add leaves the file as it was"
  seq 1000 | hortus build "$family" -o f
  cp f before
  seq 1001 2000 >more
  refused "'f': [0-9]+ of 1000 keys did not fit into an? $family filter for 1000, which is full: the file is as it was; -n 2[01]00 would do" \
    hortus add f more
  same_bytes before f
  run 2 hortus add --json f more
  json "0 < d['keys_refused'] < 1000" "2000 <= d['items_needed'] <= 2200" "$out"
  same_bytes before f
  refused "did not fit into an? $family filter for 1000, which is full" hortus add --if-new f more
  same_bytes before f

  section "$family: lines before the first one that does not fit are printed, then comes the error"
  seq 1000 | hortus build "$family" -p 1e-6 -o g
  cp g before
  run 2 hortus add --print-new g more
  said "did not fit into an? $family filter"
  same_bytes before g
  [ -s "$out" ] && head -n "$(wc -l <"$out")" more | cmp - "$out" || fail "not the first lines" "$(head "$out")"
  if hortus list "$family" --json | grep -qw insert_if_new; then
    cp "$out" printed
    run 2 hortus uniq --state g more
    said "'g': an? $family filter .* is full: .*; the lines before the first one that did not fit were printed, and the file is as it was"
    same_bytes before g
    same_bytes printed "$out"
    run 2 hortus uniq --state g --json more
    json "[line['line'] for line in d] == open('printed').read().split()" "$out"
    run 2 hortus uniq --state g --checkpoint 1d more
    said 'and the file is as the last checkpoint left it'
    same_bytes printed "$out"
    rm printed
  else
    refused "has no insert_if_new" hortus uniq --state g more
  fi
  cp f before
  rm g

  run 0 hortus add f repeated
  json "d['items_inserted'] == 6000" <(hortus info --json f)
  printf '' | hortus build "$family" -o empty
  refused "did not fit" hortus add empty repeated
  rm f before more repeated empty keys
done
