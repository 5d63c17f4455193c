#!/bin/sh
# rules_oracle.sh - the rules of kpred_constraints.h against the oracle
# SPDX-License-Identifier: MIT
#
# usage: rules_oracle.sh [1|2]. The first part has the four kernels with a filter of their own.
# RANDOM_TUPLES in the environment: of all kernels together, default 100000
. tests/harness/script.inc

test_begin
case ${1-} in
1) kernels="conv_asm_1x1u conv_ocl_direct_fwd_1x1 conv_asm_bwd_wrw_1x1 conv_asm_bwd_wrw_3x3" ;;
2) kernels=$(sed -n 's/^    ("\(conv_[a-z0-9_]*\)".*/\1/p' tests/rules/rules_oracle.py | sed 1,4d) ;;
*) kernels= ;;
esac
need python3 "the rules' oracle"
check "it builds" test_program test_rules "$tmp/test_rules"
set --
for kernel in $kernels; do set -- "$@" --kernel $kernel; done
for gpu in gfx900_56 gfx906_60 gfx1030_36 gfx942130; do
    set -- "$@" --db "$gpu=$MIOPEN_DB/$gpu.db.bz2"
done
checks_of "the rules' oracle" python3 tests/rules/rules_oracle.py --exe "$tmp/test_rules" \
    --oracle "$ORACLE" --random "${RANDOM_TUPLES:-100000}" "$@"
test_end
