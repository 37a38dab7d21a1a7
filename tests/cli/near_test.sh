#!/usr/bin/env bash
# Filters that tell how near a key is: build, query, add, merge, info, verify, plan, and what other commands say of them.
set -euo pipefail
. "$(dirname "$0")/check.sh"

section "bits: lines are hexadecimal digits"
python3 - <<'EOP'
import random
random.seed(1)
def line(x): return f"{x:064x}\n"
def flipped(x, n):
    for b in random.sample(range(256), n): x ^= 1 << b
    return x
members = [random.getrandbits(256) for _ in range(1000)]
open("members", "w").writelines(map(line, members))
open("near", "w").writelines(line(flipped(random.choice(members), 12)) for _ in range(1000))
open("far", "w").writelines(line(random.getrandbits(256)) for _ in range(1000))
open("first", "w").writelines(map(line, members[:500]))
open("second", "w").writelines(map(line, members[500:]))
EOP
bits="--set metric=hamming --set near=0.05 --set far=0.4"
done_quietly hortus build distance_sensitive -o bits $bits -n 1000 members
run 0 hortus query bits members
cmp -s "$out" members || fail "every member is near a member"
equal "near keys, of which 1 % may be missed (allowed: 5 %)" yes "$([ "$(hortus query bits -c near)" -ge 950 ] && echo yes)"
equal "far keys, of which 1 % may be accepted (allowed: 5 %)" yes "$([ "$(hortus query bits -c far || true)" -le 50 ] && echo yes)"
equal "with -v the others" 1000 $(($(hortus query bits -c far || true) + $(hortus query bits -v -c far)))
run 1 hortus query bits -q -e "$(head -1 far)"

section "without -n files are read twice, and the filter is the same"
done_quietly hortus build distance_sensitive -o counted $bits members
cmp -s bits counted || fail "the filter of counted lines is another"
refused 'from a pipe, .* needs -n' bash -c 'cat members | "$HORTUS" build distance_sensitive -o piped'
done_quietly bash -c 'cat members | "$HORTUS" build distance_sensitive -o piped -n 1000 --set near=0.05 --set far=0.4'
cmp -s bits piped || fail "the filter of a pipe is another"

section "scores"
most=$(hortus info bits --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["score_at_most"])')
run 0 hortus query bits --scores members
sed "s/^/$most\t/" members | cmp -s - "$out" || fail "members have the largest score"
run 0 hortus query bits --scores --min-score 0 far
equal "a score for each line" 1000 "$(grep -Ec $'^[0-9]+\t[0-9a-f]{64}$' "$out")"
run 1 hortus query bits --min-score $((most + 1)) members
run 0 hortus query bits --scores -n -e "$(head -1 members)"
printed_line "1:$most	[0-9a-f]{64}"
run 0 hortus query bits --scores --json -e "$(head -1 members)"
json "d[0]['score'] == $most and len(d) == 1" "$out"
refused 'scores is about printed lines' hortus query bits --scores -c members
hortus build bloom -o bloom members
refused 'tells whether, not how near' hortus query bloom --scores members
refused 'tells whether, not how near' hortus query bloom --min-score 3 members

section "add and merge give the filter of all keys"
hortus build distance_sensitive -o first.hortus $bits -n 1000 first
hortus build distance_sensitive -o second.hortus $bits -n 1000 second
done_quietly hortus merge -o merged first.hortus second.hortus
cmp -s bits merged || fail "the merged filter is not that of all keys"
done_quietly hortus add first.hortus second
cmp -s bits first.hortus || fail "the filter with more keys is not that of all keys"
hortus build distance_sensitive -o other $bits -n 999 second
cp bits before
refused "'other': .*these differ in slice_bits" hortus merge -o merged bits other
refused "does not combine with a bloom filter" hortus merge -o merged bits bloom
refused "which tells how near a key is: add, query, info, verify and merge take it" hortus merge -o merged bloom bits
refused "which tells how near a key is" hortus intersect -o both bits bits
refused 'bits of members|the key has 8 bits, the members have 256' bash -c 'echo ff | "$HORTUS" add bits'
refused 'line 2 of .few.: .x. is no hexadecimal digit' bash -c 'head -1 members >few; echo x >>few; "$HORTUS" add bits few'
cmp -s bits before || fail "an add that was refused changed the file"

section "texts"
printf '%s\n' "the quick brown fox jumps over the lazy dog" "a journey of a thousand miles begins with one step" >texts.txt
done_quietly hortus build distance_sensitive -o texts -n 1000 --set metric=jaccard --set gram=3 --set near=0.2 --set far=0.9 texts.txt
run 0 hortus query texts -e "the quick brown fox jumps over a lazy dog" -e "nothing of that kind" -e "The lazy dog"
equal "only the first" "the quick brown fox jumps over a lazy dog" "$(cat "$out")"
run 0 hortus query texts --ignore-case -e "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG"

section "vectors"
printf '1 2 3\n-4, 5, 6\n' >vectors.txt
done_quietly hortus build distance_sensitive -o vectors -n 100 --set metric=angle --set near=0.03 --set far=0.4 vectors.txt
run 0 hortus query vectors -e "2.1 4 6" -e "3,2,1e3" -e "-8 10 12" -e "-1 -2 -3"
equal "those of nearly the same direction" "$(printf '2.1 4 6\n-8 10 12')" "$(cat "$out")"
refused 'the key has 2 numbers, the members have 3' hortus query vectors -e "1 2"
refused 'a vector of zeros has no direction' hortus query vectors -e "0 0 0"
refused "'x' is no number" hortus query vectors -e "1 x 3"

section "info, verify, list, plan"
run 0 hortus info texts --json
json "d['family'] == 'distance_sensitive' and d['metric'] == 'jaccard' and d['gram'] == 3 and d['near'] == 0.2 and d['far'] == 0.9" "$out"
json "d['items_inserted'] == 2 and d['items_planned'] == 1000 and d['fnr_at_most'] <= 0.01 and d['dimension'] is None" "$out"
run 0 hortus info bits
printed_line 'metric +hamming'
printed_line 'dimension +256'
run 0 hortus verify bits texts
printed_line 'bits: ok, a distance_sensitive filter of .*'
printf 'x' | dd of=texts bs=1 seek=700 conv=notrunc status=none
refused 'texts' hortus verify texts
run 0 hortus list distance_sensitive
printed_line 'verbs +is_near score insert .*'
run 0 hortus list
printed_line '  distance_sensitive +.*'
run 0 hortus plan -n 1000 $bits --json
json "d['fnr'] <= 0.01 and d['fpr'] <= 0.01 and d['params']['near'] == 0.05 and len(d['answers']) == 101" "$out"
json "d['answers'][0]['accepted'] == 1 and d['answers'][5]['accepted'] >= 0.99 and d['answers'][40]['accepted'] <= 0.01" "$out"
json "d['size_bytes'] == $(hortus info bits --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["size_bytes"])')" "$out"
run 0 hortus plan -n 1000 $bits
grep -q 'hortus build distance_sensitive -n 1000 -p 0.01 --set metric=hamming --set near=0.05 --set far=0.4 -o FILE KEYS' "$out" ||
  fail "the command to build it" "$(cat "$out")"
refused 'near at most 0\.[0-9]+, or far at least 0\.[0-9]+, would be possible' hortus plan -n 1M --set near=0.3 --set far=0.4
refused 'takes only -n, -p and --set' hortus plan -n 1M --memory 1M --set near=0.3
refused 'needs -n' hortus plan --set near=0.3

section "with a secret key"
head -c 16 /dev/zero >secret
done_quietly hortus build distance_sensitive -o keyed $bits -n 1000 --key-file secret members
equal "members" 1000 "$(hortus query keyed --key-file secret -c members)"
refused 'secret key' hortus query keyed members
run 0 hortus info keyed

section "what does not go together is refused"
refused "there is no metric 'euclid'; there are: hamming, jaccard or angle" hortus build distance_sensitive -o x --set metric=euclid members
refused "gram is about pieces of text" hortus build distance_sensitive -o x --set gram=3 members
refused "'metric' is given twice" hortus build distance_sensitive -o x --set metric=angle --set metric=angle members
refused "there is no setting 'no'; this family has: metric, near, far" hortus build distance_sensitive -o x --set no=1 members
refused 'near must be less than far' hortus build distance_sensitive -o x --set near=0.5 --set far=0.4 members
refused 'would be possible' hortus build distance_sensitive -o x --set near=0.39 --set far=0.4 members
refused 'more than --memory' hortus build distance_sensitive -o x -n 1M --memory 1M members
for option in "--threads 2" "--window 10min" "--need merge" "--absent far" "--integers" "--values text"; do
  refused '^hortus: --' hortus build distance_sensitive -o x $option members
done
refused 'add, query, info, verify and merge take it' hortus count bits members
refused 'add, query, info, verify and merge take it' hortus fold bits --by 2 -o x
refused 'add, query, info, verify and merge take it' hortus pack bits -o x
refused 'add, query, info, verify and merge take it' hortus remove bits members
refused 'leave --integers away' hortus query bits --integers -e 1
refused 'print-new' hortus add --print-new bits members
refused 'hortus build makes it' hortus add --create --family distance_sensitive new members
[ ! -e x ] && [ ! -e new ] || fail "a command that was refused left a file"

section "a filter with more keys than planned is told"
hortus build distance_sensitive -o small $bits -n 200 /dev/null
run 0 hortus add small members
said 'warning: the filter accepts .* of far keys, and was planned for 1 %: it got 1000 keys, and was planned for 200'
