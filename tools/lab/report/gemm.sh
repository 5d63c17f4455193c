#!/bin/sh
# gemm.sh tensile|aiter|triton BUILD TABLES - how good the models of GEMM kernels are, beside other methods on the same
# rows of the tables in the folder TABLES: a table on standard output. What is measured stays in BUILD/gemm and
# BUILD/aiter, and only what is not there or is older than what it depends on is measured again
# SPDX-License-Identifier: MIT
#
# tensile: every shape of Tensile's tables left out once, pooled. LAYOUTS (nn nt tn) and METHODS (of
# tools/lab/peers/gemm.py; empty: none) in the environment: only these.
# Files, for eval --hits and gemm.py --hits: LAYOUT-I.csv, shape I left out; LAYOUT-METHOD.csv
#
# aiter: rows kept from AITER's tables, as Markdown. FAMILIES (bs bsp a4w4 bp bf16), TESTS (config shape fold file),
# METHODS (of tools/lab/peers/aiter.py; empty: none but network) in the environment: only these. NETWORK empty: no model.
# Files: models FAMILY-TEST.h, FAMILY-fold-I.h and FAMILY-file-TABLE.h; outcomes hits/FAMILY-TEST-METHOD.csv; tables/NAME.md,
# which report.py takes
#
# triton: rows of configurations kept from the tables of TRITON_CONFIGS, by folds. MODELS and METHODS (of
# tools/lab/peers/triton.py) in the environment: only these. The outcomes of each fold and method stay in BUILD/triton.
#
# THREADS: how many may be used.
set -eu

build=$2
train=$build/kpred-train
. tools/train/trained.inc
threads=${THREADS:-$(getconf _NPROCESSORS_ONLN)}
find_python

# ---- Tensile ----

# fold LAYOUT I N
fold() {
    model=$out/$1-$2.h hits=$out/$1-$2.csv
    is_newer "$hits" "$spec" "$own" "$train" && return
    show "$1: shape $(($2 + 1)) of $3" || :
    train_model "$spec" "$model" \
        "--split fold:$2/$3 --threads $threads --float-out $out/$1-$2.f32" "$own"
    "$train" eval "$model" --data "$own" -k 1,2,4,8 --hits "$hits" >"$out/$1-$2.txt"
}

# other LAYOUT METHOD: one of the other methods, on the same shapes; no file if its package is missing
other() {
    hits=$out/$1-$2.csv
    is_newer "$hits" "$spec" "$own" tools/lab/peers/gemm.py && return
    show "$1: $2" || :
    # shellcheck disable=SC2046
    $python tools/lab/peers/gemm.py "$spec" --data "$own" --beside $(files_of "$spec" beside .) -k 1,2,4,8 \
        --methods "$2" --trainer "$train" --threads "$threads" --hits "$hits.new" >"$out/$1-$2.txt"
    [ ! -e "$hits.new" ] || [ "$(wc -l <"$hits.new")" -eq 1 ] || mv "$hits.new" "$hits"
    rm -f "$hits.new"
}

judge_tensile() {
    out=$build/gemm
    mkdir -p "$out"
    files=
    for layout in ${LAYOUTS:-$(layouts_of_gemm)}; do
        spec=$(spec_of_layout "$layout")
        need_tables "$spec"
        own=$(data_of "$spec" .)
        # a line a shape, behind a heading
        shapes=$(($(bzip2 -dc "$own" | wc -l) - 1))
        i=0
        while [ $i -lt $shapes ]; do
            fold $layout $i $shapes
            i=$((i + 1))
        done
        for method in $(echo "${METHODS-nearest,portfolio,boosted,together}" | tr , ' '); do
            other $layout $method
        done
        files="$files $(echo "$out/$layout"-*.csv)"
    done
    show '' || :
    exec $python tools/lab/peers/paired.py $files
}

# ---- AITER ----

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

# aiter_model SPLIT HEADER: trained without the rows of the split
aiter_model() {
    is_newer "$2" "$spec" "$train" && return
    show "$(basename "$2" .h)" || :
    # shellcheck disable=SC2046
    train_model "$spec" "$2" "--split $1 --threads $threads --float-out ${2%.h}.f32" $(aiter_files "$spec")
}

# aiter_models FAMILY TEST: those that the test needs
aiter_models() {
    case $2 in
    file) ;;
    fold) for i in 0 1 2 3 4; do aiter_model "shape:$i/5" "$out/$1-fold-$i.h"; done; return ;;
    *) aiter_model "$2" "$out/$1-$2.h"; return ;;
    esac
    for table in $(aiter_tables "$spec"); do
        stem=$(basename "$table")
        stem=${stem%%.csv*}
        aiter_model "file:$stem" "$out/$1-file-${stem#model_configs.}.h"
    done
}

# aiter_method FAMILY TEST METHOD DEPENDENCY...: the outcomes of a method; no file if its package is missing
aiter_method() {
    measured=$out/hits/$1-$2-$3.csv measured_of="--families $1 --tests $2 --methods $3"
    shift 3
    is_newer "$measured" tools/lab/peers/aiter.py tools/lab/peers/aiter_rows.py "$@" && return
    show "$measured_of" || :
    # shellcheck disable=SC2086
    $python tools/lab/peers/aiter.py "$AITER_CSV" -o "$out/hits" --models "$out" --threads "$threads" $measured_of
}

judge_aiter() {
    out=$build/aiter methods=${METHODS-aiter nearest frequency forest boosted forest-blind boosted-blind}
    mkdir -p "$out/hits"
    for family in ${FAMILIES:-bs bsp a4w4 bp bf16}; do
        spec=$(spec_of "$family")
        for test in ${TESTS:-config shape file}; do
            for method in $methods; do
                aiter_method "$family" "$test" "$method"
            done
            if [ -e "$spec" ] && [ -n "${NETWORK-yes}" ]; then
                aiter_models "$family" "$test"
                aiter_method "$family" "$test" network "$out/$family-$test"*.h
            fi
        done
    done
    show '' || :
    exec $python tools/lab/report/aiter_tables.py "$out/hits" "$AITER_CSV" -o "$out/tables"
}

# ---- Triton ----

judge_triton() {
    mkdir -p "$build/triton"
    for spec in $(specs_of triton); do
        name=$(basename "$spec" .spec)
        case " ${MODELS-$name} " in *" $name "*) ;; *) continue ;; esac
        # shellcheck disable=SC2046
        $python tools/lab/peers/triton.py "$spec" --data $(data_of "$spec" .) --trainer "$train" \
            --threads "$threads" ${METHODS:+--methods "$METHODS"} --kept "$build/triton"
    done
}

case $1 in
triton) judge_triton ;;
tensile) TENSILE_CSV=$3; judge_tensile ;;
aiter) AITER_CSV=$3; judge_aiter ;;
*) echo "gemm.sh: \"$1\": none of tensile, aiter and triton" >&2; exit 2 ;;
esac
