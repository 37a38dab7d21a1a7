#!/usr/bin/env bash
# family_check.sh ROOT: every family in any/families.def and any/any_near.hpp has its header with a whole card, its part of
# docs/file-format.md and its golden files. A family that is in the list but not explained, or not pinned, is not finished.
# (The table in the README is printed by the command, and tools/check_pages.py compares it.)
set -euo pipefail
cd "$1"
list=include/hortus/any/families.def
families=$(sed -n 's/^HORTUS_FAMILY(\([a-z_0-9]*\), \([a-z_0-9]*\), .*)$/\2\/\1/p' "$list")
[ -n "$families" ] || { echo "no line HORTUS_FAMILY(name, room, type) in $list"; exit 1; }
families+=" near/distance_sensitive" # the list of any/any_near.hpp
bad=0
complain() { echo "$1"; bad=1; }
for family in $families; do
  name=${family#*/}
  header=include/hortus/$family.hpp
  if [ ! -f "$header" ]; then
    complain "$name: there is no $header"
    continue
  fi
  includer=any/families.hpp golden=tests/golden/v1/$name
  [ "${family%/*}" != near ] || includer=any/any_near.hpp golden=tests/golden/near/v1
  grep -qx "#include <hortus/$family.hpp>" "include/hortus/$includer" || complain "$name: not included by $includer"
  for word in Promise Price Lacks Source; do
    grep -q "^/// $word  *[a-zA-Z0-9]" "$header" || complain "$name: the card in $header has no line '/// $word ...'"
  done
  # From the first of these lines to the class they are indented below the word: a formatter that breaks one leaves a stray word.
  sed -n '\|^/// Promise |,\|^/// Source |p' "$header" | grep -Ev '^/// (Promise|Price|Lacks|Source) |^///          ' &&
    complain "$name: the card in $header has a line that is not indented"
  grep -q "name = \"$name\"" "$header" || complain "$name: $header does not call it \"$name\""
  grep -qx "### \`$name\`" docs/file-format.md || complain "$name: docs/file-format.md does not say what it stores"
  compgen -G "$golden/*.hortus" >/dev/null || complain "$name: no golden file in $golden"
done
exit $bad
