#!/bin/sh
# lines.sh LINES BEAM [MODEL...] - the lines of the cache that a cold prediction touches, by kind, as CSV; LINES is the
# program of lines.c, BEAM a list such as "1 10". It needs valgrind, whose fastest body is avx2.
# SPDX-License-Identifier: MIT
set -eu
lines=$1 beams=$2
shift 2
command -v valgrind >/dev/null ||
    { echo "lines.sh: there is no valgrind (Debian: apt-get install valgrind)" >&2; exit 1; }
map=$(mktemp)
trap 'rm -f "$map" "$map.trace"' EXIT
"$lines" heading
for model; do
    for beam in $beams; do
        valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$lines" run "$model" "$beam" "$map" 9>"$map.trace" ||
            { sed -n '/^valgrind: /p' "$map.trace" >&2; exit 1; }
        "$lines" count "$model" "$beam" "$map" <"$map.trace"
    done
done
