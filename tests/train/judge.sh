#!/bin/sh
# judge.sh - timed data of specs with a section [judge]: networks that judge tuples, and a student
# that learns their opinion
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin

need_trainer "judges"
cd "$tmp" || exit 1

# Kernels with a tile of 8 to 128: what is padded costs time, and so does each tile, in our table
# (0) less than in the other one (1). Ours has few sizes, the other has some between them.
table() { # WHICH SIZE...
    awk -v which=$1 'BEGIN {
        print "m,k,tile,part,time_us"
        for (i = 2; i < ARGC; i++) for (k = 16; k <= 64; k *= 4)
            for (tile = 8; tile <= 128; tile *= 2) for (part = 1; part <= 2; part++) {
                tiles = int((ARGV[i] + tile - 1) / tile)
                printf "%d,%d,%d,%d,%.4f\n", ARGV[i], k, tile, part,
                    tiles * (tile + 6 + 6 * which) * (1 + part * k / 64) / part
            }
    }' "$@"
}
table 0 10 30 70 120 200 500 >ours.csv
table 1 16 40 64 100 150 300 >other.csv

spec() { # NAME FORMAT JUDGE-LINES
    printf '%s\n' "[kernel]" "name = $1" "rule = unconstrained" "[data]" "format = $2" "[fields]" \
        "m = size" "k = size" "[params]" "tile = 8 16 32 64 128" "part = 1 2" "[split]" \
        "config = m,k" "[derived]" "lm = log2 m" "lk = log2 k" "[features]" "hats lm 3 0.5 14" \
        "ramp lk 4 2" "[network]" "encoder1 = 32" "encoder2 = 32" "hidden = 16" "teachers = 2" \
        "teacher_encoder1 = 32" "teacher_encoder2 = 16" "teacher_hidden = 16" \
        "teacher_epochs = 60" "teacher_batch = 32" "judged = 40" "draws = 8" "epochs = 20" \
        "$3" >"$1.spec"
}
lines='[judge]
tiles = ceil_div m tile
made = mul tiles tile
lm = log2 m
lmade = log2 made
over = sub lmade lm
lt = log2 tiles
lk = log2 k
ramp over 0 4
ramp lt 0 8
ramp lm 0 16
ramp lk 4 2
divides tile 16 4
equals part 2 1
equals table 0 2'
spec judged tensile "$lines"

train() { # NAME OUTPUT ARGUMENT...
    name=$1 output=$2
    shift 2
    "$trainer" train "$name.spec" --data ours.csv -o "$output" --float-out "$output.f32" "$@" \
        2>log || { cat log; return 1; }
}

trains() { train judged judged.h --beside other.csv --split fold:2/6 --threads 1; }
check "judges and a student" trains

# The problems held out are those of m = 70 with k = 16 and m = 500 with k = 16.
learnt() {
    "$trainer" eval judged.h --data ours.csv -k 1,3 --csv | cut -d, -f5,6,11 >got
    awk -F, 'NR > 1 { print; if ($2 != 2 || $3 < 0.8) bad = 1 } END { exit bad || NR != 3 }' got
}
check "most of the optimum's speed on problems held out" learnt

again() { train judged again.h --beside other.csv --split fold:2/6 "$@" && cmp judged.h again.h; }
check "the same bytes with three threads" again --threads 3
another() { train judged other.h --split fold:2/6 "$@" && other_weights judged.h other.h; }
check "another seed, another network" another --beside other.csv --seed 2
check "other tables, another network" another

told() {
    grep -q '^   data ours.csv, 120 rows, sha256$' judged.h &&
        grep -q '^   beside other.csv, 120 rows, sha256$' judged.h
}
check "the header names the tables" told

# Sizes that were made up, or stand in the other table, are none that it was trained on.
ranges() {
    grep -A2 'kpri_judged_fields\[\]' judged.h | grep -q '"m", NULL, 0, 1, [0-9]*, 10, 500 }' &&
        grep -A2 'kpri_judged_fields\[\]' judged.h | grep -q '"k", NULL, 0, 1, [0-9]*, 16, 64 }'
}
check "trained ranges are those of the model's own problems" ranges

# Legal is what our table has: the other table's kernels teach judges, and are none of ours.
own_kernels() {
    sed 's/^name = .*/name = own/; s/^rule = .*/rule = listed/; s/^epochs = .*/epochs = 2/
        s/^judged = .*/judged = 2/; s/^teacher_epochs = .*/teacher_epochs = 2/' judged.spec >own.spec
    grep -v ',128,' ours.csv >few.csv
    for beside in "" "--beside other.csv"; do
        "$trainer" train own.spec --data few.csv $beside --split none -o own.h --float-out f32 &&
            grep -o '"listed_[0-9a-f]*"' own.h || return 1
    done >names 2>log
    [ "$(wc -l <names)" -eq 2 ] && [ "$(sort -u names | wc -l)" -eq 1 ]
}
check "other tables add no legal tuple" own_kernels

# ---- refusals ----

refused() { # NAME TEXT ARGUMENT...: and no file is left, be it a temporary one
    refused_spec=$1 text=$2
    shift 2
    mkdir -p bad && refuses 1 "$text" "$trainer" train "$refused_spec.spec" --data ours.csv "$@" \
        -o bad/bad.h && [ -z "$(ls -A bad)" ]
}
spec plain tensile ""
check "--beside without judges" refused plain \
    "plain.spec: --beside: the spec has no section [judge]" --beside other.csv
spec labels csv "$lines"
check "judges without times" refused labels "labels.spec:33: [judge]: is for timed data"
spec empty tensile "[judge]
lm = log2 m"
check "judges that see nothing" refused empty "empty.spec:33: [judge]: has no feature"
spec wrong tensile "$lines
ramp nothing 0 1"
check "a register that there is not" refused wrong \
    'wrong.spec:48: "nothing": neither a field nor a register'
check "another table that is not there" refused judged "missing.csv" --beside missing.csv

test_end
