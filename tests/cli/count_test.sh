#!/usr/bin/env bash
# hortus count FILE: COUNT<TAB>KEY. Building from lines that repeat. (The most frequent keys: top_test.sh.)
set -euo pipefail
. "$(dirname "$0")/check.sh"
tab=$'\t'
printf '%s\n' a b b c c c >lines
for i in $(seq 20); do echo x; done >>lines
seq 1000 >keys
seq 5001 6000 >others
rate=1e-9 # so low that no count is wrong by chance
rate_of() { [ "$1" = space_saving ] && echo 1e-4 || echo $rate; } # there it is no chance, but the number of counters: 10 000

some=$(families insert count)
for family in $some; do
  section "$family: an integer, a tab and the line, for every line in turn"
  hortus build $family -o f -n 2000 -p $(rate_of $family) keys lines
  run 0 hortus count f keys
  [ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
  cut -f 2 "$out" | cmp - keys || fail "the lines, in their order"
  ! grep -Evq "^-?[0-9]+$tab" "$out" || fail "COUNT<TAB>KEY" "$(head "$out")"
  equal "each was there once" 1000 "$(grep -c "^1$tab" "$out")"
  run 0 hortus count f others
  equal "nobody else was" 1000 "$(grep -c "^0$tab" "$out")"
  printf 'c\nb\nzz\nc\na\n' | hortus count f >"$out"
  [ $family = d_left ] || printf '3\tc\n2\tb\n0\tzz\n3\tc\n1\ta\n' | cmp - "$out" || fail "counts" "$(cat "$out")"
done

section "saturated counters say their maximum"
hortus build counting -o f -n 100 -p $rate lines
equal "counting" "15${tab}x" "$(hortus count f <<<x)"
hortus build count_min -o f -n 100 -p $rate lines
equal "count_min" "20${tab}x" "$(hortus count f <<<x)"

section "keys are bytes"
printf 'tab\there\n\nlast' | hortus build count_min -o f -n 100 -p $rate
printf 'tab\there\n\nlast\n' | hortus count f >"$out"
printf '1\ttab\there\n1\t\n1\tlast\n' | cmp - "$out" || fail "a tab, an empty line" "$(cat "$out")"
printf 'last\0\0' | hortus count -0 f >"$out"
printf '1\tlast\0001\t\0' | cmp - "$out" || fail "with NUL"
printf 'last\r\n' | hortus count --crlf f >"$out"
printf '1\tlast\n' | cmp - "$out" || fail "with CR"

section "--json"
printf 'last\nzz\n\xff\n' | hortus count --json f >counts.json
json 'd == [{"key": "last", "count": 1}, {"key": "zz", "count": 0}, {"key": "\ufffd", "count": 0}]' counts.json
hortus count --json f /dev/null >counts.json
json 'd == []' counts.json

section "answers come as the questions do"
mkfifo questions answers
hortus count f questions >answers &
asker=$!
exec 3<>questions
exec 4<answers
for line in last nobody; do
  echo $line >&3
  read -r -t 20 answer <&4 || fail "no answer to $line while the pipe is open"
  case $answer in "1${tab}last" | "0${tab}nobody") ;; *) fail "answer to $line" "$answer" ;; esac
done
exec 3>&-
wait $asker || fail "count of a pipe: status $?"
exec 4<&-
rm questions answers

section "who cannot count says who can; who cannot tell members says what to use"
hortus build bloom -o b keys
refused "'b': a bloom filter has no count; families that have it: .*count_min" hortus count b keys
refused "'f': a count_min sketch tells how often, not whether: hortus count asks it" hortus query f keys
refused "'f': a count_min sketch tells how often" hortus query -c f nosuch
refused "'f': a count_min sketch has no fold; families that have it: .*bloom" hortus fold -o none --by 2 f
refused 'count needs a FILE' hortus count
refused 'not a hortus file' hortus count keys keys
refused 'No such file' hortus count f nosuch
refused 'memory goes with --top' hortus count f --memory 1M keys
head -c 16 /dev/zero >secret
hortus build count_min -o s --key-file secret keys
refused "secret key; --key-file" hortus count s keys
hortus count --key-file secret s keys | cut -f 2 | cmp - keys || fail "with the key"

section "a sketch has info, verify and merge like others"
hortus info --json f >about.json
json 'd["family"] == "count_min" and d["fpr_estimate"] is None and d["items_inserted"] == 3 and d["fpr_planned"] == 1e-9' about.json
hortus info f >/dev/null
run 0 hortus verify f
grep -q '^f: ok, a count_min sketch of ' "$out" || fail "verify" "$(cat "$out")"
some=$(families insert count merge)
for family in $some; do
  hortus build $family -o one -n 100 -p $(rate_of $family) <(printf 'a\nb\n')
  hortus build $family -o two -n 100 -p $(rate_of $family) <(printf 'b\nc\n')
  done_quietly hortus merge -o sum one two
  equal "$family: merged counts" "1 2 1" "$(printf 'a\nb\nc\n' | hortus count sum | cut -f 1 | xargs)"
done

section "a family that counts is planned for distinct lines; files, pipes and redirected files agree"
for family in counting count_min; do
  hortus build $family -o f lines keys keys 2>/dev/null # counters of 4 bits stick
  hortus info --json f >about.json
  json 'd["items_planned"] == 1004 and d["items_inserted"] == 2026' about.json
  cat lines keys keys >all
  hortus build $family -o g < <(cat all) 2>/dev/null
  same_bytes f g
  hortus build $family -o g <all 2>/dev/null
  same_bytes f g
  hortus build $family -o g -n 1004 all 2>/dev/null
  same_bytes f g
  run 0 hortus build $family -o g <(yes | head -n 10000)
  if [ $family = counting ]; then # 4 bits a counter
    said 'warning: [0-9]+ counters? stands? at (its|their) maximum for good: (its|their) counts may be too low'
  else
    [ ! -s "$err" ] || fail "nothing to warn of" "$(cat "$err")"
  fi
  hortus info --json g >about.json
  json 'd["items_planned"] == 1 and d["items_inserted"] == 10000' about.json
done

section "counts go to 2^64 - 1, and stick there"
hortus build spectral_selection -n 100 -o twice <<<a
for ((i = 0; i < 63; ++i)); do hortus merge -o twice twice twice; done
equal "2^63" "$(printf '9223372036854775808\ta')" "$(echo a | hortus count twice)"
equal "2^63" '[{"key": "a", "count": 9223372036854775808}]' "$(echo a | hortus count --json twice | tr -d '\n' | sed 's/"key":/"key": /; s/,"count":/, "count": /; s/\[  /[/')"
run 0 hortus merge -o twice twice twice
said 'warning: [0-9]+ counters stand at their maximum for good'
equal "2^64 - 1" "$(printf '18446744073709551615\ta')" "$(echo a | hortus count twice)"
run 0 hortus remove --verbose twice <<<a
said '^hortus: removed 0 of 1 keys; 0 were certainly absent; 1 stay, for their counters stand at their maximum for good$'
hortus build fast_ams -n 100 -o minus /dev/null
hortus remove minus <<<a 2>/dev/null
equal "negative" "$(printf -- '-1\ta')" "$(echo a | hortus count minus)"
rm twice minus

section "plan --need erase, count"
hortus plan -n 1M -p 1% --need count --json >plan.json
json '{"counting", "count_min"} <= {c["family"] for c in d["candidates"]}' \
  '{"family": "bloom", "reason": "it lacks count"} in d["rejected"]' \
  '(lambda sizes: sizes == sorted(sizes))([c["size_bytes"] for c in d["candidates"] if "all keys at once" not in c["why"]])' \
  'all("not whether" in c["why"] for c in d["candidates"] if c["family"] == "count_min")' plan.json
hortus plan -n 1M -p 1% --need erase,may_contain --json >plan.json
json '"counting" in {c["family"] for c in d["candidates"]} and "count_min" not in {c["family"] for c in d["candidates"]}' plan.json
hortus plan -n 1M -p 1% --json >plan.json
json '"bloom" == d["candidates"][0]["family"]' plan.json
hortus plan -n 1M -p 1% --need count >/dev/null
