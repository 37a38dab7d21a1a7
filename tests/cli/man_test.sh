#!/usr/bin/env bash
# The man pages: well-formed, and complete by what the command's own help says.
set -euo pipefail
. "$(dirname "$0")/check.sh"

commands_of_help() { sed -n '/^Commands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p'; }
options_of_help() { sed -n '/^Options:/,/^$/s/^  \(-[^ ]*\).*/\1/p' | tr ',' '\n'; }
arguments_of_help() { sed -n '/^Arguments:/,/^$/s/^  \([A-Z]\{1,\}\).*/\1/p'; }
examples_of_help() { sed -n '/^Examples\{0,1\}: /,$s/^\(Examples\{0,1\}:\)\{0,1\} *//p'; }

section "a page for every command"
run 0 hortus --help
commands=$(commands_of_help <"$out")
[ "$(wc -w <<<"$commands")" -ge 17 ] || fail "hortus --help should name the commands" "$(cat "$out")"
run 0 hortus man --list
equal "commands of man --list" "$commands" "$(cat "$out")"
for command in '' $commands; do
  run 0 hortus man $command
  page=hortus${command:+-$command}
  cp "$out" "$page.1"
  [ ! -s "$err" ] || fail "hortus man $command should say nothing on standard error" "$(cat "$err")"
done
refused "^hortus: there is no command 'biuld'; did you mean 'build'\? hortus --help names all$" hortus man biuld
run 0 hortus help redis push
grep -q '^Usage: hortus redis push' "$out" || fail "hortus help redis push should explain it" "$(cat "$out")"
refused "there is no command 'psh'; did you mean 'push'" hortus help redis psh
refused "there is no command 'psh'; did you mean 'push'" hortus redis psh
refused 'which action' hortus redis
refused '--list names all commands' hortus man --list build

section "every variable of the environment that the command reads is in the page"
variables=$(grep -rhoE '(getenv|environment)\("[A-Z_]+"\)' "$HORTUS_SOURCE_DIR"/{cli,src,include} | grep -oE '[A-Z_]{2,}' | sort -u)
[ -n "$variables" ] || fail "no variables found in the source of the command"
for variable in $variables; do
  grep -qF "\\fB$variable\\fR" hortus.1 || fail "hortus(1) should explain $variable"
done
equal "variables of hortus(1)" "$(xargs <<<"$variables")" \
  "$(sed -n '/^.SH ENVIRONMENT/,/^.SH FILES/s/^\\fB\([A-Z_]*\)\\fR$/\1/p' hortus.1 | sort | xargs)"

if ! command -v mandoc >/dev/null; then
  skip "mandoc is not installed"
  exit 77
fi

section "mandoc finds nothing to warn of"
run 0 mandoc -T lint -W warning ./*.1
[ ! -s "$out" ] && [ ! -s "$err" ] || fail "mandoc -T lint" "$(cat "$out" "$err")"
if command -v groff >/dev/null; then
  for page in *.1; do
    run 0 groff -man -Tascii -ww "$page"
    [ ! -s "$err" ] || fail "groff warns of $page" "$(cat "$err")"
  done
fi

section "rendered, a page has every option, argument and example of the help"
total=0
for command in '' $commands; do
  page=hortus${command:+-$command}
  mandoc -T ascii -O width=200 "$page.1" | sed 's/.\x08//g' >page.txt
  run 0 hortus $command --help
  cp "$out" help.txt
  options=$(options_of_help <help.txt)
  grep -qx -- --help <<<"$options" || fail "no options found in the help of '$command'" "$(cat help.txt)"
  for option in $options; do
    grep -Eq -- "^ {5,7}(-[^ ]+, )*$option(,| |$)" page.txt || fail "$page(1) should explain $option" "$(cat page.txt)"
    total=$((total + 1))
  done
  for argument in $(arguments_of_help <help.txt); do
    grep -Eq "^ {5,7}$argument( |$)" page.txt || fail "$page(1) should explain $argument" "$(cat page.txt)"
    grep -Eq "^ +hortus $command .*$argument" page.txt || fail "the synopsis of $page(1) should have $argument" "$(cat page.txt)"
  done
  while IFS= read -r example; do
    [ -z "$example" ] || grep -qF -- "$example" page.txt || fail "$page(1) should have the example: $example" "$(cat page.txt)"
  done < <(examples_of_help <help.txt)
  for title in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' 'SEE ALSO'; do
    grep -qx "$title" page.txt || fail "$page(1) has no section $title" "$(cat page.txt)"
  done
done
mandoc -T ascii -O width=200 hortus-redis.1 | sed 's/.\x08//g' >page.txt
actions=$(hortus redis --help | sed -n '/^Actions:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$actions")" -ge 6 ] || fail "hortus redis --help should name its actions"
for action in $actions; do
  sed -n "/^ *hortus redis $action\$/,/^ *hortus redis [a-z]*\$/p" page.txt >part.txt
  run 0 hortus redis $action --help
  for option in $(options_of_help <"$out"); do
    grep -Eq -- "^ {5,7}(-[^ ]+, )*$option(,| |$)" part.txt || fail "hortus-redis(1) should explain $option of $action" "$(cat page.txt)"
  done
  grep -Eq "^ +hortus redis $action .*URL KEY" page.txt || fail "the synopsis of hortus-redis(1) should have $action" "$(cat page.txt)"
done
[ "$total" -ge 100 ] || fail "only $total options were looked for"
for command in $commands; do
  grep -q "^\.BR hortus\\\\-$command (1)" hortus.1 || fail "hortus(1) should refer to hortus-$command(1)"
done

section "what roff would take for its own is escaped"
# Through a file: grep -q ends at the first match, and what still writes into a pipe would fail then.
mandoc -T ascii -O width=200 hortus-uniq.1 | sed 's/.\x08//g' >page.txt
grep -qF "tail -f access.log | hortus uniq --field 1 --delimiter ' ' --window 1M" page.txt ||
  fail "the example of uniq is not shown as it is typed"
mandoc -T ascii -O width=200 hortus.1 | sed 's/.\x08//g' >page.txt
grep -q '^ *\.hortus-PID-N' page.txt || fail "a name that begins with a dot is lost"
