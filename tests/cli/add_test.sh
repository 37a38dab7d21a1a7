#!/usr/bin/env bash
# hortus add: in place, atomically, one at a time.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 1000 >first
seq 1001 2000 >second
seq 2000 >both

section "adding is as if all had been there from the start"
hortus build bloom -o f -n 2000 first
done_quietly hortus add f second
hortus build bloom -o whole -n 2000 both
same_bytes whole f
hortus build bloom -o f -n 2000 first
hortus add f <second
same_bytes whole f
done_quietly hortus add f /dev/null
same_bytes whole f
run 0 hortus add --json f /dev/null
hortus info --json f >about.json
same_bytes about.json "$out"

section "key options are those of build"
hortus build bloom -o f -n 2000 first
printf 'x\r\ny\r\n' | hortus add --crlf f
printf 'p\0q' | hortus add -0 f
equal "added" 4 "$(printf 'x\ny\np\nq\n' | count f)"

section "more keys than planned"
hortus build bloom -o f first
run 0 hortus add f second
said '^hortus: warning: over capacity: about [0-9]+ distinct keys in a bloom filter for 1000; now [0-9.]+ %, planned 1 %; rebuild for 2[0-9]00 keys(, or use scalable)?$'
equal "all found" 2000 "$(count f both)"

section "permissions and links stay; the link's target is changed"
hortus build bloom -o f -n 2000 first
chmod 640 f
ln -s f link
hortus add link second
[ -L link ] || fail "the link was replaced"
equal "permissions" 640 "$(stat -c %a f)"
same_bytes whole f
rm link

section "errors leave the file as it was"
hortus build bloom -o f -n 2000 first
cp f before
refused 'No such file' hortus add f nosuch
refused 'No such file' hortus add f second nosuch
refused 'Is a directory' hortus add f .
refused 'No such file' hortus add nosuch second
refused 'Is a directory' hortus add . second
refused 'not a hortus file' hortus add first second
refused 'FILE' hortus add
same_bytes before f
no_debris about.json before both f first second whole

section "two at once: the second waits for the first, and nothing is lost"
mkfifo slow
hortus add f slow &
one=$!
exec 3>slow # returns when the first reads, and by then it has the lock
hortus add f <(seq 5001 5500) 3>&- &
two=$!
sleep 0.5
kill -0 $two 2>/dev/null || fail "the second add did not wait"
same_bytes before f
seq 6001 6400 >&3
exec 3>&-
wait $one && wait $two || fail "an add failed"
equal "first's keys" 400 "$(seq 6001 6400 | count f)"
equal "second's keys" 500 "$(seq 5001 5500 | count f)"
equal "insert calls" 1900 "$(hortus info --json f | sed -n 's/.*"items_inserted": \(.*\),/\1/p')"
rm slow

section "ten at once"
hortus build bloom -o f -n 20000 /dev/null
for i in 0 1 2 3 4 5 6 7 8 9; do
  seq $((i * 1000 + 1)) $((i * 1000 + 1000)) >part$i
  hortus add f part$i &
  pids[i]=$!
done
for pid in "${pids[@]}"; do wait "$pid" || fail "an add failed"; done
equal "all found" 10000 "$(seq 10000 | count f)"
equal "insert calls" 10000 "$(hortus info --json f | sed -n 's/.*"items_inserted": \(.*\),/\1/p')"
rm part*

section "a reader during an add sees the old file or the new one"
hortus build bloom -o f -n 2000 first
mkfifo slow
hortus add f slow &
one=$!
exec 3>slow
equal "old answers" 1000 "$(count f first)"
exec 3>&-
wait $one
rm slow

section "a folder that cannot be written to"
mkdir locked
hortus build bloom -o locked/f -n 2000 first
cp locked/f before
cp "$HORTUS" command # a copy that every user may run
chmod 755 . command
chmod 555 locked
if [ "$(id -u)" -eq 0 ] && ! as_nobody ./command --version >/dev/null 2>&1; then
  skip "cannot become another user"
else
  refused 'Permission denied' as_nobody ./command add locked/f second
  refused 'Permission denied' as_nobody ./command build bloom -o locked/g second
fi
same_bytes before locked/f
equal "files" f "$(ls -A locked)"
chmod 755 locked
