#!/bin/sh
# tuners.sh BUILD TABLES - kpred's tuner beside other strategies, replayed on the full tables of Kernel
# Tuner's hub (in the folder TABLES): a table of means on standard output. All that is in BUILD/tuners stays,
# and only what is not there or is older than what it depends on is replayed again: it may be stopped.
# SPDX-License-Identifier: MIT
#
# In the environment: SEEDS (30); STRATEGIES, KNOWN (of tools/lab/peers/tuners.py, without and with tables of the
# other GPUs, beside kpred itself)
#
# Files: rows/TABLE-STRATEGY-START.csv; rows.csv, all of them
set -eu

build=$1 folder=$2
train=$build/kpred-train
. tools/train/trained.inc
out=$build/tuners
seeds=${SEEDS:-30}
find_python
mkdir -p "$out/rows"

# The tables that can be replayed: a cache file each. Results in the T4 form are the same ones again.
tables() {
    for table_of in "$folder"/*_milo.*.json*; do
        case $table_of in
        *.T1.json | *_T4.* | *'*'*) ;;
        *) echo "$table_of" ;;
        esac
    done
}

# others TABLE: those of the same kernel
others() {
    other_kernel=$(basename "$1")
    tables | grep -F "/${other_kernel%%.*}." | grep -vxF "$1" || :
}

# rows_of STRATEGY TABLE ARGUMENT...
rows_of() {
    strategy_of=$1
    shift
    case $strategy_of in
    kpred) "$train" tune --replay "$@" --csv ;;
    *) $python tools/lab/peers/tuners.py "$@" --strategies "$strategy_of" --csv ;;
    esac
}

# replay TABLE STRATEGY START [--data TABLE...]: the rows; no file if a package is missing
replay() {
    rows=$out/rows/$(basename "$1" .json.bz2)-$2-$3.csv table=$1 strategy=$2
    made_by=tools/lab/peers/tuners.py
    [ "$strategy" != kpred ] || made_by=$train
    if is_newer "$rows" "$made_by" tools/lab/peers/tuner_tables.py && [ "$(wc -l <"$rows")" -eq $((seeds + 1)) ]; then
        return
    fi
    show "$(basename "$1"): $2, $3" || :
    shift 3
    case $table in */dedispersion*) budget=200 ;; *) budget=300 ;; esac
    rows_of "$strategy" "$table" --budget "$budget" --seeds "$seeds" "$@" >"$rows.tmp"
    if [ "$(wc -l <"$rows.tmp")" -gt 1 ]; then mv "$rows.tmp" "$rows"; else rm "$rows.tmp"; fi
}

[ -n "$(tables)" ] || {
    echo "tuners.sh: there is no table in $folder: TUNER is to be a folder of cache files of" \
        "https://github.com/AutoTuningAssociation/benchmark_hub, as KERNEL_milo.GPU.json.gz" >&2
    exit 1
}
for table in $(tables); do
    for strategy in kpred ${STRATEGIES-random genetic annealing differential iterated climb process boosted}; do
        replay "$table" "$strategy" cold
    done
    [ -n "$(others "$table")" ] || continue
    for strategy in kpred ${KNOWN-order process boosted}; do
        # shellcheck disable=SC2046
        replay "$table" "$strategy" data --data $(others "$table")
    done
done
show '' || :
{ echo table,strategy,start,seed,evals_5,evals_1,share; awk 'FNR > 1' "$out"/rows/*.csv; } >"$out/rows.csv"
exec $python tools/lab/report/tuner_means.py "$out/rows.csv"
