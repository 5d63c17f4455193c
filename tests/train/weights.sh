#!/bin/sh
# weights.sh - shipped headers are trained again, byte for byte: one of Tensile's GEMM, one of AITER's, the smallest of
# the others; and a small model by trainers that are built otherwise
# SPDX-License-Identifier: MIT
#
# usage: [LAYOUTS="nn nt tn"] weights.sh [gemm|aiter|conv|builds]
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
[ "${1-}" = builds ] || { test_end; exit; }

# ---- small models of a few dozen real rows, and of times by defaults ----

kernel=conv_asm_bwd_wrw_3x3
sample_databases
{ sed 's/= csv/= timed/; s/^rule .*//; /^\[derived\]/,$d' tests/fixtures/rowsum.spec
    printf '[restrict]\nthreads * unroll != 256\n'; } >"$tmp/times.spec"
awk 'BEGIN { print "gpu,rows,cols,threads,unroll,time_us"
    for (i = 0; i < 450; i++) printf "gfx906_60,%d,%d,%d,%d,%.7g\n", i % 50 + 1, 9 * (i % 50) + 9,
        2 ^ (6 + int(i / 50) % 3), 2 ^ (int(i / 150) % 3), i * 7 % 50 + i / 3 }' >"$tmp/times.csv"

# trains TRAINER NAME: both, NAME.h and NAME-times.h
trains() {
    "$1" train "weights/$kernel.spec" --data "$tmp/gfx900_56.db" "$tmp/gfx906_60.db" --epochs 10 -o "$tmp/$2.h" &&
        "$1" train "$tmp/times.spec" --data "$tmp/times.csv" --split none --epochs 1 -o "$tmp/$2-times.h"
}

# other_build NAME MAKE-ARGUMENT...: the same from a trainer built otherwise
other_build() {
    folder=$tmp/$1; shift
    make -s BUILD="$folder" MODELS= "$@" "$folder/kpred-train" >/dev/null && trains "$folder/kpred-train" other &&
        cmp "$tmp/other.h" "$tmp/own.h" && cmp "$tmp/other.f32" "$tmp/own.f32" &&
        cmp "$tmp/other-times.f32" "$tmp/own-times.f32"
}

# Read back from its text, and compiled into a program: the same predictions
round_trip() {
    copy_built "$tmp/with" && (cd "$tmp/with" && rm models.h tools/model/registry.o tools/model/runtime.o) &&
        cp "$tmp/own.h" "$tmp/$kernel.h" &&
        make -s BUILD="$tmp/with" CC="$CC" MODELS="$tmp/$kernel.h" "$tmp/with/kpred" >/dev/null || return 1
    for fields in "gfx900_56 dtype=FP32" "gfx900_56 dtype=FP16" "gfx906_60 dtype=FP32" "gfx906_60 dtype=FP16"; do
        for model in "$kernel" "$tmp/own.h"; do
            "$tmp/with/kpred" predict "$model" gpu=$fields dir=W n=32 c=64 h=28 w=28 k=128 stride=1 groups=2 -k 50 --csv ||
                return 1
        done >"$tmp/both.csv"
        [ "$(wc -l <"$tmp/both.csv")" -eq 102 ] && [ "$(sort "$tmp/both.csv" | uniq -u | wc -l)" -eq 0 ] || return 1
    done
}

check "small models" trains "$trainer" own
check_with gcc "built by gcc, for this processor alone, by CFLAGS that forbid it" \
    other_build gcc CC=gcc NATIVE=-march=native CFLAGS='-O1 -ffast-math'
check "built without optimisation" other_build slow CC="$CC" CFLAGS=-O0 \
    EXACT='-O0 -fno-fast-math -ffp-contract=off -pthread'
check_with clang "built by clang" other_build clang CC=clang CFLAGS=-O2
check "in a program, and from its text" round_trip
test_end
