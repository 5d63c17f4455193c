#!/bin/sh
# returned.sh - what every shipped model predicts for the problems of the databases passes the oracle
# SPDX-License-Identifier: MIT
#
# The models are those of kernels in perf-dbs. Ten tuples a problem, and none may be without.
. tests/harness/script.inc

test_begin
need_weights "returned tuples"
need_trainer "returned tuples"
need python3 "returned tuples"
for file in "$ORACLE" "$MIOPEN_DB/gfx900_56.db.bz2"; do
    [ -r "$file" ] || end_without "returned tuples" "there is no $file"
done
. tools/train/trained.inc

build() {
    "$CC" -std=c99 -O2 -I. -Itests tests/rules/returned.c -o "$tmp/returned"
}

pass() {
    name=$(basename "$1" .spec)
    # shellcheck disable=SC2046
    "$trainer" ingest "$1" --data $(data_of "$1" "$MIOPEN_DB") -o "$tmp/rows.csv" --force &&
        "$tmp/returned" "$name" 10 <"$tmp/rows.csv" >"$tmp/lines" &&
        python3 tests/rules/returned.py "$ORACLE" "$name" <"$tmp/lines"
}

check "it builds" build
for spec in $(perf_specs); do
    check "returned tuples of $(basename "$spec" .spec)" pass "$spec"
done
test_end
