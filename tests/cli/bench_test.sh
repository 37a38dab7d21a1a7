#!/usr/bin/env bash
# hortus bench: the columns and what they must obey; speed itself is for people to look at.
set -euo pipefail
. "$(dirname "$0")/check.sh"

section "rows with the columns of the contract"
hortus bench -n 1000 -p 10% --repetitions 1 --json >bench.json # a low rate takes many lookups to measure
hortus list --json >list.json
measured=$(python3 -c '
import json
print(*(f["family"] for f in json.load(open("list.json")) if {"may_contain", "count", "estimate"} & set(f["verbs"])))')
json "[r['family'] for r in d] == '$measured'.split()" \
  'all({"family", "items", "fpr_target", "fpr_measured", "bits_per_item", "overhead", "build_ns", "insert_ns", "hit_ns",
  "miss_ns", "batch_insert_ns", "batch_hit_ns", "batch_miss_ns", "limit_ns", "batch_ratio", "huge_pages"} <= set(r) for r in d)' \
  'all(r[x] is None or r[x] > 0 for r in d for x in r if x.endswith("_ns"))' \
  'all((r[time] is not None) == (verb in verbs or (verb == "insert" and "put" in verbs)) for r in d
  for verbs in [f["verbs"] for f in json.load(open("list.json")) if f["family"] == r["family"]]
  for verb, times in {"insert": ["insert_ns", "batch_insert_ns"], "erase": ["erase_ns", "batch_erase_ns"],
  "may_contain": ["hit_ns", "miss_ns", "batch_hit_ns", "batch_miss_ns"], "count": ["count_ns", "batch_count_ns"]}.items()
  for time in times)' \
  'all(type(r["huge_pages"]) is bool for r in d)' \
  'all(r["limit_ns"] > 0 and r["batch_ratio"] > 0 if r["miss_ns"] or r["count_ns"] else r["limit_ns"] is None for r in d)' \
  'all(r["fpr_measured"] < 3 * r["fpr_target"] for r in d)' \
  'all(2 ** (1.2 * r["bits_per_item"]) * r["fpr_measured"] >= 1 for r in d if r["miss_ns"] and r["fpr_measured"])' \
  'all({"erase_ns", "batch_erase_ns", "count_ns", "batch_count_ns"} <= set(r) for r in d)' \
  'all(r["keys_refused"] == 0 for r in d)' \
  'all((r["batch_new_ns"] is not None) == ("insert_if_new" in f["verbs"] and not f["can_be_full"])
  for r in d for f in json.load(open("list.json")) if f["family"] == r["family"])' \
  'sum(r["batch_new_ns"] is not None for r in d) > 8' \
  'all((r[ratio] is not None) == (r[ratio[:-5] + "ns"] is not None) for r in d
  for ratio in ("insert_ratio", "batch_insert_ratio", "erase_ratio", "batch_erase_ratio"))' \
  'all((r[limit] is not None) == (r["insert_ns"] is not None) for r in d for limit in ("update_limit_ns", "single_update_limit_ns"))' \
  'all((r[b + x + "_ns"] is not None) == (verb in f["verbs"]) for r in d for f in json.load(open("list.json"))
  if f["family"] == r["family"] for b in ("", "batch_")
  for x, verb in (("hit", "may_contain"), ("miss", "may_contain"), ("erase", "erase"), ("count", "count")))' \
  'all(r["overhead"] is None or abs(r["overhead"] * (8 * (f["family"] in maps) - math.log2(r["fpr_measured"])) - r["bits_per_item"]) < 1e-6
  for maps in [{f["family"] for f in json.load(open("list.json")) if "find" in f["verbs"]}] for r in d for f in [r])' \
  bench.json

section "load, where a family has slots or bits; peak memory, where it is large enough to be measured"
json 'all(r["load"] is None or 0 < r["load"] <= 1 for r in d)' \
  'all(r["load"] is not None for r in d if r["family"] in ("bloom", "blocked", "d_left", "cuckoo", "quotient", "hash_compaction"))' \
  'all(r["load"] is None for r in d if r["family"] in ("ribbon", "golomb_set", "stable"))' \
  'all("peak_bits_per_item" in r for r in d)' \
  bench.json
hortus bench --families cuckoo,ribbon -n 1M -p 0.4% --repetitions 1 --json >bench.json
json 'd[0]["load"] > 0.88' bench.json # what the planner fills it to
if [ -w /proc/self/clear_refs ] && ! sanitized; then
  # Not less than the filter, and not more than ten copies of all digests.
  json 'all(0.85 * r["bits_per_item"] < r["peak_bits_per_item"] < 640 for r in d)' \
    'd[1]["peak_bits_per_item"] > d[1]["bits_per_item"] + 64' bench.json # ribbon keeps the digests
fi

section "builds and lookups only"
hortus bench --families bloom,cuckoo,ribbon,hyperloglog -n 100k -p 10% --repetitions 1 --lookups-only --json >bench.json
json 'all(r["build_ns"] > 0 for r in d)' \
  'all((r["batch_miss_ns"] is not None) == (r["family"] != "hyperloglog") for r in d)' \
  'all(r[x] is None for r in d for x in ("insert_ns", "batch_insert_ns", "batch_new_ns", "erase_ns", "update_limit_ns"))' \
  'all(r["keys_refused"] == 0 for r in d)' \
  'all(0.8 < r["fpr_measured"] / r["fpr_target"] < 1.1 for r in d if r["family"] in ("bloom", "ribbon"))' \
  bench.json

section "choices"
hortus bench --families bloom -n 1000,2k -p 10%,0.2 --repetitions 1 --json >bench.json
json 'sorted((r["items"], r["fpr_target"]) for r in d) == [(1000, 0.1), (1000, 0.2), (2000, 0.1), (2000, 0.2)]' bench.json
hortus bench --families partitioned -n 1000 --repetitions 1 --threads 2 --json >bench.json
json '[r["family"] for r in d] == ["partitioned"] and d[0]["fpr_target"] == 0.01 and d[0]["items"] == 1000' \
  'd[0]["threads"] == 2' \
  bench.json
run 0 hortus bench --families bloom -n 1000 -p 10% --repetitions 1
grep -q '^bloom ' "$out" || fail "a table" "$(cat "$out")"
[ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
equal "tables in a pipe" 1 "$(grep -c '^bloom ' "$out")"
COLUMNS=80 run 0 hortus bench --families bloom,counting -n 1000 -p 10% --repetitions 1
[ "$(wc -L <"$out")" -le 80 ] || fail "wider than the terminal" "$(cat "$out")"
for title in bits/item measured b.miss b.erase s.ratio huge; do
  grep -q " $title\b" "$out" || fail "no column is left out: $title" "$(cat "$out")"
done

section "nonsense"
refused "there is no family 'rose'" hortus bench --families bloom,rose -n 1000
refused 'whole number' hortus bench -n 0
refused 'whole number' hortus bench -n 1000,x
refused 'between 0 and 1' hortus bench -n 1000 -p 1%,0
refused 'threads' hortus bench -n 1000 --threads 0
refused 'threads' hortus bench -n 1000 --threads 1e6
refused 'repetitions' hortus bench -n 1000 --repetitions 0
refused 'not expected: 2000' hortus bench -n 1000 2000
