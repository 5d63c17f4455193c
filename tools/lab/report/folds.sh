#!/bin/sh
# folds.sh BUILD TABLES - how good the GEMM models are: every shape of Tensile's tables (in the
# folder TABLES) left out once, pooled, and beside other methods; what is measured stays in BUILD/gemm, and
# only what is not there or is older than what it depends on is measured again
# SPDX-License-Identifier: MIT
#
# LAYOUTS (nn nt tn) and METHODS (of tools/peers/gemm.py; empty: none) in the environment: only
# these. THREADS: how many may be used.
#
# Files, for eval --hits and gemm.py --hits: LAYOUT-I.csv, shape I left out; LAYOUT-METHOD.csv
set -eu

build=$1 TENSILE_CSV=$2
train=$build/kpred-train
. tools/train/trained.inc
out=$build/gemm
lists=1,2,4,8
threads=${THREADS:-$(getconf _NPROCESSORS_ONLN)}
find_python
mkdir -p "$out"

# fold LAYOUT I N
fold() {
    model=$out/$1-$2.h hits=$out/$1-$2.csv
    is_newer "$hits" "$spec" "$own" "$train" && return
    show "$1: shape $(($2 + 1)) of $3" || :
    train_model "$spec" "$model" \
        "--split fold:$2/$3 --threads $threads --float-out $out/$1-$2.f32" "$own"
    "$train" eval "$model" --data "$own" -k $lists --hits "$hits" >"$out/$1-$2.txt"
}

# other LAYOUT METHOD: one of the other methods, on the same shapes; no file if its package is missing
other() {
    hits=$out/$1-$2.csv
    is_newer "$hits" "$spec" "$own" tools/peers/gemm.py && return
    show "$1: $2" || :
    # shellcheck disable=SC2046
    $python tools/peers/gemm.py "$spec" --data "$own" --beside $(files_of "$spec" beside .) -k $lists \
        --methods "$2" --trainer "$train" --threads "$threads" --hits "$hits.new" >"$out/$1-$2.txt"
    [ ! -e "$hits.new" ] || [ "$(wc -l <"$hits.new")" -eq 1 ] || mv "$hits.new" "$hits"
    rm -f "$hits.new"
}

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
exec $python tools/peers/shares.py $files
