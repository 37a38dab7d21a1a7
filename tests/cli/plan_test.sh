#!/usr/bin/env bash
# hortus plan: the command to paste, what is said about the best family, and the quantities of a bloom filter.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 1000 >keys

# built_as_planned: each candidate's command of plan.json, run on the 1000 keys, makes the filter that was planned.
built_as_planned() {
  python3 - <<'END' >commands
import json
for candidate in json.load(open("plan.json"))["candidates"]:
    print(candidate["family"], candidate["command"], sep="\t")
END
  [ -s commands ] || fail "no candidate has a command"
  while IFS=$'\t' read -r family command; do
    [[ $command == "hortus build $family "*" -o FILE KEYS" ]] || fail "an odd command: $command"
    command=${command/ FILE / made }
    eval "${command/% KEYS/ keys}" 2>"$err" || fail "$command"
    hortus info --json made >about.json
    python3 - "$family" <<'END' || fail "$command makes another filter than the plan says"
import json, sys
plan = {c["family"]: c for c in json.load(open("plan.json"))["candidates"]}[sys.argv[1]]
about = json.load(open("about.json"))
assert plan["params"] == about["params"], (plan["params"], about["params"])
# Counters are stored in as many bits as they need, and keys that a built filter has no room for apart: the size depends on the
# keys.
least = 0 if "count" in about["verbs"] else 0.95 if "build" in about["verbs"] else 1
packed = least < 1 and least * plan["size_bytes"] < about["size_bytes"] < 1.1 * plan["size_bytes"]
assert packed or plan["size_bytes"] == about["size_bytes"], (plan["size_bytes"], about["size_bytes"])
END
  done <commands
}

section "the command to paste makes what was planned"
hortus plan -n 1000 -p 2% --json >plan.json
json 'd["candidates"][0]["command"] == "hortus build bloom -n 1000 -p 2% -o FILE KEYS"' plan.json
built_as_planned
hortus plan -n 1k --json >plan.json # the default rate is part of it
json 'all(" -n 1k -p 1% " in c["command"] for c in d["candidates"])' plan.json
built_as_planned
hortus plan -n 1000 --memory 4k --json >plan.json
json 'all(" -n 1000 --memory 4k " in c["command"] for c in d["candidates"])' plan.json
built_as_planned
hortus plan -n 1000 -p 5% --memory 4k --need erase --json >plan.json
json 'all(" -n 1000 -p 5% --memory 4k " in c["command"] for c in d["candidates"])' plan.json
built_as_planned
hortus plan --need top --json >plan.json
json 'd["candidates"][0]["command"] == "hortus build space_saving -p 1% -o FILE KEYS"' plan.json
built_as_planned

section "where counts are needed, families that only count are ranked with the others"
hortus plan -n 1M --memory 400M --need count --json >plan.json
hortus list --json >list.json
json '(lambda rates: len(rates) > 5 and rates == sorted(rates))([c["fpr"] for c in d["candidates"] if c["family"] not in
  [f["family"] for f in json.load(open("list.json")) if f["can_be_full"] or "build" in f["verbs"]]])' plan.json

section "a family that can be full has to be a sixth smaller"
hortus plan -n 10M -p 0.1% --json >plan.json
json 'd["candidates"][0]["family"] == "bloom"' \
  'd["candidates"][0]["why"].startswith("the smallest of those that are never full, ")' \
  'any(c["size_bytes"] < d["candidates"][0]["size_bytes"] for c in d["candidates"] if c["family"] == "hash_compaction")' plan.json
hortus plan -n 10M -p 1e-9 --json >plan.json
json 'd["candidates"][0]["family"] in ("cuckoo", "quotient", "hash_compaction", "expandable")' plan.json
hortus plan -n 10M -p 0.1% --need erase --json >plan.json
json 'd["candidates"][0]["family"] == "cuckoo"' plan.json

section "for people, on a line that can be pasted at every width"
run 0 hortus plan -n 10M -p 1%
printed_line '  hortus build bloom -n 10M -p 1% -o FILE KEYS'
COLUMNS=40 run 0 hortus plan -n 10M -p 1%
printed_line '  hortus build bloom -n 10M -p 1% -o FILE KEYS'

section "--need takes the words of the command"
hortus plan -n 1M --need erase --json >plan.json
for word in remove delete; do hortus plan -n 1M --need $word --json | cmp - plan.json || fail "--need $word is erase"; done
hortus plan -n 1M --need may_contain,insert,merge,intersect --json >plan.json
hortus plan -n 1M --need query,add,union,intersection --json | cmp - plan.json || fail "the words of the command are verbs"
hortus plan -n 1M --need count,may_contain --json >plan.json
hortus plan -n 1M --need frequency,check --json | cmp - plan.json || fail "the best family for counts is another one"
refused "no family has a verb 'sing'; there are: .*merge.*; also understood: .*remove \(erase\), delete \(erase\)" \
  hortus plan -n 1M --need sing

section "a faster family that takes little more space"
hortus plan -n 1M --json >plan.json
json 'd["candidates"][0]["family"] == "bloom" and d["faster"]["family"] == "blocked"' \
  'd["faster"]["command"] == "hortus build blocked -n 1M -p 1% -o FILE KEYS"' \
  '"% larger, a hit reads 1 cache line instead of 7" in d["faster"]["text"]' plan.json
run 0 hortus plan -n 1M
printed_line 'faster: blocked, 3\.[0-9] % larger, a hit reads 1 cache line instead of 7'
printed_line '  hortus build blocked -n 1M -p 1% -o FILE KEYS'
hortus plan -n 1M -p 20% --json >plan.json # blocked needs hardly more, but bloom reads only 2 lines
json 'd["faster"] is None' plan.json
hortus plan -n 1M -p 1e-6 --need intersect --json >plan.json # nothing within a tenth
json 'd["faster"] is None' plan.json
hortus plan -n 1M -p 1e-4 --need intersect --json >plan.json # one line would take much more space: two lines
json 'd["faster"]["family"] == "blocked_pair" and "2 cache lines instead of" in d["faster"]["text"]' plan.json
hortus plan -n 1M --memory 1200k --json >plan.json # in a given space it is the rate that is higher
json 'd["faster"]["family"] == "blocked" and " instead of " in d["faster"]["text"] and "a rate of" in d["faster"]["text"]' plan.json
json 'all(c["fnr"] == 0 for c in d["candidates"] if c["family"] == d["faster"]["family"])' plan.json

section "families that are built at once come last, and are named where they are smaller"
hortus plan -n 1M --json >plan.json
json 'd["candidates"][0]["family"] == "bloom" and "of those that take keys one by one" in d["candidates"][0]["why"]' \
  'd["if_known"]["family"] == "ribbon" and d["if_known"]["command"] == "hortus build ribbon -n 1M -p 1% -o FILE KEYS"' \
  '"% smaller, built of all keys at once (--need build)" in d["if_known"]["text"]' plan.json
run 0 hortus plan -n 1M
printed_line 'if all keys are known: ribbon, [0-9.]+ % smaller, built of all keys at once \(--need build\)'
hortus plan -n 1M --need build --json >plan.json
json 'd["candidates"][0]["family"] == "ribbon" and d["if_known"] is None' plan.json
hortus plan -n 1M --need insert --json >plan.json
json 'd["if_known"] is None and "of those" not in d["candidates"][0]["why"]' plan.json
hortus plan -n 1M --memory 1200k --json >plan.json
json 'd["candidates"][0]["family"] == "bloom" and d["if_known"]["family"] == "ribbon" and "a rate of" in d["if_known"]["text"]' plan.json

section "a useless rate is called that, with what would do"
hortus plan -n 300M --memory 200M --need erase --json >plan.json
json '"--memory 200M" in d["note"] and "useless" in d["note"] and "24.4 %" in d["note"]' \
  'd["instead"]["family"] == "quotient" and d["instead"]["fpr"] == 0.01 and d["faster"] is None' \
  'd["instead"]["command"] == "hortus build quotient -n 300M -p 1% -o FILE KEYS"' \
  'abs(d["instead"]["size_bytes"] / 2**20 - 348) < 1 and 1.6e8 < d["instead"]["items_in_memory"] < 1.7e8' plan.json
fit=$(python3 -c 'import json; print(json.load(open("plan.json"))["instead"]["items_in_memory"])')
hortus plan -n "$fit" -p 1% --memory 200M --need erase --json >plan.json
json 'd["candidates"][0]["family"] == "quotient" and d["instead"] is None and d["note"] is None' plan.json
run 2 hortus plan -n $((fit + 1)) -p 1% --memory 200M --need erase,count # with_removals, which misses keys, does not count
printed_line 'instead: at 1 % these keys take 191 MiB \(quotient\); 200M holds [0-9.]+ M keys at 1 %'
run 0 hortus plan -n 300M --memory 200M --need erase
printed_line 'note: with --memory 200M the rate is 24\.4 %, which is useless'
printed_line 'instead: at 1 % these keys take 348 MiB \(quotient\); 200M holds [0-9.]+ M keys at 1 %'
printed_line '  hortus build quotient -n 300M -p 1% -o FILE KEYS'
# The limit is 10 %: half the bits of 1 %.
hortus plan -n 1M --memory 610k --need intersect --json >plan.json
json 'd["candidates"][0]["fpr"] < 0.1 and d["note"] is None and d["instead"] is None' plan.json
hortus plan -n 1M --memory 590k --need intersect --json >plan.json
json 'd["candidates"][0]["fpr"] > 0.1 and "useless" in d["note"] and d["instead"]["family"] == "bloom"' plan.json
hortus plan -n 1M -p 30% --json >plan.json # who asks for it gets it
json 'd["note"] is None and d["instead"] is None' plan.json
run 2 hortus plan -n 1M -p 0.1% --memory 1000 --json # no family fits: the rate that was asked for
cp "$out" plan.json
json 'd["candidates"] == [] and d["instead"]["fpr"] == 0.001 and " -p 0.1% " in d["instead"]["command"]' \
  '0 < d["instead"]["items_in_memory"] < 1000' plan.json
run 2 hortus plan -n 1e15 --memory 1k --json
cp "$out" plan.json
json 'd["instead"] is None' plan.json
hortus plan --need top --memory 10k --json >plan.json # its rate is about something else
json 'd["note"] is None' plan.json
hortus plan -n 1M --memory 10k --need count --json >plan.json 2>"$err" || :
json 'd["instead"]["family"] != "bloom"' plan.json

section "alternatives: what is exact and needs no filter"
hortus plan -n 1M --json >plan.json
json 'd["alternatives"] == []' plan.json
hortus plan -n 10 -p 1e-19 --json >plan.json
json '[a["kind"] for a in d["alternatives"]] == ["hash_table", "digest_table"] and "64 bits" in d["alternatives"][1]["text"]' \
  'd["alternatives"][0]["fpr"] == 0 and d["alternatives"][0]["size_bytes"] == 320' \
  '0 < d["alternatives"][1]["fpr"] < 1e-18 and d["alternatives"][1]["size_bytes"] == 80' plan.json
hortus plan -n 1M -p 1e-18 --need count,erase --json >plan.json
json 'any(a["kind"] == "digest_table" and "128 bits" in a["text"] for a in d["alternatives"])' plan.json
hortus plan -n 1000 --json >plan.json
json '[a["kind"] for a in d["alternatives"]] == ["hash_table"]' plan.json
run 0 hortus plan -n 1000
printed_line 'alternative: 1000 keys of 32 bytes take 31\.[0-9] KiB: a hash table of the keys is exact'
hortus plan -n 3000 --json >plan.json
json 'd["alternatives"] == []' plan.json
hortus plan -n 50M --universe 100M --json >plan.json
json '[(a["kind"], a["size_bytes"], a["fpr"]) for a in d["alternatives"]] == [("bit_array", 12500000, 0)]' plan.json
run 0 hortus plan -n 50M --universe 100M
printed_line 'alternative: a bit array of 100 M bits, 11\.9 MiB, is exact and smaller than bloom'
run 0 hortus plan -n 1M --universe 100M
printed_line 'alternative: a bit array of 100 M bits, 11\.9 MiB, is exact but 10\.4 times as large as bloom'
run 0 hortus plan -n 50M --universe 60M --need count
printed_line 'alternative: an array of 60 M counters of 64 bits, 458 MiB, is exact but .*'
run 2 hortus plan -n 50M -p 1% --memory 20M --universe 100M # no filter fits, the array does
printed_line 'alternative: a bit array of 100 M bits, 11\.9 MiB, is exact'
hortus plan -n 5 --universe 5 --json >plan.json
json 'any(a["kind"] == "bit_array" and a["size_bytes"] == 8 for a in d["alternatives"])' plan.json
refused 'universe 5 needs -n, at most as many' hortus plan -n 6 --universe 5
refused 'which does not forget' hortus plan -n 5 --universe 5 --need advance
refused 'universe' hortus plan -n 5 --universe 0

section "the quantities of a bloom filter: any two of items, bits and rate give the rest"
hortus plan -n 1000 --bits 10000 --json >solved.json
json 'd["family"] == "bloom" and d["items"] == 1000 and d["bits"] == 10000 and d["probes"] == 7 and d["bits_per_item"] == 10' \
  'abs(d["fpr"] - 0.0082) < 0.0001 and abs(d["fill"] - 0.503) < 0.001 and d["size_bytes"] == 1256 and d["note"] is None' \
  solved.json
hortus plan -n 1000 --bits 10k --probes 3 --json >solved.json # the rate
json 'd["probes"] == 3 and 0.0174 < d["fpr"] < 0.0176' solved.json
hortus plan --bits 10000 -p 1% --json >solved.json # the items
json 'd["items"] == 1042 and d["fpr"] <= 0.01 and d["probes"] == 7' solved.json
hortus plan --bits 10000 -p 1% --probes 3 --json >solved.json
json 'd["items"] < 900 and d["probes"] == 3' solved.json
hortus plan -n 1M -p 1% --probes 3 --json >solved.json # the bits
json '12.3e6 < d["bits"] < 12.4e6 and d["fpr"] <= 0.01' solved.json
hortus plan --memory 1250 -p 1% --json >solved.json # the same in bytes
json 'd["bits"] == 10000 and d["items"] == 1042' solved.json
hortus plan -n 1000 --memory 1250 --probes 7 --json >solved.json
json 'd["bits"] == 10000 and abs(d["fpr"] - 0.0082) < 0.0001' solved.json
hortus plan -n 1000 --bits 10000 -p 1% --json >solved.json # all three, which agree
json 'd["fpr"] < 0.009' solved.json
hortus plan -n 8 --bits 64 --probes 5 --json >solved.json # the exact rate, not that of the textbook (0.022301)
json 'abs(d["fpr"] - 0.023416) < 1e-6' solved.json
# Examples of hur.st/bloomfilter, with its looser formula: 1 in 50, 1 in 407, 23 probes.
hortus plan -n 1000 --bits 8Ki --probes 5 --json >solved.json
json 'round(1 / d["fpr"]) == 50' solved.json
hortus plan -n 2378 --bits 32768 --probes 16 --json >solved.json
json 'round(1 / d["fpr"]) == 407 and d["fpr"] > 0.002454596' solved.json
hortus plan -n 4000 --bits 134191 --json >solved.json
json 'd["probes"] == 23 and 9.9e6 < 1 / d["fpr"] < 9994297' solved.json

section "for people: a line for each, and what builds it"
run 0 hortus plan -n 1000 --bits 10000
equal "names" "items bits bits probes rate fill" "$(sed '/^$/ q' "$out" | cut -d ' ' -f 1 | xargs)"
printed_line 'rate +0\.82 %'
printed_line '  hortus build bloom -n 1000 --memory 1256 -o FILE KEYS'
printed_line '  hortus plan -n 1000 --memory 1256'
run 0 hortus plan -n 1M --bits 100
printed_line 'that is a bloom filter, and none that build makes'
run 0 hortus plan -n 1000 --bits 3000
grep -q '^note: a rate of 23.. % is useless; at 1 % these keys take 9[0-9]* bits, and 3000 bits hold 31[0-9] keys$' "$out" ||
  fail "23 % is useless" "$(cat "$out")"
run 0 hortus plan --bits 1000 -p 50%
! grep -q useless "$out" || fail "who asks for it gets it"

section "its command makes the filter, or says with how many bits"
for options in '-n 1000 -p 1% --probes 3' '-n 1000 -p 0.1% --probes 20' '-n 1000 --bits 12000' '-n 1000 --bits 12345 --probes 4' \
  '--bits 9600 -p 2%' '--bits 9600 -p 2% --probes 3' '-n 1k --memory 2k --probes 9' '-n 1000 --bits 64000' '-n 1000 --bits 800' \
  '-n 10 --bits 500'; do
  hortus plan $options --json >solved.json
  command=$(python3 -c 'import json; print(json.load(open("solved.json"))["command"])')
  command=${command/ FILE / made }
  eval "${command/% KEYS/ keys}" 2>"$err" || fail "$command"
  hortus info --json made >about.json
  python3 - <<'END' || fail "$options: $command makes another filter"
import json
solved, about = json.load(open("solved.json")), json.load(open("about.json"))
assert about["params"] == {"bits": solved["command_bits"], "probes": solved["probes"]}, (solved, about["params"])
assert abs(solved["command_bits"] - solved["bits"]) < 64 + solved["bits"] / 500, solved  # a word, and 0.2 % for the divisors
END
done
hortus plan -n 1000 -p 1% --probes 3 --json >solved.json
json 'd["command_bits"] == d["bits"]' solved.json

section "nobody knows how many keys: families that grow and keep their rate"
run 0 hortus plan
printed_line 'expandable is best: .*'
printed_line 'scalable  .*'
printed_line '  hortus build expandable -p 1% -o FILE KEYS'
grep -q 'note: without -n the sizes are for the first 1 M keys' "$out" || fail "the note" "$(cat "$out")"
hortus plan --need erase -p 0.1% --json >plan.json
json '[c["family"] for c in d["candidates"]] == ["expandable"]' \
  'd["candidates"][0]["command"] == "hortus build expandable -p 0.1% -o FILE KEYS"' \
  '{"family": "dynamic", "reason": "its rate grows with its keys: give -n"} in d["rejected"]' \
  '{"family": "cuckoo", "reason": "it is planned for a number of keys: give -n"} in d["rejected"]' plan.json
run 2 hortus plan --need erase,merge
seq 30000 | hortus build expandable -p 0.1% -o grown
seq 20000 | hortus remove grown
equal "left" 10000 "$(seq 20001 30000 | hortus query -c grown)"
[ "$(seq 20000 | hortus query -c grown)" -lt 100 ] || fail "removed keys are still found"

section "what is too little, too much or contradictory"
works='give two of -n \(items\), -p \(rate\) and --bits or --memory \(size\)'
for options in '--bits 100' '--probes 3' '-n 5 --probes 3' '-p 1% --probes 3' '--bits 100 --probes 3'; do
  refused "too little is known of the bloom filter: $works" hortus plan $options
done
refused 'plan needs -n.*; -p with --memory or --bits finds it' hortus plan --memory 1M
refused '1000 items in 10000 bits with 3 probes have a rate of 1\.7[0-9]* %, not 1 %: leave out one of -n, -p, --probes and the size' \
  hortus plan -n 1000 --bits 10000 -p 1% --probes 3
refused '1000 items in 9000 bits with 6 probes have a rate of 1\.[0-9]+ %, not 1 %: leave out -n, -p or the size' \
  hortus plan -n 1000 --bits 9000 -p 1%
refused 'both give the size' hortus plan -n 5 --bits 100 --memory 100
refused '1 to 64 probes' hortus plan -n 5 --bits 100 --probes 65
refused '1 to 64 probes' hortus plan -n 5 --bits 100 --probes 1e18
refused 'whole number' hortus plan -n 5 --bits 100 --probes 0
refused '1 to 2\^42 bits' hortus plan -n 5 --bits 5T
refused 'at most 2\^42 bits' hortus plan -n 5 --memory 5T --probes 3
refused 'about a bloom filter alone' hortus plan -n 5 --bits 100 --need erase
refused 'about a bloom filter alone' hortus plan -n 5 --bits 100 --universe 100
refused 'plan needs -n' hortus plan --memory 1M -p 1% --need erase
refused 'cannot hold even one item' hortus plan --bits 5 -p 1e-9
