#!/usr/bin/env bash
# hortus grow: room for more keys, without the keys.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 1000 >keys
seq 1001 2000 >more
seq 100001 200000 >others

some=$(families grow)
[ -n "$some" ] || fail "no family grows"
for family in $some; do
  section "$family: a full filter grows, and takes as many keys again"
  hortus build "$family" -p 0.1% -o f keys
  cp f small
  hortus query f others >before
  refused "did not fit into an? $family filter for 1000, which is full: .* would do, and hortus grow makes a filter larger" hortus add f more
  same_bytes small f
  done_quietly hortus grow f
  hortus info --json f >about.json
  json 'd["items_planned"] == 2000 and d["items_inserted"] == 1000 and d["fpr_planned"] >= 0.001 and d["advice"] is None' about.json
  equal "all found" 1000 "$(count f keys)"
  hortus query f others | cmp - before || fail "grow should change no answer"
  done_quietly hortus add f more
  equal "all found" 2000 "$(count f <(cat keys more))"
  run 0 hortus verify f

  section "$family: -o, --by, --json, --verbose, pipes"
  run 0 hortus grow --by 4 --json -o large small
  same_bytes <(hortus info --json large) "$out"
  json 'd["items_planned"] == 4000' "$out"
  cp small twice
  run 0 hortus grow --verbose twice
  said 'grown by 2: [0-9.]+ KiB, for 2000 keys, with which its rate of false positives is 0\.[0-9]+ %'
  hortus grow twice
  same_bytes large twice
  hortus grow -o - small | hortus grow - >piped
  same_bytes large piped

  section "$family: until it cannot"
  cp small f
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    cp f last
    hortus grow f 2>"$err" || break
  done
  said "'f': $family: a filter of [0-9]+ slots with fingerprints of [0-9]+ bits cannot grow"
  same_bytes last f
  refused 'cannot grow' hortus grow --by 4096 -o none small
  refused 'cannot grow' hortus grow --by 4096 small
  [ ! -e none ] || fail "an output file after an error"
done

section "what does not grow"
hortus build bloom -o b keys
refused "'b': a bloom filter has no grow; families that have it: .*quotient" hortus grow b
refused 'doubling' hortus grow --by 3 small
refused 'whole number from 2' hortus grow --by 1 small
refused 'whole number' hortus grow --by -2 small
refused 'No such file' hortus grow nosuch
refused 'no filter' hortus grow keys
refused 'not a hortus file' hortus grow -o none keys
refused 'FILE' hortus grow
refused "did you mean 'grow'\?" hortus enlarge f
echo notes >notes
refused "'notes'" hortus grow -o notes small
equal "the file" notes "$(cat notes)"
