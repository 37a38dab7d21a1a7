#!/usr/bin/env bash
# expect_output.sh FILE COMMAND...: COMMAND must end with status 0 and, if FILE exists, print exactly what FILE holds.
set -euo pipefail
expected=$1
shift
if [ -e "$expected" ]; then
  "$@" | diff -u "$expected" -
else
  "$@"
fi
