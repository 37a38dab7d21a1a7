#!/usr/bin/env bash
# The habits of grep, sort and anew: quiet, limits, file names, several files, standard input and output, files made on the way.
set -euo pipefail
. "$(dirname "$0")/check.sh"

printed() { equal "$1" "$2" "$(cat "$out")"; }

section "sizes as people write them"
done_quietly hortus build bloom -n 1_000 --memory 200kB -o f -e a
for size in 200KB 200_000B 200000 200k; do
  done_quietly hortus build bloom -n 1K --memory $size -o g -e a
  same_bytes f g
done
done_quietly hortus build bloom -n 1000 --memory 64KiB -o f -e a
done_quietly hortus build bloom -n 1000 --memory 64Ki -o g -e a
same_bytes f g
refused "--memory '64KiBB' is not a size" hortus build bloom -n 1K --memory 64KiBB -o g -e a
refused "-n '10B' is not a count" hortus build bloom -n 10B -o g -e a
refused "-n '1__0' is not a count" hortus build bloom -n 1__0 -o g -e a
refused "-n '_10' is not a count" hortus build bloom -n _10 -o g -e a

section "query: -q, -m, -H, --line-number, --json"
seq 100 >members
seq 50 150 >asked
done_quietly hortus build blocked -n 1000 -p 1e-9 -o f members
done_quietly hortus query -q f asked
run 1 hortus query -q f -e 1000
[ ! -s "$out" ] || fail "-q prints nothing"
(cat asked; sleep 20) | timeout 10 "$HORTUS" query -q f || fail "-q ends at the first line that is selected"
run 0 hortus query -m 3 f asked
printed "three lines" $'50\n51\n52'
run 0 hortus query -m 3 -v f asked
printed "three others" $'101\n102\n103'
run 0 hortus query -c -m 7 f asked
printed "a count ends there too" 7
run 0 hortus query -H --line-number -m 2 f asked
printed "places" $'asked:1:50\nasked:2:51'
run 0 hortus query -Hn f - <<<$'x\n7'
printed "standard input" '(standard input):2:7'
seq 2000 >many
run 0 hortus query -n -v -m 1 f many
printed "line numbers go on from block to block" '101:101'
run 0 hortus query -nH f -v -m 2 members many
printed "and start anew in each input" $'many:101:101\nmany:102:102'
run 0 hortus query --json -m 2 f --field 2 <<<$'a 50\nb 51'
json 'd == [{"line": "a 50", "key": "50", "file": "-", "line_number": 1}, {"line": "b 51", "key": "51", "file": "-", "line_number": 2}]' "$out"
run 1 hortus query --json f -e none
json 'd == []' "$out"
run 0 hortus query --json -c f asked
json 'd == {"asked": 101, "selected": 51}' "$out"
run 0 hortus uniq --json <<<$'a\nb\na'
json '[(row["line"], row["key"]) for row in d] == [("a", "a"), ("b", "b")]' "$out"
run 0 hortus uniq --json -f 2 <<<'a'
json 'd[0]["key"] is None' "$out"
refused '-q prints nothing' hortus query -q -c f asked
refused 'are about printed lines' hortus query -c -H f asked
refused "-m '0' is too small" hortus query -m 0 f asked

section "info and verify of several files; merge of one"
done_quietly hortus build bloom -n 10 -o a -e 1
done_quietly hortus build bloom -n 10 -o b -e 2
run 0 hortus verify a b
equal "lines" 2 "$(grep -c ': ok, a bloom filter' "$out")"
run 0 hortus info --json a
json 'd["family"] == "bloom"' "$out"
run 0 hortus info --json a b
json '[x["items_inserted"] for x in d] == [1, 1]' "$out"
cp a broken
damage broken -5
run 2 hortus verify a broken b
equal "the others are looked at" 2 "$(grep -c ok "$out")"
grep -q broken "$err" || fail "the broken one is named"
run 2 hortus verify --json a broken b
json '[x["ok"] for x in d] == [True, False, True]' "$out"
run 2 hortus info a broken
done_quietly hortus merge -o one a
equal "found" 1 "$(count one -e 1)"
refused 'build all of them with the same family, -n, -p, --set and --seed' hortus merge -o none a f

section "intersect: the keys of both"
seq 1 600 >low
seq 400 1000 >high
done_quietly hortus build bloom -n 1000 -p 1e-6 -o low.h low
done_quietly hortus build bloom -n 1000 -p 1e-6 -o high.h high
done_quietly hortus intersect -o both.h low.h high.h
equal "common keys" 201 "$(count both.h <(seq 400 600))"
python3 -c "import sys; sys.exit(not int(sys.argv[1]) < 10)" "$(count both.h <(seq 1 399))" || fail "the others are gone"
done_quietly hortus build counting -n 10 -o few -e a
refused "'few': a counting filter has no intersect; families that have it: bloom" hortus intersect -o none few few

section "- is standard input and output"
hortus build bloom -n 1000 -o - members >piped
hortus build bloom -n 1000 -o named members
same_bytes named piped
run 0 hortus query - -e 5 <named
printed "a filter on standard input" 5
hortus merge -o - - <named | cmp - named || fail "merge from and to a pipe"
run 0 hortus info - <named
run 0 hortus verify - <named
refused "at once" hortus query - - <named
refused '-o - and --json exclude each other' hortus build bloom -n 10 -o - --json members
head -c 16 /dev/urandom >secret
done_quietly hortus build bloom -n 1000 --key-file - -o keyed members <secret
run 0 hortus query keyed --key-file secret -e 5
refused 'standard input cannot be the secret key and the keys at once' hortus query keyed --key-file - <secret
printf '00112233445566778899aabbccddeeff\r\n' >dos_key
done_quietly hortus build bloom -n 10 --key-file dos_key -o keyed -e a
refused "name a file" hortus add - members
done_quietly hortus add --create -n 1000 --key-file - keyed_new members <secret
run 0 hortus query keyed_new --key-file secret -e 5
run 0 hortus uniq --state keyed_state --memory 64Ki --key-file <(cat secret) members
run 0 hortus uniq --state keyed_state --key-file secret members
[ ! -s "$out" ] || fail "all are known under the same key"

section "a file that is no filter is not replaced"
echo notes >notes.txt
refused "'notes.txt' is there and is no filter, so it is not replaced; --force replaces it" hortus build bloom -n 10 -o notes.txt -e a
equal "still there" notes "$(cat notes.txt)"
done_quietly hortus build bloom -n 10 --force -o notes.txt -e a
done_quietly hortus build bloom -n 10 -o notes.txt -e b
: >empty
done_quietly hortus build bloom -n 10 -o empty -e a
echo text >text
refused 'is no filter' hortus merge -o text a b
refused 'is no filter' hortus fold -o text --by 2 f

section "add --create makes the filter that build makes"
done_quietly hortus build bloom -n 1000 -p 0.1% -o built members
done_quietly hortus add --create -n 1000 -p 0.1% made members
same_bytes built made
done_quietly hortus build counting -p 0.1% -o built members
done_quietly hortus add --create --family counting -p 0.1% made2 members
same_bytes built made2
seq 101 200 >more
done_quietly hortus add --create -n 1000 -p 0.1% made more
equal "both days" 200 "$(count made <(seq 200))"
run 0 hortus add --create --family counting -n 5000 -p 0.1% made more
said "^hortus: warning: 'made' is there, a bloom filter for 1000 keys at 0.1 %: --family, -n are not used$"
cat members | hortus add --create piped2
equal "a pipe" 100 "$(count piped2 members)"
refused "-n, -p are about a filter that is made: only with --create" hortus add -n 5 -p 1% made more
refused "cannot (read|open)|No such file" hortus add missing more
done_quietly hortus add --create --need remove -n 1000 removable members
done_quietly hortus remove removable members
done_quietly hortus add --create --window 1h -n 1000 timed_new members
refused "there is no family 'members'; .*or auto, which chooses one" hortus build -o none members
for i in 1 2 3 4 5 6; do "$HORTUS" add --create -n 10k together <(seq $((i * 1000)) $((i * 1000 + 999))) & done
wait
equal "none of six commands lost a key" 6000 "$(count together <(seq 1000 6999))"
# One that waits for the folder, and that another one overtakes, notices that there is a filter now.
exec 4<.
flock 4
"$HORTUS" add --create -n 10k overtaken <(seq 1000) 2>waiting 4>&- &
waiting=$!
for _ in {1..200}; do
  ! grep -q 'waiting for' waiting || break
  sleep 0.1
done
grep -q 'waiting for' waiting || fail "add --create does not wait for another one"
kill -STOP $waiting
flock -u 4
done_quietly hortus add --create -n 10k overtaken <(seq 1001 2000)
kill -CONT $waiting
wait $waiting
equal "none of two commands lost a key" 2000 "$(count overtaken <(seq 2000))"

section "add --print-new prints what was not there, and remembers it: anew"
run 0 hortus add --create -n 1000 --print-new anew.h <<<$'a\nb\na'
printed "the first time" $'a\nb'
run 0 hortus add --print-new anew.h <<<$'b\nc\na'
printed "the second time" c
for family in counting d_left count_min blocked_counting scalable active_active; do
  rm -f new.h
  run 0 hortus add --create --family $family -n 1000 -p 1e-4 --print-new new.h <<<$'x\ny\nx'
  printed "$family" $'x\ny'
  run 0 hortus add --print-new new.h <<<$'y\nz'
  printed "$family again" z
done
refused '--print-new needs -n' hortus add --create --print-new none members
run 0 hortus add --create --family scalable --print-new grown.h members
same_bytes members "$out"

section "add --if-new counts no key twice, so that one remove takes it out"
for family in counting d_left blocked_counting; do
  done_quietly hortus build $family -n 1000 -p 1e-4 -o c members
  done_quietly hortus add --if-new c members
  done_quietly hortus add --if-new c <<<$'new\nnew'
  run 0 hortus count c -e 7 -e new
  printed "$family" $'1\t7\n1\tnew'
  done_quietly hortus remove c members
  equal "$family: all gone" 0 "$(count c members)"
done

section "uniq --state remembers from run to run"
run 0 hortus uniq --state seen.h --memory 1Mi <<<$'a\nb\na'
printed "first run" $'a\nb'
run 0 hortus uniq --state seen.h --memory 1Mi <<<$'b\nc'
printed "second run, the same command" c
run 0 hortus uniq --state seen.h <<<$'a\nd'
printed "and without the options" d
refused "'seen.h' was made with another --window, --memory or -p" hortus uniq --state seen.h --memory 2Mi <<<x
run 0 hortus uniq --state timed.h --window 1h --memory 1Mi <<<$'a\na'
printed "by time" a
run 1 hortus query timed.h -e b
run 0 hortus query timed.h -e a
run 0 hortus uniq --state made <<<$'1\nnever'
printed "any filter that tells new keys" never
hortus build count_min -n 10 -o sketch -e a
refused "'sketch': a count_min sketch has no insert_if_new" hortus uniq --state sketch <<<x
refused '--checkpoint saves the --state' hortus uniq --checkpoint 1s <<<x
seq 20000 >large
for i in 1 2 3 4; do "$HORTUS" uniq --state shared.h --memory 1Mi large >part.$i & done
wait
equal "each line once among four" 20000 "$(cat part.* | wc -l)"

section "--checkpoint saves while keys come, and while none come"
done_quietly hortus build bloom -n 1000 -o live -e first
mkfifo keys
"$HORTUS" add --checkpoint 100ms live keys &
adder=$!
exec 9>keys
echo early >&9
for ((i = 0; i < 100; ++i)); do
  if hortus query -q live -e early; then break; fi
  sleep 0.1
done
hortus query -q live -e early || fail "the key is saved while the input is open"
refused "another command is still changing 'live'" hortus add --lock-timeout 200ms live -e another
kill -9 $adder
wait $adder 2>/dev/null || :
exec 9>&-
hortus query -q live -e early -e first || fail "and is still there after a kill"
run 0 hortus verify live
refused "--checkpoint '1ms' is too short" hortus add --checkpoint 1ms live members

section "summaries only with --verbose, on standard error"
run 0 hortus build bloom -n 1000 --verbose -o v members
said '^hortus: v: a bloom filter of 1.2 KiB, about 1[0-9]{2} keys, [0-9.e-]+ % false positives$|^hortus: v: a bloom filter of 1.2 KiB, about 9[0-9] keys'
run 0 hortus add --verbose v members
grep -q '^hortus: added 100 of 100 keys$' "$err" || fail "added" "$(cat "$err")"
done_quietly hortus fold -o small --by 2 v
run 0 hortus fold --verbose -o small --by 2 v
said '^hortus: folded by 2: '

section "build auto makes what plan recommends"
recommended() { # the family that plan names first, or the faster one beside it
  hortus plan --json "$@" | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["faster"]["family"] if d.get("faster") else d["candidates"][0]["family"])'
}
made() { hortus info --json "$1" | sed -n 's/^  "family": "\(.*\)",$/\1/p'; }
seq 20000 >many
done_quietly hortus build auto -o chosen many
equal "by default" "$(recommended -n 20000 --need insert)" "$(made chosen)"
cat many | hortus build auto -o piped_choice
same_bytes chosen piped_choice
done_quietly hortus build auto -n 20000 -o told many
same_bytes chosen told
done_quietly hortus build auto --need remove,count -p 0.1% -o chosen many
equal "with removal" "$(recommended -n 20000 -p 0.1% --need remove,count)" "$(made chosen)"
done_quietly hortus remove chosen many
done_quietly hortus build auto --memory 30k -o chosen many
equal "in a space" "$(recommended -n 20000 --memory 30k --need insert)" "$(made chosen)"
done_quietly hortus add --create --family auto --need merge -n 1000 auto_added members
run 0 hortus verify auto_added
refused '--need chooses among families: it goes with auto, not with bloom' hortus build bloom --need merge -o none many
refused '--set is about one family' hortus build auto --set probes=3 -o none many
refused "no family can do that; hortus plan" hortus build auto --need merge,top,fold -o none many
