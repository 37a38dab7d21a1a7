#!/usr/bin/env bash
# hortus build: how it plans, counts, buffers and what it refuses to ignore.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 1000 >keys

section "numbers as people write them"
hortus build bloom -o reference -n 1000 -p 0.01 keys
for n in 1e3 1k 1K_not_this 0.001M 1000.0 '1.0e3' 01000; do
  case $n in
    *not_this) refused "'1K_not_this' is not a count" hortus build bloom -o by_number -n $n keys ;;
    *) hortus build bloom -o by_number -n $n keys && same_bytes reference by_number ;;
  esac
done
for p in 1% 1e-2 .01 0.010 1.0%; do
  hortus build bloom -o by_number -n 1000 -p $p keys
  same_bytes reference by_number
done
hortus build bloom --items=1000 --fpr=1% --output=by_number keys
same_bytes reference by_number
hortus build bloom -n1000 -p1% -oby_number keys
same_bytes reference by_number
hortus build bloom keys -o by_number # counted; 1 % is the default
same_bytes reference by_number
hortus build bloom -o by_number -n 64Ki keys
hortus build bloom -o by_digits -n 65536 keys
same_bytes by_number by_digits
rm by_*

section "nonsense is refused with what is allowed, and nothing is written"
for n in -5 -0 1e40 18446744073709551616 0.5 1.5 nan inf '' ' ' 1e 0x10 1,000 1kk '1 k' ten; do
  refused 'whole number|empty' hortus build bloom -o none -n "$n" keys
done
for p in 0 1 -0.1 2 100% 0% nan inf -nan 1e-400 '' % 1%% 0,01 p; do
  refused 'between 0 and 1|empty' hortus build bloom -o none -p "$p" keys
done
refused 'between 2\^-64' hortus build bloom -o none -p 1e-300 keys
refused 'the most is 2\^42' hortus build bloom -o none -n 1e13 keys
refused 'whole number' hortus build bloom -o none --seed -1 keys
refused 'whole number' hortus build bloom -o none --memory 0 keys
refused 'whole number' hortus build bloom -o none --memory lots keys
refused "there is no family 'rose'; there are: .*bloom" hortus build rose -o none keys
refused 'FAMILY' hortus build
refused 'output' hortus build bloom keys
refused 'items' hortus build bloom -o none -n 1 -n 2 keys
no_debris keys reference

section "build is a function: the same keys, the same bytes; order and repetition do not matter to bloom's cells"
hortus build bloom -o again -n 1000 keys
same_bytes reference again
hortus build partitioned -o p1 keys
hortus build partitioned -o p2 keys
same_bytes p1 p2
different_bytes reference p1
tac keys | hortus build bloom -o reversed -n 1000
same_bytes reference reversed

section "--seed and --hash are used"
hortus build bloom -o seed0 --seed 0 keys
same_bytes reference seed0
hortus build bloom -o seed7 --seed 7 keys
different_bytes reference seed7
hortus build bloom -o largest --seed 18446744073709551615 keys
hortus info --json largest >about.json
json 'd["seed"] == 2**64 - 1 and d["hash"] == "xxh3"' about.json
hortus build bloom -o xxh64 --hash xxh64 --seed 7 keys
different_bytes seed7 xxh64
hortus info --json xxh64 >about.json
json 'd["hash"] == "xxh64" and d["seed"] == 7' about.json
equal "all found with xxh64" 1000 "$(count xxh64 keys)"
hortus build bloom -o xxh3 --hash xxh3 keys
same_bytes reference xxh3
refused "no 'md5'.*xxh3" hortus build bloom -o none --hash md5 keys

section "--set"
hortus build bloom -o five --set probes=5 keys # the input behind it is not swallowed
hortus info --json five >about.json
json 'd["params"]["probes"] == 5 and d["items_inserted"] == 1000' about.json
hortus build partitioned -o five keys --set probes=5
equal "all found with five probes" 1000 "$(count five keys)"
refused "no setting 'petals'.*probes" hortus build bloom -o none --set petals=5 keys
refused 'NAME=VALUE' hortus build bloom -o none --set probes keys
for value in '' five 5.5 -1 1000 5=6; do
  refused 'probes' hortus build bloom -o none --set probes=$value keys
done

section "-n omitted: distinct keys are counted in files, pipes are kept as digests, with the same bytes"
hortus build bloom -o counted keys keys
hortus info --json counted >about.json
json 'd["items_planned"] == 1000 and d["items_inserted"] == 2000' about.json
hortus build bloom -o piped < <(cat keys keys)
same_bytes counted piped
seq 100000 >many
hortus build bloom -o counted many
hortus build bloom -o given -n 100000 many
same_bytes given counted
hortus build bloom -o piped < <(cat many)
same_bytes given piped
# Past --memory they go to a temporary file: 8 bytes a key are 800 kB.
hortus build bloom -o spilled -p 1% --memory 200k < <(cat many)
same_bytes given spilled
hortus build bloom -o spilled --memory 200k < <(cat many)
hortus build bloom -o in_memory -n 100000 --memory 200k many
same_bytes in_memory spilled
# One below, at and one above the limit, and at the edge of a block.
for lines in 1023 1024 1025 4096 25000 25001; do
  head -n $lines many >some
  hortus build bloom -o given -n $lines some
  hortus build bloom -o spilled -p 1% --memory 200000 < <(cat some)
  same_bytes given spilled
done
hortus build bloom -o empty < <(:)
hortus build bloom -o none_given -n 0 /dev/null
same_bytes empty none_given
mkdir elsewhere
TMPDIR=$PWD/elsewhere hortus build bloom -o spilled -p 1% --memory 200k < <(cat many)
[ -z "$(ls -A elsewhere)" ] || fail "the temporary file was left: $(ls -A elsewhere)"
TMPDIR=$PWD/nowhere refused 'temporary file.*nowhere.*TMPDIR' hortus build bloom -o none -p 1% --memory 200k < <(cat many)
[ ! -e none ] || fail "an output file after an error"
hortus build bloom -o mixed many - < <(cat keys) # one pipe among files makes it a stream
equal "planned for the distinct keys of all inputs" 100000 "$(hortus info --json mixed | sed -n 's/.*"items_planned": \(.*\),/\1/p')"

section "--memory instead of -p: the best rate in that space"
hortus build bloom -o in_space -n 100000 --memory 64Ki many
hortus info --json in_space >about.json
json '60000 < d["size_bytes"] <= 65536 and 0.05 < d["fpr_planned"] < 0.12' about.json
equal "no false negatives" 100000 "$(count in_space many)"
refused 'needs .*more than --memory' hortus build bloom -o none -n 100000 -p 1% --memory 64Ki many
refused 'needs .*more than --memory' hortus build bloom -o none -p 1% --memory 64Ki < <(cat many)
refused 'too few' hortus build bloom -o none -n 100000 --memory 100 many
[ ! -e none ] || fail "an output file after an error"

section "more keys than planned: a warning with the rate that results, and the filter"
run 0 hortus build bloom -o overfull -n 500 keys
said '^hortus: warning: over capacity: about (9|10)[0-9][0-9] distinct keys in a bloom filter for 500; now [0-9.]+ %, planned 1 %; rebuild for (1 k|[0-9]+) keys(, or use scalable)?$'
equal "all found" 1000 "$(count overfull keys)"
run 0 hortus build bloom -o overfull -n 5 many
said 'more than [0-9]+ distinct keys in a bloom filter for 5, which is full; now 100 %, planned 1 %; rebuild for up to 100 k keys'
# Lines are not distinct keys: a thousand times the same one is one.
done_quietly hortus build bloom -o repeated -n 10 <(yes | head -n 1000)

section "--json describes what was made"
run 0 hortus build bloom -o described --json keys
hortus info --json described >about.json
same_bytes about.json "$out"

section "nothing is printed unless something is to be said"
done_quietly hortus build bloom -o silent keys

section "an input is not overwritten by its filter"
cp keys precious
refused 'is an input' hortus build bloom -o precious precious
ln -s precious alias
refused 'is an input' hortus build bloom -o precious alias
same_bytes keys precious
hortus build bloom -o - keys | hortus verify - >/dev/null || fail "-o - is standard output"
[ ! -e ./- ] || fail "a file called -"
