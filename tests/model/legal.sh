#!/bin/sh
# legal.sh - tuples of every command are legal where [restrict] rejects most of them; beside Python
# SPDX-License-Identifier: MIT
#
# LEGAL=N: so many problems; 4000 take a minute.
. tests/harness/script.inc

test_begin
need_trainer "tuples that are legal"
need python3 "tuples that are legal"
LEGAL=${LEGAL:-200}
cd "$tmp" || exit 1

# Conditions with fields, constants, a limit of the GPU and names. Those with quotients and remainders
# have no bounds that help: most ways into them are dead ends. Some problems have no legal tuple.
cat >narrow.spec <<'SPEC'
[kernel]
name = narrow
[data]
format = timed
[fields]
gpu = gfx900_56 gfx906_60
rows = size 1 8192
cols = size 1 8192
[params]
bx = 1 2 4 8 32
by = 1 3 8 16
mode = lin swz
vec = 1 2 4
stages = 1 2 3
depth = 8 32
[restrict]
most = 1024
1 < bx * by <= most
(bx + by) * depth * stages * 8 <= lds_bytes // (1 + (mode == swz))
rows % (bx / vec) == 0 or mode == swz
(bx * by * stages + rows) % 3 == cols % 3
depth % (bx * vec) == 0 or gpu == gfx900_56 and by > vec
(cols * depth / by) * 2 > rows or stages == 1
vec <= cols and abs(stages - 2) + min(bx, by) <= max(4, rows // 2)
(bx * by * vec + cols) % 5 != rows % 5 and cols <= 4 * bx * by * vec
[split]
config = rows,cols
[derived]
lr = log2 rows
lc = log2 cols
[features]
onehot gpu
hats lr 0 1 13
hats lc 0 1 13
divides rows 2 2
[network]
encoder1 = 32
encoder2 = 32
hidden = 16
epochs = 12
teachers = 0
draws = 16
SPEC

legal() {
    python3 "$root/tests/model/legal.py" "$@"
}
trains() {
    legal table 24 >narrow.csv && [ "$(wc -l <narrow.csv)" -gt 300 ] &&
        "$trainer" train narrow.spec --data narrow.csv --split none --threads 1 -o narrow.h
}
check "a table, most of whose tuples are illegal and fast" trains
check "its header in a program" "$CC" -std=c99 -O1 $C_WARNINGS -I"$root" -I. -DHEADER='"narrow.h"' \
    -DMODEL=kpred_model_narrow "$root/tests/model/legal.c" -o narrow
check "the header's rule: $LEGAL problems, four beams" legal program ./narrow "$LEGAL"
check "kpred predict, in all forms" legal predict "$kpred" ./narrow $((LEGAL / 8))
check "eval: all are valid, and shares are of the best legal tuple" legal eval "$trainer" ./narrow narrow.csv
test_end
