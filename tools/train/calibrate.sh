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

# one FOLD: its temperature and its number of problems
one() {
    header=$out/$name.$split.$fold.h
    is_newer "$header" "$spec" ||
        train_model "$spec" "$header" "--split $kind:$fold/$of" "$@" >&2
    "$build/kpred-train" eval "$header" --data "$@" -k 1 --beam 10 --reliability 2>&1 >/dev/null |
        sed -n 's/.*: temperature \([0-9.]*\):.* (\([0-9]*\) problems)$/\1 \2/p'
}

fold=0
while [ "$fold" -lt "$folds" ]; do
    told=$(one "$@")
    [ -n "$told" ] || exit 1
    echo "$name $split fold $fold/$of: temperature ${told% *}, ${told#* } problems"
    fold=$((fold + 1))
done | awk '{ print; t = $6; sub(",", "", t); sum += $7 * log(t); n += $7 }
    END { if (!n) exit 1
          printf "%s = %.2f  # the geometric mean, by problems\n", $2, exp(sum / n) }'
