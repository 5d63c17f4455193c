#!/bin/sh
# bench_gemm.sh - tools/peers/gemm.py, shares.py and the folds of tools/report/folds.sh, on small tables
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin

need_trainer "GEMM"
need_numpy "GEMM"

# Four shapes, four kernels: b is never the best, but the best one for all together.
head=GFlops,SizeI,SizeJ,SizeK,SizeL,TotalFlops
kernel() { echo "Cijk_Ailk_Bljk_SB_MT$1x32x8_GSU$2"; }
a=$(kernel 32 1) b=$(kernel 32 2) c=$(kernel 64 1) d=$(kernel 64 2)
cat >"$tmp/table.csv" <<END
$head,$a,$b,$c,$d
0,16,16,1,64,32768,100,90,50,20
0,16,64,1,64,131072,100,80,40,30
0,512,512,1,64,33554432,10,80,50,100
0,512,256,1,64,16777216,20,80,50,100
END
tensile_spec listed "MT0 = 32 64" "MT1 = 32" "MT2 = 8" "GSU = 1 2" >"$tmp/small.spec"
cat >>"$tmp/small.spec" <<'END'
[split]
config = m,n,batch,k
[derived]
lm = log2 m
[features]
hats lm 3 1 8
[network]
teachers = 0
epochs = 3
draws = 4
encoder1 = 16
encoder2 = 16
hidden = 16
END

gemm() {
    $python tools/peers/gemm.py "$tmp/small.spec" --data "$tmp/table.csv" --trainer "$trainer" "$@"
}
# The nearest of shape 1 is 2, of 3 it is 4, and the other way round: their best ones are the same.
nearest() {
    gemm --methods nearest -k 1,4 --hits "$tmp/nearest.csv" --csv >"$tmp/out" || return 1
    printf '%s\n' method,model,k,n,exact,share,share_p5 nearest,small,1,4,100.00,1.00000,1.00000 \
        nearest,small,4,4,100.00,1.00000,1.00000 | diff - "$tmp/out" &&
        cut -d, -f4-9 "$tmp/nearest.csv" | sed -n '2,5p' | sort >"$tmp/rows" &&
        printf '%s\n' 1,1,1,1,0,1.00000 13,13,1,1,0,1.00000 5,5,1,1,0,1.00000 9,9,1,1,0,1.00000 |
        diff - "$tmp/rows"
}
check "gemm.py: the nearest shape's kernels" nearest
portfolio() {
    gemm --methods portfolio -k 1,4 --hits "$tmp/portfolio.csv" --csv >"$tmp/out" || return 1
    # (.9 * .8 * .8 * .8) ^ (1 / 4)
    sed -n '2,3p' "$tmp/out" | diff - "$tmp/want"
}
printf '%s\n' portfolio,small,1,4,0.00,0.82391,0.80000 portfolio,small,4,4,100.00,1.00000,1.00000 \
    >"$tmp/want"
check "gemm.py: one portfolio for all" portfolio
boosted() {
    gemm --methods boosted,together --beside "$tmp/table.csv" -k 4 --csv | sed 1d >"$tmp/out"
    printf '%s\n' boosted,small,4,4,100.00,1.00000,1.00000 \
        together,small,4,4,100.00,1.00000,1.00000 | diff - "$tmp/out"
}
check_module xgboost "gemm.py: boosted trees" boosted

# ---- shares.py ----

shares() { $python tools/peers/shares.py "$@"; }
compared() {
    shares "$tmp/nearest.csv" "$tmp/portfolio.csv" --against nearest --csv >"$tmp/out" || return 1
    cut -d, -f1-6 "$tmp/out" >"$tmp/cut"
    printf '%s\n' k,method,n,share,against,difference 1,nearest,4,1.0000,-,- \
        1,portfolio,4,0.8239,nearest,-0.1761 4,nearest,4,1.0000,-,- \
        4,portfolio,4,1.0000,nearest,+0.0000 | diff - "$tmp/cut" &&
        # the interval lies between the least and the greatest single difference
        awk -F, '$1 == 1 && $2 == "portfolio" { exit !($7 >= -0.2 && $7 < -0.17 && $8 <= -0.1 &&
            $8 > -0.18) }' "$tmp/out"
}
check "shares.py: differences and intervals" compared
refuse "shares.py: no such method" 2 'there is no method "additive", only nearest' \
    shares "$tmp/nearest.csv"
refuse "shares.py: twice the same" 2 "comes twice" \
    shares "$tmp/nearest.csv" "$tmp/nearest.csv" --against nearest
sed '$d' "$tmp/portfolio.csv" >"$tmp/fewer.csv"
refuse "shares.py: other problems" 2 "not measured on the same problems" \
    shares "$tmp/nearest.csv" "$tmp/fewer.csv" --against nearest
sed '2s/,[0-9.]*,0$/,1.5,0/' "$tmp/nearest.csv" >"$tmp/wrong.csv"
refuse "shares.py: a share above 1" 2 "wrong.csv:2" shares "$tmp/wrong.csv" --against nearest
refuse "gemm.py: no such method" 2 'none of nearest' gemm --methods oracle
refuse "gemm.py: k of 0" 2 '-k "0"' gemm -k 0
refuse "gemm.py: no GEMM" 2 'there is no "m"' $python tools/peers/gemm.py \
    weights/conv_solver.spec --data "$tmp/table.csv" --trainer "$trainer"

# ---- folds.sh, in a copy whose specs are small ----

if has bzip2; then
    mkdir -p "$tmp/copy/weights" "$tmp/copy/build" "$tmp/tables"
    cp -r tools "$tmp/copy/"
    ln -s "$trainer" "$tmp/copy/build/kpred-train"
    for layout in nn:Ailk_Bljk nt:Ailk_Bjlk tn:Alik_Bljk; do
        name=gemm_mi100_${layout%:*}
        grep -E '^(files|beside) ' weights/$name.spec >"$tmp/files"
        { sed "s/^name = small/name = $name/; /^format/r $tmp/files" "$tmp/small.spec" && printf '[judge]\nlm = log2 m
lt = log2 MT0\nramp lm 0 16\nramp lt 0 8\n'; } |
            sed 's/^teachers = 0/teachers = 1/' >"$tmp/copy/weights/$name.spec"
        sed "s/Ailk_Bljk/${layout#*:}/g" "$tmp/table.csv" |
            bzip2 >"$tmp/tables/mi100-sgemm-Cijk_${layout#*:}_SB_00.csv.bz2"
    done
    folds() {
        (cd "$tmp/copy" && THREADS=1 METHODS=nearest,portfolio sh tools/report/folds.sh build \
            "$tmp/tables") >"$tmp/out" 2>"$tmp/err"
    }
    all_folds() {
        folds && ! grep -v "^kpred-train: " "$tmp/err" && grep -qE '^1 +additive +12 ' "$tmp/out" &&
            grep -qE '^8 +nearest +12 +1.0000 +additive ' "$tmp/out"
    }
    check "folds.sh: all shapes, pooled" all_folds
    once_more() {
        cp "$tmp/out" "$tmp/before" && rm "$tmp/copy/build/gemm/nt-2.csv" &&
            touch "$tmp/mark" && folds && cmp "$tmp/out" "$tmp/before" &&
            [ "$(find "$tmp/copy/build/gemm" -name '*.h' -newer "$tmp/mark")" = \
                "$tmp/copy/build/gemm/nt-2.h" ]
    }
    check "folds.sh: only what is missing" once_more
    no_table() {
        rm "$tmp/tables/mi100-sgemm-Cijk_Alik_Bljk_SB_00.csv.bz2"
        ! folds && grep -q "folds.sh: there is no $tmp/tables/mi100-sgemm-Cijk_Alik" "$tmp/err"
    }
    check "folds.sh: a table is missing" no_table
else
    skipped "folds.sh" "bzip2 is not installed"
fi

test_end
