#!/bin/sh
# cost.sh BUILD [FILE.svg] - how the cost of a prediction grows: times all models with BUILD/kpred by beam and
# body, hot and cold, and counts instructions where valgrind is; then tables on standard output, and a plot.
# SPDX-License-Identifier: MIT
#
# In the environment: BEAMS (1,2,5,10,20,50,100); BODY (all); MODELS (of weights/, all); COUNTED, the beams at
# which instructions are counted (1 10 100), COUNTED_BODY (sse2, as valgrind knows no newer ones)
#
# Files: BUILD/cost/hot.csv, cold.csv, MODEL.json, MODEL-BEAM.callgrind; a finished one stays until kpred is built anew.
# FILE.svg: BUILD/cost/cost.svg by default; without gnuplot there is none.
set -eu

build=$1
kpred=$build/kpred
out=$build/cost
. tools/train/trained.inc
find_python
mkdir -p "$out"
models=${MODELS:-$("$kpred" models --csv | sed 1d | cut -d, -f1)}

# timed FILE ARGUMENT...: what bench prints
timed() {
    file=$1
    shift
    is_newer "$file" "$kpred" && return
    show "$(basename "$file")" || :
    # shellcheck disable=SC2086
    "$kpred" bench $models --ratio --limit --body "${BODY:-all}" --csv "$@" >"$file.tmp"
    mv "$file.tmp" "$file"
}

# count MODEL BEAM: instructions of some hundred predictions
count() {
    file=$out/$1-$2.callgrind
    is_newer "$file" "$kpred" && return
    show "$1, beam $2" || :
    valgrind --tool=callgrind --toggle-collect=kpred_predict --callgrind-out-file="$file.tmp" \
        "$kpred" bench "$1" --beam "$2" --body "${COUNTED_BODY:-sse2}" --rounds 1 >/dev/null 2>"$out/valgrind.log" ||
        { cat "$out/valgrind.log" >&2; exit 1; }
    mv "$file.tmp" "$file"
}

for model in $models; do "$kpred" models "$model" --json >"$out/$model.json"; done
timed "$out/hot.csv" --beam "${BEAMS:-1,2,5,10,20,50,100}"
timed "$out/cold.csv" --beam 1,10,100 --cold
if command -v valgrind >/dev/null 2>&1; then
    for model in $models; do
        for beam in ${COUNTED:-1 10 100}; do count "$model" "$beam"; done
    done
else
    echo "cost.sh: there is no valgrind, so no instructions are counted (Debian: apt-get install valgrind)" >&2
fi
show '' || :
exec $python tools/lab/report/cost.py "$out" -o "${2:-$out/cost.svg}"
