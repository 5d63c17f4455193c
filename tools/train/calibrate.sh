#!/bin/sh
# calibrate.sh BUILD SPLIT FOLDS OF SPEC [FILE...] - the temperature for [calibration] of a spec: of each
# of the first FOLDS of OF folds of the rows that SPLIT (config, shape, none) trains on, a model is
# trained as the shipped ones are on the other folds, and its best temperature found on that fold.
# What is trained stays in BUILD/calibration. FILE, or MIOPEN_DB and TENSILE_CSV, as for train_model.sh.
# SPDX-License-Identifier: MIT
set -eu
if [ $# -lt 5 ]; then
    sed -n '2,5s/^# //p' "$0" >&2
    exit 2
fi
build=$1 split=$2 folds=$3 of=$4 spec=$5
shift 5
train=$build/kpred-train
. tools/train/trained.inc
case $split in
config | shape) kind=$split ;;
none) kind="fold" ;;
*)
    echo "${0##*/}: \"$split\": expected config, shape or none" >&2
    exit 2
    ;;
esac
name=$(basename "$spec" .spec) out=$build/calibration
mkdir -p "$out"
if [ $# -eq 0 ]; then
    files=$(data_of "$spec" "${MIOPEN_DB-}") # stops here if that fails
    # shellcheck disable=SC2086
    set -- $files
fi

# one FILE...: the temperature of fold $fold and its number of problems
one() {
    header=$out/$name.$split.$fold-$of.h
    is_newer "$header" "$spec" ||
        train_model "$spec" "$header" "--split $kind:$fold/$of" "$@" >&2
    "$train" eval "$header" --data "$@" -k 1 --beam 10 --reliability 2>"$out/said" >/dev/null ||
        { cat "$out/said" >&2; return 1; }
    sed -n 's/.*: temperature \([0-9.]*\):.* (\([0-9]*\) problems)$/\1 \2/p' "$out/said"
}

fold=0 all=
while [ "$fold" -lt "$folds" ]; do
    told=$(one "$@")
    if [ -z "$told" ]; then
        echo "${0##*/}: $name: there is no temperature for fold $fold/$of" >&2
        exit 1
    fi
    echo "$name $split fold $fold/$of: temperature ${told% *}, ${told#* } problems"
    all="$all $told" fold=$((fold + 1))
done
echo "$all" | awk -v key="$split" '{ for (i = 1; i < NF; i += 2) { sum += $(i + 1) * log($i); n += $(i + 1) } }
    END { if (!n) exit 1
          printf "%s = %.2f  # the geometric mean, by problems\n", key, exp(sum / n) }'
