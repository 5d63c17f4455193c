#!/bin/sh
# rules_oracle.sh - the rules of kpred_constraints.h against the oracle, and the tuples of the shipped models
# SPDX-License-Identifier: MIT
#
# usage: rules_oracle.sh [1|many|2|returned|listed]. The first part has the four kernels with a filter of their own, as
# `many` has before a release; returned: ten tuples for each problem of the databases, of the models of kernels in
# perf-dbs; listed: test_solver.c's find-dbs.
# RANDOM_TUPLES in the environment: of all kernels together, default 100000
. tests/harness/script.inc

test_begin
need python3 "the rules' oracle"

# returned SPEC: its model's tuples pass the oracle, and no problem is without
returned() {
    model=$(basename "$1" .spec)
    # shellcheck disable=SC2046
    "$trainer" ingest "$1" --data $(data_of "$1" "$MIOPEN_DB") -o "$tmp/rows.csv" --force &&
        python3 tests/rules/rules_oracle.py --exe "$kpred" --oracle "$ORACLE" --returned "$model" <"$tmp/rows.csv"
}

if [ "${1-}" = returned ]; then
    need_weights "returned tuples"
    need_trainer "returned tuples"
    for file in "$ORACLE" "$MIOPEN_DB/gfx900_56.db.bz2"; do
        [ -r "$file" ] || end_without "returned tuples" "there is no $file"
    done
    . tools/train/trained.inc
    for spec in $(perf_specs); do check "returned tuples of $(basename "$spec" .spec)" returned "$spec"; done
    test_end
    exit
fi

if [ "${1-}" = listed ]; then
    check "it builds" test_program test_solver "$tmp/test_solver"
    export EVERY=1
    checks_of "solvers that are listed" "$tmp/test_solver"
    test_end
    exit
fi

case ${1-} in
1 | many) kernels="conv_asm_1x1u conv_ocl_direct_fwd_1x1 conv_asm_bwd_wrw_1x1 conv_asm_bwd_wrw_3x3" ;;
2) kernels=$(sed -n 's/^    ("\(conv_[a-z0-9_]*\)".*/\1/p' tests/rules/rules_oracle.py | sed 1,4d) ;;
*) kernels= ;;
esac
program=$BUILD/check/test_rules # which run.sh has built
[ -x "$program" ] || check "it builds" test_program test_rules "$program" -O1 -DMODELS_APART
set --
for kernel in $kernels; do set -- "$@" --kernel $kernel; done
for gpu in gfx900_56 gfx906_60 gfx1030_36 gfx942130; do
    set -- "$@" --db "$gpu=$MIOPEN_DB/$gpu.db.bz2"
done
checks_of "the rules' oracle" python3 tests/rules/rules_oracle.py --exe "$program" \
    --oracle "$ORACLE" --random "${RANDOM_TUPLES:-100000}" "$@"
test_end
