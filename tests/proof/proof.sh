#!/bin/sh
# proof.sh - the primitives of kpred.h by Frama-C's Eva, and the bounds of the shipped arrays
# SPDX-License-Identifier: MIT
#
# usage: [EVERY=N] proof.sh [bounds]. EVERY=1 looks at all places of long rows: a proof, in two minutes.
. tests/harness/script.inc

test_begin
EVERY=${EVERY:-16}
drivers='eva_contracts eva'

# ---- bounds ----

bounds() {
    python3 tests/proof/bounds.py weights/*.h >"$tmp/bounds" || { cat "$tmp/bounds"; return 1; }
}

# edited EXPRESSION: bounds.py refuses a header with that change
edited() {
    sed "$1" weights/conv_solver.h >"$tmp/edited.h"
    ! cmp -s weights/conv_solver.h "$tmp/edited.h" &&
        ! python3 tests/proof/bounds.py "$tmp/edited.h" >"$tmp/said"
}

if has_weights; then
    check_with python3 "no sum of a shipped model leaves its type" bounds
    check_with python3 "a bias that is too large is found" edited '/_bias1\[192\] = {$/{n;s/^[-0-9]*/2147400000/;}'
    check_with python3 "a logit's shift that is too large is found" \
        edited '/kpred_head .*_heads\[\] = {$/{n;s/, [0-9]* },$/, 14 },/;}'
else
    skipped "the bounds of the shipped models" "the weights are not there (make weights)"
fi

[ "${1-}" != bounds ] || { test_end; exit; }

# ---- Eva ----

# The drivers as programs, whose inputs are drawn
drawn() {
    for driver in $drivers; do
        $CC -std=c99 -O1 -DKPRED_SIMD=0 -DEVERY=1 -I. -Itests "tests/proof/$driver.c" -o "$tmp/$driver" &&
            "$tmp/$driver" || return 1
    done
}
check "the contracts hold for inputs at random" drawn

# Intervals alone decide, but that some short loops are followed path by path.
eva() {
    driver=$1; shift
    frama-c -eva -eva-precision 0 -eva-auto-loop-unroll 300 -machdep gcc_x86_64 \
        -eva-slevel-function "kpri_leading_zeros:99,kpri_lowest_bit:99,kpri_same_text:99,kpri_hash_text:99" \
        -warn-signed-downcast -warn-right-shift-negative -metrics -metrics-eva-cover "$@" \
        -cpp-extra-args="-I. -Itests -DKPRED_SIMD=0 -U__GNUC__ -DEVERY=$EVERY" \
        "tests/proof/$driver.c" >"$tmp/$driver.txt" 2>&1
}

# proved DRIVER OPTION...: no alarm, no contract that is open
proved() {
    report=$tmp/$1.txt
    eva "$@" || { tail -n 5 "$report"; return 1; }
    grep -A 3 'eva:alarm' "$report"
    grep -q '^  0 alarms generated' "$report" && grep -q '^  100% of the logical properties' "$report" &&
        grep -q '0 errors\|No errors' "$report"
}

# What the drivers call is there in the reports, and next to all of it was reached.
reached() {
    for driver in $drivers; do cat "tests/proof/$driver.c"; done |
        grep -oE '\<kpr(i|ed)_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$tmp/called"
    for driver in $drivers; do cat "$tmp/$driver.txt"; done |
        awk '$1 ~ /^kpr(i|ed)_.*:$/ && / stmts out of / && $2 >= 0.9 * $6 { sub(/:/, "", $1); print $1 }' |
        sort -u >"$tmp/reached"
    comm -23 "$tmp/called" "$tmp/reached"
    [ "$(wc -l <"$tmp/reached")" -ge 35 ] && [ -z "$(comm -23 "$tmp/called" "$tmp/reached")" ]
}

if has frama-c; then
    check "exp2, log2 and shares, by Eva" proved eva_contracts
    check "the other primitives, by Eva" proved eva -eva-use-spec kpri_exp2_neg,kpri_log2,kpri_share
    check "Eva reached them" reached
else
    skipped "the primitives, by Eva" "there is no frama-c (Debian: frama-c-base)"
fi
test_end
