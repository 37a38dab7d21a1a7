#!/usr/bin/env bash
# hortus reconcile: the exact difference of two lists, in one process and over pipes, with peers that are not as they should be.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/check.sh"
# difference A B: what comm says, as reconcile prints it.
difference() { LC_ALL=C comm -3 <(sort -u "$1") <(sort -u "$2") | sed -e 's/^\t/> /;t' -e 's/^/< /' | sort; }
remote() { echo "'$HORTUS' reconcile $* --stdio"; }
# same_as_comm A B: here and over a pipe.
same_as_comm() {
  difference "$1" "$2" >expected
  run 0 hortus reconcile "$1" "$2"
  sort "$out" | cmp - expected || fail "reconcile $1 $2"
  [ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
  run 0 hortus reconcile "$1" --remote "$(remote "$2")"
  sort "$out" | cmp - expected || fail "reconcile $1 --remote $2"
  local status=0
  [ ! -s expected ] || status=1
  run $status hortus reconcile --check "$1" "$2"
  [ ! -s "$out" ] || fail "--check prints nothing"
  run $status hortus reconcile --check "$1" --remote "$(remote "$2")"
}

section "what comm says, for differences of every size"
seq 20000 >base
same_as_comm base base
for changed in 1 10 100 1000 10000; do
  { seq $((changed + 1)) 20000; seq 30001 $((30000 + changed / 2)); } >other
  same_as_comm base other
  same_as_comm other base
done
seq 50000 60000 >apart
same_as_comm base apart
: >nothing
same_as_comm nothing nothing
same_as_comm nothing base
same_as_comm base nothing
{ cat base base; echo 7; } | shuf --random-source=base >shuffled
same_as_comm base shuffled
echo one >one
same_as_comm one nothing

section "keys are bytes, of any length"
printf 'a\r\nb\nc' >crlf
printf 'a\nb\nc\n' >lf
run 0 hortus reconcile --crlf crlf lf
[ ! -s "$out" ] || fail "CR LF"
run 0 hortus reconcile crlf lf
printf '< a\r\n> a\n' | cmp - "$out" || fail "a CR is part of the key"
printf 'x\ny\0\0z\0' >null_a
printf 'x\ny\0w\0' >null_b
run 0 hortus reconcile -0 null_a null_b
printf '< \0< z\0> w\0' | cmp - "$out" || fail "NUL"
{ echo; head -c 3000000 /dev/zero | tr '\0' 'x'; echo; printf '\377\376\001 < > \t\n'; } >odd
same_as_comm odd one
same_as_comm one odd

section "pipes, standard input, compressed files"
difference base other >expected
run 0 hortus reconcile - other <base
sort "$out" | cmp - expected || fail "standard input"
run 0 hortus reconcile <(cat base) <(cat other)
sort "$out" | cmp - expected || fail "pipes"
run 0 hortus reconcile <(cat base) --remote "$(remote "<(cat other)" | sed "s/.*/bash -c \"&\"/")"
sort "$out" | cmp - expected || fail "a pipe on the other side"
gzip -k base
if command -v zstd >/dev/null; then zstd -q other; else gzip -c other >other.zst; fi
run 0 hortus reconcile base.gz other.zst
sort "$out" | cmp - expected || fail "compressed"
run 0 hortus reconcile - other <base.gz
sort "$out" | cmp - expected || fail "compressed standard input"
head -c 20000 base.gz >short.gz
refused "cannot read 'no_such_list': No such file or directory\$" hortus reconcile no_such_list no_such_list
refused "standard input.*ends too soon|'short.gz'.*ends too soon" hortus reconcile short.gz base
refused "standard input.*ends too soon" hortus reconcile - base <short.gz

section "--json"
run 0 hortus reconcile --json base other
json 'd["only_mine"] == 10000' 'd["only_theirs"] == 5000' 'd["mine"] == 20000' 'd["theirs"] == 15000' \
  'd["bytes_sent"] > 0' 'd["bytes_received"] > 15000 * 25' '15000 <= d["symbols"] <= 15000 * 1.5' \
  'abs(d["symbols_per_difference"] - d["symbols"] / 15000) < 1e-9' "$out"
run 1 hortus reconcile --json --check base --remote "$(remote other)"
json 'd["only_mine"] == 10000' 'd["only_theirs"] == 5000' "$out"
run 0 hortus reconcile --json --check base base
json 'd["only_mine"] == 0' 'd["symbols"] == 0' 'd["symbols_per_difference"] is None' 'd["bytes_received"] < 100' "$out"

section "few bytes: 1000 differences among 200 000 keys of 20 bytes"
seq 200000 | sed 's/.*/00000000000000000000&/;s/.*\(.\{20\}\)$/\1/' >many_a
{ tail -n +501 many_a; seq 500 | sed 's/^/a key of theirs no /'; } >many_b
run 0 hortus reconcile --json many_a many_b
json 'd["only_mine"] == 500' 'd["only_theirs"] == 500' 'd["bytes_sent"] + d["bytes_received"] < 45000' "$out"
same_as_comm many_a many_b

section "the page of the protocol is enough to answer: a responder in another language does"
seq 1 600 >py_a
{ seq 101 650; echo; echo a longer key that no number is; } >py_b
difference py_a py_b >expected
run 0 hortus reconcile py_a --remote "python3 '$here/../sets/responder.py' py_b"
sort "$out" | cmp - expected || fail "a responder in Python"

section "wrong use"
refused 'name the other side once' hortus reconcile base
refused 'name the other side once' hortus reconcile base other --remote true
refused 'excludes --check' hortus reconcile base --stdio --check
refused 'both sides cannot come from standard input' hortus reconcile - -
refused 'standard input is the other side' hortus reconcile - --stdio
refused "cannot read 'absent'" hortus reconcile base absent
refused "cannot read 'absent'" hortus reconcile absent --remote "$(remote other)"
refused '--timeout is about' hortus reconcile base other --timeout 5s
refused '--timeout' hortus reconcile base --remote true --timeout never
refused '--most' hortus reconcile base other --most none
refused 'standard output is the input' bash -c '"$HORTUS" reconcile base other >>base'

# peer_fails PATTERN COMMAND [OPTIONS]: status 2 and our line last; the command may have printed a line of its own before.
peer_fails() {
  local pattern=$1 command=$2
  shift 2
  run 2 timeout 30 "$HORTUS" reconcile base --remote "$command" "$@"
  [ ! -s "$out" ] || fail "nothing is printed before all is verified" "$(head -c 300 "$out")"
  tail -n 1 "$err" | grep -Eq "^hortus: $pattern" || fail "expected /$pattern/ of $command" "$(cat "$err")"
}

section "a peer that dies, is no peer, is silent, or speaks another version"
peer_fails 'the other side ended before the answer was known \(the --remote command: status 127\)' "$PWD/no_such_command"
peer_fails 'the other side ended before the answer was known' true
peer_fails 'the other side ended .*status 3' 'exit 3'
peer_fails "the other side is no .hortus reconcile --stdio.: it sent 'hello world\?'" 'echo hello world; cat >/dev/null'
peer_fails 'the other side does not keep to the protocol' 'cat' # an echo of our own hello
peer_fails 'the other side speaks version 9 of the protocol' "printf '\\211HORREC\\n\\011'; cat >/dev/null"
peer_fails 'the other side has been silent for 500 ms' 'sleep 20' --timeout 500ms
peer_fails 'the other side gave up: cannot read .absent' "$(remote absent)"
# first N: passes on N bytes as they come. (head would keep them.)
first() { echo "dd bs=1 count=$1 status=none"; }
for bytes in 5 9 20 40 500 5000 100000; do
  peer_fails 'the other side ended before the answer was known' "$(remote other) | $(first $bytes)"
done
peer_fails 'the other side has been silent' "{ $(remote other) | $(first 5000); sleep 20; }" --timeout 1s
for at in 3 12 30 60 300 3000 50000; do
  peer_fails '.*(checksum|no frame|no .hortus|version|silent|ended)' \
    "$(remote other) | { $(first $at); $(first 1) | tr '\\000-\\377' '\\001-\\377\\000'; cat; }" --timeout 2s
done
peer_fails 'the other side sent more than 10000 bytes' "$(remote other)" --most 10000

section "the other side ends with an error, too, when this one is not as it should be"
answer() { "$HORTUS" reconcile "$@" --stdio | cat >/dev/null; }
refused 'the other side ended before the answer was known' answer base </dev/null
refused 'the other side is no' answer base < <(echo hello)
refused 'silent for 300 ms' answer base --timeout 300ms < <(sleep 3)
closed() { "$HORTUS" reconcile base other | head -n 1; }
run 0 closed
