#!/bin/sh
# by_hand.sh - what the planted wastes cost, and when which variant wins: edits made by hand, timed by turns
# SPDX-License-Identifier: MIT
#
# usage: [EVOLVE_CLANG=clang-16] [CC=cc] sh tools/evolve/examples/by_hand.sh planted|variants
#
# From the repository's root. A line for each case: its sizes, the median of the kernel as it is, and
# the medians of the ratios of the others to it; of 301 turns.
set -eu
clang=${EVOLVE_CLANG:-clang-16}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp tools/evolve/harness.h "$tmp/kpred_evolve.h"
${CC:-cc} -std=c99 -O2 -Itools tools/evolve/examples/kernel_driver.c -o "$tmp/driver" -lm -ldl

# library FILE OPTION... SOURCE
library() {
    out=$1; shift
    $clang -std=c99 -O3 -march=native -ffp-contract=off -fPIC -shared -I"$tmp" "$@" -lm -o "$out"
}

# timed FUNCTION HARNESS.c KERNEL.c OPTIONS...: the kernel as it is, then with each of the options
timed() {
    function=$1 harness=$2 kernel=$3; shift 3
    library "$tmp/cases.so" "$harness"
    library "$tmp/0.so" "$kernel"
    libraries=$tmp/0.so n=0
    for options; do
        n=$((n + 1))
        # shellcheck disable=SC2086
        library "$tmp/$n.so" $options "$kernel"
        libraries="$libraries $tmp/$n.so"
    done
    "$tmp/driver" check "$tmp/cases.so" "$function" $libraries
    "$tmp/driver" time "$tmp/cases.so" "$function" $libraries
}

case ${1-} in
planted)
    folder=tools/evolve/examples/planted
    echo "planted: without the load, the division, the array, the store, the buffer, all of them"
    set --
    for waste in INVARIANT_LOAD DIVISION SCRATCH_ARRAY DEAD_STORE BUFFER; do
        set -- "$@" -DWITHOUT_$waste
    done
    timed planted $folder/planted_harness.c $folder/planted.c "$@" "$*"
    for name in invariant_load division scratch_array dead_store buffer; do
        echo "$name: without it"
        timed $name $folder/one_waste_harness.c $folder/$name.c -DWITHOUT_WASTE
    done
    ;;
variants)
    folder=tools/evolve/examples/variants
    echo "product: without the stop"
    timed product $folder/harness.c $folder/kernel.c -DSTOP=0
    ;;
*)
    echo "usage: sh tools/evolve/examples/by_hand.sh planted|variants" >&2
    exit 2
    ;;
esac
