#!/bin/sh
# check.sh FOLDER - finds the planted store of planted/dead_store.c, and says what that gains
# SPDX-License-Identifier: MIT
#
# usage: EVOLVE=.../kpred-evolve sh check.sh FOLDER; it is called by the Makefile. Every second
# search finds another way to the same gain, such as to spare the division alone: then the next seed is tried.
set -eu
log=$1/dead_store.log found=$1/dead_store.txt

# evolve SEED: the edits that matter, into $found
evolve() {
    rm -f "$log"
    "$EVOLVE" search planted/dead_store.c planted/one_waste_harness.c --function dead_store --method climb \
        --evaluations 700 --seed "$1" -o "$log" >"$found" && "$EVOLVE" minimise "$log" >"$found"
}

for seed in $(seq 16); do
    evolve $seed || exit 1
    cat "$found"
    ! grep -q '^[0-9]*\. delete store ' "$found" || break
done
grep -q '^[0-9]*\. delete store ' "$found" || { echo "evolve: the planted store was not found" >&2; exit 1; }
echo "evolve: planted store removed, $(sed -n 's/^\(gain .*\) of the time with .*/\1/p' "$found")"
