#!/usr/bin/env bash
# in_scratch.sh COMMAND...: runs it in a new empty folder, which is also its TMPDIR, and removes that afterwards.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
TMPDIR=$folder "$@"
