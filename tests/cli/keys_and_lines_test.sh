#!/usr/bin/env bash
# Keys are bytes, one per line.
set -euo pipefail
. "$(dirname "$0")/check.sh"

# keys_of [OPTION...]: builds from standard input and prints the number of keys.
keys_of() {
  cat >keys
  hortus build bloom -o keys.hortus -n 1000 "$@" keys
  hortus info --json keys.hortus | sed -n 's/^ *"items_inserted": \([0-9]*\),$/\1/p'
}
# holds KEY: is the key in the filter? printf's escapes are understood.
holds() { printf "$1\0" | hortus query -0 -c keys.hortus >/dev/null; }
lacks() { ! holds "$1" || fail "'$1' should not be in the filter"; }

section "a line is a key, with or without the final newline"
equal "keys" 3 "$(printf 'a\nb\nc\n' | keys_of)"
cp keys.hortus with
equal "keys" 3 "$(printf 'a\nb\nc' | keys_of)"
same_bytes with keys.hortus

section "empty lines are the empty key, an empty input has none"
equal "keys" 4 "$(printf '\na\n\nb\n' | keys_of)"
holds '' || fail "the empty line is a key"
equal "keys" 1 "$(printf '\n' | keys_of)"
equal "keys" 0 "$(printf '' | keys_of)"
lacks ''
lacks 'a'
run 1 hortus query keys.hortus /dev/null
[ ! -s "$out" ] || fail "an empty input selects nothing"
run 1 hortus query -c keys.hortus /dev/null
printed_line 0

section "CR belongs to the key unless --crlf"
equal "keys" 3 "$(printf 'a\r\nb\nc\r' | keys_of)"
holds 'a\r' && holds 'b' && holds 'c\r' || fail "CR should be kept"
lacks 'a'
equal "keys" 4 "$(printf 'a\r\nb\n\r\nc\r\r\n' | keys_of --crlf)"
holds 'a' && holds 'b' && holds '' && holds 'c\r' || fail "one CR should be taken off"
lacks 'a\r'
run 0 hortus query --crlf keys.hortus <<<$'a\r\nzzz\r'
equal "printed lines" "a" "$(cat "$out")"

section "-0: NUL ends a key, newlines are part of it"
equal "keys" 3 "$(printf 'a\nb\0c\0\0' | keys_of -0)"
holds 'a\nb' && holds 'c' && holds '' || fail "NUL-terminated keys"
lacks 'a'
printf 'c\0x\0a\nb' >asked
hortus query -0 keys.hortus asked >selected
printf 'c\0a\nb\0' >expected
same_bytes expected selected
hortus query --null keys.hortus asked >selected
same_bytes expected selected

section "NUL and invalid UTF-8 are bytes like any other"
equal "keys" 3 "$(printf 'a\0b\n\xff\xfe\n\xc3\xa4\n' | keys_of)"
printf 'a\0b\na\n\xff\xfe\n\xff\n\xc3\xa4\n\xc3\n' >asked
printf 'a\0b\n\xff\xfe\n\xc3\xa4\n' >expected
hortus query keys.hortus asked >selected
same_bytes expected selected
printf 'a\n\xff\n\xc3\n' >expected
hortus query -v keys.hortus asked >selected
same_bytes expected selected

section "long lines: 20 MB, and as long as the buffers"
head -c 20000000 /dev/zero | tr '\0' x >long
{ cat long && printf 'y\n' && cat long && printf '\nshort\n'; } >keys
hortus build bloom -o keys.hortus keys
equal "lines" 3 "$(count keys.hortus keys)"
hortus query keys.hortus keys >selected
same_bytes keys selected
cat long | run 0 hortus query keys.hortus # without a newline, through a pipe
equal "bytes printed" 20000001 "$(stat -c %s "$out")"
printf 'z\n' | cat long - | run 1 hortus query -c keys.hortus
for bytes in 262143 262144 262145 524288; do
  head -c $bytes long | cat - <(printf '\nend') >keys
  hortus build bloom -o keys.hortus keys
  equal "lines with one of $bytes bytes" 2 "$(count keys.hortus keys)"
  hortus query keys.hortus keys | cmp - <(cat keys && echo) || fail "a line of $bytes bytes comes out changed"
done
rm long

section "several inputs in their order; an unfinished last line is not glued to the next file"
printf 'a\nb' >one
printf 'c\nd\n' >two
hortus build bloom -o parts -n 100 one two
printf 'a\nb\nc\nd\n' | hortus build bloom -o joined -n 100
same_bytes joined parts
equal "order" "c d a b" "$(hortus query parts two one | xargs)"

section "standard input: no input, -, or - among others"
printf 'a\nb\nc\nd\n' >all
for inputs in '' '-' '- -'; do
  hortus build bloom -o by_stdin -n 100 $inputs <all
  same_bytes by_stdin joined
done
hortus build bloom -o by_stdin -n 100 one - <two
same_bytes by_stdin joined
equal "order" "a b c d" "$(hortus query joined - two <one | xargs)"
hortus build bloom -o counted <all # a redirected file is counted too
hortus build bloom -o given -n 4 all
same_bytes counted given
{
  read -r first # bash reads a file's line and no more, so the position is behind it
  hortus build bloom -o rest -p 1e-9
} <all
equal "what was read before is not read again" "$first" "$(hortus query -v rest all)"

section "names that look like something else"
cp all ./-c && cp all '[a,b]' && cp all list && cp all 'a b' && cp all $'a\nb'
equal "lines" 20 "$(count joined -- -c '[a,b]' list 'a b' $'a\nb')"
equal "lines" 4 "$(count joined ./-c)"

section "the locale does not matter"
printf '\xc3\xa4\xc3\xb6\n\xe4\nI\ni\n\xc4\xb1\n1,5\n' >words
hortus build bloom -o reference words
hortus plan -n 1500 -p 0.5% >reference.txt
for locale in C C.UTF-8 POSIX en_US.UTF-8 de_DE.UTF-8 tr_TR.UTF-8 nonsense; do
  LC_ALL=$locale LANG=$locale hortus build bloom -o localised -p 1.0% words
  same_bytes reference localised
  LC_ALL=$locale hortus query reference words >selected
  same_bytes words selected
  LC_ALL=$locale hortus plan -n 1500 -p 0.5% >localised.txt
  same_bytes reference.txt localised.txt
done

section "no false negatives among 100 000 lines"
seq 100000 | sed 's/.*/key number &/' >keys
some=$(families insert may_contain)
for family in $some; do
  hortus build $family -o big keys
  hortus query big keys >selected
  same_bytes keys selected
  run 1 hortus query -v big keys
  [ ! -s "$out" ] || fail "$family forgot $(wc -l <"$out") keys"
  # 100 000 others at a rate of 1 %: at most 1000 expected, standard deviation 32; seven of them is a chance below 1e-11.
  others=$(seq 100000 | sed 's/.*/other &/' | count big)
  [ "$others" -gt 0 ] && [ "$others" -lt 1224 ] || fail "$family: $others false positives in 100000, not about 1000"
done
