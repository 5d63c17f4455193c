#!/bin/sh
# keys.sh - kpred miopen reads every key of the text databases as a line of MIOpen's driver
# SPDX-License-Identifier: MIT
#
# Of each database it takes 2,500 keys, chosen at random; KEYS=0 takes all of them (four minutes).
. tests/harness/script.inc

test_begin
need_weights "every key"
need python3 "every key"
for file in "$ORACLE" "$MIOPEN_DB/gfx906_60.HIP.fdb.txt.bz2"; do
    [ -r "$file" ] || end_without "every key" "there is no $file"
done
kpred=$tmp/four/kpred
check "programs with four kernels" sh tests/miopen/four.sh "$BUILD" "$tmp/four"
check "test_driver builds" test_program test_driver "$tmp/test_driver"
checks_of "every key" python3 tests/miopen/miopen_oracle.py --rules "$ORACLE" --data "$MIOPEN_DB" \
    --keys "${KEYS:-20000}" --random 2000 --broken 200 --seed 7 \
    --key-printer "$tmp/test_driver" "$kpred"
checks_of "every key" python3 tests/miopen/miopen_oracle.py --rules "$ORACLE" --data "$MIOPEN_DB" \
    --seed 8 "$kpred" --beam 10
test_end
