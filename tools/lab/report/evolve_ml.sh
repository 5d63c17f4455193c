#!/bin/sh
# evolve_ml.sh - kpred-evolve ml on both networks and on a step of training, over the five splits of the digits
# SPDX-License-Identifier: MIT
#
# usage: [TASKS="dense mobile step"] [SPLITS="1 2 3 4 5"] [EVALUATIONS=1500] [BOUND=2] [OPTIONS=...]
#        sh tools/report/evolve_ml.sh BUILD
#
# A search that is there goes on, and a result that is there stays: so it may be stopped at any moment. Times decide, so
# the machine has to be quiet. Results: BUILD/evolve-ml/results.csv, a line for each split and one for all: right labels
# of the module and of what is chosen, in percent of the test images, and the gain with its 95 % interval (of all: the
# least and the most). Each search has its report beside it. images: of the test. Of the networks the fastest within the
# bound is chosen, of the step of training the one with the least validation error.
set -eu
build=$1 out=$1/evolve-ml
TASKS=${TASKS:-dense mobile step}
SPLITS=${SPLITS:-1 2 3 4 5}
mkdir -p "$out"
[ -s "$out/digits.csv" ] || "${PYTHON:-python3}" tools/evolve/ml/digits.py >"$out/digits.csv"

# network TASK SPLIT: the module
network() {
    case $1 in
    step) "$build/kpred-evolve" network dense --step 100 --split "$2" --data "$out/digits.csv" -o "$out/$1-$2.mlir" ;;
    *) "$build/kpred-evolve" network "$1" --split "$2" --data "$out/digits.csv" -o "$out/$1-$2.mlir" >/dev/null ;;
    esac
}

# evolve TASK SPLIT
evolve() {
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

# line TASK SPLIT
line() {
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

echo task,split,images,module,chosen,gain,low,high,edits | tee "$out/results.tmp"
for task in $TASKS; do
    for split in $SPLITS; do
        evolve "$task" "$split"
        line "$task" "$split" | tee -a "$out/results.tmp"
    done
    pooled "$task" | tee -a "$out/results.tmp"
done
mv "$out/results.tmp" "$out/results.csv"
