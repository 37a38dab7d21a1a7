# Sourced by the tests of the command, which run in an empty folder of their own with the command in $HORTUS.
# A check that fails prints what it expected and what it got, and ends the test.
export LC_ALL=C HORTUS
: "${HORTUS:?path of the command}"
hortus() { "$HORTUS" "$@"; }

# The output of the last run is kept outside the folder that the test checks.
mkdir printed folder
printed=$PWD/printed
cd folder

fail() {
  local i
  {
    echo "FAILED: $1"
    [ $# -lt 2 ] || printf '  %s\n' "${@:2}"
    for ((i = 1; i < ${#FUNCNAME[@]}; ++i)); do echo "  at ${BASH_SOURCE[i]##*/}:${BASH_LINENO[i - 1]}"; done
  } >&2
  exit 1
}

# Was the command compiled with AddressSanitizer? That reserves terabytes of addresses, and keeps memory that was freed.
sanitized() { ! (ulimit -v 4000000 && hortus --version) >/dev/null 2>&1; }

section() { echo "-- $*"; }
skip() { echo "   skipped: $*"; }

# run STATUS COMMAND...: the exit status must be STATUS. The output is then in $out and $err.
out=$printed/out
err=$printed/err
run() {
  local expected=$1 got=0
  shift
  "$@" >"$out" 2>"$err" || got=$?
  [ "$got" -eq "$expected" ] || fail "status $got, expected $expected: $*" \
    "standard output: $(head -c 500 "$out" | tr -d '\0')" "standard error: $(head -c 500 "$err" | tr -d '\0')"
}

# done_quietly COMMAND...: status 0 and nothing printed.
done_quietly() {
  run 0 "$@"
  [ ! -s "$out" ] || fail "expected nothing on standard output: $*" "got: $(head -c 500 "$out")"
  [ ! -s "$err" ] || fail "expected nothing on standard error: $*" "got: $(head -c 500 "$err")"
}

# refused PATTERN COMMAND...: an error as documented: status 2, one line "hortus: ..." that matches the (extended) pattern,
# nothing on standard output.
refused() {
  local pattern=$1
  shift
  run 2 "$@"
  [ ! -s "$out" ] || fail "expected nothing on standard output: $*" "got: $(head -c 500 "$out" | tr -d '\0')"
  [ "$(wc -l <"$err")" -eq 1 ] && grep -q '^hortus: ' "$err" || fail "expected one line 'hortus: ...': $*" "got: $(cat "$err")"
  grep -Eq -- "$pattern" "$err" || fail "expected an error like /$pattern/: $*" "got: $(cat "$err")"
}

# said PATTERN: matches standard error of the last run, which has one line.
said() {
  [ "$(wc -l <"$err")" -eq 1 ] && grep -Eq -- "$1" "$err" || fail "expected one line like /$1/ on standard error" "got: $(cat "$err")"
}
printed_line() { grep -Exq -- "$1" "$out" || fail "expected a line like /$1/" "got: $(head -c 1000 "$out")"; }

equal() { [ "$2" = "$3" ] || fail "$1" "expected: $2" "got:      $3"; }
same_bytes() { cmp -s "$1" "$2" || fail "$1 and $2 should be the same bytes" "$(cmp "$1" "$2" 2>&1 || :)"; }
different_bytes() { ! cmp -s "$1" "$2" || fail "$1 and $2 should differ"; }

# count FILTER [query options and inputs]: the number of selected lines.
count() { hortus query -c "$@" || [ $? -eq 1 ]; }

# times N LINE: prints LINE N times. (yes LINE | head ends in a broken pipe, which is an error under pipefail.)
times() { for ((i = 0; i < $1; ++i)); do printf '%s\n' "$2"; done; }

# no_debris NAME...: the folder contains exactly these files.
no_debris() { equal "files in the folder" "$(printf '%s\n' "$@" | sort | xargs)" "$(find . -mindepth 1 -printf '%P\n' | sort | xargs)"; }

# json EXPRESSION... FILE: each Python expression about the document d must be true.
json() {
  local why
  why=$(
    python3 - "$@" 2>&1 <<'EOF'
import json, math, sys
with open(sys.argv[-1], encoding="utf-8") as file:
    text = file.read()
d = json.loads(text)
for expression in sys.argv[1:-1]:
    if eval(expression) is not True:
        sys.exit(expression + "\n  in: " + text[:2000])
EOF
  ) || fail "expected of a JSON document: $why"
}

# families [VERB...]: the families that have all these verbs, never forget and take lines of any kind. None is an error, so that no loop is empty. For
# that a test stores the answer first: some=$(families merge); for family in $some ...
families() {
  hortus list --json | python3 -c '
import json, sys
some = [family["family"] for family in json.load(sys.stdin)
        if set(sys.argv[1:]) <= set(family["verbs"]) and family["room"] not in ("aging", "near")]
print(*some)
sys.exit(not some)' "$@"
}
can_be_full() { hortus list "$1" --json | python3 -c 'import json, sys; sys.exit(not json.load(sys.stdin)["can_be_full"])'; }

# damage FILE OFFSET: flips a bit. A negative offset counts from the end.
damage() {
  local at=$2 byte
  [ "$at" -ge 0 ] || at=$(($(stat -c %s "$1") + at))
  byte=$(od -An -tu1 -j "$at" -N 1 "$1")
  printf "\\x$(printf %x $((byte ^ 16)))" | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}

# as_nobody COMMAND...: runs it without the rights of root. The scratch folder must be readable for that user.
as_nobody() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"
  else
    "$@"
  fi
}
