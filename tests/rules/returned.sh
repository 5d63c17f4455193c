#!/bin/sh
# returned.sh - what every shipped model predicts for the problems of the databases passes the oracle
# SPDX-License-Identifier: MIT
#
# returned.sh BUILD ORACLE MIOPEN_DB [K]: K tuples (default 10) a problem; none may be without.
set -eu
build=$1 oracle=$2 db=$3 k=${4:-10}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"${CC:-cc}" -std=c99 -O2 -I. -Itests tests/rules/returned.c -o "$tmp/returned"
. tools/train/trained.inc
grep -lx 'format *= *miopen' weights/*.spec | while read -r spec; do
    name=$(basename "$spec" .spec)
    # shellcheck disable=SC2046
    "$build/kpred-train" ingest "$spec" --data $(data_of "$spec" "$db") -o "$tmp/rows.csv"
    "$tmp/returned" "$name" "$k" <"$tmp/rows.csv" >"$tmp/lines"
    python3 tests/rules/returned.py "$oracle" "$name" <"$tmp/lines"
done
