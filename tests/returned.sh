#!/bin/sh
# returned.sh BUILD ORACLE MIOPEN_DB [K] - predicts K tuples (default 10) for every problem of the
# databases with every shipped model; each must pass the oracle, and none may be without.
set -eu
build=$1 oracle=$2 db=$3 k=${4:-10}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"${CC:-cc}" -std=c99 -O2 -I. tests/returned.c -o "$tmp/returned"
for spec in weights/*.spec; do
    name=$(basename "$spec" .spec)
    "$build/kpred-train" ingest "$spec" --data "$db/gfx900_56.db.bz2" "$db/gfx906_60.db.bz2" \
        -o "$tmp/rows.csv"
    "$tmp/returned" "$name" "$k" <"$tmp/rows.csv" >"$tmp/lines"
    python3 tests/returned.py "$oracle" "$name" <"$tmp/lines"
done
