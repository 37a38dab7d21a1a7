#!/usr/bin/env bash
# hortus remove: takes inserts back, in place, atomically, one at a time.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 1000 >first
seq 1001 2000 >second
seq 2000 >both
seq 5001 6000 >others
rate=1e-9 # so low that no other key is found by chance: 3000 * 1e-9

some=$(families insert may_contain erase count) # with_removals has a test of its own
for family in $some; do
  section "$family: what is removed is gone, the rest stays"
  hortus build $family -o f -n 2000 -p $rate both
  run 0 hortus remove --verbose f second
  [ ! -s "$out" ] || fail "expected nothing on standard output" "$(cat "$out")"
  said '^hortus: removed 1000 of 1000 keys; 0 were certainly absent$'
  equal "the rest" 1000 "$(count f first)"
  equal "gone" 0 "$(count f second)"
  run 0 hortus remove --verbose f <first
  said '^hortus: removed 1000 of 1000 keys; 0 were certainly absent$'
  equal "nothing left" 0 "$(count f both)"
  hortus info --json f >about.json
  json 'd["items_inserted"] == 2000 and d["items_planned"] == 2000 and d["fpr_estimate"] == 0' about.json
  run 0 hortus verify f

  section "$family: what is certainly absent is counted, and changes nothing"
  hortus build $family -o f -n 2000 -p $rate first
  cp f before
  run 0 hortus remove --verbose f others
  said '^hortus: removed 0 of 1000 keys; 1000 were certainly absent$'
  same_bytes before f
  run 0 hortus remove --verbose f others second
  said '^hortus: removed 0 of 2000 keys; 2000 were certainly absent$'
  same_bytes before f
  run 0 hortus remove --verbose f /dev/null
  said '^hortus: removed 0 of 0 keys; 0 were certainly absent$'
  same_bytes before f

  section "$family: a line takes one insert back"
  printf 'a\nb\nb\n' | hortus build $family -o f -n 100 -p $rate
  printf 'b\n' | hortus remove f 2>/dev/null
  equal "one b is left" 2 "$(printf 'a\nb\n' | count f)"
  run 0 hortus remove f <<<'b'
  equal "no b is left" 1 "$(printf 'a\nb\n' | count f)"
  run 0 hortus remove f <<<'b'
  said '^hortus: 1 of 1 keys were certainly absent$'
  equal "an a is left" 1 "$(printf 'a\nb\n' | count f)"
done

section "without --verbose only what is not as expected is said"
hortus build counting -o f -n 2000 -p $rate first
done_quietly hortus remove f <(head -n 5 first)
run 0 hortus remove f others <(sed -n 6,7p first)
said '^hortus: 1000 of 1002 keys were certainly absent$'
hortus build counting -n 1000 -o f <(times 20 k) 2>/dev/null
run 0 hortus remove f <(times 20 k)
said '^hortus: warning: 20 of 20 keys stay, for their counters stand at their maximum for good$'

section "--json tells how many, and describes the filter"
hortus build counting -o f -n 2000 -p $rate first
run 0 hortus remove --json f second <(head -n 10 first)
cp "$out" removed.json
json 'd["keys_removed"] == 10 and d["keys_certainly_absent"] == 1000 and d["family"] == "counting"' \
  'd["items_inserted"] == 1000 and "erase" in d["verbs"]' removed.json

section "a key whose counters have stuck is not removed, and that is said"
times 20 k >often
run 0 hortus build counting -n 1000 -o f often
said '^hortus: warning: 7 counters stand at their maximum for good: their counts may be too low, and keys that are removed stay found; rebuild with larger ones \(--set cell_bits=8\)$'
run 0 hortus remove --verbose f often
said '^hortus: removed 0 of 20 keys; 0 were certainly absent; 20 stay, for their counters stand at their maximum for good$'
equal "still there" "$(printf '15\tk')" "$(echo k | hortus count f)"
hortus add f <(seq 100) 2>"$err"
said 'counters stand at their maximum for good'
run 0 hortus remove --json f <(printf 'k\n5\nnobody\n')
cp "$out" removed.json
json 'd["keys_removed"] == 1 and d["keys_certainly_absent"] == 1 and d["keys_stuck"] == 1' removed.json
times 14 k | hortus build counting -n 1000 -o f
run 0 hortus remove --verbose f < <(times 14 k)
said '^hortus: removed 14 of 14 keys; 0 were certainly absent$'
equal "gone" "$(printf '0\tk')" "$(echo k | hortus count f)"
run 0 hortus build d_left -n 1000 -o f < <(times 10 k; seq 5)
said '^hortus: warning: 1 counter stands at its maximum for good: its counts may be too low, and keys that are removed stay found; blocked_counting counts further$'
hortus info --json f >about.json
json 'd["advice"].startswith("1 counter stands at its maximum for good")' about.json
for _ in 1 2 3 4 5; do
  run 0 hortus remove --verbose f <<<k
  said '^hortus: removed 0 of 1 keys; 0 were certainly absent; 1 stay, for their counters stand at their maximum for good$'
done
run 0 hortus remove --verbose f < <(seq 5)
said '^hortus: removed 5 of 5 keys; 0 were certainly absent$'
rm often

section "key options are those of add"
printf 'x\ny\np\nq\n' | hortus build counting -o f -n 100 -p $rate
printf 'x\r\n' | hortus remove --crlf f 2>/dev/null
printf 'p\0q' | hortus remove -0 f 2>/dev/null
equal "y is left" 1 "$(printf 'x\ny\np\nq\n' | count f)"
head -c 16 /dev/zero >secret
hortus build counting -o f -n 100 --key-file secret first 2>/dev/null
refused "secret key; --key-file" hortus remove f first
run 0 hortus remove --key-file secret f first
theirs=$HORTUS_SOURCE_DIR/tests/golden/v1/counting/integers.hortus
if [ -e "$theirs" ]; then
  cp "$theirs" theirs
  refused "was filled with integers, not with text" hortus remove theirs first
  rm theirs
else
  skip "there is no golden file of integers"
fi

section "a family that cannot, says which can"
hortus build bloom -o f -n 2000 first
cp f before
refused "'f': a bloom filter has no erase; families that have it: .*counting" hortus remove f second
refused "'f': a bloom filter has no erase" hortus remove f nosuch # before any input is looked for
same_bytes before f

section "permissions and links stay; the link's target is changed"
hortus build counting -o f -n 2000 -p $rate both
chmod 640 f
ln -s f link
hortus remove link second 2>/dev/null
[ -L link ] || fail "the link was replaced"
equal "permissions" 640 "$(stat -c %a f)"
equal "gone" 0 "$(count f second)"
rm link

section "errors leave the file as it was"
cp f before
refused 'No such file' hortus remove f nosuch
refused 'No such file' hortus remove f first nosuch
refused 'Is a directory' hortus remove f .
refused 'No such file' hortus remove nosuch second
refused 'not a hortus file' hortus remove first second
refused 'FILE' hortus remove
same_bytes before f
damage f -1
refused 'f' hortus remove f second
cp before f

section "remove and add wait for each other, and nothing is lost"
mkfifo slow
hortus remove f slow 2>/dev/null &
one=$!
exec 3>slow # returns when the first reads, and by then it has the lock
hortus add f second 3>&- &
two=$!
sleep 0.5
kill -0 $two 2>/dev/null || fail "add did not wait for remove"
same_bytes before f
cat first >&3
exec 3>&-
wait $one && wait $two || fail "remove or add failed"
equal "removed" 0 "$(count f first)"
equal "added" 1000 "$(count f second)"
rm slow
no_debris about.json before both f first others removed.json second secret
