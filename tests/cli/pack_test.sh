#!/usr/bin/env bash
# hortus pack and hortus unpack.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 2000 >a.keys
seq 2001 2100 >b.keys

section "every family comes back byte for byte"
seq 2000 | awk '{ print $1 "\t" 1 + $1 % 7 }' >pairs.keys # maps take values; for others a line is a key
for family in $(families size_bytes); do
  [ "$family" != exact_set ] || continue # which takes two lists
  hortus build "$family" -o a -n 3000 pairs.keys
  done_quietly hortus pack -o m a
  done_quietly hortus unpack -o back m
  same_bytes a back
  [ "$(stat -c %s m)" -le "$(stat -c %s a)" ] || fail "$family: the message is longer than the file"
done

section "through pipes"
hortus build bloom -o a -n 100000 a.keys
hortus pack -o - - <a | hortus unpack -o - - >back
same_bytes a back
run 0 hortus pack --verbose -o m a
said '^hortus: [0-9.]+ KiB for [0-9.]+ KiB$'
run 0 hortus unpack --json -o back m
json 'd["family"] == "bloom" and d["items_inserted"] == 2000' "$out"

section "a change"
cp a b
hortus add b b.keys
done_quietly hortus pack -o change --since a b
done_quietly hortus unpack -o back --onto a change
same_bytes b back
[ $((4 * $(stat -c %s change))) -le "$(stat -c %s m)" ] || fail "the change is long"
refused "the message was packed since another filter" hortus unpack -o back --onto b change
refused "the message is a change.*--onto" hortus unpack -o back change
refused "the message is complete" hortus unpack -o back --onto a m
same_bytes b back

section "what is no message"
refused "not a message of hortus" hortus unpack -o back a
head -c 100 m >cut
refused "cut.: the message has 100 bytes where it says" hortus unpack -o back cut
refused "too short" hortus unpack -o back /dev/null
refused "not a hortus file" hortus info m
refused "is there and is no message" hortus pack -o a.keys a
refused "is an input" hortus pack -o a a
refused "is an input" hortus unpack -o m m --force

section "a large filter that is almost empty"
seq 10 | hortus build bloom -o large -n 100M
hortus pack -o m large
[ "$(stat -c %s m)" -le 3000 ] || fail "the message of an almost empty filter is long"
refused "unpacks to [0-9]+ bytes, and the limit is .*--most" hortus unpack -o back m
done_quietly hortus unpack -o back --most 1GiB m
same_bytes large back

section "a filter planned for its message fits, and has its rate"
run 0 hortus plan -n 100000 --message-bytes 100000 --memory 1M --json
json 'd["probes"] == 1 and d["message_bytes"] <= 100000 and d["fpr"] < 0.6 * d["fpr_uncompressed"]' "$out"
eval "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["command"])' "$out" | sed 's/-o FILE KEYS/-o planned/')" < <(seq 100000)
hortus pack -o m planned
[ "$(stat -c %s m)" -le 100000 ] || fail "the message is longer than planned: $(stat -c %s m)"
run 0 hortus plan -n 1M --message-bytes 1M --memory 4M
printed_line 'probes +2'
printed_line 'rate +1\.[0-9]+ % \(.* for a filter that is sent as it is\)'
refused "needs -n" hortus plan --message-bytes 1M
refused "leave out --need" hortus plan -n 1M --message-bytes 1M --need merge
refused "so short a message" hortus plan -n 1M --message-bytes 1k
