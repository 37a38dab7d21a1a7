#!/usr/bin/env bash
# Which part of a line is the key: a field, a column of CSV, without regard to case; keys of the command line; integers.
set -euo pipefail
. "$(dirname "$0")/check.sh"

printed() { equal "$1" "$2" "$(cat "$out")"; }

section "a field between blanks, and the whole line is printed"
printf '10.0.0.1 - GET /a\n  10.0.0.2\tGET /b\n10.0.0.1 - GET /c\n' >log
run 0 hortus uniq --field 1 log
printed "first line of each address" $'10.0.0.1 - GET /a\n  10.0.0.2\tGET /b'
done_quietly hortus build bloom -n 100 -o f --field 1 log
run 0 hortus query f -e 10.0.0.1 -e 10.0.0.3 -e 10.0.0.2
printed "whole keys" $'10.0.0.1\n10.0.0.2'
run 0 hortus query f -f 1 -v <<<$'10.0.0.9 x\n10.0.0.1 y'
printed "lines of absent keys" '10.0.0.9 x'

section "a field between delimiters may be empty, and the key is that field alone"
done_quietly hortus build counting -n 100 -o c --field 2 --delimiter ';' <<<$'a;x;1\nb;;2\nc;x;3'
run 0 hortus count c -f 2 -d ';' <<<$'q;x;\nq;;\nq;y'
printed "counts" $'2\tq;x;\n1\tq;;\n0\tq;y'
run 0 hortus count --json c -f 2 -d ';' <<<$'q;x;'
json 'd == [{"key": "x", "count": 2, "line": "q;x;"}]' "$out"
done_quietly hortus remove c -f 2 -d ';' <<<'z;x'
run 0 hortus count c -e x
printed "one less" $'1\tx'
run 0 hortus count --top 1 -f 2 -d '\t' <<<$'a\tx\nb\tx\nc\ty'
printed "most frequent field" $'2\tx'

section "a line without the field has no key: it is never in, never lost, and told"
printf 'a 1\nb\nc 1\nd\ne 2\n' >short
run 0 hortus uniq -f 2 short
printed "uniq prints it" $'a 1\nb\nd\ne 2'
said '^hortus: warning: 2 of 5 lines have no field 2, and so no key$'
run 0 hortus build bloom -n 100 -o f -f 2 short
said '2 of 5 lines have no field 2'
equal "keys" 3 "$(hortus info --json f | python3 -c 'import json, sys; print(json.load(sys.stdin)["items_inserted"])')"
run 0 hortus query -v f -f 2 short
printed "query -v prints it" $'b\nd'
run 1 hortus query f -e b -e d
hortus build bloom -o planned -f 2 short 2>/dev/null
json 'd["items_planned"] == 2' <(hortus info --json planned)  # files are counted by distinct fields

section "CSV: by number and by name, quotes, doubled quotes, CR LF, a byte-order mark"
printf '\xef\xbb\xbfid,"the, name",city\r\n1,Ada,London\r\n2,"Grace ""Amazing"" Hopper",New York\r\n3,"Ada",Paris\r\n' >people.csv
run 0 hortus uniq --csv 'the, name' people.csv
printed "header and first records" $'id,"the, name",city\r\n1,Ada,London\r\n2,"Grace ""Amazing"" Hopper",New York\r'
cp "$out" by_name
run 0 hortus uniq --csv 2 people.csv
same_bytes by_name "$out"
done_quietly hortus build bloom -n 100 -o f --csv 2 people.csv
run 0 hortus query f -e 'Grace "Amazing" Hopper' -e Ada
printed "values without quotes" $'Grace "Amazing" Hopper\nAda'
run 1 hortus query f -e 'the, name' -e '"Ada"'
run 0 hortus query --csv city -c f - <<<$'a,city\nx,Ada\ny,Bob'
printed "another column of another file" 1
done_quietly hortus build bloom -n 100 -o f --csv city people.csv
run 0 hortus query f -e London -e Paris
printed "the last column is without CR" $'London\nParis'
run 0 hortus uniq --csv 1 --no-header -d ';' <<<$'x;1\nx;2\ny;3'
printed "no header, another delimiter" $'x;1\ny;3'
run 0 hortus uniq --csv id people.csv people.csv
equal "one header of two files" 1 "$(grep -c '^id' "$out")"
equal "records" 4 "$(wc -l <"$out")"
refused "'people.csv' has no column 'town'; there are 3: id, the, name, city" hortus uniq --csv town people.csv
refused "'people.csv' has no column '4'" hortus uniq --csv 4 people.csv
printf 'a,b\n1,"open\n2",x\n' >open.csv
refused "line 2 of 'open.csv': ends inside a quoted value" hortus build bloom -n 10 -o none --csv b open.csv
[ ! -e none ] || fail "no file may be written"

section "--ignore-case folds ASCII letters and nothing else"
done_quietly hortus build bloom -n 100 -o f -i <<<$'Ada\nZ[\xc3\x84'
run 0 hortus query -i f <<<$'ADA\nada\nz[\xc3\x84\nz{\xc3\x84\nz[\xc3\xa4'
printed "the line as it was" $'ADA\nada\nz[\xc3\x84'
run 0 hortus uniq -i -f 2 <<<$'1 A\n2 a\n3 b'
printed "of a field" $'1 A\n3 b'

section "keys of the command line: repeated, with any first byte, before an input"
done_quietly hortus build bloom -n 100 -o f -e '[a,b]' -e '{x}' -e 'two words' -e -dash
run 0 hortus query f -e '[a,b]' -e '{x}' -e 'two words' -e -dash -e a -e b
printed "as they are" $'[a,b]\n{x}\ntwo words\n-dash'
for lists in '[a]' '[[aabb]]' '[[a,b],[c]]' '[]' '[' ']'; do
  done_quietly hortus build bloom -n 100 -o g -e "$lists"
  for spelt in "-e $lists" "-e$lists" "--key $lists" "--key=$lists"; do
    run 0 hortus query -c g $spelt -e a -e b -e ab
    printed "$spelt is one key" 1
    run 0 hortus query g $spelt
    printed "and this one" "$lists"
  done
done
seq 9 >'[a,b]'
run 0 hortus query -c f -e '{x}' '[a,b]' - <<<'two words'
printed "such a file is a file" 2
refused "not expected: \[a,b\]; see hortus list --help" hortus list bloom '[a,b]'
run 0 hortus query f -e '{x}' - <<<'two words'
printed "then the input" $'{x}\ntwo words'
run 0 hortus query f -e '{x}' </dev/null
refused "cannot read 'ada': No such file or directory \(a key on the command line is -e 'ada'\)" hortus query f ada
done_quietly hortus build bloom -o g -e a -e b
json 'd["items_inserted"] == 2 and d["items_planned"] == 2' <(hortus info --json g)

section "--integers: numbers as programs insert them, not their text"
seq 1000 >numbers
done_quietly hortus build blocked -n 2000 --integers -o ints numbers
json 'd["key_kind"] == "integers"' <(hortus info --json ints)
equal "all are found" 1000 "$(hortus query --integers -c ints numbers)"
run 0 hortus query --integers ints -e 0007 -e 7
printed "by value" $'0007\n7'
refused "'ints' was filled with integers, not with text: --integers" hortus query ints numbers
refused "'f' was filled with text, not with integers: leave --integers away" hortus query --integers f numbers
refused "line 2 of standard input: '1.5' is no integer from -2\^63 to 2\^64-1" hortus query --integers -c ints <<<$'1\n1.5'
refused "-e: '18446744073709551616' is no integer" hortus query --integers ints -e 18446744073709551616
run 0 hortus build bloom -n 10 --integers -o signed -e -1
run 0 hortus query --integers signed -e 18446744073709551615 -e -1
printed "-1 is 2^64-1, as a 64-bit hash key" $'18446744073709551615\n-1'
done_quietly hortus add --integers ints <<<2000
done_quietly hortus build counting -n 10 --integers -o few <<<$'5\n5'
done_quietly hortus remove --integers few -e 5
run 0 hortus count --integers few -e 5
printed "counted" $'1\t5'

section "options that would have no effect are refused"
refused '--field and --csv exclude each other' hortus uniq --field 1 --csv 1 log
refused '-e gives the key itself' hortus query f --field 2 -e ada
refused '--delimiter goes with --field or --csv' hortus uniq -d , log
refused '--no-header goes with --csv' hortus uniq --no-header log
refused 'without a header a column has a number only' hortus uniq --no-header --csv name log
refused 'more than one byte' hortus uniq -f 1 -d '::' log
refused "--field '0' is too small" hortus uniq -f 0 log
refused "--field '1,2' is not the number of one field" hortus uniq -f 1,2 log
refused '--csv 0: columns count from 1' hortus uniq --csv 0 log
refused 'integers have no case' hortus uniq -i --integers log

section "line ends of another system are noticed, once"
printf 'a\r\nb\r\n' >dos
run 0 hortus build bloom -n 10 -o f dos dos
said "^hortus: warning: the lines of 'dos' end with CR LF, and the CR is now part of each key: --crlf leaves it out$"
done_quietly hortus build bloom -n 10 -o f --crlf dos
printf '\xef\xbb\xbfa\nb\n' >marked
run 0 hortus build bloom -n 10 -o g marked
said "'marked' starts with a byte-order mark, which is now part of its first key: --crlf leaves it out"
done_quietly hortus build bloom -n 10 -o g --crlf marked
run 0 hortus query g -e a
