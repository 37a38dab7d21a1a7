#!/usr/bin/env bash
# hortus merge and hortus fold.
set -euo pipefail
. "$(dirname "$0")/check.sh"
# So many that every family has a size with divisors to spare.
seq 50000 >a.keys
seq 25001 75000 >b.keys
seq 75001 100000 >c.keys
seq 100000 >all.keys

some=$(families insert may_contain merge fold)
for family in $some; do
  section "$family: merge is the union"
  for x in a b c; do hortus build $family -o $x -n 100000 $x.keys; done
  done_quietly hortus merge -o m a b c
  equal "all found" 100000 "$(count m all.keys)"
  hortus build $family -o whole -n 100000 a.keys b.keys c.keys
  same_bytes whole m
  hortus merge c b -o m a
  same_bytes whole m
  hortus merge -o a a b # onto one of them
  equal "all found" 100000 "$(count a a.keys b.keys)"
  hortus build $family -o a -n 100000 a.keys
  run 0 hortus merge --json -o m a b
  hortus info --json m >about.json
  same_bytes about.json "$out"
  json 'd["items_inserted"] == 100000 and d["items_planned"] == 100000' about.json

  section "$family: fold keeps every member"
  run 0 hortus fold --verbose -o folded --by 2 a
  said '^hortus: folded by 2: .*, rate of false positives [0-9.]+ %$'
  equal "all found" 50000 "$(count folded a.keys)"
  hortus info --json a >before.json
  hortus info --json folded >after.json
  found=$(seq 1000001 1100000 | count folded)
  python3 - "$found" <<'EOF' || fail "folded by 2, see above"
import json, sys
before, after = json.load(open("before.json")), json.load(open("after.json"))
width = next(iter(before["params"]))  # bits, cells, blocks. Bytes need not be half: counters that were added up may be wider
assert before["params"][width] == 2 * after["params"][width], (before["params"], after["params"])
assert after["size_bytes"] < before["size_bytes"], (before["size_bytes"], after["size_bytes"])
assert after["fpr_estimate"] > before["fpr_estimate"], (before["fpr_estimate"], after["fpr_estimate"])
assert after["items_inserted"] == before["items_inserted"] == 50000
# The rate it says is the rate it has, by 100 000 others and seven standard deviations: a chance below 1e-11.
found, n, p = int(sys.argv[1]), 100000, after["fpr_estimate"]
assert abs(found - n * p) <= 7 * (n * p * (1 - p)) ** 0.5, (found, n * p)
EOF
  run 0 hortus fold --json -o folded --to-fpr 20% a
  hortus info --json folded >about.json
  same_bytes about.json "$out"
  json 'd["fpr_estimate"] <= 0.2' about.json
  equal "all found" 50000 "$(count folded a.keys)"
  run 0 hortus fold -o same --to-fpr 99.9% a
  equal "all found" 50000 "$(count same a.keys)"
  run 0 hortus fold -o unfolded --by 1 a
  same_bytes a unfolded
  # Folded filters merge, and as merged filters fold.
  hortus fold -o fa --by 2 a >/dev/null
  hortus fold -o fb --by 2 b >/dev/null
  hortus merge -o fab fa fb 2>/dev/null
  hortus merge -o ab a b
  hortus fold -o abf --by 2 ab >/dev/null 2>&1
  same_bytes abf fab
  cp a self
  hortus fold -o self --by 2 self >/dev/null # onto itself
  same_bytes fa self
done

section "merge warns of too many"
hortus build bloom -o x a.keys
hortus build bloom -o y <(seq 100001 150000)
run 0 hortus merge -o m x y
said 'warning: over capacity: about [0-9.]+ k distinct keys in a bloom filter for 50 k; now [0-9.]+ %, planned 1 %; build each part with -n (99|1[01])0000?$'
hortus info --json m >about.json # which does not know that it was merged
json '"rebuild for " in d["advice"] and d["advice"].endswith("or use scalable, which does not merge")' about.json
for x in 1 2; do hortus build bloom -o part$x -n "$(sed 's/.* -n //' "$err")" <(seq $((x * 50000 + 50001)) $((x * 50000 + 100000))); done
done_quietly hortus merge -o m part1 part2

section "a folded filter is for fewer keys, and who adds to it is told"
hortus build bloom -o p -n 100k <(seq 20000)
hortus info --json p >about.json
json '"hortus fold --by 4 keeps" in d["advice"]' about.json
run 0 hortus fold -o p --by 4 p
[ ! -s "$err" ] || fail "a fold that keeps the rate says nothing" "$(cat "$err")"
hortus info --json p >about.json
json 'd["items_planned"] == 25000 and d["fpr_planned"] == 0.01 and d["advice"] is None' \
  '9 < d["bits_per_item"] < 10' about.json
done_quietly hortus add p <(seq 20001 24000)
run 0 hortus add p <(seq 24001 100000)
said 'warning: over capacity: about [0-9.]+ k distinct keys in a bloom filter for 25 k; now 6[0-9.]+ %, planned 1 %; rebuild for [0-9]+ k keys, or use scalable$'
hortus info --json p >about.json
json 'd["advice"].startswith("over capacity: ")' about.json
some=$(families insert fold estimate fpr)
for family in $some; do
  hortus build $family -o p -n 100000 all.keys
  run 0 hortus fold -o q --by 2 p
  said 'warning: over capacity: .* for (50|49\.[0-9]) k.*; now [0-9.]+ %, planned 1 %; fold less: --to-fpr instead of --by keeps a rate$'
  run 0 hortus fold -o q --to-fpr 30% p # asked for
  [ ! -s "$err" ] || fail "$family: a rate that was asked for needs no warning" "$(cat "$err")"
  hortus info --json q >about.json
  json 'd["fpr_planned"] == 0.3 and d["items_planned"] >= 100000 * 0.99 and d["advice"] is None' about.json
done

section "what does not fit together does not merge"
hortus build bloom -o x -n 100000 a.keys
hortus build bloom -o y -n 200000 b.keys
hortus build partitioned -o z -n 100000 b.keys
hortus build bloom -o s -n 100000 --seed 1 b.keys
hortus build bloom -o h -n 100000 --hash xxh64 b.keys
rm -f none
refused "'y': .*bits" hortus merge -o none x y
refused "'z': .*partitioned" hortus merge -o none x z
refused "'s': .*seed" hortus merge -o none x s
refused "'h': .*hash" hortus merge -o none x h
refused "'y'" hortus merge -o none x x y
refused 'No such file' hortus merge -o none x nosuch
refused 'not a hortus file' hortus merge -o none x a.keys
refused 'FILES' hortus merge -o none
refused 'output' hortus merge x x
cp x untouched
refused "'y'" hortus merge -o x x y # not even partly
same_bytes untouched x

section "folds that cannot be"
hortus info --json x >about.json
json 'd["params"]["bits"] % 7919 != 0' about.json
refused "'x': cannot be folded by 7919, only by divisors of [0-9]+: [0-9]+ and [0-9]+ are near" hortus fold -o none --by 7919 x
refused 'only by divisors of [0-9]+$' hortus fold -o none --by 1e15 x
refused 'whole number from 1' hortus fold -o none --by 0 x
refused 'whole number' hortus fold -o none --by -2 x
refused "'x': its rate is .* already, above --to-fpr" hortus fold -o none --to-fpr 1e-9 x
refused 'between 0 and 1' hortus fold -o none --to-fpr 1 x
refused 'either --to-fpr or --by' hortus fold -o none x
refused 'either --to-fpr or --by' hortus fold -o none --by 2 --to-fpr 10% x
refused 'FILE' hortus fold -o none --by 2
refused 'output' hortus fold --by 2 x
[ ! -e none ] || fail "an output file after an error"
