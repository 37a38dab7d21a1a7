#!/usr/bin/env bash
# hortus info, verify, list and plan: for people, and with --json for programs.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 1000 >keys

verbs='{"build", "insert", "insert_if_new", "insert_times", "advance", "may_contain", "erase", "count", "top", "find", "put", "assign",
  "estimate", "compare", "fpr", "merge", "intersect", "fold", "grow", "clear", "size_bytes"}'

some=$(families insert may_contain estimate fpr)
for family in $some; do
  section "info --json of $family"
  hortus build $family -o f -n 2000 -p 0.5% --seed 42 keys
  hortus info --json f >about.json
  json '{"family", "format_version", "hash", "keyed", "seed", "items_planned", "fpr_planned", "items_inserted",
    "items_estimate", "fpr_estimate", "size_bytes", "file_bytes", "bits_per_item", "key_kind", "verbs", "params"} <= set(d)' \
    "d['family'] == '$family' and d['format_version'] == 1 and d['hash'] == 'xxh3' and d['keyed'] is False" \
    'd["seed"] == 42 and d["items_planned"] == 2000 and d["items_inserted"] == 1000 and d["fpr_planned"] == 0.005' \
    'all(type(d[x]) is int for x in ("format_version", "seed", "items_planned", "items_inserted", "size_bytes",
    "file_bytes"))' \
    'all(type(d[x]) is float for x in ("fpr_planned", "fpr_estimate", "items_estimate", "bits_per_item"))' \
    'type(d["params"]) is dict and d["params"] and all(type(v) in (int, float) for v in d["params"].values())' \
    'd["bits_per_item"] == 8 * d["size_bytes"] / d["items_planned"]' \
    "d['file_bytes'] == $(stat -c %s f) and d['size_bytes'] / 2 < d['file_bytes'] < d['size_bytes'] + 1000" \
    'd["key_kind"] == "bytes"' \
    "type(d['verbs']) is list and len(set(d['verbs'])) == len(d['verbs']) and set(d['verbs']) <= $verbs" \
    about.json
  # The interval holds in 95 % of all cases; ten times as wide it holds always. Half full, the rate is below the plan's.
  json 'd["items_estimate_low"] < d["items_estimate"] < d["items_estimate_high"]' \
    'abs(d["items_estimate"] - 1000) < 10 * (d["items_estimate_high"] - d["items_estimate_low"])' \
    '0 < d["fpr_estimate"] < d["fpr_planned"]' \
    about.json
done

section "a seed that others would round"
for seed in 18446744073709551615 0xffffffffffffffff; do
  hortus build bloom -o f --seed $seed --json keys >about.json
  json 'd["seed"] == 2**64 - 1 and d["seed_hex"] == "0xffffffffffffffff"' about.json
done
hortus build bloom -o f --seed 42 --json keys >about.json
json 'd["seed_hex"] == "0x000000000000002a"' about.json
refused 'not a seed' hortus build bloom -o none --seed 0xfoo keys

section "info for people says the same"
hortus build partitioned -o f -n 2000 -p 0.5% --seed 42 keys
run 0 hortus info f
[ "$(awk '{print length}' "$out" | sort -n | tail -1)" -le 120 ] || fail "a line is too wide" "$(cat "$out")"
printed_line 'family +partitioned'
printed_line 'items_planned +2000'
printed_line 'fpr_planned +0.5 %'
printed_line 'items_estimate +[0-9]+ .*[0-9]+ to [0-9]+.*'
printed_line 'params +slice_bits=[0-9]+ probes=[0-9]+'
printed_line 'seed +42'

section "as wide as the terminal, rates in one way"
long=$(printf 'n%.0s' {1..120})
cp f "$long"
for command in "info $long" list 'plan -n 1M -p 0.01%' 'plan -n 1M -p 1e-9 --need count'; do
  COLUMNS=80 run 0 hortus $command
  width=$(grep -v "^$long" "$out" | wc -L)
  [ "$width" -le 80 ] || fail "$command: $width columns in a terminal of 80" "$(cat "$out")"
done
rm "$long"
run 0 hortus list
equal "lines in a pipe are whole" 1 "$(grep -c '^  bloom  .*[^ ]' "$out")"
rates() { awk 'NF == 0 { exit } NR > 1' "$out" | grep -Eo '[0-9.]+ %|[0-9.]+e-[0-9]+' | sed 's/[0-9.-]//g' | sort | uniq -c; }
run 0 hortus plan -n 1M -p 0.01% --need insert,may_contain
[ "$(rates | wc -l)" -eq 1 ] || fail "rates are all in per cent" "$(cat "$out")"
hortus build bloom -o g -n 1000 -p 1e-4 <(seq 900)
run 0 hortus info g
printed_line 'fpr_planned +0.01 %'
printed_line 'fpr_estimate +0.00[0-9]+ %'

section "info of an empty filter, one planned for nothing, and a full one"
hortus build bloom -o empty -n 1000 /dev/null
hortus info --json empty >about.json
json 'd["items_inserted"] == 0 and d["items_estimate"] == 0 and d["fpr_estimate"] == 0 and d["key_kind"] == "none"' about.json
hortus build bloom -o empty /dev/null
hortus info --json empty >about.json
json 'd["items_planned"] == 0 and d["bits_per_item"] is None' about.json
done_quietly test -n "$(hortus info empty)"
hortus build bloom -o full -n 1 keys 2>/dev/null
hortus info --json full >about.json
json 'd["saturated"] is True and d["items_estimate_high"] is None and d["fpr_estimate"] == 1' about.json
hortus info full | grep -q 'the filter is full' || fail "info should say that it is full"

section "advice: what to do about a filter that is too full"
advised() { # PATTERN FILE: its advice, in the JSON and as the last lines for people
  hortus info --json "$2" >about.json
  json 'type(d["advice"]) is str' about.json
  python3 -c 'import json; print(json.load(open("about.json"))["advice"])' >"$out"
  grep -Eq -- "$1" "$out" || fail "expected advice like /$1/" "got: $(cat "$out")"
  hortus info "$2" >people
  equal "the last lines" "$(cat "$out")" "$(sed -n "/^params /,\$ p" people | tail -n +2 | paste -sd ' ' | sed 's/  */ /g')"
  [ "$(sed '/^verbs /d' people | awk '{print length}' | sort -n | tail -1)" -le 120 ] || fail "a line is too wide" "$(cat people)"
}
no_advice() {
  hortus info --json "$1" >about.json
  json 'd["advice"] is None' about.json
  equal "the last line" params "$(hortus info "$1" | tail -n 1 | cut -d ' ' -f 1)"
}
some=$(families insert may_contain estimate fpr)
for family in $some; do
  ! can_be_full $family || continue  # nothing is saved of one that refuses keys: full_test.sh
  hortus build $family -o g -n 500 keys 2>"$err"
  if [ $family = scalable ] || [ $family = expandable ]; then # has made room for them at the rate
    no_advice g
    continue
  fi
  advised "^over capacity: (about [0-9]+|more than [0-9]+) distinct keys in a $family (filter|map) for 500(, which is full)?; now [0-9.]+ %, planned 1 %; rebuild for (up to )?[0-9]+ keys(, or use (scalable|dynamic|expandable)(, which does not merge)?)?$" g
  said "^hortus: warning: $(sed 's/[().]/./g; s/, which does not merge//' "$out")\$"
  hortus build $family -o g keys
  no_advice g
done
hortus build count_min -o g -n 50 -p 10% <(seq 500) 2>"$err"
advised '^over capacity: .* distinct keys in a count_min sketch for 50(, which is full)?; rebuild for ' g

section "advice: and about one that is too empty"
some=$(families insert fold estimate fpr)
for family in $some; do
  hortus build $family -o g -n 8000 keys
  advised "^under capacity: about (9|10)[0-9][0-9] distinct keys in a $family (filter|map) for 8000; if no more come, hortus fold --by [0-9]+ keeps [0-9.e-]+( %)?$" g
  by=$(sed -E 's/.*--by ([0-9]+) keeps.*/\1/' "$out")
  rate=$(sed -E 's/.* keeps //' "$out")
  hortus info --json g >before.json
  run 0 hortus fold --verbose -o folded --by "$by" g
  grep -q "rate of false positives $rate\$" "$err" || fail "the rate that was foretold is $rate" "$(cat "$err")"
  hortus info --json folded >after.json
  python3 - <<'EOF' || fail "$family: folding by $by should keep the planned rate and save half, and be the most"
import json
before, after = json.load(open("before.json")), json.load(open("after.json"))
assert after["fpr_estimate"] <= before["fpr_planned"], after
assert after["size_bytes"] <= before["size_bytes"] / 2 + 128, after
assert after["advice"] is None, after
EOF
  equal "all are found" 1000 "$(count folded keys)"
done
no_advice empty
hortus build d_left -o g -n 8000 keys # does not fold
no_advice g
for family in stable active_active age_partitioned fast_ams; do
  hortus build $family -o g -n 100 <(seq 1000)
  no_advice g
done

section "advice: and about counters that have stuck"
hortus build counting -o g -n 100 <(seq 100; times 20 a; times 20 a) 2>"$err"
advised '^[0-9]+ counters stand at their maximum for good: .*--set cell_bits=8' g
hortus build counting -o g -n 100 --set cell_bits=8 <(seq 100; times 20 a)
no_advice g

section "verify"
run 0 hortus verify f
equal "lines" 1 "$(wc -l <"$out")"
grep -q '^f: ok' "$out" || fail "verify should say ok" "$(cat "$out")"
run 0 hortus verify --json f
cp "$out" verified.json
json 'd["reason"] is None and d["ok"] is True and d["file"] == "f" and d["family"] == "partitioned" and type(d["file_bytes"]) is int' verified.json
cp f $'f\xff\n"'
run 0 hortus verify --json $'f\xff\n"'
cp "$out" verified.json
json 'd["ok"] is True' verified.json
run 0 hortus verify <(cat f)

section "list"
run 0 hortus list
grep -q '^ *bloom ' "$out" && grep -q '^ *partitioned ' "$out" || fail "list should name the families" "$(cat "$out")"
[ "$(awk '{print length}' "$out" | sort -n | tail -1)" -le 120 ] || fail "a line is too wide" "$(cat "$out")"
hortus list --json >list.json
json 'type(d) is list and {"bloom", "partitioned"} <= {f["family"] for f in d} and len({f["family"] for f in d}) == len(d)' \
  'all({"family", "room", "verbs", "false_negatives", "summary"} <= set(f) for f in d)' \
  'all(type(f[x]) is str and f[x] for f in d for x in ("family", "room", "false_negatives", "summary"))' \
  'all(f["false_negatives"] in ("never", "by_misuse", "by_age", "by_chance") for f in d)' \
  "all(type(f['verbs']) is list and set(f['verbs']) <= $verbs | {'is_near', 'score'} for f in d)" \
  list.json

section "plan: best first, and what each rejected family lacks"
hortus plan -n 1M -p 1% --json >plan.json
json 'all({"family", "bits_per_item", "size_bytes", "fpr", "params", "why", "command"} <= set(c) for c in d["candidates"])' \
  '{"bloom", "partitioned"} <= {c["family"] for c in d["candidates"]} and [r["family"] for r in d["rejected"]] == ["bloomier_map", "perfect_hash_map", "dynamic_bloomier_map", "compact_approximator", "cascade_map", "space_saving", "hyperloglog", "exaloglog"]' \
  'all(0 < c["fpr"] <= 0.01 and c["bits_per_item"] == 8 * c["size_bytes"] / 1e6 for c in d["candidates"])' \
  '(lambda sizes: sizes == sorted(sizes))([c["size_bytes"] * (1.2 if c["family"] in
  [f["family"] for f in json.load(open("list.json")) if f["can_be_full"]] else 1) for c in d["candidates"]
  if c["fnr"] == 0 and "all keys at once" not in c["why"]])' \
  'all(type(c["why"]) is str and c["why"] and type(c["params"]) is dict for c in d["candidates"])' \
  plan.json
# 1.4427 log2(1/p) bits an item, as every textbook has it.
json 'any(c["family"] == "bloom" and 9.58 < c["bits_per_item"] < 9.65 and c["params"]["probes"] == 7 for c in d["candidates"])' plan.json
for options in '-n 1M -p 1%' '-n 1e9 -p 1e-6' '-n 1M --need fold' '-n 1M --need count,may_contain' '-n 1M -p 1% --memory 2M'; do
  run 0 hortus plan $options
  [ "$(awk '{print length}' "$out" | sort -n | tail -1)" -le 100 ] || fail "a line is wider than 100 columns" "$(cat "$out")"
done
run 0 hortus plan -n 1M --need fold
printed_line 'its params: bits=[0-9]+ probes=[0-9]+'
grep -q '^not bitwise, .*d_left, ' "$out" || fail "families that lack the same should be named together" "$(cat "$out")"
paste -sd ' ' "$out" | grep -Eq ': +they lack +fold( |$)' || fail "they lack it" "$(cat "$out")"
hortus plan -n 1M --json | cmp - plan.json || fail "1 % should be the default"

section "plan and build agree"
hortus plan -n 1000 -p 2% --json >plan.json
hortus build bloom -o f -p 2% --json keys >about.json
python3 - <<'EOF' || fail "plan and build differ, see above"
import json
plan = {c["family"]: c for c in json.load(open("plan.json"))["candidates"]}["bloom"]
about = json.load(open("about.json"))
assert plan["params"] == about["params"], (plan["params"], about["params"])
assert plan["size_bytes"] == about["size_bytes"] and plan["bits_per_item"] == about["bits_per_item"]
EOF

section "plan --need"
hortus plan -n 1M --need merge,fold --json >plan.json
json 'len(d["candidates"]) >= 2' plan.json
hortus plan -n 1M --need merge --need fold --json | cmp - plan.json || fail "--need twice is a list"
refused "no family has a verb 'sing'; there are: .*merge" hortus plan -n 1M --need sing
refused "no family has a verb 'sing'" hortus plan -n 1M --need merge,sing
refused 'not expected: fold' hortus plan -n 1M --need merge fold

section "plan --memory: the most it may take with -p, the best rate in that space without"
hortus plan -n 1M -p 1% --memory 2M --json >plan.json
json 'len(d["candidates"]) >= 2 and all(c["fpr"] <= 0.01 for c in d["candidates"])' plan.json
hortus plan -n 1M --memory 1M --need intersect,insert --json >plan.json # those that count would need more
json 'all(950000 < c["size_bytes"] <= 1000000 and 0.01 < c["fpr"] < 0.05 for c in d["candidates"])' \
  '[c["fpr"] for c in d["candidates"]] == sorted(c["fpr"] for c in d["candidates"])' \
  plan.json
run 2 hortus plan -n 1M -p 1% --memory 1000 --json
said '^hortus: no family can do that'
cp "$out" plan.json
json 'd["candidates"] == [] and all(r["reason"] and r["family"] for r in d["rejected"])' plan.json
run 2 hortus plan -n 1M --memory 10
said '^hortus: no family can do that'

section "plan offers no filter that answers at random, however little space it takes"
for memory in 1k 100k 1M 100M; do
  hortus plan -n 1M --memory $memory --need insert_if_new --json >plan.json 2>"$err" || :
  json 'all(c["fnr"] == 0 or c["fpr"] <= (1 - c["fnr"]) / 2 * 1.000001 for c in d["candidates"])' plan.json
done
json 'any(c["family"] == "stable" and 0 < c["fnr"] <= 0.1 and "misses" in c["why"] for c in d["candidates"])' plan.json
hortus plan -n 1M --memory 100k --json >plan.json
json '[r["reason"] for r in d["rejected"] if r["family"] == "stable"] == ["100000 bytes are too few for 1000000 items in a stable filter"]' plan.json
hortus plan -n 1M -p 60% --json >plan.json
json 'any(r["family"] == "stable" and "too near to tell" in r["reason"] for r in d["rejected"])' plan.json
refused 'too few for 1000000 items in a stable filter' hortus build stable -o none -n 1M --memory 1k keys
refused 'too few for 1000000 items in an active_active filter' hortus build active_active -o none -n 1M --memory 1k keys
run 2 hortus plan -n 1e15
said '^hortus: no family can do that'

section "plan at the edges"
for n in 0 1 2 1e12; do
  hortus plan -n $n -p 50% --json >plan.json
  json 'd["candidates"] and all(math.isfinite(c["bits_per_item"]) and 0 < c["fpr"] <= 0.5 for c in d["candidates"])' plan.json
  hortus plan -n $n -p 50% >/dev/null
done
refused 'plan needs -n' hortus plan --memory 1M
refused 'whole number' hortus plan -n -5
refused 'between 0 and 1' hortus plan -n 5 -p 0
refused 'not expected: keys' hortus plan -n 5 keys
