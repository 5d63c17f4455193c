#!/bin/sh
# tensile.sh - whole tables of Tensile's benchmarks as timed data, and what trains on them
# SPDX-License-Identifier: MIT
#
# The tables of $TENSILE_CSV are read in full and compared with an independent reader; test_tensile.c
# has small ones.
. tests/harness/script.inc

test_begin
TENSILE_CSV=${TENSILE_CSV:-../shared/tensile}

need_trainer "Tensile's tables"

# ---- whole tables ----

# same_rows NN FILE ROWS: ingest gives the rows that the reader gives
same_rows() {
    python3 tests/data/tensile.py "$2" weights/gemm_mi100_$1.spec | LC_ALL=C sort >"$tmp/expected" &&
        "$trainer" ingest weights/gemm_mi100_$1.spec --data "$2" -o "$tmp/whole.csv" --force >"$tmp/err" 2>&1 &&
        [ ! -s "$tmp/err" ] && sed 1d "$tmp/whole.csv" | LC_ALL=C sort | cmp - "$tmp/expected" &&
        [ $(($(wc -l <"$tmp/whole.csv") - 1)) -eq "$3" ] &&
        "$trainer" ingest weights/gemm_mi100_$1.spec --data "$tmp/whole.csv" | cmp - "$tmp/whole.csv"
}
# What `make weights` runs for GEMM, without the tables: a line that says so, and no header.
no_tables() { # TEXT NAME=VALUE... COMMAND...
    text=$1
    shift
    refuses 1 "$text" env "$@" "$tmp/none.h" '' && [ ! -e "$tmp/none.h" ]
}
recipe="sh tools/train/train_model.sh $trainer"
check "no folder of tables" no_tables \
    "train_model.sh: there is no $tmp/none/mi100-sgemm-Cijk_Ailk_Bljk_SB_00.csv.bz2: TENSILE_CSV" \
    TENSILE_CSV="$tmp/none" $recipe weights/gemm_mi100_nn.spec
mkdir "$tmp/one"
: >"$tmp/one/mi100-sgemm-Cijk_Alik_Bljk_SB_00.csv.bz2"
check "no table of another layout" no_tables \
    "train_model.sh: there is no $tmp/one/mi100-sgemm-Cijk_Ailk_Bljk_SB_00.csv.bz2: TENSILE_CSV" \
    TENSILE_CSV="$tmp/one" $recipe weights/gemm_mi100_tn.spec
# What stands in another section, or in a comment, is no such key.
sed 's/^\[data\]/[derived]\nfiles = log2 m\n&/; s/^format.*/&\n# files = no.csv\n  files=own.csv/' \
    tests/fixtures/tensile.spec >"$tmp/own.spec"
check "no table of its own" no_tables "train_model.sh: there is no $tmp/one/own.csv: TENSILE_CSV" \
    TENSILE_CSV="$tmp/one" $recipe "$tmp/own.spec"
check "a layout that there is not" refuses 1 'folds.sh: "tt": none of nn nt tn' \
    env LAYOUTS=tt sh tools/report/folds.sh "$BUILD" "$tmp/one"
check "a spec without a table" no_tables 'tensile.spec: no table is known for it' \
    TENSILE_CSV="$tmp/one" $recipe tests/fixtures/tensile.spec

# trains_on TEXT SPEC FILE OPTIONS: train_model.sh hands that to the trainer, between data and header
trains_on() {
    file=$3
    [ "$(TENSILE_CSV="$tmp/one" sh tools/train/train_model.sh echo "$2" x.h "$4" "$file")" = \
        "train $2 --data $file $1 -o x.h" ]
}
for table in Ailk_Bljk Ailk_Bjlk; do : >"$tmp/one/mi100-sgemm-Cijk_${table}_SB_00.csv.bz2"; done
beside="--beside $tmp/one/mi100-sgemm-Cijk_Ailk_Bljk_SB_00.csv.bz2"
beside="$beside $tmp/one/mi100-sgemm-Cijk_Ailk_Bjlk_SB_00.csv.bz2"
check "what ships of GEMM" trains_on "$beside --split none" weights/gemm_mi100_tn.spec a.csv ''
check "another split of GEMM" trains_on "$beside --split fold:0/2" weights/gemm_mi100_tn.spec a.csv \
    '--split fold:0/2'
for run in gfx900_56-2019-12-06 gfx906_60-2019-07-19 gfx906_64-2019-07-19; do
    : >"$tmp/one/$run.cd.pdb.txt.bz2"
done
check "labels of older runs" trains_on "$(echo "$tmp"/one/gfx9*.txt.bz2) --nearest --lenient" \
    weights/conv_asm_bwd_wrw_3x3.spec "$tmp/one/a.db" ''

while read -r layout operands rows; do
    file=$TENSILE_CSV/mi100-sgemm-Cijk_${operands}_SB_00.csv.bz2
    if [ ! -r "$file" ]; then
        skipped "$layout in full" "there is no $file"
    elif ! has python3; then
        skipped "$layout in full" "there is no python3"
    else
        check "$layout in full" same_rows $layout "$file" "$rows"
    fi
done <<'END'
nn Ailk_Bljk 177120
nt Ailk_Bjlk 75520
tn Alik_Bljk 118080
END

test_end
