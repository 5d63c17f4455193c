#!/bin/sh
# evolve_ml_planted.sh - how often kpred-evolve ml finds the waste that network --plant puts into a network
# SPDX-License-Identifier: MIT
#
# usage: [NETWORKS="dense mobile"] [WASTES="doubled identity dead"] [SEEDS="1 ... 10"] [METHOD=nsga2] [EVALUATIONS=600] [BOUND=1]
#        sh tools/report/evolve_ml_planted.sh BUILD
#
# A waste is found if what ml-report chooses, with at most BOUND points of error more than the module, has one product
# of matrices or one convolution less. Results: BUILD/evolve-ml/planted.csv. gain: in percent.
set -eu
build=$1 out=$1/evolve-ml
mkdir -p "$out"
[ -s "$out/digits.csv" ] || "${PYTHON:-python3}" tools/evolve/ml/digits.py >"$out/digits.csv"

products() {
    grep -cE 'linalg\.(matmul|conv_2d)' "$1"
}

# one NETWORK WASTE SEED
one() {
    at=$out/planted-$1-$2-$3
    if [ ! -s "$at.csv" ]; then
        "$build/kpred-evolve" network "$1" --data "$out/digits.csv" --plant "$2" -o "$at.mlir" >/dev/null
        "$build/kpred-evolve" ml "$at.mlir" --data "$out/digits.csv" --method "${METHOD:-nsga2}" --seed "$3" \
            --evaluations "${EVALUATIONS:-600}" --population 32 --resume -o "$at.log" >"$at.front" 2>"$at.err"
        "$build/kpred-evolve" ml-report "$at.log" --bound "${BOUND:-1}" -o "$at.found.mlir" --csv >"$at.tmp" 2>"$at.err" ||
            { cp "$at.mlir" "$at.found.mlir"; echo chosen,1,0 >"$at.tmp"; }
        mv "$at.tmp" "$at.csv"
    fi
    is_found=$(($(products "$at.found.mlir") < $(products "$at.mlir")))
    echo "$1,$2,$3,$is_found,$(tail -n 1 "$at.csv" | cut -d, -f3)"
}

echo network,waste,seed,found,gain | tee "$out/planted.tmp"
for network in ${NETWORKS:-dense mobile}; do
    for waste in ${WASTES:-doubled identity dead}; do
        for seed in ${SEEDS:-1 2 3 4 5 6 7 8 9 10}; do
            one "$network" "$waste" "$seed" | tee -a "$out/planted.tmp"
        done
    done
done
mv "$out/planted.tmp" "$out/planted.csv"
