#!/bin/sh
# bench_aiter.sh - tools/peers/aiter.py and what it reads, and the tables of tools/report/aiter.sh, on
# small tables
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need_numpy "AITER"

data=$tmp/data out=$tmp/hits
mkdir "$data"
part() { $python tests/peers/bench_aiter.py "$@"; }
check "made-up tables" part write "$data"
check "classes, of every schema" part reader "$data"
check "a file left out takes its (N, K) with it" part folds "$data"
check "look-up, splits and limits" part rules "$data"

aiter() { $python tools/peers/aiter.py "$data" -o "$out" --families bs "$@"; }
check "aiter.py: methods" aiter --tests file --methods aiter,nearest,frequency
check "what they name first" part methods "$out"
check_module sklearn "aiter.py: forest" aiter --tests file --methods forest,forest-blind
check_module xgboost "aiter.py: boosted" aiter --tests file --methods boosted --rounds 2
check "figures and errors" part figures "$data"
check "shares of the best time, label noise" part times "$data"

report() {
    $python tools/report/aiter_tables.py "$out" "$data" -o "$tmp/tables" >"$tmp/report.md" &&
        grep -q '^| bs, M <= 512 | nearest neighbour | 7 (4) | 42.9 ' "$tmp/tables/file_all.md" &&
        grep -q '^| bs, M <= 512 | nearest neighbour | 4 (3) | 25.0 ' "$tmp/tables/file.md" &&
        grep -q '^### noise' "$tmp/report.md"
}
check "aiter_tables.py" report

# A family without a spec: only other methods, and what is measured is not measured again
whole() {
    FAMILIES=bp TESTS=file METHODS=nearest sh tools/report/aiter.sh "$tmp/build" "$data" >"$tmp/report.md" || return 1
    grep -q '^| bp | nearest neighbour | 2 (2) | 100.0 ' "$tmp/build/aiter/tables/file_all.md" || return 1
    kept=$tmp/build/aiter/hits/bp-file-nearest.csv
    sed 's/,1,ck|z|0$/,0,ck|z|0/' "$kept" >"$tmp/kept.csv" && cp "$tmp/kept.csv" "$kept"
    FAMILIES=bp TESTS=file METHODS=nearest sh tools/report/aiter.sh "$tmp/build" "$data" >"$tmp/report.md" &&
        cmp "$tmp/kept.csv" "$kept" && grep -q '^| bp | nearest neighbour | 2 (2) | 0.0 ' "$tmp/report.md"
}
check "aiter.sh" whole

# refused TEXT ARGUMENT...: aiter.py ends with that message
refused() {
    text=$1
    shift
    ! $python tools/peers/aiter.py "$@" >/dev/null 2>"$tmp/said" && grep -qF -- "$text" "$tmp/said"
}
check "a method it does not know" refused '--methods: "best"' "$data" -o "$out" --methods best
check "no table" refused "there is no table of a4w4_blockscale_tuned_gemm" "$data" -o "$out" --families a4w4
check "no header" refused "none/bs-config.h: No such file" "$data" -o "$out" --families bs --tests config \
    --methods network --models none
test_end
