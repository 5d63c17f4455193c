#!/bin/sh
# json.sh - every result as JSON is what it is as CSV, and what is said of a model is what its header says
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need python3 "JSON beside CSV"
cd "$tmp" || exit 1 # there models are trained
if [ -e "$root/weights/conv_asm_1x1u.h" ]; then
    checks_of "results of kpred" python3 "$root/tests/cli/results.py" kpred "$kpred"
else
    skipped "results of kpred" "the weights are not there (make weights)"
fi
need_trainer "results of kpred-train"
checks_of "results of kpred-train" python3 "$root/tests/cli/results.py" kpred-train "$trainer"
test_end
