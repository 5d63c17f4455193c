#!/bin/sh
# weights.sh - shipped headers are trained again, byte for byte: one of Tensile's GEMM, one of AITER's, the
# smallest of the others
# SPDX-License-Identifier: MIT
#
# usage: [LAYOUTS="nn nt tn"] weights.sh [gemm|aiter|conv]
#
# One layout stands for three, which differ in their tables alone.
. tests/harness/script.inc

test_begin
need_trainer "the weights made again"

# remade NAME: what a user's `make weights` trains is what ships
remade() {
    sh tools/train/train_model.sh "$trainer" "weights/$1.spec" "$tmp/$1.h" \
        "--include-dir ../ --float-out $tmp/f32" && cmp "$tmp/$1.h" "weights/$1.h"
}

if [ "${1-gemm}" = gemm ]; then
    for layout in ${LAYOUTS:-nn}; do
        check_with "$TENSILE_CSV/mi100-sgemm-Cijk_Ailk_Bljk_SB_00.csv.bz2" \
            "weights/gemm_mi100_$layout.h made again" remade gemm_mi100_$layout
    done
fi
if [ "${1-aiter}" = aiter ]; then
    check_with "$AITER_CSV/retunes.csv.bz2" "weights/gemm_a4w4_blockscale.h made again" remade gemm_a4w4_blockscale
fi
if [ "${1-conv}" = conv ]; then
    check_with "$MIOPEN_DB/gfx900_56.db.bz2" "weights/conv_asm_bwd_wrw_3x3.h made again" \
        remade conv_asm_bwd_wrw_3x3
fi
test_end
