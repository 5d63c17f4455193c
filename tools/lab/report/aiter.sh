#!/bin/sh
# aiter.sh BUILD TABLES - how good the models of AITER's kernels are, beside other methods on the same rows
# of AITER's tables (in the folder TABLES): Markdown on standard output. What is measured stays in
# BUILD/aiter, and only what is not there or is older than what it depends on is measured again.
# SPDX-License-Identifier: MIT
#
# In the environment, only these: FAMILIES (bs bsp a4w4 bp bf16), TESTS (config shape file), METHODS (of
# tools/peers/aiter.py; empty: none but network). THREADS: how many may be used.
#
# Files: models FAMILY-TEST.h and FAMILY-file-TABLE.h; outcomes hits/FAMILY-TEST-METHOD.csv; tables/NAME.md,
# which report.py takes
set -eu

build=$1 AITER_CSV=$2
train=$build/kpred-train
. tools/train/trained.inc
out=$build/aiter
threads=${THREADS:-$(getconf _NPROCESSORS_ONLN)}
methods=${METHODS-aiter nearest frequency forest boosted forest-blind boosted-blind}
find_python
mkdir -p "$out/hits"

# spec_of FAMILY: the spec; there may be none
spec_of() {
    case $1 in
    bs) echo weights/gemm_a8w8_blockscale.spec ;;
    bsp) echo weights/gemm_a8w8_blockscale_bpreshuffle.spec ;;
    a4w4) echo weights/gemm_a4w4_blockscale.spec ;;
    bp) echo weights/gemm_a8w8_bpreshuffle.spec ;;
    *) echo "weights/gemm_$1.spec" ;;
    esac
}

# model SPLIT HEADER: trained without the rows of the split
model() {
    is_newer "$2" "$spec" "$train" && return
    show "$(basename "$2" .h)" || :
    # shellcheck disable=SC2046
    train_model "$spec" "$2" "--split $1 --threads $threads --float-out ${2%.h}.f32" $(aiter_files "$spec")
}

# models FAMILY TEST: those that the test needs
models() {
    if [ "$2" != file ]; then
        model "$2" "$out/$1-$2.h"
        return
    fi
    for table in $(aiter_tables "$spec"); do
        stem=$(basename "$table")
        stem=${stem%%.csv*}
        model "file:$stem" "$out/$1-file-${stem#model_configs.}.h"
    done
}

# measure FAMILY TEST METHOD DEPENDENCY...: the outcomes of a method; no file if its package is missing
measure() {
    measured=$out/hits/$1-$2-$3.csv measured_of="--families $1 --tests $2 --methods $3"
    shift 3
    is_newer "$measured" tools/peers/aiter.py tools/peers/aiter_rows.py tools/peers/aiter_rules.py "$@" && return
    show "$measured_of" || :
    # shellcheck disable=SC2086
    $python tools/peers/aiter.py "$AITER_CSV" -o "$out/hits" --models "$out" --threads "$threads" $measured_of
}

for family in ${FAMILIES:-bs bsp a4w4 bp bf16}; do
    spec=$(spec_of "$family")
    for test in ${TESTS:-config shape file}; do
        for method in $methods; do
            measure "$family" "$test" "$method"
        done
        if [ -e "$spec" ]; then
            models "$family" "$test"
            measure "$family" "$test" network "$out/$family-$test"*.h
        fi
    done
done
show '' || :
exec $python tools/report/aiter_tables.py "$out/hits" "$AITER_CSV" -o "$out/tables"
