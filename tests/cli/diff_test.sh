#!/usr/bin/env bash
# hortus diff: how many keys two filters have in common.
set -euo pipefail
. "$(dirname "$0")/check.sh"

section "every family that compares"
seq 1 3000 >a.keys
seq 2001 6000 >b.keys
for family in $(families compare); do
  settings=()
  [ "$family" != golomb_set ] || settings=(--set capacity=7000)
  hortus build "$family" -n 7000 "${settings[@]}" -o a a.keys
  hortus build "$family" -n 7000 "${settings[@]}" -o b b.keys
  run 0 hortus diff a b --json
  # four times the half interval of 95 %: a chance below 1e-13 for each
  json 'all(abs(d[name]["estimate"] - truth) <= 2 * (d[name]["high"] - d[name]["low"]) + 1e-6 * truth
            for name, truth in {"a": 3000, "b": 4000, "union": 6000, "intersection": 1000, "only_a": 2000, "only_b": 3000,
                                "jaccard": 1 / 6}.items())' "$out"
  json 'all(d[name]["low"] <= d[name]["estimate"] <= d[name]["high"] for name in ("a", "b", "union", "only_a"))' "$out"
  json 'd["saturated"] is False' "$out"
done

section "text"
hortus build bloom -n 7000 -o a a.keys
hortus build bloom -n 7000 -o b b.keys
run 0 hortus diff a b
printed_line ' +keys +from +to \(95 %\)'
printed_line 'A: a +[0-9]+ +[0-9]+ +[0-9]+'
printed_line 'alike \(Jaccard\) +1[0-9]\.[0-9]+ % .*'
[ "$(wc -l <"$out")" -eq 8 ] || fail "there are other lines"
hortus diff - b <a | cmp - <(hortus diff a b | sed 's/^A: a/A: -/') || fail "standard input gives another answer"

section "filters that count find few differences exactly"
seq 1 100000 | hortus build counting -n 100k --set cell_bits=8 -o a
seq 6 100009 | hortus build counting -n 100k --set cell_bits=8 -o b
run 0 hortus diff a b --json
json 'abs(d["by_counters"]["only_a"]["estimate"] - 5) < 0.5 and abs(d["by_counters"]["only_b"]["estimate"] - 9) < 0.5' "$out"
run 0 hortus diff a b
printed_line 'only B, by counters +9 +9 +9'

section "a full filter"
seq 100000 | hortus build bloom -n 10 -o full 2>/dev/null
run 0 hortus diff full full
said "a filter is full"
run 0 hortus diff full full --json
json 'd["saturated"] is True and d["a"]["high"] is None' "$out"

section "what cannot be compared"
hortus build bloom -n 7000 -o a a.keys
hortus build bloom -n 8000 -o other a.keys
hortus build bloom -n 7000 --seed 7 -o seeded a.keys
hortus build cuckoo -o cuckoo a.keys
refused "'other': bloom: only filters of the same shape.*build all of them with the same" hortus diff a other
refused "'seeded'.*build all of them with the same" hortus diff a seeded
refused "'cuckoo': a bloom filter does not combine with a cuckoo filter" hortus diff a cuckoo
refused "a cuckoo filter has no compare; families that have it: bloom" hortus diff cuckoo cuckoo
refused "B is required" hortus diff a
refused "'none'" hortus diff a none
head -c 300 a >cut
refused "'cut'" hortus diff a cut

section "a plan for a message at a rate"
run 0 hortus plan -n 100000 -p 1% --for-message --memory 2M --json
json 'd["fpr"] <= 0.01 and d["probes"] == 1 and d["size_bytes"] <= 2e6 and d["message_bytes"] < 8.3 / 8 * 100000 + 1000' "$out"
eval "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["command"])' "$out" | sed 's/-o FILE KEYS/-o planned/')" < <(seq 100000)
hortus pack -o m planned
[ "$(stat -c %s m)" -le 104500 ] || fail "the message is longer than planned: $(stat -c %s m)"
run 0 hortus plan -n 100000 --for-message
printed_line 'rate +1 % .*'
refused "needs -n" hortus plan --for-message
refused "give one of them" hortus plan -n 1000 --for-message --message-bytes 5000
refused "leave out --need" hortus plan -n 1M --for-message --need merge
