#!/usr/bin/env bash
# Help by other names, and what a misspelt command, option or family may have meant.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 1000 >keys
hortus build bloom -o good -n 1000 keys

section "hortus help is hortus --help, and hortus help COMMAND is hortus COMMAND --help"
run 0 hortus --help
cp "$out" all
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p' all)
[ "$(wc -w <<<"$commands")" -ge 14 ] || fail "hortus --help should name the commands" "$(cat all)"
run 0 hortus help
same_bytes all "$out"
for command in $commands; do
  run 0 hortus "$command" --help
  cp "$out" one
  grep -q "^Usage: hortus $command" one || fail "hortus $command --help" "$(cat one)"
  run 0 hortus help "$command"
  same_bytes one "$out"
done
refused '^hortus: not expected: query; see hortus help --help$' hortus help build query
full() { "$HORTUS" "$@" >/dev/full; }
refused 'cannot write standard output: No space left' full help
refused 'cannot write standard output: No space left' full help build

section "its layout is ours, whatever that of the parser's version"
has_line() { grep -qxF -- "$1" "$out" || fail "no line '$1'" "$(cat "$out")"; }
for command in '' $commands; do
  run 0 hortus $command --help
  ! grep -n ' $' "$out" || fail "the lines above of hortus $command --help end with a space"
  has_line 'Options:'
  has_line '  -h,--help                 print this help'
done
run 0 hortus merge --help
has_line 'Usage: hortus merge [OPTIONS] FILES...'
has_line '  FILES ... REQUIRED        filters; - is standard input'
run 0 hortus grow --help
has_line 'Arguments:'
has_line '  --by N=2                  so many times more keys: 2, 4, 8, ...'

section "-V is --version"
run 0 hortus --version
cp "$out" version
run 0 hortus -V
same_bytes version "$out"

section "an unknown command"
refused "^hortus: there is no command 'biuld'; did you mean 'build'\? hortus --help names all$" hortus biuld
refused "^hortus: there is no command 'querry'; did you mean 'query'\? hortus --help names all$" hortus querry good keys
refused "^hortus: there is no command 'rose'; hortus --help names all$" hortus rose
refused "^hortus: there is no command 'biuld'; did you mean 'build'\? hortus --help names all$" hortus help biuld
refused "^hortus: there is no command 'rose'; hortus --help names all$" hortus help rose
for pair in check:query test:query contains:query create:build new:build make:build insert:add delete:remove erase:remove \
  rm:remove del:remove union:merge join:merge dedup:uniq dedupe:uniq unique:uniq show:info stat:info estimate:plan \
  choose:plan halve:fold; do
  refused "no command '${pair%:*}'; did you mean '${pair#*:}'\?" hortus "${pair%:*}"
done
if grep -qx intersect <<<"$commands"; then refused "did you mean 'intersect'\?" hortus intersection; fi

section "an unknown option"
refused '^hortus: not expected: --itmes; did you mean --items\? see hortus build --help$' hortus build bloom -o none --itmes 5
refused '^hortus: not expected: --itmes=5; did you mean --items\? see hortus build --help$' hortus build bloom -o none --itmes=5
refused '^hortus: not expected: --no-verfy; did you mean --no-verify\? see hortus query --help$' hortus query --no-verfy good keys
refused '^hortus: not expected: --nosuch; see hortus query --help$' hortus query --nosuch good keys
refused '^hortus: not expected: --invret; see hortus info --help$' hortus info good --invret # which query has

section "a required option that is there but misspelt"
refused '^hortus: not expected: --ouptut; did you mean --output\? see hortus build --help$' hortus build bloom --ouptut none keys
refused '^hortus: --output is required; see hortus build --help$' hortus build bloom keys
refused '^hortus: --output is required; see hortus build --help$' hortus build bloom --rose keys

section "an unknown family, wherever one is named"
for command in 'build blom -o none keys' 'list blom' 'bench --families blom -n 10'; do
  refused "^hortus: there is no family 'blom'; did you mean bloom\? there are: bloom, " hortus $command
done
refused "^hortus: there is no family 'rose'; there are: bloom, " hortus build rose -o none keys
no_debris keys good all one version
