#!/bin/sh
# race_all.sh - races the first K tuples that a model predicts for each problem of a list
# SPDX-License-Identifier: MIT
#
# usage: race_all.sh KPRED MODEL.h PROBLEMS.csv K RACE [OPTION...] FOLDER
kpred=$1 model=$2 problems=$3 k=$4
shift 4
{ read -r columns && [ "$columns" = m,n,k ]; } <"$problems" || { echo "$problems:1: is not m,n,k" >&2; exit 1; }
sed 1d "$problems" | while IFS=, read -r m n k_size; do
    "$kpred" predict "$model" "m=$m" "n=$n" "k=$k_size" -k "$k" --csv >"$model.tuples" || exit 1
    # shellcheck disable=SC2046
    "$@" "$m" "$n" "$k_size" $(sed '1d; s/^[^,]*,[^,]*,//; s/,/_/g' "$model.tuples") >"$model.raced" || exit 1
done
