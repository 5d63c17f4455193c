#!/bin/sh
# proof.sh - the primitives of kpred.h by Frama-C's Eva, the bounds of the shipped arrays, and vectors.txt
# SPDX-License-Identifier: MIT
#
# usage: [EVERY=N] proof.sh [bounds|vectors]. EVERY=1 looks at all places of long rows: a proof, in two minutes.
. tests/harness/script.inc
. tests/proof/eva.inc

test_begin
EVERY=${EVERY:-16}
drivers='eva_contracts eva'

# ---- vectors ----

remade() {
    python3 tests/proof/vectors.py --hashes 435 weights/*.h >"$tmp/vectors" && cmp "$tmp/vectors" tests/proof/vectors.txt
}

# answers COUNT EXPRESSION: what vectors.py says of a model with that change, in $tmp/answers
answers() {
    sed "$2" weights/conv_asm_1x1u.h >"$tmp/weights/altered.h" &&
        ! cmp -s weights/conv_asm_1x1u.h "$tmp/weights/altered.h" &&
        python3 tests/proof/vectors.py "$1" "$tmp/weights/altered.h" >"$tmp/answers"
}

# The answers to the same questions are wrong for the model as it is.
differ() {
    answers "$@" && "$tmp/test_vectors" "$1" conv_asm_1x1u >"$tmp/own" && [ "$(wc -l <"$tmp/own")" -gt "$1" ] &&
        ! cmp -s "$tmp/own" "$tmp/answers"
}

wrong_digit() {
    sed 's/9$/8/; t; s/[0-8]$/9/; s/[a-f]$/0/' tests/proof/vectors.txt >"$tmp/altered"
    ! "$tmp/test_vectors" "$tmp/altered" >"$tmp/said" && grep '^FAIL conv_solver' "$tmp/said"
}

# A rule that does not look ahead, and refuses nearly all complete tuples, leads to each end of the rescue.
rescued() {
    answers 48 's/^#include ".*kpred.h"/#include "rule.h"/; s/^    kpred_rule_[a-z_0-9]*,/    no_look_ahead,/' &&
        for status in 0 -15 -16; do grep -q ";$status " "$tmp/answers" || return 1; done &&
        $CC -std=c99 -D_POSIX_C_SOURCE=200809L $CFLAGS -I. -Itools -Itests "$tmp/builtins.c" \
            tests/proof/test_vectors.c "$archive" -lm -o "$tmp/rescue" && "$tmp/rescue" 48 conv_asm_1x1u | cmp - "$tmp/answers"
}

if [ "${1-}" = vectors ]; then
    need python3 "vectors.txt"
    need_weights "vectors.txt"
    mkdir "$tmp/weights"
    cp kpred.h kpred_constraints.h "$tmp"
    cat >"$tmp/weights/rule.h" <<'END'
#include "../kpred.h"
static int no_look_ahead(const int32_t *problem, const int32_t *values, size_t n)
{
    const int kind = (problem[3] + problem[5] + problem[7]) % 3;
    uint32_t hash = (uint32_t)problem[4];
    size_t t;
    for (t = 0; t < n; t++)
        hash = (hash ^ (uint32_t)values[t]) * 16777619u;
    if (n < 8)
        return n == 0 || kind > 0 || values[n - 1] != 4;
    return (hash >> 8) % (kind < 2 ? 300000 : 300) == 0;
}
END
    cat >"$tmp/builtins.c" <<'END'
#define KPRED_IMPLEMENTATION
#include "weights/altered.h"
#include "model/model.h"
const struct builtin builtins[] = {{&kpred_model_conv_asm_1x1u, 0, 0}, {0, 0, 0}};
END
    check "vectors.txt is what vectors.py writes" remade
    check "test_vectors compiles" test_program test_vectors "$tmp/test_vectors"
    check "a digit that is changed is found" wrong_digit
    check "a weight that is changed is found" differ 20 '/_weights\[.*= {$/{n;s/^-*[0-9]*/127/;}'
    check "the rescue, by both" rescued
    test_end
    exit
fi

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

# cut LINES: of a header that ends there both scripts tell the line
cut() {
    head -n "$1" weights/conv_solver.h >"$tmp/cut.h"
    for script in bounds vectors; do
        count=$([ $script = bounds ] || echo 1)
        refuses 2 "$script.py: $tmp/cut.h:$(($1 + 1)): the file ends here" python3 "tests/proof/$script.py" $count \
            "$tmp/cut.h" || return 1
    done
}

if has_weights; then
    check_with python3 "no sum of a shipped model leaves its type" bounds
    check_with python3 "a bias that is too large is found" edited '/_biases\[[0-9]*\] = {$/{n;s/^[-0-9]*/2147400000/;}'
    check_with python3 "a logit's shift that is too large is found" \
        edited '/kpred_head .*_heads\[\] = {$/{n;s/, [0-9]* },$/, 14 },/;}'
    check_with python3 "a header that is cut in its middle" cut 300
    check_with python3 "a header without its last line" cut "$(($(wc -l <weights/conv_solver.h) - 1))"
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

contracts=kpri_exp2_neg,kpri_log2,kpri_share # that the drivers have of others
own_contracts=$contracts,kpri_leading_zeros,kpri_lowest_bit

# Some short loops are followed path by path.
eva() {
    driver=$1; shift
    run_eva "$own_contracts" "-Itests -DEVERY=$EVERY" -eva-auto-loop-unroll 300 \
        -eva-slevel-function "kpri_leading_zeros:99,kpri_lowest_bit:99,kpri_same_text:99,kpri_hash_text:99" \
        -metrics -metrics-eva-cover "$@" "tests/proof/$driver.c" >"$tmp/$driver.txt" 2>&1
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
    check "the other primitives, by Eva" proved eva -eva-use-spec "$contracts"
    check "Eva reached them" reached
else
    skipped "the primitives, by Eva" "there is no frama-c (Debian: frama-c-base)"
fi
test_end
