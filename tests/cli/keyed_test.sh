#!/usr/bin/env bash
# Filters with a secret key: the key is in no file but its own.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 1000 >keys
printf '0123456789abcdef' >raw.key
printf '30313233343536373839616263646566' >hex.key
printf '30313233343536373839616263646566\n' >line.key
printf '30313233343536373839616263646566' | tr a-f A-F >upper.key
printf 'another key 16 b' >other.key

section "16 bytes or 32 hexadecimal digits, the same key"
hortus build bloom -o f --key-file raw.key keys
for file in hex line upper; do
  hortus build bloom -o g --key-file $file.key keys
  same_bytes f g
done
hortus build bloom -o g --key-file <(head -c 5 raw.key && sleep 0.2 && tail -c 11 raw.key) keys # a pipe that comes in pieces
same_bytes f g
hortus build bloom -o g --key-file other.key keys
different_bytes f g
hortus build bloom -o plain keys
different_bytes f plain
hortus build bloom -o explicit --hash siphash13 --key-file raw.key keys
same_bytes f explicit
hortus build bloom -o f24 --hash siphash24 --key-file raw.key keys
different_bytes f f24

section "with the key it answers, and takes more"
equal "members" 1000 "$(count f --key-file hex.key keys)"
equal "members" 1000 "$(count f24 --key-file raw.key keys)"
hortus build bloom -o h -n 2000 --key-file raw.key keys
hortus add h --key-file raw.key <(seq 1001 2000)
equal "members" 2000 "$(seq 2000 | count h --key-file raw.key)"

section "without the key, or with another, it is refused: also when there is nothing to ask"
for input in keys /dev/null; do
  refused "'f' was made with a secret key; --key-file" hortus query f $input
  refused "'f'.*another secret key" hortus query f --key-file other.key $input
  cp f before
  refused "'f' was made with a secret key; --key-file" hortus add f $input
  refused "'f'.*another secret key" hortus add f --key-file other.key $input
  same_bytes before f
done
refused "without a secret key" hortus query plain --key-file raw.key keys
refused "without a secret key" hortus add plain --key-file raw.key keys

section "info, verify, merge and fold need no key"
run 0 hortus verify f
hortus info --json f >about.json
json 'd["keyed"] is True and d["hash"] == "siphash13" and d["seed"] == 0' about.json
hortus info --json plain >about.json
json 'd["keyed"] is False' about.json
hortus info f | grep -Eq '^keyed +yes' || fail "info should say that it is keyed"
hortus build bloom -o a -n 2000 --key-file raw.key keys
hortus build bloom -o b -n 2000 --key-file raw.key <(seq 1001 2000)
hortus merge -o ab a b
equal "members of both" 2000 "$(seq 2000 | count ab --key-file raw.key)"
hortus fold -o folded --by 2 ab >/dev/null
equal "members of both" 2000 "$(seq 2000 | count folded --key-file raw.key)"
refused "'folded' was made with a secret key" hortus query folded keys
hortus build bloom -o c -n 2000 --key-file other.key keys
hortus build bloom -o d -n 2000 keys
for other in c d; do refused "'$other'.*same hash and the same seed or secret key" hortus merge -o none a $other; done

section "the key is not in the file"
for file in f f24 h ab folded; do
  ! grep -aq '0123456789abcdef' $file || fail "the key is in $file"
done

section "what is no key"
: >empty.key
printf 'fifteen bytes!!' >short.key
printf 'seventeen bytes!!' >long.key
printf '3031323334353637383961626364656g' >letter.key
printf '303132333435363738396162636465666' >digits.key
printf '30313233343536373839616263646566\n\n' >lines.key
head -c 1000 /dev/zero >big.key
for file in empty short long letter digits lines big; do
  refused "'$file.key' is no key file: .*16 bytes or 32 hexadecimal digits" hortus build bloom -o none --key-file $file.key keys
  refused "'$file.key' is no key file" hortus query f --key-file $file.key keys
done
refused "cannot read 'nosuch.key'" hortus build bloom -o none --key-file nosuch.key keys

section "options that would be ignored are refused"
refused '--seed and --key-file' hortus build bloom -o none --key-file raw.key --seed 5 keys
refused 'takes no secret key' hortus build bloom -o none --key-file raw.key --hash xxh3 keys
refused 'needs --key-file' hortus build bloom -o none --hash siphash13 keys
refused 'needs --key-file' hortus build bloom -o none --hash siphash24 keys
[ ! -e none ] || fail "an output file after an error"

section "a pipe of unknown length"
hortus build bloom -o piped --key-file raw.key < <(cat keys)
same_bytes f piped
