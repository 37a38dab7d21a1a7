#!/usr/bin/env bash
# --threads of build and query: other threads split lines and hash keys. The results are those of one thread, byte for byte.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 200000 | sed 's/$/ a line that is somewhat longer/' >members # several pieces
seq 190001 400000 | sed 's/$/ a line that is somewhat longer/' >asked
printf 'id,name\n' >table.csv
seq 100000 | awk '{ print $1 % 7 == 0 ? $1 : $1 ",name " $1 }' >>table.csv

section "build: the same bytes, of every family that inserts or is built at once"
head -20000 members >some
tried=0
for family in $(families insert) $(families build); do
  ! hortus list "$family" --json | grep -q '"find"' || continue # maps read values, too
  if hortus list "$family" --json | grep -q '"top"'; then
    refused "keeps keys as they are, and takes them with one thread" hortus build "$family" -o none --threads 2 some
    continue
  fi
  for n in '' '-n 20000'; do
    hortus build "$family" -o one $n some
    hortus build "$family" -o two $n --threads 3 some
    same_bytes one two
  done
  tried=$((tried + 1))
done
[ $tried -gt 20 ] || fail "only $tried families were tried"

section "build: more than one piece, from files, pipes and the command line"
hortus build bloom -o one -e ada -e eve members asked
hortus build bloom -o two -e ada -e eve --threads 2 members asked
same_bytes one two
cat members | hortus build blocked -o one
cat members | hortus build blocked -o two --threads 3
same_bytes one two
seq 20000 | hortus build auto -o one
seq 20000 | hortus build auto -o two --threads 2
same_bytes one two
cat members | hortus build blocked -o one
gzip -k members
hortus build blocked -o two --threads 3 members.gz
same_bytes one two
hortus build blocked -o one --csv name table.csv 2>one.told
hortus build blocked -o two --threads 2 --csv name table.csv 2>two.told
same_bytes one two
same_bytes one.told two.told
grep -q 'lines have no column name' two.told || fail "no word about lines without a key"
seq 300000 >numbers
hortus build blocked -o one --integers numbers
hortus build blocked -o two --threads 2 --integers numbers
same_bytes one two

section "build: a large filter is filled by all threads, in the order of memory"
for family in blocked split_block bloom partitioned; do
  hortus build $family -o one -n 30M </dev/null
  hortus add one -e ada members asked numbers # one block after the other
  for threads in 1 2 5; do
    hortus build $family -o two -n 30M --threads $threads -e ada members asked numbers
    same_bytes one two
  done
done
hortus build blocked -o one -n 30M --csv name table.csv 2>one.told
hortus build blocked -o two -n 30M --threads 3 --csv name table.csv 2>two.told
same_bytes one two
same_bytes one.told two.told

section "build: one that is full refuses the same keys, and errors name the same line"
run 2 hortus build d_left -o none -n 10000 members
sed 's/^hortus: //' "$err" >one.told
run 2 hortus build d_left -o none -n 10000 --threads 2 members
sed 's/^hortus: //' "$err" >two.told
same_bytes one.told two.told
(seq 250000 && echo nothing && seq 10) >numbers
echo nothing >>numbers
refused 'line 250001 of .numbers.: .nothing. is no integer' hortus build bloom -o none --threads 3 --integers numbers
refused 'line 250001 of .numbers.: .nothing. is no integer' hortus build blocked -o none -n 30M --threads 3 --integers numbers
[ ! -e none ] || fail "a file after an error"
refused 'has no column' hortus build bloom -o none --threads 3 --csv age table.csv
refused 'add takes its keys with one thread' hortus add new --create --family bloom -n 10 --threads 2 some
refused 'threads' hortus build bloom -o none --threads 0 some
refused 'at most 1024' hortus query none --threads 2000 some

section "query: the same lines in the same order, whatever is printed of them"
hortus build blocked -o f -p 1e-6 members
for options in '' -v -c '-c -v' -n '-n -H' --json '--json -c' '-m 5' '-v -m 70000' '-c -m 3' -q '-e ada -e eve -v'; do
  for inputs in asked 'members asked' 'asked members asked'; do
    one=0 two=0
    hortus query $options f $inputs >one || one=$?
    hortus query $options --threads 3 f $inputs >two || two=$?
    equal "status with '$options' of $inputs" $one $two
    same_bytes one two
  done
done
# With -c alone no lines are listed, and large filters are prefetched while lines are hashed.
hortus build blocked -o large -n 3M members
for filter in f large; do
  for input in '' --crlf '--field 1' '-d s --field 2' --ignore-case -0; do
    for invert in '' -v; do
      selected=$(hortus query $invert --json $input $filter asked members | jq length || true)
      for threads in 1 3; do
        equal "number of lines with '$invert $input' of $filter" $selected \
          "$(hortus query -c $invert $input --threads $threads $filter asked members || true)"
      done
    done
  done
done
hortus build blocked -o names --csv name table.csv 2>/dev/null
for options in '' -v -c --json -n; do
  hortus query $options names --csv name table.csv table.csv >one 2>one.told
  hortus query $options --threads 2 names --csv name table.csv table.csv >two 2>two.told
  same_bytes one two
  same_bytes one.told two.told
done
cat asked | hortus query --threads 2 f >two
hortus query f asked >one
same_bytes one two

section "query: answers come as the questions do, with threads too"
mkfifo questions answers
hortus query --threads 2 f questions >answers &
asker=$!
exec 3<>questions
exec 4<answers
for number in 7 300001 8; do
  echo "$number a line that is somewhat longer" >&3
  [ $number -gt 200000 ] || {
    read -r -t 20 answer <&4 || fail "no answer to $number while the pipe is open"
    equal "answer" "$number a line that is somewhat longer" "$answer"
  }
done
exec 3>&-
wait $asker || fail "query of a pipe: status $?"
exec 4<&-

section "query: ends when enough is found, though its pipe stays open"
(
  echo "7 a line that is somewhat longer"
  exec sleep 30
) >questions &
sleeper=$!
seconds=$SECONDS
run 0 hortus query -q --threads 3 f questions
[ $((SECONDS - seconds)) -lt 20 ] || fail "waited for a pipe after the first line was found"
kill $sleeper

section "build: an error is told at once, though the pipe stays open"
for n in 1000 30M; do
  (
    echo nothing
    exec sleep 30
  ) >questions &
  sleeper=$!
  seconds=$SECONDS
  refused 'is no integer' hortus build blocked -o none -n $n --threads 3 --integers questions
  [ $((SECONDS - seconds)) -lt 20 ] || fail "waited for a pipe after an error"
  kill $sleeper
done

section "query: a filter that forgets by the clock is asked by one thread"
hortus build age_partitioned -o recent --window 1h -n 1000 -e ada
refused 'forgets by the clock is asked by one thread' hortus query recent --threads 2 -e ada
