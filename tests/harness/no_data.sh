#!/bin/sh
# no_data.sh - where no tuning data lies beside the tree, the suites that read it pass without
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin

# Their output goes elsewhere, so that it does not replace that of the same suites with data.
passes() {
    export MIOPEN_DB="$tmp/none" TENSILE_CSV="$tmp/none" AITER_CSV="$tmp/none" TRITON_CONFIGS="$tmp/none"
    export ORACLE="$tmp/none" TUNER="$tmp/none"
    copy_built "$tmp/build" || return 1
    BUILD="$tmp/build" sh tests/harness/run.sh "$1" >"$tmp/log" 2>&1 && return
    grep -A 9 FAIL "$tmp/log" || tail -n 20 "$tmp/log"
    return 1
}

for name in test_race keys-all rules_oracle specs test_databases test_solver test_tensile tuners weights; do
    check "$name, without data" passes $name
done
test_end
