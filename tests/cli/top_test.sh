#!/usr/bin/env bash
# hortus count --top: the most frequent keys of a stream, in bounded memory.
set -euo pipefail
. "$(dirname "$0")/check.sh"
tab=$'\t'
# Key k comes 2000/k times: 500 keys, about 13 000 lines, in an order that has nothing to do with them.
for k in $(seq 500); do times $((2000 / k)) "key $k"; done | awk '{print (NR * 7919) % 100003 "\t" $0}' | sort -n | cut -f 2 >lines
exact() { sort "$@" | uniq -c | sort -k1,1nr -k2 | sed -E 's/^ *([0-9]+) /\1\t/'; }
exact lines >truth

section "while the keys fit, counts and order are exact, ties in the order of their bytes"
run 0 hortus count --top 10 lines
[ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
head -n 10 truth | cmp - "$out" || fail "the ten most frequent" "$(cat "$out")"
run 0 hortus count --top 1M lines
[ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
cmp truth "$out" || fail "all of them"
run 0 hortus count --top 10 <lines
head -n 10 truth | cmp - "$out" || fail "from standard input"
run 0 hortus count --top 10 - lines /dev/null <lines
head -n 10 truth | awk '{print 2 * $1 "\t" $2 " " $3}' | cmp - "$out" || fail "several inputs" "$(cat "$out")"

section "keys are bytes"
printf 'b\r\nb\r\na\n' | hortus count --crlf --top 1 >"$out"
equal "crlf" "2${tab}b" "$(cat "$out")"
printf 'x\ny\0x\ny\0\0' | hortus count -0 --top 2 >"$out"
printf '2\tx\ny\0001\t\0' | cmp - "$out" || fail "with NUL"
run 0 hortus count --top 3 /dev/null
[ ! -s "$out" ] || fail "nothing came, nothing is frequent"

section "past the memory: bounds that hold, and a word when the order is not certain"
for memory in 200 2k 10k 30k; do
  run 0 hortus count --top 20 --memory $memory --json lines
  cp "$out" top.json
  cp "$err" words
  hortus count --top 20 --memory $memory lines >plain 2>/dev/null
  python3 - <<'END' || fail "--memory $memory: see above"
import json
truth = {key: int(count) for count, key in (line.rstrip("\n").split("\t") for line in open("truth"))}
d = json.load(open("top.json"))
rows = d["top"]
assert [f'{r["count"]}\t{r["key"]}' for r in rows] == open("plain").read().splitlines()
assert d["keys_read"] == sum(truth.values())
assert all(r["at_least"] <= truth[r["key"]] <= r["count"] for r in rows), rows
shown = {r["key"] for r in rows}
assert all(count <= d["others_at_most"] for key, count in truth.items() if key not in shown)
sure = d["certain_ranks"]
order = sorted(truth, key=lambda key: -truth[key])
assert [truth[r["key"]] for r in rows[:sure]] == [truth[key] for key in order[:sure]], (sure, rows)
words = open("words").read()
assert (words == "") == (sure == len(rows) and all(r["at_least"] == r["count"] for r in rows)), words
assert sure == len(rows) or "certain for the first %d only" % sure in words, words
END
done
run 0 hortus count --top 3 --memory 2000 lines
said '^hortus: warning: there are more distinct keys than --memory 2.0 KiB holds: counts may be up to [0-9]+ too high, '

section "who comes often enough is found among any number of others"
seq 300000 | awk '{print; if (NR % 10 == 0) print "heavy"}' | hortus count --top 1 --memory 64k 2>/dev/null >"$out"
equal "heavy" heavy "$(cut -f 2 "$out")"

section "a file of counters: built from a pipe, added to, asked, merged"
awk 'NR % 3 == 0' lines >part1
awk 'NR % 3 != 0' lines >part2
run 0 hortus build space_saving -p 0.1% -o f - <part1
[ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
run 0 hortus add f part2
[ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
run 0 hortus count --top 10 f
[ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
head -n 10 truth | cmp - "$out" || fail "the ten most frequent" "$(cat "$out")"
run 0 hortus count --top 1M f
cmp truth "$out" || fail "all of them"
cut -f 2 truth | hortus count f | cmp - truth || fail "counts of keys that are asked for"
equal "an absent key" "0${tab}nobody" "$(hortus count f <<<nobody)"
hortus build space_saving -p 0.1% -o g part2
hortus build space_saving -p 0.1% -o h part1
run 0 hortus merge -o both g h
hortus count --top 1M both | cmp - truth || fail "merged"
hortus count --top 1M f --json >of_file.json
hortus count --top 1M lines --json | cmp - of_file.json || fail "a file of counters and a stream say the same"
hortus count --top 2 -0 f >"$out"
head -n 2 truth | tr '\n' '\0' | cmp - "$out" || fail "NUL behind each"

section "what a file says of itself"
hortus info --json f >about.json
json 'd["family"] == "space_saving" and d["items_inserted"] == sum(2000 // k for k in range(1, 501))' \
  'd["counters_used"] == 500 and d["error_at_most"] == 0 and d["error_share"] == 0' \
  'd["params"] == {"counters": 1000, "key_bytes": 256} and d["size_bytes"] == 394000 and d["file_bytes"] < 25000' \
  'd["fpr_planned"] == 0.001 and d["bits_per_item"] is None and d["fpr_estimate"] is None' about.json
hortus info f | grep -Eq '^error_at_most +0$' || fail "info for people"
run 0 hortus verify f
grep -q '^f: ok, a space_saving sketch of ' "$out" || fail "verify" "$(cat "$out")"

section "few counters: bounds that hold, and a word"
hortus build space_saving -p 5% --set key_bytes=8 -o few lines
hortus info --json few >about.json
json '0 < d["error_share"] <= 0.05 and d["counters_used"] == 20 and d["params"]["counters"] == 20' about.json
run 0 hortus count --top 20 --json few
cp "$out" top.json
said 'there are more distinct keys than it has counters: counts may be up to [0-9]+ too high'
python3 - <<'END' || fail "see above"
import json
truth = {key: int(count) for count, key in (line.rstrip("\n").split("\t") for line in open("truth"))}
d = json.load(open("top.json"))
assert all(r["at_least"] <= truth[r["key"]] <= r["count"] for r in d["top"]), d
shown = {r["key"] for r in d["top"]}
total = sum(truth.values())
assert d["keys_read"] == total and d["others_at_most"] <= total / 20
assert all(count <= d["others_at_most"] for key, count in truth.items() if key not in shown)
assert all(key in shown for key, count in truth.items() if count > total / 20)
END

section "long keys: the beginning is shown, and they are not taken for each other"
long=$(printf '%0300d' 0)
printf '%s\n' "${long}a" "${long}b" "${long}b" short | hortus build space_saving -o long
run 0 hortus count --top 2 long
equal "the first 256 bytes" "2$tab${long:0:256}" "$(head -n 1 "$out")"
said '^hortus: warning: 2 of these keys are longer than what is kept of a key: shown is the beginning$'
equal "asked whole" "2$tab${long}b" "$(hortus count long <<<"${long}b")"
hortus count --top 1 --json long 2>/dev/null >top.json
json 'd["top"][0]["key_bytes"] == 301 and d["top"][0]["count"] == 2' top.json
run 0 hortus count --top 1 <<<"$long"
[ ! -s "$err" ] || fail "a stream keeps a 64th of --memory of a key" "$(cat "$err")"
equal "whole" "1$tab$long" "$(cat "$out")"
head -c 3M /dev/zero | tr '\0' x | hortus count --top 1 2>"$err" | wc -c >"$out"
said 'shown is the beginning'
equal "a mebibyte of it" $((2 + (1 << 20) + 1)) "$(cat "$out")"

section "which family, and who cannot"
hortus plan --need top --json >plan.json
json '[c["family"] for c in d["candidates"]] == ["space_saving"] and d["candidates"][0]["params"]["counters"] == 100' \
  'd["candidates"][0]["bits_per_item"] is None and "1 % of the stream" in d["candidates"][0]["why"]' \
  '{"family": "bloom", "reason": "it lacks top"} in d["rejected"]' plan.json
run 0 hortus plan --need top,merge -p 0.1%
printed_line 'space_saving  .*'
hortus plan -n 1M --need count --json >plan.json
json '"space_saving" not in {c["family"] for c in d["candidates"]}' \
  'any(r["family"] == "space_saving" and "--need top" in r["reason"] for r in d["rejected"])' plan.json
refused 'plan needs -n' hortus plan --need count --memory 1M
hortus build bloom -o b lines
refused "'b': a bloom filter has no top; families that have it: space_saving" hortus count --top 3 b
refused "'f': a space_saving sketch tells how often, not whether: hortus count asks it" hortus query f lines
refused "'f': a space_saving sketch has no erase; families that have it: counting" hortus remove f lines
refused "'f': a space_saving sketch has no fold" hortus fold -o none --by 2 f
refused 'only with equal room and key_bytes' hortus merge -o none f few
refused "'f' is a filter, and --top asks it: it takes no INPUT" hortus count --top 3 f lines
refused 'memory is for counting an input' hortus count --top 3 --memory 1M f
head -c 200 f >cut
refused "'cut': .*" hortus count --top 3 cut
refused '8 and 1048576' hortus build space_saving --set key_bytes=4 -o none lines
refused 'the most is 2\^38' hortus build space_saving -p 1e-12 -o none lines

section "with a secret key: top needs none, for keys are kept as they are"
head -c 16 /dev/zero >secret
hortus build space_saving --key-file secret -o keyed lines
refused 'key-file' hortus count keyed lines
hortus count --top 3 keyed 2>/dev/null | cmp - <(hortus count --top 3 --key-file secret keyed 2>/dev/null) || fail "the same with the key"

section "nonsense"
refused 'whole number' hortus count --top 0 lines
refused 'whole number' hortus count --top many lines
refused 'whole number' hortus count --top 5 --memory 0 lines
refused 'No such file' hortus count --top 5 nosuch
refused 'No such file' hortus count --top 5 lines nosuch
refused 'key-file' hortus count --top 5 --key-file lines lines
