#!/usr/bin/env bash
# hortus uniq: first occurrences of lines in a stream, in bounded memory.
set -euo pipefail
. "$(dirname "$0")/check.sh"
first() { awk '!seen[$0]++' "$@"; }

section "what awk and a table of all lines would print, in the same order, while it fits"
seq 20000 | awk '{print $1 % 7000; print "a line " int($1 / 3)}' >lines
first lines >expected
run 0 hortus uniq lines
[ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
same_bytes expected "$out"
run 0 hortus uniq <lines
same_bytes expected "$out"
run 0 hortus uniq lines - lines <lines
same_bytes expected "$out"
run 0 hortus uniq --memory 1Mi -p 1e-9 lines
same_bytes expected "$out"
run 0 hortus uniq /dev/null
[ ! -s "$out" ] || fail "nothing comes of nothing"

section "keys are bytes"
printf 'a\r\na\nb' | hortus uniq --crlf >"$out"
printf 'a\nb\n' | cmp - "$out" || fail "CR LF"
printf 'a\r\na\nb' | hortus uniq >"$out"
printf 'a\r\na\nb\n' | cmp - "$out" || fail "a CR is part of the line"
printf 'x\ny\0x\ny\0\0\0z' | hortus uniq -0 >"$out"
printf 'x\ny\0\0z\0' | cmp - "$out" || fail "NUL"

section "a line that was among the last N distinct ones is never printed again"
for window in 1 2 10 1000; do
  # A new line and an old one in turn: since the old one came last, N/2 new ones and N/2 that were repeated after it have come.
  seq 5000 | awk -v h=$((window / 2)) '{print; if ($1 > h) print $1 - h}' >stream
  run 0 hortus uniq --window $window stream
  [ ! -s "$err" ] || fail "a window was asked for: nothing to say" "$(cat "$err")"
  first stream | cmp - "$out" || fail "a window of $window"
done

section "and one that is older than twice that is"
{ seq 3000; seq 3000; } >twice
run 0 hortus uniq --window 1000 twice
same_bytes twice "$out"
run 0 hortus uniq --window 3000 twice
seq 3000 | cmp - "$out" || fail "all are in the window"

section "too many lines for the memory: said once, and what is done then; recent ones are known all the same"
{ seq 100000; seq 99000 100000; seq 50; } >many
run 0 hortus uniq --memory 64Ki many
said '^hortus: warning: more than [0-9]+ distinct lines: 64 KiB cannot remember all of them at a rate of 0\.0001 %\. The older half is forgotten now; from here on a line is remembered until more than [0-9]+ distinct others have come after it$'
{ seq 100000; seq 50; } | cmp - "$out" || fail "the old ones again, the recent ones not"
limit=$(sed -E 's/^hortus: warning: more than ([0-9]+) distinct lines.*/\1/' "$err")
[ "$limit" -gt 10000 ] || fail "only $limit lines in 64 KiB"
seq "$limit" >fits
run 0 hortus uniq --memory 64Ki fits fits
[ ! -s "$err" ] || fail "all of these can be remembered" "$(cat "$err")"
same_bytes fits "$out"
run 0 hortus uniq --memory 64Ki -p 10% fits fits
[ ! -s "$err" ] || fail "at that rate even more" "$(cat "$err")"

section "past that half of the lines stay known, and what comes then is a window"
over=$((limit + 1))
{ seq "$over"; seq $((limit / 2 + 1)) "$over"; seq 10; seq 10; } >over
run 0 hortus uniq --memory 64Ki over
said 'more than'
{ seq "$over"; seq 10; } | cmp - "$out" || fail "the younger half is known, the older one is not, and then is again"

section "the rate is kept: of 200 000 new lines at 1 %, up to 2000 are lost, give or take 300"
seq 200000 | hortus uniq -p 1% --window 20k >"$out"
lost=$((200000 - $(wc -l <"$out")))
[ "$lost" -gt 500 ] && [ "$lost" -lt 2300 ] || fail "$lost lines lost"

section "lines come as they come, not at the end"
mkfifo stream_in stream_out
hortus uniq stream_in >stream_out &
job=$!
exec 3<>stream_in
exec 4<stream_out
for line in one one two; do echo $line >&3; done
for expected in one two; do
  read -r -t 20 line <&4 || fail "no line while the pipe is open"
  equal "line" $expected "$line"
done
exec 3>&-
wait $job || fail "status $? of a pipe"
exec 4<&-
rm stream_in stream_out

section "a line that comes again is young again: fed line by line, for a whole file in one block would hide it"
for window in 1 2 10; do
  mkfifo stream_in stream_out
  hortus uniq --window $window stream_in >stream_out &
  job=$!
  exec 3<>stream_in
  exec 4<stream_out
  echo often >&3
  read -r -t 20 line <&4 && equal "line" often "$line"
  for ((i = 1; i <= 10 * window; ++i)); do
    printf 'new %d\noften\n' $i >&3
    read -r -t 20 line <&4 || fail "no line while the pipe is open"
    equal "with a window of $window" "new $i" "$line"
  done
  exec 3>&-
  equal "nothing more" "" "$(cat <&4)"
  wait $job || fail "status $? of a pipe"
  exec 4<&-
  rm stream_in stream_out
done

section "a closed pipe ends it quietly"
# 141: ended by SIGPIPE, as seq itself may be.
{ seq 1000000 2>/dev/null || :; } | { hortus uniq 2>"$err" || [ $? -eq 141 ] || echo "status $?" >>"$err"; } | head -n 3 >"$out"
equal "first lines" "1 2 3" "$(xargs <"$out")"
[ ! -s "$err" ] || fail "quietly" "$(cat "$err")"

section "with a secret key nobody can choose lines that are taken for others"
printf '000102030405060708090a0b0c0d0e0f\n' >key
run 0 hortus uniq --key-file key lines
same_bytes expected "$out"

section "nonsense is refused"
refused 'raise --memory or -p' hortus uniq --window 1G lines
refused 'raise --memory or -p' hortus uniq --window 100k --memory 64Ki lines
refused '--window' hortus uniq --window 0 lines
refused '--window' hortus uniq --window -5 lines
refused '-p' hortus uniq -p 0 lines
refused '-p' hortus uniq -p 1 lines
refused 'too few' hortus uniq --memory 7 lines
refused '--memory' hortus uniq --memory 0 lines
refused 'No such file' hortus uniq lines nosuch
refused 'is no key file' hortus uniq --key-file lines lines
