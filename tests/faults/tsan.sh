#!/bin/sh
# tsan.sh - the trainer and the tuner under ThreadSanitizer: no report, and the same bytes as without it
# SPDX-License-Identifier: MIT
#
# It builds kpred-train a second time, in build/tsan.
. tests/harness/script.inc
. tests/faults/inputs.inc

test_begin
need_trainer "ThreadSanitizer"
need make "ThreadSanitizer"
sanitize="-O1 -g -fsanitize=thread"
export TSAN_OPTIONS="log_path=$tmp/report exitcode=66"

# shellcheck disable=SC2086
builds() { $CC -std=c99 $sanitize tests/faults/race.c -o "$tmp/race" -pthread; }
builds 2>/dev/null || end_without "ThreadSanitizer" "$CC cannot link it here"
# A new kernel may spread addresses wider than the library takes.
run=
! has setarch || ! setarch -R true 2>/dev/null || run="setarch -R"
finds_race() {
    rm -f "$tmp"/report.*
    $run "$tmp/race"
    [ $? = 66 ] && grep -q "data race" "$tmp"/report.*
}
finds_race || end_without "ThreadSanitizer" "it does not run here: it misses a race"
passed "it finds a race"
rm -f "$tmp"/report.*

make -s BUILD="$BUILD/tsan" CC="$CC" CFLAGS="$sanitize" LDFLAGS=-fsanitize=thread "$BUILD/tsan/kpred-train" \
    >"$tmp/log" 2>&1 || { failed "kpred-train builds" "$(tail -n 3 "$tmp/log")"; test_end; exit; }
sanitized=$BUILD/tsan/kpred-train
mkdir "$tmp/in" && cd "$tmp/in" || exit 1
check "inputs" own_inputs
check "inputs of tune" hill_inputs

# quiet ARGUMENT...: it succeeds without a report
quiet() {
    $run "$sanitized" "$@" >"$tmp/out" 2>"$tmp/err" && ! ls "$tmp"/report.* 2>/dev/null && return
    echo "status $?"
    head -n 20 "$tmp"/report.* "$tmp/err"
    return 1
}

# trains THREADS OPTION...: the same header as without the sanitizer and with one thread
trains() {
    threads=$1; shift
    quiet train own.spec --data times.csv --epochs 1 --threads "$threads" "$@" -o threads.h &&
        mv threads.h first.h && "$trainer" train own.spec --data times.csv --epochs 1 --threads 1 "$@" \
        -o threads.h 2>"$tmp/err" && cmp first.h threads.h
}
check "train, 2 threads" trains 2
check "train, 7 threads" trains 7
head -n 40 times.csv >few.csv
check "train --net encdec" quiet train own.spec --data few.csv --epochs 1 --threads 3 --net encdec -o encdec.h
check "eval" quiet eval own.h --data times.csv -k 1,4 --rows all
check "eval --float" quiet eval own.h --data times.csv -k 1 --rows all --float
check "tune --run" quiet tune hill.spec --problems problems.csv --run ./time.sh -o rows.csv
check "tune --server" quiet tune hill.spec --problems problems.csv --server ./server.sh -o served.csv
check "tune --replay" quiet tune hill.spec --replay table.csv --seeds 2 --budget 8
test_end
