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

section "nonsense"
refused 'whole number' hortus count --top 0 lines
refused 'whole number' hortus count --top many lines
refused 'whole number' hortus count --top 5 --memory 0 lines
refused 'No such file' hortus count --top 5 nosuch
refused 'No such file' hortus count --top 5 lines nosuch
refused 'key-file' hortus count --top 5 --key-file lines lines
