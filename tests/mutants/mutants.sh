#!/bin/sh
# mutants.sh - the mutator of make mutants, its programs and its table of survivors
# SPDX-License-Identifier: MIT
#
# make mutants itself takes long; this asks whether it can be trusted.
. tests/harness/script.inc

test_begin
need python3 "the mutator"
export PYTHONPATH=tests/mutants PYTHONDONTWRITEBYTECODE=1

# The mutants of a small function are those that are meant: no comment, text, macro or table is touched.
of_a_function() {
    python3 tests/mutants/mutator.py tests/mutants/sample.txt | sed '1,$s/^[0-9]* //' |
        diff tests/mutants/sample_mutants -
}
check "the mutants of a function" of_a_function

check_with "$CC" "mutants that are known" python3 tests/mutants/run.py --known

# What the table of survivors explains is there.
survivors() {
    awk '/^#/ || /^$/ { next }
         /^- / { print header "\t" substr($0, 3); next }
         /^\+ / { next }
         { sub(/:.*/, ""); header = $0 }' tests/mutants/survivors | while IFS="$(printf '\t')" read -r header line; do
        sed 's/^ *//' "$header" | grep -qxF -e "$line" || echo "$header has no such line: $line"
    done >"$tmp/stale"
    [ ! -s "$tmp/stale" ] || { cat "$tmp/stale"; return 1; }
}
check "the table of survivors" survivors
check "the faults of make breaks can be put in" python3 tests/mutants/breaks.py "$BUILD" --check
test_end
