#!/bin/sh
# bench_solvers.sh - tools/peers/solvers.py on a small find-db, and beside kpred-train eval
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin

need_trainer "solvers"
need_numpy "solvers"

# 1x1: ConvAsm1x1U is the fastest, but it takes twice the time if n is 3 more than a multiple of 5,
# and is not listed if n is 1 more. 3x3: GEMM. One problem has a single option.
key_of() { # FILTER PAD N
    echo "64-8-8-$1-32-8-8-$3-$2-1x1-1x1-0-NCHW-FP32-F"
}
gemm=miopenConvolutionFwdAlgoGEMM direct=miopenConvolutionFwdAlgoDirect
rest="GemmFwdRest:2,0,$gemm;ConvDirectNaiveConvFwd:8,0,$direct"
for n in $(seq 60); do
    case $((n % 5)) in
        3) asm="ConvAsm1x1U:4,0,$direct;" ;;
        1) asm= ;;
        *) asm="ConvAsm1x1U:1,0,$direct;" ;;
    esac
    echo "$(key_of 1x1 0x0 $n)=$asm$rest"
    echo "$(key_of 3x3 1x1 $n)=$rest"
done >"$tmp/gfx942130.HIP.fdb.txt"
echo "$(key_of 5x5 2x2 1)=GemmFwdRest:2,0,$gemm" >>"$tmp/gfx942130.HIP.fdb.txt"
sed 's/-FP32-/-FP16-/' "$tmp/gfx942130.HIP.fdb.txt" >"$tmp/gfx90878.HIP.fdb.txt"

one=$tmp/gfx942130.HIP.fdb.txt
solvers() {
    $python tools/peers/solvers.py weights/conv_solver.spec --trainer "$trainer" --trees 20 "$@"
}

# worth FILE: what every line of --hits must say; of each kind of problem there is one
worth() {
    awk -F '[,"]' 'NR == 1 { next }
        { n = $8; is_1x1 = $15 == 1; k = $(NF - 4)
          asked = is_1x1 ? n % 5 : 5; seen[asked]
          share = k == 1 && asked == 3 ? "0.50000" : "1.00000"
          want = (share == "1.00000") "," 0 "," share "," (asked == 1)
          got = $(NF - 3) "," $(NF - 2) "," $(NF - 1) "," $NF
          if (got != want) { print $0 ": " want; bad = 1 } }
        END { exit bad || !(1 in seen && 2 in seen && 3 in seen && 5 in seen) }' "$1"
}
table() {
    solvers --data "$one" --methods table --hits "$tmp/table.csv" --csv >"$tmp/out" &&
        worth "$tmp/table.csv"
}
check "solvers.py: table" table

# Trained on the same rows of the same file, kpred-train tests on the same problems.
as_eval() {
    sed '/^teach/d; s/^\[network\].*/&\nteachers = 0/; s/^epochs .*/epochs = 1/' \
        weights/conv_solver.spec >"$tmp/conv_solver.spec"
    "$trainer" train "$tmp/conv_solver.spec" --data "$one" --split config --epochs 1 --threads 1 \
        --float-out "$tmp/f32" -o "$tmp/solver.h" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    "$trainer" eval "$tmp/solver.h" --data "$one" -k 1,2 --hits "$tmp/eval.csv" >"$tmp/out" ||
        return 1
    for file in table eval; do
        sed 's/^[a-z]*,/,/; s/,[01],[01],[0-9.]*,[01]$//' "$tmp/$file.csv" >"$tmp/$file.rows"
    done
    cmp "$tmp/table.rows" "$tmp/eval.rows" &&
        $python tools/peers/shares.py "$tmp/table.csv" "$tmp/eval.csv" --csv | grep -q '^2,table,'
}
check "solvers.py: the problems of kpred-train eval, joined by shares.py" as_eval

# The lines of a GPU do not depend on the others; keys of the shape know no n.
gpus() {
    solvers --data "$one" "$tmp/gfx90878.HIP.fdb.txt" --methods table --csv >"$tmp/both" &&
        solvers --data "$one" "$tmp/gfx90878.HIP.fdb.txt" --methods table --csv \
            --gpus gfx942130 >"$tmp/one" &&
        [ "$(cut -d, -f3 "$tmp/both" | sort | uniq -c | tr -s ' \n' ' ')" = \
            " 2 gfx90878 2 gfx942130 1 gpu " ] &&
        grep -v gfx90878 "$tmp/both" | cut -d, -f1-11 >"$tmp/part" &&
        cut -d, -f1-11 "$tmp/one" | cmp - "$tmp/part"
}
check "solvers.py: GPUs" gpus

boosted() {
    solvers --data "$one" --methods boosted --csv -k 2 --hits "$tmp/boosted.csv" >"$tmp/out" &&
        grep -q '^boosted,config,gfx942130,2,[0-9]*,[0-9]*,100.00,1.00000,' "$tmp/out" &&
        [ "$(wc -l <"$tmp/boosted.csv")" -eq $((($(wc -l <"$tmp/table.csv") + 1) / 2)) ]
}
check_module xgboost "solvers.py: boosted trees" boosted
missing_package() {
    mkdir -p "$tmp/none" && echo "raise ImportError('no xgboost here')" >"$tmp/none/xgboost.py"
    PYTHONPATH=$tmp/none solvers --data "$one" --csv >"$tmp/out" 2>"$tmp/err" &&
        grep -q "^skip boosted: needs python3-xgboost" "$tmp/err" && grep -q ^table, "$tmp/out" &&
        ! grep -q ^boosted, "$tmp/out"
}
check "solvers.py: a package is missing" missing_package

refuse "solvers.py: no such method" 2 'none of table, boosted' \
    solvers --data "$one" --methods oracle
refuse "solvers.py: k of 0" 2 '-k "0"' solvers --data "$one" -k 0
refuse "solvers.py: no such split" 2 'there is no split "fold"' solvers --data "$one" --split fold
refuse "solvers.py: no such GPU" 2 '--gpus: "gfx1030_36": the files have gfx942130' \
    solvers --data "$one" --gpus gfx1030_36
refuse "solvers.py: no such folder for hits" 2 "$tmp/none/none/hits.csv" \
    solvers --data "$one" --methods table --hits "$tmp/none/none/hits.csv"
refuse "solvers.py: data without times" 2 'its data are not timed' \
    $python tools/peers/solvers.py weights/conv_asm_1x1u.spec --data "$one" --trainer "$trainer"

test_end
