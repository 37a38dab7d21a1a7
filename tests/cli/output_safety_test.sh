#!/usr/bin/env bash
# Output: complete or not at all, quiet if the reader has gone, progress and colour only on a terminal.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 1000 >keys
seq 500000 >many
hortus build bloom -o old keys

section "a failure leaves the old file and nothing else"
cp old f
same_as_before() {
  same_bytes old f
  no_debris f keys many old
}
for command in 'build bloom -o f nosuch' 'build bloom -o f keys nosuch' 'build bloom -o f -n -1 keys' 'build rose -o f keys' \
  'build bloom -o f -p 1% --memory 10 keys' 'merge -o f old keys' 'fold -o f --by 7919 old' 'add f nosuch'; do
  refused '' hortus $command
  same_as_before
done
no_room() { (ulimit -f 100 && exec "$HORTUS" "$@"); } # 100 KiB for a file of 600
refused 'cannot write .*File too large' no_room build bloom -o f many
same_as_before
refused 'cannot write .*File too large' no_room build bloom -o new many
same_as_before
refused 'temporary file.*File too large' no_room build bloom -o f --memory 1M < <(cat many)
same_as_before

section "a full disk"
mkdir disk
if mount -t tmpfs -o size=300k none disk 2>/dev/null; then
  trap 'umount disk' EXIT
  cp old disk/f
  refused 'cannot write .*No space left' hortus build bloom -o disk/f many
  same_bytes old disk/f
  equal "files on the disk" f "$(ls -A disk)"
  hortus build bloom -o disk/g -n 100k <(head -n 1000 many) # 120 KB fit, once: its successor needs as much again
  cp disk/g g
  head -c 150000 /dev/zero >disk/ballast
  refused 'No space left' hortus add disk/g keys
  same_bytes g disk/g
  refused 'No space left' hortus merge -o disk/g disk/g disk/g
  same_bytes g disk/g
  equal "files on the disk" "ballast f g" "$(ls -A disk | xargs)"
  umount disk
  trap - EXIT
  rm g
else
  skip "no right to mount a small disk"
fi
rmdir disk

section "what is read is not written onto, by whatever name"
cp keys precious
ln -s precious alias
ln precious twin
head -c 16 /dev/urandom >secret
cp secret secret.before
ln -s secret alias.key
is_kept() {
  same_bytes keys precious
  same_bytes secret.before secret
}
for out_file in precious alias twin; do
  for input in '' - /dev/stdin; do
    refused 'is an input' hortus build bloom -o $out_file $input <precious
    is_kept
  done
  for input in precious alias twin 'keys twin' '- keys'; do
    refused 'is an input' hortus build bloom -o $out_file $input <twin
    refused 'is an input' hortus tour -o $out_file $input <twin
    is_kept
  done
done
for command in build\ {bloom,bitwise_frozen}\ -n\ 10; do
  refused 'is the --key-file' hortus $command -o secret --key-file secret keys
  refused 'is the --key-file' hortus $command -o alias.key --key-file secret keys
  refused 'is the --key-file' hortus $command -o secret --key-file alias.key keys
  is_kept
done
for name in f ./f /dev/stdin; do
  refused "is an input" hortus add f $name <f
  same_bytes old f
done
refused "is an input" hortus add f <f
hortus build counting -n 1000 -o counts keys
cp counts counts.before
refused "is an input" hortus remove counts <counts
refused "is an input" hortus remove counts keys counts
same_bytes counts.before counts
rm alias twin alias.key secret secret.before counts counts.before
same_bytes old f

section "standard output is not what is read: it would never end"
for command in 'uniq' 'query old' 'count --top 3' 'uniq keys -' 'uniq keys precious' 'query old - keys'; do
  run 2 bash -c "'$HORTUS' $command <precious >>precious"
  said 'standard output is the input .*: what is printed would be read again'
  same_bytes keys precious
done
hortus query old <precious >precious.answers
same_bytes keys precious.answers
rm precious precious.answers

section "a file that is write-protected, or would change hands"
cp "$HORTUS" command # a copy that every user may run
chmod 755 . command
cp old protected
mkdir -m 777 shared
cp old shared/f
cp old shared/g
chmod 444 shared/f
if [ "$(id -u)" -eq 0 ] && as_nobody ./command --version >/dev/null 2>&1; then
  for command in 'add shared/f keys' 'build bloom -o shared/f keys' 'merge -o shared/f shared/f old' 'fold --by 2 -o shared/f old' \
    'tour -o shared/f keys'; do
    refused "cannot replace 'shared/f', which is write-protected" as_nobody ./command $command
    same_bytes old shared/f
  done
  chmod 666 shared/g
  refused "cannot replace 'shared/g': it belongs to another user and group" as_nobody ./command add shared/g keys
  same_bytes old shared/g
  chgrp 65534 shared/g # now its group can be kept, and those whom the permissions are for
  done_quietly as_nobody ./command add shared/g /dev/null
  equal "group and permissions" "65534 666" "$(stat -c '%g %a' shared/g)"
  equal "files" "f g" "$(ls -A shared | xargs)"
else
  skip "needs root, to be another user"
fi
rm -r shared command protected

section "killed in the middle"
for signal in TERM KILL; do
  mkfifo slow
  "$HORTUS" build bloom -o f -n 1M slow &
  pid=$!
  exec 3>slow
  cat keys >&3
  kill -$signal $pid
  wait $pid 2>/dev/null && fail "killed, and yet status 0"
  exec 3>&-
  rm slow
  same_as_before
done

section "killed in the middle of a save, where a new file needs a name: nothing is left of it"
# Without /proc an unnamed file cannot be given a name, so the new file has a name from the start.
cat >save_without_proc.sh <<'END'
mount -t tmpfs none /proc || exit 77
"$1" add big keys &
pid=$!
for _ in $(seq 500); do
  [ -n "$(find . -name '.hortus-*')" ] && break # being written
  sleep 0.002
done
kill -$2 $pid 2>/dev/null
wait $pid
status=$?
ls -A
exit $status
END
hortus build bloom -n 80M -o big /dev/null
cp big big.before
for signal in TERM INT HUP QUIT; do
  status=0
  unshare -m bash save_without_proc.sh "$HORTUS" $signal >files 2>&1 || status=$?
  if [ $status -eq 77 ] || [ $status -eq 1 ]; then
    skip "no right to hide /proc"
    break
  fi
  # Ended by the signal (bash ignores INT and QUIT for background jobs), or finished before it came.
  [ $status -gt 128 ] || [ $status -eq 0 ] || fail "status $status after $signal" "$(cat files)"
  ! grep -q '^\.hortus-' files || fail "left after $signal" "$(cat files)"
  if [ $status -gt 128 ]; then same_bytes big.before big; fi
  hortus verify big >/dev/null
  cp big.before big
done
rm -f big big.before files save_without_proc.sh

section "-o replaces, keeps permissions and follows links"
hortus build bloom -o new many
equal "permissions of a new file" "$(printf '%o' $((0666 & ~$(umask))))" "$(stat -c %a new)"
chmod 600 new
hortus build bloom -o new keys
same_bytes old new
equal "permissions of a replaced file" 600 "$(stat -c %a new)"
mkdir folder
ln -s folder/target link
hortus build bloom -o link keys
[ -L link ] && same_bytes old folder/target
refused 'not a regular file' hortus build bloom -o folder keys
refused 'not a regular file' hortus build bloom -o /dev/null keys
mkfifo endless
refused 'No such file' timeout 30 "$HORTUS" build bloom -o nosuch/f endless # said at once, not after reading
rm -r new link folder endless
same_as_before

section "a closed pipe ends quietly"
hortus build bloom -o f many
for command in 'query f many' 'query -v old many' 'list' 'info f' 'plan -n 5 --json' '--help'; do
  hortus $command 2>"$err" | head -n 1 >/dev/null || fail "hortus $command | head: status ${PIPESTATUS[*]}"
  [ ! -s "$err" ] || fail "hortus $command | head should be quiet" "$(cat "$err")"
  hortus $command 2>"$err" | : || fail "hortus $command | :: status ${PIPESTATUS[*]}"
  [ ! -s "$err" ] || fail "hortus $command | : should be quiet" "$(cat "$err")"
done
yes 7 2>/dev/null | hortus query old 2>"$err" | head -n 3 >/dev/null || [ "${PIPESTATUS[1]}" -eq 0 ] || fail "endless input, closed output"
[ ! -s "$err" ] || fail "should be quiet" "$(cat "$err")"
cp old f

section "progress: silent in scripts, lines with --progress"
slowly() { for i in 1 2 3; do echo $i && sleep 0.4; done; }
done_quietly hortus build bloom -o f -n 10 < <(slowly)
run 0 hortus build bloom -o f -n 10 --progress < <(slowly)
grep -Eq '^building: ' "$err" || fail "--progress should show something" "$(cat "$err")"
[ ! -s "$out" ] || fail "progress belongs on standard error"
run 0 hortus build bloom -o f --progress many
grep -Eq '^counting: ' "$err" && grep -Eq '^building: 100 % of ' "$err" || fail "--progress for files" "$(cat "$err")"
run 0 hortus query -c --progress f many
grep -Eq '^asking: 100 % of ' "$err" || fail "--progress of query" "$(cat "$err")"
equal "count" 500000 "$(cat "$out")"
run 0 hortus add --progress f keys
grep -Eq '^adding: 100 % of ' "$err" || fail "--progress of add" "$(cat "$err")"

# on_terminal COMMAND: what a terminal would get, in $out.
on_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null >"$out" 2>&1 || fail "on a terminal: $1" "$(cat "$out")"; }
escape=$'\x1b'
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  section "on a terminal: a line of progress that is wiped, not mixed with answers"
  hortus build bloom -o f keys
  on_terminal "(for i in 1 2 3 4; do echo \$i; sleep 0.3; done) | '$HORTUS' build bloom -n 10 -o g"
  grep -q 'building: ' "$out" || fail "progress on a terminal" "$(cat -v "$out")"
  equal "left on the screen" "" "$(tr -d '\n' <"$out" | sed 's/.*\r//')"
  on_terminal "(for i in 1 2 3 4; do echo \$i; sleep 0.3; done) | '$HORTUS' query f"
  grep -q 'asking: ' "$out" || fail "progress on a terminal" "$(cat -v "$out")"
  equal "lines on the screen" "1 2 3 4" "$(sed 's/\r*$//; s/.*\r//' "$out" | xargs)"
  # A sanitized command may take a second or more to start, and would find that its input has ended.
  before=$(date +%s%3N)
  hortus uniq </dev/null
  pause=0.3
  [ $(($(date +%s%3N) - before)) -lt 500 ] || pause=2
  slow_lines="for i in 1 2 3 4; do echo \$i; sleep $pause; done"
  for command in 'query -c f' 'query -vc f' 'count --top 1' 'uniq --memory 64Ki' 'remove g' 'build bloom -n 10 --json -o h' 'add --json f'; do
    hortus build counting -n 100 -o g keys 2>/dev/null
    on_terminal "($slow_lines) | '$HORTUS' $command || :"
    grep -Eq '(asking|counting|reading|removing|building|adding): ' "$out" || fail "progress on a terminal: $command" "$(cat -v "$out")"
    ! tr '\r' '\n' <"$out" | grep -E '(asking|counting|reading|removing|building|adding): .*[sB]([0-9{]|hortus)' ||
      fail "an answer glued to the line of progress: $command" "$(cat -v "$out")"
  done
  on_terminal "(echo a; sleep $pause; echo b; sleep $pause; seq 100000) | '$HORTUS' uniq --memory 1Ki >/dev/null"
  grep -q 'reading: ' "$out" && grep -Eq $'\rhortus: warning: more than' "$out" ||
    fail "a warning glued to the line of progress" "$(cat -v "$out")"
  on_terminal "($slow_lines) | '$HORTUS' query -c f"
  equal "what is left on the screen" 4 "$(sed 's/\r*$//; s/.*\r//' "$out")"
  rm h
  on_terminal "($slow_lines) | '$HORTUS' query f 2>/dev/null"
  equal "answers only" "1 2 3 4" "$(tr -d '\r' <"$out" | xargs)"
  rm g

  section "colour: on a terminal, never with NO_COLOR"
  on_terminal "'$HORTUS' list"
  grep -q "$escape" "$out" || fail "no colour on a terminal" "$(cat -v "$out")"
  on_terminal "NO_COLOR=1 '$HORTUS' list"
  ! grep -q "$escape" "$out" || fail "colour in spite of NO_COLOR"
  on_terminal "TERM=dumb '$HORTUS' info f"
  ! grep -q "$escape" "$out" || fail "colour on a dumb terminal"
  on_terminal "'$HORTUS' info --json f"
  ! grep -q "$escape" "$out" || fail "colour in JSON"
else
  skip "no pseudo-terminal: script(1) does not work here"
fi
for command in list 'info f' 'plan -n 5' --help; do
  run 0 hortus $command
  ! grep -q "$escape" "$out" || fail "colour in a file: hortus $command"
done
