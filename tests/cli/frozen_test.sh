#!/usr/bin/env bash
# Families that are built of all keys at once: build, and what they refuse afterwards.
set -euo pipefail
. "$(dirname "$0")/check.sh"
tab=$'\t'
seq 20000 >keys
{ cat keys; seq 10000; seq 10 10 10000; } >repeated # 9000 twice, 1000 thrice, 10000 once
seq 100001 120000 >others

some=$(comm -23 <(families build | tr ' ' '\n' | sort) <(families find | tr ' ' '\n' | sort)) # maps: see map_test.sh
[ "$(wc -w <<<"$some")" -ge 4 ] || fail "families that are built at once" "$some"
for family in $some; do
  section "$family: every key is found, from files and pipes, whatever -n says"
  done_quietly hortus build $family -o f keys
  equal "all found" 20000 "$(count f keys)"
  hortus info --json f >about.json
  json 'd["items_planned"] == 20000 and d["items_inserted"] == 20000 and d["key_kind"] == "bytes"' \
    'd["fpr_estimate"] < 0.012 and "build" in d["verbs"] and "insert" not in d["verbs"]' about.json
  [ "$(count f others)" -le 300 ] || fail "too many false positives" # 200 at most on average; seven deviations
  hortus build $family -o g < <(cat keys)
  same_bytes f g
  tac keys | hortus build $family -o g
  same_bytes f g
  for n in 1 20000 20k 1e9; do # a hint: neither an error nor a warning, and no other filter
    done_quietly hortus build $family -o g -n $n keys
    hortus info --json g >hinted.json
    json "d['items_planned'] == int(float('$n'.replace('k', 'e3')))" hinted.json
    equal "size, told -n $n" "$(grep size_bytes about.json)" "$(grep size_bytes hinted.json)"
    equal "answers, told -n $n" "$(hortus query f others | cksum)" "$(hortus query g others | cksum)"
  done
  refused 'whole number' hortus build $family -o none -n some keys
  # Past --memory the digests go to a temporary file: 8 bytes a key are 160 kB.
  hortus build $family -o g -p 1% --memory 100k keys
  same_bytes f g
  hortus build $family -o small --memory 20k keys
  hortus info --json small >about.json
  json '12000 < d["size_bytes"] <= 20000 and 0.003 < d["fpr_planned"] < 0.2' about.json
  equal "all found in little space" 20000 "$(count small keys)"
  refused 'needs .*more than --memory' hortus build $family -o none -p 1e-6 --memory 20k keys
  [ ! -e none ] || fail "an output file after an error"

  section "$family: of no keys, and of one"
  done_quietly hortus build $family -o none /dev/null
  equal "nothing found" 0 "$(count none keys)"
  run 0 hortus verify none
  hortus info none >/dev/null
  rm none
  done_quietly hortus build $family -o one <(echo 7)
  equal "found" 7 "$(hortus query one <(echo 7))"

  section "$family: takes no more keys and says so"
  cp f before
  refused "'f': an? $family( filter)? has no insert, it is built of all its keys at once; families that have it: bloom" hortus add f others
  refused "'f': an? $family( filter)? has no erase; families that have it: .*counting" hortus remove f keys
  case " $(families build merge | tr '\n' ' ') " in
    *" $family "*) ;; # below
    *) refused "'f': an? $family( filter)? has no merge; families that have it: .*bloom" hortus merge -o none f g ;;
  esac
  same_bytes before f
  [ ! -e none ] || fail "an output file after an error"
  hortus plan -n 20000 --need build --json >plan.json
  json "any(c['family'] == '$family' and 'all keys at once' in c['why'] for c in d['candidates'])" plan.json
done

some=$(families build count)
for family in $some; do
  section "$family: counts repeated keys"
  hortus build $family -o f -p 1e-9 repeated
  hortus info --json f >about.json
  json 'd["items_planned"] == 20000 and d["items_inserted"] == 31000' about.json
  run 0 hortus count f keys
  awk -v OFS='\t' '{print ($1 > 10000 ? 1 : $1 % 10 ? 2 : 3), $1}' keys | cmp - "$out" || fail "counts" "$(head "$out")"
  equal "an absent key" "0${tab}x" "$(hortus count f <(echo x))"
  hortus build $family -o g -p 1e-9 --memory 1M - < <(sort -R --random-source=keys repeated)
  same_bytes f g
done

some=$(families build merge)
for family in $some; do
  section "$family: filters of equal capacity merge to the filter of all keys"
  head -n 15000 keys >first
  tail -n 15000 keys >last
  for part in first last keys; do hortus build $family -o $part.f --set capacity=20000 $part; done
  done_quietly hortus merge -o both first.f last.f
  equal "all found" 20000 "$(count both keys)"
  equal "answers of the merged filter" "$(hortus query keys.f others | cksum)" "$(hortus query both others | cksum)"
  hortus build $family -o other --set capacity=40000 last
  refused 'only filters of the same shape combine' hortus merge -o none first.f other
  refused '20000 distinct keys, more than the capacity of 100' hortus build $family -o none --set capacity=100 keys
  [ ! -e none ] || fail "an output file after an error"
done

section "--threads: the same bytes, however many threads build it and wherever the digests are kept"
refused 'threads' hortus build golomb_set -o none --threads 0 keys
refused 'auto makes a filter that takes more keys later; name a family .* such as ribbon' hortus build auto --need build -o none keys
refused 'at most 1024' hortus build golomb_set -o none --threads 1025 keys
seq 600000 >many
for family in $some; do
  hortus build $family -o f many
  for options in '--threads 2' '--threads 7' '--memory 1500k -p 1%' '--memory 1500k -p 1% --threads 3'; do
    hortus build $family -o g $options many
    same_bytes f g
  done
  TMPDIR=$PWD/nowhere refused "cannot create a temporary file for the keys in '.*nowhere'.*TMPDIR" \
    hortus build $family -o none --memory 1500k -p 1% many
  [ ! -e none ] || fail "an output file after an error"
done
