#!/bin/sh
# digits.sh - `kpred-evolve network`: small networks learn scikit-learn's digits and become MLIR modules
# SPDX-License-Identifier: MIT
#
# usage: [MLIR_OPT=mlir-opt-16] digits.sh
. tests/harness/script.inc

test_begin
evolve=$BUILD/kpred-evolve
MLIR_OPT=${MLIR_OPT:-$(command -v mlir-opt-16 || command -v mlir-opt || echo /usr/lib/llvm-16/bin/mlir-opt)}
digits=$tmp/digits.csv
[ -x "$evolve" ] || end_without "kpred-evolve network" "kpred-evolve is not built"

# rows N: images of 4 x 4 numbers with two labels
rows() {
    awk -v n="$1" 'BEGIN {
        printf "label"
        for (i = 0; i < 16; i++) printf ",p%d", i
        for (k = 0; k < n; k++) {
            printf "\n%d", k % 2
            for (i = 0; i < 16; i++) printf ",%g", ((i < 8) == (k % 2)) * 0.5 + (i * k % 7) / 14
        }
        print ""
    }'
}
rows 200 >"$tmp/rows.csv"

# learns NAME OPTION...: into $tmp/NAME.mlir
learns() {
    network=$1
    shift
    "$evolve" network "$network" -o "$tmp/$network.mlir" "$@" >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ]
}

easy() {
    for network in dense mobile; do
        learns $network --data "$tmp/rows.csv" --epochs 8 --batch 3 || return 1
        grep -qE '^test +[0-9]+ images +(9[0-9]|100)[.][0-9]+ %$' "$tmp/out" || { cat "$tmp/out"; return 1; }
        grep -q "func.func @$network(%x0: tensor<3x4x4x1xf32>) -> tensor<3x2xf32>" "$tmp/$network.mlir" || return 1
    done
}

# The same bits twice, and others of another seed
same_bits() {
    learns dense --data "$tmp/rows.csv" --epochs 3 && cp "$tmp/dense.mlir" "$tmp/first.mlir" &&
        learns dense --data "$tmp/rows.csv" --epochs 3 && cmp "$tmp/first.mlir" "$tmp/dense.mlir" &&
        learns dense --data "$tmp/rows.csv" --epochs 3 --seed 2 && ! cmp -s "$tmp/first.mlir" "$tmp/dense.mlir"
}

verifies() {
    for network in dense mobile; do
        learns $network --data "$tmp/rows.csv" --epochs 1 && "$MLIR_OPT" "$tmp/$network.mlir" -o "$tmp/out.mlir" || return 1
    done
    [ "$(grep -c 'linalg.matmul' "$tmp/out.mlir")" -eq 1 ] && [ "$(grep -c 'depthwise_conv' "$tmp/out.mlir")" -eq 3 ]
}

# The module computes what the network does, whatever is left over for the last batch.
same() {
    for batch in 1 7 30; do
        for network in dense mobile; do
            learns $network --data "$tmp/rows.csv" --epochs 1 --batch $batch --check || return 1
            grep -q '^module: 200 images, 0 of them with another label; numbers differ by 0.0e+00' "$tmp/out" || return 1
        done
    done
}

# refuses MESSAGE OPTION...: on one line, and there is no module
refuses() {
    message=$1
    shift
    rm -f "$tmp/no.mlir"
    ! "$evolve" network "$@" -o "$tmp/no.mlir" >"$tmp/out" 2>"$tmp/err" && grep -qF -- "$message" "$tmp/err" &&
        [ "$(wc -l <"$tmp/err")" -eq 1 ] && [ ! -e "$tmp/no.mlir" ] && return
    cat "$tmp/err"
    return 1
}

# bad EDIT MESSAGE: a file of images that is altered by sed
bad() {
    sed "$1" "$tmp/rows.csv" >"$tmp/bad.csv" && ! cmp -s "$tmp/rows.csv" "$tmp/bad.csv" &&
        refuses "$tmp/bad.csv$2" dense --data "$tmp/bad.csv"
}

keeps_data() {
    cp "$tmp/rows.csv" "$tmp/both.csv" || return 1
    "$evolve" network dense --data "$tmp/both.csv" -o "$tmp/both.csv" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && grep -qF 'would overwrite --data' "$tmp/err" && cmp "$tmp/rows.csv" "$tmp/both.csv"
}

# at_least PERCENT NAME: of the digits of all five tests together
at_least() {
    for split in 1 2 3 4 5; do
        learns "$2" --data "$digits" --split $split || return 1
        cat "$tmp/out"
    done | awk -v least="$1" '/^test/ { n += $2; right += $2 * $4 } END { print right / n; exit !(n == 1797 && right / n >= least) }'
}

check "two networks learn" easy
check "the same bits" same_bits
if [ -x "$MLIR_OPT" ]; then
    check "MLIR verifies the modules" verifies
else
    skipped "MLIR verifies the modules" "there is no mlir-opt"
fi
if ! learns dense --data "$tmp/rows.csv" --epochs 1 --check && grep -q 'built without' "$tmp/err"; then
    skipped "the module is the network" "there is no MLIR in the build"
else
    check "the module is the network" same
fi
check "another network" refuses 'network "wide": there are dense and mobile' wide --data "$tmp/rows.csv"
check "the data as output" keeps_data
check "no file" refuses "$tmp/none.csv" dense --data "$tmp/none.csv"
check "no labels" bad '1s/label/class/' ':1: the first column is "class"'
check "a label out of range" bad '4s/^0/-1/' ':4: label: "-1" is no integer of 0..999'
check "a label that is none" bad '4s/^0/x/' ':4: label: "x" is no integer'
check "no number" bad '7s/,[^,]*$/,nan/' ':7: p15: "nan" is no number'
check "a short row" bad '7s/,[^,]*$//' ':7: has 16 cells'
check "no square" bad 's/,[^,]*$//' ': an image has 15 numbers: they make no square'
check "no images" bad '2,$d' ': there is no image'

for python in python3 /usr/bin/python3; do
    if $python tools/evolve/ml/digits.py >"$digits" 2>"$tmp/err"; then break; fi
done
if [ -s "$digits" ]; then
    check "digits: dense" at_least 95 dense
    check "digits: mobile" at_least 95 mobile
else
    skipped "digits" "there is no scikit-learn"
fi
test_end
