#!/bin/sh
# finddb.sh - find-dbs of $MIOPEN_DB in full, beside the one of test_finddb.c
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}
need_trainer "find-dbs"
need python3 "find-dbs"
for gpu in gfx1030_36 gfx90878; do
    check_with "$MIOPEN_DB/$gpu.HIP.fdb.txt.bz2" "$gpu in full" \
        python3 tests/miopen/finddb.py "$trainer" "$MIOPEN_DB/$gpu.HIP.fdb.txt.bz2" $gpu
done
test_end
