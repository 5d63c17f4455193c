#!/bin/sh
# evolve_planted.sh - how many evaluations each method needs to find the five planted wastes
# SPDX-License-Identifier: MIT
#
# usage: [METHODS="nsga2 climb random"] [SEEDS="1 2 3"] [OPTIONS=...] sh tools/report/evolve_planted.sh BUILD
#
# A search goes on until the best list so far has none of the wastes, as the IR that it leaves tells, or 20,000
# evaluations are over; then that search is minimised. It may be stopped at any moment: searches that are there go on.
# Results: BUILD/evolve/planted.csv. found: evaluations, 0 for none. edits: of the minimised list; left: the wastes
# that it leaves; gain: in percent, with its 95 % interval.
set -eu
build=$1 out=$1/evolve kernel=examples/evolve/planted/planted
METHODS=${METHODS:-nsga2 climb random}
SEEDS=${SEEDS:-1 2 3 4 5 6 7 8 9 10}
mkdir -p "$out"

# left_by LOG LIST: how many wastes it leaves
left_by() {
    "$build/kpred-evolve" emit $kernel.c --function planted -o "$out/planted.ll" --edits "$2" \
        --passes "$(sed -n 's/^# baseline //p' "$1")"
    sed -n '/^define .*@planted(/,/^}/p' "$out/planted.ll" >"$out/one.ll"
    sh examples/evolve/planted/wastes.sh "$out/one.ll" | wc -l
}

# improvements LOG: the evaluations that ran until then, and the list, of each valid one that was the fastest so far
improvements() {
    awk '$1 ~ /^(valid|crashed|timed-out|wrong|garbled)$/ { ran++ }
        $1 == "valid" && $3 < 0.999 * (best ? best : 1) {
            best = $3; list = $0; sub(/^[^|]*\| /, "", list); sub(/ #[0-9a-f]*$/, "", list); print ran, list }' "$1"
}

# found_in LOG: the evaluations until none was left, or nothing
found_in() {
    improvements "$1" | while read -r ran list; do
        [ "$list" = - ] || [ "$(left_by "$1" "$list")" -ne 0 ] || { echo "$ran"; break; }
    done
}

# search METHOD SEED LOG
search() {
    for evaluations in 1250 2500 5000 10000 20000; do
        # shellcheck disable=SC2086
        "$build/kpred-evolve" search $kernel.c ${kernel}_harness.c --function planted --method "$1" --seed "$2" \
            --evaluations $evaluations --resume -o "$3" ${OPTIONS-} >"$3.front" 2>"$3.err" || { cat "$3.err"; exit 1; }
        found=$(found_in "$3")
        [ -z "$found" ] || return 0
    done
}

# list_of MINIMISED.csv: the edits, behind each other
list_of() {
    grep -oE '^(delete|copy|move|replace|swap|operand) [0-9]+ [0-9]+ [0-9]+ [0-9a-f]{8},' "$1" | tr -d '\n' |
        sed 's/,$//; s/,/; /g'
}

# line METHOD SEED
line() {
    log=$out/planted-$1-$2.log found=
    search "$1" "$2" "$log"
    "$build/kpred-evolve" minimise "$log" --csv >"$log.csv" 2>"$log.err" || { echo "$1,$2,${found:-0},0,5,0,0,0"; return 0; }
    list=$(list_of "$log.csv")
    interval=$(tail -n 1 "$log.csv" | awk -F , '{ printf "%.2f,%s,%s", 100 * (1 - $(NF - 3)), $(NF - 2), $(NF - 1) }')
    echo "$1,$2,${found:-0},$(echo "$list" | tr ';' '\n' | wc -l),$(left_by "$log" "$list"),$interval"
}

echo method,seed,found,edits,left,gain,low,high >"$out/planted.tmp"
for method in $METHODS; do
    for seed in $SEEDS; do
        line "$method" "$seed" | tee -a "$out/planted.tmp"
    done
done
mv "$out/planted.tmp" "$out/planted.csv"
