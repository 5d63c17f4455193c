#!/bin/sh
# tensile.sh - tables of Tensile's benchmarks as timed data: what ingest makes of them
# SPDX-License-Identifier: MIT
#
# The tables of $TENSILE_CSV are read in full and compared with an independent reader; all else
# needs only what is here.
. tests/harness/script.inc
. tests/data/ingest.inc

test_begin
TENSILE_CSV=${TENSILE_CSV:-../shared/tensile}

need_trainer "Tensile's tables"

# ---- a small table ----

# Two kernels that differ in four pieces, of which PGR and TT follow from the others. The second
# table has more blanks, the first none.
tensile_spec unconstrained "MT0 = 32 64" "GSU = 1 2" "SE = 1" >"$tmp/small.spec"
spec=$tmp/small.spec
shape=GFlops,SizeI,SizeJ,SizeK,SizeL,LDD,LDC,LDA,LDB,TotalFlops
one=Cijk_Ailk_Bljk_SB_MT32x32x8_MI16x16x4x1_SE_GSU1_PGR1_TT1_16_WG32_8_1
two=Cijk_Ailk_Bljk_SB_MT64x32x8_MI16x16x4x1_SE_GSU2_PGR2_TT2_16_WG32_8_1
three=Cijk_Ailk_Bljk_SB_MT32x32x8_MI16x16x4x1_SE_GSU2_PGR2_TT1_16_WG32_8_1
cat >"$tmp/table.csv" <<END
$shape,$one,$two,$three
0,7,8,1,64,1,1,1,1,7168,14,0,0.5
1,5,8,2,64,1,1,1,1,3000000,3000,1.5e3,7
END
{
    echo " $shape, $one, $two , $three" | sed 's/,/ , /g'
    sed '1d; s/,/, /g' "$tmp/table.csv"
} >"$tmp/blanks.csv"
cat >"$tmp/rows.csv" <<'END'
m,n,batch,k,MT0,GSU,SE,time_us
5,8,2,64,32,1,1,1
5,8,2,64,32,2,1,428.571428571429
5,8,2,64,64,2,1,2
7,8,1,64,32,1,1,0.512
7,8,1,64,32,2,1,14.336
END

failed_once="dropped 1 row: a failed measurement (no time or speed, or one of 0)"
check "a table" gives "$tmp/table.csv" "$tmp/rows.csv" "$failed_once"
check "a table with blanks" gives "$tmp/blanks.csv" "$tmp/rows.csv" "$failed_once"
sed 's/$/\r/' "$tmp/table.csv" >"$tmp/crlf.csv"
check "lines that end with CRLF" gives "$tmp/crlf.csv" "$tmp/rows.csv" "$failed_once"
check_with bzip2 "packed" packed "$tmp/table.csv" "$tmp/rows.csv" "$failed_once"
cp "$tmp/rows.csv" "$tmp/back.csv"
check "ingest's CSV" gives "$tmp/back.csv" "$tmp/rows.csv"

unknown_stay() {
    sed 's/MT64x/MT96x/; s/GSU1/GSU01/' "$tmp/table.csv" >"$tmp/unknown_table.csv"
    sed 's/^5,8,2,64,64/5,8,2,64,96/' "$tmp/rows.csv" >"$tmp/unknown.csv"
    kept="1 row names an option that the spec does not know: kept, never predicted"
    gives "$tmp/unknown_table.csv" "$tmp/unknown.csv" "$failed_once" "$kept" &&
        cp "$tmp/unknown.csv" "$tmp/back.csv" && gives "$tmp/back.csv" "$tmp/unknown.csv" "$kept"
}
check "kernels that the spec does not know stay" unknown_stay

gpu_field() {
    sed 's/^m = /gpu = gfx908 gfx90a\n&/' $spec >"$tmp/gpu.spec"
    refuses 1 'gpu: value "table"' ingest "$tmp/gpu.spec" --data "$tmp/table.csv" &&
        ingest "$tmp/gpu.spec" --gpu gfx908 --data "$tmp/table.csv" 2>/dev/null >"$tmp/gpu" &&
        sed 's/^/gfx908,/; 1s/.*/gpu,&/; 1s/gfx908,//' "$tmp/rows.csv" | cmp - "$tmp/gpu"
}
check "a field for the GPU" gpu_field

# ---- errors ----

# bad NAME PATTERN DROPPED SED: of the changed table ingest complains with the pattern, and with
# --lenient makes the rows of $tmp/fewer and drops what is DROPPED beside the failed measurement
bad() {
    sed "$4" "$tmp/table.csv" >"$tmp/changed.csv"
    check "$1" bad_table "$2" "$3"
}
bad_table() {
    refuses 1 "changed.csv:$1" ingest $spec --data "$tmp/changed.csv" || return 1
    ingest $spec --lenient --data "$tmp/changed.csv" >"$tmp/out" 2>"$tmp/err" &&
        cmp "$tmp/out" "$tmp/fewer" && grep -qxF "kpred-train: dropped $2" "$tmp/err"
}
cell="a cell that cannot be read"
grep -v '428' "$tmp/rows.csv" >"$tmp/fewer"
for speed in "" -7 inf nan 7x 1e999 0x7; do
    bad "the speed \"$speed\"" "3: $three: value \"$speed\": is no finite number of at least 0" \
        "1 row: $cell" "3s/,7\$/,$speed/"
done
bad "a speed beyond all" "3: time_us: value \"inf\": is no time" "1 row: $cell" '3s/,7$/,1e-307/'
grep -v '^5' "$tmp/rows.csv" >"$tmp/fewer"
bad "a cell too few" '3: row: value "1": has 12 cells, the header has 13' "3 rows: $cell" '3s/,7$//'
bad "a cell too many" '3: row: value "1": has 14 cells, the header has 13' "3 rows: $cell" \
    '3s/$/,8/'
bad "a size that is none" '3: m: value "5x": is no integer' "3 rows: $cell" '3s/^1,5,/1,5x,/'
bad "a size of 0" '3: k: value "0": is outside of 1..16777216' \
    "3 rows: a problem that the spec does not cover" '3s/,64,/,0,/'
bad "no operations" '3: TotalFlops: value "0": is no number of operations' "3 rows: $cell" \
    '3s/,3000000,/,0,/'
grep -v ',32,1,1' "$tmp/rows.csv" >"$tmp/fewer"
for name in MX32 Cijk_M32 Cijk_MT Cijk_MTx Cijk_MT3x Cijk_MT32_ Cijk_MT32_7a Cijk_MT32_GSU1_GSU2 \
    Cijk_MT32_GSU12345678901 Cijk_MT32__GSU1; do
    bad "the column $name" "1: column: value \"$name\": is no kernel's name" "2 rows: $cell" \
        "1s/$one/$name/"
done
bad "a column that lacks a parameter" \
    '1: column: value "Cijk_MT32x32_SE": has no GSU' "2 rows: $cell" "1s/$one/Cijk_MT32x32_SE/"
bad "a column of one tile size" '1: column: value "Cijk_MT32_SE_GSU1": has no MT0' \
    "2 rows: $cell" "1s/$one/Cijk_MT32_SE_GSU1/"

# table_says PATTERN SED: of the changed table ingest complains with the pattern, --lenient or not
table_says() {
    sed "$2" "$tmp/table.csv" >"$tmp/changed.csv"
    refuses 1 "$1" ingest $spec --data "$tmp/changed.csv" &&
        refuses 1 "$1" ingest $spec --lenient --data "$tmp/changed.csv"
}
check "a column that is missing" table_says \
    'changed.csv:1: there is no column "SizeK" before "TotalFlops"' '1s/SizeK/SizeX/'
check "no kernel" table_says 'changed.csv:1: no kernel follows' '1s/TotalFlops.*/TotalFlops/'
check "no TotalFlops" table_says 'there is no column "m"' '1s/TotalFlops/Flops/'
apart() {
    grep -v '^GSU' $spec >"$tmp/coarse.spec"
    refuses 1 "table.csv:1: columns \"$one\" and \"$three\": the parameters of $tmp/coarse.spec" \
        ingest "$tmp/coarse.spec" --data "$tmp/table.csv"
}
check "kernels that the parameters do not tell apart" apart

# spec_says PATTERN SED: ingest with the changed spec fails with the pattern
spec_says() {
    sed "$2" $spec >"$tmp/changed.spec"
    refuses 1 "$1" ingest "$tmp/changed.spec" --data "$tmp/table.csv"
}
check "a field that tables lack" spec_says 'field "d" of' 's/^k = /d = size\n&/'
check "a field that is missing" spec_says 'lacks a field "batch"' '/^batch/d'
check "a parameter of names" spec_says 'parameter "SE" of' 's/^SE.*/SE = yes/'
refuse "a perf-db" 1 "format = tensile, this is a perf-db or find-db" \
    ingest $spec --data "$tmp/none.txt"
twice() {
    sed '3p' "$tmp/table.csv" >"$tmp/twice.csv"
    gives "$tmp/twice.csv" "$tmp/rows.csv" "$failed_once" || return 1
    sed '3p; 3s/,7$/,6/' "$tmp/table.csv" >"$tmp/twice.csv"
    refuses 1 'twice.csv:4: time_us: value "500": the same option of the same problem took 428' \
        ingest $spec --data "$tmp/twice.csv"
}
check "a shape twice" twice

# ---- whole tables ----

# same_rows NN FILE ROWS: ingest gives the rows that the reader gives
same_rows() {
    python3 tests/data/tensile.py "$2" weights/gemm_mi100_$1.spec | LC_ALL=C sort >"$tmp/expected" &&
        ingest weights/gemm_mi100_$1.spec --data "$2" -o "$tmp/whole.csv" --force >"$tmp/err" 2>&1 &&
        [ ! -s "$tmp/err" ] && sed 1d "$tmp/whole.csv" | LC_ALL=C sort | cmp - "$tmp/expected" &&
        [ $(($(wc -l <"$tmp/whole.csv") - 1)) -eq "$3" ] &&
        ingest weights/gemm_mi100_$1.spec --data "$tmp/whole.csv" | cmp - "$tmp/whole.csv"
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
    "$tmp/small.spec" >"$tmp/own.spec"
check "no table of its own" no_tables "train_model.sh: there is no $tmp/one/own.csv: TENSILE_CSV" \
    TENSILE_CSV="$tmp/one" $recipe "$tmp/own.spec"
check "a layout that there is not" refuses 1 'folds.sh: "tt": none of nn nt tn' \
    env LAYOUTS=tt sh tools/report/folds.sh "$BUILD" "$tmp/one"
check "a spec without a table" no_tables 'small.spec: no table is known for it' \
    TENSILE_CSV="$tmp/one" $recipe "$tmp/small.spec"

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
