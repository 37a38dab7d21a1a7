#!/usr/bin/env bash
# hortus query: behaves like grep.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 1000 >members
seq 1001 2000 >others
hortus build bloom -o f -p 1e-9 members # so low that no other is found by chance: 1000 * 1e-9

section "exit status: 0 when a line was selected, 1 when none was, 2 for an error; with -c and -v too"
run 0 hortus query f members
same_bytes members "$out"
run 1 hortus query f others
[ ! -s "$out" ] || fail "nothing should be selected"
run 0 hortus query f members others
same_bytes members "$out"
run 0 hortus query -c f members others
equal "count" 1000 "$(cat "$out")"
run 1 hortus query -c f others
equal "count" 0 "$(cat "$out")"
run 0 hortus query -v f members others
same_bytes others "$out"
run 1 hortus query -v f members
[ ! -s "$out" ] || fail "nothing should be selected"
for options in '-v -c' '-c -v' -vc -cv '--invert --count'; do
  run 0 hortus query $options f members others others
  equal "count with $options" 2000 "$(cat "$out")"
  run 1 hortus query $options f members
  equal "count with $options" 0 "$(cat "$out")"
done
refused 'No such file' hortus query f nosuch
refused 'No such file' hortus query -c nosuch members

section "options stand anywhere"
for arguments in 'f others members -v' '-v f others members' 'f -v others members'; do
  run 0 hortus query $arguments
  same_bytes others "$out"
done

section "a misspelt last input is reported before anything is printed"
refused 'No such file' hortus query f members nosuch
refused 'Is a directory' hortus query f members .

section "answers come as the questions do, not at the end"
mkfifo questions answers
hortus query f questions >answers &
asker=$!
exec 3<>questions  # not just to write: that would wait for a reader, who waits for us to read its answers
exec 4<answers
for line in 7 1500 8; do
  echo $line >&3
  [ $line -gt 1000 ] || {
    read -r -t 20 answer <&4 || fail "no answer to $line while the pipe is open"
    equal "answer" $line "$answer"
  }
done
exec 3>&-
wait $asker || fail "query of a pipe: status $?"
exec 4<&-
rm questions answers

section "a filter through a pipe"
run 0 hortus query <(cat f) members
same_bytes members "$out"
run 0 hortus query --no-verify <(cat f) members
same_bytes members "$out"

section "the file is not touched"
touch -d '2001-01-01' f
chmod 444 f
hortus query -c f members >/dev/null
equal "time of change" 2001 "$(date -r f +%Y)"
chmod 644 f

section "a filter of integers or digests made by a program is refused: no line would be found"
for kind in integers digests; do
  refused "'.*$kind.hortus' was filled with $kind, not with text" hortus query "$HORTUS_SOURCE_DIR/tests/golden/v1/bloom/$kind.hortus" members
  cp "$HORTUS_SOURCE_DIR/tests/golden/v1/bloom/$kind.hortus" theirs
  refused "was filled with $kind, not with text" hortus add theirs members
  run 0 hortus info --json theirs
  grep -q "\"key_kind\": \"$kind\"" "$out" || fail "info should say $kind" "$(cat "$out")"
done
run 0 hortus query "$HORTUS_SOURCE_DIR/tests/golden/v1/bloom/text.hortus" <<<'key 17'

section "a filter of nothing holds nothing"
hortus build bloom -o empty /dev/null
run 1 hortus query empty members
run 0 hortus query -v empty members
same_bytes members "$out"
run 1 hortus query -v empty /dev/null
