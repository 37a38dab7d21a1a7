#!/usr/bin/env bash
# Maps at the shell: build from KEY<TAB>VALUE lines, get.
set -euo pipefail
. "$(dirname "$0")/check.sh"

maps=$(hortus list --json | jq -r '.[] | select(.verbs | index("find")) | select(.verbs | index("build")) | .family')
[ "$(wc -w <<<"$maps")" -ge 1 ] || fail "hortus list should name maps that are built at once" "$maps"

section "numbers go in and come out, in the order of the input"
seq 5000 | awk '{ print "key" $1 "\t" ($1 * 7919) % 1000 }' >numbers.tsv
for family in $maps; do
  run 0 hortus build "$family" -o m.hortus -p 1e-6 numbers.tsv
  cut -f1 numbers.tsv | run 0 hortus get m.hortus
  cmp -s "$out" numbers.tsv || fail "$family: get should print what build was given" "$(diff "$out" numbers.tsv | head -5)"
  shuf numbers.tsv >shuffled.tsv
  cat numbers.tsv >>shuffled.tsv # equal pairs count once
  run 0 hortus build "$family" -o n.hortus -p 1e-6 - <shuffled.tsv
  run 0 hortus get n.hortus -e key17
  equal "$family: key17" $'key17\t623' "$(cat "$out")"
  hortus info --json m.hortus | jq -e '.value_bits == 10' >/dev/null || fail "$family: info should say value_bits" "$(hortus info --json m.hortus)"
done

section "absent keys are left out, or alone with -v; the status is that of query"
family=bloomier_map
run 0 hortus build $family -o m.hortus -p 1e-9 numbers.tsv
printf 'nobody\nkey1\nno one\n' >asked.txt
run 0 hortus get m.hortus asked.txt
equal "values" $'key1\t919' "$(cat "$out")"
run 0 hortus get m.hortus -v asked.txt
equal "absent" $'nobody\nno one' "$(cat "$out")"
run 1 hortus get m.hortus -e nobody
run 1 hortus get m.hortus -v -e key1
run 0 hortus get m.hortus -q -e key1
run 0 hortus get m.hortus -c asked.txt
equal "count" 1 "$(cat "$out")"
run 0 hortus get m.hortus --json asked.txt
equal "json" '[{"key":"key1","value":919}]' "$(jq -c . "$out")"
run 0 hortus query m.hortus asked.txt
equal "query" key1 "$(cat "$out")"

section "texts, through a list of the distinct ones"
printf 'ada\tde\nbob\tfr\neve\tde\ndan\t\ntab\ta\tb\n' >texts.tsv
run 0 hortus build $family -o t.hortus -p 1e-9 texts.tsv
cut -f1 texts.tsv | run 0 hortus get t.hortus
cmp -s "$out" texts.tsv || fail "texts should come back" "$(cat "$out")"
tac texts.tsv | run 0 hortus build $family -o u.hortus -p 1e-9
cmp -s t.hortus u.hortus || fail "the order of the input should not matter"
hortus info --json t.hortus | jq -e '.value_texts == 4' >/dev/null || fail "info should say how many texts" "$(hortus info --json t.hortus)"
run 0 hortus build $family -o t.hortus --values text -p 1e-9 numbers.tsv
run 0 hortus get t.hortus -e key1
equal "a number as text" $'key1\t919' "$(cat "$out")"
printf 'x\t007\n' | run 0 hortus build $family -o t.hortus
run 0 hortus get t.hortus -e x
equal "zeros stay" $'x\t007' "$(cat "$out")"

section "fields and columns"
printf 'name,country,age\n"Lovelace, Ada",uk,36\nbob,"f""r",7\n' >people.csv
run 0 hortus build $family -o c.hortus -p 1e-9 --csv name --value country people.csv
run 0 hortus get c.hortus -e 'Lovelace, Ada' -e bob
equal "csv" $'Lovelace, Ada\tuk\nbob\tf"r' "$(cat "$out")"
run 0 hortus build $family -o c.hortus -p 1e-9 --csv 1 --no-header --value 3 <(tail -n +2 people.csv)
run 0 hortus get c.hortus -e bob
equal "column 3" $'bob\t7' "$(cat "$out")"
printf 'a 1 x\nb 2 y\n' | run 0 hortus build $family -o f.hortus -p 1e-9 --field 3 --value 2
run 0 hortus get f.hortus -e y
equal "field 2" $'y\t2' "$(cat "$out")"
run 0 hortus build $family -o f.hortus -e $'ada\t5' -e $'eve\t6'
run 0 hortus get f.hortus -e eve
equal "from the command line" $'eve\t6' "$(cat "$out")"
printf '17\t4\n-3\t5\n' | run 0 hortus build $family -o i.hortus --integers
run 0 hortus get i.hortus --integers -e -3
equal "an integer" $'-3\t5' "$(cat "$out")"

section "what is wrong is named, and no file is written"
rm -f no.hortus
printf 'a\t1\nb\n' >bad.tsv
refused "^hortus: line 2 of 'bad.tsv': there is no TAB: a line is KEY<TAB>VALUE$" hortus build $family -o no.hortus bad.tsv
{ seq 2000 | sed 's/$/\t5/'; printf 'x\ty\n'; } >bad.tsv
refused "^hortus: line 2001 of 'bad.tsv': the value 'y' is no integer from 0 to 2\^64-1; --values text takes any text$" \
  hortus build $family -o no.hortus bad.tsv
printf 'a\t18446744073709551616\n' >bad.tsv
refused 'is no integer' hortus build $family -o no.hortus --values u64 bad.tsv
printf 'a\t1\nb\t2\na\t3\n' >bad.tsv
refused "^hortus: the key 'a' has two values: '1' in line 1 of 'bad.tsv' and '3' in line 3 of 'bad.tsv'$" hortus build $family -o no.hortus bad.tsv
refused 'a key has two values' hortus build $family -o no.hortus - < <(cat bad.tsv)
printf 'a\tx\nb\ty\na\ty\n' >bad.tsv
refused "the key 'a' has two values: 'x' in line 1 of 'bad.tsv' and 'y' in line 3" hortus build $family -o no.hortus bad.tsv
refused 'needs 10 bits, and value_bits is 4' hortus build $family -o no.hortus --set value_bits=4 numbers.tsv
refused "values are u64 \(integers\), text, or none" hortus build $family -o no.hortus --values int numbers.tsv
refused '--value goes with --field or --csv' hortus build $family -o no.hortus --value 2 numbers.tsv
refused '--value says which one is the value' hortus build $family -o no.hortus --field 1 numbers.tsv
refused '--values is about the values of a map, and a bloom filter has none' hortus build bloom -o no.hortus --values u64 numbers.tsv
[ ! -e no.hortus ] || fail "no file should be written"
run 0 hortus build bloom -o b.hortus -n 10 -e x
refused "find" hortus get b.hortus -e x

section "more entries than memory, and threads, give the same bytes"
seq 300000 | awk '{ print $1 "\t" $1 % 256 }' >many.tsv
run 0 hortus build $family -o one.hortus many.tsv
run 0 hortus build $family -o two.hortus --memory 1Mi --threads 2 many.tsv
run 0 hortus get two.hortus -e 300000
equal "value" $'300000\t224' "$(cat "$out")"
run 0 hortus build $family -o three.hortus -p 1% --memory 2Mi - <many.tsv
cmp -s one.hortus three.hortus || fail "memory should not change the bytes"
run 0 hortus build $family -o fuse.hortus --set arity=4 many.tsv
run 0 hortus get fuse.hortus -e 299999
equal "value" $'299999\t223' "$(cat "$out")"

section "an exact set answers both lists without error"
seq 1 1000 >in.txt
seq 1001 60000 >out.txt
run 0 hortus build exact_set -o e.hortus --absent out.txt in.txt
run 0 hortus query e.hortus -c in.txt
equal "members" 1000 "$(cat "$out")"
run 1 hortus query e.hortus -c out.txt
equal "others" 0 "$(cat "$out")"
seq 1000 | run 0 hortus build exact_set -o f.hortus --absent out.txt --memory 1Mi --threads 2
cmp -s e.hortus f.hortus || fail "memory and threads should not change the bytes"
seq 500 2000 >both.txt
refused "^hortus: a key is in both lists: '[0-9]+' in line [0-9]+ of 'in.txt' and '[0-9]+' in line [0-9]+ of 'both.txt'$" \
  hortus build exact_set -o no.hortus --absent both.txt in.txt
refused '--absent is for exact_set' hortus build bloom -o no.hortus --absent out.txt in.txt
refused 'cannot both come from standard input' hortus build exact_set -o no.hortus --absent - </dev/null
refused "is to be read and written|is an input|is the output" hortus build exact_set -o out.txt --force --absent out.txt in.txt

section "set changes values in place, and no other"
for family in perfect_hash_map dynamic_bloomier_map; do
  run 0 hortus build "$family" -o m.hortus -p 1e-6 numbers.tsv
  printf 'key17\t5\nkey4000\t1023\n' | run 0 hortus set m.hortus --verbose
  said '^hortus: changed 2 of 2 values$'
  awk -F'\t' '{ v = $2; if ($1 == "key17") v = 5; if ($1 == "key4000") v = 1023; print $1 "\t" v }' numbers.tsv >changed.tsv
  cut -f1 numbers.tsv | run 0 hortus get m.hortus
  cmp -s "$out" changed.tsv || fail "$family: only two values should change" "$(diff "$out" changed.tsv | head -5)"
  printf 'key1\t7\nnobody\t1\n' | run 0 hortus set m.hortus --json
  jq -e '.values_set == 1 and .keys_certainly_absent == 1' "$out" >/dev/null || fail "$family: json of set" "$(cat "$out")"
  said '^hortus: 1 of 2 keys were certainly absent, the first in line 2 of standard input$'
  cp m.hortus before.hortus
  printf 'key1\t8\nkey2\t1024\n' >wide.tsv
  refused "^hortus: line 2 of 'wide.tsv': the value 1024 has more than the 10 bits of the map's values$" hortus set m.hortus wide.tsv
  refused "no TAB" hortus set m.hortus -e key1
  cmp -s m.hortus before.hortus || fail "$family: a refused set should change nothing"
  run 0 hortus build "$family" -o t.hortus -p 1e-6 texts.tsv
  printf 'bob,de\n' | run 0 hortus set t.hortus --csv 1 --no-header --value 2
  run 0 hortus get t.hortus -e bob -e ada
  equal "texts" $'bob\tde\nada\tde' "$(cat "$out")"
  refused "'xx' is none of the 4 values that the map was built with" hortus set t.hortus -e $'bob\txx'
done
run 0 hortus build bloomier_map -o b.hortus numbers.tsv
refused "has no assign; families that have it: perfect_hash_map, dynamic_bloomier_map" hortus set b.hortus -e $'key1\t1'

section "a map that takes and loses keys"
run 0 hortus build dynamic_bloomier_map -n 6000 -o d.hortus -p 1e-6 numbers.tsv
seq 5001 6000 | awk '{ print "key" $1 "\t" $1 % 1000 }' >more.tsv
run 0 hortus set --new d.hortus more.tsv
cut -f1 numbers.tsv | run 0 hortus get d.hortus
cmp -s "$out" numbers.tsv || fail "what was there should stay" "$(diff "$out" numbers.tsv | head -5)"
cut -f1 more.tsv | run 0 hortus get d.hortus
cmp -s "$out" more.tsv || fail "new keys should be found" "$(diff "$out" more.tsv | head -5)"
head -500 numbers.tsv | cut -f1 | run 0 hortus remove d.hortus
head -500 numbers.tsv | cut -f1 | run 1 hortus get d.hortus
cp d.hortus before.hortus
seq 10000 | awk '{ print "other" $1 "\t1" }' >many_more.tsv
refused "keys did not go in, the first in line [0-9]+ of 'many_more.tsv': there is no room, or they are there already; the file is as it was$" \
  hortus set --new d.hortus many_more.tsv
cmp -s d.hortus before.hortus || fail "a map without room should stay as it was"
refused 'is a map, whose keys have values: hortus set --new' hortus add d.hortus -e x
run 0 hortus build dynamic_bloomier_map -o empty.hortus -n 100 --set value_bits=8 /dev/null
run 0 hortus set --new empty.hortus -e $'ada\t36'
run 0 hortus get empty.hortus -e ada
equal "an empty map takes keys" $'ada\t36' "$(cat "$out")"

section "a perfect hash numbers keys without gaps"
seq 20000 >keys.txt
run 0 hortus build perfect_hash_map -o r.hortus keys.txt
hortus get r.hortus keys.txt | cut -f2 | sort -n >ranks.txt
seq 0 19999 | cmp -s - ranks.txt || fail "ranks should be 0 to 19999" "$(head -3 ranks.txt)"
run 0 hortus build perfect_hash_map -o z.hortus --set value_bits=4 --values none keys.txt
run 0 hortus set z.hortus -e $'77\t9'
run 0 hortus get z.hortus -e 77 -e 78
equal "values that come later" $'77\t9\n78\t0' "$(cat "$out")"

section "a compact approximator finds values that are never too small"
printf 'a\t3\nb\t200\na\t7\nc\t1\n' >joined.tsv
run 0 hortus build compact_approximator -o j.hortus -p 1e-6 joined.tsv
run 0 hortus get j.hortus -e a -e b -e c
equal "the largest value of a key" $'a\t7\nb\t200\nc\t1' "$(cat "$out")"
run 0 hortus build compact_approximator -o k.hortus -p 1e-6 --set lattice=1 joined.tsv
run 0 hortus set --new k.hortus -e $'c\t4'
run 0 hortus get k.hortus -e a -e c
equal "all bits of a key" $'a\t7\nc\t5' "$(cat "$out")"
cat joined.tsv | run 2 hortus build compact_approximator -o no.hortus -
said 'how many come from a pipe, -n has to say'
cat joined.tsv | run 0 hortus build compact_approximator -o j.hortus -n 10 -p 1e-6 -
run 0 hortus get j.hortus -e b
equal "from a pipe" $'b\t200' "$(cat "$out")"
printf 'a\t3\nb\t0\n' >zero.tsv
refused "^hortus: line 2 of 'zero.tsv': the value 0 is that of absent keys in this map$" hortus build compact_approximator -o no.hortus zero.tsv
refused 'are numbers or sets of bits: --values u64' hortus build compact_approximator -o no.hortus --values text joined.tsv
refused "the value 'uk' is no integer from 0 to 2\^64-1$" hortus build compact_approximator -o no.hortus -e $'a\tuk'
run 0 hortus merge j.hortus j.hortus -o jj.hortus
run 0 hortus get jj.hortus -e b
equal "merged" $'b\t200' "$(cat "$out")"
