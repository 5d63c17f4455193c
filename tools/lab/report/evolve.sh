#!/bin/sh
# evolve.sh - kpred-evolve on the kernels of examples/evolve: each method with several seeds, minimised
# SPDX-License-Identifier: MIT
#
# usage: [KERNELS="..."] [METHODS="nsga2 climb random"] [SEEDS="1 2 3"] [EVALUATIONS=5000] [OPTIONS=...]
#        sh tools/report/evolve.sh BUILD
#
# A search that is there goes on, and a result that is there stays: so it may be stopped at any moment.
# Times decide, so the machine has to be quiet. Results: BUILD/evolve/results.csv, and each search with its
# minimised edits beside it. gain: percent of the time of the best baseline, with its 95 % interval.
set -eu
build=$1 out=$1/evolve
KERNELS=${KERNELS:-hotspot hotspot3d needleman_wunsch lu_block lavamd kmeans}
METHODS=${METHODS:-nsga2 climb random}
SEEDS=${SEEDS:-1 2 3}
EVALUATIONS=${EVALUATIONS:-5000}
mkdir -p "$out"

# source_of KERNEL: without its ending
source_of() {
    for folder in rodinia planted; do
        [ ! -e "examples/evolve/$folder/$1.c" ] || echo "examples/evolve/$folder/$1"
    done
}

harness_of() {
    if [ -e "${1}_harness.c" ]; then echo "${1}_harness.c"; else echo "${1%/*}/one_waste_harness.c"; fi
}

# evolve KERNEL METHOD SEED
evolve() {
    at=$out/$1-$2-$3 path=$(source_of "$1")
    [ ! -s "$at.txt" ] || return 0
    # shellcheck disable=SC2086
    "$build/kpred-evolve" search "$path.c" "$(harness_of "$path")" --function "$1" --method "$2" --seed "$3" \
        --evaluations "$EVALUATIONS" --resume -o "$at.log" ${OPTIONS-} >"$at.front"
    "$build/kpred-evolve" minimise "$at.log" >"$at.tmp" 2>"$at.err" || cat "$at.err" >>"$at.tmp"
    mv "$at.tmp" "$at.txt"
}

# result KERNEL METHOD SEED: a line of the table; a search without a gain has 0 edits
result() {
    sed -n 's/^gain \([-0-9.]*\) % (95 % interval \([-0-9.]*\) to \([-0-9.]*\)) .* with \(.*\); edits: \([0-9]*\) of [0-9]*$/\4,\5,\1,\2,\3/p' \
        "$out/$1-$2-$3.txt" | grep . || echo ",0,0,0,0"
}

echo kernel,method,seed,baseline,edits,gain,low,high,exact >"$out/results.tmp"
for kernel in $KERNELS; do
    for method in $METHODS; do
        for seed in $SEEDS; do
            evolve "$kernel" "$method" "$seed"
            exact=$(grep -c '^outputs are equal' "$out/$kernel-$method-$seed.txt" || true)
            echo "$kernel,$method,$seed,$(result "$kernel" "$method" "$seed"),$exact" | tee -a "$out/results.tmp"
        done
    done
done
mv "$out/results.tmp" "$out/results.csv"
