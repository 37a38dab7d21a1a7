#!/usr/bin/env bash
# Windows of time: keys that are too old by the clock are forgotten, also in files.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 100 >old
seq 1000 1099 >young

# On a busy machine only waiting longer than a window proves anything. Keys that must be remembered have a window of an hour.
section "build, add and query go by the clock"
hortus build age_partitioned -n 1000 --window 1h -o f old
hortus add f young
equal "remembered" 200 "$(count f old young)"
json "abs(d['time'] / 1000 - __import__('time').time()) < 3600" "0 < d['fpr_estimate'] < 0.01" <(hortus info --json f)
hortus build age_partitioned -n 1000 --window 500ms -o f old
cp f before
sleep 1.5
equal "forgotten" 0 "$(count f old)"
json "d['fpr_estimate'] == 0" <(hortus info --json f)
same_bytes before f
hortus add f young
different_bytes before f
sleep 1.5
hortus add f /dev/null
equal "forgotten in the file" 0 "$(count f young)"
hortus build age_partitioned -n 1000 --window 500ms -o g </dev/null
seq 1000 | hortus build age_partitioned --window 1h -o g
equal "from a pipe" 1000 "$(seq 1000 | count g)"

section "windows are for families that have them"
refused 'has no advance; families that have it: age_partitioned' hortus build bloom -n 10 --window 3s -o h old
refused "is not a time" hortus build age_partitioned -n 10 --window soon -o h old
refused "is not a time" hortus build age_partitioned -n 10 --window 3m -o h old
refused "is too short" hortus build age_partitioned -n 10 --window 0 -o h old
refused "distinct is about a window of keys" hortus build age_partitioned -n 10 --window 3s --set distinct=1 -o h old
refused "the setting 'ticks' is given twice" hortus build age_partitioned -n 10 --window 3s --set ticks=5 -o h old
refused "is too short" hortus uniq --window 0.1ms old

section "uniq by time: a line comes again when it was away for the window"
mkfifo in
hortus uniq --window 500ms <in >lines &
uniq=$!
exec 3>in
printf 'a\na\nb\n' >&3
sleep 2
printf 'a\na\nc\n' >&3
exec 3>&-
wait $uniq
equal "lines" "a b a c" "$(xargs <lines)"
printf 'a\nb\na\n' >some
run 0 hortus uniq --window 1h some
equal "an hour" "a b" "$(xargs <"$out")"

section "more lines in the window than the memory has room for"
seq 300000 >many
run 0 hortus uniq --window 1h --memory 64Ki many
said '^hortus: warning: more distinct lines come in the time of the window than 64 KiB remember at a rate of 0\.0001 %, about [0-9]+\. No line is forgotten early, but new lines are lost at a rate of .* now: raise --memory$'
run 0 hortus uniq --window 1h many
equal "all of them" 300000 "$(wc -l <"$out")"
[ ! -s "$err" ] || fail "said: $(cat "$err")"
