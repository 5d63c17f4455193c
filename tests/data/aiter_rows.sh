#!/bin/sh
# aiter_rows.sh - format = aiter: the rows of AITER's tables are those that another reader finds
# SPDX-License-Identifier: MIT
set -u
. tests/harness/script.inc

test_begin
need_trainer "format = aiter"
need python3 "format = aiter"
data=${AITER_CSV:-../shared/aiter}

# tables SPEC: the tuned tables of its family, a line each
tables() {
    ls "$data"/*"$(sed -n 's/^family *= *//p' "$1")"_tuned_gemm*.csv.bz2
}

# same FAMILY SPEC [retunes]: retunes: those are read as well
same() {
    python3 tests/data/aiter_rows.py "$2" "$1" "$data" ${3+"$3"} >"$tmp/other.csv" || return 1
    # shellcheck disable=SC2046 # no blanks in the names
    "$trainer" ingest "$2" --data $(tables "$2") ${3+"$data/retunes.csv.bz2"} 2>"$tmp/said" >"$tmp/own.csv" &&
        python3 tests/data/aiter_rows.py compare "$tmp/own.csv" "$tmp/other.csv"
}

differs() { ! python3 tests/data/aiter_rows.py compare "$@" >/dev/null 2>&1; }

[ -e "$data/retunes.csv.bz2" ] || end_without "format = aiter" "$data is not there"
for of in bs:a8w8_blockscale bsp:a8w8_blockscale_bpreshuffle a4w4:a4w4_blockscale; do
    spec=weights/gemm_${of#*:}.spec
    check "tables of ${of#*:}" same "${of%%:*}" "$spec"
    check "tables and retunes of ${of#*:}" same "${of%%:*}" "$spec" retunes
done
sed '2s/,\([0-9]*\),\([a-z]\)/,1\1,\2/' "$tmp/own.csv" >"$tmp/bad.csv"
check "another split is seen" differs "$tmp/bad.csv" "$tmp/other.csv"
sed 2d "$tmp/own.csv" >"$tmp/bad.csv"
check "a row less is seen" differs "$tmp/bad.csv" "$tmp/other.csv"
test_end
