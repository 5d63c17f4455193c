#!/bin/sh
# hip_race.sh - how often kpred_hip_select finds the fastest of ten, on a simulated device
# SPDX-License-Identifier: MIT
#
# usage: [TENSILE_CSV=DIR] tests/hip/hip_race.sh [--table [OPTION...]]
#
# --table: prints the figures of all ways to choose and checks nothing; options of hip_race.c.
# tests/fixtures/gemm_rows.csv: of 12 shapes the 100 fastest kernels and 100 of the others. Source:
# AMD's benchmark runs in ROCm/Tensile (MIT licence); TENSILE_CSV has all shapes and kernels.
. tests/harness/script.inc

test_begin
TENSILE_CSV=${TENSILE_CSV:-../shared/tensile}
LAUNCHES=104
RIGHT=95

build() {
    $CC -std=c99 -O2 -I. -Itests tests/hip/hip_race.c -lm -o "$tmp/hip_race"
}

# Every table of TENSILE_CSV, unpacked
unpack() {
    for table in "$TENSILE_CSV"/*.csv.bz2; do
        bzip2 -dc "$table" >"$tmp/$(basename "$table" .bz2)" || return 1
    done
}

can_unpack() {
    has bzip2 && ls "$TENSILE_CSV"/*.csv.bz2 >/dev/null 2>&1
}

# enough CANDIDATES: that row of $tmp/scores reaches the aim
enough() {
    awk -F, -v candidates="$1" -v right=$RIGHT -v most=$LAUNCHES '
        $1 == candidates && /kpred_hip_select/ { n++; ok = $4 >= right && $7 <= most; row = $0 }
        END { print row; exit !(n == 1 && ok) }' "$tmp/scores"
}

# better CANDIDATES: and is better than one candidate after the other with as many launches
better() {
    awk -F, -v candidates="$1" '
        $1 == candidates && /kpred_hip_select/ { race = $5 }
        $1 == candidates && /one after the other/ { other = $5 }
        END { print race, other; exit !(race != "" && other != "" && race < other) }' "$tmp/scores"
}

# race NAME FILE...
race() {
    data=$1
    shift
    if ! "$tmp/hip_race" --csv --launches $LAUNCHES "$@" >"$tmp/scores"; then
        failed "$data" "hip_race failed"
        return
    fi
    sed "s/^/$data: /" "$tmp/scores"
    for candidates in "any ten of a row" "ten of the best hundred" "the best ten"; do
        check "$data, $candidates: right in $RIGHT %" enough "$candidates"
        check "$data, $candidates: less is lost than one after the other" better "$candidates"
    done
}

build || { failed "hip_race" "it does not compile"; test_end; exit; }
if [ "${1:-}" = --table ]; then
    shift
    if can_unpack && unpack; then
        "$tmp/hip_race" "$@" "$tmp"/*.csv
    else
        "$tmp/hip_race" "$@" tests/fixtures/gemm_rows.csv
    fi
    exit
fi
race "12 shapes" tests/fixtures/gemm_rows.csv
if can_unpack && unpack; then
    race "MI100" "$tmp"/mi100*.csv
    race "Vega20" "$tmp"/vega20*.csv
else
    skipped "all shapes" "needs bzip2 and $TENSILE_CSV"
fi
test_end
