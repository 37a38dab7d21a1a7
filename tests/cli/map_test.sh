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
