#!/usr/bin/env bash
# Errors: status 2, one line "hortus: ..." on standard error, nothing on standard output, and no output file.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 1000 >keys
hortus build bloom -o good -n 1000 keys
commands='list plan build add remove count query uniq info verify merge intersect diff fold grow bench tour help completion man'

section "the command itself"
refused 'which command' hortus
refused "no command 'nosuch'" hortus nosuch
refused "no command 'querry'" hortus querry good keys
refused "no command ''" hortus ''
refused "no command '--nosuch'" hortus --nosuch
refused 'not expected: --nosuch; see hortus query --help' hortus query good --nosuch
refused '^hortus: not expected: good; see hortus list --help$' hortus list bloom good
refused '^hortus: not expected: one two --three four;' hortus list bloom one two --three four
refused "^hortus: '-c=1': a flag takes no value; see hortus query --help$" hortus query -c=1 good
refused "^hortus: '-vc=yes': a flag takes no value" hortus query -vc=yes good
run 0 hortus --version
printed_line 'hortus [0-9]+\.[0-9]+\.[0-9]+'

section "--help is on everything, on standard output, and fits a terminal"
run 0 hortus --help
for command in $commands; do
  grep -q "^  $command " "$out" || fail "hortus --help should name $command" "$(cat "$out")"
done
for command in '' $commands; do
  for help in --help -h; do
    run 0 hortus $command $help
    grep -q '^Usage: hortus' "$out" || fail "hortus $command $help" "$(cat "$out")"
    [ ! -s "$err" ] || fail "hortus $command $help should say nothing on standard error"
    widest=$(awk '{print length}' "$out" | sort -n | tail -1)
    [ "$widest" -le 100 ] || fail "hortus $command $help is $widest columns wide" "$(awk 'length > 100' "$out")"
  done
done
for action in $(hortus redis --help | sed -n '/^Actions:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  run 0 hortus redis $action --help
  grep -q "^Usage: hortus redis $action" "$out" || fail "hortus redis $action --help" "$(cat "$out")"
  widest=$(awk '{print length}' "$out" | sort -n | tail -1)
  [ "$widest" -le 100 ] || fail "hortus redis $action --help is $widest columns wide" "$(awk 'length > 100' "$out")"
done
run 0 hortus build --help
for option in --output --items --fpr --memory --seed --hash --set --key-file --json --null --crlf --progress; do
  grep -q -- "$option" "$out" || fail "build --help should explain $option"
done

section "an empty value is not an option left out"
for option in -n -p --memory --seed --hash --set --key-file; do
  refused 'empty' hortus build bloom -o none $option '' keys
done
refused 'empty' hortus build '' -o none keys
refused 'empty' hortus build bloom -o '' keys
refused 'empty' hortus query good ''
refused 'empty' hortus query --key-file '' good keys
refused 'empty' hortus fold -o none --by '' --to-fpr 10% good
refused 'empty' hortus plan -n 5 --need ''

section "a wrong setting is reported before a pipe is read to its end"
mkfifo endless
sleep 60 >endless &
refused 'there is no setting' timeout 20 "$HORTUS" build bloom -o none --set no=1 <endless
refused 'probes' timeout 20 "$HORTUS" build bloom -o none --set probes=65 <endless
kill $!
rm endless

section "no option is ignored"
for family in bloom partitioned blocked counting blocked_counting bitwise spectral_selection active_active stable; do
  refused '^hortus: 0 is no value for probes: ' hortus build $family -o none --set probes=0 keys
done
refused '0 is no value for error: it is above 0' hortus build count_min -o none --set error=0 keys
refused '0 is no value for generations' hortus build age_partitioned -o none --set generations=0 keys
refused '0 is no value for layer_items' hortus build dynamic -o none --set layer_items=0 keys
refused '0 is no value for cell_bits' hortus build stable -o none --set cell_bits=0 keys
run 0 hortus build stable -o zero --set seed=0 keys # a seed like others
run 0 hortus build age_partitioned -o zero --set distinct=0 keys
refused "the setting 'probes' is given twice" hortus build bloom -o none --set probes=5 --set probes=6 keys
refused "the setting 'probes' is given twice" hortus build bloom -o none --set probes=5 --set probes=5 <keys
refused 'nothing for --no-verify' hortus count --top 3 --no-verify keys
for command in 'build bloom -o none' 'add good' 'query good' 'uniq' 'count --top 3' 'tour -o none'; do
  refused '-0 and --crlf exclude each other' hortus $command -0 --crlf keys
done
for flag in -0 --crlf --no-decompress; do refused 'about an INPUT' hortus tour -o none $flag; done
rm zero

section "filter and keys from one stream"
refused "'/dev/stdin' is to be the filter and the keys at once" hortus query /dev/stdin <good
refused "'/dev/stdin' is to be the filter and the keys at once" hortus query /dev/stdin < <(cat good)
refused 'the filter and the keys at once' hortus query good good
refused 'the filter and the keys at once' hortus query good keys - <good
run 0 hortus query -c /dev/stdin keys <good

section "out of memory: what did not fit"
little() { (ulimit -v $1 && shift && exec "$HORTUS" "$@"); }
if little 100000 --version >/dev/null 2>&1; then
  refused '^hortus: out of memory: standard input has a line of more than [0-9]+ bytes$' \
    little 250000 build bloom -n 10 -o none < <(head -c 300000000 /dev/zero | tr '\0' x)
  refused '^hortus: out of memory: a filter of that size does not fit$' little 250000 build bloom -n 1G -o none keys
  refused '^hortus: out of memory: a filter of that size does not fit$' little 250000 uniq --memory 1Gi keys
  refused '^hortus: out of memory: what --memory keeps of the keys of a pipe .* does not fit$' \
    little 200000 build bloom -o none < <(seq 20000000)
  refused '^hortus: out of memory: what --memory holds of the keys does not fit$' \
    little 200000 count --top 3 --memory 1Gi < <(seq 20000000)
  hortus build bloom -n 100M -o large /dev/null
  refused '^hortus: out of memory: the filter does not fit$' little 100000 add large keys
  rm large
else
  skip "the command itself does not start in 100 MB, as under a sanitizer"
fi

section "inputs and filters that are not there, or are not what they should be"
for filter in nosuch ./nosuch/f keys/f; do
  refused 'No such file|Not a directory' hortus query $filter keys
  refused 'No such file|Not a directory' hortus info $filter
  refused 'No such file|Not a directory' hortus verify $filter
  refused 'No such file|Not a directory' hortus add $filter keys
  refused 'No such file|Not a directory' hortus fold -o none --by 2 $filter
  refused 'No such file|Not a directory' hortus merge -o none good $filter
  refused 'No such file|Not a directory' hortus build bloom -o none $filter
done
for command in 'query . keys' 'info .' 'verify .' 'add . keys' 'fold -o none --by 2 .' 'merge -o none . good' 'merge -o none good .' \
  'build bloom -o none .' 'query good .' 'build bloom -o none --key-file . keys'; do
  refused 'Is a directory' hortus $command
done
refused "not expected|No such file" hortus info $'two\nlines' # and in one line
: >empty
for filter in keys empty "$HORTUS"; do
  for command in query info verify; do refused "not a hortus file|too short|end" hortus $command "$filter"; done
  refused "not a hortus file|too short|end" hortus query --no-verify "$filter" keys
  refused "not a hortus file|too short|end" hortus merge -o none good "$filter"
  cp "$filter" victim
  refused "not a hortus file|too short|end" hortus add victim keys
  same_bytes "$filter" victim
  rm victim
done

section "a damaged file is an error for every command, wherever the damage is"
size=$(stat -c %s good)
for at in 0 9 17 40 100 -200 -1000; do
  cp good bad
  damage bad $at
  different_bytes good bad
  cp bad bad.before
  for command in 'query bad keys' 'query -c bad keys' 'query -v bad /dev/null' 'info bad' 'info --json bad' 'verify bad' \
    'add bad keys' 'add bad /dev/null' 'merge -o none good bad' 'merge -o none bad good' \
    'fold -o none --by 2 bad' 'query <(cat) keys'; do
    case $command in
      *'<(cat)'*) refused "" hortus query <(cat bad) keys ;;
      *) refused "'bad'" hortus $command ;;
    esac
  done
  run 2 hortus verify --json bad
  said "^hortus: 'bad'"
  cp "$out" verified.json
  json 'd["file"] == "bad" and d["ok"] is False and d["family"] is None and d["file_bytes"] is None' \
    'type(d["reason"]) is str and "hortus: " + d["reason"] == open("'"$err"'").read().rstrip("\n")' verified.json
  same_bytes bad.before bad
done
run 2 hortus verify --json nosuch
cp "$out" verified.json
json 'd["ok"] is False and "No such file" in d["reason"]' verified.json
for bytes in 1 8 63 64 100 $((size / 2)) $((size - 1)); do
  head -c $bytes good >bad
  for command in 'query bad keys' 'query --no-verify bad keys' 'info bad' 'verify bad' 'add bad keys' 'merge -o none good bad'; do
    refused "'bad'" hortus $command
  done
done
cat good <(echo more) >bad
refused "'bad'" hortus verify bad
refused "'bad'" hortus query --no-verify bad keys

section "so is damage in the last chunk of several, for every command that reads a filter"
hortus build counting -n 600k -o several keys 2>/dev/null
[ "$(stat -c %s several)" -gt $((2 * 1024 * 1024 + 1000)) ] || fail "this should be a file of three chunks"
for at in -100 $((-1024 * 1024)) 1000000; do
  cp several bad
  damage bad $at
  for command in 'query bad keys' 'count bad keys' 'info bad' 'verify bad' 'add bad keys' 'remove bad keys' \
    'merge -o none several bad' 'merge -o none bad several' 'fold -o none --by 2 bad'; do
    refused "'bad'.*chunk [0-2] is damaged" hortus $command
  done
  for command in query count; do refused "chunk [0-2] is damaged" hortus $command <(cat bad) keys; done
  refused "chunk [0-2] is damaged" hortus verify <(cat bad)
done
rm bad several

section "--no-verify reads the header only: damage in the cells goes unseen, and members are found all the same or not at all"
cp good bad
damage bad -200
run 0 hortus query --no-verify -c bad keys
[ "$(cat "$out")" -ge 900 ] || fail "one flipped bit cost $((1000 - $(cat "$out"))) members"
cp good bad
damage bad 40
refused "'bad'" hortus query --no-verify bad keys

section "standard descriptors that are closed or full"
refused 'cannot read standard input' hortus query good <&-
closed() { "$HORTUS" "$@" >&-; }
full() { "$HORTUS" "$@" >/dev/full; }
for command in 'query good keys' 'query -c good keys' '--help' '--version' 'list' 'list --json' 'info good' 'info --json good' \
  'verify good' 'plan -n 5' 'query --help' 'fold --json -o folded --by 2 good'; do
  refused 'cannot write standard output: No space left' full $command
  refused 'cannot write standard output: Bad file descriptor' closed $command
done
for redirection in '2>&-' '2>/dev/full' '<&- >&- 2>&-'; do
  status=0
  eval "hortus nosuch $redirection" || status=$?
  equal "status with $redirection" 2 $status
  status=0
  eval "hortus build bloom -o warned -n 5 keys $redirection" || status=$? # a warning that cannot be printed is no reason to fail
  equal "status with $redirection" 0 $status
  hortus verify warned >/dev/null
  rm warned
done
[ ! -e none ] || fail "an output file after an error"
