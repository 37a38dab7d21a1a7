#!/usr/bin/env bash
# Completion in fish, which says what it would offer.
set -euo pipefail
. "$(dirname "$0")/check.sh"
if ! command -v fish >/dev/null; then
  skip "fish is not installed"
  exit 77
fi
export HOME=$printed
: >seen.hortus
: >secret.key
: >'some keys.txt'

section "the script is fish, and prints nothing"
run 0 hortus completion fish
cp "$out" "$printed/hortus.fish"
done_quietly fish --no-execute "$printed/hortus.fish"
done_quietly fish --no-config "$printed/hortus.fish"

# offers LINE [WORD...]: a TAB at the end of LINE offers these words.
offers() {
  local line=$1
  shift
  run 0 fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$printed/hortus.fish" "$line"
  [ ! -s "$err" ] || fail "a TAB after '$line' prints" "$(cat "$err")"
  equal "a TAB after '$line'" "$([ $# -eq 0 ] || printf '%s\n' "$@" | sort)" "$(cut -f1 "$out" | sort)"
}

section "commands"
offers 'hortus bu' build
printed_line $'build\tmake a filter from keys'
offers 'hortus ' $(hortus man --list)
offers 'hortus nosuch '
offers 'hortus --ver' --version
offers 'hortus help que' query
offers 'hortus completion ' bash zsh fish

section "every option of every command"
commands=$(hortus man --list)
[ -n "$commands" ] || fail "hortus man --list names no command"
for command in $commands; do
  options=$(hortus $command --help | sed -n '/^Options:/,/^$/s/^  \(-[^ ]*\).*/\1/p' | tr ',' '\n')
  grep -qx -- --help <<<"$options" || fail "no options found in the help of $command"
  offers "hortus $command --" $(grep -- ^-- <<<"$options")
  for option in $options; do
    [[ $option == --* ]] || grep -Eq "__hortus_in $command'( -s .)* -s ${option#-} " "$printed/hortus.fish" ||
      fail "$option of $command is not in the script"
  done
done

section "actions of a command, and their options"
actions=$(hortus redis --help | sed -n '/^Actions:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$actions")" -ge 6 ] || fail "hortus redis --help should name its actions"
offers 'hortus redis ' $actions
offers 'hortus redis pus' push
for action in $actions; do
  options=$(hortus redis $action --help | sed -n '/^Options:/,/^$/s/^  \(-[^ ]*\).*/\1/p' | tr ',' '\n')
  offers "hortus redis $action --" $(grep -- ^-- <<<"$options")
done

section "families"
offers 'hortus build blocked_p' blocked_pair
offers 'hortus build -n 5 --hash xxh3 --json blocked_p' blocked_pair
offers 'hortus bench --families bloom,d_left,sta' bloom,d_left,stable

section "values of options"
offers 'hortus build bloom --hash ' xxh3 xxh64 siphash13 siphash24
offers 'hortus build bloom --hash=xxh6' --hash=xxh64
offers 'hortus plan --need merge,fo' merge,fold
offers 'hortus plan --need=merge,fo' --need=merge,fold
offers 'hortus build bloom -n '

section "files, where a file is wanted"
offers 'hortus query see' seen.hortus
offers 'hortus query build some' 'some keys.txt'
offers 'hortus build bloom -o se' seen.hortus secret.key
offers 'hortus build bloom --key-file se' seen.hortus secret.key
offers 'hortus build bloom -- se' seen.hortus secret.key
offers 'hortus fold seen.hortus '
offers 'hortus plan '
