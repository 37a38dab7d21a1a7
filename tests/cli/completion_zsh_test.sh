#!/usr/bin/env bash
# Completion in zsh: words are typed into an interactive zsh, which has the script in its fpath.
set -euo pipefail
. "$(dirname "$0")/check.sh"
if ! command -v zsh >/dev/null; then
  skip "zsh is not installed"
  exit 77
fi
: >seen.hortus
: >secret.key
: >'some keys.txt'
mkdir "$printed/functions"

section "the script is zsh"
run 0 hortus completion zsh
cp "$out" "$printed/functions/_hortus"
done_quietly zsh -f -n "$printed/functions/_hortus"
equal "its first line" '#compdef hortus' "$(head -1 "$printed/functions/_hortus")"

section "every option of every command is in it"
commands=$(hortus man --list)
[ -n "$commands" ] || fail "hortus man --list names no command"
for command in $commands; do
  options=$(hortus $command --help | sed -n '/^Options:/,/^$/s/^  \(-[^ ]*\).*/\1/p' | tr ',' '\n')
  grep -qx -- --help <<<"$options" || fail "no options found in the help of $command"
  sed -n "/^    $command)\$/,/^      ;;\$/p" "$printed/functions/_hortus" >part
  for option in $options; do
    grep -Eq -- "^ +'[(*][^[]*$option[=+]?\[" part || fail "$option of $command is not in the script" "$(cat part)"
  done
done
actions=$(hortus redis --help | sed -n '/^Actions:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$actions")" -ge 6 ] || fail "hortus redis --help should name its actions"
sed -n '/^    redis)$/,/^      esac$/p' "$printed/functions/_hortus" >redis
for action in $actions; do
  sed -n "/^        $action)\$/,/^      ;;\$/p" redis >part
  for option in $(hortus redis $action --help | sed -n '/^Options:/,/^$/s/^  \(-[^ ]*\).*/\1/p' | tr ',' '\n'); do
    grep -Eq -- "^ +'[(*][^[]*$option[=+]?\[" part || fail "$option of redis $action is not in the script" "$(cat part)"
  done
done
rm part redis

# typed KEYS ARGUMENTS: what hortus gets when somebody types KEYS.
typed() { equal "typed: $1" "$2" "$(ZDOTDIR=$printed python3 "$HORTUS_SOURCE_DIR/tests/cli/type_into.py" "$1" zsh -i -d)"; }
rc() {
  cat >"$printed/.zshrc" <<END
PS1='READY> '
unsetopt prompt_sp prompt_cr beep
autoload -Uz compinit
hortus() { print -r -- "GOT\${(j::)\${(@)argv/(#m)*/<\$MATCH>}}"; }
setopt extended_glob
$1
END
}

section "from a folder of fpath"
rc "fpath=('$printed/functions' \$fpath); compinit -u -D"
typed $'hortus bui\tcount_min_\t' '<build><count_min_conservative>'
typed $'hortus que\tseen\tsome\t' '<query><seen.hortus><some keys.txt>'
typed $'hortus build bloom --has\txxh6\t' '<build><bloom><--hash=xxh64>'
typed $'hortus build --hash siphash2\td_l\t-o see\t' '<build><--hash><siphash24><d_left><-o><seen.hortus>'
typed $'hortus plan --need merge,fol\t' '<plan><--need><merge,fold>'
typed $'hortus bench --families=bloom,sta\t' '<bench><--families=bloom,stable>'
typed $'hortus completion fi\t' '<completion><fish>'
typed $'hortus help inf\t' '<help><info>'

section "sourced"
rc "compinit -u -D; source '$printed/functions/_hortus'"
typed $'hortus bui\tcount_min_\t' '<build><count_min_conservative>'
