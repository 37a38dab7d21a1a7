#!/usr/bin/env bash
# Removal by a second filter: removed keys stay absent, and no key is refused silently.
set -euo pipefail
. "$(dirname "$0")/check.sh"

section "build, remove, query"
seq 10000 >keys
seq 1000 >gone
run 0 hortus build with_removals -n 10000 -o f keys
equal "all found" 10000 "$(count f keys)"
run 0 hortus remove --verbose f gone
said '^hortus: removed (999|1000) of 1000 keys; [01] were not found$'
equal "none of the removed is found" 0 "$(count f gone)"
left=$(seq 1001 10000 | count f)
[ "$left" -ge 8960 ] || fail "a miss rate of 0.1 % hides about 9 of 9000, not $((9000 - left))"

section "a removed key is refused, and the file stays as it was"
cp f before
echo 7 >seven
refused "'f': 1 of 1 keys were removed before, or are taken for one that was, and a with_removals filter takes no such key back: the file is as it was; a filter built anew does" \
  hortus add f seven
same_bytes before f
run 2 hortus add --json f seven
json "d['keys_refused'] == 1" "'items_needed' not in d" "$out"
run 0 hortus add f <(echo new)
equal "another goes in" 1 "$(echo new | count f)"

section "settings, and what the file says"
run 0 hortus build with_removals -n 10000 --set removed_share=0.5 --set miss_rate=1e-6 -o g keys
run 0 hortus info --json g
json "d['params']['removed_bits'] > 100000" "'erase' in d['verbs']" "$out"
run 0 hortus verify g

section "plan: after the families that miss nobody"
run 0 hortus plan -n 1M --need erase --json
json "d['candidates'][0]['fnr'] == 0" \
  "[c['family'] for c in d['candidates'] if c['fnr'] > 0] == ['with_removals']" \
  "[c['family'] for c in d['candidates']].index('with_removals') > [c['family'] for c in d['candidates']].index('counting')" "$out"
