#!/usr/bin/env bash
# Families that grow: a stream of unknown length, more keys than planned, and what info and warnings say then.
set -euo pipefail
. "$(dirname "$0")/check.sh"

section "from a pipe without -n: nothing is counted, nothing kept"
seq 200000 >numbers
cat numbers | TMPDIR=/nowhere done_quietly hortus build scalable -o piped -p 1%
equal "members" 200000 "$(count piped numbers)"
run 0 hortus info --json piped
json 'd["items_planned"] == 0' 'd["fpr_planned"] == 0.01' 'd["items_inserted"] == 200000' 'd["stages"] == 6' \
  'abs(d["items_estimate"] / 200000 - 1) < 0.02' '0.004 < d["fpr_estimate"] <= 0.01' \
  'abs(d["bits_per_item"] - 8 * d["size_bytes"] / d["items_estimate"]) < 1e-6' '14 < d["bits_per_item"] < 40' \
  'd["params"]["items"] == 4096' 'd["params"]["growth"] == 2' 'd["params"]["tightening"] == 0.85' "$out"
run 0 hortus info piped
printed_line 'stages +6'
run 0 hortus verify piped
found=$(seq 1000001 1200000 | count piped)
[ "$found" -gt 800 ] && [ "$found" -lt 2000 ] || fail "$found of 200000 strangers at a rate below 1 %"

section "an empty pipe, and one key"
: | done_quietly hortus build scalable -o empty
run 0 hortus info --json empty
json 'd["bits_per_item"] is None' 'd["stages"] == 1' 'd["items_estimate"] == 0' "$out"
echo one | done_quietly hortus build scalable -o one
equal "one" 1 "$(printf 'one\ntwo\n' | count one)"

section "a file is counted, -n is the first stage"
done_quietly hortus build scalable -o filed numbers
run 0 hortus info --json filed
json 'd["items_planned"] == 200000' 'd["stages"] == 1' "$out"
done_quietly hortus build scalable -o small -n 1000 numbers
run 0 hortus info --json small
json 'd["items_planned"] == 1000' 'd["stages"] == 8' 'd["fpr_estimate"] <= 0.01' "$out"
done_quietly hortus build scalable -o fast -n 1000 --set growth=4 --set tightening=0.7 numbers
run 0 hortus info --json fast
json 'd["stages"] == 5' 'd["params"]["growth"] == 4' 'd["params"]["tightening"] == 0.7' 'd["fpr_estimate"] <= 0.01' "$out"
refused 'growth is from 2 to 16' hortus build scalable -o no -n 10 --set growth=1 numbers
refused 'tightening from 0.1 to 0.99' hortus build scalable -o no -n 10 --set tightening=1 numbers

section "add goes on growing, as if all had come at once"
head -n 70000 numbers | done_quietly hortus build scalable -o grown
tail -n +70001 numbers | done_quietly hortus add grown
same_bytes grown piped
done_quietly hortus add grown numbers
run 0 hortus info --json grown
json 'd["stages"] == 6' 'd["items_inserted"] == 400000' "$out"

section "--memory holds while it grows"
done_quietly hortus build scalable -o within -n 200k -p 1% --memory 1M numbers
refused 'with about [0-9.]+ k distinct keys the filter has grown past --memory 50k; with more of them in -n' hortus build scalable -o past -n 1000 -p 1% --memory 50k numbers
refused 'has grown past --memory 50k' hortus build dynamic -o past -n 1000 --memory 50k numbers
[ ! -e past ] || fail "an output file after an error"
seq 100 | awk '{for (i = 0; i < 2000; ++i) print}' >often
run 0 hortus build spectral_selection -o often.hortus -n 100 --memory 400 often
said 'keys came so often that the filter has grown to [0-9.]+ (KiB|bytes|B), more than --memory 400$'
# The same for dynamic: repeated keys open no stage.
seq 100 | awk '{for (i = 0; i < 20000; ++i) print}' >often
run 0 hortus build dynamic -o often.hortus -n 100 --memory 500 often
said 'keys came so often that the filter has grown to [0-9.]+ (KiB|bytes|B), more than --memory 500$'
equal "counted" "$(printf '20000\t7')" "$(echo 7 | hortus count often.hortus)"
rm within often often.hortus

section "dynamic: the rate grows with the keys, and that is said"
done_quietly hortus build dynamic -o dyn -n 20k -p 0.5% --set layer_items=5000 <(head -n 20000 numbers)
run 0 hortus info --json dyn
json 'd["stages"] == 4' 'd["fpr_estimate"] < 0.006' 'd["params"]["layer_items"] == 5000' "$out"
run 0 hortus add dyn <(sed -n 20001,100000p numbers)
said 'over capacity: about (99|100)\.?[0-9]* k distinct keys in a dynamic filter for 20 k; now 2\.[0-9]+ %, planned 0\.5 %; rebuild for 100 k keys, or use expandable$'
equal "members" 100000 "$(count dyn <(head -n 100000 numbers))"
run 0 hortus remove --verbose dyn <(sed -n 1,80000p numbers)
said 'removed 80000 of 80000 keys; 0 were certainly absent'
equal "members" 20000 "$(count dyn <(sed -n 80001,100000p numbers))"
run 0 hortus info --json dyn
json 'd["fpr_estimate"] < 0.006' 'd["stages"] <= 20' "$out" # a stage stays for the few of later keys that were taken for its own
cp dyn emptied
run 0 hortus remove emptied <(sed -n 80001,100000p numbers)
run 0 hortus info --json emptied
json 'd["fpr_estimate"] == 0' 'd["stages"] == 1' "$out"
printf 'x\nx\nx\n' | done_quietly hortus add dyn
equal "count" "$(printf '3\tx')" "$(echo x | hortus count dyn)"
head -n 3000 numbers | done_quietly hortus build dynamic -o piped_dyn
run 0 hortus info --json piped_dyn
json 'd["items_planned"] >= 3000' 'd["stages"] == 1' "$out"
refused 'layer_items must be more than' hortus build dynamic -o no -n 10000 --set layer_items=10 numbers

section "memory bounds what is planned, and a stream is not"
refused 'memory needs -n' hortus build scalable -o no --memory 1Mi < <(cat numbers)
done_quietly hortus build scalable -o fits -n 1000 --memory 4Ki <(head -n 1000 numbers)
refused 'has no merge' hortus merge -o no piped small
refused 'has no fold' hortus fold -o no --by 2 piped
no_debris numbers piped empty one filed small fast grown dyn emptied piped_dyn fits
