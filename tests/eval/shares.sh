#!/bin/sh
# shares.sh - timed data: networks learn shares, and `kpred-train eval` tells what predictions are
# worth; against the same computed from what `kpred predict` prints
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin

need_trainer "timed data"
cd "$tmp" || exit 1

# spec NAME PARAMS [NUMBERS]
spec() {
    printf '%s\n' "[kernel]" "name = $1" "rule = unconstrained" "[data]" "format = tensile" \
        "[fields]" "m = size" "n = size" "[params]" "$2" "[split]" "config = m,n" \
        "shape = min(m,n),max(m,n)" "[derived]" "lm = log2 m" "ln = log2 n" "[features]" \
        "hats lm 0 1 7" "hats ln 0 1 7" "equals m 8 8" "[network]" "encoder1 = 32" \
        "encoder2 = 32" "hidden = 16" "crossed = 0" "redrawn = 0" "draws = 8" "$3" >"$1.spec"
}

# Tiles that are the better the closer they are to m, an even split where n is large. Not all are
# timed: that of one problem in five lacks its best tile; one problem has a single option.
awk 'BEGIN {
    print "m,n,tile,part,time_us"
    for (m = 8; m < 16; m++) for (n = 1; n <= 64; n *= 2) {
        p++
        for (tile = 8; tile <= 16; tile += 2) for (part = 1; part <= 2; part++) {
            off = (m - tile) ^ 2 + (part == 1 ? n / 8 : 8 / n)
            if ((p % 5 || (m - tile) ^ 2 > 1) && (p != 9 || (tile == 12 && part == 1)))
                printf "%d,%d,%d,%d,%.3f\n", m, n, tile, part, 10 + off * (1 + p % 3) / 2
        }
    } }' >two.csv
# The parts alone, of the tile 12
awk -F, 'NR == 1 { print "m,n,part,time_us" } $3 == 12 { print $1 "," $2 "," $4 "," $5 }' two.csv \
    >one.csv
spec two "tile = 8 10 12 14 16
part = 1 2" "teachers = 2"
spec one "part = 1 2 3" "teachers = 0"

train() { # NAME ARGUMENT...
    train_name=$1
    shift
    "$trainer" train "$train_name.spec" --data "$train_name.csv" --threads 1 "$@" 2>log ||
        { cat log; return 1; }
}

evaluate() { # NAME ARGUMENT...: the header NAME.h on the data of its spec
    eval_name=$1
    shift
    "$trainer" eval "$eval_name.h" --data "${eval_name%%-*}.csv" --rows all "$@" 2>note
}

trains() { train two --epochs 150 -o two.h && train one --epochs 150 -o one.h; }
check "networks learn from timed data" trains

# Of one header: pft, exact and shares for every k
agrees() {
    evaluate "$1" -k "$2" --csv >got.csv || { cat note; return 1; }
    head -1 got.csv | grep -qx 'model,split,gpu,dtype,k,n,pft,avg,valid,exact,share,share_p1,share_p5' &&
        awk -F, 'NR > 1 { print $1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $7 ";" $10 "," $11 "," \
            $12 "," $13 }' got.csv >got && python3 "$root/tests/eval/shares.py" worth "$kpred" "$1" "$2" | diff - got
}
check "shares of two parameters" agrees two 1,2,4,8
check "shares of one parameter, which is ranked whole" agrees one 1,2,3

single() { evaluate two --csv >/dev/null && grep -q '1 problem with less than two timed options is left out' note; }
check "a problem with one option is left out, and counted" single

# Far better than chance, whose share is below 0.75: the networks did learn.
learnt() {
    evaluate two -k 1 --csv | awk -F, 'NR == 2 { print $11; exit !($11 > 0.93) }' &&
        evaluate one -k 1 --csv | awk -F, 'NR == 2 { print $11; exit !($11 > 0.97) }'
}
check "what was learnt is worth most of the optimum's speed" learnt

# ---- what is learnt: shares of (best / time)^sharpness ----

# One problem, options of 10, 20 and 40 us
fits() { # SHARPNESS SHARE...
    printf 'm,n,part,time_us\n8,1,1,10\n8,1,2,20\n8,1,3,40\n' >alike.csv
    spec alike "part = 1 2 3" "teachers = 0
sharpness = $1
rate = 0.01"
    train alike --split none --epochs 2000 -o alike.h || return 1
    shift
    "$kpred" predict alike.h m=8 n=1 -k 3 --csv | awk -F, -v want="$*" 'BEGIN { split(want, w, " ") }
        NR > 1 { print; off = $2 - w[$3]; if (off > 0.02 || off < -0.02) bad = 1 } END { exit bad }'
}
check "sharpness 1: shares of 4/7, 2/7 and 1/7" fits 1 0.571 0.286 0.143
check "sharpness 2: shares of 16/21, 4/21 and 1/21" fits 2 0.762 0.190 0.048

# Ten problems that the network cannot tell apart: in six of them the part 1 is a little faster, in
# four a hundred times slower. What is the fastest most often is not what is best to take.
chooses() { # REGRET PART TEACHERS
    awk 'BEGIN { print "m,n,part,time_us"
        for (m = 1; m <= 10; m++)
            printf "%d,1,1,%d\n%d,1,2,%d\n", m, (m > 6 ? 1000 : 10), m, (m > 6 ? 10 : 11)
    }' >blind.csv
    spec blind "part = 1 2" "teachers = $3
sharpness = 50
regret = $1"
    sed -i '/ lm /d;/^equals m/d;/^lm/d' blind.spec
    train blind --split none --epochs 1500 -o blind.h || return 1
    "$kpred" predict blind.h m=8 n=1 --csv | sed -n 2p >first
    cat first && grep -q ",$2\$" first
}
check "without regret, what wins most often" chooses 0 1 0
check "with regret, what loses least" chooses 4 2 0
check "with regret, a student of teachers that mind it" chooses 4 2 2

# ---- the seed ----

another_seed() {
    train two --epochs 2 -o seed1.h && train two --epochs 2 --seed 2 -o seed2.h &&
        other_weights seed1.h seed2.h
}
check "another seed, another network" another_seed

# One problem, of whose two good options the seed draws one to learn from. The other one has the other
# part, and the part of the first answer tells which one it was.
draws_by_seed() {
    printf 'm,n,tile,part,time_us\n8,1,8,1,10\n8,1,8,2,900\n8,1,10,1,900\n8,1,10,2,10\n' >drawn.csv
    spec drawn "tile = 8 10
part = 1 2" "teachers = 0
rate = 0.01"
    sed -i 's/^draws = .*/draws = 1/' drawn.spec
    for seed in 1 2 3 4 5 6; do
        train drawn --split none --epochs 50 --seed $seed -o drawn.h &&
            "$kpred" predict drawn.h m=8 n=1 --csv | sed -n 2p | cut -d, -f4 || return 1
    done >parts
    [ "$(sort -u parts | paste -sd' ' -)" = "1 2" ] || { paste -sd' ' parts; return 1; }
}
check "the seed draws the options to learn from" draws_by_seed

# ---- folds ----

# The I-th of four folds: every fourth problem of the file, from number I
fold() {
    train two --split "fold:$1/4" --epochs 2 -o two-fold.h &&
        "$trainer" eval two-fold.h --data two.csv --hits hits.csv --csv >got.csv 2>note || return 1
    sed -n 2p got.csv | grep -q "^two,fold:$1/4," || return 1
    python3 "$root/tests/eval/shares.py" fold "$1"
}
for i in 0 3; do check "fold $i of 4" fold $i; done

none_twice() {
    for i in 0 1 2 3; do
        train two --split "fold:$i/4" --epochs 1 -o two-fold.h || return 1
        sed -n 's/.*; \([0-9]*\) rows to train, \([0-9]*\) kept.*/\1 \2/p' two-fold.h
    done | awk '{ all = $1 + $2; kept += $2 } END { print all, kept; exit !(NR == 4 && kept == all) }'
}
check "every row is kept by one fold" none_twice

# The same without the problem that has one option
sed '/^9,2,/d' two.csv >parts.csv
sed 's/^name = two/name = parts/' two.spec >parts.spec

# tested SPLIT ROWS: the rows of parts.csv that eval takes for a model of that split, parts.h
tested() {
    train parts --split "$1" --epochs 1 -o parts.h &&
        "$trainer" eval parts.h --data parts.csv --rows "$2" --hits hits.csv --csv >got.csv || return 1
    awk -F, 'NR > 1 { print $(NF - 5) }' hits.csv
}

# The tenth that no fold has is the one that a model without folds is tested on; each other problem is in
# one fold. Training sees the other folds alone: it makes 8 rows of a problem.
parts() { # config|shape
    tested none all >every && tested $1 test >tenth && [ -s tenth ] || return 1
    for i in 0 1 2; do
        tested "$1:$i/3" aside | cmp - tenth && tested "$1:$i/3" test >fold$i || return 1
        kept=$(($(wc -l <every) - $(wc -l <tenth) - $(wc -l <fold$i)))
        sed -n 's/.*; \([0-9]*\) rows to train, \([0-9]*\) kept.*/\1 \2/p' parts.h >made
        echo $((8 * kept)) $((8 * $(wc -l <fold$i))) | diff - made || return 1
    done
    cat tenth fold0 fold1 fold2 | sort -n | diff - every
}
for kind in config shape; do check "$kind:I/3: folds, and a tenth aside" parts $kind; done
refuse "nothing aside without folds" 1 "two: the data holds no row to test on" \
    "$trainer" eval two.h --data two.csv --rows aside

for bad in fold:4/4 fold:-1/4 fold:01/4 fold:1/ fold:1/4x folds config,shape; do
    refuse "--split \"$bad\"" 2 "--split \"$bad\": expected config, shape, none, or config:I/N" \
        "$trainer" train two.spec --data two.csv --split "$bad" -o bad.h
done

# ---- hits and plots ----

hits() {
    evaluate two -k 1,4 --hits hits.csv --csv >got.csv || return 1
    head -1 hits.csv | grep -qx 'method,model,split,key,row,k,hit,agree,share,unlisted' &&
        awk -F, 'NR > 1 { k = $(NF - 4); n[k]++; hit[k] += $(NF - 3); sum[k] += log($(NF - 1)) }
            END { for (k in n) printf "%d,%d,%.2f,%.4f\n", k, n[k], 100 * hit[k] / n[k],
                exp(sum[k] / n[k]) }' hits.csv | sort >want &&
        awk -F, 'NR > 1 { printf "%d,%d,%s,%.4f\n", $5, $6, $7, $11 }' got.csv | sort | diff - want
}
check "the outcome of every problem adds up" hits

# The table tells how sure the mean of the shares is: each problem is a group of its own here.
errors() {
    evaluate two -k 1 --hits hits.csv >table || return 1
    awk -F, 'NR > 1 { x[++n] = log($(NF - 1)); sum += x[n] }
        END { for (i in x) squares += (x[i] - sum / n) ^ 2
            printf "%.4f\n", exp(sum / n) * sqrt(squares) / n }' hits.csv >want
    awk -F'   *' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "share se") column = i }
        NR == 2 { printf "%.4f\n", $column }' table | diff - want && ! grep -qx 0.0000 want
}
check "the standard error of the shares" errors

draws() { evaluate two -k 1,2,4 --plot two.svg >/dev/null && grep -q "share of the optimum" two.svg; }
check_with gnuplot "a plot of shares" draws

test_end
