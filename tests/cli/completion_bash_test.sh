#!/usr/bin/env bash
# Completion in bash: its function is called as bash calls it, and words are typed into an interactive bash.
set -euo pipefail
. "$(dirname "$0")/check.sh"
: >seen.hortus
: >secret.key
: >'some keys.txt'

section "the script is bash, and prints nothing"
run 0 hortus completion bash
cp "$out" "$printed/script"
done_quietly bash -n "$printed/script"
. "$printed/script"
equal "what completes hortus" "complete -F _hortus hortus" "$(complete -p hortus)"
refused "^hortus: there is no completion for 'tcsh'; there are: bash, zsh, fish$" hortus completion tcsh

# offers LINE [WORD...]: a TAB at the end of LINE offers these words. Bash cuts words at blanks, and = is a word of its own.
offers() {
  local line=$1 expected
  shift
  expected=$(printf '%s\n' "$@" | sort)
  read -ra COMP_WORDS <<<"${line//=/ = }"
  [[ $line != *' ' ]] || COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _hortus || : # status 1 where compgen finds nothing
  equal "a TAB after '$line'" "$expected" "$(printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort)"
}

section "commands"
offers 'hortus bu' build
offers 'hortus ' $(hortus man --list)
offers 'hortus nosuch '
offers 'hortus --ver' --version
offers 'hortus help que' query
offers 'hortus man que' query
offers 'hortus completion ' bash zsh fish

section "every option of every command"
commands=$(hortus man --list)
for command in $commands; do
  options=$(hortus $command --help | sed -n '/^Options:/,/^$/s/^  \(-[^ ]*\).*/\1/p' | tr ',' '\n')
  grep -qx -- --help <<<"$options" || fail "no options found in the help of $command"
  offers "hortus $command -" $options
done

section "actions of a command, and their options and files"
actions=$(hortus redis --help | sed -n '/^Actions:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$actions")" -ge 6 ] || fail "hortus redis --help should name its actions"
offers 'hortus redis ' $actions
offers 'hortus redis pu' push pull
offers 'hortus redis nosuch '
for action in $actions; do
  options=$(hortus redis $action --help | sed -n '/^Options:/,/^$/s/^  \(-[^ ]*\).*/\1/p' | tr ',' '\n')
  offers "hortus redis $action -" $options
done
offers 'hortus redis push see' seen.hortus
offers 'hortus redis pull URL KEY -o see' seen.hortus
offers 'hortus redis query URL KEY some' 'some keys.txt'

section "families"
all=$(hortus list --json | python3 -c 'import json, sys; print(*(f["family"] for f in json.load(sys.stdin)))')
offers 'hortus build ' $all
offers 'hortus build -n 5 --hash xxh3 --json blocked_p' blocked_pair
offers 'hortus list spl' split_block
offers 'hortus bench --families sta' stable
offers 'hortus bench --families bloom,d_left,sta' bloom,d_left,stable

section "values of options"
offers 'hortus build bloom --hash ' xxh3 xxh64 siphash13 siphash24
offers 'hortus build bloom --hash=' xxh3 xxh64 siphash13 siphash24
offers 'hortus build bloom --hash=xxh6' xxh64
offers 'hortus plan --need mer' merge
offers 'hortus plan --need merge,fo' merge,fold
offers 'hortus plan --need=merge,fo' merge,fold
offers 'hortus build bloom -n '
offers 'hortus build bloom -n s'

section "files, where a file is wanted"
offers 'hortus query see' seen.hortus
offers 'hortus query seen.hortus some' 'some keys.txt'
offers 'hortus query build se' seen.hortus secret.key
offers 'hortus build bloom -o se' seen.hortus secret.key
offers 'hortus build bloom --key-file=se' seen.hortus secret.key
offers 'hortus build bloom -- s' seen.hortus secret.key 'some keys.txt'
offers 'hortus build s' $(xargs -n1 <<<"$all" | grep ^s) # and no file
offers 'hortus fold seen.hortus s'

section "typed into an interactive bash"
cat >"$printed/rc" <<END
PS1='READY> '
bind 'set bell-style none'
hortus() { printf 'GOT%s\n' "\$(printf '<%s>' "\$@")"; }
. '$printed/script'
END
typed() { equal "typed: $1" "$2" "$(python3 "$HORTUS_SOURCE_DIR/tests/cli/type_into.py" "$1" bash --noprofile --rcfile "$printed/rc" -i)"; }
typed $'hortus bui\tcoun\t_m\t' '<build><count_min>'
typed $'hortus que\tseen\tsome\t' '<query><seen.hortus><some keys.txt>'
typed $'hortus query --key-fi\tsec\tsome\\ k\t' '<query><--key-file><secret.key><some keys.txt>'
typed $'hortus plan --nee\tmerge,fol\t' '<plan><--need><merge,fold>'
