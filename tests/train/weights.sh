#!/bin/sh
# weights.sh - a shipped header of a GEMM model is trained again, byte for byte
# SPDX-License-Identifier: MIT
#
# usage: [LAYOUTS="nn nt tn"] weights.sh
#
# One layout stands for three, which differ in their tables alone. The smallest header of a convolution
# is trained again by the commands of the documents: readme.sh.
. tests/harness/script.inc

test_begin
need_trainer "the weights made again"

# remade NAME: what a user's `make weights` trains is what ships
remade() {
    sh tools/train/train_model.sh "$trainer" "weights/$1.spec" "$tmp/$1.h" \
        "--include-dir ../ --float-out $tmp/f32" && cmp "$tmp/$1.h" "weights/$1.h"
}

for layout in ${LAYOUTS:-nn}; do
    check_with "$TENSILE_CSV/mi100-sgemm-Cijk_Ailk_Bljk_SB_00.csv.bz2" \
        "weights/gemm_mi100_$layout.h made again" remade gemm_mi100_$layout
done
test_end
