#!/bin/sh
# ml_check.sh FOLDER - finds a layer that was planted into a network and changes nothing, and says what that gains
# SPDX-License-Identifier: MIT
#
# usage: EVOLVE=.../kpred-evolve [PYTHON=...] sh ml_check.sh FOLDER; it is called by the Makefile. The images are
# scikit-learn's digits. A search may end before it: then the next seed is tried.
set -eu
at=$1/planted
"${PYTHON:-python3}" ../ml/digits.py >"$1/digits.csv"
"$EVOLVE" network dense --data "$1/digits.csv" --plant identity -o "$at.mlir"

# products FILE: its matrix products
products() {
    grep -c linalg.matmul "$1"
}

# evolve SEED: what is chosen, as $at.found.mlir, with its edits in $at.txt
evolve() {
    rm -f "$at.log"
    "$EVOLVE" ml "$at.mlir" --data "$1/digits.csv" --method climb --evaluations 250 --seed "$2" -o "$at.log" >"$at.front"
    "$EVOLVE" ml-report "$at.log" --bound 0 -o "$at.found.mlir" >"$at.txt"
}

for seed in 1 2 3 4 5; do
    evolve "$1" $seed || continue
    cat "$at.txt"
    [ "$(products "$at.found.mlir")" -ge "$(products "$at.mlir")" ] || break
done
[ "$(products "$at.found.mlir")" -lt "$(products "$at.mlir")" ] ||
    { echo "evolve ml: the planted layer was not found" >&2; exit 1; }
echo "evolve ml: planted layer removed, $(sed -n "s/^\(gain .*\) of the module's time; .*/\1/p" "$at.txt")"
