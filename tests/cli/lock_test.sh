#!/usr/bin/env bash
# Commands that change a filter wait for each other: no key is lost, a wait is reported, and --lock-timeout limits it.
set -euo pipefail
. "$(dirname "$0")/check.sh"
build() { hortus build bloom -n 100000 -o "$@"; }
build total /dev/null
for d in 1 2 3 4; do build d$d <(seq ${d}000001 ${d}010000); done
cp total empty

# all_in DAY...: all keys of these days are in total.
all_in() { for d in "$@"; do equal "keys of day $d" 10000 "$(seq ${d}000001 ${d}010000 | count total)"; done; }
# together COMMAND...: runs all at the same time; each must succeed.
together() {
  local pids=() command
  for command in "$@"; do
    hortus $command 2>>messages &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || fail "one of these failed: $*" "$(cat messages)"; done
}

section "merges onto one file, and add beside merge, fold and remove: nothing is lost"
ln -s total link
ln total twin # another name of the file as it is now
seq 5000001 5010000 >day5
for _ in 1 2 3 4 5; do
  cp empty fresh && mv fresh total
  together 'merge -o total total d1' 'merge -o total d2 total' 'merge -o total total d3 total' 'merge -o link d4 link' 'add total day5'
  all_in 1 2 3 4 5
done
hortus build counting -n 100000 -o counts day5
for _ in 1 2 3 4 5; do
  cp counts c
  together 'add c day5' 'remove c day5' 'fold -o c --by 2 --json c' >/dev/null
  equal "found" 10000 "$(count c day5)"
done

section "no two wait for each other in a circle, and naming a file twice does not wait for itself"
for _ in 1 2 3 4 5; do
  timeout 60 "$HORTUS" merge -o d1 d1 d2 &
  one=$!
  timeout 60 "$HORTUS" merge -o d2 d2 d1 || fail "merges that cross"
  wait $one || fail "merges that cross"
done
run 0 timeout 60 "$HORTUS" merge -o d3 d3 d3 ./d3
run 0 timeout 60 "$HORTUS" fold -o d3 --by 2 ./d3

# held FILE COMMAND...: while an add holds the lock of FILE.
held() {
  local file=$1 status=0
  shift
  mkfifo slow
  hortus add "$file" slow &
  holder=$!
  exec 3>slow # returns when the add reads, and by then it has the lock
  "$@" 3>&- || status=$?
  exec 3>&-
  wait $holder || fail "the add that held the lock"
  rm slow
  return $status
}

section "a reader, and a merge onto another file, wait for nobody"
held total done_quietly timeout 20 "$HORTUS" merge -o other total d4
held total run 0 timeout 20 "$HORTUS" query -c total day5
held total done_quietly timeout 20 "$HORTUS" build bloom -n 100000 -o total day5
build total /dev/null

section "--lock-timeout: an error in one line, and the file is as it was"
cp total before
cp total later && hortus add later day5 && hortus pack -o change --since total later
for command in 'add total day5' 'merge -o total total d1' 'fold -o link --by 2 total' 'merge -o link d1 total' 'unpack -o total --onto total change'; do
  held total refused "^hortus: another command is still changing '[a-z]+' after --lock-timeout 0.2s$" timeout 20 "$HORTUS" $command --lock-timeout 0.2s
  held total refused "still changing" timeout 20 "$HORTUS" $command --lock-timeout 0
  same_bytes before total
  done_quietly hortus add total /dev/null --lock-timeout 0 # the lock is free
done
held counts refused 'still changing' timeout 20 "$HORTUS" remove counts day5 --lock-timeout 10ms
for time in -1 soon 1x ''; do refused 'is not a time|empty' hortus add total day5 --lock-timeout "$time"; done

section "who waits says so after a second, once; and not before"
waits_with() { # SECONDS: what it said
  mkfifo slow
  hortus add total slow &
  holder=$!
  exec 3>slow
  hortus add total day5 3>&- 2>said &
  waiter=$!
  sleep "$1"
  exec 3>&-
  wait $holder && wait $waiter || fail "an add failed" "$(cat said)"
  rm slow
}
waits_with 0.3
equal "after a moment" "" "$(cat said)"
waits_with 1.6
equal "after a second" "hortus: waiting for total, which another command is changing" "$(cat said)"
held total run 2 timeout 20 "$HORTUS" add total day5 --lock-timeout 1.3s
equal "with a timeout" 2 "$(wc -l <"$err")"
