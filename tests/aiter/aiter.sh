#!/bin/sh
# aiter.sh - kpred aiter beside aiter_oracle.py, a second statement of AITER's log, merge and look-up
# SPDX-License-Identifier: MIT
#
# AITER_CSV: the folder of AITER's tables, packed.
. tests/harness/script.inc

test_begin
for family in a8w8_blockscale a8w8_blockscale_bpreshuffle a4w4_blockscale; do
    [ -e "weights/gemm_$family.h" ] || end_without "kpred aiter" "there is no model gemm_$family"
done
need python3 "the oracle"
mkdir "$tmp/oracle"
checks_of "the oracle" python3 tests/aiter/aiter_oracle.py "$kpred" "$tmp/oracle" "${AITER_CSV:-../shared/aiter}"
test_end
