#!/bin/sh
# train_model.sh TRAIN SPEC OUTPUT OPTIONS [FILE...] - trains SPEC into OUTPUT as the shipped models are:
# `TRAIN train` with OPTIONS (words) on the files (default: those of the spec's GPUs in MIOPEN_DB, of a
# GEMM model its table in TENSILE_CSV, of AITER's kernels those of AITER_CSV, of Triton's kernels its
# table in TRITON_CONFIGS, of others theirs in TIMES_CSV), and on what else helps that kernel. What ships of AITER's kernels gets the names of today first.
# SPDX-License-Identifier: MIT
set -eu
train=$1
shift
. tools/train/trained.inc
if [ $# -le 3 ]; then
    [ "$2" != "${1%.spec}.h" ] || kernels_of "$1"
    files=$(data_of "$1" "${MIOPEN_DB-}") # stops here if that fails
    set -- "$@" $files
fi
train_model "$@"
