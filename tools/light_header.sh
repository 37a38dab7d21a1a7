#!/usr/bin/env bash
# light_header.sh HEADER COMPILER FLAG...: a program that includes HEADER does not get the headers of threads with it.
set -euo pipefail
header=$1
shift
included=$(echo "#include <$header>" | "$@" -x c++ -E - | sed -nE 's|^# [0-9]+ ".*/([a-z_.]+)".*|\1|p' | sort -u)
grep -qx "${header##*/}" <<<"$included" || { echo "<$header> was not found in what the compiler reads"; exit 1; }
heavy=$(grep -xE 'thread|barrier|latch|future|condition_variable' <<<"$included" || true)
[ -z "$heavy" ] || { echo "<$header> includes" $heavy; exit 1; }
