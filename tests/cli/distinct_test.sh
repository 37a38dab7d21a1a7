#!/usr/bin/env bash
# hortus count --distinct: how many distinct keys an input has, or a filter.
set -euo pipefail
. "$(dirname "$0")/check.sh"

# near EXPECTED SHARE FILE: the first number of the file is within that share of the expected one.
near() {
  python3 - "$@" <<'END' || fail "$(cat "$3") is not within $2 of $1"
import sys
value = float(open(sys.argv[3]).read().split()[0])
sys.exit(abs(value / float(sys.argv[1]) - 1) > float(sys.argv[2]))
END
}
seq 1000 >few
seq 300000 >many

section "few keys are counted exactly, each once, in any order"
for n in 0 1 2 10 1000; do equal "$n keys" $n "$(seq $n | hortus count --distinct)"; done
cat few few few | sort -R >shuffled
equal "again and again" 1000 "$(hortus count --distinct shuffled)"
equal "several inputs" 1500 "$(seq 501 1500 | hortus count --distinct few -)"
equal "nothing" 0 "$(hortus count --distinct /dev/null)"

section "many keys: an estimate and its interval"
run 0 hortus count --distinct many # six standard deviations of 0.4 %: 1e-9
[ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
near 300000 0.024 "$out"
printed_line '[0-9]+ \(with a chance of 95 %: [0-9]+ to [0-9]+\)'
run 0 hortus count --distinct --json many
json '300000 * .976 < d["estimate"] < 300000 * 1.024' 'd["low"] < d["estimate"] < d["high"]' 'd["keys_read"] == 300000' \
  '.006 < (d["high"] - d["low"]) / 2 / d["estimate"] < .010' 'd["family"] == "exaloglog"' 'd["saturated"] is False' \
  'd["size_bytes"] == 28672' "$out"
cp "$out" first.json
sort -R many | hortus count --distinct --json >"$out"
same_bytes first.json "$out"
run 0 hortus count --distinct --error 5% --json many
json '300000 * .7 < d["estimate"] < 300000 * 1.3' 'd["size_bytes"] < 1000' "$out"

section "keys are parts of lines, as everywhere"
seq 2000 | awk '{print $1 % 7 "\t" $1}' >pairs
equal "a field" 7 "$(hortus count --distinct -f 1 pairs)"
equal "NUL" 2 "$(printf 'a\0b\0a\0' | hortus count --distinct -0)"
equal "integers" 7 "$(cut -f 1 pairs | hortus count --distinct --integers)"

section "-o saves the sketch: it is asked, added to, merged, folded"
run 0 hortus count --distinct -o day1 many
cp "$out" said
equal "the same answer from the file" "$(cat said)" "$(hortus count --distinct day1)"
seq 200001 500000 | hortus count --distinct -o day2 >"$out"
hortus merge -o both day1 day2
seq 500000 | hortus count --distinct -o all >said
equal "merged" "$(cat said)" "$(hortus count --distinct both)"
run 0 hortus add day1 - < <(seq 300001 500000)
[ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
equal "added" "$(cat said)" "$(hortus count --distinct day1)"
run 0 hortus fold --to-fpr 5% -o small all
[ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
hortus count --distinct small >"$out"
near 500000 0.28 "$out"
[ "$(stat -c %s small)" -lt 1500 ] || fail "folded to $(stat -c %s small) bytes"
hortus merge -o mixed small day2
hortus count --distinct mixed | cmp - "$out" || fail "a merge of two precisions has the lower one"
hortus count --distinct -o - few >piped 2>"$err"
said '^hortus: 1000 distinct keys$'
equal "from a pipe" 1000 "$(hortus count --distinct piped)"
hortus info --json all >all.json
json 'd["family"] == "exaloglog"' 'd["items_inserted"] == 500000' 'd["advice"] is None' '.003 < d["error_share"] < .005' all.json

section "other families that estimate are asked, too"
hortus build bloom -o seen -n 1000 -p 1e-6 few
hortus count --distinct seen >"$out"
near 1000 0.05 "$out"
hortus build hyperloglog -o seen few
equal "hyperloglog" 1000 "$(hortus count --distinct seen)"
refused 'has no may_contain' hortus query seen few

section "what does not go together"
refused '^hortus: .*--distinct and --top exclude each other' hortus count --distinct --top 3 few
refused '--memory goes with --top' hortus count --distinct --memory 1M few
refused '--error goes with --distinct' hortus count --error 1% few
refused "'all' is a filter" hortus count --distinct all few
refused 'a FILE has the error it has' hortus count --distinct --error 1% all
refused 'needs more than 2\^24 registers' hortus count --distinct --error 1e-9 few
refused 'error' hortus count --distinct --error 2 few
hortus build fast_ams -o counts -n 100 few
refused 'has no estimate' hortus count --distinct counts
cp few text
refused 'text' hortus count --distinct -o text many
cmp few text || fail "a file that is no filter was replaced"
run 0 hortus count --distinct --force -o text many

section "bench measures inserts, and how wrong the estimate is"
run 0 hortus bench --families hyperloglog,exaloglog,bloom -n 20000 --repetitions 1 --json
json 'all(r["insert_ns"] > 0 and r["batch_insert_ns"] > 0 and r["build_ns"] > 0 for r in d)' \
  'all((r["family"] == "bloom") == (r["miss_ns"] is not None) == (r["batch_ratio"] is not None) for r in d)' \
  'all(r["fpr_measured"] < .07 and r["bits_per_item"] < 11 for r in d)' "$out"
run 0 hortus bench --families exaloglog -n 20000 --repetitions 1

section "plan: what only estimates comes first where only an estimate is needed"
run 0 hortus plan -n 1M --need estimate --json
json 'd["candidates"][0]["family"] == "exaloglog" and d["candidates"][1]["family"] == "hyperloglog"' "$out"
run 0 hortus plan -n 1M --need estimate,may_contain --json
json '"exaloglog" not in [c["family"] for c in d["candidates"]]' "$out"
