#!/bin/sh
# weights.sh - shipped headers are trained again, byte for byte: those of GEMM, the smallest of the others
# SPDX-License-Identifier: MIT
#
# usage: weights.sh [nn|nt|tn|conv]
. tests/harness/script.inc

test_begin
need_trainer "the weights made again"

# remade NAME: what a user's `make weights` trains is what ships
remade() {
    sh tools/train/train_model.sh "$trainer" "weights/$1.spec" "$tmp/$1.h" \
        "--include-dir ../ --float-out $tmp/f32" && cmp "$tmp/$1.h" "weights/$1.h"
}

tables="$TENSILE_CSV/mi100-sgemm-Cijk_Ailk_Bljk_SB_00.csv.bz2"
for layout in ${1:-nn nt tn conv}; do
    case $layout in
    conv) name=conv_asm_bwd_wrw_3x3 data=$MIOPEN_DB/gfx900_56.db.bz2 ;;
    *) name=gemm_mi100_$layout data=$tables ;;
    esac
    check_with "$data" "weights/$name.h made again" remade $name
done
test_end
