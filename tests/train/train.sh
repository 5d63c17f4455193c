#!/bin/sh
# train.sh - training: the same bytes from every thread count and compiler, and a header that works
# SPDX-License-Identifier: MIT
#
# usage: train.sh [builds]: builds are more trainers that train the same, and no more
. tests/harness/script.inc

test_begin
kernel=conv_asm_bwd_wrw_3x3
spec=$PWD/weights/$kernel.spec

need_trainer "training"

# ---- data: a few dozen real rows ----

sample_databases

# train PROGRAM OUTPUT ARGUMENT...: the float network lies beside the header
train() {
    program=$1 output=$2; shift 2
    "$program" train "$spec" --data "$tmp/gfx900_56.db" "$tmp/gfx906_60.db" --epochs 10 \
        -o "$output" "$@"
}

trains() { train "$trainer" "$tmp/$kernel.h" --threads 1; }

same() { cmp "$1" "$tmp/$kernel.h" && cmp "${1%.h}.f32" "$tmp/$kernel.f32"; }

check "a small model" trains

# ---- a table of times, by defaults: repeats, names for other GPUs, no [features] ----

cat >"$tmp/timed.spec" <<'SPEC'
[kernel]
name = timed
[data]
format = timed
[fields]
gpu = gfx90a6e gfx1032_14 RTX_A4000 amd nvidia
rows = size
cols = size
[params]
bx = 8 16 32
by = 1 2 4
[unseen]
amd = gfx90a6e gfx1032_14
nvidia = RTX_A4000
[restrict]
bx * by != 128
[split]
shipped = none
SPEC
awk 'BEGIN {
    print "gpu,rows,cols,bx,by,time_us"
    split("gfx90a6e gfx1032_14 RTX_A4000", gpu, " ")
    for (g = 1; g <= 3; g++) for (r = 64; r <= 1024; r *= 4) for (c = 100; c <= 700; c += 300)
    for (x = 8; x <= 32; x *= 2) for (y = 1; y <= 4; y *= 2) for (i = 0; i <= (x + y + g) % 3; i++)
        printf "%s,%d,%d,%d,%d,%.7g\n", gpu[g], r, c, x, y, r * c / x / y / 7 * (1 + (c % x != 0)) + g * x * y / 3 + i
}' >"$tmp/timed.csv"
{ sed 1q "$tmp/timed.csv"; sed 1d "$tmp/timed.csv" | sort -t, -k5 -k4; } >"$tmp/sorted.csv"

# train_timed PROGRAM OUTPUT TABLE ARGUMENT...
train_timed() {
    program=$1 output=$2 table=$3; shift 3
    "$program" train "$tmp/timed.spec" --data "$table" --epochs 1 -o "$output" "$@"
}
counts_own() {
    train_timed "$trainer" "$tmp/timed.h" "$tmp/timed.csv" --threads 1 2>"$tmp/err" &&
        grep -q 'by != 128: false for 27 rows$' "$tmp/err"
}
check "a small model of times; rows of the table alone are told as illegal" counts_own

other_times() {
    program=$1; shift
    train_timed "$program" "$tmp/other.h" "$tmp/timed.csv" "$@" &&
        cmp "$tmp/other.h" "$tmp/timed.h" && cmp "$tmp/other.f32" "$tmp/timed.f32"
}
other_order() {
    train_timed "$trainer" "$tmp/other.h" "$tmp/sorted.csv" && cmp "$tmp/other.f32" "$tmp/timed.f32"
}

# ---- the same bytes ----

check "times: three threads" other_times "$trainer" --threads 3
check "times: another order of the rows" other_order
other_run() { train "$trainer" "$tmp/other.h" "$@" && same "$tmp/other.h"; }
another() { train "$trainer" "$tmp/other.h" "$@" && other_weights "$tmp/other.h" "$tmp/$kernel.h"; }

check "again" other_run --threads 1
check "three threads" other_run --threads 3
check "more threads than work" other_run --threads 64
check "another seed gives other weights" another --seed 2
check "another split gives other weights" another --split shape

# other_build DIRECTORY MAKE-ARGUMENT...: the same from a trainer built otherwise
other_build() {
    directory=$tmp/$1; shift
    make -s BUILD="$directory" MODELS= "$@" "$directory/kpred-train" >/dev/null || return 1
    train "$directory/kpred-train" "$tmp/other.h" && same "$tmp/other.h" && other_times "$directory/kpred-train"
}

if [ "${1-}" = builds ]; then
    check_with gcc "built by gcc, for this processor alone, by CFLAGS that forbid it" \
        other_build gcc CC=gcc NATIVE=-march=native CFLAGS='-O1 -ffast-math'
    check "built without optimisation" other_build slow CC="$CC" CFLAGS=-O0 \
        EXACT='-O0 -fno-fast-math -ffp-contract=off -pthread'
    check_with clang "built by clang" other_build clang CC=clang CFLAGS=-O2
    test_end
    exit
fi

# ---- rows that say the same ----

"$trainer" ingest "$spec" --data "$tmp/gfx906_60.db" -o "$tmp/copies.csv" 2>"$tmp/err" || exit 1
# the same problems, and where n_per_group is not 1 another tuple, which is legal as well
awk -F, -v OFS=, 'NR > 1 && $NF != 1 { $NF = 1 } 1' "$tmp/copies.csv" >"$tmp/others.csv"
n_copies=$(($(wc -l <"$tmp/copies.csv") - 1))
n_others=$(($(sort "$tmp/copies.csv" "$tmp/others.csv" | uniq -u | wc -l) / 2))

# with FILE: a model in other.h, of both databases and of this file
with() {
    "$trainer" train "$spec" --data "$tmp/gfx900_56.db" "$1" "$tmp/gfx906_60.db" --epochs 10 \
        --threads 1 -o "$tmp/other.h" 2>"$tmp/err"
}
# drops N: that many rows were dropped as copies, and only they
drops() {
    grep ': dropped ' "$tmp/err" | grep -v ': stride 2, ' >"$tmp/drops"
    echo "kpred-train: $kernel: dropped $1: another says the same" | cmp - "$tmp/drops"
}
rows_used() {
    sed -n 's/.*; \([0-9]*\) rows to train, \([0-9]*\) kept.*/\1 \2/p' "$1" |
        awk '{ print $1 + $2 }'
}
# Without the command either, which names the files
without_data() {
    sed '/^   from /,/^   net /{/^   net /!d;}' "$1" | grep -vE '^   data |^ +[0-9a-f]{64}$'
}

copies_once() {
    with "$tmp/copies.csv" && drops "$n_copies rows" && cmp "$tmp/other.f32" \
        "$tmp/$kernel.f32" && without_data "$tmp/other.h" >"$tmp/other.txt" &&
        without_data "$tmp/$kernel.h" | cmp - "$tmp/other.txt"
}
one_copy() {
    sed 2q "$tmp/copies.csv" >"$tmp/one.csv"
    with "$tmp/one.csv" && drops "1 row"
}
no_copy() {
    trains 2>"$tmp/err" && ! grep -q "says the same" "$tmp/err"
}
others_stay() {
    [ "$n_others" -gt 5 ] && with "$tmp/others.csv" && drops "$((n_copies - n_others)) rows" &&
        [ "$(rows_used "$tmp/other.h")" -eq $(($(rows_used "$tmp/$kernel.h") + n_others)) ]
}
check "copies from another file count once" copies_once
check "one copy" one_copy
check "no copy, no word of it" no_copy
check "another tuple for the same problem counts too" others_stay

# ---- the header ----

# compiles COMMAND...: its definitions, without a warning
compiles() {
    printf '#define KPRED_IMPLEMENTATION\n#include "%s"\n' "$tmp/$kernel.h" >"$tmp/header.c"
    "$@" -I. -c "$tmp/header.c" -o "$tmp/header.o"
}

for cc in gcc clang; do
    # shellcheck disable=SC2086
    check_with $cc "compiles as C99, $cc" compiles $cc -std=c99 $C_WARNINGS
done
for cxx in g++ clang++; do
    # shellcheck disable=SC2086
    check_with $cxx "compiles as C++17, $cxx" compiles $cxx -xc++ -std=c++17 $CXX_WARNINGS
done

names_its_data() {
    for gpu in gfx900_56 gfx906_60; do
        sum=$(sha256sum "$tmp/$gpu.db" | cut -d' ' -f1)
        grep -A1 "^   data $gpu.db, [0-9]* rows, sha256\$" "$tmp/$kernel.h" | grep -q "^ *$sum\$" ||
            return 1
    done
}
check_with sha256sum "names its data" names_its_data

holds_its_spec() {
    sed -n '/^spec:$/,/^end of spec/p' "$tmp/$kernel.h" | sed '1d;$d' | cmp - "$spec"
}
check "holds its spec" holds_its_spec

# Read back from its text, and compiled into a program: the same predictions
round_trip() {
    copy_built "$tmp/with" && (cd "$tmp/with" && rm models.h tools/model/registry.o tools/model/runtime.o) &&
        make -s BUILD="$tmp/with" CC="$CC" MODELS="$tmp/$kernel.h" "$tmp/with/kpred" >/dev/null || return 1
    for dtype in FP32 FP16; do
        for gpu in gfx900_56 gfx906_60; do
            for model in "$kernel" "$tmp/$kernel.h"; do
                "$tmp/with/kpred" predict "$model" gpu=$gpu dir=W dtype=$dtype n=32 c=64 h=28 w=28 \
                    k=128 stride=1 groups=2 -k 50 --csv || return 1
            done >"$tmp/both.csv"
            [ "$(wc -l <"$tmp/both.csv")" -eq 102 ] || return 1
            [ "$(sort "$tmp/both.csv" | uniq -u | wc -l)" -eq 0 ] || return 1
        done
    done
}
check "round trip" round_trip

# ---- eval, in a folder of its own: there the trainer leaves the float network beside the header ----

mkdir "$tmp/work"

# evaluate ARGUMENT...: all rows as one group, k of 1, 10, 30
evaluate() {
    (cd "$tmp/work" && "$trainer" eval model.h --data "$tmp/gfx900_56.db" "$tmp/gfx906_60.db" \
        --rows all --by all -k 1,10,30 --csv "$@")
}

evaluates() {
    (cd "$tmp/work" && "$trainer" train "$spec" --data "$tmp/gfx900_56.db" "$tmp/gfx906_60.db" \
        --epochs 10 -o model.h) && cmp "$tmp/work/model.h" "$tmp/$kernel.h" && [ "$(ls "$tmp/work")" = "model.f32
model.h" ] || return 1
    evaluate >"$tmp/integer.csv" && [ "$(wc -l <"$tmp/integer.csv")" -eq 4 ] || return 1
    awk -F, 'NR > 1 && ($6 < 30 || $9 != "100.00") { bad = 1 }
             NR > 1 { if ($7 < last) bad = 1; last = $7 } END { exit bad }' "$tmp/integer.csv"
}

# Few of the few dozen optima change their rank by the rounding.
float_differs_little() {
    evaluate --float --hits "$tmp/hits" >"$tmp/float.csv" &&
        [ "$(sed 1d "$tmp/hits" | cut -d, -f1 | sort -u)" = "additive float" ] || return 1
    paste -d, "$tmp/integer.csv" "$tmp/float.csv" | awk -F, 'NR > 1 {
        d = $7 - $16; a = $8 - $17; if (d * d > 36 || a * a > 9 || $6 != $15) exit 1 }'
}

# Every row, a copy or not, as the database has it.
counts_copies() {
    (cd "$tmp/work" && "$trainer" eval model.h --data "$tmp/gfx906_60.db" "$tmp/copies.csv" \
        --rows all --by all -k 1 --csv) 2>"$tmp/err" >"$tmp/twice.csv" &&
        ! grep -q "says the same" "$tmp/err" &&
        [ "$(sed 1d "$tmp/twice.csv" | cut -d, -f6)" -eq $((2 * n_copies)) ]
}

float_is_missing() {
    mkdir -p "$tmp/alone" && cp "$tmp/work/model.h" "$tmp/alone" &&
        refuses 1 "kpred-train train $kernel.spec" "$trainer" eval "$tmp/alone/model.h" \
            --data "$tmp/gfx900_56.db" --float
}
# The float networks of another header, or of the same one in the format before
float_is_of_another() {
    train "$trainer" "$tmp/alone/model.h" --seed 2 && cp "$tmp/work/model.h" "$tmp/alone" &&
        refuses 1 "alone/model.f32: the floats of another network than that of $tmp/alone/model.h" \
            "$trainer" eval "$tmp/alone/model.h" --data "$tmp/gfx900_56.db" --float &&
        sed -i '1s/2/1/' "$tmp/alone/model.f32" && refuses 1 "model.f32: not a float network" \
        "$trainer" eval "$tmp/alone/model.h" --data "$tmp/gfx900_56.db" --float
}
# A header for an edited spec has the same network, and the same floats.
float_of_a_relayout() {
    mkdir "$tmp/edited" && sed 's/^title .*/title = another/' "$spec" >"$tmp/edited/the.spec" &&
        "$trainer" relayout "$tmp/work/model.h" --spec "$tmp/edited/the.spec" \
            -o "$tmp/edited/model.h" && ! cmp -s "$tmp/work/model.h" "$tmp/edited/model.h" &&
        cp "$tmp/work/model.f32" "$tmp/edited" && (cd "$tmp/edited" && "$trainer" eval model.h --data \
        "$tmp/gfx900_56.db" "$tmp/gfx906_60.db" --rows all --by all -k 1,10,30 --csv --float) |
        cmp - "$tmp/float.csv"
}

# teaches KIND OPTION...: what eval says of the model with such a file in the place of its own
teaches() {
    kind=$1; shift
    mkdir -p "$tmp/taught" && cp "$tmp/work/model.h" "$tmp/taught" &&
        python3 tests/train/teachers.py "$tmp/work/model.f32" "$kind" "$tmp/taught/model.f32" || return 1
    (cd "$tmp/taught" && "$trainer" eval model.h --data "$tmp/gfx900_56.db" \
        "$tmp/gfx906_60.db" --rows all -k 1,10 --csv "$@" 2>/dev/null)
}
teachers() {
    evaluate --teachers 1 >"$tmp/teacher.csv" && teaches alone --float >"$tmp/alone.csv" &&
        teaches same --teachers 2 >"$tmp/same.csv" && teaches same --teachers 1 >"$tmp/one.csv" &&
        cmp "$tmp/alone.csv" "$tmp/same.csv" && cmp "$tmp/alone.csv" "$tmp/one.csv" &&
        ! cmp -s "$tmp/teacher.csv" "$tmp/float.csv"
}
no_teacher() {
    teaches same --teachers 3 && return 1
    (cd "$tmp/taught" && "$trainer" eval model.h --data "$tmp/gfx900_56.db" --teachers 3) \
        2>"$tmp/err"
    [ $? -eq 1 ] && grep -q 'teachers: value "3": the model has 2' "$tmp/err" || return 1
    "$trainer" eval "$tmp/work/model.h" --data "$tmp/gfx900_56.db" --teachers 1 --float 2>"$tmp/err"
    [ $? -eq 2 ] && grep -q "exclude each other" "$tmp/err"
}

check "eval" evaluates
check "eval counts copies" counts_copies
check "eval --float" float_differs_little
if has python3; then
    check "eval --teachers" teachers
    check "eval --teachers, bad numbers" no_teacher
else
    skipped "eval --teachers" "python3 is not installed"
fi
check "eval --float says what makes it" float_is_missing
check "eval --float with the file of another network" float_is_of_another
check "eval --float of a header with an edited spec" float_of_a_relayout
test_end
