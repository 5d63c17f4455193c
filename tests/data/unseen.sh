#!/bin/sh
# unseen.sh - [unseen]: tokens for GPUs on which nothing was measured
# SPDX-License-Identifier: MIT
set -u
. tests/harness/script.inc

test_begin
need_trainer "[unseen]"
need python3 "[unseen]"

compiles() {
    # shellcheck disable=SC2046
    $CC -std=c99 ${CFLAGS:--O1} -D_POSIX_C_SOURCE=200809L -I. -Itools -o "$tmp/unseen" tests/data/unseen.c \
        "$archive" $(libraries) -lm
}
check "unseen.c compiles" compiles
python3 tests/data/unseen.py spec >"$tmp/k.spec"

# rows SEED: what the names learn from a table is what Python computes, and the other rows stay as they are
rows() {
    python3 tests/data/unseen.py table "$1" >"$tmp/table$1.csv" &&
        "$tmp/unseen" "$tmp/k.spec" "$tmp/table$1.csv" >"$tmp/found.csv" &&
        "$trainer" ingest "$tmp/k.spec" --data "$tmp/table$1.csv" >"$tmp/own.csv" &&
        grep -Ev '^[0-9]+,(amd|nvidia|rdna),' "$tmp/found.csv" | cmp - "$tmp/own.csv" &&
        python3 tests/data/unseen.py check "$tmp/found.csv"
}
for seed in 1 2 3; do check "rows of the names, table $seed" rows "$seed"; done

# ---- the command line ----

trains() {
    "$trainer" train "$tmp/k.spec" --data "$tmp/table1.csv" --split none --epochs 2 -o "$tmp/k.h" 2>"$tmp/said"
}
check "train" trains

# takes TOKEN GPU: what predict --nearest takes for a GPU that the model lacks
takes() {
    "$kpred" predict "$tmp/k.h" n=5 m=5 "gpu=$2" --nearest 2>"$tmp/said" >"$tmp/out" &&
        grep -q " $1\$" "$tmp/said"
}
check "another RDNA is rdna" takes rdna "RX 6800"
check "another CDNA is amd" takes amd MI300X
check "NVIDIA's is nvidia" takes nvidia "NVIDIA H100 PCIe"
check "the same architecture is near" takes gfx90a6e gfx90a68
same() {
    "$kpred" predict "$tmp/k.h" n=5 m=5 gpu=amd -k 9 --csv >"$tmp/amd.csv" &&
        "$kpred" predict "$tmp/k.h" n=5 m=5 gpu=MI300X --nearest -k 9 --csv 2>/dev/null | cmp - "$tmp/amd.csv"
}
check "the name itself can be asked for" same
asks() {
    ! "$kpred" predict "$tmp/k.h" n=5 m=5 "gpu=RX 6800" 2>"$tmp/said" && grep -q -- "--nearest would take rdna" "$tmp/said"
}
check "without --nearest it is offered" asks

sed 's/A100/gfx1201_20/' "$tmp/table1.csv" >"$tmp/new.csv"
evaluates() {
    "$trainer" eval "$tmp/k.h" --data "$tmp/new.csv" --rows all --nearest --csv >"$tmp/out" && grep -q ,rdna, "$tmp/out"
}
check "eval --nearest" evaluates

# ---- what is refused ----

# refuses LINE:COLUMN PATTERN SED: the spec with a change
refuses() {
    sed "$3" "$tmp/k.spec" >"$tmp/bad.spec"
    rm -f "$tmp/bad.h"
    ! "$trainer" train "$tmp/bad.spec" --data "$tmp/table1.csv" --split none --epochs 1 -o "$tmp/bad.h" 2>"$tmp/said" &&
        grep -q "bad.spec:$1.*$2" "$tmp/said" && [ ! -e "$tmp/bad.h" ]
}
check "a name that is no token" refuses 10:1 "amdd.*no token" 's/^amd =/amdd =/'
check "a GPU that is no token" refuses 10:7 "gfx1.*no token" 's/^amd = .*/amd = gfx1/'
check "a name of a name" refuses 12:1 "amd.*not a GPU" 's/^rdna = /rdna = amd /'
check "a name twice" refuses 12:1 "amd.*twice" 's/^rdna = /amd = /'
check "a name without GPUs" refuses 10:6 "no GPU" 's/^amd = .*/amd =/'
check "no =" refuses 10:5 "form" 's/^amd = .*/amd gfx90a6e/'
check "data without times" refuses 9 "times" 's/= timed/= csv/'
check "no field gpu" refuses 9 "gpu" 's/^gpu =/device =/; s/onehot gpu/onehot device/'

test_end
