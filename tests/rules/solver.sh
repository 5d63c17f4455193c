#!/bin/sh
# solver.sh - the rule of a solver's choice: rejects no solver that MIOpen's find-dbs list
# SPDX-License-Identifier: MIT
#
# Needs the find-dbs of $MIOPEN_DB for most of it. test_solver is built here.
. tests/harness/script.inc

MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}
test_begin
spec=weights/conv_solver.spec

need_trainer "find-dbs and the spec"

test_program test_solver "$tmp/test_solver" || exit 1

# ---- the spec names solvers, and the header has a word for each ----

key=64-7-8-1x1-32-7-8-4-0x0-1x1-1x1-0-NCHW-FP16-F
echo "$key=GemmFwdRest:4,0,miopenConvolutionFwdAlgoGEMM" >"$tmp/gfx906_60.txt"

# trains EDIT: with the spec so edited
trains() {
    sed "$1" $spec >"$tmp/mine.spec"
    "$trainer" train "$tmp/mine.spec" --data "$tmp/gfx906_60.txt" \
        --split none --epochs 1 --threads 1 --float-out "$tmp/f32" -o "$tmp/mine.h"
}
# words HEADER: in the order of the solvers
words() {
    sed -n '/_words\[/,/};/p' "$1" | grep -o 'UINT64_C([0-9a-fx]*)'
}
trains '' >"$tmp/log" 2>&1
words "$tmp/mine.h" >"$tmp/words"
without_the_last() {
    trains '/^solver /s/ "ConvWinograd3x3MultipassWrW<7-3>"//' && words "$tmp/mine.h" | diff - "$tmp/less"
}
exchanged() {
    trains '/^solver /s/ConvAsm1x1U ConvAsm1x1UV2/ConvAsm1x1UV2 ConvAsm1x1U/' &&
        words "$tmp/mine.h" | diff - "$tmp/exchanged"
}
sed '$d' "$tmp/words" >"$tmp/less"
sed '1{h;d;};2G' "$tmp/words" >"$tmp/exchanged"
has_words() { [ "$(wc -l <"$tmp/words")" -eq 81 ] && words weights/conv_solver.h | diff - "$tmp/words"; }
check_with weights/conv_solver.h "words as shipped" has_words
sed 's/UINT64_C(0x0/UINT64_C(0x1/' "$tmp/mine.h" >"$tmp/changed.h"
refuse "a changed word" 1 "its code is not what its spec" \
    "$kpred" predict "$tmp/changed.h" gpu=gfx906_60
check "fewer values" without_the_last
check "values in another order" exchanged
rule="rule kpred_rule_conv_solver"
where="where $rule expects"
refuse "integers for values" 1 "parameter solver: $rule expects names" \
    trains '/^solver /s/=.*/= 1 2 3/; /^format /s/=.*/= csv/'
refuse "an unknown value" 1 "parameter solver: $rule knows no solver \"cudnn\"" \
    trains '/^solver /s/ ConvAsm5x10u2v2f1.*/ cudnn/'
refuse "fields in another order" 1 "field \"dil_h\" $where \"dil_d\"" \
    trains '/^dil_d /{h;d;};/^dil_h /G'
refuse "another GPU" 1 "token \"gfx900_56\" $where \"gfx906_60\"" \
    trains '/^gpu /s/gfx906_60/gfx900_56/'

# ---- the find-dbs ----

# reject_none DATA: the counts go to the log as well
reject_none() {
    "$trainer" ingest $spec --data "$1" 2>"$tmp/err" | "$tmp/test_solver" rows
}

# One whose rows have the solver of another direction shows that the check can fail.
echo "$key=GemmBwdRest:4,0,miopenConvolutionFwdAlgoGEMM" >"$tmp/gfx90878.txt"
can_fail() { ! reject_none "$tmp/gfx90878.txt" && reject_none "$tmp/gfx906_60.txt"; }
check "a solver of another direction is rejected" can_fail

for gpu in gfx906_60 gfx90878 gfx90a6e gfx942130 gfx1030_36; do
    data=$MIOPEN_DB/$gpu.HIP.fdb.txt.bz2
    output=
    check_with "$data" "no listed solver of $gpu is rejected" reject_none "$data"
    echo "    $output"
done
test_end
