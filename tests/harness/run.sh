#!/bin/sh
# run.sh - compiles and runs every test, prints a line for each and the true totals at the end
# SPDX-License-Identifier: MIT
#
# usage: [BUILD=build] [CC=cc] [CFLAGS=-O2] [MIOPEN_DB=DIR] [TENSILE_CSV=DIR] [ORACLE=rules.py]
#        [RANDOM_TUPLES=N] tests/harness/run.sh [NAME...]
#
# Run it from the repository's root, after `make`; `make check` does both. Every tests/*/test_*.c is a
# test, and every tests/*/*.sh but this one, wide.sh and what that calls. A test's output ends with `N
# passed, N failed, N skipped`; one that does not get that far counts as a failed one. NAME: only
# these (test_math, cli, ...). The output of each is kept in $BUILD/check/NAME.log.
set -u
. tests/harness/script.inc # has_weights, $archive, and BUILD
CC=${CC:-cc}
CFLAGS=${CFLAGS:--O2}
MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}
TENSILE_CSV=${TENSILE_CSV:-../shared/tensile}
ORACLE=${ORACLE:-../shared/miopen/rules.py}
RANDOM_TUPLES=${RANDOM_TUPLES:-100000}
export BUILD CC CFLAGS MIOPEN_DB TENSILE_CSV
unset MAKEFLAGS MFLAGS MAKELEVEL # the tests that call make choose for themselves
out=$BUILD/check
passed=0 failed=0 skipped=0
wanted=$*
mkdir -p "$out" || exit 1
: >"$out/skips"

# ---- totals ----

# The last line of a log, if that is what a test ends with; else a failure, said in the log
totals() {
    tail -n 1 "$1" | grep -xE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' && return
    echo "it ended with status $2 and without totals" >>"$1"
    echo "0 passed, 1 failed, 0 skipped"
}

# count NAME STATUS SECONDS: adds up a test that has run, prints its line, and all of its output if
# anything failed
count() {
    log=$out/$1.log
    # shellcheck disable=SC2046
    set -- "$1" "$2" "$3" $(totals "$log" "$2" | tr -cd '0-9 ')
    if [ "$2" -ne 0 ] && [ "$5" -eq 0 ]; then
        echo "it ended with status $2 and counted no failure" >>"$log"
        set -- "$1" "$2" "$3" "$4" 1 "$6"
    fi
    passed=$((passed + $4)) failed=$((failed + $5)) skipped=$((skipped + $6))
    printf '%-16s %4s passed, %s failed, %s skipped, %s s\n' "$1" "$4" "$5" "$6" "$3"
    [ "$5" -eq 0 ] || sed 's/^/    /' "$log"
    sed -n "s/^skip /$1: /p" "$log" >>"$out/skips"
}

# skip NAME REASON: a test that cannot run here
skip() {
    wants "$1" || return 0
    printf 'skip all: %s\n0 passed, 0 failed, 1 skipped\n' "$2" >"$out/$1.log"
    count "$1" 0 0
}

wants() {
    [ -z "$wanted" ] && return 0
    case " $wanted " in *" $1 "*) ;; *) return 1 ;; esac
}

# run NAME COMMAND...
run() {
    name=$1; shift
    wants "$name" || return 0
    start=$(date +%s)
    "$@" >"$out/$name.log" 2>&1 </dev/null
    count "$name" $? $(($(date +%s) - start))
}

# ---- programs in C ----

# compile_and_run NAME SOURCE: what a test needs of the tools is in the archive that make built
compile_and_run() {
    exe=$out/$1
    # shellcheck disable=SC2086
    $CC -std=c99 -D_POSIX_C_SOURCE=200809L -I. -Itools -Itests -I"$BUILD" $CFLAGS "$2" "$archive" \
        -lm -pthread -o "$exe" && "$exe"
}

for source in tests/*/test_*.c; do
    name=$(basename "$source" .c)
    [ "$name" != test_data ] || continue # test_data.sh builds it
    if grep -q '^#include "\(weights/\|shipped.h\)' "$source" && ! has_weights; then
        skip "$name" "the weights are not there (make weights)"
    else
        run "$name" compile_and_run "$name" "$source"
    fi
done

# ---- the rules against the oracle ----

if [ ! -x "$out/test_rules" ]; then
    skip rules_oracle "test_rules was not built"
elif ! command -v python3 >/dev/null; then
    skip rules_oracle "there is no python3"
else
    run rules_oracle python3 tests/rules/rules_oracle.py --exe "$out/test_rules" --oracle "$ORACLE" \
        --random "$RANDOM_TUPLES" --db "gfx900_56=$MIOPEN_DB/gfx900_56.db.bz2" \
        --db "gfx906_60=$MIOPEN_DB/gfx906_60.db.bz2" \
        --db "gfx1030_36=$MIOPEN_DB/gfx1030_36.db.bz2" --db "gfx942130=$MIOPEN_DB/gfx942130.db.bz2"
fi

# ---- scripts ----

for script in tests/*/*.sh; do
    name=$(basename "$script" .sh)
    case $name in
    run | wide | cross | returned | four) ;;
    *) run "$name" sh "$script" ;;
    esac
done

if [ -s "$out/skips" ]; then
    echo "skipped:"
    sed 's/^/    /' "$out/skips"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
