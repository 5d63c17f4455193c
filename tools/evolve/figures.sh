#!/bin/sh
# figures.sh - kpred-evolve measured: on kernels and on networks, and how much of what was planted in them it finds
# SPDX-License-Identifier: MIT
#
# usage: [NAME=VALUE...] sh tools/evolve/figures.sh BUILD [kernels|planted|ml|ml-planted]
#
# kernels     Each method with several seeds on the kernels of tools/evolve/examples, minimised. Results:
#             BUILD/evolve/results.csv. KERNELS METHODS="nsga2 climb random" SEEDS="1 2 3" EVALUATIONS=5000 OPTIONS
# planted     How many evaluations each method needs to find the five planted wastes: until the best list so far has
#             none of them, as the IR that it leaves tells, or 20,000 are over. Results: BUILD/evolve/planted.csv.
#             found: evaluations, 0 for none. edits: of the minimised list; left: the wastes that it leaves.
#             METHODS SEEDS="1 ... 10" OPTIONS
# ml          Both networks and a step of training, over the five splits of the digits. Results:
#             BUILD/evolve-ml/results.csv, a line for each split and one for all: right labels of the module and of
#             what is chosen, in percent of the test images. Of the networks the fastest within the bound is chosen,
#             of the step of training the one with the least validation error.
#             TASKS="dense mobile step" SPLITS="1 2 3 4 5" EVALUATIONS=1500 BOUND=2 OPTIONS
# ml-planted  How often the waste that network --plant puts into a network is found: what ml-report chooses, with at
#             most BOUND points of error more than the module, has one product of matrices or one convolution less.
#             Results: BUILD/evolve-ml/planted.csv. NETWORKS="dense mobile" WASTES="doubled identity dead"
#             SEEDS="1 ... 10" METHOD=nsga2 EVALUATIONS=600 BOUND=1
#
# A search that is there goes on, and a result that is there stays: so it may be stopped at any moment. Each search
# has its report beside it. Times decide, so the machine has to be quiet. gain: percent of the time of the best
# baseline or of the module, with its 95 % interval (of all: the least and the most).
set -eu
build=$1

# ---- kernels ----

# source_of KERNEL: without its ending
source_of() {
    for folder in rodinia planted; do
        [ ! -e "tools/evolve/examples/$folder/$1.c" ] || echo "tools/evolve/examples/$folder/$1"
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
        --evaluations "${EVALUATIONS:-5000}" --resume -o "$at.log" ${OPTIONS-} >"$at.front"
    "$build/kpred-evolve" minimise "$at.log" >"$at.tmp" 2>"$at.err" || cat "$at.err" >>"$at.tmp"
    mv "$at.tmp" "$at.txt"
}

# result KERNEL METHOD SEED: a line of the table; a search without a gain has 0 edits
result() {
    sed -n 's/^gain \([-0-9.]*\) % (95 % interval \([-0-9.]*\) to \([-0-9.]*\)) .* with \(.*\); edits: \([0-9]*\) of [0-9]*$/\4,\5,\1,\2,\3/p' \
        "$out/$1-$2-$3.txt" | grep . || echo ",0,0,0,0"
}

kernels() {
    echo kernel,method,seed,baseline,edits,gain,low,high,exact >"$out/results.tmp"
    for kernel in ${KERNELS:-hotspot hotspot3d needleman_wunsch lu_block lavamd kmeans}; do
        for method in ${METHODS:-nsga2 climb random}; do
            for seed in ${SEEDS:-1 2 3}; do
                evolve "$kernel" "$method" "$seed"
                exact=$(grep -c '^outputs are equal' "$out/$kernel-$method-$seed.txt" || true)
                echo "$kernel,$method,$seed,$(result "$kernel" "$method" "$seed"),$exact" | tee -a "$out/results.tmp"
            done
        done
    done
    mv "$out/results.tmp" "$out/results.csv"
}

# ---- wastes planted in a kernel ----

# left_by LOG LIST: how many wastes it leaves
left_by() {
    "$build/kpred-evolve" emit $kernel.c --function planted -o "$out/planted.ll" --edits "$2" \
        --passes "$(sed -n 's/^# baseline //p' "$1")"
    sed -n '/^define .*@planted(/,/^}/p' "$out/planted.ll" >"$out/one.ll"
    sh tools/evolve/examples/planted/wastes.sh "$out/one.ll" | wc -l
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

planted() {
    kernel=tools/evolve/examples/planted/planted
    echo method,seed,found,edits,left,gain,low,high >"$out/planted.tmp"
    for method in ${METHODS:-nsga2 climb random}; do
        for seed in ${SEEDS:-1 2 3 4 5 6 7 8 9 10}; do
            line "$method" "$seed" | tee -a "$out/planted.tmp"
        done
    done
    mv "$out/planted.tmp" "$out/planted.csv"
}

# ---- networks ----

# network TASK SPLIT: the module
network() {
    case $1 in
    step) "$build/kpred-evolve" network dense --step 100 --split "$2" --data "$out/digits.csv" -o "$out/$1-$2.mlir" ;;
    *) "$build/kpred-evolve" network "$1" --split "$2" --data "$out/digits.csv" -o "$out/$1-$2.mlir" >/dev/null ;;
    esac
}

# evolve_network TASK SPLIT
evolve_network() {
    at=$out/$1-$2 choose=time
    [ "$1" != step ] || choose=error
    [ ! -s "$at.csv" ] || return 0
    network "$1" "$2"
    # shellcheck disable=SC2086
    "$build/kpred-evolve" ml "$at.mlir" --data "$out/digits.csv" --split "$2" --evaluations "${EVALUATIONS:-1500}" \
        --resume -o "$at.log" ${OPTIONS-} >"$at.front"
    if "$build/kpred-evolve" ml-report "$at.log" --bound "${BOUND:-2}" --choose $choose -o "$at.found.mlir" >"$at.txt" 2>"$at.err"; then
        "$build/kpred-evolve" ml-report "$at.log" --bound "${BOUND:-2}" --choose $choose --csv >"$at.tmp"
    else
        cat "$at.err" >&2
        "$build/kpred-evolve" ml-report "$at.log" --bound "${BOUND:-2}" --choose $choose --csv >"$at.tmp" 2>"$at.err" || true
    fi
    mv "$at.tmp" "$at.csv"
}

# images SPLIT: of the test
images() {
    "$build/kpred-evolve" network dense --split "$1" --data "$out/digits.csv" --epochs 1 -o "$out/any.mlir" |
        awk '/^test/ { print $2 }'
}

# ml_line TASK SPLIT
ml_line() {
    awk -F , -v task="$1" -v part="$2" -v images="$(images "$2")" '
        $1 == "module" { module = 100 - $8 }
        $1 == "chosen" { chosen = 100 - $8; gain = $3; low = $4; high = $5; edits = $9 }
        END {
            if (chosen == "") { chosen = module; gain = low = high = edits = 0 }
            printf "%s,%s,%d,%.2f,%.2f,%.2f,%.2f,%.2f,%d\n", task, part, images, module, chosen, gain, low, high, edits
        }' "$out/$1-$2.csv"
}

# pooled TASK: of the lines so far
pooled() {
    awk -F , -v task="$1" '$1 == task {
            n += $3; module += $3 * $4; chosen += $3 * $5; gain += $6; splits++
            if (splits == 1 || $6 < least) least = $6
            if (splits == 1 || $6 > most) most = $6
        }
        END { printf "%s,all,%d,%.2f,%.2f,%.2f,%.2f,%.2f,\n", task, n, module / n, chosen / n, gain / splits, least, most }' \
        "$out/results.tmp"
}

ml() {
    digits
    echo task,split,images,module,chosen,gain,low,high,edits | tee "$out/results.tmp"
    for task in ${TASKS:-dense mobile step}; do
        for split in ${SPLITS:-1 2 3 4 5}; do
            evolve_network "$task" "$split"
            ml_line "$task" "$split" | tee -a "$out/results.tmp"
        done
        pooled "$task" | tee -a "$out/results.tmp"
    done
    mv "$out/results.tmp" "$out/results.csv"
}

# ---- wastes planted in a network ----

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

ml_planted() {
    digits
    echo network,waste,seed,found,gain | tee "$out/planted.tmp"
    for network in ${NETWORKS:-dense mobile}; do
        for waste in ${WASTES:-doubled identity dead}; do
            for seed in ${SEEDS:-1 2 3 4 5 6 7 8 9 10}; do
                one "$network" "$waste" "$seed" | tee -a "$out/planted.tmp"
            done
        done
    done
    mv "$out/planted.tmp" "$out/planted.csv"
}

# The data of networks
digits() {
    [ -s "$out/digits.csv" ] || "${PYTHON:-python3}" tools/evolve/ml/digits.py >"$out/digits.csv"
}

case ${2-kernels} in
kernels | planted) out=$build/evolve ;;
ml | ml-planted) out=$build/evolve-ml ;;
*) echo "figures.sh: \"$2\": none of kernels, planted, ml, ml-planted" >&2; exit 2 ;;
esac
mkdir -p "$out"
case ${2-kernels} in ml-planted) ml_planted ;; *) "${2-kernels}" ;; esac
